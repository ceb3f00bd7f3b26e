"""The strings of some JSON, found by their quotes, and the lists that they make; a bit stands for each byte."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words, distinct
from evenhand.bits import Rank, at_places, behind, equal_to, parity, places
from evenhand.dataclass import dataclass

_QUOTE, _BRACKET = ord('"'), ord("]")


class OddError(Exception):
    """A block is not spelled as expected."""


def demand(met: Bools) -> None:
    """Raise an `OddError` where something is not as expected."""
    if not met.all():
        raise OddError


@dataclass(frozen=True)
class StringLists:
    """Lists of strings: where the first and the last quote of each are, and how many strings there are."""

    first: Ints
    last: Ints
    sizes: Ints

    def take(self, rows: Ints) -> StringLists:
        return StringLists(self.first[rows], self.last[rows], self.sizes[rows])

    def around(self, at: Ints) -> Ints:
        """Which of them have one of these places within."""
        row = np.searchsorted(self.first, at, side="right") - 1
        return distinct(row[(row >= 0) & (at < self.last[row])])


class Strings:
    """The strings of a block."""

    def __init__(self, text: Bytes, separator: bytes, backslashes: Ints) -> None:
        """`separator` stands between the strings of a list; `backslashes` are where they stand in the block."""
        self._text, self._separator = text, separator
        self.quotes = equal_to(text, _QUOTE)
        """Those around strings."""
        if len(backslashes):
            self.quotes &= ~at_places(escapes(backslashes) + 1, len(text))
        inside = parity(self.quotes)
        if inside[-1] >> np.uint64(63):
            raise OddError
        self.opens = self.quotes & inside
        """The quotes before strings."""
        self._closes = self.quotes & ~inside

    @cached_property
    def _lasts(self) -> Ints:
        """Where strings end that no other one follows in a list."""
        is_followed = behind(self.quotes, len(self._separator) + 1)
        for place, byte in enumerate(self._separator, 1):
            is_followed &= behind(equal_to(self._text, byte), place)
        return places(self._closes & ~is_followed)

    @cached_property
    def _before(self) -> Rank:
        return Rank.of(self.opens)

    def lists(self, at: Ints) -> StringLists:
        """The lists whose first quotes must be at these places."""
        number = np.searchsorted(self._lasts, at)
        if number.max(initial=-1) >= len(self._lasts):
            raise OddError
        last, before = self._lasts[number], self._before(at)
        demand((self._before(at + 1) > before) & (self._text[last + 1] == _BRACKET))
        return StringLists(at, last, self._before(last) - before)

    def single(self, byte: int) -> Words:
        """Where a string of this byte alone begins, or a quote, a byte and a quote between strings."""
        return self.quotes & behind(equal_to(self._text, byte), 1) & behind(self.quotes, 2)


def within(lists: StringLists, marks: Words) -> Words:
    """The marks that stand in some lists."""
    edges = at_places(np.concatenate((lists.first, lists.last + 1)), 64 * len(marks) - 1)
    return marks & parity(edges)


def quoted(quotes: Words) -> tuple[Ints, Ints]:
    """Where the strings with these quotes around them begin and end."""
    edges = places(quotes)
    edges[::2] += 1
    return edges[::2], edges[1::2]


def escapes(backslashes: Ints) -> Ints:
    """The backslashes that are not escaped themselves."""
    number = np.arange(len(backslashes))
    begins_run = np.append(True, np.diff(backslashes) > 1)[: len(number)]
    first = np.maximum.accumulate(np.where(begins_run, number, 0))
    found: Ints = backslashes[(number - first) % 2 == 0]
    return found
