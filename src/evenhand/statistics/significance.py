"""Significance of differences: approximate randomization, McNemar's test, Holm's correction; and rank correlations.

All tests are two-sided and paired: both systems are scored on the same groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Values, Words
from evenhand.dataclass import dataclass
from evenhand.statistics.bootstrap import ROUNDING, SERIES, Seed, Statistic, add_up, series_sizes, stream, table_types

_WORD = 64
"""Number of coins in a random word."""
_MANY = 512
"""Number of coins from which drawing their sum from the binomial distribution is faster than tossing them, measured."""
_WORDS = 2**15
"""Number of words drawn at once, to fit the processor's cache."""


@dataclass(frozen=True)
class Randomization:
    """The result of approximate randomization for two systems."""

    p: float
    trials: int
    groups: int
    """The number of groups in which the systems differ."""
    least: float
    """The smallest possible p of an exact test with this number of groups: if only the observed outcome and its
    complete swap are as extreme.
    """
    exact: bool
    """Whether the trials are all ways to swap groups, so p is exact."""


@dataclass(frozen=True)
class Swaps:
    """The groups that a trial may swap, by the difference of their two rows of counts, regardless of its sign."""

    least: Values
    """The sums of a side with the smaller row of every group (smaller in the first column in which they differ)."""
    total: Values
    """The sums of both sides."""
    rows: Values
    """The surplus of a side with the larger row of a group, by type, (types, columns)."""
    sizes: Ints
    """The number of groups by type."""

    @cached_property
    def coins(self) -> tuple[Values, Words]:
        """The rows of types with few groups, one per word of coins, and a mask of the bits that are coins."""
        few = self.sizes <= _MANY
        type_of, bits = _words(self.sizes[few])
        return self.rows[few][type_of], bits


def randomization(
    a: Values, b: Values, sizes: Ints, statistic: Statistic, trials: int = 10_000, seed: Seed = 0
) -> Randomization:
    """Approximate randomization: how often systems with randomly swapped outputs differ as much as these do.

    Each trial tosses a coin for each group; heads swaps the two systems' rows of counts, `a` and `b`, (types, columns),
    with `sizes` groups per type. With f the statistic of the sums, and c the number of trials with
    |f(b*) - f(a*)| >= |f(b) - f(a)|, p = (c + 1) / (trials + 1). If the number n of ways to swap the groups that differ
    is at most the number of trials, each way is tried once, and p = c / n is exact.

    Sources: Noreen 1989; Yeh 2000.
    """
    swaps = swappable(a, b, sizes)
    groups = int(swaps.sizes.sum())
    exact = 1 << groups <= trials
    ways = 1 << groups if exact else trials
    observed = float(np.abs(statistic(sizes @ b) - statistic(sizes @ a)))
    reached = 0
    for series, size in enumerate(series_sizes(ways)):
        sums = every_swap(swaps, size, series) if exact else random_swaps(swaps, size, seed, series)
        differences = np.abs(statistic(swaps.total - sums) - statistic(sums))
        # Not `>=`: an undefined score counts as evidence for chance.
        reached += int(np.sum(~(differences < observed - ROUNDING)))
    p = reached / ways if exact else (reached + 1) / (ways + 1)
    return Randomization(p, ways, groups, least_p(groups), exact)


def least_p(groups: int) -> float:
    """The smallest p of an exact test of systems that differ in this number of groups."""
    return min(1.0, 2.0 ** (1 - groups))


def swappable(a: Values, b: Values, sizes: Ints) -> Swaps:
    """The groups that a trial may swap, from the rows of two systems; symmetric in `a` and `b`.

    Groups without a difference do not matter. Groups with equal or opposite differences are one type: a side gets the
    larger row of each with probability 1/2, so only the number of larger rows matters, which is binomial.
    """
    difference = b - a
    column = np.argmax(difference != 0, axis=1)[:, None]
    sign = np.sign(np.take_along_axis(difference, column, axis=1))
    differs = np.flatnonzero((sign[:, 0] != 0) & (sizes > 0))
    surplus = difference[differs] * sign[differs]
    first, type_of = table_types([surplus])
    merged = np.bincount(type_of, sizes[differs], minlength=len(first)).astype(np.int64)
    smaller: Values = np.where(sign < 0, b, a)
    return Swaps(sizes @ smaller, sizes @ (a + b), surplus[first], merged)


def every_swap(swaps: Swaps, ways: int, series: int) -> Values:
    """The sums of one side, (ways, columns), for one series of all ways to swap groups."""
    rows = np.repeat(swaps.rows, swaps.sizes, axis=0)
    number = np.arange(ways) + series * SERIES
    heads = number[:, None] >> np.arange(len(rows)) & 1
    sums: Values = swaps.least + heads @ rows
    return sums


def random_swaps(swaps: Swaps, trials: int, seed: Seed, series: int) -> Values:
    """The sums of one side, (trials, columns), in a series of trials, which any process may compute.

    Coins are the bits of random words, so n of them cost n / 64 numbers.
    """
    random = stream(seed, series)
    many = swaps.sizes > _MANY
    heads = [random.binomial(size, 0.5, trials) for size in swaps.sizes[many].tolist()]
    counts = np.array(heads, dtype=np.float64).reshape(-1, trials).T
    sums = swaps.least + add_up(counts, swaps.rows[many])
    rows, bits = swaps.coins
    step = max(1, _WORDS // max(1, len(bits)))
    for start in range(0, trials, step):
        some = sums[start : start + step]
        words = random.integers(0, 2**64 - 1, (len(some), len(bits)), dtype=np.uint64, endpoint=True)
        words &= bits
        some += add_up(np.bitwise_count(words).astype(np.float64), rows)
    return sums


def _words(sizes: Ints) -> tuple[Ints, Words]:
    """The words of coins for groups: the type of each word, and a mask of its bits that are coins."""
    count = -(-sizes // _WORD)
    type_of = np.repeat(np.arange(len(sizes)), count)
    unused = np.zeros(len(type_of), dtype=np.uint64)
    unused[np.cumsum(count) - 1] = count * _WORD - sizes
    return type_of, np.uint64(2**64 - 1) >> unused


def mcnemar(b: int, c: int) -> float:
    """McNemar's exact test, from the numbers of units that only one system has right: `b` the one, `c` the other.

    If both systems are equally good, b of the n = b + c units is binomial with probability 1/2:
    p = min(1, 2 sum(C(n, i) for i <= min(b, c)) / 2ⁿ), and 1 without such units.

    Sources: McNemar 1947 for the comparison of b and c; Fagerland et al. 2013 for its exact form.
    """
    pairs = b + c
    middle = pairs // 2
    # Probabilities relative to the middle one need no factorials. Beyond 25 roots of n they are below e^-1250.
    steps = np.arange(min(middle, int(25 * pairs**0.5) + 25))
    relative = np.append(1.0, np.cumprod((middle - steps) / (pairs - middle + 1 + steps)))
    whole = 2 * relative.sum() - (pairs % 2 == 0)
    return min(1.0, float(2 * relative[middle - min(b, c) :].sum() / whole))


def trials_for(pairs: int, alpha: float = 0.05) -> int:
    """The default number of trials: 10,000, or 80 per pair, if that is more.

    With n trials no p is below 1 / (n + 1), which Holm's correction multiplies by the number of pairs. This number
    allows a corrected p of alpha / 4 (for 0.05: 1 / 80).
    """
    return max(10_000, math.ceil(4 * pairs / alpha))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of m simultaneous tests, in the order given.

    The smallest p is multiplied by m, the next one by m - 1, and so on; none becomes smaller than the preceding one or
    larger than 1. Tests with a corrected p of at most alpha are significant: the probability of any false positive
    is at most alpha, regardless of dependencies between the tests.

    Source: Holm 1979.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [float(p) for p in corrected]


def ranks(values: npt.ArrayLike, ties: Literal["average", "first"] = "average") -> Values:
    """The rank of each score; the highest has rank 1.

    Equal scores share their ranks: their mean ("average": 1, 2.5, 2.5, 4), as in rank correlations, or the best one
    ("first": 1, 2, 2, 4), as in the tables of shared tasks.

    Source: Kendall 1945 for the mean of ranks.
    """
    _, index, sizes = np.unique(-_scores(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    first = last - sizes + 1
    shared: Values = (first + last) / 2 if ties == "average" else first.astype(np.float64)
    return shared[index]


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Spearman's rho, the Pearson correlation of average ranks.

    rho = sum((r - m) (s - m)) / sqrt(sum((r - m)²) sum((s - m)²)), where r and s are the ranks of x and y, and
    m = (n + 1) / 2 is the mean of both. None with fewer than two scores, or if all scores of one side are equal.

    Source: Spearman 1904.
    """
    first, second = _paired(x, y)
    middle = (len(first) + 1) / 2
    return _cosine(ranks(first) - middle, ranks(second) - middle)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Kendall's tau-b, the surplus of pairs in the same order over pairs in opposite order, corrected for ties.

    tau-b = sum(a b) / sqrt(sum(a²) sum(b²)) over all pairs i, j, where a = sign(x_i - x_j) and b = sign(y_i - y_j);
    which is (C - D) / sqrt((P - T) (P - U)) with C concordant and D discordant of P = n (n - 1) / 2 pairs, T of
    which are tied in x and U in y. None with fewer than two scores, or if all scores of one side are equal.

    Source: Kendall 1945.
    """
    first, second = _paired(x, y)
    return _cosine(_orders(first), _orders(second))


def _orders(scores: Values) -> Values:
    """The sign of the difference of every pair of scores, each pair in both directions."""
    return np.sign(np.subtract.outer(scores, scores)).ravel()


def _cosine(first: Values, second: Values) -> float | None:
    """The cosine of two vectors; None if one of them is 0."""
    size = float(first @ first) * float(second @ second)
    return float(first @ second) / float(np.sqrt(size)) if size else None


def _paired(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Values, Values]:
    first, second = _scores(x), _scores(y)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} scores cannot be correlated with {len(second)}; pass two for each system")
    return first, second


def _scores(values: npt.ArrayLike) -> Values:
    return np.asarray(values, dtype=np.float64)
