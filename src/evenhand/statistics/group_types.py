"""Types of groups: groups with equal counts are one type, so that only one of each is looked at.

All systems of a comparison have the same types, found in their tables of counts by group, (groups, columns). Most
counts are multiples of a quarter, and so integers; shares of chains are not, but only documents have these, and so few.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from evenhand.arrays import Bools, Ints, Values, Words, empty, pack

_PARTS = 4
"""Counts are multiples of one over this, whatever the weights of fair evaluation."""


def types_of_groups(tables: Sequence[Values]) -> tuple[Ints, Ints]:
    """A group of each type and the number of its groups, in the order of their rows, the first table first.

    Rows become one number each, a sum with random weights, so that one sort finds those that are equal. It is checked
    that all rows with the same number are: if some are not, which is next to impossible, other weights are taken.
    """
    if not all(_are_whole(table) for table in tables):
        _, first, sizes = np.unique(np.concatenate(tables, axis=1), axis=0, return_index=True, return_counts=True)
        return first, sizes
    for seed in count():
        different, place = np.unique(_mixed(tables, seed), return_inverse=True)
        chosen = np.zeros(len(different), dtype=np.int64)
        chosen[place] = np.arange(len(place))
        same = chosen[place]
        if all(np.array_equal(table[same], table) for table in tables):
            break
    columns = np.concatenate([table[chosen] for table in tables], axis=1).T
    order = np.argsort(pack(*((_whole(column), empty()) for column in columns))[0])
    return chosen[order], np.bincount(place, minlength=len(chosen))[order]


def difference_keys(tables: Sequence[Values]) -> list[Ints] | None:
    """A number a row of each table, whose differences tell the differences of rows, and have their order.

    For any two tables, numbers differ by as much in two rows just where the rows differ by as much in all columns, and
    their difference has the sign of the first column that is not equal. In a column where no two tables differ by more
    than r, differences take 2 r + 1 values, so that the number is one to a mixed base. None where counts are no
    multiples of a quarter, or where the numbers would be too large.
    """
    if not tables or not all(_are_whole(table) for table in tables):
        return None
    spread = np.max(np.maximum.reduce(tables) - np.minimum.reduce(tables), axis=0, initial=0)
    weights = [1]
    for size in reversed(_whole(spread).tolist()):
        weights.insert(0, weights[0] * (2 * size + 1))
    largest = max(float(np.max(np.abs(table), initial=0)) for table in tables)
    if sum(weights) * (_PARTS * largest + 1) >= 2**62:
        return None
    return [_whole(table) @ np.array(weights[1:], dtype=np.int64) for table in tables]


def _mixed(tables: Sequence[Values], seed: int) -> Words:
    """The sum of each row of all tables with random weights, modulo 2⁶⁴."""
    random = np.random.default_rng(seed)
    sums = np.zeros(len(tables[0]), dtype=np.uint64)
    for table in tables:
        weights = random.integers(0, 2**64 - 1, table.shape[1], dtype=np.uint64, endpoint=True)
        sums += _whole(table).view(np.uint64) @ weights
    return sums


def _whole(counts: Values) -> Ints:
    """Counts in quarters."""
    return (_PARTS * counts).astype(np.int64)


def _are_whole(counts: Values) -> bool:
    scaled = _PARTS * counts
    whole: Bools = scaled == np.trunc(scaled)
    return bool(whole.all())
