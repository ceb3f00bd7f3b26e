"""Blocks whose lines are written alike, and of which most end with the tag `O`.

What is checked of every byte is checked in bits, 64 bytes at a time. Only the other tags are looked for, and where
tokens begin and end is worked out when somebody asks: whether two files have the same tokens can be told without.
What is written in any other way is left to `grid`, and after that to `blocks`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from evenhand.arrays import Bytes, Ints, Words, distinct, ints
from evenhand.bits import Rank, bits, every, gaps, later, places
from evenhand.formats.parsing.blocks import SPACE, TAB
from evenhand.formats.parsing.grid import Grid, grid, has_plain_separators
from evenhand.formats.source import LINE_FEED, Block
from evenhand.text.corpus import LineNumbers
from evenhand.text.tagged_lines import OUTSIDE_BYTE, LineTokens, TaggedLines
from evenhand.text.tokens import windows

_LONGEST = 32
"""From so many bytes on, a tag is not found."""


@dataclass(frozen=True)
class Marked:
    """Lines with equally many cells; columns count from 0. It answers what a `Grid` answers."""

    columns: int
    bounds: Ints
    """Where sentences begin, in lines with cells, and where the last one ends."""
    documents: Ints
    """How many lines stand before each begin of a document."""
    tagged: TaggedLines
    _block: Block
    _tabs: bool

    @property
    def data(self) -> bytes:
        return self._block.data

    @cached_property
    def grid(self) -> Grid:
        """Where all the cells are."""
        found = grid(self._block, self.columns, tabs=self._tabs)
        assert found is not None
        return found.without(self.documents + np.arange(len(self.documents))) if len(self.documents) else found

    @property
    def first(self) -> LineTokens:
        """The cells in the first column; they keep these lines, so that these must not keep them."""
        return LineTokens(self.tagged, partial(self.column, 0), 0, self.tagged.size)

    def column(self, column: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column."""
        return self.grid.column(column)

    def text(self, column: int, row: int) -> str:
        return self.grid.text(column, row)

    @property
    def lines(self) -> LineNumbers:
        """The number of each line in its block, where others count, too."""
        return LineNumbers(self.bounds[:-1], cache(self.other_lines), 0, self.tagged.size)

    def other_lines(self) -> Ints:
        """How many lines that are none of these stand before each sentence."""
        return self.grid.other_lines()


def marked(block: Block, columns: int, *, tabs: bool, mark: bytes) -> Marked | None:
    """The lines of a block that are blank or have `columns` cells; None where it is written otherwise.

    Lines with `mark` as their first cell begin documents, and are left out.
    """
    if columns & (columns - 1):  # bits are told apart by halves
        return None
    data = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    feeds, low = bits(data == LINE_FEED), bits(data <= SPACE)
    separators = feeds | bits(data == TAB) if tabs else low
    blank = feeds & later(feeds)
    ends, behind = feeds & ~blank, later(feeds, first=1)
    cells = separators & ~blank
    if (cells & later(low)).any() or (low & ~blank & behind).any() or not (tabs or has_plain_separators(data)):
        return None
    if not np.array_equal(every(cells, columns), ends):
        return None
    marks = _marks(block, places(behind & bits(data == mark[0])), mark, b"\t\n" if tabs else b"\t\n ")
    if len(marks):
        ends &= ~_line_ends(block, marks)
    tagged = _tagged(block, data, separators, ends)
    if tagged is None:
        return None
    block.has_lines(int(np.bitwise_count(feeds).sum()))
    first, documents = tagged.ends(places(blank & ~later(blank))), tagged.ends(marks)
    bounds = np.concatenate(([0], first[first < tagged.size], [tagged.size]))
    if len(documents):
        bounds = distinct(np.append(bounds, documents))
    return Marked(columns, bounds, documents, tagged, block, tabs)


def _marks(block: Block, begins: Ints, mark: bytes, separators: bytes) -> Ints:
    """Those of the begins of lines where the first cell is `mark`, maybe with a name in brackets behind it."""
    maybe = begins[windows(block.data)[begins] == np.frombuffer(mark[:8], dtype="<u8")]
    cell = re.compile(re.escape(mark) + rb"(\([^" + separators + rb"]*\))?[" + separators + rb"]")
    return ints([place for place in maybe.tolist() if cell.match(block.data, place)])


def _line_ends(block: Block, begins: Ints) -> Words:
    """Where the lines end that begin here."""
    found = np.zeros(block.size, dtype=np.bool_)
    found[[block.data.index(b"\n", begin) for begin in begins.tolist()]] = True
    return bits(found)


def _tagged(block: Block, data: Bytes, separators: Words, ends: Words) -> TaggedLines | None:
    """The last cells that are not `O`; None where these are most, or one is very long."""
    outside = later(bits(data == OUTSIDE_BYTE)) & later(separators, 2, first=2)
    end, rank = places(ends & ~outside), Rank.of(ends)
    length = np.minimum(gaps(separators, end), end)
    if 2 * len(end) > rank.size or (length >= _LONGEST).any():
        return None
    return TaggedLines(block.data, rank, rank(end), end - length, end)
