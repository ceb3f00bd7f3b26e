"""Blocks in which every line that is not blank has the same number of cells, with a tab or any run of blanks between.

In such a block the bounds of cells are a matrix, a row a line: one look for the places at which text begins or ends
finds them all, and nothing has to be counted line by line. That lines end where rows do is checked; what is written in
any other way (empty cells, blanks at the ends of lines, odd lines) is left to `blocks`.
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

_MOST_LINE_ENDS = 64
"""How many blank lines may follow each other."""


@dataclass(frozen=True)
class Grid(Cells):
    """The cells of lines between which only blank ones stand, or others that end sentences, too."""

    data: bytes
    columns: int
    edges: Ints
    """Where each cell begins and ends: a row a line, two columns a cell."""
    bounds: Ints
    """Where sentences begin, in lines with cells, and where the last one ends."""

    def column(self, column: int) -> tuple[Ints, Ints]:
        return self.edges[:, 2 * column], self.edges[:, 2 * column + 1]

    @property
    def lines(self) -> LineNumbers:  # type: ignore[override]
        return LineNumbers(self.bounds[:-1], cache(self.other_lines), 0, len(self.edges))

    def other_lines(self) -> Ints:
        """How many lines that are none of these stand before each sentence."""
        feeds = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == LINE_FEED)
        first = self.bounds[:-1]
        return np.searchsorted(feeds, self.edges[first, 0]) - first

    def without(self, rows: Ints) -> Grid:
        """The other lines; where some are taken out, a sentence ends."""
        keep = others(len(self.edges), rows)
        bounds = np.concatenate((self.bounds, rows))
        bounds = distinct(bounds - np.searchsorted(rows, bounds))
        return Grid(self.data, self.columns, self.edges.take(keep, axis=0), bounds)


def grid(block: Block, columns: int, *, tabs: bool) -> Grid | None:
    """The cells of a block whose lines are blank or have `columns` of them; None where it is written otherwise."""
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    line_end = b"\r\n" if b"\r" in block.data else b"\n"
    separates = _tabs_and_ends(data, line_end) if tabs else data <= SPACE
    edges = _edges(separates)
    if separates[0] or len(edges) % (2 * columns) or not (tabs or _has_plain_blanks(data, line_end)):
        return None
    edges = edges.reshape(-1, 2 * columns)
    end = edges[:, -1]
    behind = np.append(edges[1:, 0], block.size) - end
    lines, rest = int(np.count_nonzero(data == LINE_FEED)), int(behind.sum())
    # Where all line ends stand behind rows, there is none within one.
    if rest != lines * len(line_end) or not _are_line_ends(block.data, end, behind, line_end):
        return None
    if len(line_end) > 1 and np.count_nonzero(data == CARRIAGE_RETURN) != lines:
        return None
    if tabs and (np.count_nonzero(separates) - rest != len(end) * (columns - 1) or (data[end - 1] == SPACE).any()):
        return None
    block.has_lines(lines)
    first = np.flatnonzero(behind[:-1] > len(line_end)) + 1
    return Grid(block.data, columns, edges, np.concatenate(([0], first, [len(end)])))


def _tabs_and_ends(data: Bytes, line_end: bytes) -> Bools:
    separates = data == TAB
    for byte in line_end:
        separates |= data == byte
    return separates


def _edges(separates: Bools) -> Ints:
    """Where runs of text begin and end, in turns; the first one begins with the first byte."""
    changes = np.ones_like(separates)
    np.not_equal(separates[1:], separates[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _has_plain_blanks(data: Bytes, line_end: bytes) -> bool:
    """Whether no bytes up to the space are others than tabs, spaces and those of line ends."""
    odd = (
        ((LINE_FEED + 1, CARRIAGE_RETURN), (CARRIAGE_RETURN + 1, SPACE))
        if b"\r" in line_end
        else ((LINE_FEED + 1, SPACE),)
    )
    # Bytes before the first of a range wrap around, so that those within it are the least ones.
    return int(data.min()) >= TAB and all(int((data - np.uint8(low)).min()) >= high - low for low, high in odd)


def _are_line_ends(text: bytes, end: Ints, behind: Ints, line_end: bytes) -> bool:
    """Whether the bytes behind rows, as many as given, are line ends."""
    data, size = np.frombuffer(text, dtype=np.uint8), len(line_end)
    for step in range(_MOST_LINE_ENDS):
        if any((data[end + step * size + place] != byte).any() for place, byte in enumerate(line_end)):
            return False
        more = np.flatnonzero(behind > (step + 1) * size)
        if not len(more):
            return True
        end, behind = end[more], behind[more]
    return False
