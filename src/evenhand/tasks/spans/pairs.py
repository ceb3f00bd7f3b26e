"""Pairs of gold and system spans that share tokens: what every lenient match model chooses from.

With the tokens T(x) of a span x, those in its gaps left out, the shared tokens of a gold span g and a system span s of
one scope are |T(g) & T(s)|. They are a pair if that is at least 1, whatever their labels. Spans with gaps may lie
across each other without sharing a token; those are no pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints, ints, ranges
from evenhand.text.layers import Spans

MOST, FEW = 16, 1 << 16
"""How many pairs are listed: so many for each span, and so many in any case."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a row of gold and a row of a system, with the number of tokens they share, which is above 0."""

    left: Ints
    right: Ints
    shared: Ints

    def __len__(self) -> int:
        return len(self.left)

    def take(self, rows: Ints | Bools) -> Pairs:
        return Pairs(self.left[rows], self.right[rows], self.shared[rows])


class Overlaps:
    """All spans whose bounds share at least so many tokens, whatever their gaps: counted first, listed if asked for."""

    def __init__(self, gold: Spans, system: Spans, shared: int = 1) -> None:
        width = max(int(gold.end.max(initial=0)), int(system.end.max(initial=0))) + 1
        self._left, self._right = (_long_enough(side, shared) for side in (gold, system))
        (begin, end), (other_begin, other_end) = (
            (side.start[rows] + side.scope[rows] * width, side.end[rows] + side.scope[rows] * width - (shared - 1))
            for side, rows in ((gold, self._left), (system, self._right))
        )
        # Of two overlapping spans, the second to begin begins inside the other.
        self._within_gold = _Inside(other_begin, begin, end)
        self._within_system = _Inside(begin, other_begin + 1, other_end)

    def __len__(self) -> int:
        return int(self._within_gold.count.sum() + self._within_system.count.sum())

    def by_row(self, gold: int, system: int) -> tuple[Ints, Ints]:
        """How many pairs there are of each row; each pair is counted on one side, for the span that begins first."""
        found = np.zeros(gold, dtype=np.int64), np.zeros(system, dtype=np.int64)
        found[0][self._left], found[1][self._right] = self._within_gold.count, self._within_system.count
        return found

    def rows(self) -> tuple[Ints, Ints]:
        """The rows of gold and system, in no order."""
        right, left = self._within_gold.pairs()
        also_left, also_right = self._within_system.pairs()
        return self._left[np.concatenate((left, also_left))], self._right[np.concatenate((right, also_right))]


class _Inside:
    """The pairs (i, j) in which start i lies in [begin j, end j)."""

    def __init__(self, starts: Ints, begin: Ints, end: Ints) -> None:
        self._order = np.argsort(starts, kind="stable")
        ordered = starts[self._order]
        self._first = np.searchsorted(ordered, begin)
        self.count: Ints = np.maximum(np.searchsorted(ordered, end) - self._first, 0)

    def pairs(self) -> tuple[Ints, Ints]:
        return self._order[ranges(self._first, self.count)], np.repeat(np.arange(len(self.count)), self.count)


def _long_enough(spans: Spans, shared: int) -> Ints:
    return np.arange(len(spans)) if shared == 1 else np.flatnonzero(spans.end - spans.start >= shared)


def listed(gold: Spans, system: Spans) -> Pairs | None:
    """All pairs that share a token, or None where so many spans lie on one token that their pairs are too many."""
    found = Overlaps(gold, system)
    if len(found) > MOST * (len(gold) + len(system)) + FEW:
        return None
    return _pairs(gold, system, *found.rows())


def overlapping(gold: Spans, system: Spans) -> Pairs:
    """All pairs, by gold row and then by system row; the two layers have the same vocabulary."""
    return _pairs(gold, system, *Overlaps(gold, system).rows())


def _pairs(gold: Spans, system: Spans, left: Ints, right: Ints) -> Pairs:
    """The pairs of rows that share a token, in order."""
    order = np.argsort(left * (len(system) + 1) + right, kind="stable")
    left, right = left[order], right[order]
    found = Pairs(left, right, _shared(gold, system, left, right))
    return found.take(found.shared > 0)


def sizes(spans: Spans) -> Ints:
    """The number of tokens of each span, those in its gaps left out."""
    size: Ints = np.maximum(spans.end - spans.start, 0)
    gapped = np.flatnonzero(spans.shape)
    size[gapped] = ints([len(tokens) for tokens in spans.take(gapped).token_sets()])
    return size


def _shared(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """How many tokens the spans of each pair of rows share; only pairs with gaps need sets of tokens."""
    shared: Ints = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
    gapped = np.flatnonzero((gold.shape[left] != 0) | (system.shape[right] != 0))
    token_sets = (gold.take(left[gapped]).token_sets(), system.take(right[gapped]).token_sets())
    shared[gapped] = ints([len(tokens & others) for tokens, others in zip(*token_sets, strict=True)])
    return shared
