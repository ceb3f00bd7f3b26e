"""The bootstrap over groups: how much a sum of counts would differ, had other groups been drawn.

A resample draws as many groups as there are, with replacement, and adds up their counts; its score is that of the sums.
The percentile interval of level c (`--level`, 0.95 unless it is set) goes from the (1 - c) / 2 quantile of the
resampled scores to their (1 + c) / 2 quantile, with linear interpolation between neighbours.

Sources: Efron 1979 for the bootstrap; Efron and Tibshirani 1993, ch. 13, for the percentile interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Values

_CHUNK = 2**25
"""How many bytes the draws of one matrix product may take."""
_TYPE_COST = 10
"""How many group numbers are drawn and counted in the time of one Poisson number, measured."""
_SHORT = 2**12
"""How many different numbers the bits have that are drawn first."""
_LOOK_UP = 20
"""How many types of equal size it takes until a distribution is worth being worked out."""
_SHORTFALL = 4.0
"""By how many standard deviations Poisson draws fall short of the number wanted, so that they hardly ever exceed it."""


def bootstrap(rows: Values, sizes: Ints, resamples: int, seed: int | Sequence[int]) -> Values:
    """The column sums of resamples, (resamples, columns), from the counts of types of groups, (types, columns).

    A resample draws as many groups as there are, with replacement (Efron 1979). Groups with equal counts are one
    type, which stands for `sizes` of them: its number of draws is what matters, and the numbers of draws of all types
    follow the multinomial distribution with as many trials as there are groups and the types' shares of them as
    probabilities.
    """
    sums = np.zeros((resamples, rows.shape[1]))
    draw = draw_types if _TYPE_COST * len(sizes) <= sizes.sum() else draw_groups
    random = np.random.default_rng(seed)
    step = max(1, _CHUNK // (sums.itemsize * max(len(sizes), 1)))
    for start in range(0, resamples, step):
        chunk = sums[start : start + step]
        np.matmul(draw(sizes, len(chunk), random), rows, out=chunk)
    return sums


def interval(values: Values, level: float = 0.95) -> tuple[Any, Any]:
    """The percentile interval of resampled values: their (1 - level) / 2 and (1 + level) / 2 quantiles.

    Two numbers; of a table of values, a row a resample, two arrays with one interval a column.
    """
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return low, high


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
    drawn = _poisson(rates, resamples, random)
    while len(over := np.flatnonzero(drawn.sum(axis=1) > groups)):
        drawn[over] = _poisson(rates, len(over), random)
    missing = groups - drawn.sum(axis=1)
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    types = type_of_group[random.integers(0, groups, missing.sum())]
    places = np.repeat(np.arange(resamples) * len(sizes), missing) + types
    drawn += np.bincount(places, minlength=drawn.size).reshape(drawn.shape)
    return drawn.astype(np.float64)


def _poisson(rates: Values, resamples: int, random: np.random.Generator) -> Ints:
    """Poisson numbers, (resamples, rates): looked up in the distribution of their rate, where few rates are many."""
    different, place = np.unique(rates, return_inverse=True)
    if len(different) * _LOOK_UP > len(rates):
        return random.poisson(rates, (resamples, len(rates)))
    drawn = np.empty((resamples, len(rates)), dtype=np.int64)
    for number, rate in enumerate(different.tolist()):
        columns = np.flatnonzero(place == number)
        drawn[:, columns] = _looked_up(_distribution(rate), (resamples, len(columns)), random)
    return drawn


def _looked_up(distribution: Values, shape: tuple[int, int], random: np.random.Generator) -> Ints:
    """Numbers from a distribution: how many of its entries lie below an even random number.

    Twelve bits of that number tell most answers, from a table; where they do not, the other bits are drawn as well.
    """
    edges = np.searchsorted(distribution, np.arange(_SHORT + 1) / _SHORT)
    table = np.where(edges[1:] == edges[:-1], edges[:-1], -1)
    bits = random.integers(0, _SHORT, shape, dtype=np.uint16)
    found = table[bits]
    unclear = np.nonzero(found < 0)
    exact = (bits[unclear] + random.random(len(unclear[0]))) / _SHORT
    found[unclear] = np.searchsorted(distribution, exact)
    return found


def _distribution(rate: float) -> Values:
    """The probabilities of at most 0, 1, 2, … events, as far as numbers of double precision tell them from 1."""
    most = int(rate + 12 * np.sqrt(rate) + 30)
    logarithms = np.arange(most) * np.log(rate or 1.0) - rate - np.append(0, np.cumsum(np.log(np.arange(1, most))))
    return np.cumsum(np.exp(logarithms)) if rate else np.ones(1)
