"""Relations in JSON: Evenhand's own lines, DyGIE++ (also SciERC), and SpERT (also CoNLL04).

Evenhand's own lines have a text or tokens, spans with ids, and relations between these ids:

    {"tokens": ["Ada", "lives", "here"], "spans": [{"start": 0, "end": 1, "label": "PER", "id": 1}, …],
     "relations": [{"head": 1, "tail": 2, "label": "lives-in"}]}

DyGIE++ has one document per line, whose tokens are counted through the document: `ner` lists [first token, last token,
label] by sentence, `relations` lists [first, last, first, last, type]. Arguments of relations that are not entities get
the label `_`. If the entities of the first documents fit only that way, tokens are counted by sentence. Predictions
(`predicted_ner`, `predicted_relations`) are read from systems.

SpERT has sentences of tokens, entities with exclusive ends, and relations between indices of entities, as a list, as
JSON lines, or as an object of lists, one of which `--column` names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import to_tokens
from evenhand.data.structures import ListedParts, Relations
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.formats.jsonl import DYGIE, RELATION_LINES, SPERT
from evenhand.formats.parsing.confidences import (
    MISSING,
    ScoreError,
    ScoreFields,
    may_have_scores,
    score_column,
    scores_in,
    scores_to_write,
)
from evenhand.formats.parsing.json_records import (
    PROBLEM,
    UNREADABLE,
    KindCheck,
    decoded_lines,
    decoded_values,
    numbered_lines,
    read_known,
)
from evenhand.formats.parsing.json_spans import (
    Fault,
    JsonSpan,
    Offset,
    OffsetMap,
    records,
    spans_in_positions,
)
from evenhand.formats.source import Source
from evenhand.settings import RELATIONS, Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

NO_LABEL = "_"
"""The label of an argument that is not an entity."""
_BLOCKS = 4
"""Blocks are larger than in other formats by this factor, because records are long."""


@dataclass(frozen=True)
class RelationEntry:
    """A relation, whose arguments are indices of spans."""

    label: str
    head: int
    tail: int
    is_symmetric: bool = False
    score: float | None = None


@dataclass(frozen=True)
class RelationSentence:
    """A sentence of tokens or a text, with its spans and relations."""

    line: int
    words: list[str] | str
    spans: Sequence[JsonSpan]
    links: Sequence[RelationEntry] = ()
    """Arguments are indices of `spans`; larger ones are spans of the following sentences."""
    identifier: str | None = None


def _annotation(
    info: ReadInfo,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    sentences: Sequence[RelationSentence],
    documents: Sequence[int] | None = None,
    names: Sequence[str | None] = (),
    *,
    continues: bool = False,
) -> Annotation:
    """An annotation of sentences, which are all tokens or all texts.

    `documents` are the first sentences of documents; without it, each sentence is a document. With `continues`, the
    first document is the last one of the previous batch.
    """
    lines, lists = ints([sentence.line for sentence in sentences]), [sentence.spans for sentence in sentences]
    words = [sentence.words for sentence in sentences]
    corpus, offsets, spans = read_known(source, lines, words, lists, settings.unit, vocabulary)
    if documents is None:
        ids = [sentence.identifier for sentence in sentences if sentence.identifier is not None]
        corpus = replace(corpus, ids=Tokens.of(ids) if len(ids) == len(sentences) else None)
    else:
        known, first = tuple(name or "" for name in names), ints(documents)
        corpus = replace(corpus, documents=first, names=known, unnamed=not any(known), continues=continues)
    layers: dict[str, Layer] = {RELATIONS: _relations(sentences, offsets, vocabulary), "spans": spans}
    return Annotation(corpus, layers, dict.fromkeys(layers, info), source.name)


def _relations(sentences: Sequence[RelationSentence], offsets: OffsetMap, vocabulary: Vocabulary) -> Relations:
    """The relations between good spans: those that cover positions, which `spans_of` keeps."""
    spans, scope, _, _, good = spans_in_positions([sentence.spans for sentence in sentences], offsets)
    before = np.searchsorted(scope, np.arange(len(sentences)))
    row_of, rows, scores = np.cumsum(good) - 1, list[tuple[int, int, int]](), list[float]()
    symmetric, code = set[str](), vocabulary.labels.code
    for begin, sentence in zip(before.tolist(), sentences, strict=True):
        for link in sentence.links:
            head, tail = begin + link.head, begin + link.tail
            if good[head] and good[tail]:
                rows.append((code(link.label), int(row_of[head]), int(row_of[tail])))
                scores.append(MISSING if link.score is None else link.score)
                symmetric |= {link.label} if link.is_symmetric else set()
    label, head_row, tail_row = ints(rows).reshape(-1, 3).T
    texts = [sentence.words for sentence in sentences if isinstance(sentence.words, str)]
    kept = np.flatnonzero(good).tolist()
    parts = _listed_parts([spans[row] for row in kept], scope[kept], texts) if texts else None
    return Relations(vocabulary, label, head_row, tail_row, frozenset(symmetric), parts, score_column(scores))


def _listed_parts(spans: Sequence[JsonSpan], scope: Ints, texts: Sequence[str]) -> ListedParts:
    """The parts of spans as offsets into the concatenation of all texts."""
    begin = np.append(0, np.cumsum(list(map(len, texts))))[scope]
    parts = [span.parts or [(span.start, span.end)] for span in spans]
    first = np.append(0, np.cumsum(ints(list(map(len, parts)))))
    edges = ints(list(chain.from_iterable(parts))).reshape(-1, 2) + np.repeat(begin, np.diff(first))[:, None]
    return ListedParts.of("".join(texts), first, edges[:, 0], edges[:, 1], begin)


# Evenhand's own lines


Name = str | int


class NamedSpan(JsonSpan, gc=False, omit_defaults=True):
    """A span that relations can name."""

    id: Name | None = None
    text: str | None = None
    """Its quote."""


class Relation(msgspec.Struct, gc=False, omit_defaults=True):
    """A relation between two spans of its record."""

    head: Name
    tail: Name
    label: str
    symmetric: bool = False
    score: Any = None
    """Its confidence, where it is to be written; it is read from the undecoded record."""


class RelationRecord(msgspec.Struct, gc=False, omit_defaults=True):
    """One line. Other keys are ignored."""

    id: Name | None = None
    text: str | None = None
    tokens: list[str] | None = None
    spans: Sequence[NamedSpan] = ()
    relations: Sequence[Relation] = ()


_RECORD_DECODER = msgspec.json.Decoder(RelationRecord)


def read_relation_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    kinds, scores = KindCheck(source), ScoreFields.of(settings)

    def decode(data: bytes) -> tuple[RelationRecord, bytes]:
        return _RECORD_DECODER.decode(data), data

    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        sentences, has_scores = list[RelationSentence](), may_have_scores(block.data, scores)
        for line, (record, data) in decoded_lines(source, block, decode):
            words = record.text if record.tokens is None else record.tokens
            if words is None or (record.text is not None and record.tokens is not None):
                both = "both" if record.text is not None else "neither"
                source.report(line, f"the record has {both} of text and tokens", "write one of them", PROBLEM)
                continue
            kinds.check(line, "a text" if record.tokens is None else "tokens")
            try:
                _set_scores(record, data, scores, has_scores=has_scores)
            except ScoreError as error:
                source.report(line, str(error), "", PROBLEM)
                continue
            name = None if record.id is None else str(record.id)
            sentences.append(
                RelationSentence(line, words, record.spans, list(_named_links(source, line, record)), name)
            )
        if sentences:
            yield _annotation(ReadInfo(RELATION_LINES.name), source, settings, vocabulary, sentences)


def _set_scores(record: RelationRecord, data: bytes, scores: ScoreFields, *, has_scores: bool) -> None:
    """Set the confidences of spans and relations of a record, given the bytes from which it was decoded."""
    if not has_scores:
        return
    for span, score in zip(record.spans, scores_in(data, "spans", "span", scores), strict=True):
        span.score = score
    for relation, score in zip(record.relations, scores_in(data, "relations", "relation", scores), strict=True):
        relation.score = score


def _named_links(source: Source, line: int, record: RelationRecord) -> Iterator[RelationEntry]:
    names = [span.id for span in record.spans if span.id is not None]
    indices = {span.id: index for index, span in enumerate(record.spans) if span.id is not None}
    if len(indices) < len(names):
        repeated = next(name for at, name in enumerate(names) if name in names[:at])
        source.report(line, f"two spans have the id {repeated!r}", "give every span its own id", PROBLEM)
    for relation in record.relations:
        unknown = [name for name in (relation.head, relation.tail) if name not in indices]
        if unknown:
            finding = f"a relation {relation.label!r} refers to the span {unknown[0]!r}, which its record does not have"
            source.report(line, finding, "give the span this id, or fix the relation", PROBLEM)
        else:
            ends = indices[relation.head], indices[relation.tail]
            yield RelationEntry(relation.label, *ends, relation.symmetric, relation.score)


# DyGIE++


RELATION_KEYS = ("relations", "predicted_relations")
COUNTED_BY_SENTENCE = "tokens-of-each-sentence"
"""How tokens count if not through the document."""
_SAMPLE = 1 << 14
_ENTITY = "write entities as [first token, last token, label]"
_RELATION = "write relations as [first, last, first, last, type]: tokens of head and tail, and the type"
Rows = list[list[list[Any]]]
"""Entities or relations, by sentence."""


class DygieDocument(msgspec.Struct, gc=False):
    """One line. Other keys are ignored."""

    sentences: list[list[str]]
    doc_key: str | None = None
    ner: Rows | None = None
    relations: Rows | None = None
    predicted_ner: Rows | None = None
    predicted_relations: Rows | None = None

    @property
    def bounds(self) -> list[int]:
        """The first token of each sentence, and the number of tokens."""
        return list(accumulate(map(len, self.sentences), initial=0))

    def rows(self, prefix: str | None) -> tuple[Rows | None, Rows | None]:
        """The entities and relations with a prefix, otherwise those without."""
        ner, relations = (self.ner, self.predicted_ner), (self.relations, self.predicted_relations)
        if prefix:
            ner, relations = ner[::-1], relations[::-1]
        return ner[0] if ner[0] is not None else ner[1], relations[0] if relations[0] is not None else relations[1]

    def entities(self, prefix: str | None) -> Iterator[tuple[int, list[Any]]]:
        """The entities with the indices of their sentences."""
        ner, _ = self.rows(prefix)
        return ((index, row) for index, rows in enumerate(ner or ()) for row in rows if _is_row(row, 2))


_DYGIE_DECODER = msgspec.json.Decoder(DygieDocument)


def read_dygie(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    prefix = _prefix(settings)
    is_by_sentence, is_predicted = _is_counted_by_sentence(source, prefix), False
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        sentences, first, names = list[RelationSentence](), list[int](), list[str | None]()
        for line, document in decoded_lines(source, block, _DYGIE_DECODER.decode):
            fault = _count_through_document(document, prefix) if is_by_sentence else None
            fault = fault or _fault(document, prefix)
            if fault is not None:
                source.report(line, *fault, PROBLEM)
                continue
            is_predicted |= document.predicted_ner is not None or document.predicted_relations is not None
            first.append(len(sentences))
            names.append(document.doc_key)
            sentences += _sentences(document, line, prefix)
        if sentences:
            column = RELATION_KEYS[1] if prefix and is_predicted else None
            info = ReadInfo(DYGIE.name, column=column, offsets=COUNTED_BY_SENTENCE if is_by_sentence else None)
            yield _annotation(info, source, settings, vocabulary, sentences, first, names)


def _prefix(settings: ReadSettings) -> str | None:
    """The prefix of the keys that a user names, otherwise of those for the side of the file."""
    for column in settings.columns:
        if column not in RELATION_KEYS:
            raise SettingError(f"{column!r} does not contain relations; choose one of {', '.join(RELATION_KEYS)}.")
    name = next(map(str, settings.columns), RELATION_KEYS[1] if settings.side == "system" else None)
    return None if name is None else name.removesuffix("relations")


def _is_counted_by_sentence(source: Source, prefix: str | None) -> bool:
    """Whether the entities of the first documents fit only if tokens are counted by sentence."""
    fits_document = fits_sentence = True
    for _, line in numbered_lines(source.sample(_SAMPLE)):
        try:
            document = _DYGIE_DECODER.decode(line)
        except UNREADABLE:
            continue
        sentences, bounds = document.sentences, document.bounds
        for index, row in document.entities(prefix):
            fits_document &= index < len(sentences) and bounds[index] <= row[0] <= row[1] < bounds[index + 1]
            fits_sentence &= index < len(sentences) and 0 <= row[0] <= row[1] < len(sentences[index])
    return fits_sentence and not fits_document


def _count_through_document(document: DygieDocument, prefix: str | None) -> Fault | None:
    """Change tokens counted by sentence to tokens counted through the document; returns the first fault."""
    bounds = document.bounds
    for layer, width in zip(document.rows(prefix), (2, 4), strict=True):
        for index, row in ((index, row) for index, rows in enumerate(layer or ()) for row in rows):
            if not _is_row(row, width) or index >= len(document.sentences):
                continue  # which `_fault` reports
            size = len(document.sentences[index])
            if min(row[:width]) < 0 or max(row[:width]) >= size:
                finding = f"{row!r} is outside its sentence, which has {counted(size, 'token')}"
                return f"{finding}, and tokens are counted anew in each sentence of this file", _ENTITY
            row[:width] = [token + bounds[index] for token in row[:width]]
    return None


def _fault(document: DygieDocument, prefix: str | None) -> Fault | None:
    ner, relations = document.rows(prefix)
    if ner is None and relations is None:
        return "the document has neither ner nor relations", "add its relations, or an empty list per sentence"
    bounds, pairs = document.bounds, list[tuple[int, int]]()
    for name, layer, width, remedy in (("ner", ner, 2, _ENTITY), ("relations", relations, 4, _RELATION)):
        if layer is None:
            continue
        if len(layer) != len(document.sentences):
            lists, sentences = counted(len(layer), "list"), counted(len(document.sentences), "sentence")
            return f"got {lists} of {name} for {sentences}", "write one list per sentence"
        for row in chain.from_iterable(layer):
            if not _is_row(row, width):
                return f"{row!r} is not an entry of {name}", remedy
            for first, last in zip(row[:width:2], row[1:width:2], strict=True):
                if not 0 <= first <= last < bounds[-1]:
                    finding = f"{row!r} is outside the document, which has {counted(bounds[-1], 'token')}"
                    return finding, f"count from 0; {remedy}"
                pairs.append((first, last))
    for index, row in document.entities(prefix):
        first, last = bounds[index], bounds[index + 1] - 1
        if not first <= row[0] <= last:
            finding = f"{row!r} is listed with sentence {index + 1}, which has the tokens {first:,} to {last:,}"
            return finding, "count tokens through the document, in all documents or in none"
    for first, last in pairs:
        if bisect_right(bounds, first) != bisect_right(bounds, last):
            return f"the span [{first}, {last}] extends past the end of its sentence", "fix its tokens"
    return None


def _is_row(row: Sequence[Any], width: int) -> bool:
    return len(row) > width and all(type(token) is int for token in row[:width]) and isinstance(row[width], str)


def _sentences(document: DygieDocument, line: int, prefix: str | None) -> Iterator[RelationSentence]:
    """The sentences of a document; a relation belongs to the first sentence of its two arguments."""
    ner, relations = document.rows(prefix)
    bounds = document.bounds
    spans: list[list[JsonSpan]] = [[] for _ in document.sentences]
    arguments: dict[tuple[int, int], tuple[int, int]] = {}

    def add(first: int, last: int, label: str) -> tuple[int, int]:
        """Add a span; returns its sentence and its index there."""
        sentence = bisect_right(bounds, first) - 1
        spans[sentence].append(JsonSpan(first - bounds[sentence], last + 1 - bounds[sentence], label))
        return arguments.setdefault((first, last), (sentence, len(spans[sentence]) - 1))

    for first, last, label, *_ in chain.from_iterable(ner or ()):
        add(first, last, label)
    pairs = [
        (row[4], *(arguments.get((row[at], row[at + 1])) or add(row[at], row[at + 1], NO_LABEL) for at in (0, 2)))
        for row in chain.from_iterable(relations or ())
    ]
    before = list(accumulate(map(len, spans), initial=0))
    links: list[list[RelationEntry]] = [[] for _ in spans]
    for label, (head_sentence, head), (tail_sentence, tail) in pairs:
        sentence = min(head_sentence, tail_sentence)
        moved_head, moved_tail = before[head_sentence] + head, before[tail_sentence] + tail
        links[sentence].append(RelationEntry(label, moved_head - before[sentence], moved_tail - before[sentence]))
    for words, spans_here, links_here in zip(document.sentences, spans, links, strict=True):
        yield RelationSentence(line, words, spans_here, links_here)


# SpERT


_BATCH = 1 << 13
"""The number of records that are read together."""


class SpertEntity(msgspec.Struct, gc=False):
    """A span with an exclusive end."""

    type: str
    start: Offset
    end: Offset


class SpertRelation(msgspec.Struct, gc=False):
    """A relation between two indices of entities."""

    type: str
    head: int
    tail: int


class SpertSentence(msgspec.Struct, gc=False):
    """One record. Other keys are ignored."""

    tokens: list[str]
    entities: list[SpertEntity]
    relations: list[SpertRelation] = []


_SPERT_DECODER = msgspec.json.Decoder(SpertSentence)


def read_spert(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    records, continues = _spert_records(source, settings), False
    while batch := list(islice(records, _BATCH)):
        sentences = []
        for line, record in batch:
            spans = [JsonSpan(entity.start, entity.end, entity.type) for entity in record.entities]
            sentences.append(RelationSentence(line, record.tokens, spans, list(_spert_links(source, line, record))))
        info = ReadInfo(SPERT.name)
        yield _annotation(info, source, settings, vocabulary, sentences, (0,), continues=continues)
        continues = True


def _spert_records(source: Source, settings: ReadSettings) -> Iterator[tuple[int, SpertSentence]]:
    data = b"".join(block.data[: block.size] for block in source.blocks(settings.block_size, cut_after="line"))
    if data.lstrip().startswith(b"["):
        return decoded_values(source, data, _SPERT_DECODER.decode)
    lists: dict[str, msgspec.Raw] | None = None
    with suppress(*UNREADABLE):
        lists = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    if lists is None or "tokens" in lists:  # one record per line
        blocks = source.blocks(settings.block_size, cut_after="line")
        return (record for block in blocks for record in decoded_lines(source, block, _SPERT_DECODER.decode))
    names = [str(column) for column in settings.columns] or (list(lists) if len(lists) == 1 else [])
    if len(names) != 1 or names[0] not in lists:
        known = ", ".join(map(repr, lists))
        finding = f"the file has the lists {known}" if lists else "the file has no list of records"
        raise source.error(None, finding, "specify one of them with --column")
    return decoded_values(source, bytes(lists[names[0]]), _SPERT_DECODER.decode, data)


def _spert_links(source: Source, line: int, record: SpertSentence) -> Iterator[RelationEntry]:
    size = len(record.entities)
    for relation in record.relations:
        wrong = [(end, at) for end, at in (("head", relation.head), ("tail", relation.tail)) if not 0 <= at < size]
        if not wrong:
            yield RelationEntry(relation.type, relation.head, relation.tail)
            continue
        end, at = wrong[0]
        finding = f"the {end} {at} of a relation {relation.type!r} is not an index of its {counted(size, 'entity')}"
        source.report(line, finding, "count entities from 0", PROBLEM)


# Records to write


def links_by_sentence(annotation: Annotation, conversion: Conversion) -> dict[int, list[RelationEntry]]:
    """The relations within each sentence, between indices of its spans; those across sentences are lost."""
    layer, links, lost = _relations_of(annotation), defaultdict[int, list[RelationEntry]](list), 0
    arguments, sizes = list[tuple[int, int]](), defaultdict[int, int](int)
    for sentence in annotation.spans().scope.tolist():
        arguments.append((sentence, sizes[sentence]))
        sizes[sentence] += 1
    scores = [None] * len(layer) if layer.score is None else scores_to_write(layer.score)
    for (label, head_row, tail_row), score in zip(layer.rows(), scores, strict=True):
        (sentence, head), (other, tail) = arguments[head_row], arguments[tail_row]
        if sentence == other:
            links[sentence].append(RelationEntry(label, head, tail, label in layer.symmetric, score))
        else:
            lost += 1
    conversion.lose(lost, "relations across sentences")
    return links


def _relations_of(annotation: Annotation) -> Relations:
    relations = annotation[RELATIONS]
    assert isinstance(relations, Relations)
    return relations


def relation_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[RelationRecord]:
    """Evenhand's own records: one per sentence (or text)."""
    for batch in batches:
        links = links_by_sentence(batch, conversion)
        for sentence, (words, spans) in enumerate(records(batch)):
            named = [
                NamedSpan(span.start, span.end, span.label, span.parts, span.level, span.score, number)
                for number, span in enumerate(spans, 1)
            ]
            relations = [
                Relation(link.head + 1, link.tail + 1, link.label, link.is_symmetric, link.score)
                for link in links.get(sentence, ())
            ]
            text: dict[str, Any] = {"text": words} if isinstance(words, str) else {"tokens": words}
            yield RelationRecord(**text, spans=named, relations=relations)


def spert_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, Any]]:
    """Records of SpERT: one per sentence."""
    for batch in _in_tokens(batches, conversion):
        links = links_by_sentence(batch, conversion)
        for sentence, (tokens, spans) in enumerate(records(batch)):
            entities = [{"type": span.label, "start": span.start, "end": span.end} for span in spans]
            relations = [{"type": link.label, "head": link.head, "tail": link.tail} for link in links.get(sentence, ())]
            yield {"tokens": tokens, "entities": entities, "relations": relations}


def dygie_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, Any]]:
    """Records of DyGIE++: one per document."""
    for batch in _in_tokens(batches, conversion):
        conversion.lose(_hidden(batch), "ends of relations with the bounds of an earlier span of another label")
        corpus, spans, scopes = batch.corpus, batch.spans(), batch.spans().scope.tolist()
        tokens = [words for words, _ in records(batch)]
        assert corpus.bounds is not None
        first = corpus.bounds[spans.scope] - corpus.document_bounds[corpus.document_of(spans.scope)]
        bounds = list(zip((first + spans.start).tolist(), (first + spans.end - 1).tolist(), strict=True))
        ner, relations = defaultdict[int, list[Any]](list), defaultdict[int, list[Any]](list)
        for row, (label, *_) in enumerate(spans.rows()):
            ner[scopes[row]].append([*bounds[row], label])
        for label, head, tail in _relations_of(batch).rows():
            relations[scopes[head]].append([*bounds[head], *bounds[tail], label])
        limits = np.append(corpus.documents, corpus.sentences).tolist()
        for number, (begin, end) in enumerate(pairwise(limits)):
            sentences = range(begin, end)
            yield {
                "doc_key": corpus.names[number] if corpus.names else str(number + 1),
                "sentences": tokens[begin:end],
                "ner": [ner[sentence] for sentence in sentences],
                "relations": [relations[sentence] for sentence in sentences],
            }


def _hidden(batch: Annotation) -> int:
    """The number of arguments of relations whose bounds do not identify their label."""
    rows, first = batch.spans().rows(), dict[tuple[int, int, int], str]()
    for label, scope, start, end in rows:
        first.setdefault((scope, start, end), label)
    is_hidden = [first[scope, start, end] != label for label, scope, start, end in rows]
    return sum(is_hidden[argument] for _, *arguments in _relations_of(batch).rows() for argument in arguments)


def _in_tokens(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[Annotation]:
    """Batches with spans of tokens, without gaps; losses are counted."""
    for batch in batches:
        layer = _relations_of(batch)
        if layer.symmetric:
            conversion.not_carried.add("which types are symmetric (specify them with --symmetric)")
        batch, misfits = to_tokens(batch)
        conversion.lose(len(misfits), "spans beginning or ending inside a token, which would grow")
        spans = batch.spans()
        conversion.lose(int(np.count_nonzero(spans.shape)), "spans with gaps, which would be filled")
        spans = replace(spans, shape=np.zeros_like(spans.shape))
        yield replace(batch, layers={RELATIONS: layer, "spans": spans})
