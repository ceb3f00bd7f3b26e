"""Whether two systems differ by more than chance: approximate randomization, McNemar's test, Holm's correction.

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

# == statistics/correlation.py: How far two lists of scores agree in the order of what they


def ranks(values: npt.ArrayLike, ties: Literal["average", "first"] = "average") -> Values:
    """The rank of each score; the best, which is the highest, has rank 1.

    Equal scores share their ranks: all have the mean of them ("average": 1, 2.5, 2.5, 4), as rank correlations need it,
    or all have the best of them ("first": 1, 2, 2, 4), as the tables of shared tasks print it.

    Source: Kendall 1945 for the mean of ranks.
    """
    _, place, sizes = np.unique(-_scores(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    first = last - sizes + 1
    shared: Values = (first + last) / 2 if ties == "average" else first.astype(np.float64)
    return shared[place]


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Spearman's rho, the Pearson correlation of average ranks.

    rho = sum((r - m) (s - m)) / sqrt(sum((r - m)²) sum((s - m)²)), where r and s are the ranks of x and y, and
    m = (n + 1) / 2 is the mean of both. None with fewer than two scores, or where all of one side are equal.

    Source: Spearman 1904.
    """
    first, second = _paired(x, y)
    middle = (len(first) + 1) / 2
    return _cosine(ranks(first) - middle, ranks(second) - middle)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Kendall's tau-b, the surplus of pairs in the same order over those in opposite order, corrected for ties.

    tau-b = sum(a b) / sqrt(sum(a²) sum(b²)) over all pairs i, j, where a = sign(x_i - x_j) and b = sign(y_i - y_j);
    which is (C - D) / sqrt((P - T) (P - U)) with C concordant and D discordant of P = n (n - 1) / 2 pairs, T of
    which are tied in x and U in y. None with fewer than two scores, or where all of one side are equal.

    Source: Kendall 1945.
    """
    first, second = _paired(x, y)
    return _cosine(_orders(first), _orders(second))


def _orders(scores: Values) -> Values:
    """The sign of the difference of every pair of scores, each pair in both directions."""
    return np.sign(np.subtract.outer(scores, scores)).ravel()


def _cosine(first: Values, second: Values) -> float | None:
    """The sum of products over the root of the product of the sums of squares; None where that is 0."""
    size = float(first @ first) * float(second @ second)
    return float(first @ second) / float(np.sqrt(size)) if size else None


def _paired(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Values, Values]:
    first, second = _scores(x), _scores(y)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} scores cannot be correlated with {len(second)}; give two for each system")
    return first, second


def _scores(values: npt.ArrayLike) -> Values:
    return np.asarray(values, dtype=np.float64)


# == statistics/significance.py (primary)


_WORD = 64
"""How many coins a random word is."""
_MANY = 512
"""From how many coins on it is faster to draw their sum from the binomial distribution than to toss them, measured."""
_WORDS = 2**15
"""How many words are drawn at once, so that they stay in the processor's cache."""


@dataclass(frozen=True)
class Randomization:
    """What approximate randomization says about two systems."""

    p: float
    trials: int
    groups: int
    """How many groups the systems differ in."""
    least: float
    """The smallest p that an exact test could give with so many groups: that where only the observed outcome and the
    one with all groups swapped are as extreme."""
    exact: bool
    """Whether the trials are all ways to swap groups, and p is exact."""


@dataclass(frozen=True)
class Swaps:
    """What a trial may swap: groups by how much their two rows of counts differ, whichever system they are from."""

    least: Values
    """The sums of a side that has the smaller row of every group (smaller in the first column where they differ)."""
    total: Values
    """The sums of both sides."""
    rows: Values
    """By type, what a side has more if it gets the larger row of a group, (types, columns)."""
    sizes: Ints
    """By type, how many groups differ like this."""

    @cached_property
    def coins(self) -> tuple[Values, Words]:
        """The rows of types with few groups, one for each word of coins, and which bits of the word are coins."""
        few = self.sizes <= _MANY
        place, bits = _words(self.sizes[few])
        return self.rows[few][place], bits


def randomization(
    a: Values, b: Values, sizes: Ints, statistic: Statistic, trials: int = 10_000, seed: Seed = 0
) -> Randomization:
    """Approximate randomization: how often systems that swap their outputs at random differ as much as these do.

    Each trial tosses a coin for each group; heads swaps the two systems' rows of counts, `a` and `b`, (types, columns),
    of which there are `sizes`. With f the statistic of the sums, and c the number of trials where
    |f(b*) - f(a*)| >= |f(b) - f(a)|, p = (c + 1) / (trials + 1). Where there are no more ways to swap the groups that
    differ than trials, each of the n ways is taken once, and p = c / n is exact.

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
        # Not `>=`, so that a score that is no number speaks for chance.
        reached += int(np.sum(~(differences < observed - ROUNDING)))
    p = reached / ways if exact else (reached + 1) / (ways + 1)
    return Randomization(p, ways, groups, least_p(groups), exact)


def least_p(groups: int) -> float:
    """The smallest p of an exact test of systems that differ in so many groups."""
    return min(1.0, 2.0 ** (1 - groups))


def swappable(a: Values, b: Values, sizes: Ints) -> Swaps:
    """What a trial may swap, from the rows of two systems; the same for `b` and `a`.

    Groups without a difference do not matter. Those with equal or with opposite differences are one type: each of them
    gives one of its two rows to a side with probability 1/2, so that only the number of larger rows matters, which
    follows the binomial distribution.
    """
    difference = b - a
    column = np.argmax(difference != 0, axis=1)[:, None]
    sign = np.sign(np.take_along_axis(difference, column, axis=1))
    differs = np.flatnonzero((sign[:, 0] != 0) & (sizes > 0))
    more = difference[differs] * sign[differs]
    first, place = table_types([more])
    merged = np.bincount(place, sizes[differs], minlength=len(first)).astype(np.int64)
    smaller: Values = np.where(sign < 0, b, a)
    return Swaps(sizes @ smaller, sizes @ (a + b), more[first], merged)


def every_swap(swaps: Swaps, ways: int, series: int) -> Values:
    """The sums of one side, (ways, columns), for the ways to swap groups that a series of all of them has."""
    rows = np.repeat(swaps.rows, swaps.sizes, axis=0)
    number = np.arange(ways) + series * SERIES
    heads = number[:, None] >> np.arange(len(rows)) & 1
    found: Values = swaps.least + heads @ rows
    return found


def random_swaps(swaps: Swaps, trials: int, seed: Seed, series: int) -> Values:
    """The sums of one side, (trials, columns), in a series of trials, which may be computed anywhere.

    Coins are the bits of random words, so that n of them cost n / 64 numbers.
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
    """The words of coins that groups need: of which type each one is, and which of its bits are coins."""
    count = -(-sizes // _WORD)
    place = np.repeat(np.arange(len(sizes)), count)
    unused = np.zeros(len(place), dtype=np.uint64)
    unused[np.cumsum(count) - 1] = count * _WORD - sizes
    return place, np.uint64(2**64 - 1) >> unused


def mcnemar(b: int, c: int) -> float:
    """McNemar's exact test, from the numbers of pairs that only one system has right: `b` the one, `c` the other.

    If each of the n = b + c pairs could as well have been the other way round, b is binomial with probability 1/2:
    p = min(1, 2 sum(C(n, i) for i <= min(b, c)) / 2ⁿ), and 1 where there are no such pairs.

    Sources: McNemar 1947 for the comparison of b and c; Fagerland et al. 2013 for its exact form.
    """
    pairs = b + c
    middle = pairs // 2
    # Probabilities as multiples of that in the middle need no factorials. At 25 roots of n they are below e^-1250.
    steps = np.arange(min(middle, int(25 * pairs**0.5) + 25))
    relative = np.append(1.0, np.cumprod((middle - steps) / (pairs - middle + 1 + steps)))
    whole = 2 * relative.sum() - (pairs % 2 == 0)
    return min(1.0, float(2 * relative[middle - min(b, c) :].sum() / whole))


def trials_for(pairs: int, alpha: float = 0.05) -> int:
    """How many trials a test takes where a user does not say: 10,000, or 80 for each pair, if that is more.

    With n trials no p is below 1 / (n + 1), which Holm's correction multiplies by the number of pairs. So many allow a
    corrected p of alpha / 4 (for 0.05: 1 / 80).
    """
    return max(10_000, math.ceil(4 * pairs / alpha))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of m tests that are looked at together, in the order given.

    The smallest p is multiplied by m, the next one by m - 1, and so on. None becomes smaller than the one before it or
    larger than 1. Those that are then at most alpha may be called significant: that any of them is wrongly called so
    has at most the probability alpha, however the tests depend on each other.

    Source: Holm 1979.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [float(each) for each in corrected]
