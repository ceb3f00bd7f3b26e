"""Exact match: a span is right if the other side has the same one.

A gold span and a system span with equal label, bounds and tokens are one TP. They are paired one to one, so a span that
one side repeats counts only as often as the other side has it. Every other gold span is an FN, every other system span
an FP.

Sources: Ortmann 2022, Algorithm 1; the counts are those of conlleval (Tjong Kim Sang and Buchholz 2000).
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, pack
from evenhand.tasks.spans.kinds import TP
from evenhand.tasks.spans.verdicts import Matching, Verdicts
from evenhand.text.layers import Spans


def exact(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> Verdicts:
    """TP for equal spans, FN for the other gold spans, FP for the other system spans.

    `equal` are the rows of equal spans, where they are known already.
    """
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    return matching.verdicts()


def equal_spans(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of equal spans, one to one in the order of the input."""
    return equal_keys(
        *pack(
            (gold.scope, system.scope),
            (gold.start, system.start),
            (gold.end - gold.start, system.end - system.start),
            (gold.label, system.label),
            (gold.shape, system.shape),
        )
    )


def equal_keys(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Rows with equal keys: the first row with a key on the left goes with the first on the right, and so on."""
    if _ascending(left) and _ascending(right):  # flat spans in the order of the text: merging two runs is linear
        keys = np.concatenate((left, right))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(keys[1:] == keys[:-1])
        return order[first], order[first + 1] - len(left)
    left_order, right_order = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    left, right = left[left_order], right[right_order]
    repeated = np.arange(len(left)) - np.searchsorted(left, left)
    place = np.searchsorted(right, left) + repeated
    inside = np.flatnonzero(place < len(right))
    found = inside[right[place[inside]] == left[inside]]
    return left_order[found], right_order[place[found]]


def _ascending(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())
