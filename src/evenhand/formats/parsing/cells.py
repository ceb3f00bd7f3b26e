"""A block of bytes as lines and cells, found with whole-array operations, without a Python loop over lines.

`split` is the general parser. `grid` is the fast path for blocks whose lines all have the same number of cells; both
find the same cells. `LineCells` finds only some cells of each line, for files with many columns. The functions at the
end read numbers and strings from windows of eight bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import (
    BitSearch,
    Bools,
    Bytes,
    Ints,
    Words,
    bit_changes,
    bits_where,
    complement,
    distinct,
    empty,
    ranges,
)
from evenhand.data.tokens import LineNumbers, Tokens
from evenhand.dataclass import dataclass
from evenhand.errors import COLUMNS, DEPTH, LimitError
from evenhand.formats.source import LINE_FEED, Block

TAB, SPACE, CARRIAGE_RETURN = 9, 32, 13
MAX_DIGITS = 18
_BLANKS_AT_END = 8
"""Number of trailing blanks that are removed with array operations; longer runs are rare."""
_SLICE = 1 << 18
"""Bytes per step when the depth of brackets is computed."""
_LONG_BLOCK = 1 << 23
"""In larger blocks, the columns of lines are counted before they are split."""
_CONTROL = bytes(range(SPACE + 1))

Cell = tuple[Ints, Ints]
"""Start and end of a cell, for every line."""
Windows = npt.NDArray[np.unsignedinteger[Any]]
"""Windows of one to eight bytes, depending on the type."""


class Cells(ABC):
    """The cells of lines with the same number of cells; columns count from 0."""

    data: bytes
    columns: int
    lines: Ints | LineNumbers
    """The number of each line in its block, which may have other lines, too."""

    @abstractmethod
    def column(self, column: int) -> Cell:
        """Start and end of the cells in one column."""

    def tokens(self, column: int) -> Tokens:
        """The cells in one column as texts; always the same object, because it caches."""
        if column not in self._tokens:
            self._tokens[column] = Tokens(self.data, *self.column(column))
        return self._tokens[column]

    def text(self, column: int, row: int) -> str:
        return self.tokens(column)[row]

    @cached_property
    def _tokens(self) -> dict[int, Tokens]:
        return {}


@dataclass(frozen=True)
class Lines:
    """The lines of a block; line i has `cells[i]` cells, or 0 if it is blank."""

    data: bytes
    first_line: int
    cells: Ints
    _first: Ints
    """Index of each line's first cell in the columns below."""
    _start: Ints
    _end: Ints

    def table(self, lines: Ints, columns: int) -> CellTable:
        """Return the first cells of some lines, which all have at least `columns` of them."""
        return CellTable(self.data, columns, lines, self._first[lines], self._start, self._end)

    @property
    def begins(self) -> Ints:
        starts: Ints = self._start[self._first]
        return starts

    @property
    def ends(self) -> Ints:
        """End of each line that is not blank."""
        ends: Ints = self._end[self._first + self.cells - 1]
        return ends

    def drop_empty_end(self, line: int, columns: int) -> bool:
        """Reduce a line to `columns` cells if the others are empty; return whether that was possible."""
        others = slice(self._first[line] + columns, self._first[line] + self.cells[line])
        if self.cells[line] <= columns or (self._end[others] != self._start[others]).any():
            return False
        self.cells[line] = columns
        return True

    def number(self, line: int) -> int:
        """Return the line's number in its file."""
        return self.first_line + line

    def text(self, line: int) -> str:
        """Return a line that is not blank, without its line end."""
        first = self._first[line]
        return self.data[self._start[first] : self._end[first + self.cells[line] - 1]].decode()


@dataclass(frozen=True)
class CellTable(Cells):
    """The cells of lines anywhere in a block."""

    data: bytes
    columns: int
    lines: Ints
    _first: Ints
    _start: Ints
    _end: Ints

    def column(self, column: int) -> Cell:
        index = self._first + column
        return self._start[index], self._end[index]


def is_wide(line: str | bytes) -> bool:
    """Return whether a line has more columns than the limit."""
    return len(line) > COLUMNS.value and _columns(line) > COLUMNS.value


def refuse_wide(line: str | bytes, number: int) -> None:
    """Raise an error if a line has more columns than the limit."""
    if is_wide(line):
        raise LimitError(f"found {_columns(line):,} columns", COLUMNS.remedy, number)


def _columns(line: str | bytes) -> int:
    """The number of columns of a line, between single tabs or between runs of blanks, whichever is larger."""
    text = np.frombuffer(line.encode() if isinstance(line, str) else line, dtype=np.uint8)
    is_tab = text == TAB
    is_blank = is_tab | (text == SPACE)
    return max(int(np.count_nonzero(is_tab)), int(np.count_nonzero(is_blank[1:] & ~is_blank[:-1]))) + 1


def refuse_deep(block: Block, depth: int) -> None:
    """Raise an error if more brackets are open than the limit; `depth` are open at the beginning."""
    for begin in range(0, block.size, _SLICE):
        part = np.frombuffer(block.data, dtype=np.uint8)[begin : min(begin + _SLICE, block.size)]
        depths = depth + np.cumsum((part == ord("(")).view(np.int8) - (part == ord(")")).view(np.int8), dtype=np.int32)
        if int(depths.max(initial=0)) > DEPTH.value:
            line = block.first_line + block.data.count(b"\n", 0, begin + int((depths > DEPTH.value).argmax()))
            raise LimitError(f"more than {DEPTH.value:,} brackets are open here", DEPTH.remedy, line)
        depth = int(depths[-1])


def split(block: Block, *, tabs: bool) -> Lines:
    """Return the lines and cells of a block; cells are separated by single tabs, or by runs of spaces and tabs."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    if block.size > _LONG_BLOCK:
        feeds = np.flatnonzero(data == LINE_FEED)
        start, end = np.append(0, feeds + 1), np.append(feeds, block.size)
        for row in np.flatnonzero(end - start > COLUMNS.value).tolist():
            refuse_wide(block.data[start[row] : end[row]], block.first_line + row)
    if tabs:
        end = np.flatnonzero((data == TAB) | (data == LINE_FEED))
        start, last = np.append(0, end[:-1] + 1), np.flatnonzero(data[end] == LINE_FEED)
        end[last] = trimmed(data, start[last], end[last], b"\r ")
    else:
        start, end, last = _cells_between_runs(data)
    first = np.append(0, last[:-1] + 1)
    cells = last - first + 1
    # A line is blank if it is not longer than the separators between its cells; its last cell is empty then.
    maybe = np.flatnonzero(start[last] == end[last])
    cells[maybe[end[last[maybe]] - start[first[maybe]] < cells[maybe]]] = 0
    return Lines(block.data, block.first_line, cells, first, start, end)


def trimmed(data: Bytes, start: Ints, end: Ints, blanks: bytes) -> Ints:
    """Return the ends of texts without trailing blanks."""
    is_blank = np.zeros(256, dtype=np.bool_)
    is_blank[list(blanks)] = True
    for _ in range(_BLANKS_AT_END):
        has_blank = is_blank[data[end - 1]] & (end > start)
        if not has_blank.any():
            return end
        end = end - has_blank
    for row in np.flatnonzero(has_blank).tolist():  # the few texts with many blanks, one by one
        end[row] = start[row] + len(data[start[row] : end[row]].tobytes().rstrip(blanks))
    return end


def _cells_between_runs(data: Bytes) -> tuple[Ints, Ints, Ints]:
    """Start and end of cells between runs of blanks, and which end lines; a blank line has one empty cell."""
    line_feed = data == LINE_FEED
    blank = line_feed | (data == SPACE) | (data == TAB) | (data == CARRIAGE_RETURN)
    text_before = np.zeros_like(blank)
    np.logical_not(blank[:-1], out=text_before[1:])
    end = np.flatnonzero((blank & text_before) | line_feed)
    ends_line, full = line_feed[end], text_before[end]
    start = end.copy()
    start[full] = np.flatnonzero(~(blank | text_before))
    # With trailing blanks, the line feed follows an empty cell: the cell before it is the last one.
    trailing = np.zeros_like(full)
    trailing[1:] = ends_line[1:] & ~full[1:] & ~ends_line[:-1]
    if not trailing.any():
        return start, end, np.flatnonzero(ends_line)
    ends_line[:-1] |= trailing[1:]
    keep = ~trailing
    return start[keep], end[keep], np.flatnonzero(ends_line[keep])


def numbers(data: bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Return cells as whole numbers of at most 18 digits, and which cells are not such numbers."""
    text = np.frombuffer(data, dtype=np.uint8)
    lengths = end - start
    value, bad = np.zeros(len(start), dtype=np.int64), (lengths == 0) | (lengths > MAX_DIGITS)
    for index in range(min(int(lengths.max(initial=0)), MAX_DIGITS)):
        inside = lengths > index
        digit = text[np.where(inside, start + index, 0)].astype(np.int64) - ord("0")
        bad |= inside & ((digit < 0) | (digit > 9))
        value = np.where(inside, value * 10 + digit, value)
    return value, bad


@dataclass(frozen=True)
class Grid(Cells):
    """The cells of a block whose other lines are blank, or end sentences like blank lines."""

    data: bytes
    columns: int
    edges: list[Ints]
    """Starts and ends of the cells of each column, in turns."""
    bounds: Ints
    """Starts of sentences, counted in lines with cells, and the end of the last one."""

    def column(self, column: int) -> Cell:
        for index in (2 * column, 2 * column + 1):  # contiguous, because columns are used several times
            self.edges[index] = np.ascontiguousarray(self.edges[index])
        return self.edges[2 * column], self.edges[2 * column + 1]

    @property
    def lines(self) -> LineNumbers:  # type: ignore[override]
        begin, first = self.edges[0], self.bounds[:-1]
        more = cache(partial(_other_lines, self.data, begin[first], first))  # does not keep the bounds of cells
        return LineNumbers(first, more, 0, len(begin))

    def without(self, rows: Ints) -> Grid:
        """Return the other lines; a sentence ends where lines are removed."""
        keep = complement(len(self.edges[0]), rows)
        bounds = np.concatenate((self.bounds, rows))
        bounds = distinct(bounds - np.searchsorted(rows, bounds))
        return Grid(self.data, self.columns, [edge[keep] for edge in self.edges], bounds)


def grid(block: Block, columns: int, *, tabs: bool, comments: Ints | None = None) -> Grid | None:
    """Return the cells of a block whose lines are blank or have `columns` cells; None for other blocks.

    `comments` are offsets of bytes to ignore.
    """
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    has_returns = b"\r" in block.data if tabs else _has_returns(data)
    if has_returns is None:
        return None
    separates = data - np.uint8(TAB) <= LINE_FEED - TAB if tabs else data <= SPACE
    if tabs and has_returns:
        separates |= data == CARRIAGE_RETURN
    if comments is not None:
        separates[comments] = True
    edges = _edges(separates)
    if not len(edges) or len(edges) % (2 * columns):
        return None
    by_column = [edges[index :: 2 * columns] for index in range(2 * columns)]
    by_column[0], by_column[-1] = begin, end = by_column[0].copy(), by_column[-1].copy()
    gap = np.append(begin[1:], block.size)  # bytes between the end of a row and the next one
    gap -= end
    wide = np.flatnonzero(gap != 1 + has_returns)
    is_ended = data.take(end + 1 if has_returns else end, mode="clip") == LINE_FEED
    feeds = _line_feeds(data, end[wide], gap[wide])
    is_ended[wide] = feeds > 0
    # If all line feeds are in gaps, none is within a row.
    lines = int(np.count_nonzero(data == LINE_FEED))
    if not is_ended.all() or block.data.count(b"\n", 0, begin[0]) + len(end) - len(wide) + int(feeds.sum()) != lines:
        return None
    if tabs:
        single = int(begin[0]) + len(end) * (columns - 1) + int(gap.sum())
        if np.count_nonzero(separates) != single or not _have_plain_ends(data, int(begin[0]), end, gap, has_returns):
            return None
    block.has_lines(lines)
    bounds = np.concatenate(([0], wide[feeds > 1] + 1, [len(end)]))
    return Grid(block.data, columns, by_column, bounds[: -1 if bounds[-2] == len(end) else None])


def _other_lines(data: bytes, begin: Ints, first: Ints) -> Ints:
    """The number of lines without cells before some offsets, which follow `first` lines with cells."""
    return np.searchsorted(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == LINE_FEED), begin) - first


def _edges(separates: Bools) -> Ints:
    """Starts and ends of runs of text, in turns."""
    changes = np.empty_like(separates)
    changes[0] = not separates[0]
    np.not_equal(separates[1:], separates[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _has_returns(data: Bytes) -> bool | None:
    """Whether there are carriage returns; None if there are other control characters, which do not separate cells."""
    after_feed, after_return = LINE_FEED + 1, CARRIAGE_RETURN + 1
    # Bytes below a range wrap around, so bytes within it become the smallest ones.
    least = int((data - np.uint8(after_feed)).min()) + after_feed
    if int(data.min()) < TAB or least < CARRIAGE_RETURN:
        return None
    if least >= SPACE:
        return False
    return True if int((data - np.uint8(after_return)).min()) >= SPACE - after_return else None


def _line_feeds(data: Bytes, end: Ints, gap: Ints) -> Ints:
    """The number of line feeds in the gaps after rows."""
    second = (data.take(end + 1, mode="clip") == LINE_FEED) & (gap > 1)
    counts: Ints = (data[end] == LINE_FEED) + second.astype(np.int64)
    rows = np.flatnonzero(gap > 2)
    if len(rows):
        end, gap = end[rows] + 2, gap[rows] - 2
        so_far = np.append(0, np.cumsum(data[ranges(end, gap)] == LINE_FEED))
        last = np.cumsum(gap)
        counts[rows] += so_far[last] - so_far[last - gap]
    return counts


def _have_plain_ends(data: Bytes, first: int, end: Ints, gap: Ints, has_returns: bool) -> bool:
    """Whether lines have no trailing tabs or spaces, and every carriage return is followed by a line feed."""
    returns, wide = np.flatnonzero(data == CARRIAGE_RETURN) if has_returns else empty(), np.flatnonzero(gap > 1)
    feeds = np.concatenate((returns + 1, end[wide] + gap[wide] - 1, [first - 1] * bool(first)))
    has_blanks = (data[end - 1] == SPACE).any() or (data[end[wide]] == TAB).any()
    return not has_blanks and bool((data[feeds.astype(np.int64)] == LINE_FEED).all())


@dataclass(frozen=True)
class LineCells:
    """Some lines of a block without trailing blanks, of which only the cells that are needed are found."""

    data: bytes
    line: Ints
    """Line numbers, counted from `first_line`."""
    begin: Ints
    end: Ints
    tabs: bool
    first_line: int
    _marks: BitSearch
    """Tabs and line feeds; without tabs, the bytes at which text or blanks begin."""

    @staticmethod
    def of(block: Block, *, tabs: bool) -> LineCells:
        text = np.frombuffer(block.data, dtype=np.uint8)
        end = np.flatnonzero(text[: block.size] == LINE_FEED)
        block.has_lines(len(end))
        begin = np.append(0, end[:-1] + 1)
        marks = BitSearch(bit_changes(bits_where(text, lambda part: part > SPACE)))
        blank = np.flatnonzero(text[begin] <= SPACE)
        first = np.minimum(marks.following(begin[blank], [0])[0], end[blank])
        begin[blank] = np.where(first == end[blank], first, begin[blank]) if tabs else first
        if tabs:
            marks = BitSearch(bits_where(text, lambda part: (part == TAB) | (part == LINE_FEED)))
        end = trimmed(text, begin, end, b" \r" if tabs else _CONTROL)
        return LineCells(block.data, np.arange(len(end)), begin, end, tabs, block.first_line, marks)

    def __len__(self) -> int:
        return len(self.line)

    @property
    def is_blank(self) -> Bools:
        blank: Bools = self.begin == self.end
        return blank

    @property
    def first_byte(self) -> Bytes:
        return np.frombuffer(self.data, dtype=np.uint8)[self.begin]

    def take(self, rows: Ints | Bools) -> LineCells:
        return replace(self, line=self.line[rows], begin=self.begin[rows], end=self.end[rows])

    def number(self, row: int) -> int:
        """Return the line's number in its file."""
        return self.first_line + int(self.line[row])

    def texts(self) -> Iterator[str]:
        for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            yield self.data[begin:end].decode()

    def split(self, row: int) -> list[str]:
        """Return all cells of a line."""
        text = self.data[self.begin[row] : self.end[row]].decode()
        return text.split("\t") if self.tabs else text.split()

    def cells(self, columns: Sequence[int]) -> tuple[dict[int, Cell], Ints]:
        """Return the cells of some columns, counted from 0, and the end of the last one.

        Missing cells are empty, at the end of their line.
        """
        cells: dict[int, Cell] = {}
        bounds = {column: (column - 1, column) if self.tabs else (2 * column, 2 * column + 1) for column in columns}
        marks = self._marks.following(self.begin, {number for pair in bounds.values() for number in pair})
        for column, (first, after) in bounds.items():
            start = marks[first] + self.tabs if first >= 0 else self.begin
            cells[column] = np.minimum(start, self.end), np.minimum(marks[after], self.end)
        return cells, cells[max(columns)][1] if columns else self.begin

    def last(self, minimum: int) -> Cell:
        """Return the last cells; between tabs, empty cells after the first `minimum` are skipped."""
        end = self.end
        start = self._begin_of_last(end)
        if not self.tabs:
            return start, end
        for row in np.flatnonzero(start == end).tolist():
            cells = self.split(row)
            while len(cells) > minimum and not cells[-1]:
                cells.pop()
            end = end.copy() if end is self.end else end
            end[row] = self.begin[row] + len("\t".join(cells).encode())
        return self._begin_of_last(end), end

    def _begin_of_last(self, end: Ints) -> Ints:
        return np.maximum(self._marks.preceding(end) + self.tabs, self.begin)


def leading_numbers(window: Words) -> tuple[Ints, Ints]:
    """Return the whole number at the beginning of each window, and its number of digits: 0 to 8."""
    value, length = _numbers(window.astype(np.uint32))
    # Most numbers are short, and half the bytes take half the time.
    if length.max(initial=0) == 4:
        value, length = _numbers(window)
    return value.astype(np.int64), length.astype(np.int64)


def lengths_to(byte: int, window: Words) -> Ints:
    """Return the number of bytes before the first byte of this value of each window; 8 if it has none."""
    others = window ^ _filled(window, byte)
    return _before_first((others - _filled(window, 1)) & ~others & _filled(window, 0x80)).astype(np.int64)


def _numbers(window: Windows) -> tuple[Windows, Windows]:
    kind, size = window.dtype.type, window.itemsize
    digits = window ^ _filled(window, ord("0"))
    # The sum has a high bit in bytes over nine.
    length = _before_first(((digits + _filled(window, 0x76)) | digits) & _filled(window, 0x80))
    # Digits move up to the last byte, and zeros in; then neighbours are added up to pairs, fours and eights.
    value = digits << (kind(8 * size) - (length.astype(kind) << kind(3)))
    step = 1
    while step < size:
        keep = kind(int.from_bytes((b"\xff" * step + bytes(step)) * (size // step // 2), "little"))
        value = (value * kind(10**step) + (value >> kind(8 * step))) & keep
        step *= 2
    return value, length


def _before_first(high_bits: Windows) -> Windows:
    """The number of bytes before the lowest one whose high bit is set; all of them if none is."""
    below = (high_bits & -high_bits) - high_bits.dtype.type(1)
    counts: Windows = np.bitwise_count(below) >> np.uint8(3)
    return counts


def _filled(window: Windows, byte: int) -> np.unsignedinteger[Any]:
    """A window with the same byte everywhere."""
    return window.dtype.type(int.from_bytes(bytes([byte]) * window.itemsize, "little"))
