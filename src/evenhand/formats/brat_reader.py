"""Read brat documents: the lines of `.ann` files as columns, spans in their texts, relations, and links.

The cells of all text-bound lines are cut at once, unless one of them is odd: a label has a semicolon, or something is
wrong. Then lines are parsed one by one. Spans of a document count the characters of its text that are not spaces.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, empty, ints, ranges, windows, zeros
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Link, ListedParts, Relations, code_links
from evenhand.data.tokens import PADDING, Tokens, equal
from evenhand.data.vocabulary import StringCoder, StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError
from evenhand.formats.brat import FORMAT, IDENTIFIER, TEXT_BOUND
from evenhand.formats.parsing.cells import leading_numbers, numbers, trimmed
from evenhand.formats.parsing.confidences import MISSING, ScoreError, ScoreFields, score_column
from evenhand.formats.parsing.json_spans import JsonSpan, on_texts, slices
from evenhand.formats.source import COMPRESSIONS, Source, whole_data
from evenhand.formats.storage import Address
from evenhand.settings import LINKS, RELATIONS, Columns, Offsets, ReadSettings

LINES = "lines"
"""The value of `sentences` with which every line that is not blank is a sentence."""
_MAX_TOGETHER = 1 << 18
"""The number of bytes that are read together."""


# Documents


@dataclass(frozen=True)
class _Files:
    """The contents of the two files of a document; `source` is the one that a user named."""

    source: Source
    annotations: Source
    text_source: Source
    lines: bytes
    text: bytes

    @staticmethod
    def of(source: Source) -> _Files:
        if source.plain_path.suffix == ".txt":
            annotations, text = _beside(source, ".ann", "annotations"), source
        else:
            annotations, text = source, _beside(source, ".txt", "text")
        return _Files(source, annotations, text, whole_data(annotations), whole_data(text))


def _beside(source: Source, suffix: str, what: str) -> Source:
    """The other file of a document, possibly compressed."""
    plain = source.plain_path.with_suffix(suffix)
    for ending in ("", *COMPRESSIONS):
        path = plain.with_name(plain.name + ending) if ending else plain
        alias = None if source.alias is None else os.path.join(os.path.dirname(source.alias), path.name)
        other = Source(path, alias=alias)
        if other.is_here or (isinstance(path, Address) and path.is_file()):
            return other
    finding = f"the {what} {plain.name} is not in the same folder"
    raise source.error(None, finding, "put DOC.ann and DOC.txt into the same folder")


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The document as one batch, with one sentence, or one per line.

    `source` is its .ann or its .txt, and the other one is next to it.
    """
    yield _annotation(_Files.of(source), settings, vocabulary)


def read_many(
    sources: Sequence[Source], settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents of several files, each as `read` gives it."""
    waiting: list[_Files] = []
    size = 0
    for source in sources:
        try:
            files = _Files.of(source)
        except EvenhandError:  # which is reported when the files before it have been read
            yield from _annotations(waiting, settings, vocabulary)
            raise
        waiting.append(files)
        size += len(files.lines) + len(files.text)
        if size > _MAX_TOGETHER:
            yield from _annotations(waiting, settings, vocabulary)
            waiting, size = [], 0
    yield from _annotations(waiting, settings, vocabulary)


def _annotations(files: Sequence[_Files], settings: ReadSettings, vocabulary: Vocabulary) -> Iterator[Annotation]:
    options = settings.parameters
    is_odd = options.get("quotes") == "note" or options.get("newlines") == "one" or options.get("sentences") == LINES
    is_odd = is_odd or any(_has_scores(document.lines) for document in files)
    is_plain = settings.task not in (RELATIONS, LINKS) and settings.unit == "codepoints" and not is_odd
    if len(files) > 1 and is_plain:
        try:
            yield from _read_together(files, vocabulary)
            return
        except EvenhandError:  # in one of the files; the error below has its file and line
            pass
    for document in files:
        yield _annotation(document, settings, vocabulary)


def _annotation(files: _Files, settings: ReadSettings, vocabulary: Vocabulary) -> Annotation:
    annotations, task, options = files.annotations, settings.task, settings.parameters
    kinds = ("R", "*", "E") if task == RELATIONS else ("N",) if task == LINKS else ()
    is_lenient = options.get("quotes") == "note"
    lines = standoff(annotations, files.lines, kinds, takes_empty=is_lenient)
    text = files.text.replace(b"\r\n", b"\n") if options.get("newlines") == "one" else files.text
    placed = PlacedSpans.of(lines.spans, [text], zeros(len(lines.spans)), settings.unit)
    misquoted = placed.misquoted()
    if misquoted and files.text_source.head.data.startswith(BOM_UTF8):
        placed = placed.without_mark()
        misquoted = placed.misquoted()
    if misquoted and not is_lenient:
        raise placed.misquoted_error(annotations, misquoted[0])
    start, end, shape = _positions(partial(placed.fault, annotations), placed, vocabulary)
    label = lines.spans.names.into(vocabulary.labels)[lines.spans.label]
    # The lines of the text are left out: messages name the file that the user named, which is usually the .ann.
    corpus, begins = replace(placed.texts.corpus(files.source.display_name), is_file=True), ints([0])
    if options.get("sentences") == LINES:
        begins, corpus = _split_lines(placed.text, placed.texts, corpus, settings.unit)
    assert corpus.bounds is not None
    scope = np.maximum(np.searchsorted(corpus.bounds[:-1], start, side="right") - 1, 0)
    for row in np.flatnonzero(end > corpus.bounds[scope + 1])[:1].tolist() if len(scope) else ():
        finding = f"the span at {placed.spans.offsets(row)} extends past the end of its line"
        remedy = "fix its offsets, or remove --sentences lines"
        raise annotations.error(int(placed.spans.line[row]), finding, remedy)
    spans = Spans.of(vocabulary, scope, start, end, label, shape=shape).in_scopes(scope, corpus.bounds)
    scores = _scores(annotations, files.lines, ScoreFields.of(settings)) if _has_scores(files.lines) else {}
    if scores:
        spans = replace(spans, score=score_column([scores.get(name, MISSING) for name in lines.spans.identifiers]))
    layers: dict[str, Layer] = {"spans": spans}
    if task == RELATIONS:
        listed, begin = placed.spans, begins[scope] if len(begins) else empty()
        parts = ListedParts.of(placed.text, listed.first, listed.start, listed.end, begin)
        layers = {RELATIONS: _relations(annotations, lines, vocabulary, parts, scores), **layers}
    elif task == LINKS:
        layers = {LINKS: _linked(annotations, lines, spans)}
        corpus = replace(corpus, names=(files.source.name,), unnamed=True)
    kept = {"wrong quotations": len(misquoted)} if misquoted else {}
    skipped = dict(lines.skipped)
    if scores:
        skipped[OTHER_KINDS["#"]] -= len(scores)
    info = ReadInfo(FORMAT.name, skipped=skipped, kept=kept)
    return Annotation(corpus, layers, dict.fromkeys(layers, info), files.source.name)


def _read_together(files: Sequence[_Files], vocabulary: Vocabulary) -> list[Annotation]:
    """Documents without problems; otherwise an error, whose location is not in a file.

    Each text is one sentence; its spans must quote it and count code points.
    """
    lines = standoff(files[0].annotations, b"\n".join(document.lines for document in files))
    sizes = [document.lines.count(b"\n") + 1 for document in files]
    text_of = np.searchsorted(np.cumsum(sizes), lines.spans.line - 1, side="right")
    placed = PlacedSpans.of(lines.spans, [document.text for document in files], text_of)

    def fault(row: int) -> Exception:
        return files[0].source.error(None, "a span does not fit its text", "read one file after the other")

    if placed.is_outside.any() or placed.misquoted():
        raise fault(0)
    start, end, shape = _positions(fault, placed, vocabulary)
    label = lines.spans.names.into(vocabulary.labels)[lines.spans.label]
    spans = Spans.of(vocabulary, zeros(len(lines.spans)), start, end, label, shape=shape)
    rows = np.searchsorted(text_of, np.arange(len(files) + 1)).tolist()
    corpora = placed.texts.corpora([document.source.display_name for document in files])
    infos = [{"spans": ReadInfo(FORMAT.name, skipped=skipped)} for skipped in lines.skipped_in(sizes)]
    return [
        Annotation(corpus, {"spans": spans.take(slice(*bounds))}, info, document.source.name)
        for document, corpus, bounds, info in zip(files, corpora, pairwise(rows), infos, strict=True)
    ]


def _positions(
    fault: Callable[[int], Exception], placed: PlacedSpans, vocabulary: Vocabulary
) -> tuple[Ints, Ints, Ints]:
    """The start, end and shape of each span in positions; parts that cover only spaces do not count.

    `fault` explains the problem of the span in a row that is not in its text.
    """
    size, span_of = len(placed.spans), placed.span_of
    begin, end = (placed.texts.atoms_before(placed.text_of, offset) for offset in (placed.begin, placed.end))
    kept = np.flatnonzero((begin >= 0) & (end > begin))
    order = kept[by_start(span_of[kept], begin[kept])]
    begin, end, span_of_part = begin[order], end[order], span_of[order]
    parts = np.bincount(span_of_part, minlength=size)
    outside = np.bincount(span_of, placed.is_outside, minlength=size)
    for row in np.flatnonzero((parts == 0) | (outside > 0)).tolist():
        raise fault(row)
    first = np.cumsum(parts) - parts
    start, stop = (begin[first], end[first + parts - 1]) if size else (empty(), empty())
    return start, stop, _shapes(vocabulary, span_of_part, begin, end, start)


def _shapes(vocabulary: Vocabulary, span_of: Ints, begin: Ints, end: Ints, start: Ints) -> Ints:
    """The codes of the gaps between parts, which are sorted by span and start."""
    shapes = np.zeros(len(start), dtype=np.int64)
    gap = np.flatnonzero((span_of[1:] == span_of[:-1]) & (begin[1:] > end[:-1]))
    size = begin[gap + 1] - end[gap]
    left_out = (ranges(end[gap], size) - np.repeat(start[span_of[gap]], size)).tolist()
    count = np.bincount(span_of[gap], size, minlength=len(start)).astype(np.int64)
    rows = np.flatnonzero(count)
    for row, bounds in zip(rows.tolist(), pairwise(np.append(0, np.cumsum(count[rows])).tolist()), strict=True):
        shapes[row] = vocabulary.shapes.code(tuple(left_out[slice(*bounds)]))
    return shapes


def _split_lines(text: str, texts: Texts, corpus: Corpus, offsets: Offsets) -> tuple[Ints, Corpus]:
    """The start of each line that is not blank, in characters, and the corpus with one sentence per line."""
    lines = text.split("\n")
    kept = np.flatnonzero([not line.isspace() and line != "" for line in lines])

    def starts(sizes: Iterable[int]) -> Ints:
        return np.append(0, np.cumsum(ints(list(sizes)) + 1))[kept]

    begins = starts(map(len, lines))
    raw = begins if text.isascii() else starts(len(line.encode()) for line in lines)
    in_units = begins if offsets == "codepoints" else starts(len(line.encode("utf-16-le")) // 2 for line in lines)
    bounds = np.append(texts.positions(np.zeros_like(in_units), in_units), texts.bounds[-1])
    raw = np.append(raw, texts.raw[-1])
    return begins, replace(corpus, sentences=len(begins), bounds=bounds, raw=raw, texts=texts.raw, documents=ints([0]))


# Spans in their texts


@dataclass(frozen=True)
class PlacedSpans:
    """Spans with the byte offsets of their parts in texts."""

    spans: TextBounds
    texts: Texts
    data: bytes
    """All texts, concatenated."""
    offsets: Offsets
    text_of: Ints
    span_of: Ints
    begin: Ints
    """The start of each part, in bytes; -1 if it is not in its text."""
    end: Ints

    @staticmethod
    def of(spans: TextBounds, texts: Sequence[bytes], text_of: Ints, offsets: Offsets = "codepoints") -> PlacedSpans:
        """`text_of` has the text of each span."""
        data = b"".join([*texts, PADDING])
        end = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        return _place(spans, Texts.within(data, np.append(0, end[:-1]), end, offsets), data, offsets, text_of)

    @cached_property
    def text(self) -> str:
        return self.data[: -len(PADDING)].decode()

    @cached_property
    def is_outside(self) -> Bools:
        """Which parts are not in their texts."""
        return np.minimum(self.begin, self.end) < 0

    def misquoted(self) -> list[int]:
        """The rows of spans that quote something else than the text has there."""
        return [row for row in np.flatnonzero(~self._are_literal()).tolist() if not self._quotes(row, self._held(row))]

    def _are_literal(self) -> Bools:
        """Which spans quote their parts literally, with blanks between them; most do."""
        quoted, first = self.spans.quoted, self.spans.first
        size = np.where(self.is_outside, -1, self.end - self.begin)
        before = np.append(0, np.cumsum(size + 1))
        begin = before[first[:-1]]
        literal: Bools = before[first[1:]] - begin - 1 == quoted.lengths
        literal[self.span_of[size < 0]] = False
        # In spans as long as their quotations, each part corresponds to a slice of the quotation.
        parts = np.flatnonzero(literal[self.span_of])
        span = self.span_of[parts]
        start = quoted.start[span] + before[parts] - begin[span]
        held = Tokens(self.data, self.begin[parts], self.end[parts])
        differs = ~equal(held, Tokens(quoted.data, start, start + size[parts]))
        if len(self.span_of) > len(self.spans):
            separator = np.frombuffer(quoted.data, dtype=np.uint8)[start - 1]
            differs |= (separator != ord(" ")) & (start > quoted.start[span])
        literal[span[differs]] = False
        return literal

    def _held(self, row: int) -> list[str]:
        parts = slice(*self.spans.first[row : row + 2].tolist())
        if self.is_outside[parts].any():
            return slices(self.text, self.spans.parts(row), self.offsets)
        bounds = zip(self.begin[parts].tolist(), self.end[parts].tolist(), strict=True)
        return [self.data[begin:end].decode() for begin, end in bounds]

    def _quotes(self, row: int, texts: Sequence[str]) -> bool:
        """Whether a span quotes these texts; spaces are not positions, so their kind does not matter."""
        return _joined(texts) == " ".join(self.spans.quoted[row].split())

    def without_mark(self) -> PlacedSpans:
        """The same with offsets that do not count the byte order mark before the text, if quotations fit only so."""
        moved = replace(self.spans, start=np.maximum(self.spans.start - 1, 0), end=self.spans.end - 1)
        placed = _place(moved, self.texts, self.data, self.offsets, self.text_of[moved.first[:-1]])
        return self if placed.misquoted() else placed

    def misquoted_error(self, source: Source, row: int) -> Exception:
        """The error for a span that quotes something else; the remedy is a way to read the text, if one fits."""
        held, spans, parts = _joined(self._held(row)), self.spans, self.spans.parts(row)
        finding = f"the text has {held!r} at {spans.offsets(row)}, but {spans.quoted[row]!r} is quoted"
        other: Offsets = "utf16" if self.offsets == "codepoints" else "codepoints"
        remedy = "fix the offsets, or check that this is the annotated text"
        if self._quotes(row, slices(self.text, parts, other)):
            remedy = f"use --offsets {other}, which fits"
        elif self._quotes(row, slices(self.text.replace("\r\n", "\n"), parts, self.offsets)):
            remedy = "save the text with LF instead of CRLF line ends, which fits"
        return source.error(int(spans.line[row]), finding, remedy)

    def fault(self, source: Source, row: int) -> Exception:
        """The error for a span that covers no positions, or is not in the text."""
        parts = self.spans.parts(row)
        span = JsonSpan(parts[0][0], parts[-1][1], self.spans.names[int(self.spans.label[row])])
        return source.error(int(self.spans.line[row]), *on_texts([self.text], self.offsets)[1].fault(0, span))


def _place(spans: TextBounds, texts: Texts, data: bytes, offsets: Offsets, text_of: Ints) -> PlacedSpans:
    span_of = np.repeat(np.arange(len(spans)), np.diff(spans.first))
    text_of_part = text_of[span_of]
    begin, end = (texts.bytes_before(text_of_part, offset) for offset in (spans.start, spans.end))
    return PlacedSpans(spans, texts, data, offsets, text_of_part, span_of, begin, end)


def _joined(texts: Sequence[str]) -> str:
    """The parts of a span, joined as brat does; runs of spaces and line breaks are one space."""
    return " ".join(" ".join(texts).split())


# Relations and links


_RELATION_LINES = re.compile(r"(?:R(?:[A-Za-z]*[0-9]\S*)?\t\S+ [^\s:]+:\S+ [^\s:]+:\S+[ \t]*(?:\n|$))*")
_EQUIVALENCE = re.compile(r"\*\S*\t(\S+)((?: \S+)+)\s*")
_EVENT = re.compile(r"(E\S*)\t([^\s:]+):(\S+)((?: [^\s:]+:\S+)*)\s*")
_LINK = re.compile(r"N\S*\t\S+ (\S+) ([^\t]*\S[^\t]*)(?:\t.*)?")
Row = tuple[int, str, str, str]
"""Line, type, and the identifiers of head and tail."""


_NOTE = re.compile(
    rb"^#[^\t\n]*\t\S+ (\S+)\t[ \t]*(?:[+-]?[0-9.]|nan|inf|.*?\bscore *[=:])", re.MULTILINE | re.IGNORECASE
)
_NOTED_SCORE = re.compile(r"^#\S*\t\S+ (\S+)\t[ \t]*(?:.*?\bscore *[=:] *(\S+?)[;,]?(?=\s|$)|(\S+)[ \t]*$)")
"""A note whose text is a number or contains a score, and what it is about."""


def _has_scores(lines: bytes) -> bool:
    """Whether notes may hold confidences."""
    return b"#" in lines and _NOTE.search(lines) is not None


def _scores(source: Source, content: bytes, fields: ScoreFields) -> dict[str, float]:
    """The confidences in notes, by the identifiers of spans and relations."""
    scores = dict[str, float]()
    for number, line in enumerate(content.decode().split("\n"), 1):
        match = _NOTED_SCORE.match(line.rstrip("\r")) if line.startswith("#") else None
        if match is None:
            continue
        text = match[2] or match[3]
        try:
            value: object = float(text)
        except ValueError:
            if match[2] is None:
                continue
            value = text
        try:
            scores[match[1]] = fields.value(value, match[1])
        except ScoreError as error:
            raise source.error(number, str(error), "") from None
    return scores


def _relations(
    source: Source, lines: Standoff, vocabulary: Vocabulary, parts: ListedParts, scores: Mapping[str, float]
) -> Relations:
    triggers, by_event = _events(source, zip(*lines.of_kind("E"), strict=True))
    equivalent = list(_equivalences(source, zip(*lines.of_kind("*"), strict=True)))
    columns, rows = _plain_relations(source, *lines.of_kind("R")), [*equivalent, *by_event]
    more = zip(*rows, strict=True) if rows else [()] * 4
    line, label, head, tail = ([*some, *others] for some, others in zip(columns, more, strict=True))
    row_of = _rows_by_identifier(source, lines, triggers) if line else {}
    codes = {name: vocabulary.labels.code(name) for name in dict.fromkeys(label)}
    order, code = np.argsort(ints(line), kind="stable"), ints([codes[name] for name in label])
    head_row, tail_row = (_arguments(source, line, names, row_of)[order] for names in (head, tail))
    symmetric = frozenset(row[1] for row in equivalent)
    score = None
    if scores:
        names = [text.partition("\t")[0] for text in lines.of_kind("R")[1]]
        known = [scores.get(name, MISSING) for name in names] + [MISSING] * len(rows)
        score = score_column(np.array(known)[order])
    return Relations(vocabulary, code[order], head_row, tail_row, symmetric, parts, score)


def _plain_relations(source: Source, line_numbers: list[int], lines: list[str]) -> tuple[Sequence[Any], ...]:
    text = "\n".join(lines)
    if lines and _RELATION_LINES.fullmatch(text) is None:
        numbered = zip(line_numbers, lines, strict=True)
        number, line = next(row for row in numbered if _RELATION_LINES.fullmatch(row[1]) is None)
        remedy = "write identifier, tab, type, Arg1:T1 and Arg2:T2 with spaces between"
        raise source.error(number, f"{line!r} is not a relation with a type and two arguments", remedy)
    if text.count(":") == 2 * len(lines):
        cells = text.replace(":", " ").split()
        return line_numbers, cells[1::6], cells[3::6], cells[5::6]
    cells = text.split()
    head, tail = ([argument.partition(":")[2] for argument in cells[at::4]] for at in (2, 3))
    return line_numbers, cells[1::4], head, tail


def _equivalences(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        match = _EQUIVALENCE.fullmatch(line)
        first, *others = match[2].split() if match else [""]
        if match is None or not others:
            remedy = "write *, tab, type and two or more identifiers with spaces between"
            raise source.error(number, f"{line!r} is not an equivalence of several spans", remedy)
        for other in others:
            yield number, match[1], first, other


def _events(source: Source, lines: Iterable[tuple[int, str]]) -> tuple[dict[str, tuple[int, str]], list[Row]]:
    """The line and the trigger of each event, and its arguments as relations."""
    triggers, rows = dict[str, tuple[int, str]](), list[Row]()
    for number, line in lines:
        match = _EVENT.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, TYPE:TRIGGER and ROLE:ARGUMENT with spaces between"
            raise source.error(number, f"{line!r} is not an event with a trigger", remedy)
        event, _, trigger, arguments = match.groups()
        triggers[event] = (number, trigger)
        for argument in arguments.split():
            role, _, other = argument.partition(":")
            rows.append((number, role.rstrip("0123456789") or role, trigger, other))
    return triggers, rows


def _rows_by_identifier(source: Source, lines: Standoff, triggers: dict[str, tuple[int, str]]) -> dict[str, int]:
    """The row of the span for each identifier of a span or an event."""
    spans, names = lines.spans, lines.spans.identifiers
    row_of = dict(zip(names, range(len(spans)), strict=True))
    if len(row_of) < len(spans):
        row = next(row for row, name in enumerate(names) if row_of[name] != row)
        again = int(spans.line[row_of[names[row]]])
        finding = f"the identifier {names[row]} is also used in line {spans.line[row]}"
        raise source.error(again, finding, "give every span its own identifier")
    for event, (number, trigger) in triggers.items():
        if trigger not in row_of:
            raise _undefined(source, number, trigger)
        row_of[event] = row_of[trigger]
    return row_of


def _arguments(source: Source, lines: Sequence[int], names: Sequence[str], row_of: dict[str, int]) -> Ints:
    rows = list(map(row_of.get, names))
    if None in rows:
        index = rows.index(None)
        raise _undefined(source, lines[index], names[index])
    return np.array(rows, dtype=np.int64)


def _undefined(source: Source, line: int, name: str, what: str = "argument") -> Exception:
    return source.error(line, f"no line defines {name}", f"add a line that starts with it, or fix the {what}")


def _linked(source: Source, lines: Standoff, spans: Spans) -> Spans:
    """The spans of a file with their links (`N1⇥Reference T1 Wikidata:Q42⇥text`)."""
    row_of = {identifier: row for row, identifier in enumerate(lines.spans.identifiers)}
    candidates: list[list[str]] = [[] for _ in range(len(spans))]
    for number, line in zip(*lines.of_kind("N"), strict=True):
        match = _LINK.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, Reference, span and identifier with spaces between, tab, text"
            raise source.error(number, f"{line!r} is not a link of a span to an identifier", remedy)
        row = row_of.get(match[1])
        if row is None:
            raise _undefined(source, number, match[1], "link")
        candidates[row].append(match[2].strip())
    links = [Link(tuple(names)) for names in candidates]
    return replace(spans, extra=code_links(links, spans.vocabulary))


# The lines of an .ann file


OTHER_KINDS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "normalizations",
    "*": "equivalences",
    "#": "notes",
}
"""The contents of lines without spans, by the first character of their identifiers; M is an older name for A."""


@dataclass(frozen=True)
class TextBounds:
    """The spans of a file, in its order."""

    line: Ints
    _identifier: Tokens
    names: StringIndex[str]
    """The labels."""
    label: Ints
    """Their codes."""
    quoted: Tokens
    first: Ints
    """The index of the first part of each span, and the number of parts."""
    start: Ints
    end: Ints
    """The parts, in the order of the file."""

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def identifiers(self) -> list[str]:
        return self._identifier.texts(0, len(self))

    def parts(self, row: int) -> list[tuple[int, int]]:
        low, high = self.first[row : row + 2].tolist()
        return list(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))

    def offsets(self, row: int) -> str:
        """The parts as in the file."""
        return ";".join(f"{start} {end}" for start, end in self.parts(row))


@dataclass(frozen=True)
class Standoff:
    """The contents of an `.ann` file."""

    spans: TextBounds
    unread: Mapping[str, Ints]
    """The lines that are not read, counted from 0, by their contents."""
    _lines: TextLines
    _kept: Mapping[str, Ints]
    """The lines without spans that are read, counted from 0, by their first characters."""

    @property
    def skipped(self) -> dict[str, int]:
        """The number of lines that are not read, by their contents."""
        return {name: len(rows) for name, rows in self.unread.items()}

    def skipped_in(self, sizes: Sequence[int]) -> list[dict[str, int]]:
        """The same for each of several files, which have these numbers of lines."""
        skipped: list[dict[str, int]] = [{} for _ in sizes]
        for name, rows in self.unread.items():
            files = np.searchsorted(np.cumsum(sizes), rows, side="right")
            for file, count in Counter(files.tolist()).items():
                skipped[file][name] = count
        return skipped

    def of_kind(self, kind: str) -> tuple[list[int], list[str]]:
        """The numbers and texts of the lines with this first character."""
        rows = self._kept[kind]
        return (rows + 1).tolist(), self._lines.texts(rows)


def standoff(source: Source, content: bytes, kinds: Collection[str] = (), *, takes_empty: bool = False) -> Standoff:
    """The lines of a file; `kinds` are the first characters of lines without spans that are read.

    With `takes_empty`, one of several parts may cover nothing.
    """
    lines = TextLines.of(content)
    rows = {kind: np.flatnonzero(lines.kind == ord(kind)) for kind in ("T", *OTHER_KINDS)}
    _check_identifiers(source, lines, checked_later=rows["R"] if "R" in kinds else empty())
    unread: dict[str, Ints] = {}
    for kind, name in OTHER_KINDS.items():
        if kind not in kinds and len(rows[kind]):
            unread[name] = np.append(unread[name], rows[kind]) if name in unread else rows[kind]
    spans = lines.text_bounds(rows["T"])
    if spans is None:
        spans = _parse_one_by_one(source, lines, rows["T"])
    _check_parts(source, spans, takes_empty=takes_empty)
    return Standoff(spans, unread, lines, {kind: rows[kind] for kind in kinds})


def _check_identifiers(source: Source, lines: TextLines, checked_later: Ints) -> None:
    """Refuse lines without an identifier, unless they are blank."""
    is_wrong = ~lines.are_identified
    is_wrong[checked_later] = False
    for row in np.flatnonzero(is_wrong).tolist():
        line = lines.text(row)
        if line.strip():
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(row + 1, f"{line!r} is not an annotation of brat", remedy)


def _parse_one_by_one(source: Source, lines: TextLines, rows: Ints) -> TextBounds:
    """The text-bound lines as columns; an error at the first line that is wrong."""
    identifiers, labels, parts, quotations = list[str](), list[str](), list[list[str]](), list[str]()
    for row in rows.tolist():
        line = lines.text(row)
        match = TEXT_BOUND.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
            raise source.error(row + 1, f"{line!r} has no label, offsets and text", remedy)
        identifiers.append(match[1])
        labels.append(match[2])
        parts.append(match[3].split(";"))
        quotations.append(match[4])
    offsets = ints([int(offset) for span in parts for part in span for offset in part.split()])
    first = ints(list(accumulate(map(len, parts), initial=0)))
    names: StringIndex[str] = StringIndex()
    label, identifier, quoted = names.codes(labels), Tokens.of(identifiers), Tokens.of(quotations)
    return TextBounds(rows + 1, identifier, names, label, quoted, first, offsets[0::2], offsets[1::2])


def _check_parts(source: Source, spans: TextBounds, *, takes_empty: bool) -> None:
    """Refuse parts that cover nothing and parts that overlap; the error is at the first one in the file."""
    row_of = np.repeat(np.arange(len(spans)), np.diff(spans.first))
    order = by_start(row_of, spans.start)
    start, end, row = spans.start[order], spans.end[order], row_of[order]
    is_empty = end < start if takes_empty else end <= start
    is_overlapping = np.append((row[1:] == row[:-1]) & (start[1:] < end[:-1]), False)[: len(row)]
    wrong = row[is_empty | is_overlapping]
    for span in wrong[:1].tolist():
        line, offsets = int(spans.line[span]), spans.offsets(span)
        if bool(is_empty[row == span].any()):
            remedy = "ends are exclusive, so each must be above its start"
            raise source.error(line, f"the offsets {offsets!r} cover nothing", remedy)
        raise source.error(line, f"the parts {offsets!r} overlap", "list each character of the span once")


def by_start(span: Ints, start: Ints) -> Ints:
    """The order of parts by span and start; they are sorted by span, and usually by start, too."""
    if ((span[1:] == span[:-1]) & (start[1:] < start[:-1])).any():
        return np.lexsort((start, span))
    return np.arange(len(span))


# Lines cut into cells


_TAB, _LINE_FEED, _BLANK, _SEMICOLON = b"\t\n ;"
_MIN_DIGITS = np.array([1 if kind in b"TEAMN" else 0 if kind in b"R*#" else 9 for kind in range(256)])
"""The minimum number of digits of an identifier that is a kind and a short number, by kind."""
_IDENTIFIER = re.compile(IDENTIFIER)


@dataclass(frozen=True)
class TextLines:
    """The lines of a file: line i is `data[start[i]:end[i]]`, without returns at its end."""

    data: bytes
    """It ends with a line feed and `PADDING`."""
    start: Ints
    end: Ints
    marks: Ints
    """The offsets of tabs, blanks, semicolons and line feeds."""
    mark: Bytes
    """The byte at each of these offsets."""
    first: Ints
    """The index of the first mark of each line."""
    last: Ints
    """The index of the line feed that ends each line."""

    @staticmethod
    def of(content: bytes) -> TextLines:
        data = b"".join((content, b"\n", PADDING))
        text = np.frombuffer(data, dtype=np.uint8)[: -len(PADDING)]
        is_mark = (text - np.uint8(_TAB)) <= 1  # a tab or a line feed
        is_mark |= (text == _BLANK) | (text == _SEMICOLON)
        marks = np.flatnonzero(is_mark)
        mark = text[marks]
        last = np.flatnonzero(mark == _LINE_FEED)
        end = marks[last]
        start, first = np.append(0, end[:-1] + 1), np.append(0, last[:-1] + 1)
        if b"\r" in content:
            end = trimmed(text, start, end, b"\r")
        return TextLines(data, start, end, marks, mark, first, last)

    @cached_property
    def kind(self) -> Bytes:
        """The first byte of each line; a line feed for empty lines."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        return np.where(self.start < self.end, text[self.start], np.uint8(_LINE_FEED))

    def text(self, row: int) -> str:
        return self.data[self.start[row] : self.end[row]].decode()

    def texts(self, rows: Ints) -> list[str]:
        return Tokens(self.data, self.start, self.end).take(rows).texts(0, len(rows))

    @cached_property
    def are_identified(self) -> Bools:
        """Which lines begin with an identifier and a tab."""
        size = self.marks[self.first] - self.start
        _, digits = leading_numbers(windows(self.data)[self.start + 1])
        is_short = (digits == size - 1) & (self.mark[self.first] == _TAB)
        identified: Bools = is_short & (digits >= _MIN_DIGITS[self.kind])
        for row in np.flatnonzero(~identified & (self.start < self.end)).tolist():  # usually none
            identified[row] = _IDENTIFIER.match(self.text(row)) is not None
        return identified

    def text_bounds(self, rows: Ints) -> TextBounds | None:
        """Text-bound lines with identifiers as columns; None if one has other marks before its quotation."""
        tabs = np.flatnonzero(self.mark == _TAB)
        tab = self.first[rows]
        following = np.append(tabs, len(self.mark))[np.searchsorted(tabs, tab, side="right")]
        parts, is_odd = np.divmod(following - tab - 1, 2)
        if (self.mark[tab] != _TAB).any() or is_odd.any() or (parts < 1).any() or (following > self.last[rows]).any():
            return None
        first = np.append(0, np.cumsum(parts))
        inner = ranges(tab + 1, 2 * parts)
        before_start = np.full(len(inner) // 2, _SEMICOLON, dtype=np.uint8)
        before_start[first[:-1]] = _BLANK
        mark = self.mark[inner]
        number, is_wrong = numbers(self.data, self.marks[inner] + 1, self.marks[inner + 1])
        if is_wrong.any() or (mark[0::2] != before_start).any() or (mark[1::2] != _BLANK).any():
            return None
        identifier = Tokens(self.data, self.start[rows], self.marks[tab])
        quoted = Tokens(self.data, self.marks[following] + 1, self.end[rows])
        coder = StringCoder()
        label = coder(Tokens(self.data, self.marks[tab] + 1, self.marks[tab + 1]))
        if not all(name.split() == [name] for name in coder.names):
            return None
        names = StringIndex(coder.names)
        return TextBounds(rows + 1, identifier, names, label, quoted, first, number[0::2], number[1::2])
