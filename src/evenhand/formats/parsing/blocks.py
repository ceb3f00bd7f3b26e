"""The byte-block parser: the lines and cells of a block, found with array operations only.

Separators are single tabs, or runs of spaces and tabs. Nothing is unquoted and nothing is dropped: every line has a
number, a begin, an end and a number of cells, and the caller decides what an odd line means.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.source import LINE_FEED, Block
from evenhand.limits import COLUMNS, DEPTH, LimitError

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

    def table(self, lines: Ints, columns: int) -> Table:
        """The first cells of some lines, which all have at least `columns` of them."""
        return Table(self.data, columns, lines, self._first[lines], self._start, self._end)

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
class Table(Cells):
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
