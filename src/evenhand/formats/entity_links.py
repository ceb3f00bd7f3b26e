"""Tables of neleval: a link a line, with document, start and end, and identifier, score and type of each candidate.

`doc⇥0⇥4⇥Q90⇥0.9⇥LOC⇥Q167646⇥0.1⇥LOC`: offsets count from 0, and the end is the last character. Candidates are ranked
by their scores; where these are equal, as they stand. The type is that of the first one. Score and type may be missing
of a single candidate. A line without candidates is NIL, as in neleval. Lines of a document need not stand together. The
text is not in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evenhand.alignment.documents import names_of
from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.names import LINKS, NIL, NO_TYPE
from evenhand.data.structures import Link, code_links, links_of
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.formats.brat import refuse_odd, text_bound
from evenhand.formats.hipe import LINK_COLUMN, NELEVAL, NOTHING, TAG_COLUMN
from evenhand.formats.parsing.json_lines import (
    PROBLEM,
    Ground,
    Offset,
    Span,
    decoded_lines,
    edges,
    misquoting,
    on_texts,
    on_tokens,
    spans_of,
    to_write,
    with_offsets,
)
from evenhand.formats.paths import FileNames
from evenhand.formats.source import Source
from evenhand.settings import Columns, Offsets, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_NUMBER = re.compile(r"[0-9]{1,15}")
_REMEDY = "write document, start, last character, and identifier, score and type of candidates, with tabs between"
Row = tuple[int, str, int, int, str, Link]
"""Line, document, start, end behind the last character, label and link."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The table as one batch, as the lines of a document may stand anywhere."""
    rows = list(_rows(source, settings.block_size))
    if not rows:
        raise source.error(None, "the file has no links", "check how it was written")
    first: dict[str, int] = {}
    for line, document, *_ in rows:
        first.setdefault(document, line)
    number = {name: at for at, name in enumerate(first)}
    corpus = Corpus(
        source=source.display_name,
        sentences=len(first),
        lines=ints(list(first.values())),
        atoms="characters",
        documents=np.arange(len(first)),
        names=tuple(first),
    )
    rows.sort(key=lambda row: number[row[1]])
    _, documents, start, end, labels, links = zip(*rows, strict=True)
    spans = Spans(
        vocabulary,
        ints([number[name] for name in documents]),
        ints(start),
        ints(end),
        ints([vocabulary.labels.code(name) for name in labels]),
        *(np.zeros(len(rows), dtype=np.int64),) * 2,
        ints([vocabulary.extras.code(link) for link in links]),
    )
    yield Annotation(corpus, {LINKS: spans}, {LINKS: ReadInfo(NELEVAL.name)}, source.name)


def _rows(source: Source, size: int) -> Iterator[Row]:
    for block in source.blocks(size, cut_after="line"):
        lines = block.data[: block.size].decode().split("\n")
        for number, line in enumerate(lines, block.first_line):
            cells = line.rstrip("\r\n\t ").split("\t")
            if cells == [""]:
                continue
            row = _row(number, cells)
            if isinstance(row, str):
                source.report(number, row, _REMEDY, "columns")
            else:
                yield row


def _row(number: int, cells: Sequence[str]) -> Row | str:
    """A line taken apart, or what is wrong with it."""
    document, *bounds = cells[:3]
    if len(cells) < 3 or not document or not all(_NUMBER.fullmatch(cell) for cell in bounds):
        return f"{' '.join(cells)[:80]!r} has no document with start and end"
    start, last = map(int, bounds)
    if last < start:
        return f"the link from {start} to {last} ends before it begins"
    candidates = cells[3:]
    if len(candidates) > 2 and len(candidates) % 3:
        return f"found {counted(len(candidates), 'cell')} behind the end, where each candidate has three"
    triples = [candidates[at : at + 3] for at in range(0, len(candidates), 3)]
    try:
        ranked = sorted(triples, key=lambda cell: -float(cell[1]) if len(cell) > 1 and cell[1] else 0.0)
    except ValueError:
        return f"found a score that is no number in {' '.join(candidates)[:80]!r}"
    if not all(cell[0].strip() for cell in ranked):
        return "a candidate has no identifier"
    label = ranked[0][2].strip() if ranked and len(ranked[0]) > 2 else ""
    names = tuple(cell[0].strip() for cell in ranked) or (NIL,)
    return number, document, start, last + 1, label or NO_TYPE, Link(names)


# == formats/json_links.py: Entity links as JSON lines, a document a line: spans with li


_BLOCKS = 8
"""How many times larger than elsewhere blocks are: records are long."""
_TEXT, _TOKENS, _NEITHER = "a text", "tokens", "neither text nor tokens"


class LinkedSpan(Span, gc=False, omit_defaults=True):
    """A span with its identifiers, the best one first."""

    label: str = NO_TYPE
    links: Sequence[str] = ()
    text: str | None = None
    """What it quotes."""


class LinkRecord(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    spans: list[LinkedSpan]
    text: str | None = None
    tokens: list[str] | None = None
    id: str | int | None = None


class _Label(msgspec.Struct, gc=False):
    """A span of a gold standard of ELEVANT."""

    span: tuple[Offset, Offset]
    entity_id: str | None = None


class _Candidate(msgspec.Struct, gc=False):
    entity_id: str | None = None
    id: str | None = None


class _Mention(msgspec.Struct, gc=False):
    """A span of a system of ELEVANT."""

    span: tuple[Offset, Offset]
    id: str | None = None
    candidates: list[str | _Candidate | None] | None = None


class _Article(msgspec.Struct, gc=False):
    """One line of ELEVANT."""

    id: str | int | None = None
    text: str | None = None
    labels: list[_Label] | None = None
    entity_mentions: list[_Mention] | None = None


_OWN, _ELEVANT = msgspec.json.Decoder(LinkRecord), msgspec.json.Decoder(_Article)
Decode = Callable[[bytes], LinkRecord]


def read_json_links(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Own lines, in batches of whole documents."""
    return _batches("jsonl", _OWN.decode, source, settings, vocabulary)


def read_elevant(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Lines of ELEVANT, in batches of whole documents."""

    layer = _layer(source, settings)

    def decode(line: bytes) -> LinkRecord:
        return _own(_ELEVANT.decode(line), layer)

    column = layer if layer == "entity_mentions" else None
    return _batches("elevant", decode, source, settings, vocabulary, column)


def _layer(source: Source, settings: ReadSettings) -> str | None:
    """What of an article counts: the labels of a gold standard, or the mentions of a system; None: what there is."""
    if settings.side != "system":
        return "labels" if settings.side == "gold" else None
    if not source.is_here:  # which cannot be read twice
        return "entity_mentions"
    for block in source.whole.blocks(1 << 20, cut_after="line"):
        if b'"entity_mentions"' in block.data[: block.size]:
            return "entity_mentions"
    finding = "no article has entity_mentions, so this is not the output of a system"
    raise source.error(None, finding, "give the file with the mentions that the system found")


def _own(article: _Article, layer: str | None) -> LinkRecord:
    """The record of an article: of the layer that counts."""
    mentions, labels = article.entity_mentions, article.labels
    if layer == "entity_mentions" or (mentions is not None and (layer is None or labels is None)):
        spans = [LinkedSpan(*each.span, links=[_identifier(each.id), *_others(each)]) for each in mentions or ()]
    elif labels is not None:
        spans = [LinkedSpan(*label.span, links=[_identifier(label.entity_id)]) for label in labels]
    else:
        raise msgspec.ValidationError("Object missing required field `labels`")
    return LinkRecord(spans, article.text, None, article.id)


def _others(mention: _Mention) -> Iterator[str]:
    """The candidates behind the first identifier, in their order."""
    for each in mention.candidates or ():
        name = (each.entity_id or each.id) if isinstance(each, _Candidate) else each
        if name is not None and name != mention.id:
            yield _identifier(name)


def _identifier(name: str | None) -> str:
    return name if name is not None and name.startswith("Q") else NIL


def _batches(
    format: str,
    decode: Decode,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    column: str | None = None,
) -> Iterator[Annotation]:
    kind: str | None = None
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        lines, records = list[int](), list[LinkRecord]()
        for number, record in decoded_lines(source, block, decode):
            own = _TEXT if record.text is not None else _TOKENS if record.tokens is not None else _NEITHER
            kind = kind or own
            if own != kind:
                finding = f"the record has {own} where the file began with {kind}"
                raise source.error(number, finding, "put the two into files of their own", PROBLEM)
            lines.append(number)
            records.append(record)
        if records:
            batch = _Batch(source, records, lines, vocabulary, settings.unit)
            corpus, spans = batch.read(kind)
            yield Annotation(corpus, {LINKS: spans}, {LINKS: ReadInfo(format, column=column)}, source.name)


@dataclass(frozen=True)
class _Batch:
    """Some records with their lines."""

    source: Source
    records: list[LinkRecord]
    lines: list[int]
    vocabulary: Vocabulary
    offsets: Offsets

    def read(self, kind: str | None) -> tuple[Corpus, Spans]:
        records = self.records
        if kind == _TEXT:
            atoms, ground = on_texts([record.text or "" for record in records], self.offsets)
            for at, record in enumerate(records):
                if fault := misquoting(record.text or "", record.spans, self.offsets):
                    self._report(at, *fault)
            corpus = atoms.corpus(self.source.display_name, ints(self.lines))
        elif kind == _TOKENS:
            corpus = self._token_corpus()
            assert corpus.lengths is not None
            ground = on_tokens(corpus.lengths)
        else:
            documents = np.arange(len(records))
            corpus = Corpus(
                *(self.source.display_name, len(records)),
                lines=ints(self.lines),
                atoms="characters",
                documents=documents,
            )
            ground = Ground(lambda record, offset: offset, lambda record, span: (f"{span} covers nothing", "mend it"))
        ids = ["" if record.id is None else str(record.id) for record in records]
        names = tuple(ids) if all(ids) else ()
        return replace(corpus, ids=Tokens.of(ids) if any(ids) else None, names=names), self._spans(ground)

    def _spans(self, ground: Ground) -> Spans:
        spans = spans_of([record.spans for record in self.records], ground, self.vocabulary, self._report)
        flat = list(chain.from_iterable(record.spans for record in self.records))
        links = [Link(tuple(span.links)) for span in flat]
        for at, record in enumerate(self.records):
            if any("" in span.links for span in record.spans):
                self._report(at, "a span has an empty identifier", "name it, or leave it out")
        extra = code_links(links, self.vocabulary) if len(spans) == len(flat) else ints([0] * len(spans))
        return replace(spans, extra=extra)

    def _token_corpus(self) -> Corpus:
        words = [record.tokens or [] for record in self.records]
        lengths = ints(list(map(len, words)))
        return Corpus(
            source=self.source.display_name,
            sentences=len(words),
            bounds=np.append(0, np.cumsum(lengths)),
            tokens=Tokens.of(list(chain.from_iterable(words))),
            lines=np.repeat(ints(self.lines), lengths),
            documents=np.arange(len(words)),
        )

    def _report(self, record: int, finding: str, remedy: str) -> None:
        self.source.report(self.lines[record], finding, remedy, PROBLEM)


def plain(value: Any) -> str:
    """A record as a line."""
    return msgspec.json.encode(value).decode() + "\n"


# == formats/link_write.py: Writing entity links: JSON lines, folders of brat, tables of


HEADER = ("TOKEN", TAG_COLUMN, LINK_COLUMN, "MISC")
_SENTENCE_END = "EndOfSentence"
_UNPRINTED = re.compile(r"[\t\r\n\0]")


@dataclass(frozen=True)
class LinkDocument:
    """A document with its links."""

    name: str
    text: str
    tokens: list[str]
    """The atoms: tokens, or characters."""
    start: list[int]
    end: list[int]
    """Where atoms begin and end in the text."""
    ends: list[int]
    """Behind which atoms sentences end."""
    spans: list[Span]
    links: list[tuple[str, ...]]
    """The identifiers of each span."""


def documents(annotation: Annotation, numbers: Iterator[int]) -> Iterator[LinkDocument]:
    """The documents of a batch; `numbers` are the names of those that have none."""
    corpus, spans = annotation.corpus, annotation.spans(LINKS)
    written = dict(to_write(annotation, LINKS))
    names = names_of(corpus)
    links = _by_sentence(annotation)
    last = np.append(corpus.documents[1:], corpus.sentences).tolist()
    for number, (first, behind) in enumerate(zip(corpus.documents.tolist(), last, strict=True)):
        numbered = str(next(numbers))
        sentences = range(first, behind)
        found = [span for sentence in sentences for span in _moved(written[sentence], corpus, first, sentence)]
        text, tokens, start, end, ends = _joined(corpus, sentences)
        own = [link for sentence in sentences for link in links[sentence]]
        yield LinkDocument(names[number] or numbered, text, tokens, start, end, ends, found, own)
    assert len(spans) == sum(map(len, links.values()))


def _by_sentence(annotation: Annotation) -> dict[int, list[tuple[str, ...]]]:
    spans = annotation.spans(LINKS)
    found: dict[int, list[tuple[str, ...]]] = {sentence: [] for sentence in range(annotation.corpus.sentences)}
    for scope, link in zip(spans.scope.tolist(), links_of(spans), strict=True):
        found[scope].append(() if link is None else link.candidates)
    return found


def _moved(spans: list[Span], corpus: Corpus, first: int, sentence: int) -> Iterator[Span]:
    """Spans of a sentence, counted from the first token of their document."""
    by = 0 if corpus.bounds is None else int(corpus.bounds[sentence] - corpus.bounds[first])
    for span in spans:
        parts = None if span.parts is None else [(begin + by, behind + by) for begin, behind in span.parts]
        yield Span(span.start + by, span.end + by, span.label, parts, span.level)


def _joined(corpus: Corpus, sentences: range) -> tuple[str, list[str], list[int], list[int], list[int]]:
    """The text of some sentences with blanks between, their atoms, where these are, and where sentences end."""
    texts, tokens, starts, ends, breaks, before = [], list[str](), list[int](), list[int](), list[int](), 0
    for sentence in sentences if corpus.tokens is not None and corpus.bounds is not None else ():
        text, start, end = edges(corpus, sentence)
        tokens += [text[begin:behind] for begin, behind in zip(start, end, strict=True)]
        starts += [before + at for at in start]
        ends += [before + at for at in end]
        texts.append(text)
        before += len(text) + 1
        breaks.append(len(tokens))
    return " ".join(texts), tokens, starts, ends, breaks


def write_jsonl(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A document a line. Offsets are code points in the text, or positions of tokens."""
    numbers = count(1)
    for batch in batches:
        has_text = batch.corpus.atoms == "characters"
        for document in documents(batch, numbers):
            spans = with_offsets(document.spans, document.start, document.end) if has_text else document.spans
            written = [
                {"start": span.start, "end": span.end, "label": span.label}
                | ({"links": list(links)} if links else {})
                | ({"parts": span.parts} if span.parts else {})
                for span, links in zip(spans, document.links, strict=True)
            ]
            record = {"id": document.name, **({"text": document.text} if has_text else {"tokens": document.tokens})}
            yield msgspec.json.encode(record | {"spans": written}).decode() + "\n"


def write_brat(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each document, by its name or number."""
    numbers, names = count(1), FileNames("document {:05}")
    for batch in batches:
        for document in documents(batch, numbers):
            name = names.of(document.name)
            refuse_odd(document.text, f"document {document.name}")
            yield f"{name}.txt", document.text
            yield f"{name}.ann", "".join(_brat_lines(document))


def _brat_lines(document: LinkDocument) -> Iterator[str]:
    spans = with_offsets(document.spans, document.start, document.end)
    numbers = count(1)
    for row, (span, links) in enumerate(zip(spans, document.links, strict=True), 1):
        quoted = text_bound(span, document.text)
        yield f"T{row}\t{quoted}\n"
        for link in links:
            yield f"N{next(numbers)}\tReference T{row} {_plain(link)}\t{quoted.partition(chr(9))[2]}\n"


def write_neleval(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A link a line; the scores of candidates are the inverses of their ranks."""
    numbers = count(1)
    for batch in batches:
        has_text = batch.corpus.tokens is not None and batch.corpus.bounds is not None
        for document in documents(batch, numbers):
            conversion.lose(
                sum(not links for links in document.links), "spans without links, which neleval takes for NIL"
            )
            spans = with_offsets(document.spans, document.start, document.end) if has_text else document.spans
            for span, links in zip(spans, document.links, strict=True):
                label = "" if span.label == NO_TYPE else _plain(span.label)
                cells = [f"{_plain(link)}\t{1 / rank:.6g}\t{label}" for rank, link in enumerate(links, 1)]
                if cells:
                    yield (
                        "\t".join([_plain(document.name), str(span.start), str(span.end - 1), *cells]).rstrip("\t")
                        + "\n"
                    )


def write_hipe(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A token a line: the token, its tag, the identifiers of its span, and where sentences end."""
    yield "\t".join(HEADER) + "\n"
    numbers = count(1)
    for batch in batches:
        for document in documents(batch, numbers):
            _lose_in_hipe(document, conversion)
            yield f"# hipe2022:document_id = {_plain(document.name)}\n"
            tags, links = ["O"] * len(document.tokens), ["_"] * len(document.tokens)
            for span, names in zip(document.spans, document.links, strict=True):
                size = span.end - span.start
                if span.label != NO_TYPE or size > 1 or not names:
                    tags[span.start : span.end] = [f"B-{span.label}", *[f"I-{span.label}"] * (size - 1)]
                links[span.start : span.end] = ["|".join(names) or "_"] * size
            ends = {end - 1 for end in document.ends} if len(document.ends) > 1 else set[int]()
            for at, cells in enumerate(zip(document.tokens, tags, links, strict=True)):
                yield "\t".join([*map(_plain, cells), _SENTENCE_END if at in ends else "_"]) + "\n"


def _lose_in_hipe(document: LinkDocument, conversion: Conversion) -> None:
    """Count what a reader of HIPE would not take as it stands."""
    skipped = sum(not token.strip() or token.startswith("#") for token in document.tokens)
    conversion.lose(skipped, "tokens beginning with #, which would be skipped there")
    names = [*(span.label for span in document.spans), *(name for names in document.links for name in names)]
    conversion.lose(sum(name != name.upper() for name in names), "names with small letters, of labels or identifiers")
    odd = next((name for names in document.links for name in names if "|" in name or name in NOTHING), None)
    if odd is not None:
        raise SettingError(f"The identifier {odd!r} cannot be written for hipe; convert to another format.")


def _plain(text: str) -> str:
    """A text that can stand in a cell."""
    if _UNPRINTED.search(text):
        raise SettingError(f"{text!r} has a tab or a line end, which a table cannot hold; convert to JSON lines.")
    return text
