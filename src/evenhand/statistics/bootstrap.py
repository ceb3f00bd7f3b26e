"""The bootstrap over groups: how much a score would vary if other groups had been drawn.

A resample draws n of n groups with replacement and adds up their counts; its score is the score of the sums. Rankings
have percentile intervals of these scores, comparisons also BCa intervals ([Intervals](#intervals)).

Sources: Efron 1979; Koehn 2004 for resamples that the compared systems share.
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

Statistic = Callable[[Values], Values]
"""From sums of counts, (..., columns), to their scores, (...)."""
Seed = int | Sequence[int]
SERIES = 1000
"""Number of resamples or trials of a series; the last one may have fewer."""
ROUNDING = 1e-12
"""Scores that differ by at most this are equal."""
ONE_THREAD = 2**18
"""Maximum number of multiplications that OpenBLAS, which comes with NumPy, computes in one thread."""
_FEWEST = 4
"""Minimum number of rows of a matrix product that is computed in pieces."""
_DRAWS = 2**20
"""Number of draws at once. Like the constants below, it is part of the meaning of a seed."""
_TYPE_COST = 2
"""Number of group numbers drawn and counted in the time of one Poisson number, measured."""
_SHORT = 2**12
"""Number of different values of the bits that are drawn first."""
_LOOK_UP = 1000
"""Maximum rate for which Poisson numbers are looked up in their distribution."""
_SHORTFALL = 2.0
"""Standard deviations by which Poisson draws stay below the number of groups: few exceed it, few are missing."""
_TOGETHER = 4
"""Factor for the number of draws added up at once if sums are exact, because threads spin after a product."""


def series_sizes(total: int) -> list[int]:
    """The sizes of the series of `total` resamples or trials."""
    return [min(SERIES, total - start) for start in range(0, total, SERIES)]


def stream(seed: Seed, series: int) -> np.random.Generator:
    """The random numbers of a series.

    As a spawn key, the number of a series is not confused with a part of the seed: (3, 1) has other series than 3.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(series,)))


def add_up(numbers: Values, rows: Values) -> Values:
    """The sums of rows repeated `numbers` times, (resamples, types): a matrix product.

    Small products are computed a few rows at a time, in one thread. More threads gain little there, and lose much on a
    busy machine, for example if several workers have a series each.
    """
    step = ONE_THREAD // max(1, rows.size)
    if step < _FEWEST or step >= len(numbers):
        return numbers @ rows
    return np.concatenate([numbers[start : start + step] @ rows for start in range(0, len(numbers), step)])


def bootstrap(rows: Values, sizes: Ints, resamples: int, seed: Seed) -> Values:
    """The column sums of resamples, (resamples, columns), from the counts of types of groups, (types, columns).

    A resample draws n of n groups with replacement (Efron 1979). Groups with equal counts are one type of `sizes`
    groups. Only the number of draws of each type matters; these numbers follow the multinomial distribution with n
    trials and the shares of the types as probabilities.
    """
    sums = [bootstrap_series(rows, sizes, size, seed, series) for series, size in enumerate(series_sizes(resamples))]
    return np.concatenate([np.zeros((0, rows.shape[1])), *sums])


def bootstrap_series(rows: Values, sizes: Ints, resamples: int, seed: Seed, series: int) -> Values:
    """The column sums of the resamples of one series, which any process may compute; see `bootstrap`."""
    precision, together = (np.float32, _TOGETHER) if _are_short(rows, sizes) else (np.float64, 1)
    rows = rows.astype(precision, copy=False)
    drawn = (numbers.astype(precision, copy=False) for numbers in drawn_numbers(sizes, resamples, seed, series))
    sums = [np.zeros((0, rows.shape[1]))]
    while some := list(islice(drawn, together)):
        sums.append(add_up(np.concatenate(some), rows))
    return np.concatenate(sums)


def _are_short(rows: Values, sizes: Ints) -> bool:
    """Whether all sums are exact in single precision, which takes half the time.

    Sums of whole numbers below 2²⁴ are exact in any order, and so are sums of quarters below 2²².
    """
    largest = np.maximum(rows.max(axis=0, initial=0), -rows.min(axis=0, initial=0)) * sizes.sum()
    if (largest >= 2**24).any():
        return False
    whole = rows * np.where(4 * largest < 2**24, 4, 1)
    return bool((whole == np.rint(whole)).all())


def drawn_numbers(sizes: Ints, resamples: int, seed: Seed, series: int) -> Iterator[Values]:
    """The number of draws of each type in the resamples of one series, (resamples, types), in pieces."""
    draw = draw_types if _TYPE_COST * len(sizes) <= sizes.sum() else draw_groups
    random = stream(seed, series)
    step = max(1, _DRAWS // max(len(sizes), 1))
    for start in range(0, resamples, step):
        yield draw(sizes, min(step, resamples - start), random)


def draw_groups(sizes: Ints, resamples: int, random: np.random.Generator) -> Values:
    """The number of draws of each type, (resamples, types): group numbers are drawn and counted by type."""
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    drawn = np.empty((resamples, len(sizes)))
    for row in drawn:
        groups = random.integers(0, len(type_of_group), len(type_of_group))
        row[:] = np.bincount(type_of_group[groups], minlength=len(sizes))
    return drawn


def draw_types(sizes: Ints, resamples: int, random: np.random.Generator) -> Values:
    """The number of draws of each type, (resamples, types), in a time nearly independent of the number of groups.

    Independent Poisson numbers, given their sum, follow the multinomial distribution with that sum as the number of
    trials. Therefore Poisson numbers are drawn whose sum is slightly below the number of groups (others are drawn
    again), and the missing draws are drawn as group numbers.
    """
    groups = int(sizes.sum())
    rates = sizes * max(0.0, 1 - _SHORTFALL / np.sqrt(groups))
    drawn = _poisson(rates, resamples, random)
    while len(over := np.flatnonzero(drawn.sum(axis=0) > groups)):
        drawn[:, over] = random.poisson(rates, (len(over), len(rates))).T
    missing = groups - drawn.sum(axis=0).astype(np.int64)
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    types = type_of_group[random.integers(0, groups, missing.sum())]
    cells = np.repeat(np.arange(resamples) * len(sizes), missing) + types
    numbers: Values = drawn.T + np.bincount(cells, minlength=drawn.size).reshape(resamples, len(sizes))
    return numbers


def _poisson(rates: Values, resamples: int, random: np.random.Generator) -> Values:
    """Poisson numbers, (rates, resamples), drawn together for equal rates; for low rates they are looked up."""
    different, index, sizes = np.unique(rates, return_inverse=True, return_counts=True)
    types = np.split(np.argsort(index, kind="stable"), np.cumsum(sizes)[:-1])
    drawn = np.empty((len(rates), resamples))
    for rate, chosen in zip(different.tolist(), types, strict=True):
        shape = (len(chosen), resamples)
        drawn[chosen] = _looked_up(rate, shape, random) if rate <= _LOOK_UP else random.poisson(rate, shape)
    return drawn


def _looked_up(rate: float, shape: tuple[int, int], random: np.random.Generator) -> Ints:
    """Poisson numbers: the number of entries of the distribution below a uniform random number.

    Twelve bits of the random number decide most cases by a table; for the others, the remaining bits are drawn.
    """
    distribution, table = _distribution(rate)
    bits = random.integers(0, _SHORT, shape, dtype=np.uint16)
    numbers = table.take(bits)
    unclear = np.flatnonzero(numbers < 0)
    exact = (bits.flat[unclear] + random.random(len(unclear))) / _SHORT
    numbers.flat[unclear] = np.searchsorted(distribution, exact)
    return numbers


@lru_cache(1024)
def _distribution(rate: float) -> tuple[Values, Ints]:
    """The probabilities of at most 0, 1, 2, … events, up to 1 in double precision.

    And a table of Poisson numbers by the first twelve bits of a uniform random number; -1 if these do not decide.
    """
    size = int(rate + 12 * np.sqrt(rate) + 30)
    logarithms = np.arange(size) * np.log(rate or 1.0) - rate - np.append(0, np.cumsum(np.log(np.arange(1, size))))
    distribution = np.cumsum(np.exp(logarithms)) if rate else np.ones(1)
    edges = np.searchsorted(distribution, np.arange(_SHORT + 1) / _SHORT)
    return distribution, np.where(edges[1:] == edges[:-1], edges[:-1], -1)


@dataclass(frozen=True)
class GroupCounts:
    """Counts by group and cell. Rows of the same group and cell add up if they are whole numbers."""

    group: Ints
    cell: Ints
    count: Numbers
    matters: Bools
    """Which cells are compared."""

    @staticmethod
    def of_table(table: Values) -> GroupCounts:
        """The counts of a table, (groups, columns)."""
        groups, columns = table.shape
        group, column = np.repeat(np.arange(groups), columns), np.tile(np.arange(columns), groups)
        return GroupCounts(group, column, table.ravel(), np.ones(columns, dtype=np.bool_))

    @staticmethod
    def of_tally(tally: Tally, kinds: AbstractSet[str]) -> GroupCounts:
        """The counts of some kinds of a tally."""
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
        """Add the counts of each group to its sums, modulo 2⁶⁴; each sum has its own random weights."""
        group, cell = self.group.astype(np.intp, copy=False), self.cell.astype(np.intp, copy=False)
        count = None if is_ones(self.count) else _bits(self.count)
        for total in sums:
            weighed = np.where(self.matters, _weights(len(self.matters), random), 0).take(cell)
            if count is not None:
                weighed *= count
            np.add.at(total, group, weighed)


def group_types(counts: Sequence[GroupCounts], groups: int) -> tuple[Ints, Ints]:
    """The first group of each type, in the order of the groups, and the type of every group.

    Groups with equal counts are one type, recognised by random hashes: two independent ones per group.
    """
    for seed in count():
        random = np.random.default_rng(seed)
        mixed, check = (np.zeros(groups, dtype=np.uint64) for _ in range(2))
        for columns in counts:
            columns.add_mixed((mixed, check), random)
        _, first, type_of = np.unique(mixed, return_index=True, return_inverse=True)
        if np.array_equal(check[first[type_of]], check):
            break
    return _reordered(first, type_of, np.argsort(first))


def table_types(tables: Sequence[Values]) -> tuple[Ints, Ints]:
    """The same for tables of counts, (groups, columns); types are sorted by their rows, the first table first."""
    first, type_of = group_types([GroupCounts.of_table(table) for table in tables], len(tables[0]))
    return _reordered(first, type_of, np.lexsort(np.concatenate([table[first] for table in tables], axis=1).T[::-1]))


def _reordered(first: Ints, type_of: Ints, order: Ints) -> tuple[Ints, Ints]:
    return first[order], np.argsort(order)[type_of]


def _added_up(key: Ints, number: Numbers) -> tuple[Ints, Numbers]:
    """The sums of numbers by sorted key."""
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    return (key, number) if len(first) == len(key) else (key[first], np.add.reduceat(number, first))


def _weights(size: int, random: np.random.Generator) -> Words:
    return random.integers(0, 2**64 - 1, size, dtype=np.uint64, endpoint=True)


def _bits(numbers: Numbers) -> Words:
    """Numbers as 64-bit words, equal if the numbers are; of fractions, upper bits are mixed into the lower ones."""
    if numbers.dtype.kind != "f":
        return numbers.astype(np.uint64)
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 gets the bits of 0.0
    return bits ^ bits >> np.uint64(32)


def interval(values: Values, level: float = 0.95) -> tuple[float, float]:
    """Confidence intervals from resampled scores: percentile, and bias-corrected and accelerated (BCa).

    The percentile interval of level c goes from the (1 - c) / 2 quantile of the resampled scores to their (1 + c) / 2
    quantile, with linear interpolation between neighbours. The BCa interval has other quantiles, at

        Phi(z0 + (z0 + z) / (1 - a (z0 + z)))    for z = Phi⁻¹((1 - c) / 2) and z = Phi⁻¹((1 + c) / 2),

    where Phi is the standard normal distribution function. z0, the bias correction, is Phi⁻¹ of the share of resampled
    scores below the observed one; equal ones count half. a, the acceleration, is a sixth of the skewness of the
    jackknife: sum(d³) / (6 sum(d²)^1.5) over all groups, where d is the mean of all leave-one-out scores minus the
    score without this group. It is 0 if all of these are equal. If all resampled scores are below the observed one, or
    all above it, z0 is infinite, and the percentile interval is used.

    Sources: Efron and Tibshirani 1993, ch. 13, for the percentile interval; Efron 1987 for BCa; Efron and Tibshirani
    1993, equations 14.9 to 14.15, for its form with the jackknife.
    """
    return _between(values, (1 - level) / 2, (1 + level) / 2)


def _between(values: Values, *shares: float) -> tuple[float, float]:
    low, high = np.quantile(values, shares).tolist()
    return low, high


def bca(values: Values, observed: float, jackknife: Values, sizes: Ints, level: float = 0.95) -> tuple[float, float]:
    """The bias-corrected and accelerated interval of resampled values.

    `jackknife` are the values without one group of each type, and `sizes` the numbers of groups by type.

    Source: Efron 1987.
    """
    # The standard module takes 6 ms to load, and is needed only here.
    from statistics import NormalDist

    share = float(np.mean(values < observed - ROUNDING) + np.mean(values <= observed + ROUNDING)) / 2
    if share in (0, 1):
        return interval(values, level)
    normal = NormalDist()
    bias, skew = normal.inv_cdf(share), acceleration(jackknife, sizes)
    shifted = [bias + normal.inv_cdf(share) for share in ((1 - level) / 2, (1 + level) / 2)]
    # At and beyond its pole, which few groups and a wide interval can reach, the transformation is at its limit.
    return _between(values, *(normal.cdf(bias + z / max(1 - skew * z, 1e-12)) for z in shifted))


def acceleration(jackknife: Values, sizes: Ints) -> float:
    """A sixth of the skewness of leave-one-out values, each of which represents `sizes` groups.

    Source: Efron and Tibshirani 1993, equation 14.15.
    """
    deviations = sizes @ jackknife / sizes.sum() - jackknife
    # Such small differences are rounding errors of equal values, whose skewness would be arbitrary.
    if np.abs(deviations).max() <= 1e-14 * np.abs(jackknife).max():
        return 0.0
    # Scaled by the largest one, squares and cubes do not underflow.
    deviations /= np.abs(deviations).max()
    return float(sizes @ deviations**3 / (6 * (sizes @ deviations**2) ** 1.5))


def jackknife(rows: Values, sizes: Ints, statistic: Statistic) -> Values:
    """The statistic without one group of each type, (types,), from the counts of types of groups, (types, columns).

    Source: Efron and Tibshirani 1993, ch. 11.
    """
    return statistic(sizes @ rows - rows)
