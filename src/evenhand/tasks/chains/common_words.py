"""How many words mentions of key and response share.

Most mentions have no gaps: they share the words that both sides have between where the later one begins and the earlier
one ends. Words are looked up one by one for the others only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack, ranges
from evenhand.dataclass import dataclass
from evenhand.text.chains import Chains

_AT_ONCE = 1 << 22
"""How many words are compared at a time, more or less."""


@dataclass(frozen=True)
class _Words:
    """The words of one side's mentions, as ranks among those of both sides: those of mention i begin at `first[i]`."""

    row: Ints
    rank: Ints
    first: Ints
    size: Ints

    @staticmethod
    def of(side: Chains, rank: Ints) -> _Words:
        assert side.words is not None
        size = side.words.size
        return _Words(np.repeat(np.arange(len(size)), size), rank, np.cumsum(size) - size, size)

    @property
    def begin(self) -> Ints:
        found: Ints = self.rank[self.first]
        return found

    @property
    def last(self) -> Ints:
        found: Ints = self.rank[self.first + self.size - 1]
        return found


class CommonWords:
    """The words of all mentions of two sides, numbered alike."""

    def __init__(self, key: Chains, response: Chains) -> None:
        words = [side.document[row] for side, (row, _) in ((key, _flat(key)), (response, _flat(response)))]
        numbers, _ = pack(
            (np.concatenate(words), empty()), (np.concatenate((_flat(key)[1], _flat(response)[1])), empty())
        )
        known, rank = np.unique(numbers, return_inverse=True)
        self._ranks = len(known)
        self._key, self._response = _Words.of(key, rank[: len(words[0])]), _Words.of(response, rank[len(words[0]) :])
        self._in_key, self._in_response = self._occurs(self._key), self._occurs(self._response)
        self._before = np.append(0, np.cumsum(self._in_key & self._in_response))
        """How many words that both sides have stand before each."""

    def of(self, key: Ints, response: Ints) -> Ints:
        """The number of words that these pairs of mentions share."""
        mine, theirs = self._key, self._response
        begin = np.maximum(mine.begin[key], theirs.begin[response])
        end = np.minimum(mine.last[key], theirs.last[response]) + 1
        found: Ints = np.maximum(self._before[end] - self._before[begin], 0)
        is_whole = self._is_whole(mine, self._in_key)[key] & self._is_whole(theirs, self._in_response)[response]
        rows = np.flatnonzero(~is_whole)
        for part in _portions(theirs.size[response[rows]]):
            found[rows[part]] = self._looked_up(key[rows[part]], response[rows[part]])
        return found

    def all(self) -> tuple[Ints, Ints, Ints]:
        """All pairs of mentions that share words, and how many."""
        mine, theirs = self._key, self._response
        key, later = _begun_within(mine, theirs, side="left")
        response, earlier = _begun_within(theirs, mine, side="right")
        key, response = np.concatenate((key, earlier)), np.concatenate((later, response))
        common = self.of(key, response)
        kept = common > 0
        return key[kept], response[kept], common[kept]

    def _occurs(self, side: _Words) -> Bools:
        """Which words a side has."""
        found = np.zeros(self._ranks, dtype=np.bool_)
        found[side.rank] = True
        return found

    def _is_whole(self, side: _Words, occurs: Bools) -> Bools:
        """Which mentions have all words of their side from the first to the last one."""
        before = np.append(0, np.cumsum(occurs))
        found: Bools = before[side.last + 1] - before[side.begin] == side.size
        return found

    def _looked_up(self, key: Ints, response: Ints) -> Ints:
        """The number of words that pairs share, found word by word."""
        codes = self._key.row * (self._ranks + 1) + self._key.rank
        size = self._response.size[response]
        pair = np.repeat(np.arange(len(key)), size)
        wanted = key[pair] * (self._ranks + 1) + self._response.rank[ranges(self._response.first[response], size)]
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.bincount(pair[codes[place] == wanted], minlength=len(key))


def _flat(side: Chains) -> tuple[Ints, Ints]:
    assert side.words is not None
    return side.words.flat()


def _begun_within(one: _Words, other: _Words, side: Literal["left", "right"]) -> tuple[Ints, Ints]:
    """Pairs of mentions of which the second begins within the first; `left`: or where the first begins."""
    order = np.argsort(other.begin, kind="stable")
    begin = other.begin[order]
    first = np.searchsorted(begin, one.begin, side=side)
    size = np.searchsorted(begin, one.last, side="right") - first
    return np.repeat(np.arange(len(one.size)), size), order[ranges(first, size)]


def _portions(size: Ints) -> Iterator[slice]:
    """Successive rows that are not too large together."""
    portion = np.cumsum(size) // _AT_ONCE
    bounds = np.append(np.flatnonzero(np.diff(portion, prepend=-1)), len(size))
    return (slice(begin, end) for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
