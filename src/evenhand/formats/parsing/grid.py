"""Blocks in which every line that is not blank has the same number of cells, with a tab or any run of blanks between.

In such a block the bounds of cells are a matrix, a row a line: one look for the places at which text begins or ends
finds them all, and nothing has to be counted line by line. That lines end where rows do is checked; what is written in
any other way (empty cells, odd lines, blanks at the ends of lines with tabs) is left to `blocks`.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, distinct, empty, others, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import CARRIAGE_RETURN, SPACE, TAB
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.source import LINE_FEED, Block
from evenhand.text.line_numbers import LineNumbers


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
        keep = others(len(self.edges[0]), rows)
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
