"""The first cells and the last cell of lines, without a look at those between.

Of the many columns of some files few are wanted. The bytes of a block are gone through once, for marks: separators,
which are single tabs, or runs of blanks. Control characters are blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import SPACE, TAB, trimmed
from evenhand.formats.parsing.marks import Marks
from evenhand.formats.source import LINE_FEED, Block

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
    _marks: Marks
    """The tabs and line feeds; without tabs, the bytes with which text or blanks begin."""

    @staticmethod
    def of(block: Block, *, tabs: bool) -> LineCells:
        text = np.frombuffer(block.data, dtype=np.uint8)
        end = np.flatnonzero(text[: block.size] == LINE_FEED)
        block.has_lines(len(end))
        begin = np.append(0, end[:-1] + 1)
        marks = Marks.of_changes(text, lambda some: some > SPACE)
        blank = np.flatnonzero(text[begin] <= SPACE)
        first = np.minimum(marks.following(begin[blank], [0])[0], end[blank])
        begin[blank] = np.where(first == end[blank], first, begin[blank]) if tabs else first
        if tabs:
            marks = Marks.of(text, lambda some: (some == TAB) | (some == LINE_FEED))
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
        return np.maximum(self._marks.before(end) + self.tabs, self.begin)
