"""The bootstrap over groups: how much a sum of counts would differ, had other groups been drawn.

A resample draws as many groups as there are, with replacement, and adds up their counts; its score is that of the sums.
Rankings have percentile intervals of these scores, comparisons also BCa intervals ([Intervals](#intervals)).

Source: Efron 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import count, islice

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, Words, is_ones
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally

# == statistics/draws.py: What resamples and trials share: scores of summed counts, an


Statistic = Callable[[Values], Values]
"""From sums of counts, (..., columns), to their scores, (...)."""
Seed = int | Sequence[int]
SERIES = 1000
"""How many resamples or trials a series has, but for the last one."""
ROUNDING = 1e-12
"""Scores that differ by no more than this are equal."""
ONE_THREAD = 2**18
"""Up to how many multiplications a matrix product is left to one thread by OpenBLAS, which NumPy comes with."""
_FEWEST = 4
"""How many rows of a product must be made at a time to be worth it."""


def series_sizes(total: int) -> list[int]:
    """The sizes of the series that so many resamples or trials fall into."""
    return [min(SERIES, total - start) for start in range(0, total, SERIES)]


def stream(seed: Seed, series: int) -> np.random.Generator:
    """The random numbers of a series.

    As a spawn key, the number of a series cannot be taken for a part of the seed: (3, 1) has other series than 3.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(series,)))


def add_up(numbers: Values, rows: Values) -> Values:
    """The sums of rows, each taken as often as `numbers` says, (resamples, types): their matrix product.

    Small products are made some rows at a time, in one thread. More threads gain little there, and lose much on a busy
    machine, such as one where several workers have a series each.
    """
    step = ONE_THREAD // max(1, rows.size)
    if step < _FEWEST or step >= len(numbers):
        return numbers @ rows
    return np.concatenate([numbers[start : start + step] @ rows for start in range(0, len(numbers), step)])


# == statistics/resample.py (primary)


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
    draw_types: Values = drawn.T + np.bincount(places, minlength=drawn.size).reshape(resamples, len(sizes))
    return draw_types


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


# == statistics/group_types.py: Types of groups: groups with equal counts are one type, so t


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


# == statistics/intervals.py: Confidence intervals from resampled scores: percentile, and


def interval(values: Values, level: float = 0.95) -> tuple[float, float]:
    """Confidence intervals from resampled scores: percentile, and bias-corrected and accelerated (BCa).

    The percentile interval of level c goes from the (1 - c) / 2 quantile of the resampled scores to their (1 + c) / 2
    quantile, with linear interpolation between neighbours. The BCa interval takes other quantiles, those at

        Phi(z0 + (z0 + z) / (1 - a (z0 + z)))    for z = Phi⁻¹((1 - c) / 2) and z = Phi⁻¹((1 + c) / 2),

    where Phi is the standard normal distribution function. z0, the bias correction, is Phi⁻¹ of the share of resampled
    scores below the observed one; those that equal it count half. a, the acceleration, is a sixth of the skewness of
    the jackknife: sum(d³) / (6 sum(d²)^1.5) over all groups, where d is the mean of the scores that leave out one
    group, less the one that leaves out this group. It is 0 where they all are equal. Where all resampled scores lie
    below the observed one, or all above it, z0 is infinite, and the percentile interval takes its place.

    Sources: Efron and Tibshirani 1993, ch. 13, for the percentile interval; Efron 1987 for BCa; Efron and Tibshirani
    1993, equations 14.9 to 14.15, for its form with the jackknife.
    """
    return _between(values, (1 - level) / 2, (1 + level) / 2)


def _between(values: Values, *shares: float) -> tuple[float, float]:
    """The quantiles of values at two shares."""
    low, high = np.quantile(values, shares).tolist()
    return low, high


def bca(values: Values, observed: float, jackknife: Values, sizes: Ints, level: float = 0.95) -> tuple[float, float]:
    """The bias-corrected and accelerated interval of resampled values.

    `jackknife` are the values with one group of each type left out, and `sizes` how many groups there are of it.

    Source: Efron 1987.
    """
    # Python's own module takes 6 ms to load, and only this needs it.
    from statistics import NormalDist

    share = float(np.mean(values < observed - ROUNDING) + np.mean(values <= observed + ROUNDING)) / 2
    if share in (0, 1):
        return interval(values, level)
    normal = NormalDist()
    bias, skew = normal.inv_cdf(share), acceleration(jackknife, sizes)
    shifted = [bias + normal.inv_cdf(each) for each in ((1 - level) / 2, (1 + level) / 2)]
    # At and behind its pole, which few groups and a wide interval can reach, the transformation is at its limit.
    return _between(values, *(normal.cdf(bias + each / max(1 - skew * each, 1e-12)) for each in shifted))


def acceleration(jackknife: Values, sizes: Ints) -> float:
    """A sixth of the skewness of leave-one-out values, each of which stands for `sizes` groups.

    Source: Efron and Tibshirani 1993, equation 14.15.
    """
    deviations = sizes @ jackknife / sizes.sum() - jackknife
    # Differences as small as these are the rounding of equal values, whose skewness could be anything.
    if np.abs(deviations).max() <= 1e-14 * np.abs(jackknife).max():
        return 0.0
    # In units of the largest one, neither squares nor cubes are too small for a number.
    deviations /= np.abs(deviations).max()
    return float(sizes @ deviations**3 / (6 * (sizes @ deviations**2) ** 1.5))


def jackknife(rows: Values, sizes: Ints, statistic: Statistic) -> Values:
    """The statistic without one group of each type, (types,), from the counts of types of groups, (types, columns).

    Source: Efron and Tibshirani 1993, ch. 11.
    """
    return statistic(sizes @ rows - rows)
