"""Types of groups: groups with equal counts are one type, so that only one of each is looked at.

All systems of a ranking or comparison have the same types. To find them, the counts of a group in all systems become
one number, a sum with random weights of 64 bits, so that one sort finds those that are equal. A second sum with weights
of its own must say the same: if it does not, which is next to impossible, other weights are taken. That groups with
other counts have equal sums both times is less likely than an error of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import count

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, Words, is_ones
from evenhand.dataclass import dataclass
from evenhand.tally import Tally


@dataclass(frozen=True)
class GroupCounts:
    """Counts by group: a row has so many units of one cell. Whole numbers of several rows of one cell add up."""

    group: Ints
    cell: Ints
    count: Numbers
    matters: Bools
    """Which cells do."""

    @staticmethod
    def of_table(table: Values) -> GroupCounts:
        """The counts of a table, (groups, columns)."""
        groups, columns = table.shape
        group, column = np.repeat(np.arange(groups), columns), np.tile(np.arange(columns), groups)
        return GroupCounts(group, column, table.ravel(), np.ones(columns, dtype=np.bool_))

    @staticmethod
    def of_tally(tally: Tally, kinds: AbstractSet[str]) -> GroupCounts:
        """The counts of a tally of these kinds."""
        group, count = tally.group, tally.count
        cells, cell = np.unique_inverse(tally.cell) if tally.is_wide else (np.arange(tally.cell_count), tally.cell)
        matters = np.array([kind in kinds for kind in tally.kinds], dtype=np.bool_)[cells % len(tally.kinds)]
        if tally.has_fractions:
            key = group.astype(np.int64) * len(cells) + cell
            order = np.argsort(key, kind="stable")
            key, count = _added_up(key[order], count[order])
            group, cell = np.divmod(key, max(1, len(cells)))
        return GroupCounts(group, cell, count, matters)

    def add_mixed(self, sums: Sequence[Words], random: np.random.Generator) -> None:
        """Add the counts of each group to its sums, with random weights of their own for each, modulo 2⁶⁴."""
        group, cell = self.group.astype(np.intp, copy=False), self.cell.astype(np.intp, copy=False)
        count = None if is_ones(self.count) else _bits(self.count)
        for each in sums:
            weighed = np.where(self.matters, _weights(len(self.matters), random), 0).take(cell)
            if count is not None:
                weighed *= count
            np.add.at(each, group, weighed)


def group_types(counts: Sequence[GroupCounts], groups: int) -> tuple[Ints, Ints]:
    """The first group of each type, in the order of the groups, and the type of every group."""
    for seed in count():
        random = np.random.default_rng(seed)
        mixed, check = (np.zeros(groups, dtype=np.uint64) for _ in range(2))
        for each in counts:
            each.add_mixed((mixed, check), random)
        _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
        if np.array_equal(check[first[place]], check):
            break
    return _ordered(first, place, np.argsort(first))


def table_types(tables: Sequence[Values]) -> tuple[Ints, Ints]:
    """The same for tables of counts, (groups, columns); in the order of their rows, the first table first."""
    first, place = group_types([GroupCounts.of_table(table) for table in tables], len(tables[0]))
    return _ordered(first, place, np.lexsort(np.concatenate([table[first] for table in tables], axis=1).T[::-1]))


def _ordered(first: Ints, place: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Types in another order: their first groups, and the type of every group."""
    return first[order], np.argsort(order)[place]


def _added_up(key: Ints, number: Numbers) -> tuple[Ints, Numbers]:
    """Numbers by key, which are in order: one for each key."""
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    return (key, number) if len(first) == len(key) else (key[first], np.add.reduceat(number, first))


def _weights(size: int, random: np.random.Generator) -> Words:
    return random.integers(0, 2**64 - 1, size, dtype=np.uint64, endpoint=True)


def _bits(numbers: Numbers) -> Words:
    """Numbers as words, equal just where they are; the first bits of fractions, which tell most, come last, too."""
    if numbers.dtype.kind != "f":
        return numbers.astype(np.uint64)
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)  # so that -0.0 has the bits of 0.0
    return bits ^ bits >> np.uint64(32)
