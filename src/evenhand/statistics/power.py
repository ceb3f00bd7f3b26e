"""Power: how likely a test set is to show a difference, the smallest difference it can show, and the size it needs.

A test set has n groups (documents or sentences). The *influence* of a group is how far it moves a score f of summed
counts: I_i = n (g·a_i - mean of g·a_j), where a_i are the counts of the group and g is the gradient of f at the sums.
Two systems have the differences D_i = I_i(b) - I_i(a), with sd² = sum(D_i²) / (n - 1). A difference is significant if
approximate randomization of the groups, two-sided, gives p <= alpha.

- *By drawing*: d_i = delta + D_i, in the direction of the observed difference. Draw m groups with replacement; the draw
  is significant if |sum(d)| >= z sqrt(sum(d²)), the normal limit of the randomization of these groups. Power is the
  share of significant draws. Documents have heavy tails, so draws without the few large ones have less variance than
  the formula assumes.
- *By formula*: Phi((delta - z se0) / se) + Phi((-delta - z se0) / se) with se = sd / sqrt(m) and
  se0 = sqrt(sd² + delta²) / sqrt(m), because swapping the systems spreads the mean as well.

z = Phi⁻¹(1 - alpha / 2). The minimum detectable difference is the smallest delta with the requested power at m = n,
and the size needed for delta is the smallest m with the requested power. An interval of ± x needs
ceil((1.96 sd / x)²) groups. Without a difference, power is alpha.

With k pairs of systems, each test has alpha / k, as in the first step of Holm's correction. The draws are 4,000. With
fewer than 30 groups, every figure is rough; with fewer than 10, or if D_i is the same for all groups, nothing is
estimated. The design effect is (sd² / n by document) / (sd² / n by sentence). Of significant draws, the mean of
|sum(d)| / (m delta) is the exaggeration (type M), and the share with the other sign is type S.

A planned system has sd = sd_a sqrt(2 (1 - rho)), where rho is the correlation of its influences with those of system a.

Sources: Card et al. 2020; Hampel 1974 for the influence; Gelman and Carlin 2014 for exaggeration and wrong signs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.statistics.bootstrap import Seed, Statistic, drawn_numbers, stream

Method = Literal["drawing", "formula"]

DRAWS = 4_000
"""Number of draws: the standard error of a power is at most 0.8 points."""
FEWEST = 10
"""Number of groups below which nothing is estimated."""
ROUGH_BELOW = 30
"""Number of groups below which every estimate is rough."""
TARGET = 0.8
"""The power that a test should have, unless another one is specified."""
MOST = 20
"""Sizes above this many times the present one are not estimated."""
_PRECISION = 0.02
"""Relative precision of a needed size; the standard error of the power does not allow more."""
_STEP = 1e-6
"""Step of the numeric gradient, relative to each count."""
_EQUAL = 1e-12
"""Differences of influence up to this share of the largest one are rounding errors."""
_CONSTANT = 1e-7
"""A standard deviation of influences up to this is the rounding error of the gradient."""
_CELLS = 1 << 20
"""Maximum number of values that are computed at once."""
_TOLERANCE = 1e-7
"""Width of the interval at which the search for the detectable difference ends."""
_EXACT_BELOW = 100
"""Expected number of discordant units below which McNemar's test is summed up exactly."""


def gradient(statistic: Statistic, sums: Values) -> Values:
    """The numeric gradient of a statistic: central differences, one-sided where a count would become negative."""
    step = _STEP * np.maximum(np.abs(sums), 1.0)
    below = np.minimum(step, np.maximum(sums, 0.0))
    slope = np.empty(len(sums))
    rows = max(1, _CELLS // max(1, len(sums)))
    for start in range(0, len(sums), rows):
        some = np.arange(start, min(start + rows, len(sums)))
        upper, lower = np.tile(sums, (len(some), 1)), np.tile(sums, (len(some), 1))
        upper[np.arange(len(some)), some] += step[some]
        lower[np.arange(len(some)), some] -= below[some]
        slope[some] = (statistic(upper) - statistic(lower)) / (step + below)[some]
    return slope


def influences(rows: Values, sizes: Ints, statistic: Statistic) -> Values:
    """The influence of a group of each type. `rows` are the counts of each type, and `sizes` its number of groups."""
    sums, groups = sizes @ rows, int(sizes.sum())
    moved = rows @ gradient(statistic, sums)
    influence: Values = groups * (moved - sizes @ moved / groups)
    return influence


@dataclass(frozen=True)
class Exaggeration:
    """How significant differences misstate the true one, which matters if the power is low."""

    factor: float
    """Type M: the mean absolute difference of significant draws, divided by the true difference."""
    wrong_sign: float
    """Type S: the share of significant draws whose difference has the wrong sign."""


@dataclass(frozen=True)
class InfluenceSpread:
    """The differences of influence of all groups, by type; equal groups are one type of `sizes` groups."""

    values: Values
    sizes: Ints

    @staticmethod
    def of(values: Values, sizes: Ints) -> InfluenceSpread:
        """Merge types with equal values."""
        scale = float(np.abs(values).max(initial=0.0)) * _EQUAL
        rounded = np.round(values / scale).astype(np.float64) if scale else np.zeros_like(values)
        _, first, type_of = np.unique(rounded, return_index=True, return_inverse=True)
        merged = np.bincount(type_of, sizes, minlength=len(first)).astype(np.int64)
        return InfluenceSpread(np.where(rounded[first] == 0, 0.0, values[first]), merged)

    def reversed(self) -> InfluenceSpread:
        """The differences of the systems in opposite order."""
        return InfluenceSpread(-self.values[::-1], self.sizes[::-1])

    @property
    def groups(self) -> int:
        return int(self.sizes.sum())

    @cached_property
    def sd(self) -> float:
        """The standard deviation of a group's difference; 0 with fewer than two groups, or if all are equal."""
        sd = math.sqrt(float(self.sizes @ self.values**2) / (self.groups - 1)) if self.groups > 1 else 0.0
        return sd if sd > _CONSTANT else 0.0

    def drawn(self, groups: int, seed: Seed, draws: int = DRAWS) -> Values:
        """The sums of D and of D² in draws of `groups` groups with replacement, (draws, 2)."""
        if groups < 2 * len(self.values):
            return self._drawn_one_by_one(groups, seed, draws)
        moments = np.stack((self.values, self.values**2), axis=1)
        return np.concatenate([numbers @ moments for numbers in drawn_numbers(self.sizes, draws, seed, 0, groups)])

    def _drawn_one_by_one(self, groups: int, seed: Seed, draws: int) -> Values:
        """The same without counting the draws of each type, which is faster if most types are drawn once."""
        values, sums, step = np.repeat(self.values, self.sizes), np.empty((draws, 2)), max(1, _CELLS // groups)
        for series, start in enumerate(range(0, draws, step)):
            some = sums[start : start + step]
            drawn = values[_drawn_numbers(len(values), groups, len(some), seed, series)]
            some[:, 0] = drawn.sum(axis=1)
            some[:, 1] = np.einsum("ij,ij->i", drawn, drawn)
        return sums


@lru_cache(1)
def _drawn_numbers(present: int, groups: int, draws: int, seed: Seed, series: int) -> Ints:
    """Numbers of groups, (draws, groups); all pairs of systems have the same ones."""
    numbers: Ints = stream(seed, series).integers(0, present, (draws, groups), dtype=np.int32)
    return numbers


@dataclass(frozen=True)
class PowerCurve:
    """The power of a test of one difference, as a function of the difference and of the number of groups.

    Differences are positive in the direction of the observed one, so the order of the systems does not matter.
    """

    spread: InfluenceSpread = field(repr=False)
    """Of the second system minus the first."""
    alpha: float
    target: float = TARGET
    """The power that the test should have."""
    seed: int = 0
    method: Method = "drawing"
    is_reversed: bool = False
    """Whether the first system is observed to be better."""

    def power(self, delta: float, groups: int) -> float:
        """The probability that a true difference is significant with this number of groups; alpha without any."""
        if not delta:
            return self.alpha
        if self.method == "formula":
            return power_by_formula(delta, self.spread.sd, groups, self.alpha)
        return power_by_drawing(delta, self._drawn(groups), groups, self.alpha)

    def detectable(self, groups: int) -> float | None:
        """The smallest difference with the target power; None if even a difference of 1 does not reach it."""
        return detectable(lambda delta: self.power(delta, groups), self.target)

    def needed(self, delta: float) -> int | None:
        """The number of groups with the target power; None above 20 times the present number, or without difference."""
        if not delta or not self.spread.sd:
            return None
        most, guess = MOST * self.spread.groups, needed_by_formula(abs(delta), self.spread.sd, self.target, self.alpha)
        if self.method == "formula":
            return guess if guess <= most else None
        return needed(lambda groups: self.power(delta, groups), self.target, most, guess, self.alpha, _PRECISION)

    def exaggeration(self, delta: float, groups: int) -> Exaggeration | None:
        """How far significant differences exceed the true one."""
        return exaggeration(delta, self._drawn(groups), groups, self.alpha)

    def _drawn(self, groups: int) -> Values:
        if groups not in self._draws:
            spread = self.spread.reversed() if self.is_reversed else self.spread
            self._draws[groups] = spread.drawn(groups, self.seed)
        return self._draws[groups]

    @cached_property
    def _draws(self) -> dict[int, Values]:
        """The draws by number of groups, which a search over differences uses again and again."""
        return {}


@dataclass(frozen=True)
class PowerChart:
    """The lines of a figure: power by the number of groups, and by the difference. Differences are fractions."""

    sizes: Sequence[int]
    by_size: Mapping[str, Sequence[float]]
    """By the name of the line."""
    differences: Sequence[float]
    by_difference: Mapping[str, Sequence[float]]
    present: int
    """The number of groups of the test set."""
    planned: int
    """The number of groups of the powers by difference."""
    detectable: Mapping[str, float]
    target: float


def power_chart(
    curves: Mapping[str, PowerCurve], planned: int, delta: float | None = None, points: int = 17
) -> PowerChart:
    """The power from a quarter to four times the number of groups, and up to 2.5 times the detectable difference.

    One curve has lines for three differences: `delta` (the detectable one, unless it is specified), half of it, and
    twice it. Several curves have one line each, for the difference `delta`.
    """
    first = next(iter(curves.values()))
    known = {name: curve.detectable(planned) for name, curve in curves.items()}
    detectable = {name: difference for name, difference in known.items() if difference is not None}
    largest = max(detectable.values(), default=1.0)
    lines = {name: (curve, delta or largest) for name, curve in curves.items()}
    if len(curves) == 1:
        middle = delta or largest
        deltas = (float(f"{share * middle:.2g}") for share in (0.5, 1, 2) if share * middle <= 1)
        lines = {_points(delta): (first, delta) for delta in deltas}
    present, limits = first.spread.groups, np.linspace(-2, 2, points)
    sizes = [max(FEWEST, round(present * 2.0**power)) for power in limits.tolist()]
    differences = np.linspace(0, min(1.0, 2.5 * largest), 2 * points + 1)[1:].tolist()
    return PowerChart(
        sizes,
        {name: [curve.power(line_delta, size) for size in sizes] for name, (curve, line_delta) in lines.items()},
        differences,
        {name: [curve.power(difference, planned) for difference in differences] for name, curve in curves.items()},
        present,
        planned,
        detectable,
        first.target,
    )


def _points(delta: float) -> str:
    return f"{100 * delta:.2g} points" if delta < 0.1 else f"{100 * delta:.0f} points"


def z_of(alpha: float) -> float:
    """The quantile of a two-sided test."""
    return NormalDist().inv_cdf(1 - alpha / 2)


def power_by_formula(delta: float, sd: float, groups: float, alpha: float = 0.05) -> float:
    """The probability that a true difference is significant, by the normal approximation."""
    if not sd:
        return float(delta != 0)
    error, spread = sd / math.sqrt(groups), math.sqrt((sd**2 + delta**2) / groups)
    limit, cdf = z_of(alpha) * spread, NormalDist().cdf
    return cdf((delta - limit) / error) + cdf((-delta - limit) / error)


def power_by_drawing(delta: float, sums: Values, groups: int, alpha: float = 0.05) -> float:
    """The share of draws (`InfluenceSpread.drawn`) in which a true difference is significant."""
    return float(np.mean(_significant(delta, sums, groups, alpha)))


def exaggeration(delta: float, sums: Values, groups: int, alpha: float = 0.05) -> Exaggeration | None:
    """How far significant differences exceed the true one on average; None if no draw is significant."""
    significant = _significant(delta, sums, groups, alpha)
    if not delta or not significant.any():
        return None
    ratio = (groups * delta + sums[significant, 0]) / (groups * delta)
    return Exaggeration(float(np.abs(ratio).mean()), float(np.mean(ratio < 0)))


def _significant(delta: float, sums: Values, groups: int, alpha: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    total = groups * delta + sums[:, 0]
    squares = groups * delta**2 + 2 * delta * sums[:, 0] + sums[:, 1]
    # A draw without any difference is never significant.
    significant: np.ndarray[tuple[int], np.dtype[np.bool_]] = (total**2 >= z_of(alpha) ** 2 * squares) & (squares > 0)
    return significant


def detectable(power: Callable[[float], float], target: float, largest: float = 1.0) -> float | None:
    """The smallest difference with the target power, by bisection; None if even the largest one has less."""
    if power(largest) < target:
        return None
    low, high = 0.0, largest
    while high - low > _TOLERANCE:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high


def needed(
    power: Callable[[int], float],
    target: float,
    most: int,
    guess: int = 2,
    alpha: float = 0.05,
    precision: float = 0.0,
) -> int | None:
    """The smallest number of groups with the target power; None if it is above `most`.

    From a guess, the search follows the normal approximation until it has numbers with less and with enough power, and
    halves the interval between them. It ends if it knows the number to this relative precision.
    """
    low, high, groups = 1, most + 1, max(2, min(guess, most))
    width = max(1, groups // 50)
    while high - low > max(1, precision * min(high, most)):
        reached = power(groups)
        if reached >= target:
            high = groups
        else:
            low = groups
        if low > 1 and high <= most:
            groups = (low + high) // 2
            continue
        # One side is still open: the next number is beyond the approximation, at a growing distance.
        ratio = _ratio(target, min(max(reached, alpha), 1 - 1e-6), alpha)
        groups = int(groups * ratio) + (width if reached < target else -width)
        groups, width = max(low + 1, min(groups, high - 1)), 2 * width
    return high if high <= most else None


def _ratio(target: float, reached: float, alpha: float) -> float:
    """The number of groups with the target power, divided by that with this power, by the normal approximation."""
    z, quantile = z_of(alpha), NormalDist().inv_cdf
    now = max(z + quantile(reached), 0.25)
    return min(4.0, max(0.25, ((z + quantile(target)) / now) ** 2))


def needed_by_formula(delta: float, sd: float, target: float, alpha: float = 0.05) -> int:
    """The smallest number of groups with the target power, by the formula."""
    z, largest = max(z_of(alpha) + NormalDist().inv_cdf(target), 0.0), 1 << 62
    guess = math.ceil((z * math.hypot(sd, delta) / delta) ** 2)
    groups = needed(lambda groups: power_by_formula(delta, sd, groups, alpha), target, largest, guess, alpha)
    assert groups is not None
    return groups


def groups_for_width(sd: float, width: float, level: float = 0.95) -> int:
    """The number of groups for an interval of the estimate ± `width`."""
    return math.ceil((z_of(1 - level) * sd / width) ** 2)


def power_of_mcnemar(delta: float, disagreement: float, units: int, alpha: float = 0.05) -> float:
    """The power of McNemar's test for independent units: `disagreement` is the share that exactly one system has right.

    By the formula with sd = sqrt(disagreement - delta²). With fewer than 100 expected discordant units, exactly: their
    number N is binomial, and so are the wins among them, with probability (disagreement + delta) / (2 disagreement);
    p is two-sided, twice the tail of a fair coin.

    Source: Card et al. 2020.
    """
    disagreement = min(1.0, max(disagreement, abs(delta)))  # a difference of delta takes as many discordant units
    if units * disagreement >= _EXACT_BELOW:
        return power_by_formula(delta, math.sqrt(max(0.0, disagreement - delta**2)), units, alpha)
    wins = min(1.0, (disagreement + abs(delta)) / (2 * disagreement)) if disagreement else 0.5
    total = 0.0
    for discordant, probability in enumerate(_binomial(units, disagreement)):
        if probability < 1e-12:
            continue
        fair, real = _binomial(discordant, 0.5), _binomial(discordant, wins)
        tail = np.cumsum(fair)
        lost = np.flatnonzero(2 * tail <= alpha)  # the numbers of the rarer outcome that are significant
        if len(lost):
            most = int(lost[-1])
            total += probability * float(real[: most + 1].sum() + real[discordant - most :].sum())
    return float(total)


def _binomial(trials: int, probability: float) -> Values:
    """The probabilities of 0, 1, …, n successes."""
    successes = np.arange(trials + 1)
    if probability in (0, 1):
        certain: Values = (successes == trials * probability).astype(np.float64)
        return certain
    steps = np.log(np.arange(1, trials + 1))
    factorial = np.append(0.0, np.cumsum(steps))
    chances = factorial[-1] - factorial - factorial[::-1]
    weighed: Values = np.exp(
        chances + successes * math.log(probability) + (trials - successes) * math.log(1 - probability)
    )
    return weighed
