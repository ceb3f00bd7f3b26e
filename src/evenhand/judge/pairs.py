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


def overlapping(gold: Spans, system: Spans) -> Pairs:
    """All pairs, by gold row and then by system row; the two layers have the same vocabulary."""
    left, right = overlapping_bounds(gold, system)
    order = np.argsort(left * (len(system) + 1) + right, kind="stable")
    left, right = left[order], right[order]
    found = Pairs(left, right, _shared(gold, system, left, right))
    return found.take(found.shared > 0)


def overlapping_bounds(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of all spans whose bounds overlap, whatever their gaps, in no order."""
    width = max(int(gold.end.max(initial=0)), int(system.end.max(initial=0))) + 1
    gold_begin, gold_end = gold.start + gold.scope * width, gold.end + gold.scope * width
    system_begin, system_end = system.start + system.scope * width, system.end + system.scope * width
    # Of two overlapping spans, the second to begin begins inside the other.
    right, left = begins_inside(system_begin, gold_begin, gold_end)
    also_left, also_right = begins_inside(gold_begin, system_begin + 1, system_end)
    return np.concatenate((left, also_left)), np.concatenate((right, also_right))


def sizes(spans: Spans) -> Ints:
    """The number of tokens of each span, those in its gaps left out."""
    size: Ints = np.maximum(spans.end - spans.start, 0)
    gapped = np.flatnonzero(spans.shape)
    size[gapped] = ints([len(tokens) for tokens in spans.take(gapped).token_sets()])
    return size


def begins_inside(starts: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The pairs (i, j) in which start i lies in [begin j, end j)."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    first = np.searchsorted(ordered, begin)
    count = np.maximum(np.searchsorted(ordered, end) - first, 0)
    return order[ranges(first, count)], np.repeat(np.arange(len(begin)), count)


def _shared(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """How many tokens the spans of each pair of rows share; only pairs with gaps need sets of tokens."""
    shared: Ints = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
    gapped = np.flatnonzero((gold.shape[left] != 0) | (system.shape[right] != 0))
    token_sets = (gold.take(left[gapped]).token_sets(), system.take(right[gapped]).token_sets())
    shared[gapped] = ints([len(tokens & others) for tokens, others in zip(*token_sets, strict=True)])
    return shared
