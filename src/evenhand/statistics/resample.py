"""The bootstrap over groups: how much a sum of counts would differ, had other groups been drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.arrays import Ints, Values

_CHUNK = 2**25
"""How many bytes the draws of one matrix product may take."""
_COMPARED = 2**20
"""How many bytes of rows are compared at once: what stays in the processor's cache."""
_TYPE_COST = 10
"""How many group numbers are drawn and counted in the time of one Poisson number, measured."""
_SHORTFALL = 4.0
"""By how many standard deviations Poisson draws fall short of the number wanted, so that they hardly ever exceed it."""


def bootstrap(counts: Values, resamples: int, seed: int) -> Values:
    """The column sums of resamples, (resamples, columns), from one row of counts a group, (groups, columns).

    A resample draws as many groups as there are, with replacement (Efron 1979). Groups with equal counts are one
    type: its number of draws is what matters, and the numbers of draws of all types follow the multinomial
    distribution with as many trials as there are groups and the types' shares of them as probabilities.
    """
    sums = np.zeros((resamples, counts.shape[1]))
    if not len(counts):
        return sums
    rows, sizes = merge(counts)
    draw = draw_types if _TYPE_COST * len(sizes) <= len(counts) else draw_groups
    random = np.random.default_rng(seed)
    step = max(1, _CHUNK // (sums.itemsize * len(sizes)))
    for start in range(0, resamples, step):
        chunk = sums[start : start + step]
        np.matmul(draw(sizes, len(chunk), random), rows, out=chunk)
    return sums


def interval(values: Values, level: float = 0.95) -> tuple[Any, Any]:
    """The percentile interval of resampled values: their (1 - level) / 2 and (1 + level) / 2 quantiles.

    Two numbers; of a table of values, a row a resample, two arrays with one interval a column.
    Source: Efron and Tibshirani 1993, ch. 13.
    """
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return low, high


def merge(counts: Values) -> tuple[Values, Ints]:
    """The types of rows in `counts`, and how many rows each one stands for.

    Equal rows are found by a random projection, which is one pass over them, and then compared, so that a type
    stands for equal rows only. That two types are never equal is not promised, and not needed: a row that differs
    from the first with its projection stands for itself, and sums of fractions may be rounded in several ways.
    Whole numbers are summed exactly: there, neither the machine nor the order of the rows matters.
    """
    weights = np.random.default_rng(0).integers(1, 2**32, counts.shape[1]).astype(np.float64)
    _, first, place = np.unique(counts @ weights, return_index=True, return_inverse=True)
    if len(first) == len(counts):
        return counts, np.ones(len(counts), dtype=np.int64)
    alone = _unlike(counts, counts[first], place)
    sizes = np.bincount(np.delete(place, alone), minlength=len(first))
    sizes = np.concatenate((sizes, np.ones(len(alone), dtype=np.int64)))
    return counts[np.concatenate((first, alone))], sizes


def _unlike(counts: Values, types: Values, place: Ints) -> Ints:
    """The rows of `counts` that differ from the type at their place."""
    step = max(1, _COMPARED // max(1, types.itemsize * types.shape[1]))
    starts = range(0, len(counts), step)
    differ = [(counts[at : at + step] != types[place[at : at + step]]).any(axis=1) for at in starts]
    return np.flatnonzero(np.concatenate(differ))


def draw_groups(sizes: Ints, resamples: int, random: np.random.Generator) -> Values:
    """How often each type is drawn, (resamples, types): group numbers are drawn and counted by type."""
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    drawn = np.empty((resamples, len(sizes)))
    for row in drawn:
        groups = random.integers(0, len(type_of_group), len(type_of_group))
        row[:] = np.bincount(type_of_group[groups], minlength=len(sizes))
    return drawn


def draw_types(sizes: Ints, resamples: int, random: np.random.Generator) -> Values:
    """How often each type is drawn, (resamples, types), in a time that hardly depends on the number of groups.

    Independent Poisson numbers, given their sum, follow the multinomial distribution with that sum as the number of
    trials, whatever made the sum what it is. So Poisson numbers are drawn that fall a little short of the number of
    groups (those that do not are drawn anew), and the draws that are missing are drawn as group numbers.
    """
    groups = int(sizes.sum())
    rates = sizes * max(0.0, 1 - _SHORTFALL / np.sqrt(groups))
    drawn = random.poisson(rates, (resamples, len(sizes)))
    while len(over := np.flatnonzero(drawn.sum(axis=1) > groups)):
        drawn[over] = random.poisson(rates, (len(over), len(sizes)))
    missing = groups - drawn.sum(axis=1)
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    types = type_of_group[random.integers(0, groups, missing.sum())]
    np.add.at(drawn, (np.repeat(np.arange(resamples), missing), types), 1)
    return drawn.astype(np.float64)
