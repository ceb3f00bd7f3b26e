"""Entity links: tables of neleval, JSON lines (Evenhand's own and ELEVANT's), and the writers of all link formats.

neleval has one link per line: document, start and end, and identifier, score and type of each candidate:

    doc⇥0⇥4⇥Q90⇥0.9⇥LOC⇥Q167646⇥0.1⇥LOC

Offsets count from 0, and the end is the last character. Candidates are ranked by score; equal scores keep their order.
The first candidate gives the type. A single candidate may lack its score and type. A line without candidates is
NIL, as in neleval. The lines of a document may be anywhere in the file, which does not contain the text.

Evenhand's own lines have a text or tokens, and spans with `links`, the best identifier first. ELEVANT's have an article
per line with `labels` (gold standard) or `entity_mentions` (system).
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
from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Link, code_links, links_of
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.brat import check_text, note_lines, text_bound
from evenhand.formats.hipe import LINK_COLUMN, NELEVAL, NOTHING, SENTENCE_END, TAG_COLUMN
from evenhand.formats.parsing.confidences import ScoreFields, may_have_scores, scores_in
from evenhand.formats.parsing.json_records import PROBLEM, KindCheck, decoded_lines, read_known
from evenhand.formats.parsing.json_spans import (
    JsonSpan,
    Offset,
    edges,
    to_write,
    with_offsets,
)
from evenhand.formats.paths import FileNames
from evenhand.formats.source import Source
from evenhand.settings import LINKS, NIL, NO_TYPE, Columns, Offsets, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion


# Tables of neleval


_NUMBER = re.compile(r"[0-9]{1,15}")
_REMEDY = "write document, start, last character, and identifier, score and type of candidates, with tabs between"
Row = tuple[int, str, int, int, str, Link]
"""Line, document, start, exclusive end, label and link."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The table as one batch, because the lines of a document may be anywhere."""
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
    document, *bounds = cells[:3]
    if len(cells) < 3 or not document or not all(_NUMBER.fullmatch(cell) for cell in bounds):
        return f"{' '.join(cells)[:80]!r} has no document with start and end"
    start, last = map(int, bounds)
    if last < start:
        return f"the link from {start} to {last} ends before it begins"
    candidates = cells[3:]
    if len(candidates) > 2 and len(candidates) % 3:
        return f"expected three cells per candidate, got {len(candidates)} after the end"
    triples = [candidates[at : at + 3] for at in range(0, len(candidates), 3)]
    try:
        ranked = sorted(triples, key=lambda cell: -float(cell[1]) if len(cell) > 1 and cell[1] else 0.0)
    except ValueError:
        return f"found a score that is not a number in {' '.join(candidates)[:80]!r}"
    if not all(cell[0].strip() for cell in ranked):
        return "a candidate has no identifier"
    label = ranked[0][2].strip() if ranked and len(ranked[0]) > 2 else ""
    names = tuple(cell[0].strip() for cell in ranked) or (NIL,)
    return number, document, start, last + 1, label or NO_TYPE, Link(names)


# JSON lines


_BLOCKS = 8
"""Blocks are larger than in other formats by this factor, because records are long."""
_TEXT, _TOKENS, _NEITHER = "a text", "tokens", "neither text nor tokens"
_MENTIONS = "entity_mentions"


class LinkedSpan(JsonSpan, gc=False, omit_defaults=True):
    """A span with its identifiers, the best one first."""

    label: str = NO_TYPE
    links: Sequence[str] = ()
    text: str | None = None
    """Its quote."""


class LinkRecord(msgspec.Struct, gc=False):
    """One line. Other keys are ignored."""

    spans: list[LinkedSpan]
    text: str | None = None
    tokens: list[str] | None = None
    id: str | int | None = None


class _Label(msgspec.Struct, gc=False):
    span: tuple[Offset, Offset]
    entity_id: str | None = None


class _Candidate(msgspec.Struct, gc=False):
    entity_id: str | None = None
    id: str | None = None


class _Mention(msgspec.Struct, gc=False):
    span: tuple[Offset, Offset]
    id: str | None = None
    candidates: list[str | _Candidate | None] | None = None


class _Article(msgspec.Struct, gc=False):
    id: str | int | None = None
    text: str | None = None
    labels: list[_Label] | None = None
    entity_mentions: list[_Mention] | None = None


_DECODER, _ELEVANT_DECODER = msgspec.json.Decoder(LinkRecord), msgspec.json.Decoder(_Article)


def read_json_links(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Evenhand's own lines, in batches of whole documents."""
    scores = ScoreFields.of(settings)

    def decode(line: bytes) -> LinkRecord:
        record = _DECODER.decode(line)
        has_scores = may_have_scores(line, scores)
        for span, score in zip(
            record.spans, scores_in(line, "spans", "span", scores) if has_scores else (), strict=False
        ):
            span.score = score
        return record

    return _batches(ReadInfo("jsonl"), decode, source, settings, vocabulary)


def read_elevant(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Lines of ELEVANT, in batches of whole documents."""
    layer = _layer(source, settings)
    info = ReadInfo("elevant", column=layer if layer == _MENTIONS else None)
    return _batches(info, lambda line: _record(_ELEVANT_DECODER.decode(line), layer), source, settings, vocabulary)


def _layer(source: Source, settings: ReadSettings) -> str | None:
    """The layer of articles to read: the labels of a gold standard, the mentions of a system; None for either."""
    if settings.side != "system":
        return "labels" if settings.side == "gold" else None
    if not source.is_here:  # a stream cannot be read twice
        return _MENTIONS
    for block in source.whole.blocks(1 << 20, cut_after="line"):
        if f'"{_MENTIONS}"'.encode() in block.data[: block.size]:
            return _MENTIONS
    finding = "no article has entity_mentions, so this is not the output of a system"
    raise source.error(None, finding, "use the file with the mentions that the system found")


def _record(article: _Article, layer: str | None) -> LinkRecord:
    mentions, labels = article.entity_mentions, article.labels
    if layer == _MENTIONS or (mentions is not None and (layer is None or labels is None)):
        spans = [LinkedSpan(*mention.span, links=list(_links(mention))) for mention in mentions or ()]
    elif labels is not None:
        spans = [LinkedSpan(*label.span, links=[_identifier(label.entity_id)]) for label in labels]
    else:
        raise msgspec.ValidationError("Object missing required field `labels`")
    return LinkRecord(spans, article.text, None, article.id)


def _links(mention: _Mention) -> Iterator[str]:
    """The identifier of a mention, then its other candidates in their order."""
    yield _identifier(mention.id)
    for candidate in mention.candidates or ():
        name = (candidate.entity_id or candidate.id) if isinstance(candidate, _Candidate) else candidate
        if name is not None and name != mention.id:
            yield _identifier(name)


def _identifier(name: str | None) -> str:
    return name if name is not None and name.startswith("Q") else NIL


def _batches(
    info: ReadInfo,
    decode: Callable[[bytes], LinkRecord],
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
) -> Iterator[Annotation]:
    kinds = KindCheck(source)
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        lines, records = list[int](), list[LinkRecord]()
        for number, record in decoded_lines(source, block, decode):
            kind = _TEXT if record.text is not None else _TOKENS if record.tokens is not None else _NEITHER
            kinds.check(number, kind)
            lines.append(number)
            records.append(record)
        if records:
            corpus, spans = _read_batch(source, records, ints(lines), settings.unit, vocabulary)
            yield Annotation(corpus, {LINKS: spans}, {LINKS: info}, source.name)


def _read_batch(
    source: Source, records: list[LinkRecord], lines: Ints, unit: Offsets, vocabulary: Vocabulary
) -> tuple[Corpus, Spans]:
    """The text and the spans of some records with their lines."""
    words = [record.tokens if record.text is None else record.text for record in records]
    lists = [record.spans for record in records]
    corpus, _, spans = read_known(source, lines, words, lists, unit, vocabulary)
    ids = ["" if record.id is None else str(record.id) for record in records]
    corpus = replace(corpus, ids=Tokens.of(ids) if any(ids) else None, names=tuple(ids) if all(ids) else ())
    for line, listed in zip(lines.tolist(), lists, strict=True):
        if any("" in span.links for span in listed):
            source.report(line, "a span has an empty identifier", "fill it in, or remove it", PROBLEM)
    links = [Link(tuple(span.links)) for span in chain.from_iterable(lists)]
    extra = code_links(links, vocabulary) if len(spans) == len(links) else ints([0] * len(spans))
    return corpus, replace(spans, extra=extra)


# Documents to write


HEADER = ("TOKEN", TAG_COLUMN, LINK_COLUMN, "MISC")
_UNPRINTABLE = re.compile(r"[\t\r\n\0]")


@dataclass(frozen=True)
class LinkDocument:
    """A document with its links. Spans count positions: tokens, or characters."""

    name: str
    text: str
    positions: list[str]
    """The tokens, or the characters."""
    start: list[int]
    end: list[int]
    """The offsets of positions in the text."""
    sentence_ends: list[int]
    spans: list[JsonSpan]
    links: list[tuple[str, ...]]
    """The identifiers of each span."""

    @property
    def text_spans(self) -> list[JsonSpan]:
        """The spans with offsets into the text."""
        return with_offsets(self.spans, self.start, self.end)


def documents(batches: Iterator[Annotation]) -> Iterator[tuple[Annotation, LinkDocument]]:
    """The documents of batches; those without a name are called by their number."""
    numbers = count(1)
    for batch in batches:
        corpus = batch.corpus
        spans, names, layer = dict(to_write(batch, LINKS)), names_of(corpus), batch.spans(LINKS)
        links: list[list[tuple[str, ...]]] = [[] for _ in range(corpus.sentences)]
        for sentence, link in zip(layer.scope.tolist(), links_of(layer), strict=True):
            links[sentence].append(() if link is None else link.candidates)
        bounds = np.append(corpus.documents, corpus.sentences).tolist()
        for number, first in enumerate(bounds[:-1]):
            numbered = str(next(numbers))
            sentences = range(first, bounds[number + 1])
            moved = [span for sentence in sentences for span in _moved(spans[sentence], corpus, first, sentence)]
            identifiers = [link for sentence in sentences for link in links[sentence]]
            yield batch, LinkDocument(names[number] or numbered, *_joined(corpus, sentences), moved, identifiers)


def _moved(spans: list[JsonSpan], corpus: Corpus, first: int, sentence: int) -> Iterator[JsonSpan]:
    """The spans of a sentence, counted from the first sentence of their document."""
    by = 0 if corpus.bounds is None else int(corpus.bounds[sentence] - corpus.bounds[first])
    for span in spans:
        parts = None if span.parts is None else [(start + by, end + by) for start, end in span.parts]
        yield JsonSpan(span.start + by, span.end + by, span.label, parts, span.level, span.score)


def _joined(corpus: Corpus, sentences: range) -> tuple[str, list[str], list[int], list[int], list[int]]:
    """The text of some sentences, joined by blanks, its positions, their offsets, and the ends of sentences."""
    texts, tokens, starts, ends, breaks, before = [], list[str](), list[int](), list[int](), list[int](), 0
    for sentence in sentences if corpus.tokens is not None and corpus.bounds is not None else ():
        text, first, last = edges(corpus, sentence)
        tokens += [text[start:end] for start, end in zip(first, last, strict=True)]
        starts += [before + at for at in first]
        ends += [before + at for at in last]
        texts.append(text)
        before += len(text) + 1
        breaks.append(len(tokens))
    return " ".join(texts), tokens, starts, ends, breaks


def link_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, Any]]:
    """JSON records: one per document. Offsets are code points in the text, or token positions."""
    for batch, document in documents(batches):
        has_text = batch.corpus.atoms == "characters"
        spans = [
            {"start": span.start, "end": span.end, "label": span.label}
            | ({"links": list(links)} if links else {})
            | ({"parts": span.parts} if span.parts else {})
            | ({} if span.score is None else {"score": span.score})
            for span, links in zip(document.text_spans if has_text else document.spans, document.links, strict=True)
        ]
        words = {"text": document.text} if has_text else {"tokens": document.positions}
        yield {"id": document.name, **words, "spans": spans}


def write_brat(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each document, by its name or number."""
    names = FileNames("document {:05}")
    for _, document in documents(batches):
        name = names.of(document.name)
        check_text(document.text, f"document {document.name}")
        yield f"{name}.txt", document.text
        yield f"{name}.ann", "".join(_brat_lines(document))


def _brat_lines(document: LinkDocument) -> Iterator[str]:
    numbers = count(1)
    for row, (span, links) in enumerate(zip(document.text_spans, document.links, strict=True), 1):
        line = text_bound(span, document.text)
        yield f"T{row}\t{line}\n"
        yield from note_lines([(f"T{row}", span.score)] if span.score is not None else [])
        for link in links:
            yield f"N{next(numbers)}\tReference T{row} {_cell(link)}\t{line.partition(chr(9))[2]}\n"


def write_neleval(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """One link per line; the scores of candidates are the inverses of their ranks."""
    for batch, document in documents(batches):
        has_text = batch.corpus.tokens is not None and batch.corpus.bounds is not None
        unlinked = sum(not links for links in document.links)
        conversion.lose(unlinked, "spans without links, which neleval treats as NIL")
        for span, links in zip(document.text_spans if has_text else document.spans, document.links, strict=True):
            label = "" if span.label == NO_TYPE else _cell(span.label)
            cells = [f"{_cell(link)}\t{1 / rank:.6g}\t{label}" for rank, link in enumerate(links, 1)]
            if cells:
                row = [_cell(document.name), str(span.start), str(span.end - 1), *cells]
                yield "\t".join(row).rstrip("\t") + "\n"


def write_hipe(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """One token per line: the token, its tag, the identifiers of its span, and the ends of sentences."""
    yield "\t".join(HEADER) + "\n"
    for _, document in documents(batches):
        _count_losses_in_hipe(document, conversion)
        yield f"# hipe2022:document_id = {_cell(document.name)}\n"
        tags, links = ["O"] * len(document.positions), ["_"] * len(document.positions)
        for span, names in zip(document.spans, document.links, strict=True):
            size = span.end - span.start
            if span.label != NO_TYPE or size > 1 or not names:
                tags[span.start : span.end] = [f"B-{span.label}", *[f"I-{span.label}"] * (size - 1)]
            links[span.start : span.end] = ["|".join(names) or "_"] * size
        ends = {end - 1 for end in document.sentence_ends} if len(document.sentence_ends) > 1 else set[int]()
        for at, cells in enumerate(zip(document.positions, tags, links, strict=True)):
            yield "\t".join([*map(_cell, cells), SENTENCE_END if at in ends else "_"]) + "\n"


def _count_losses_in_hipe(document: LinkDocument, conversion: Conversion) -> None:
    """Count what a reader of HIPE would not read unchanged."""
    skipped = sum(not token.strip() or token.startswith("#") for token in document.positions)
    conversion.lose(skipped, "tokens beginning with #, which would be skipped there")
    names = [*(span.label for span in document.spans), *chain.from_iterable(document.links)]
    conversion.lose(sum(name != name.upper() for name in names), "names with small letters, of labels or identifiers")
    odd = next((name for name in chain.from_iterable(document.links) if "|" in name or name in NOTHING), None)
    if odd is not None:
        raise SettingError(f"The identifier {odd!r} cannot be written to hipe; convert to another format.")


def _cell(text: str) -> str:
    """A text that fits into a cell; an error if it does not."""
    if _UNPRINTABLE.search(text):
        raise SettingError(f"{text!r} has a tab or a line end, which a table cannot contain; convert to JSON lines.")
    return text
