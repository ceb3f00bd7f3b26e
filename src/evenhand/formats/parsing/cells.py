"""What a layout asks of the lines of a block, whichever parser found them.

`grid` serves blocks in which all lines are written alike, `blocks` all others; both find the same cells.
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


class Cells(ABC):
    """The cells of lines that have equally many; columns count from 0."""

    data: bytes
    columns: int
    lines: Ints | LineNumbers
    """The number of each line in its block, where others count, too."""

    @abstractmethod
    def column(self, column: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column."""

    def tokens(self, column: int) -> Tokens:
        """The cells in one column, as texts: the same object for all who ask, so that it works things out once."""
        if column not in self._tokens:
            self._tokens[column] = Tokens(self.data, *self.column(column))
        return self._tokens[column]

    def text(self, column: int, row: int) -> str:
        return self.tokens(column)[row]

    @cached_property
    def _tokens(self) -> dict[int, Tokens]:
        return {}


# == formats/parsing/blocks.py: The byte-block parser: the lines and cells of a block, found


TAB, SPACE, CARRIAGE_RETURN = 9, 32, 13
_BLANKS_AT_END = 8
"""How many blanks at the ends of texts are looked for in all of them at once."""
MOST_DIGITS = 18
"""How many digits a whole number may have."""
_SLICE = 1 << 18
"""How many bytes are looked at in one go, to see how deep brackets are."""
_LONG_BLOCK = 1 << 23
"""In blocks of more bytes the columns of lines are counted before anything is made of them."""


@dataclass(frozen=True)
class Lines:
    """The lines of a block; line i has `cells[i]` cells, none where it is blank."""

    data: bytes
    first_line: int
    cells: Ints
    _first: Ints
    """For each line the place of its first cell in the columns below."""
    _start: Ints
    """Where each cell begins."""
    _end: Ints
    """Where each cell ends."""

    def table(self, lines: Ints, columns: int) -> CellTable:
        """The first cells of some lines, which all have at least `columns` of them."""
        return CellTable(self.data, columns, lines, self._first[lines], self._start, self._end)

    @property
    def begins(self) -> Ints:
        """Where each line begins."""
        starts: Ints = self._start[self._first]
        return starts

    @property
    def ends(self) -> Ints:
        """Where each line ends that is not blank."""
        ends: Ints = self._end[self._first + self.cells - 1]
        return ends

    def drop_empty_end(self, line: int, columns: int) -> bool:
        """Leave a line `columns` cells if those behind them are empty; whether that was possible."""
        behind = slice(self._first[line] + columns, self._first[line] + self.cells[line])
        if self.cells[line] <= columns or (self._end[behind] != self._start[behind]).any():
            return False
        self.cells[line] = columns
        return True

    def number(self, line: int) -> int:
        """The line's number in its file."""
        return self.first_line + line

    def text(self, line: int) -> str:
        """The line, without what ends it; it must not be blank."""
        first = self._first[line]
        return self.data[self._start[first] : self._end[first + self.cells[line] - 1]].decode()


@dataclass(frozen=True)
class CellTable(Cells):
    """The cells of lines that have equally many, wherever they are."""

    data: bytes
    columns: int
    lines: Ints
    _first: Ints
    _start: Ints
    _end: Ints

    def column(self, column: int) -> tuple[Ints, Ints]:
        place = self._first + column
        return self._start[place], self._end[place]


def is_wide(line: str | bytes) -> bool:
    """Whether a line has more columns than the limit."""
    return len(line) > COLUMNS.value and _columns(line) > COLUMNS.value


def refuse_wide(line: str | bytes, number: int) -> None:
    """Raise an error where a line has more columns than the limit."""
    if is_wide(line):
        raise LimitError(f"found {_columns(line):,} columns", COLUMNS.remedy, number)


def _refuse_wide_lines(block: Block, data: Bytes) -> None:
    """The same for all lines of a block; only those are looked at that are long enough."""
    feeds = np.flatnonzero(data == LINE_FEED)
    start, end = np.append(0, feeds + 1), np.append(feeds, block.size)
    for row in np.flatnonzero(end - start > COLUMNS.value).tolist():
        refuse_wide(block.data[start[row] : end[row]], block.first_line + row)


def _columns(line: str | bytes) -> int:
    """How many columns a line has, between single tabs or runs of blanks, whichever are more."""
    text = np.frombuffer(line.encode() if isinstance(line, str) else line, dtype=np.uint8)
    is_tab = text == TAB
    is_blank = is_tab | (text == SPACE)
    runs = int(np.count_nonzero(is_blank[1:] & ~is_blank[:-1]))
    return max(int(np.count_nonzero(is_tab)), runs) + 1


def refuse_deep(block: Block, depth: int) -> None:
    """Raise an error where more brackets are open than the limit; `depth` of them are at the beginning."""
    most = DEPTH.value
    for begin in range(0, block.size, _SLICE):
        part = np.frombuffer(block.data, dtype=np.uint8)[begin : min(begin + _SLICE, block.size)]
        steps = (part == ord("(")).view(np.int8) - (part == ord(")")).view(np.int8)
        depths = depth + np.cumsum(steps, dtype=np.int32)
        if int(depths.max(initial=0)) > most:
            line = block.first_line + block.data.count(b"\n", 0, begin + int((depths > most).argmax()))
            raise LimitError(f"more than {most:,} brackets are open here", DEPTH.remedy, line)
        depth = int(depths[-1])


def split(block: Block, *, tabs: bool) -> Lines:
    """The lines and cells of a block; cells are separated by single tabs, or by runs of spaces and tabs."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    if block.size > _LONG_BLOCK:
        _refuse_wide_lines(block, data)
    start, end, last = _tabbed_cells(data) if tabs else _cells_between_runs(data)
    first = np.append(0, last[:-1] + 1)
    cells = last - first + 1
    # A line is blank if it is no longer than the separators between its cells; the last one is empty then.
    maybe = np.flatnonzero(start[last] == end[last])
    cells[maybe[end[last[maybe]] - start[first[maybe]] < cells[maybe]]] = 0
    return Lines(block.data, block.first_line, cells, first, start, end)


def _tabbed_cells(data: Bytes) -> tuple[Ints, Ints, Ints]:
    """Begin and end of every cell between tabs, and which are the last of their lines.

    Lines end before the carriage returns and spaces at their end.
    """
    end = np.flatnonzero((data == TAB) | (data == LINE_FEED))
    start, last = np.append(0, end[:-1] + 1), np.flatnonzero(data[end] == LINE_FEED)
    end[last] = trimmed(data, start[last], end[last], b"\r ")
    return start, end, last


def trimmed(data: Bytes, start: Ints, end: Ints, blanks: bytes) -> Ints:
    """Where texts end without the blanks at their ends."""
    is_blank = np.zeros(256, dtype=np.bool_)
    is_blank[list(blanks)] = True
    for _ in range(_BLANKS_AT_END):
        has_blank = is_blank[data[end - 1]] & (end > start)
        if not has_blank.any():
            return end
        end = end - has_blank
    for row in np.flatnonzero(has_blank).tolist():  # the few with many blanks, one by one
        end[row] = start[row] + len(data[start[row] : end[row]].tobytes().rstrip(blanks))
    return end


def _cells_between_runs(data: Bytes) -> tuple[Ints, Ints, Ints]:
    """Begin and end of every cell between runs of blanks, and which are the last of their lines.

    A blank line keeps one empty cell.
    """
    line_feed = data == LINE_FEED
    blank = line_feed | (data == SPACE) | (data == TAB) | (data == CARRIAGE_RETURN)
    text_before = np.zeros_like(blank)
    np.logical_not(blank[:-1], out=text_before[1:])
    end = np.flatnonzero((blank & text_before) | line_feed)
    ends_line, full = line_feed[end], text_before[end]
    start = end.copy()
    start[full] = np.flatnonzero(~(blank | text_before))
    # Blanks at the end of a line leave its line feed behind an empty cell: the cell before it is the last one.
    trailing = np.zeros_like(full)
    trailing[1:] = ends_line[1:] & ~full[1:] & ~ends_line[:-1]
    if not trailing.any():
        return start, end, np.flatnonzero(ends_line)
    ends_line[:-1] |= trailing[1:]
    keep = ~trailing
    return start[keep], end[keep], np.flatnonzero(ends_line[keep])


def numbers(data: bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """The cells as whole numbers of at most 18 digits, and which of them are none."""
    text = np.frombuffer(data, dtype=np.uint8)
    lengths = end - start
    value, bad = np.zeros(len(start), dtype=np.int64), (lengths == 0) | (lengths > MOST_DIGITS)
    for place in range(min(int(lengths.max(initial=0)), MOST_DIGITS)):
        inside = lengths > place
        digit = text[np.where(inside, start + place, 0)].astype(np.int64) - ord("0")
        bad |= inside & ((digit < 0) | (digit > 9))
        value = np.where(inside, value * 10 + digit, value)
    return value, bad


# == formats/parsing/grid.py: Blocks in which every line that is not blank has the same nu


@dataclass(frozen=True)
class Grid(Cells):
    """The cells of lines between which only blank ones stand, or others that end sentences, too."""

    data: bytes
    columns: int
    edges: list[Ints]
    """Where the cells of each column begin, and where they end."""
    bounds: Ints
    """Where sentences begin, in lines with cells, and where the last one ends."""

    def column(self, column: int) -> tuple[Ints, Ints]:
        for which in (2 * column, 2 * column + 1):  # in one piece, as many ask for it
            self.edges[which] = np.ascontiguousarray(self.edges[which])
        return self.edges[2 * column], self.edges[2 * column + 1]

    @property
    def lines(self) -> LineNumbers:  # type: ignore[override]
        begin, first = self.edges[0], self.bounds[:-1]
        more = cache(partial(other_lines, self.data, begin[first], first))  # lets go of the bounds of cells
        return LineNumbers(first, more, 0, len(begin))

    def without(self, rows: Ints) -> Grid:
        """The other lines; where some are taken out, a sentence ends."""
        keep = complement(len(self.edges[0]), rows)
        bounds = np.concatenate((self.bounds, rows))
        bounds = distinct(bounds - np.searchsorted(rows, bounds))
        return Grid(self.data, self.columns, [edge[keep] for edge in self.edges], bounds)


def grid(block: Block, columns: int, *, tabs: bool, comments: Ints | None = None) -> Grid | None:
    """The cells of a block whose lines are blank or have `columns` of them; None where it is written otherwise.

    `comments` are the places of bytes that do not count.
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
    found = [edges[which :: 2 * columns] for which in range(2 * columns)]
    found[0], found[-1] = begin, end = found[0].copy(), found[-1].copy()
    behind = np.append(begin[1:], block.size)
    behind -= end
    wide = np.flatnonzero(behind != 1 + has_returns)
    is_ended = data.take(end + 1 if has_returns else end, mode="clip") == LINE_FEED
    feeds = _line_feeds(data, end[wide], behind[wide])
    is_ended[wide] = feeds > 0
    # Where all line feeds stand behind rows, none stands within one.
    lines = int(np.count_nonzero(data == LINE_FEED))
    before = block.data.count(b"\n", 0, begin[0])
    if not is_ended.all() or before + len(end) - len(wide) + int(feeds.sum()) != lines:
        return None
    if tabs:
        single = int(begin[0]) + len(end) * (columns - 1) + int(behind.sum())
        if np.count_nonzero(separates) != single or not _have_plain_ends(data, int(begin[0]), end, behind, has_returns):
            return None
    block.has_lines(lines)
    bounds = np.concatenate(([0], wide[feeds > 1] + 1, [len(end)]))
    return Grid(block.data, columns, found, bounds[: -1 if bounds[-2] == len(end) else None])


def other_lines(data: bytes, begin: Ints, first: Ints) -> Ints:
    """How many lines without cells stand before some places, of those that have `first` lines with cells before."""
    feeds = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == LINE_FEED)
    return np.searchsorted(feeds, begin) - first


def _edges(separates: Bools) -> Ints:
    """Where runs of text begin and end, in turns."""
    changes = np.empty_like(separates)
    changes[0] = not separates[0]
    np.not_equal(separates[1:], separates[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _has_returns(data: Bytes) -> bool | None:
    """Whether there are carriage returns; None where there are odd bytes up to the space, which separate nothing."""
    behind_feed, behind_return = LINE_FEED + 1, CARRIAGE_RETURN + 1
    # Bytes below a range wrap around, so that those within it become the least ones.
    least = int((data - np.uint8(behind_feed)).min()) + behind_feed
    if int(data.min()) < TAB or least < CARRIAGE_RETURN:
        return None
    if least >= SPACE:
        return False
    return True if int((data - np.uint8(behind_return)).min()) >= SPACE - behind_return else None


def _line_feeds(data: Bytes, end: Ints, behind: Ints) -> Ints:
    """How many line feeds there are among so many bytes behind rows."""
    second = (data.take(end + 1, mode="clip") == LINE_FEED) & (behind > 1)
    counted: Ints = (data[end] == LINE_FEED) + second.astype(np.int64)
    rows = np.flatnonzero(behind > 2)
    if len(rows):
        end, behind = end[rows] + 2, behind[rows] - 2
        so_far = np.append(0, np.cumsum(data[ranges(end, behind)] == LINE_FEED))
        last = np.cumsum(behind)
        counted[rows] += so_far[last] - so_far[last - behind]
    return counted


def _have_plain_ends(data: Bytes, first: int, end: Ints, behind: Ints, has_returns: bool) -> bool:
    """Whether lines have no tabs or spaces at their ends, and every carriage return a line feed behind it."""
    returns, wide = np.flatnonzero(data == CARRIAGE_RETURN) if has_returns else empty(), np.flatnonzero(behind > 1)
    feeds = np.concatenate((returns + 1, end[wide] + behind[wide] - 1, [first - 1] * bool(first)))
    has_blanks = (data[end - 1] == SPACE).any() or (data[end[wide]] == TAB).any()
    return not has_blanks and bool((data[feeds.astype(np.int64)] == LINE_FEED).all())


# == formats/parsing/line_cells.py: The first cells and the last cell of lines, without a look a


Cell = tuple[Ints, Ints]
"""Begin and end of a cell, for every line."""
_CONTROL = bytes(range(SPACE + 1))


@dataclass(frozen=True)
class LineCells:
    """Some lines of a block, without the blanks at their ends."""

    data: bytes
    line: Ints
    """The number of each line, counted from `first_line`."""
    begin: Ints
    end: Ints
    tabs: bool
    first_line: int
    _marks: BitSearch
    """The tabs and line feeds; without tabs, the bytes with which text or blanks begin."""

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
        """The line's number in its file."""
        return self.first_line + int(self.line[row])

    def texts(self) -> Iterator[str]:
        for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            yield self.data[begin:end].decode()

    def split(self, row: int) -> list[str]:
        """All cells of a line."""
        text = self.data[self.begin[row] : self.end[row]].decode()
        return text.split("\t") if self.tabs else text.split()

    def cells(self, places: Sequence[int]) -> tuple[dict[int, Cell], Ints]:
        """The cells at some places, counted from 0, and where the last of them ends; what is missing is at the end."""
        found: dict[int, Cell] = {}
        bounds = {place: (place - 1, place) if self.tabs else (2 * place, 2 * place + 1) for place in places}
        marks = self._marks.following(self.begin, {number for pair in bounds.values() for number in pair})
        for place, (first, behind) in bounds.items():
            start = marks[first] + self.tabs if first >= 0 else self.begin
            found[place] = np.minimum(start, self.end), np.minimum(marks[behind], self.end)
        return found, found[max(places)][1] if places else self.begin

    def last(self, least: int) -> Cell:
        """The last cells; between tabs, empty ones behind the first `least` are passed over."""
        end = self.end
        start = self._begin_of_last(end)
        if not self.tabs:
            return start, end
        for row in np.flatnonzero(start == end).tolist():
            cells = self.split(row)
            while len(cells) > least and not cells[-1]:
                cells.pop()
            end = end.copy() if end is self.end else end
            end[row] = self.begin[row] + len("\t".join(cells).encode())
        return self._begin_of_last(end), end

    def _begin_of_last(self, end: Ints) -> Ints:
        """Where the last cells before these ends begin."""
        return np.maximum(self._marks.preceding(end) + self.tabs, self.begin)


# == formats/parsing/windows.py: Numbers and strings within windows of eight bytes, all bytes


Windows = npt.NDArray[np.unsignedinteger[Any]]
"""Windows of any size: their bytes are as many as their type has."""


def leading_numbers(window: Words) -> tuple[Ints, Ints]:
    """The whole number that each window begins with, and how many digits it has there: none to eight."""
    value, length = _numbers(window.astype(np.uint32))
    # Most numbers are short, and half as many bytes take half the time.
    if length.max(initial=0) == 4:
        value, length = _numbers(window)
    return value.astype(np.int64), length.astype(np.int64)


def lengths_to_quote(window: Words) -> Ints:
    """How many bytes of each window stand before its first quote; 8 if it has none."""
    others = window ^ _each(window, ord('"'))
    return _before_first((others - _each(window, 1)) & ~others & _each(window, 0x80)).astype(np.int64)


def _numbers(window: Windows) -> tuple[Windows, Windows]:
    kind, size = window.dtype.type, window.itemsize
    digits = window ^ _each(window, ord("0"))
    # What is added sets the high bit of bytes over nine.
    length = _before_first(((digits + _each(window, 0x76)) | digits) & _each(window, 0x80))
    # Digits move up to the last byte, and zeros in; then neighbours are added up: to pairs, fours, eights.
    value = digits << (kind(8 * size) - (length.astype(kind) << kind(3)))
    step = 1
    while step < size:
        keep = kind(int.from_bytes((b"\xff" * step + bytes(step)) * (size // step // 2), "little"))
        value = (value * kind(10**step) + (value >> kind(8 * step))) & keep
        step *= 2
    return value, length


def _before_first(high_bits: Windows) -> Windows:
    """How many bytes stand before the lowest one whose high bit is set; all of them where none is."""
    below = (high_bits & -high_bits) - high_bits.dtype.type(1)
    counted: Windows = np.bitwise_count(below) >> np.uint8(3)
    return counted


def _each(window: Windows, byte: int) -> np.unsignedinteger[Any]:
    """A window with the same byte everywhere."""
    return window.dtype.type(int.from_bytes(bytes([byte]) * window.itemsize, "little"))
