"""Types of groups: groups with equal counts are one type, so that only one of each is looked at.

All systems of a ranking or comparison have the same types. To find them, the counts of a group in all systems become
one number, a sum with random weights, so that one sort finds those that are equal. Then the counts of all groups with
the same number are compared: if some differ, which is next to impossible, other weights are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import count

import numpy as np

from evenhand.arrays import Ints, Numbers, Values, Words, is_ones, ones
from evenhand.dataclass import dataclass
from evenhand.tally import Tally

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: products with it, modulo 2⁶⁴, differ where what is multiplied does."""


@dataclass(frozen=True)
class GroupCounts:
    """Counts by group: the cells that each group has, in order, and how many units of each.

    Where all counts are one, a cell stands as often as it is counted.
    """

    bounds: Ints
    """Where the cells of each group begin, and where those of the last one end."""
    cell: Ints
    count: Numbers

    @staticmethod
    def of_table(table: Values) -> GroupCounts:
        """The counts of a table, (groups, columns)."""
        groups, columns = table.shape
        return GroupCounts(np.arange(groups + 1) * columns, np.tile(np.arange(columns), groups), table.ravel())

    @staticmethod
    def of_tally(tally: Tally, kinds: AbstractSet[str], groups: int) -> GroupCounts:
        """The counts of a tally of these kinds."""
        group, cell, number = tally.group, tally.cell, tally.count
        if not kinds >= set(tally.kinds):
            rows = np.array([kind in kinds for kind in tally.kinds], dtype=np.bool_).take(tally.kind)
            if not rows.all():
                group, cell, number = group[rows], cell[rows], number[rows]
        if tally.is_wide:
            cell = np.unique_inverse(cell).inverse_indices
        width = int(cell.max(initial=0)) + 1
        key = (group if groups * width < 2**31 else group.astype(np.int64)) * width + cell
        if is_ones(tally.count):
            key, number = np.sort(key, kind="stable"), ones(len(key))
        else:
            order = np.argsort(key, kind="stable")
            key, number = _added_up(key[order], number[order])
        group = key // width
        return GroupCounts(_bounds(group, groups), key - group * width, number)

    def mixed(self, random: np.random.Generator) -> Words:
        """For each group the sum of its counts with random weights, modulo 2⁶⁴."""
        weighed = _weights(int(self.cell.max(initial=0)) + 1, random).take(self.cell)
        if not is_ones(self.count):
            weighed *= _bits(self.count)
        before = np.zeros(len(weighed) + 1, dtype=np.uint64)
        np.cumsum(weighed, out=before[1:])
        return np.diff(before.take(self.bounds))

    def are_equal(self, others: Ints) -> bool:
        """Whether each group has the same counts as the other group that is named for it."""
        size, begin = np.diff(self.bounds), self.bounds[:-1]
        if not np.array_equal(size.take(others), size):
            return False
        place = np.arange(len(self.cell)) + np.repeat(begin.take(others) - begin, size)
        if not np.array_equal(self.cell.take(place), self.cell):
            return False
        return is_ones(self.count) or np.array_equal(self.count.take(place), self.count)


def group_types(counts: Sequence[GroupCounts], groups: int) -> tuple[Ints, Ints]:
    """The first group of each type, in the order of the groups, and the type of every group."""
    for seed in count():
        random = np.random.default_rng(seed)
        mixed = np.zeros(groups, dtype=np.uint64)
        for each in counts:
            mixed *= _MIX
            mixed += each.mixed(random)
        _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
        if all(each.are_equal(first[place]) for each in counts):
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
    """Numbers by key, which are in order: one for each key, none of them 0."""
    is_first = np.append(True, key[1:] != key[:-1])[: len(key)]
    if not is_first.all():
        first = np.flatnonzero(is_first)
        key, number = key[first], np.add.reduceat(number, first)
    return (key, number) if number.all() else (key[number != 0], number[number != 0])


def _bounds(group: Ints, groups: int) -> Ints:
    """Where each of these groups, which are in order, begins; and where the last one ends."""
    bounds = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=bounds[1:])
    return bounds


def _weights(size: int, random: np.random.Generator) -> Words:
    return random.integers(0, 2**64 - 1, size, dtype=np.uint64, endpoint=True)


def _bits(numbers: Numbers) -> Words:
    """Numbers as words, equal just where they are; the first bits of fractions, which tell most, come last, too."""
    if numbers.dtype.kind != "f":
        return numbers.astype(np.uint64)
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)  # so that -0.0 has the bits of 0.0
    return bits ^ bits >> np.uint64(32)
