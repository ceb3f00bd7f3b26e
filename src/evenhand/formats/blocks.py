"""The byte-block parser: the lines and cells of a block, found with array operations only.

Separators are single tabs, or runs of spaces and tabs. Nothing is unquoted and nothing is dropped: every line has a
number, a begin, an end and a number of cells, and the caller decides what an odd line means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.formats.source import LINE_FEED, Block

TAB, SPACE, CARRIAGE_RETURN = 9, 32, 13


@dataclass(frozen=True)
class Lines:
    """The lines of a block; line i has `cells[i]` cells, none where it is blank."""

    data: bytes
    first_line: int
    cells: Ints
    _last: Ints
    """For each line the place of its last cell in the columns below."""
    _cell_start: Ints
    _cell_end: Ints

    def cell(self, lines: Ints, column: int, columns: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column, for lines that all have `columns` cells."""
        place = self._last[lines] - (columns - 1 - column)
        return self._cell_start[place], self._cell_end[place]

    def number(self, line: int) -> int:
        """The line's number in its file."""
        return self.first_line + line

    def text(self, line: int) -> str:
        """The line, without what ends it."""
        first = self._last[line] - max(int(self.cells[line]), 1) + 1
        return self.data[self._cell_start[first] : self._cell_end[self._last[line]]].decode()


def split(block: Block, *, tabs: bool) -> Lines:
    """The lines and cells of a block; cells are separated by single tabs, or by runs of spaces and tabs."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    if tabs:
        end = np.flatnonzero((data == TAB) | (data == LINE_FEED))
        start, ends_line = _starts(end), data[end] == LINE_FEED
        last = np.flatnonzero(ends_line)
        end[last] = _trimmed(data, start[last], end[last])
    else:
        start, end, ends_line = _cells_between_runs(data)
        last = np.flatnonzero(ends_line)
    cells = np.diff(last, prepend=-1)
    # A line of separators alone is as long as it has separators, one less than its cells.
    cells[end[last] - start[last - cells + 1] == cells - 1] = 0
    return Lines(block.data, block.first_line, cells, last, start, end)


def _starts(end: Ints) -> Ints:
    """Where each cell begins: behind the separator before it."""
    start = np.empty_like(end)
    start[:1], start[1:] = 0, end[:-1] + 1
    return start


def _trimmed(data: Bytes, start: Ints, end: Ints) -> Ints:
    """Line ends without the carriage returns and spaces before them."""
    while True:
        before = data[end - 1]
        blank = ((before == CARRIAGE_RETURN) | (before == SPACE)) & (end > start)
        if not blank.any():
            return end
        end = end - blank


def _cells_between_runs(data: Bytes) -> tuple[Ints, Ints, Bools]:
    """Begin and end of every cell between runs of blanks, and whether it is its line's last.

    A blank line keeps one empty cell.
    """
    end = np.flatnonzero((data == SPACE) | (data == TAB) | (data == LINE_FEED) | (data == CARRIAGE_RETURN))
    start, ends_line = _starts(end), data[end] == LINE_FEED
    full = end > start
    keep = full | ends_line
    if not keep.all():
        start, end, ends_line, full = start[keep], end[keep], ends_line[keep], full[keep]
    # Blanks at the end of a line leave its line feed behind an empty cell: the cell before it is the last one.
    trailing = np.zeros_like(full)
    trailing[1:] = ends_line[1:] & ~full[1:] & ~ends_line[:-1]
    if trailing.any():
        ends_line[:-1] |= trailing[1:]
        keep = ~trailing
        start, end, ends_line = start[keep], end[keep], ends_line[keep]
    return start, end, ends_line


def numbers(data: bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """The cells as whole numbers of at most 18 digits, and which of them are none."""
    text = np.frombuffer(data, dtype=np.uint8)
    lengths = end - start
    value, bad = np.zeros(len(start), dtype=np.int64), (lengths == 0) | (lengths > 18)
    for place in range(min(int(lengths.max(initial=0)), 18)):
        inside = lengths > place
        digit = text[np.where(inside, start + place, 0)].astype(np.int64) - ord("0")
        bad |= inside & ((digit < 0) | (digit > 9))
        value = np.where(inside, value * 10 + digit, value)
    return value, bad
