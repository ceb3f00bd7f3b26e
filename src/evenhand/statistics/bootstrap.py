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
"""Computes scores, (…), from sums of counts, (…, columns)."""
Seed = int | Sequence[int]
SERIES = 1000
"""Number of resamples or trials of a series; the last series may have fewer."""
ROUNDING = 1e-12
"""Scores that differ by at most this are equal."""
ONE_THREAD = 2**18
"""Maximum number of multiplications that OpenBLAS, which comes with NumPy, computes in one thread."""
_FEWEST = 4
"""Minimum number of rows of a piece, if a matrix product is computed in pieces."""
_DRAWS = 2**20
"""Maximum size of a table of draws, (resamples, types). A seed's draws depend on this and the constants below."""
_TYPE_COST = 2
"""One Poisson number takes the time of drawing and counting this number of group numbers (measured)."""
_SHORT = 2**12
"""Number of values of the first bits of a random number."""
_LOOK_UP = 1000
"""Poisson numbers of rates up to this are looked up in their distribution."""
_SHORTFALL = 2.0
"""The expected sum of the Poisson numbers is this number of standard deviations below the number of groups.

Few sums then exceed the number of groups, and few draws are missing.
"""
_TOGETHER = 4
"""Number of tables of draws that are added up in one product, if sums are exact.

Fewer products are faster, because the threads of OpenBLAS spin after each.
"""


def series_sizes(total: int) -> list[int]:
    """The sizes of the series of `total` resamples or trials."""
    return [min(SERIES, total - start) for start in range(0, total, SERIES)]


def stream(seed: Seed, series: int) -> np.random.Generator:
    """The random numbers of a series.

    The number of the series is the spawn key, which is kept apart from the seed: series 1 of seed 3 is not series 0 of
    seed (3, 1).
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(series,)))


def add_up(numbers: Values, rows: Values) -> Values:
    """The column sums of `rows`, (types, columns), where a resample has each row `numbers` times, (resamples, types).

    This is a matrix product. If a few resamples fit into one thread, it is computed in such pieces: more threads gain
    little there, and lose much on a busy machine, for example if several workers have a series each.
    """
    step = ONE_THREAD // max(1, rows.size)
    if step < _FEWEST or step >= len(numbers):
        return numbers @ rows
    return np.concatenate([numbers[start : start + step] @ rows for start in range(0, len(numbers), step)])


def bootstrap(rows: Values, sizes: Ints, resamples: int, seed: Seed) -> Values:
    """The column sums of resamples, (resamples, columns).

    A resample draws n of n groups with replacement (Efron 1979). Groups with equal counts are one *type*. `rows` are
    the counts of a group of each type, (types, columns), and `sizes` the number of groups of each type. The number of
    draws of each type determines the sums. These numbers follow the multinomial distribution with n trials and the
    shares of the types as probabilities.
    """
    sums = [bootstrap_series(rows, sizes, size, seed, series) for series, size in enumerate(series_sizes(resamples))]
    return np.concatenate([np.zeros((0, rows.shape[1])), *sums])


def bootstrap_series(rows: Values, sizes: Ints, resamples: int, seed: Seed, series: int) -> Values:
    """The column sums of the resamples of one series, which any process may compute; see `bootstrap`."""
    are_exact = _are_exact_in_single(rows, sizes)
    precision = np.float32 if are_exact else np.float64
    together = _TOGETHER if are_exact else 1
    rows = rows.astype(precision, copy=False)
    tables = (numbers.astype(precision, copy=False) for numbers in drawn_numbers(sizes, resamples, seed, series))
    sums = [np.zeros((0, rows.shape[1]))]
    while some := list(islice(tables, together)):
        sums.append(add_up(np.concatenate(some), rows))
    return np.concatenate(sums)


def _are_exact_in_single(rows: Values, sizes: Ints) -> bool:
    """Whether all sums are exact in single precision, which takes half the time.

    Sums of whole numbers below 2²⁴ are exact in any order, and so are sums of quarters below 2²².
    """
    largest = np.maximum(rows.max(axis=0, initial=0), -rows.min(axis=0, initial=0)) * sizes.sum()
    if (largest >= 2**24).any():
        return False
    scaled = rows * np.where(4 * largest < 2**24, 4, 1)  # quarters become whole numbers
    return bool((scaled == np.rint(scaled)).all())


def drawn_numbers(sizes: Ints, resamples: int, seed: Seed, series: int, groups: int | None = None) -> Iterator[Values]:
    """The number of draws of each type in the resamples of one series: tables, (consecutive resamples, types).

    `groups` is the size of a resample [the number of groups].
    """
    groups = int(sizes.sum()) if groups is None else groups
    draw = draw_types if _TYPE_COST * len(sizes) <= groups else draw_groups
    random = stream(seed, series)
    step = max(1, _DRAWS // max(len(sizes), 1))
    for start in range(0, resamples, step):
        yield draw(sizes, min(step, resamples - start), random, groups)


def draw_groups(sizes: Ints, resamples: int, random: np.random.Generator, groups: int | None = None) -> Values:
    """The number of draws of each type, (resamples, types): group numbers are drawn, and counted by type."""
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    numbers = np.empty((resamples, len(sizes)))
    for row in numbers:
        drawn = random.integers(0, len(type_of_group), len(type_of_group) if groups is None else groups)
        row[:] = np.bincount(type_of_group[drawn], minlength=len(sizes))
    return numbers


def draw_types(sizes: Ints, resamples: int, random: np.random.Generator, groups: int | None = None) -> Values:
    """The number of draws of each type, (resamples, types), in a time nearly independent of the number of groups.

    Independent Poisson numbers with a known sum follow the multinomial distribution with that sum as the number of
    trials. So one Poisson number is drawn for each type, such that the sum is usually slightly below the number of
    groups. If the sum of a resample is above it, its Poisson numbers are drawn again. The missing draws are drawn as
    group numbers.
    """
    present = int(sizes.sum())
    groups = present if groups is None else groups
    rates = sizes * (groups / present * max(0.0, 1 - _SHORTFALL / np.sqrt(groups)))
    poisson = _poisson(rates, resamples, random)
    while len(too_high := np.flatnonzero(poisson.sum(axis=0) > groups)):
        poisson[:, too_high] = random.poisson(rates, (len(too_high), len(rates))).T
    missing = groups - poisson.sum(axis=0).astype(np.int64)
    type_of_group = np.repeat(np.arange(len(sizes)), sizes)
    types = type_of_group[random.integers(0, present, missing.sum())]
    cells = np.repeat(np.arange(resamples) * len(sizes), missing) + types
    numbers: Values = poisson.T + np.bincount(cells, minlength=poisson.size).reshape(resamples, len(sizes))
    return numbers


def _poisson(rates: Values, resamples: int, random: np.random.Generator) -> Values:
    """Poisson numbers, (rates, resamples), drawn together for equal rates; for low rates they are looked up."""
    distinct_rates, index, sizes = np.unique(rates, return_inverse=True, return_counts=True)
    rows_by_rate = np.split(np.argsort(index, kind="stable"), np.cumsum(sizes)[:-1])
    numbers = np.empty((len(rates), resamples))
    for rate, rows in zip(distinct_rates.tolist(), rows_by_rate, strict=True):
        shape = (len(rows), resamples)
        numbers[rows] = _looked_up(rate, shape, random) if rate <= _LOOK_UP else random.poisson(rate, shape)
    return numbers


def _looked_up(rate: float, shape: tuple[int, int], random: np.random.Generator) -> Ints:
    """Poisson numbers: how many entries of the cumulative distribution are below a uniform random number.

    For most random numbers, the first twelve bits determine this, and a table has the result. For the others, the
    remaining bits are drawn.
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
    """The cumulative distribution of Poisson numbers, and a table of them for `_looked_up`.

    The distribution has the probabilities of at most 0, 1, 2, … events, up to 1 in double precision. The table has the
    Poisson number by the first twelve bits of a uniform random number; -1 if these do not determine it.
    """
    size = int(rate + 12 * np.sqrt(rate) + 30)
    logarithms = np.arange(size) * np.log(rate or 1.0) - rate - np.append(0, np.cumsum(np.log(np.arange(1, size))))
    distribution = np.cumsum(np.exp(logarithms)) if rate else np.ones(1)
    edges = np.searchsorted(distribution, np.arange(_SHORT + 1) / _SHORT)
    return distribution, np.where(edges[1:] == edges[:-1], edges[:-1], -1)


@dataclass(frozen=True)
class GroupCounts:
    """Sparse counts: a row has the count of one cell in one group. Several rows of one cell and group add up.

    Fractions of one cell and group must be in one row, because `add_hashes` hashes their bits, which do not add up.
    """

    group: Ints
    cell: Ints
    count: Numbers
    is_compared: Bools
    """By cell: whether groups of one type must have equal counts in it."""

    @staticmethod
    def of_table(table: Values) -> GroupCounts:
        """The counts of a table, (groups, columns), whose columns are the cells."""
        groups, columns = table.shape
        group = np.repeat(np.arange(groups), columns)
        cell = np.tile(np.arange(columns), groups)
        return GroupCounts(group, cell, table.ravel(), np.ones(columns, dtype=np.bool_))

    @staticmethod
    def of_tally(tally: Tally, kinds: AbstractSet[str]) -> GroupCounts:
        """The counts of a tally; only counts of the types `kinds` are compared."""
        group = tally.group
        count = tally.count
        # The cells of a wide tally are too many for one random weight each, so those that occur are renumbered.
        cells, cell = np.unique_inverse(tally.cell) if tally.is_wide else (np.arange(tally.cell_count), tally.cell)
        is_compared = np.array([kind in kinds for kind in tally.kinds], dtype=np.bool_)[cells % len(tally.kinds)]
        if tally.has_fractions:
            key = group.astype(np.int64) * len(cells) + cell
            order = np.argsort(key, kind="stable")
            key, count = _sums_by_key(key[order], count[order])
            group, cell = np.divmod(key, max(1, len(cells)))
        return GroupCounts(group, cell, count, is_compared)

    def add_hashes(self, hashes: Sequence[Words], random: np.random.Generator) -> None:
        """Add the counts of each group to its hashes: sums modulo 2⁶⁴, weighted at random by hash and cell."""
        group = self.group.astype(np.intp, copy=False)
        cell = self.cell.astype(np.intp, copy=False)
        count = None if is_ones(self.count) else _bits(self.count)
        for sums in hashes:
            weighted = np.where(self.is_compared, _weights(len(self.is_compared), random), 0).take(cell)
            if count is not None:
                weighted *= count
            np.add.at(sums, group, weighted)


def group_types(counts: Sequence[GroupCounts], groups: int) -> tuple[Ints, Ints]:
    """The first group of each type, in the order of the groups, and the type of every group.

    Groups with equal counts are one type. They are recognised by a random hash of each group. A second, independent
    hash checks that no two groups of a type have different counts; otherwise hashes with other weights are tried.
    """
    for seed in count():
        random = np.random.default_rng(seed)
        hashes = np.zeros(groups, dtype=np.uint64)
        checks = np.zeros(groups, dtype=np.uint64)
        for columns in counts:
            columns.add_hashes((hashes, checks), random)
        _, first, type_of = np.unique(hashes, return_index=True, return_inverse=True)
        if np.array_equal(checks[first[type_of]], checks):
            break
    return _reordered(first, type_of, np.argsort(first))


def table_types(tables: Sequence[Values]) -> tuple[Ints, Ints]:
    """The same for tables of counts, (groups, columns). Types are in the order of their rows in the first table.

    Of equal rows, the next table decides.
    """
    first, type_of = group_types([GroupCounts.of_table(table) for table in tables], len(tables[0]))
    rows = np.concatenate([table[first] for table in tables], axis=1)
    return _reordered(first, type_of, np.lexsort(rows.T[::-1]))


def _reordered(first: Ints, type_of: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The first group of each type, and the type of every group, with the types in another order."""
    return first[order], np.argsort(order)[type_of]


def _sums_by_key(key: Ints, number: Numbers) -> tuple[Ints, Numbers]:
    """The distinct keys, which are sorted, and the sum of the numbers of each."""
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    return (key, number) if len(first) == len(key) else (key[first], np.add.reduceat(number, first))


def _weights(size: int, random: np.random.Generator) -> Words:
    return random.integers(0, 2**64 - 1, size, dtype=np.uint64, endpoint=True)


def _bits(numbers: Numbers) -> Words:
    """Numbers as 64-bit words: equal numbers are equal words."""
    if numbers.dtype.kind != "f":
        return numbers.astype(np.uint64)
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 gets the bits of 0.0
    # Short fractions have zeros in the lower half. Products modulo 2⁶⁴ would lose what differs in the upper half.
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
    return _quantiles(values, (1 - level) / 2, (1 + level) / 2)


def _quantiles(values: Values, low_share: float, high_share: float) -> tuple[float, float]:
    low, high = np.quantile(values, (low_share, high_share)).tolist()
    return low, high


def bca(values: Values, observed: float, jackknife: Values, sizes: Ints, level: float = 0.95) -> tuple[float, float]:
    """The bias-corrected and accelerated interval of resampled values.

    `jackknife` has, by type, the value without one group of this type; `sizes` has the number of groups of each type.
    See `interval` for the formula.

    Source: Efron 1987.
    """
    # The standard module takes 6 ms to load, and is needed only here.
    from statistics import NormalDist

    share_below = float(np.mean(values < observed - ROUNDING) + np.mean(values <= observed + ROUNDING)) / 2
    if share_below in (0, 1):
        return interval(values, level)
    normal = NormalDist()
    bias = normal.inv_cdf(share_below)
    skew = acceleration(jackknife, sizes)

    def corrected(share: float) -> float:
        shifted = bias + normal.inv_cdf(share)
        # At and beyond its pole, which few groups and a wide interval can reach, the transformation is at its limit.
        return normal.cdf(bias + shifted / max(1 - skew * shifted, 1e-12))

    return _quantiles(values, corrected((1 - level) / 2), corrected((1 + level) / 2))


def acceleration(jackknife: Values, sizes: Ints) -> float:
    """A sixth of the skewness of leave-one-out values, (types,); each value occurs `sizes` times.

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
    """By type: the statistic without one group of this type. `rows` and `sizes` are as in `bootstrap`.

    Source: Efron and Tibshirani 1993, ch. 11.
    """
    return statistic(sizes @ rows - rows)
