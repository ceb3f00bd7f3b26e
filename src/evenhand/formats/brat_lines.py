"""The lines of brat's `.ann` files: text-bound ones as columns, and others as they stand for those who want them.

The cells of all lines are cut at once (`brat_cells`) unless one of them is odd: a label has a semicolon, or something
is wrong. Then lines are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, empty, ints, ranges, windows
from evenhand.data.characters import Texts
from evenhand.data.tokens import PADDING, Tokens, equal
from evenhand.data.vocabulary import StringCoder, StringIndex
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.cells import leading_numbers, numbers
from evenhand.formats.parsing.json_lines import Span, on_texts, slices
from evenhand.formats.source import Source
from evenhand.settings import Offsets

IDENTIFIER = r"(?:(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*|R)\t"
"""Pattern of the beginning of a line; nothing refers to a relation, so some tools write R without a number."""


# == formats/brat_cells.py: The lines of brat's `.ann` files as places in their bytes, a


_TAB, _LINE_FEED, _RETURN, _BLANK, _SEMICOLON = b"\t\n\r ;"
_FEWEST_DIGITS = np.array([1 if kind in b"TEAMN" else 0 if kind in b"R*#" else 9 for kind in range(256)])
"""How many digits an identifier has at least that is a short number behind its kind."""
_IDENTIFIER = re.compile(IDENTIFIER)


@dataclass(frozen=True)
class TextBoundCells:
    """The cells of text-bound lines; parts are listed span by span."""

    identifier: Tokens
    label: Tokens
    quoted: Tokens
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Lines:
    """The lines of a file: line i is `data[start[i]:end[i]]`, without returns at its end."""

    data: bytes
    """It ends with a line feed and `PADDING`."""
    start: Ints
    end: Ints
    marks: Ints
    """Where tabs, blanks, semicolons and line feeds are."""
    mark: Bytes
    """Which of these each one is."""
    first: Ints
    """The first mark of each line."""
    behind: Ints
    """The mark that ends each line."""

    @staticmethod
    def of(content: bytes) -> Lines:
        data = b"".join((content, b"\n", PADDING))
        text = np.frombuffer(data, dtype=np.uint8)[: -len(PADDING)]
        is_mark = (text - np.uint8(_TAB)) <= 1  # a tab or a line feed
        is_mark |= text == _BLANK
        is_mark |= text == _SEMICOLON
        marks = np.flatnonzero(is_mark)
        mark = text[marks]
        behind = np.flatnonzero(mark == _LINE_FEED)
        end = marks[behind]
        start, first = (np.append(0, each[:-1] + 1) for each in (end, behind))
        if b"\r" in content:
            end = _without_returns(data, text, start, end)
        return Lines(data, start, end, marks, mark, first, behind)

    @cached_property
    def kind(self) -> Bytes:
        """The first byte of each line; a line feed where there is none."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        return np.where(self.start < self.end, text[self.start], np.uint8(_LINE_FEED))

    def text(self, row: int) -> str:
        return self.data[self.start[row] : self.end[row]].decode()

    def texts(self, rows: Ints) -> list[str]:
        return Tokens(self.data, self.start, self.end).take(rows).texts(0, len(rows))

    @cached_property
    def are_identified(self) -> Bools:
        """Which lines begin with an identifier, and a tab behind it."""
        size = self.marks[self.first] - self.start
        _, digits = leading_numbers(windows(self.data)[self.start + 1])
        found: Bools = (digits == size - 1) & (self.mark[self.first] == _TAB) & (digits >= _FEWEST_DIGITS[self.kind])
        for row in np.flatnonzero(~found & (self.start < self.end)).tolist():  # mostly, none is left
            found[row] = _IDENTIFIER.match(self.text(row)) is not None
        return found

    def text_bounds(self, rows: Ints) -> TextBoundCells | None:
        """The cells of text-bound lines with identifiers; None where a line has other marks before its quotation."""
        tabs = np.flatnonzero(self.mark == _TAB)
        tab = self.first[rows]
        following = np.append(tabs, len(self.mark))[np.searchsorted(tabs, tab, side="right")]
        parts, is_odd = np.divmod(following - tab - 1, 2)
        if (self.mark[tab] != _TAB).any() or is_odd.any() or (parts < 1).any() or (following > self.behind[rows]).any():
            return None
        first = np.append(0, np.cumsum(parts))
        inner = ranges(tab + 1, 2 * parts)
        before_start = np.full(len(inner) // 2, _SEMICOLON, dtype=np.uint8)
        before_start[first[:-1]] = _BLANK
        mark = self.mark[inner]
        number, is_none = _numbers(self.data, self.marks[inner] + 1, self.marks[inner + 1])
        if is_none.any() or (mark[0::2] != before_start).any() or (mark[1::2] != _BLANK).any():
            return None
        identifier = Tokens(self.data, self.start[rows], self.marks[tab])
        label = Tokens(self.data, self.marks[tab] + 1, self.marks[tab + 1])
        quoted = Tokens(self.data, self.marks[following] + 1, self.end[rows])
        return TextBoundCells(identifier, label, quoted, first, number[0::2], number[1::2])


def _without_returns(data: bytes, text: Bytes, start: Ints, end: Ints) -> Ints:
    """Where lines end before the returns that stand at their ends: mostly one, or none."""
    returns: Ints = end - ((text[end - 1] == _RETURN) & (end > start))
    for row in np.flatnonzero((text[returns - 1] == _RETURN) & (returns > start)).tolist():
        returns[row] = start[row] + len(data[start[row] : returns[row]].rstrip(b"\r"))
    return returns


def _numbers(data: bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Cells as whole numbers, and which of them are none; most have up to eight digits."""
    value, digits = leading_numbers(windows(data)[start])
    rows = np.flatnonzero((digits != end - start) | (digits == 0))
    is_none = np.zeros(len(start), dtype=np.bool_)
    value[rows], is_none[rows] = numbers(data, start[rows], end[rows])
    return value, is_none


# == formats/brat_lines.py (primary)


OTHER_KINDS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "normalizations",
    "*": "equivalences",
    "#": "notes",
}
"""What the first character of an identifier says of lines that hold no spans; M is an older name for A."""
_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
TEXT_BOUND = re.compile(rf"(T\S*)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)


@dataclass(frozen=True)
class TextBounds:
    """Spans as their lines have them, in the order of the file."""

    line: Ints
    _identifier: Tokens
    names: StringIndex[str]
    """The labels."""
    label: Ints
    """Their codes."""
    quoted: Tokens
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints
    """The parts, as they are listed."""

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def identifiers(self) -> list[str]:
        return self._identifier.texts(0, len(self))

    def parts(self, row: int) -> list[tuple[int, int]]:
        low, high = self.first[row : row + 2].tolist()
        return list(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))

    def offsets(self, row: int) -> str:
        """The parts as a line lists them."""
        return ";".join(f"{start} {end}" for start, end in self.parts(row))


@dataclass(frozen=True)
class Standoff:
    """What an `.ann` file holds."""

    spans: TextBounds
    unwanted: Mapping[str, Ints]
    """The lines that nobody wants, counted from 0, by their kinds."""
    _lines: Lines
    _wanted: Mapping[str, Ints]
    """The lines that somebody wants, likewise, by their first characters."""

    @property
    def skipped(self) -> dict[str, int]:
        """How many lines there are of every kind that nobody wants."""
        return {kind: len(rows) for kind, rows in self.unwanted.items()}

    def skipped_in(self, sizes: Sequence[int]) -> list[dict[str, int]]:
        """The same for each of several files that make up these lines and have so many of them."""
        found: list[dict[str, int]] = [{} for _ in sizes]
        for kind, rows in self.unwanted.items():
            files = np.searchsorted(np.cumsum(sizes), rows, side="right")
            for file, count in Counter(files.tolist()).items():
                found[file][kind] = count
        return found

    def of_kind(self, kind: str) -> tuple[list[int], list[str]]:
        """The numbers and texts of the lines that begin so."""
        rows = self._wanted[kind]
        return (rows + 1).tolist(), self._lines.texts(rows)

    @cached_property
    def others(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """Numbered lines of the kinds that somebody wants, by their first characters."""
        return {kind: list(zip(*self.of_kind(kind), strict=True)) for kind in self._wanted}


def standoff(source: Source, content: bytes, wanted: Collection[str] = (), *, takes_empty: bool = False) -> Standoff:
    """The lines of a file; `wanted` are first characters of lines without spans that are kept, the others count.

    With `takes_empty`, one of several parts may cover nothing.
    """
    lines = Lines.of(content)
    rows = {kind: np.flatnonzero(lines.kind == ord(kind)) for kind in ("T", *OTHER_KINDS)}
    _check_identifiers(source, lines, besides=rows["R"] if "R" in wanted else empty())
    unwanted: dict[str, Ints] = {}
    for kind, name in OTHER_KINDS.items():
        if kind not in wanted and len(rows[kind]):
            unwanted[name] = np.append(unwanted[name], rows[kind]) if name in unwanted else rows[kind]
    spans = _spans(source, lines, rows["T"])
    _check(source, spans, takes_empty=takes_empty)
    return Standoff(spans, unwanted, lines, {kind: rows[kind] for kind in wanted})


def _check_identifiers(source: Source, lines: Lines, besides: Ints) -> None:
    """Refuse lines that begin with no identifier, unless they are blank or checked when they are read."""
    is_wrong = ~lines.are_identified
    is_wrong[besides] = False
    for row in np.flatnonzero(is_wrong).tolist():
        line = lines.text(row)
        if line.strip():
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(row + 1, f"{line!r} is no annotation of brat", remedy)


def _spans(source: Source, lines: Lines, rows: Ints) -> TextBounds:
    """The text-bound lines as columns."""
    cells = lines.text_bounds(rows)
    if cells is not None:
        coder = StringCoder()
        code = coder(cells.label)
        if all(name.split() == [name] for name in coder.names):
            return _columns(rows, cells, StringIndex(coder.names), code)
    cells, labels = _one_by_one(source, lines, rows)
    names: StringIndex[str] = StringIndex()
    return _columns(rows, cells, names, names.codes(labels))


def _columns(rows: Ints, cells: TextBoundCells, names: StringIndex[str], label: Ints) -> TextBounds:
    return TextBounds(rows + 1, cells.identifier, names, label, cells.quoted, cells.first, cells.start, cells.end)


def _one_by_one(source: Source, lines: Lines, rows: Ints) -> tuple[TextBoundCells, list[str]]:
    """The cells of text-bound lines, and their labels as strings; or an error about the first line that is wrong."""
    found = [_matched(source, row, lines.text(row)) for row in rows.tolist()]
    identifiers, labels, offsets, quotations = ([cells[at] for cells in found] for at in range(4))
    parts = [offset.split(";") for offset in offsets]
    numbers = ints(list(map(int, " ".join(" ".join(part) for part in parts).split())))
    first = ints(list(accumulate(map(len, parts), initial=0)))
    identifier, label, quoted = map(Tokens.of, (identifiers, labels, quotations))
    return TextBoundCells(identifier, label, quoted, first, numbers[0::2], numbers[1::2]), labels


def _matched(source: Source, row: int, line: str) -> tuple[str, ...]:
    """Identifier, label, offsets and quotation of a line; an error if it has none."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None:
        remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
        raise source.error(row + 1, f"{line!r} has no label, offsets and text", remedy)
    return match.groups()


def _check(source: Source, found: TextBounds, *, takes_empty: bool) -> None:
    """Refuse parts that cover nothing and parts that overlap, the first one in the file."""
    row_of = np.repeat(np.arange(len(found)), np.diff(found.first))
    order = by_place(row_of, found.start)
    start, end, row = found.start[order], found.end[order], row_of[order]
    empty = end < start if takes_empty else end <= start
    overlapping = np.append((row[1:] == row[:-1]) & (start[1:] < end[:-1]), False)[: len(row)]
    wrong = row[empty | overlapping]
    if not len(wrong):
        return
    at = int(wrong[0])
    if bool(empty[row == at].any()):
        finding = f"the offsets {found.offsets(at)!r} cover nothing"
        raise source.error(int(found.line[at]), finding, "ends are exclusive, so that each must be above its start")
    finding = f"the parts {found.offsets(at)!r} overlap"
    raise source.error(int(found.line[at]), finding, "list each character of the span once")


def by_place(span: Ints, start: Ints) -> Ints:
    """The order of parts by their places, where they are in the order of their spans. Mostly they are in it already."""
    if ((span[1:] == span[:-1]) & (start[1:] < start[:-1])).any():
        return np.lexsort((start, span))
    return np.arange(len(span))


# == formats/brat_quotations.py: Whether the spans of brat's files quote what their texts hav


@dataclass(frozen=True)
class Placed:
    """Spans with the places of their parts in the bytes of texts."""

    spans: TextBounds
    texts: Texts
    data: bytes
    """What the texts are in, one behind the other."""
    offsets: Offsets
    text_of: Ints
    """The text of each part."""
    span_of: Ints
    """The span of each part."""
    begin: Ints
    """Where each part begins, in bytes; -1 where that is not in its text."""
    behind: Ints

    @staticmethod
    def of(spans: TextBounds, texts: Sequence[bytes], text_of: Ints, offsets: Offsets = "codepoints") -> Placed:
        """`text_of` has the text of each span."""
        data = b"".join([*texts, PADDING])
        end = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        return _placed(spans, Texts.within(data, np.append(0, end[:-1]), end, offsets), data, offsets, text_of)

    @cached_property
    def text(self) -> str:
        """All texts."""
        return self.data[: -len(PADDING)].decode()

    @cached_property
    def is_outside(self) -> Bools:
        """Which parts are not in their texts."""
        return np.minimum(self.begin, self.behind) < 0

    def misquoted(self) -> list[int]:
        """The rows of spans that do not quote what the text has there."""
        return [row for row in np.flatnonzero(~self._are_literal()).tolist() if not self._quotes(row, self._held(row))]

    def _are_literal(self) -> Bools:
        """Which spans quote their parts as they stand, with blanks between them; most do."""
        quoted, first = self.spans.quoted, self.spans.first
        size = np.where(self.is_outside, -1, self.behind - self.begin)
        before = np.append(0, np.cumsum(size + 1))
        begin = before[first[:-1]]
        found: Bools = before[first[1:]] - begin - 1 == quoted.lengths
        found[self.span_of[size < 0]] = False
        # Of the spans that are as long as their quotations, the parts are where these have them.
        parts = np.flatnonzero(found[self.span_of])
        span = self.span_of[parts]
        place = quoted.start[span] + before[parts] - begin[span]
        mine = Tokens(self.data, self.begin[parts], self.behind[parts])
        is_other = ~equal(mine, Tokens(quoted.data, place, place + size[parts]))
        if len(self.span_of) > len(self.spans):
            separator = np.frombuffer(quoted.data, dtype=np.uint8)[place - 1]
            is_other |= (separator != ord(" ")) & (place > quoted.start[span])
        found[span[is_other]] = False
        return found

    def _held(self, row: int) -> list[str]:
        """What the text has where the parts of a span are."""
        mine = slice(*self.spans.first[row : row + 2].tolist())
        if self.is_outside[mine].any():
            return slices(self.text, self.spans.parts(row), self.offsets)
        bounds = zip(self.begin[mine].tolist(), self.behind[mine].tolist(), strict=True)
        return [self.data[begin:behind].decode() for begin, behind in bounds]

    def _quotes(self, row: int, texts: Sequence[str]) -> bool:
        """Whether a span quotes these texts; spaces are no atoms, so that their kind does not matter."""
        return _joined(texts) == " ".join(self.spans.quoted[row].split())

    def without_mark(self) -> Placed:
        """Offsets that count the byte order mark before the text, where quotations fit only so, as the text counts."""
        moved = replace(self.spans, start=np.maximum(self.spans.start - 1, 0), end=self.spans.end - 1)
        found = _placed(moved, self.texts, self.data, self.offsets, self.text_of[moved.first[:-1]])
        return self if found.misquoted() else found

    def misquoted_error(self, source: Source, row: int) -> Exception:
        held, found = _joined(self._held(row)), self.spans
        finding = f"the text has {held!r} at {found.offsets(row)}, but {found.quoted[row]!r} is quoted"
        return source.error(int(found.line[row]), finding, self._remedy(row))

    def _remedy(self, row: int) -> str:
        """How to read the text so that a span fits, if there is a way."""
        other: Offsets = "utf16" if self.offsets == "codepoints" else "codepoints"
        parts = self.spans.parts(row)
        if self._quotes(row, slices(self.text, parts, other)):
            return f"read it with --offsets {other}, where they agree"
        if self._quotes(row, slices(self.text.replace("\r\n", "\n"), parts, self.offsets)):
            return "save the text with LF instead of CRLF at line ends, where they agree"
        return "mend the offsets, or check that this is the text that was annotated"

    def fault(self, source: Source, row: int) -> Exception:
        """What is wrong with a span that covers no atoms, or is not in the text."""
        parts = self.spans.parts(row)
        span = Span(parts[0][0], parts[-1][1], self.spans.names[int(self.spans.label[row])])
        return source.error(int(self.spans.line[row]), *on_texts([self.text], self.offsets)[1].fault(0, span))


def _placed(spans: TextBounds, texts: Texts, data: bytes, offsets: Offsets, text_of: Ints) -> Placed:
    span_of = np.repeat(np.arange(len(spans)), np.diff(spans.first))
    mine = text_of[span_of]
    begin, behind = (texts.bytes_before(mine, offset) for offset in (spans.start, spans.end))
    return Placed(spans, texts, data, offsets, mine, span_of, begin, behind)


def _joined(texts: Sequence[str]) -> str:
    """What the parts of a span hold, joined as brat does; runs of spaces and line breaks are one space."""
    return " ".join(" ".join(texts).split())
