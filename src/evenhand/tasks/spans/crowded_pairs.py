"""SemEval's pairs where so many spans lie on one token that they are not all listed at once.

The order in which pairs are taken is theirs by `semeval`, and so are the figures:

1. Of spans with equal bounds, the first by label goes with the first of the other side, the second with the second, and
   so on, since no two of them have the same label any more.
2. Pairs that share a token are listed by how many they share: those that share most, as long as there are not too many,
   then the next ones among the spans that are still free, and so on.
3. Where very many pairs share the same number of tokens, each gold span in turn looks at all free system spans. This
   takes as many steps as there are pairs, but no room for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints, ints, pack
from evenhand.tasks.spans.pairs import FEW, Overlaps
from evenhand.text.layers import Spans


@dataclass
class Free:
    """The spans of both sides that are not yet taken, in the order in which they are chosen."""

    gold: Spans
    system: Spans
    partner: Ints
    """For each gold span the row of its system span, or -1."""
    taken: Bools
    """Which system spans are taken."""

    def rows(self) -> tuple[Ints, Ints]:
        return np.flatnonzero(self.partner < 0), np.flatnonzero(~self.taken)

    def take(self, left: Ints, right: Ints) -> None:
        self.partner[left], self.taken[right] = right, True


def pair_up(gold: Spans, system: Spans) -> Ints:
    """For each gold span the row of the system span that it goes with, or -1.

    Spans have no gaps and are in the order of choice: by start, end and label. None is equal to one of the other side.
    """
    free = Free(gold, system, np.full(len(gold), -1), np.zeros(len(system), dtype=np.bool_))
    free.take(*_equal_bounds(gold, system))
    top = int((gold.end - gold.start).max(initial=0))
    while top:
        left, right = free.rows()
        mine, theirs = gold.take(left), system.take(right)
        shared = _threshold(mine, theirs, top)
        found = Overlaps(mine, theirs, shared)
        if len(found):
            rows, others = found.rows()
            free.take(*_greedy(gold, system, left[rows], right[others]))
        elif shared > 1:
            shared -= 1
            _one_by_one(free, left, right, shared)
        top = shared - 1
    return free.partner


def _equal_bounds(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """Spans with equal bounds, the first with the first."""
    keys, others = pack((gold.scope, system.scope), (gold.start, system.start), (gold.end, system.end))
    order, other_order = np.argsort(keys, kind="stable"), np.argsort(others, kind="stable")
    keys, others = keys[order], others[other_order]
    place = np.searchsorted(others, keys) + np.arange(len(keys)) - np.searchsorted(keys, keys)
    inside = np.flatnonzero(place < len(others))
    found = inside[others[place[inside]] == keys[inside]]
    return order[found], other_order[place[found]]


def _threshold(gold: Spans, system: Spans, top: int) -> int:
    """The least number of shared tokens, up to `top` + 1, of which there are not too many pairs."""
    most = FEW + 4 * (len(gold) + len(system))
    step = 1
    while top + 1 - step > 1 and len(Overlaps(gold, system, top + 1 - step)) <= most:
        step *= 2
    low, high = max(top + 1 - step, 1), top + 1 - step // 2 if step > 1 else top + 1
    while low < high:
        middle = (low + high) // 2
        if len(Overlaps(gold, system, middle)) <= most:
            high = middle
        else:
            low = middle + 1
    return low


def _greedy(gold: Spans, system: Spans, left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Take pairs with the most shared tokens first, then those with one label, then in the order of both sides."""
    shared = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
    order = np.lexsort((right, left, gold.label[left] != system.label[right], -shared))
    of_gold: dict[int, int] = {}
    taken: set[int] = set()
    for row, other in zip(left[order].tolist(), right[order].tolist(), strict=True):
        if row not in of_gold and other not in taken:
            of_gold[row] = other
            taken.add(other)
    return ints(list(of_gold)), ints(list(of_gold.values()))


def _one_by_one(free: Free, left: Ints, right: Ints, shared: int) -> None:
    """Take the pairs that share just so many tokens, those with one label first."""
    gold, system = free.gold, free.system
    left = left[(gold.end - gold.start)[left] >= shared]
    right = right[(system.end - system.start)[right] >= shared]
    scope, start, end, label = (column[right] for column in (system.scope, system.start, system.end, system.label))
    is_free = np.ones(len(right), dtype=np.bool_)
    if not len(right):
        return
    for same in (True, False):
        for row in left[free.partner[left] < 0].tolist():
            tokens = np.minimum(end, gold.end[row]) - np.maximum(start, gold.start[row])
            fits = (tokens == shared) & is_free & (scope == gold.scope[row]) & ((label == gold.label[row]) == same)
            place = int(fits.argmax())
            if fits[place]:
                is_free[place] = False
                free.take(ints([row]), right[[place]])
