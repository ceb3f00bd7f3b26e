"""Lines of tokens and tags of which most are `O`: two files are compared without looking for every token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Words
from evenhand.bits import Rank
from evenhand.text.tokens import Tokens, masks, windows

OUTSIDE_BYTE = ord("O")
_LINE_FEED = 10
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MANY = 4
"""Where one line in so many has another tag than on the other side, tokens are compared one by one."""


@dataclass(frozen=True)
class TaggedLines:
    """Lines whose cells are written alike, the tag last. Only tags that are not `O` are listed."""

    data: bytes
    ends: Rank
    """The ends of the lines with tags, which blank ones and marks of documents have not."""
    rows: Ints
    """Which of these lines have the listed tags."""
    start: Ints
    """Where these tags begin."""
    end: Ints

    @property
    def size(self) -> int:
        """How many lines there are."""
        return self.ends.size

    @cached_property
    def heads(self) -> Words:
        """The first eight bytes of each of the tags as one number, with zeros behind shorter ones."""
        return windows(self.data)[self.start] & masks(self.end - self.start)

    @cached_property
    def keys(self) -> Words:
        """A number for each of the tags, the same for the same tag, and rarely for others."""
        long = np.flatnonzero(self.end - self.start > 8)
        if not len(long):
            return self.heads
        found = self.heads.copy()
        found[long] += windows(self.data)[self.end[long] - 8] * _ODD
        return found

    def begin(self, line: int) -> int:
        """Where a line begins."""
        place = self.behind(line - 1) if line else 0
        while self.data[place] == _LINE_FEED:
            place += 1
        return place

    def behind(self, line: int) -> int:
        """Where the text behind a line begins."""
        return self.ends.place(line) + 1


class LineTokens(Tokens):
    """Tokens of such lines: where they are in their file is worked out when somebody asks."""

    tagged: TaggedLines
    _locate: Callable[[], tuple[Ints, Ints]]
    """Says where the tokens of all lines begin and end."""
    _begin: int
    _behind: int
    """The first of all lines that is one of these, and the first one behind them."""

    def __init__(self, tagged: TaggedLines, locate: Callable[[], tuple[Ints, Ints]], begin: int, behind: int) -> None:
        for name, value in (("tagged", tagged), ("_locate", locate), ("_begin", begin), ("_behind", behind)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return self._behind - self._begin

    @property
    def data(self) -> bytes:
        return self.tagged.data

    @cached_property
    def start(self) -> Ints:
        return self._locate()[0][self._begin : self._behind]

    @cached_property
    def end(self) -> Ints:
        return self._locate()[1][self._begin : self._behind]

    def slice(self, begin: int, end: int) -> LineTokens:
        behind = self._begin + min(end, len(self))
        return LineTokens(self.tagged, self._locate, min(self._begin + begin, behind), behind)

    @property
    def edges(self) -> tuple[int, int]:
        """Where the first line begins, and the text behind the last one."""
        return self.tagged.begin(self._begin), self.tagged.behind(self._behind - 1)

    @cached_property
    def listed(self) -> tuple[Ints, Words, Ints]:
        """The lines with listed tags, the keys of these, and which tags they are."""
        first, last = np.searchsorted(self.tagged.rows, (self._begin, self._behind)).tolist()
        return self.tagged.rows[first:last] - self._begin, self.tagged.keys[first:last], np.arange(first, last)

    def tags(self, lines: Ints) -> tuple[Bools, Ints, Ints]:
        """Which of these lines have listed tags, where these end, and how long the tag of any line is."""
        rows, _, number = self.listed
        tag = np.full(len(self), -1)
        tag[rows] = number
        tag = tag[lines]
        is_listed, end = tag >= 0, np.append(self.tagged.end, 0)[tag]
        return is_listed, end, np.where(is_listed, end - np.append(self.tagged.start, 0)[tag], 1)


def same_but_for_tags(left: LineTokens, right: LineTokens) -> bool:
    """Whether equally many lines of two files are the same, but for their tags; if so, their tokens are the same.

    Where one has a blank line that the other has not, or many tags differ, the answer is no, and tokens have to be
    compared one by one. Lines whose tags differ are cut at these, and what stands between is compared as it is. Where a
    tag is listed on one side only, it is on the other side as far behind the cut before; if it is not, what stands
    between differs.
    """
    differ = np.zeros(len(left), dtype=np.uint64)
    (rows, keys, _), (other_rows, other_keys, _) = left.listed, right.listed
    differ[rows] = keys
    differ[other_rows] ^= other_keys
    lines = np.flatnonzero(differ != 0)
    if not len(left) or len(lines) * _MANY > len(left):
        return not len(left)
    (is_listed, end, length), (_, other_end, other_length) = left.tags(lines), right.tags(lines)
    (begin, behind), (other_begin, other_behind) = left.edges, right.edges
    shift = other_begin - begin + np.append(0, np.cumsum(other_length - length))
    if other_behind - behind != shift[-1]:
        return False
    end = np.where(is_listed, end, other_end - shift[1:])
    cut = np.append(begin, end)
    between = map(slice, cut.tolist(), np.append(end - length, behind).tolist())
    return all(map(right.data.startswith, map(left.data.__getitem__, between), (cut + shift).tolist()))
