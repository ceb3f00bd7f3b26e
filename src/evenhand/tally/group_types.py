"""Types of groups: groups with equal counts in all tallies are one type."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from evenhand.arrays import Ints, Values, is_ones
from evenhand.tally.counts import Tally

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: products with it, modulo 2⁶⁴, differ where what is multiplied does."""


def group_types(tallies: Sequence[Tally], kinds: AbstractSet[str], groups: int) -> tuple[Ints, Ints]:
    """The groups that differ in counts of these kinds: the first one of each type, and how many there are of it.

    Groups are told apart by sums of their counts with random weights, one for each cell of each tally: whole numbers of
    at most 43 bits, and fewer where groups are so large that sums would be rounded. The sums of all tallies are mixed
    into one number. So equal counts have equal numbers, and the chance that any others have is one in thousands. Types
    stand in the order of their first groups, whatever the weights are.
    """
    random = np.random.default_rng(0)
    mixed = np.zeros(groups, dtype=np.uint64)
    for tally in tallies:
        mixed *= _MIX
        mixed += _random_sums(tally, kinds, groups, random).view(np.uint64)
    _, first, counts = np.unique(mixed, return_index=True, return_counts=True)
    order = np.argsort(first)
    return first[order], counts[order]


def _random_sums(tally: Tally, kinds: AbstractSet[str], groups: int, random: np.random.Generator) -> Values:
    """For each group, the sum of its counts of these kinds with random weights."""
    cell, place = np.unique_inverse(tally.cell) if tally.is_wide else (np.arange(tally.cell_count), tally.cell)
    counted = np.array([kind in kinds for kind in tally.kinds], dtype=np.bool_)[cell % len(tally.kinds)]
    bits, largest = 43, 2**53
    while largest >= 2**53:
        weight = np.where(counted, random.integers(1, 1 << bits, len(cell)), 0).astype(np.float64)
        weighed = weight.take(place) if is_ones(tally.count) else weight.take(place) * tally.count
        sums = np.asarray(np.bincount(tally.group, weighed, minlength=groups), dtype=np.float64)
        largest = int(sums.max(initial=0))
        bits -= max(0, largest.bit_length() - 53)
    return sums
