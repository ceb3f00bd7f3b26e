"""Blocks as programs write them: every line has the same number of cells, with one blank (or tab) between them.

In such a block the ends of cells are a matrix, a row a line, and nothing has to be counted line by line. That they are
is checked, byte by byte; what is written in any other way is left to `blocks`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, distinct, others
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import CARRIAGE_RETURN, SPACE, TAB
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.source import LINE_FEED, Block
from evenhand.text.corpus import LineNumbers


@dataclass(frozen=True)
class Grid(Cells):
    """The cells of lines between which only blank ones stand, or others that end sentences, too."""

    data: bytes
    columns: int
    start: Ints
    """Where each line begins."""
    end: Ints
    """Where each cell ends: a row a line, a column a cell."""
    bounds: Ints
    """Where sentences begin, in lines with cells, and where the last one ends."""

    def column(self, column: int) -> tuple[Ints, Ints]:
        return self.end[:, column - 1] + 1 if column else self.start, self.end[:, column]

    @property
    def lines(self) -> LineNumbers:  # type: ignore[override]
        return LineNumbers(self.bounds[:-1], cache(self.other_lines), 0, len(self.start))

    def other_lines(self) -> Ints:
        """How many lines that are none of these stand before each sentence."""
        feeds = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == LINE_FEED)
        first = self.bounds[:-1]
        return np.searchsorted(feeds, self.start[first]) - first

    def without(self, rows: Ints) -> Grid:
        """The other lines; where some are taken out, a sentence ends."""
        keep = others(len(self.start), rows)
        edges = np.concatenate((self.bounds, rows))
        bounds = distinct(edges - np.searchsorted(rows, edges))
        return Grid(self.data, self.columns, self.start[keep], self.end[keep], bounds)


def grid(block: Block, columns: int, *, tabs: bool) -> Grid | None:
    """The cells of a block whose lines are blank or have `columns` of them; None where it is written otherwise."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    feeds = data == LINE_FEED
    again = feeds[1:] & feeds[:-1]
    separates = feeds | (data == TAB) if tabs else data <= SPACE
    separates[1:] ^= again  # the ends of blank lines
    if separates[0] or not (tabs or _stand_alone(data, separates)):
        return None
    found, lines = np.flatnonzero(separates), int(np.count_nonzero(feeds))
    rows = lines - int(np.count_nonzero(again))
    if len(found) != rows * columns:
        return None
    end = found.reshape(rows, columns)
    if not feeds[end[:, -1]].all():  # of which there are as many as rows, so that none stands elsewhere
        return None
    start, first = _line_starts(data, end[:, -1])
    if (data[start[first]] <= SPACE).any() or (tabs and not _are_trimmed(data, start, end[:, -1], columns)):
        return None
    block.has_lines(lines)
    return Grid(block.data, columns, start, end, np.concatenate((first, [rows])))


def _stand_alone(data: Bytes, separates: Bools) -> bool:
    """Whether separators are line feeds, tabs and spaces, and no two of them stand side by side."""
    return not (separates[1:] & separates[:-1]).any() and has_plain_separators(data)


def has_plain_separators(data: Bytes) -> bool:
    """Whether no bytes up to the space are others than line feeds, tabs and spaces."""
    behind_feed = data - np.uint8(LINE_FEED + 1)  # what stands before it wraps around
    return int(behind_feed.min()) >= SPACE - LINE_FEED - 1 and int(data.min()) >= TAB


def _line_starts(data: Bytes, end: Ints) -> tuple[Ints, Ints]:
    """Where each line begins, and which lines begin sentences."""
    start = np.empty_like(end)
    start[0] = 0
    np.add(end[:-1], 1, out=start[1:])
    first = np.flatnonzero(data[start] == LINE_FEED)
    rows, place = first, start[first]
    while len(rows):
        start[rows] = place = place + 1
        more = data[place] == LINE_FEED
        rows, place = rows[more], place[more]
    return start, np.concatenate(([0], first))


def _are_trimmed(data: Bytes, start: Ints, end: Ints, columns: int) -> bool:
    """Whether no line between tabs ends with a space or a carriage return, or has no text at all."""
    before = data[end - 1]
    ends_blank = (before == SPACE) | (before == CARRIAGE_RETURN)
    return not (ends_blank.any() or (end - start == columns - 1).any())
