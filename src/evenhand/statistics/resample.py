"""The bootstrap over groups: how much a sum of counts would differ, had other groups been drawn.

A resample draws as many groups as there are, with replacement, and adds up their counts; its score is that of the sums.
Rankings have percentile intervals of these scores, comparisons also BCa intervals ([Intervals](#intervals)).

Source: Efron 1979.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.statistics.draws import Seed, add_up, series_sizes, stream

_DRAWS = 2**20
"""How many draws are made at once. Like the constants below, it is a part of what a seed means."""
_TYPE_COST = 2
"""How many group numbers are drawn and counted in the time of one Poisson number, measured."""
_SHORT = 2**12
"""How many different numbers the bits have that are drawn first."""
_LOOK_UP = 1000
"""Up to which rate Poisson numbers are looked up in their distribution."""
_SHORTFALL = 2.0
"""By how many standard deviations Poisson draws fall short of the number wanted: few exceed it, few are missing."""
_TOGETHER = 4
"""How many times so many draws are added up together where sums are exact. After a product, threads wait busily."""


def bootstrap(rows: Values, sizes: Ints, resamples: int, seed: Seed) -> Values:
    """The column sums of resamples, (resamples, columns), from the counts of types of groups, (types, columns).

    A resample draws as many groups as there are, with replacement (Efron 1979). Groups with equal counts are one
    type, which stands for `sizes` of them: its number of draws is what matters, and the numbers of draws of all types
    follow the multinomial distribution with as many trials as there are groups and the types' shares of them as
    probabilities.
    """
    sums = [bootstrap_series(rows, sizes, size, seed, series) for series, size in enumerate(series_sizes(resamples))]
    return np.concatenate([np.zeros((0, rows.shape[1])), *sums])


def bootstrap_series(rows: Values, sizes: Ints, resamples: int, seed: Seed, series: int) -> Values:
    """The column sums of the resamples of one series, which may be computed anywhere: see `bootstrap`."""
    precision, together = (np.float32, _TOGETHER) if _are_short(rows, sizes) else (np.float64, 1)
    rows = rows.astype(precision, copy=False)
    drawn = (numbers.astype(precision, copy=False) for numbers in drawn_numbers(sizes, resamples, seed, series))
    sums = [np.zeros((0, rows.shape[1]))]
    while some := list(islice(drawn, together)):
        sums.append(add_up(np.concatenate(some), rows))
    return np.concatenate(sums)


def _are_short(rows: Values, sizes: Ints) -> bool:
    """Whether no sum of so many rows needs more digits than single precision has, which takes half the time.

    Sums of whole numbers below 2²⁴ are exact in any order, and so are those of fewer quarters.
    """
    largest = np.maximum(rows.max(axis=0, initial=0), -rows.min(axis=0, initial=0)) * sizes.sum()
    if (largest >= 2**24).any():
        return False
    whole = rows * np.where(4 * largest < 2**24, 4, 1)
    return bool((whole == np.rint(whole)).all())


def drawn_numbers(sizes: Ints, resamples: int, seed: Seed, series: int) -> Iterator[Values]:
    """How often each type is drawn in the resamples of one series, (resamples, types), some of them at a time."""
    draw = draw_types if _TYPE_COST * len(sizes) <= sizes.sum() else draw_groups
    random = stream(seed, series)
    step = max(1, _DRAWS // max(len(sizes), 1))
    for start in range(0, resamples, step):
        yield draw(sizes, min(step, resamples - start), random)


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
    while len(over := np.flatnonzero(drawn.sum(axis=0) > groups)):
        drawn[:, over] = random.poisson(rates, (len(over), len(rates))).T
    missing = groups - drawn.sum(axis=0).astype(np.int64)
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    types = type_of_group[random.integers(0, groups, missing.sum())]
    places = np.repeat(np.arange(resamples) * len(sizes), missing) + types
    found: Values = drawn.T + np.bincount(places, minlength=drawn.size).reshape(resamples, len(sizes))
    return found


def _poisson(rates: Values, resamples: int, random: np.random.Generator) -> Values:
    """Poisson numbers, (rates, resamples), drawn together for equal rates; low ones are looked up."""
    different, place, sizes = np.unique(rates, return_inverse=True, return_counts=True)
    types = np.split(np.argsort(place, kind="stable"), np.cumsum(sizes)[:-1])
    drawn = np.empty((len(rates), resamples))
    for rate, chosen in zip(different.tolist(), types, strict=True):
        shape = (len(chosen), resamples)
        drawn[chosen] = _looked_up(rate, shape, random) if rate <= _LOOK_UP else random.poisson(rate, shape)
    return drawn


def _looked_up(rate: float, shape: tuple[int, int], random: np.random.Generator) -> Ints:
    """Poisson numbers: how many entries of their distribution lie below an even random number.

    Twelve bits of that number tell most answers, from a table; where they do not, the other bits are drawn as well.
    """
    distribution, table = _distribution(rate)
    bits = random.integers(0, _SHORT, shape, dtype=np.uint16)
    found = table.take(bits)
    unclear = np.flatnonzero(found < 0)
    exact = (bits.flat[unclear] + random.random(len(unclear))) / _SHORT
    found.flat[unclear] = np.searchsorted(distribution, exact)
    return found


@lru_cache(1024)
def _distribution(rate: float) -> tuple[Values, Ints]:
    """The probabilities of at most 0, 1, 2, … events, as far as numbers of double precision tell them from 1.

    And a table of the number that the first twelve bits of an even random number lead to; -1 where they leave it open.
    """
    most = int(rate + 12 * np.sqrt(rate) + 30)
    logarithms = np.arange(most) * np.log(rate or 1.0) - rate - np.append(0, np.cumsum(np.log(np.arange(1, most))))
    distribution = np.cumsum(np.exp(logarithms)) if rate else np.ones(1)
    edges = np.searchsorted(distribution, np.arange(_SHORT + 1) / _SHORT)
    return distribution, np.where(edges[1:] == edges[:-1], edges[:-1], -1)
