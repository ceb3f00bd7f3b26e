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
    _end: Ints
    """Where each cell ends."""
    _start: Ints | None
    """Where each cell begins; None where that is always just behind the end of the cell before."""

    def cell(self, lines: Ints, column: int, columns: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column, for lines that all have `columns` cells."""
        place = self._last[lines]
        if column != columns - 1:
            place -= columns - 1 - column
        end = self._end[place]
        return self._begin(place), end

    def _begin(self, place: Ints) -> Ints:
        if self._start is not None:
            return self._start[place]
        place -= 1
        start = self._end[place]
        start += 1
        if len(place) and place[0] < 0:
            start[0] = 0
        return start

    def number(self, line: int) -> int:
        """The line's number in its file."""
        return self.first_line + line

    def text(self, line: int) -> str:
        """The line, without what ends it."""
        last = self._last[[line]]
        first = last - max(int(self.cells[line]), 1) + 1
        return self.data[self._begin(first)[0] : self._end[last][0]].decode()


def split(block: Block, *, tabs: bool) -> Lines:
    """The lines and cells of a block; cells are separated by single tabs, or by runs of spaces and tabs."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    end, ends_line, start = _tabbed_cells(data) if tabs else _cells_between_runs(data)
    last = np.flatnonzero(ends_line)
    cells = last.copy()
    cells[1:] -= last[:-1]
    cells[0] += 1
    cells[_blank_lines(cells, last, end, start)] = 0
    return Lines(block.data, block.first_line, cells, last, end, start)


def _blank_lines(cells: Ints, last: Ints, end: Ints, start: Ints | None) -> Bools:
    """Which lines are no longer than the separators between their cells."""
    line_end = end[last]
    if start is not None:
        length = line_end - start[last - cells + 1]
    else:
        length = line_end.copy()
        length[1:] -= line_end[:-1] + 1
    blank: Bools = length < cells
    return blank


def _separators(data: Bytes, *wanted: int) -> tuple[Ints, Bytes]:
    """Where the wanted bytes are, and which it is there; other bytes up to the highest of them are rare."""
    place = np.flatnonzero(data <= max(wanted))
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
    end, byte = _separators(data, TAB, LINE_FEED)
    ends_line = byte == LINE_FEED
    start = None
    while True:
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


def _cells_between_runs(data: Bytes) -> tuple[Ints, Bools, Ints | None]:
    """The end of every cell between runs of blanks, whether it is its line's last, and its begin unless plain.

    A blank line keeps one empty cell.
    """
    end, byte = _separators(data, TAB, LINE_FEED, CARRIAGE_RETURN, SPACE)
    ends_line = byte == LINE_FEED
    start = _starts(end)
    full = end > start
    plain = full | (ends_line & np.append(True, ends_line[:-1]))
    if plain.all():
        return end, ends_line, None
    keep = full | ends_line
    start, end, ends_line, full = start[keep], end[keep], ends_line[keep], full[keep]
    # Blanks at the end of a line leave its line feed behind an empty cell: the cell before it is the last one.
    trailing = np.zeros_like(full)
    trailing[1:] = ends_line[1:] & ~full[1:] & ~ends_line[:-1]
    ends_line[:-1] |= trailing[1:]
    keep = ~trailing
    return end[keep], ends_line[keep], start[keep]


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
