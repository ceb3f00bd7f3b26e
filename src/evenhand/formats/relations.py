"""The formats of relations that are JSON. The code that reads and writes them is loaded when a file needs it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import to_tokens
from evenhand.data.corpus import Corpus
from evenhand.data.names import RELATIONS
from evenhand.data.structures import ListedParts, Relations
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.jsonl import decoded_values
from evenhand.formats.parsing.json_lines import (
    PROBLEM,
    UNREADABLE,
    Ground,
    Offset,
    Span,
    decoded_lines,
    misquoting,
    on_texts,
    on_tokens,
    records,
    spans_of,
    to_write,
)
from evenhand.formats.source import Block, Source
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_TASKS = ("relations", "spans")
_ENTITIES = re.compile(rb'"entities"\s*:\s*\[\s*(?:\]|\{\s*"(?:type|start|end)"\s*:)')
_TOKENS = re.compile(rb'"tokens"\s*:\s*\[')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\[')
_NER = re.compile(rb'"(?:predicted_)?(?:ner|relations)"\s*:\s*\[\s*[\[\]]')
_RELATIONS = re.compile(rb'"relations"\s*:\s*\[')
_SPANS = re.compile(rb'"spans"\s*:\s*\[')
_WRITE = "evenhand.formats.relations"


def is_spert(sample: Block) -> float:
    """Whether tokens and entities with a type, a start and an end are among the first keys."""
    text = sample.data[: sample.size].lstrip()
    return float(_TOKENS.search(text) is not None and _ENTITIES.search(text) is not None)


def is_dygie(sample: Block) -> float:
    """Whether the first line is an object with sentences, and entities or relations a sentence."""
    line = _first_line(sample)
    return float(_SENTENCES.search(line) is not None and _NER.search(line) is not None)


def is_relation_lines(sample: Block) -> float:
    """Whether the first line is an object with spans and relations."""
    line = _first_line(sample)
    return float(_SPANS.search(line) is not None and _RELATIONS.search(line) is not None)


def _first_line(sample: Block) -> bytes:
    return sample.data[: sample.size].lstrip().partition(b"\n")[0]


SPERT = Format(
    "spert",
    "JSON of SpERT and CoNLL04: sentences of tokens with entities and relations",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.relations:read_spert"))),
    writers={"relations": Writer(Capabilities(documents="none", gaps=False), lazy(f"{_WRITE}:write_spert"))},
    suffixes=(".json",),
    detection=Detection(b"[{", confidence=is_spert),
    contents=Contents(has_columns=True),
)
DYGIE = Format(
    "dygie",
    "JSON lines of DyGIE++ and SciERC: a document a line, with entities and relations",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.relations:read"))),
    writers={"relations": Writer(Capabilities(gaps=False), lazy(f"{_WRITE}:write_dygie"))},
    suffixes=(".jsonlines",),
    detection=Detection(b"{", confidence=is_dygie),
    contents=Contents(has_columns=True),
)
RELATION_LINES = Format(
    "relation-jsonl",
    "JSON lines: a text or tokens with spans that have an id, and relations between them",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.relations:read_relation_lines"))),
    writers={"relations": Writer(Capabilities(documents="sentence"), lazy(f"{_WRITE}:write_lines"))},
    suffixes=(".jsonl",),
    detection=Detection(b"{", confidence=is_relation_lines),
)


# == formats/relation_records.py: Sentences or texts with spans and relations between them, as


NO_LABEL = "_"
"""The label of an argument that no span has the bounds of."""


@dataclass(frozen=True)
class Link:
    """A relation, whose ends are places in a list of spans."""

    label: str
    head: int
    tail: int
    is_symmetric: bool = False


@dataclass(frozen=True)
class Related:
    """A sentence of tokens or a text, and what stands in it."""

    line: int
    words: list[str] | str
    spans: Sequence[Span]
    links: Sequence[Link] = ()
    """Ends are places in `spans`, or behind these in those of sentences that follow."""
    identifier: str | None = None


@dataclass(frozen=True)
class Documents:
    """The first sentence of each document, and their names, if they have any."""

    first: Sequence[int] = (0,)
    names: Sequence[str | None] = field(default=())
    continues: bool = False
    """Whether the first one is the last of the batch before."""


class _RecordReader:
    """Makes annotations of sentences, batch by batch."""

    def __init__(self, name: str, source: Source, settings: ReadSettings, vocabulary: Vocabulary) -> None:
        self._name, self._source, self._settings, self._vocabulary = name, source, settings, vocabulary

    def annotation(self, found: Sequence[Related], documents: Documents | None = None) -> Annotation:
        """Some sentences, which are all of tokens or all texts; without `documents`, each is one of its own."""
        lines = ints([each.line for each in found])
        texts = [each.words for each in found if isinstance(each.words, str)]
        if texts:
            atoms, ground = on_texts(texts, self._settings.unit)
            for at, each in enumerate(found):
                if fault := misquoting(str(each.words), each.spans, self._settings.unit):
                    self._report(found)(at, *fault)
            corpus = atoms.corpus(self._source.display_name, lines)
        else:
            corpus = _of_tokens(self._source, found, lines)
            assert corpus.lengths is not None
            ground = on_tokens(corpus.lengths)
        corpus = _in_documents(corpus, found, documents)
        good = self._good(found, ground)
        lists = _chosen([each.spans for each in found], good)
        spans = spans_of(lists, ground, self._vocabulary, self._report(found))
        relations = self._relations(found, good, texts)
        reading = ReadInfo(self._name)
        layers: dict[str, Layer] = {RELATIONS: relations, "spans": spans}
        return Annotation(corpus, layers, dict.fromkeys(layers, reading), self._source.name)

    def _report(self, found: Sequence[Related]) -> Callable[[int, str, str], None]:
        return lambda at, finding, remedy: self._source.report(found[at].line, finding, remedy, PROBLEM)

    def _good(self, found: Sequence[Related], ground: Ground) -> Bools:
        """Which spans cover something; the others are reported."""
        flat = list(chain.from_iterable(each.spans for each in found))
        scope = np.repeat(np.arange(len(found)), ints([len(each.spans) for each in found]))
        start = ground.place(scope, ints([span.start for span in flat]))
        end = ground.place(scope, ints([span.end for span in flat]))
        good: Bools = (start >= 0) & (end > start)
        for row in np.flatnonzero(~good).tolist():
            self._report(found)(int(scope[row]), *ground.fault(int(scope[row]), flat[row]))
        return good

    def _relations(self, found: Sequence[Related], good: Bools, texts: Sequence[str]) -> Relations:
        """The relations between spans that can be read."""
        place, rows = np.cumsum(good) - 1, list[tuple[int, int, int]]()
        symmetric, code = set[str](), self._vocabulary.labels.code
        for first, each in zip(accumulate((len(each.spans) for each in found), initial=0), found, strict=False):
            for link in each.links:
                head, tail = first + link.head, first + link.tail
                if good[head] and good[tail]:
                    rows.append((code(link.label), int(place[head]), int(place[tail])))
                    symmetric |= {link.label} if link.is_symmetric else set()
        label, head_row, tail_row = ints(rows).reshape(-1, 3).T
        parts = _listed(found, good, texts) if texts else None
        return Relations(self._vocabulary, label, head_row, tail_row, frozenset(symmetric), parts)


def _of_tokens(source: Source, found: Sequence[Related], lines: Ints) -> Corpus:
    bounds = np.append(0, np.cumsum(ints([len(each.words) for each in found])))
    return Corpus(
        source.display_name, len(found), bounds, Tokens.of([word for each in found for word in each.words]), lines
    )


def _in_documents(corpus: Corpus, found: Sequence[Related], documents: Documents | None) -> Corpus:
    """The corpus with its documents and ids."""
    if documents is None:
        ids = [each.identifier for each in found if each.identifier is not None]
        known = Tokens.of(ids) if len(ids) == len(found) else None
        return replace(corpus, documents=np.arange(len(found)), ids=known)
    names = tuple(name or "" for name in documents.names)
    first = ints(documents.first)
    return replace(corpus, documents=first, names=names, unnamed=not any(names), continues=documents.continues)


def _chosen(lists: Sequence[Sequence[Span]], good: Bools) -> Sequence[Sequence[Span]]:
    """Lists of spans without those that are not good."""
    if good.all():
        return lists
    first = accumulate(map(len, lists), initial=0)
    return [
        [span for at, span in enumerate(each, begin) if good[at]] for begin, each in zip(first, lists, strict=False)
    ]


def _listed(found: Sequence[Related], good: Bools, texts: Sequence[str]) -> ListedParts:
    """The parts of spans in characters of all texts, one behind the other."""
    begins = accumulate(map(len, texts), initial=0)
    spans = [(span, begin) for begin, each in zip(begins, found, strict=False) for span in each.spans]
    spans = [span for span, is_good in zip(spans, good.tolist(), strict=True) if is_good]
    parts = [(span.parts or [(span.start, span.end)], begin) for span, begin in spans]
    first = list(accumulate((len(each) for each, _ in parts), initial=0))
    start, end = ints([(a + begin, b + begin) for each, begin in parts for a, b in each]).reshape(-1, 2).T
    return ListedParts.of("".join(texts), ints(first), start, end, ints([begin for _, begin in spans]))


# == formats/relation_lines.py: JSON lines of our own: a text or tokens, its spans, and rela


_BLOCKS_RELATION_LINES = 4
Name = str | int


class NamedSpan(Span, gc=False, omit_defaults=True):
    """A span that relations can name."""

    id: Name | None = None
    text: str | None = None
    """What it quotes."""


class Relation(msgspec.Struct, gc=False, omit_defaults=True):
    """A relation between two spans of its record."""

    head: Name
    tail: Name
    label: str
    symmetric: bool = False


class Record(msgspec.Struct, gc=False, omit_defaults=True):
    """One line. What is not named here is not looked at."""

    id: Name | None = None
    text: str | None = None
    tokens: list[str] | None = None
    spans: Sequence[NamedSpan] = ()
    relations: Sequence[Relation] = ()


_DECODER_RELATION_LINES = msgspec.json.Decoder(Record)


def read_relation_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    reader, kinds = _RecordReader(RELATION_LINES.name, source, settings, vocabulary), set[str]()
    for block in source.blocks(_BLOCKS_RELATION_LINES * settings.block_size, cut_after="line"):
        found = list[Related]()
        for line, record in decoded_lines(source, block, _DECODER_RELATION_LINES.decode):
            words = record.text if record.tokens is None else record.tokens
            if words is None or (record.text is not None and record.tokens is not None):
                both = "both" if record.text is not None else "neither"
                source.report(line, f"the record has {both} of text and tokens", "give one of them", PROBLEM)
                continue
            _check_kind(source, line, record, kinds)
            name = None if record.id is None else str(record.id)
            found.append(Related(line, words, record.spans, list(_links(source, line, record)), name))
        if found:
            yield reader.annotation(found)


def _check_kind(source: Source, line: int, record: Record, kinds: set[str]) -> None:
    """Refuse a record of another kind than those before it."""
    kinds.add("text" if record.tokens is None else "tokens")
    if len(kinds) > 1:
        finding = "some records have a text, others have tokens"
        raise source.error(line, finding, "put the two into files of their own", PROBLEM)
    kinds.add("text" if record.tokens is None else "tokens")


def _links(source: Source, line: int, record: Record) -> Iterator[Link]:
    places = {span.id: at for at, span in enumerate(record.spans) if span.id is not None}
    if len(places) < sum(span.id is not None for span in record.spans):
        names = [span.id for span in record.spans if span.id is not None]
        repeated = next(name for at, name in enumerate(names) if name in names[:at])
        source.report(line, f"two spans have the id {repeated!r}", "give every span an id of its own", PROBLEM)
    for relation in record.relations:
        unknown = [name for name in (relation.head, relation.tail) if name not in places]
        if unknown:
            finding = f"a relation {relation.label!r} names the span {unknown[0]!r}, which its record does not have"
            source.report(line, finding, "give the span this id, or mend the relation", PROBLEM)
        else:
            yield Link(relation.label, places[relation.head], places[relation.tail], relation.symmetric)


# == formats/related.py: Relations by sentence, for those who write them.


@dataclass(frozen=True)
class Linked:
    """A relation within a sentence; its ends are places among the sentence's spans."""

    label: str
    head: int
    tail: int
    is_symmetric: bool


@dataclass
class LinksBySentence:
    """The relations of an annotation within its sentences, and how many there are across."""

    links: dict[int, list[Linked]] = field(default_factory=dict)
    across: int = 0


def relations_of(annotation: Annotation) -> Relations:
    relations = annotation[RELATIONS]
    assert isinstance(relations, Relations)
    return relations


def links_by_sentence(annotation: Annotation) -> LinksBySentence:
    """The relations of each sentence, in the order of the file."""
    layer, links = relations_of(annotation), LinksBySentence()
    places, seen = list[tuple[int, int]](), dict[int, int]()
    for scope in annotation.spans().scope.tolist():
        places.append((scope, seen.get(scope, 0)))
        seen[scope] = seen.get(scope, 0) + 1
    for label, head, tail in layer.rows():
        (sentence, one), (other, place) = places[head], places[tail]
        if sentence == other:
            links.links.setdefault(sentence, []).append(Linked(label, one, place, label in layer.symmetric))
        else:
            links.across += 1
    return links


# == formats/relation_write.py: Writing relations as JSON: of SpERT, of DyGIE++, and of our


def write_spert(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A list of records, one on each line."""
    opened = False
    for batch in _in_tokens(batches, conversion):
        for record in _spert(batch, conversion):
            yield (",\n" if opened else "[\n") + msgspec.json.encode(record).decode()
            opened = True
    yield "\n]\n" if opened else "[]\n"


def _spert(batch: Annotation, conversion: Conversion) -> Iterator[dict[str, Any]]:
    found = links_by_sentence(batch)
    conversion.lose(found.across, "relations across sentences")
    for sentence, spans in to_write(batch):
        entities = [{"type": span.label, "start": span.start, "end": span.end} for span in spans]
        links = found.links.get(sentence, ())
        relations = [{"type": link.label, "head": link.head, "tail": link.tail} for link in links]
        yield {"tokens": _tokens(batch, sentence), "entities": entities, "relations": relations}


def write_dygie(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A line a document."""
    for batch in _in_tokens(batches, conversion):
        conversion.lose(_hidden(batch), "ends of relations with the bounds of an earlier span of another label")
        corpus = batch.corpus
        limits = np.append(corpus.documents, corpus.sentences).tolist()
        written = _Document(batch)
        for number, (first, last) in enumerate(pairwise(limits)):
            name = corpus.names[number] if corpus.names else str(number + 1)
            yield msgspec.json.encode({"doc_key": name, **written.of(first, last)}).decode() + "\n"


class _Document:
    """The documents of a batch, whose tokens count from the first of each."""

    def __init__(self, batch: Annotation) -> None:
        spans, bounds = batch.spans(), batch.corpus.bounds
        assert bounds is not None
        self._batch, self._bounds = batch, bounds
        self._labels = [label for label, *_ in spans.rows()]
        first = bounds[spans.scope]
        self._start, self._last = (first + spans.start).tolist(), (first + spans.end - 1).tolist()
        self._spans, self._links = dict[int, list[int]](), dict[int, list[tuple[str, int, int]]]()
        for row, scope in enumerate(spans.scope.tolist()):
            self._spans.setdefault(scope, []).append(row)
        for label, head, tail in relations_of(batch).rows():
            self._links.setdefault(int(spans.scope[head]), []).append((label, head, tail))

    def of(self, first: int, last: int) -> dict[str, Any]:
        """What stands in some sentences."""
        begin, sentences = int(self._bounds[first]), range(first, last)
        ner = [[[*self._place(row, begin), self._labels[row]] for row in self._spans.get(s, ())] for s in sentences]
        relations = [
            [
                [*self._place(head, begin), *self._place(tail, begin), label]
                for label, head, tail in self._links.get(s, ())
            ]
            for s in sentences
        ]
        return {"sentences": [_tokens(self._batch, s) for s in sentences], "ner": ner, "relations": relations}

    def _place(self, row: int, begin: int) -> tuple[int, int]:
        return self._start[row] - begin, self._last[row] - begin


def _hidden(batch: Annotation) -> int:
    """How many relations have an end whose label bounds alone do not tell."""
    spans, first = batch.spans(), dict[tuple[int, int, int], str]()
    labels = [label for label, *_ in spans.rows()]
    for label, *bounds in spans.rows():
        first.setdefault((bounds[0], bounds[1], bounds[2]), label)
    told = [first[scope, start, end] for _, scope, start, end in spans.rows()]
    return sum(told[end] != labels[end] for _, *ends in relations_of(batch).rows() for end in ends)


def write_lines(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A record a sentence (or text)."""
    for batch in batches:
        found = links_by_sentence(batch)
        conversion.lose(found.across, "relations across sentences")
        for sentence, (words, spans) in enumerate(records(batch)):
            named = [
                NamedSpan(span.start, span.end, span.label, span.parts, span.level, number)
                for number, span in enumerate(spans, 1)
            ]
            links = found.links.get(sentence, ())
            relations = [Relation(link.head + 1, link.tail + 1, link.label, link.is_symmetric) for link in links]
            text: dict[str, Any] = {"text": words} if isinstance(words, str) else {"tokens": words}
            yield msgspec.json.encode(Record(**text, spans=named, relations=relations)).decode() + "\n"


def _tokens(batch: Annotation, sentence: int) -> list[str]:
    corpus = batch.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    return corpus.tokens.texts(*corpus.bounds[sentence : sentence + 2].tolist())


def _in_tokens(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[Annotation]:
    """Batches whose atoms are tokens, without gaps; what that loses is counted."""
    for batch in batches:
        layer = relations_of(batch)
        if layer.symmetric:
            conversion.not_carried.add("which types are symmetric (name them with --symmetric)")
        batch, misfits = to_tokens(batch)
        conversion.lose(len(misfits), "spans beginning or ending inside a token, which would grow")
        spans = batch.spans()
        conversion.lose(int(np.count_nonzero(spans.shape)), "spans with gaps, which would be filled")
        spans = replace(spans, shape=np.zeros_like(spans.shape))
        yield replace(batch, layers={RELATIONS: layer, "spans": spans})


# == formats/dygie.py: JSON lines as DyGIE++ and SciERC have them: a document a lin


RELATION_KEYS = ("relations", "predicted_relations")
RESTARTED = "tokens-of-each-sentence"
"""How tokens count that do not count through the document."""
_BLOCKS, _SAMPLE = 4, 1 << 14
_ENTITY = "write entities as [first token, last token, label]"
_RELATION = "write relations as [first, last, first, last, type]: tokens of head and tail, and the type"
Rows = list[list[list[Any]]]


class DygieDocument(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    sentences: list[list[str]]
    doc_key: str | None = None
    ner: Rows | None = None
    relations: Rows | None = None
    predicted_ner: Rows | None = None
    predicted_relations: Rows | None = None


_DECODER = msgspec.json.Decoder(DygieDocument)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    reader, prefix = _RecordReader(DYGIE.name, source, settings, vocabulary), _prefix(settings)
    restarts, is_predicted = _restarts(source, prefix), False
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        found, first, names = list[Related](), list[int](), list[str | None]()
        for line, document in decoded_lines(source, block, _DECODER.decode):
            fault = _through_document(document, prefix) if restarts else None
            fault = fault or _fault(document, prefix)
            if fault is not None:
                source.report(line, *fault, PROBLEM)
                continue
            is_predicted |= document.predicted_ner is not None or document.predicted_relations is not None
            first.append(len(found))
            names.append(document.doc_key)
            found += _Related(document, line, prefix).sentences()
        if found:
            batch = reader.annotation(found, Documents(first, names))
            batch = _naming_layer(batch, prefix, is_predicted)
            if restarts:
                readings = {layer: replace(reading, offsets=RESTARTED) for layer, reading in batch.readings.items()}
                batch = replace(batch, readings=readings)
            yield batch


def _naming_layer(batch: Annotation, prefix: str | None, is_predicted: bool) -> Annotation:
    """The same, with the layer of predictions named where documents have one and it is read."""
    if not prefix or not is_predicted:
        return batch
    readings = {name: replace(reading, column=RELATION_KEYS[1]) for name, reading in batch.readings.items()}
    return replace(batch, readings=readings)


def _restarts(source: Source, prefix: str | None) -> bool:
    """Whether tokens are counted anew in each sentence: the entities of the first documents fit only so."""
    sample, is_document, is_sentence = source.sample(_SAMPLE), True, True
    for line in sample.data[: sample.size].split(b"\n"):
        try:
            document = _DECODER.decode(line)
        except UNREADABLE:
            continue
        ends = list(accumulate(map(len, document.sentences), initial=0))
        for at, row in _rows(document, prefix):
            is_document &= at < len(document.sentences) and ends[at] <= row[0] <= row[1] < ends[at + 1]
            is_sentence &= at < len(document.sentences) and 0 <= row[0] <= row[1] < len(document.sentences[at])
    return is_sentence and not is_document


def _rows(document: DygieDocument, prefix: str | None) -> Iterator[tuple[int, list[Any]]]:
    """The entities of a document with the numbers of their sentences."""
    ner, _ = _keys(document, prefix)
    return ((at, row) for at, rows in enumerate(ner or ()) for row in rows if _is_row(row, 2))


def _through_document(document: DygieDocument, prefix: str | None) -> tuple[str, str] | None:
    """Count the tokens of a document through it, where they were counted in each sentence; what is wrong, or None."""
    begins = list(accumulate(map(len, document.sentences), initial=0))
    for rows, width in zip(_keys(document, prefix), (2, 4), strict=True):
        for at, row in ((at, row) for at, some in enumerate(rows or ()) for row in some):
            if not _is_row(row, width) or at >= len(document.sentences):
                continue  # which is reported in any case
            size = len(document.sentences[at])
            if min(row[:width]) < 0 or max(row[:width]) >= size:
                finding = f"{row!r} is outside its sentence, which has {counted(size, 'token')}"
                return f"{finding}, and tokens are counted anew in each sentence of this file", _ENTITY
            row[:width] = [token + begins[at] for token in row[:width]]
    return None


def _prefix(settings: ReadSettings) -> str | None:
    """What stands before the keys that a user names; None where nobody does, and the side decides."""
    for column in settings.columns:
        if column not in RELATION_KEYS:
            raise SettingError(f"{column!r} holds no relations; choose one of {', '.join(RELATION_KEYS)}.")
    named = next(map(str, settings.columns), "predicted_relations" if settings.side == "system" else None)
    return None if named is None else named.removesuffix("relations")


def _keys(document: DygieDocument, prefix: str | None) -> tuple[Rows | None, Rows | None]:
    """The entities and relations that are wanted, or those that there are."""
    ner, relations = (document.ner, document.predicted_ner), (document.relations, document.predicted_relations)
    if prefix:
        ner, relations = ner[::-1], relations[::-1]
    return ner[0] if ner[0] is not None else ner[1], relations[0] if relations[0] is not None else relations[1]


def _fault(document: DygieDocument, prefix: str | None) -> tuple[str, str] | None:
    """What is wrong with a document, and what to do."""
    ner, relations = _keys(document, prefix)
    if ner is None and relations is None:
        return "the document has neither ner nor relations", "give its relations, or an empty list a sentence"
    size, sentences = sum(map(len, document.sentences)), len(document.sentences)
    for name, rows, width, remedy in (("ner", ner, 2, _ENTITY), ("relations", relations, 4, _RELATION)):
        if rows is None:
            continue
        if len(rows) != sentences:
            return (
                f"got {counted(len(rows), 'list')} of {name} for {counted(sentences, 'sentence')}",
                "give a list for each sentence",
            )
        for row in chain.from_iterable(rows):
            if not _is_row(row, width):
                return f"{row!r} is no entry of {name}", remedy
            if any(not 0 <= a <= b < size for a, b in zip(row[:width:2], row[1:width:2], strict=True)):
                return f"{row!r} is outside the document, which has {counted(size, 'token')}", f"count from 0; {remedy}"
    return _elsewhere(document, prefix) or _torn(document, ner, relations)


def _elsewhere(document: DygieDocument, prefix: str | None) -> tuple[str, str] | None:
    """Whether an entity is not in the sentence that lists it."""
    ends = list(accumulate(map(len, document.sentences), initial=0))
    for at, row in _rows(document, prefix):
        if not ends[at] <= row[0] < ends[at + 1]:
            finding = (
                f"{row!r} is listed with sentence {at + 1}, which has the tokens {ends[at]:,} to {ends[at + 1] - 1:,}"
            )
            return finding, "count tokens through the document, in all documents or in none"
    return None


def _is_row(row: Sequence[Any], width: int) -> bool:
    return len(row) > width and all(type(each) is int for each in row[:width]) and isinstance(row[width], str)


def _torn(document: DygieDocument, ner: Rows | None, relations: Rows | None) -> tuple[str, str] | None:
    """Whether a span reaches over the end of its sentence."""
    begins = list(accumulate(map(len, document.sentences), initial=0))
    pairs = [(row[0], row[1]) for row in chain.from_iterable(ner or ())]
    pairs += [pair for row in chain.from_iterable(relations or ()) for pair in ((row[0], row[1]), (row[2], row[3]))]
    torn = next((pair for pair in pairs if bisect_right(begins, pair[0]) != bisect_right(begins, pair[1])), None)
    if torn is None:
        return None
    return f"the span [{torn[0]}, {torn[1]}] reaches over the end of its sentence", "mend its tokens"


class _Related:
    """A document, whose spans are those of its entities and of arguments that are none."""

    def __init__(self, document: DygieDocument, line: int, prefix: str | None) -> None:
        self._document, self._line = document, line
        ner, relations = _keys(document, prefix)
        self._begins = list(accumulate(map(len, document.sentences), initial=0))
        self._spans: list[list[Span]] = [[] for _ in document.sentences]
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        for first, last, label, *_ in chain.from_iterable(ner or ()):
            self._add(first, last, label)
        self._links = [
            (row[4], self._place(row[0], row[1]), self._place(row[2], row[3]))
            for row in chain.from_iterable(relations or ())
        ]

    def _add(self, first: int, last: int, label: str) -> tuple[int, int]:
        sentence = bisect_right(self._begins, first) - 1
        begin = self._begins[sentence]
        spans = self._spans[sentence]
        spans.append(Span(first - begin, last + 1 - begin, label))
        return self._places.setdefault((first, last), (sentence, len(spans) - 1))

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """The sentence of a span and its place there; it is added if there is none."""
        return self._places.get((first, last)) or self._add(first, last, NO_LABEL)

    def sentences(self) -> Iterator[Related]:
        """The sentences; relations stand in that of the first of their ends."""
        before = list(accumulate(map(len, self._spans), initial=0))
        links: list[list[Link]] = [[] for _ in self._spans]
        for label, (sentence, at), (other, place) in self._links:
            here = min(sentence, other)
            ends = (before[sentence] + at - before[here], before[other] + place - before[here])
            links[here].append(Link(label, *ends))
        for words, spans, own in zip(self._document.sentences, self._spans, links, strict=True):
            yield Related(self._line, words, spans, own)


# == formats/spert.py: JSON as SpERT, sincere and the usual CoNLL04 files have it:


_BATCH = 1 << 13
"""How many records are read together."""


class Entity(msgspec.Struct, gc=False):
    """A span, whose end is exclusive."""

    type: str
    start: Offset
    end: Offset


class RelationSpert(msgspec.Struct, gc=False):
    """A relation between two places in the list of entities."""

    type: str
    head: int
    tail: int


class Sentence(msgspec.Struct, gc=False):
    """One record. What is not named here is not looked at."""

    tokens: list[str]
    entities: list[Entity]
    relations: list[RelationSpert] = []


_DECODER_SPERT = msgspec.json.Decoder(Sentence)


def read_spert(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    reader, records, continues = (
        _RecordReader(SPERT.name, source, settings, vocabulary),
        _records(source, settings),
        False,
    )
    while batch := list(islice(records, _BATCH)):
        found = [
            Related(line, record.tokens, _spans(record), list(_links_spert(source, line, record)))
            for line, record in batch
        ]
        yield reader.annotation(found, Documents(continues=continues))
        continues = True


def _records(source: Source, settings: ReadSettings) -> Iterator[tuple[int, Sentence]]:
    """The records of a file, each with its line."""
    data = b"".join(block.data[: block.size] for block in source.blocks(settings.block_size, cut_after="line"))
    text = data.lstrip()
    if text.startswith(b"["):
        yield from decoded_values(source, data, _DECODER_SPERT.decode)
        return
    splits = _splits(data)
    if splits is None:
        for block in source.blocks(settings.block_size, cut_after="line"):
            yield from decoded_lines(source, block, _DECODER_SPERT.decode)
        return
    chosen = _chosen_spert(source, list(splits), settings)
    yield from decoded_values(source, bytes(splits[chosen]), _DECODER_SPERT.decode, data)


def _splits(data: bytes) -> dict[str, msgspec.Raw] | None:
    """The lists of an object, if the file is one; None if it has a record a line."""
    try:
        found = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except UNREADABLE:
        return None
    return None if "tokens" in found else found


def _chosen_spert(source: Source, names: Sequence[str], settings: ReadSettings) -> str:
    wanted = [str(column) for column in settings.columns] or (list(names) if len(names) == 1 else [])
    if len(wanted) != 1 or wanted[0] not in names:
        finding = (
            f"the file has the lists {', '.join(map(repr, names))}" if names else "the file has no list of records"
        )
        raise source.error(None, finding, "name one of them with --column")
    return wanted[0]


def _spans(record: Sentence) -> list[Span]:
    return [Span(entity.start, entity.end, entity.type) for entity in record.entities]


def _links_spert(source: Source, line: int, record: Sentence) -> Iterator[Link]:
    size = len(record.entities)
    for relation in record.relations:
        wrong = [(end, at) for end, at in (("head", relation.head), ("tail", relation.tail)) if not 0 <= at < size]
        if not wrong:
            yield Link(relation.type, relation.head, relation.tail)
            continue
        end, at = wrong[0]
        finding = f"the {end} {at} of a relation {relation.type!r} is no place in entities, of which there are {size}"
        source.report(line, finding, "count entities from 0", PROBLEM)
