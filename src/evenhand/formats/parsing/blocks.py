"""The byte-block parser: the lines and cells of a block, found with array operations only.

Separators are single tabs, or runs of spaces and tabs. Nothing is unquoted and nothing is dropped: every line has a
number, a begin, an end and a number of cells, and the caller decides what an odd line means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.formats.source import LINE_FEED, Block
from evenhand.limits import COLUMNS, DEPTH, LimitError
from evenhand.text.tokens import Tokens

TAB, SPACE, CARRIAGE_RETURN = 9, 32, 13
_BLANKS_AT_END = 8
"""How many blanks at the ends of lines are looked for in all lines at once."""
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
    _last: Ints
    """For each line the place of its last cell in the columns below."""
    _end: Ints
    """Where each cell ends."""
    _start: Ints | None
    """Where each cell begins; None where that is always just behind the end of the cell before."""

    def table(self, lines: Ints, columns: int, *, at_least: bool = False) -> Table:
        """The cells of some lines, which all have `columns` of them; or `at_least`, and these are the first."""
        last = self._last[lines]
        if at_least:
            last = last - (self.cells[lines] - columns)
        return Table(self.data, lines, columns, last, self._end, self._start)

    @property
    def begins(self) -> Ints:
        """Where each line begins."""
        if self._start is None:
            return np.append(0, self._end[self._last[:-1]] + 1)
        starts: Ints = self._start[np.append(0, self._last[:-1] + 1)]
        return starts

    @property
    def ends(self) -> Ints:
        ends: Ints = self._end[self._last]
        return ends

    def drop_empty_end(self, line: int, columns: int) -> bool:
        """Leave a line `columns` cells if those behind them are empty; whether that was possible."""
        more = int(self.cells[line]) - columns
        behind = slice(self._last[line] - more + 1, self._last[line] + 1)
        if more <= 0 or (self._start is None and (np.diff(self._end[behind.start - 1 : behind.stop]) != 1).any()):
            return False
        if self._start is not None and (self._end[behind] != self._start[behind]).any():
            return False
        self._last[line] -= more
        self.cells[line] = columns
        return True

    def number(self, line: int) -> int:
        """The line's number in its file."""
        return self.first_line + line

    def text(self, line: int) -> str:
        """The line, without what ends it."""
        columns = max(int(self.cells[line]), 1)
        cells = self.table(np.array([line]), columns)
        return self.data[cells.column(0)[0][0] : cells.column(columns - 1)[1][0]].decode()


@dataclass(frozen=True)
class Table:
    """The cells of lines that have equally many; columns count from 0."""

    data: bytes
    lines: Ints
    columns: int
    _last: Ints
    _all_ends: Ints
    _all_starts: Ints | None
    _ends: dict[int, Ints] = field(default_factory=dict)

    def column(self, column: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column."""
        if self._all_starts is not None:
            return self._all_starts[self._last - (self.columns - 1 - column)], self._end(column)
        return self._end(column - 1) + 1, self._end(column)

    def tokens(self, column: int) -> Tokens:
        return Tokens(self.data, *self.column(column)) if column else self._first

    @cached_property
    def _first(self) -> Tokens:
        """The cells in the first column, of which several ask for the first bytes."""
        return Tokens(self.data, *self.column(0))

    def text(self, column: int, row: int) -> str:
        place = int(self._last[row]) - (self.columns - 1 - column)
        if self._all_starts is not None:
            start = int(self._all_starts[place])
        else:
            start = int(self._all_ends[place - 1]) + 1 if place else 0
        return self.data[start : self._all_ends[place]].decode()

    def _end(self, column: int) -> Ints:
        """The ends of the cells in one column; -1 is the last one of the line before."""
        if column not in self._ends:
            place = self._last - (self.columns - 1 - column)
            ends = self._all_ends[place]
            if len(place) and place[0] < 0:
                ends[0] = -1
            self._ends[column] = ends
        return self._ends[column]


def refuse_wide(line: str | bytes, number: int) -> None:
    """Raise an error where a line has more columns than the limit."""
    most = COLUMNS.value
    if len(line) > most:
        text = np.frombuffer(line.encode() if isinstance(line, str) else line, dtype=np.uint8)
        is_tab = text == TAB
        is_blank = is_tab | (text == SPACE)
        runs = int(np.count_nonzero(is_blank[1:] & ~is_blank[:-1]))
        columns = max(int(np.count_nonzero(is_tab)), runs) + 1
        if columns > most:
            raise LimitError(f"found {columns:,} columns", COLUMNS.remedy, number)


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
        for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
            refuse_wide(line, number)
    end, ends_line, start = _tabbed_cells(data) if tabs else _cells_between_runs(data)
    last = np.flatnonzero(ends_line)
    cells = last.copy()
    cells[1:] -= last[:-1]
    cells[0] += 1
    cells[_blank_lines(data, cells, last, end, start, tabs=tabs)] = 0
    return Lines(block.data, block.first_line, cells, last, end, start)


def _blank_lines(data: Bytes, cells: Ints, last: Ints, end: Ints, start: Ints | None, *, tabs: bool) -> Ints:
    """The lines that are no longer than the separators between their cells; the last of these cells is empty.

    Only tabs can stand before an empty cell, so that without them such a line has that cell alone. Where most lines
    have one, what stands before the end of a blank line tells: a blank, or the end of the line before.
    """
    if start is None and len(end) == len(last):  # a cell a line, as in files of tags alone
        return np.flatnonzero(np.diff(end, prepend=-1) == 1)
    maybe = last if tabs else np.flatnonzero(cells == 1)
    if 2 * len(maybe) > len(last):
        maybe = np.flatnonzero(data[end[last] - 1] <= SPACE)
    first_cell = last[maybe] - cells[maybe] + 1
    first = np.where(first_cell > 0, end[first_cell - 1] + 1, 0) if start is None else start[first_cell]
    return maybe[end[last[maybe]] - first < cells[maybe]]


def _separators(data: Bytes, maybe: Bools, *wanted: int) -> tuple[Ints, Bytes]:
    """Where the wanted bytes are, and which it is there; `maybe` says where they may be, and is right but rarely."""
    place = np.flatnonzero(maybe)
    byte = data[place]
    is_wanted = byte == wanted[0]
    for each in wanted[1:]:
        is_wanted |= byte == each
    return (place, byte) if is_wanted.all() else (place[is_wanted], byte[is_wanted])


def _starts(end: Ints) -> Ints:
    """Where each cell begins: behind the separator before it."""
    start = np.empty_like(end)
    start[:1] = 0
    np.add(end[:-1], 1, out=start[1:])
    return start


def _tabbed_cells(data: Bytes) -> tuple[Ints, Bools, Ints | None]:
    """The end of every cell between tabs, whether it is its line's last, and its begin unless that is plain.

    Lines end before the carriage returns and spaces at their end.
    """
    end, byte = _separators(data, data <= LINE_FEED, TAB, LINE_FEED)
    ends_line = byte == LINE_FEED
    start = None
    for _ in range(_BLANKS_AT_END):
        before = data[end - 1]
        blank = ends_line & ((before == CARRIAGE_RETURN) | (before == SPACE))
        if start is not None:
            blank &= end > start
        if not blank.any():
            return end, ends_line, start
        if start is None:
            start = _starts(end)
            continue
        end = end - blank
    assert start is not None
    for cell in np.flatnonzero(blank).tolist():  # the few with many blanks, one by one
        end[cell] = start[cell] + len(data[start[cell] : end[cell]].tobytes().rstrip(b"\r "))
    return end, ends_line, start


def _cells_between_runs(data: Bytes) -> tuple[Ints, Bools, Ints | None]:
    """The end of every cell between runs of blanks, whether it is its line's last, and its begin unless plain.

    A blank line keeps one empty cell.
    """
    blank = data <= SPACE
    line_feed = data == LINE_FEED
    if _is_plain(blank, line_feed):
        end, byte = _separators(data, blank, TAB, LINE_FEED, CARRIAGE_RETURN, SPACE)
        return end, byte == LINE_FEED, None
    low, byte = _separators(data, data < SPACE, TAB, LINE_FEED, CARRIAGE_RETURN)
    if len(low) + np.count_nonzero(data == SPACE) < np.count_nonzero(blank):  # other control characters are text
        blank = data == SPACE
        blank[low] = True
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
        return end, ends_line, start
    ends_line[:-1] |= trailing[1:]
    keep = ~trailing
    return end[keep], ends_line[keep], start[keep]


def _is_plain(blank: Bools, line_feed: Bools) -> bool:
    """Whether blanks stand alone, but for the line feeds of blank lines."""
    together = np.count_nonzero(blank[1:] & blank[:-1])
    starts_blank = bool(blank[0]) and not line_feed[0]
    return not starts_blank and together == np.count_nonzero(line_feed[1:] & line_feed[:-1])


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
