"""Power: how likely a test set is to show a difference, the smallest difference it can show, and the size it needs.

A test set has n groups (documents or sentences). The *influence* of a group is how far it moves a score f of summed
counts: I_i = n (g·a_i - mean of g·a_j), where a_i are the counts of the group and g is the gradient of f at the sums.
Two systems have the differences D_i = I_i(b) - I_i(a), with sd² = sum(D_i²) / (n - 1). A difference is significant if
approximate randomization of the groups, two-sided, gives p <= alpha.

- *By drawing*: d_i = delta + D_i. Draw m groups with replacement; the draw is significant if
  |sum(d)| >= z sqrt(sum(d²)), the normal limit of the randomization of these groups. Power is the share of significant
  draws. Documents have heavy tails, so draws without the few large ones have less variance than the formula assumes.
- *By formula*: Phi((delta - z se0) / se) + Phi((-delta - z se0) / se) with se = sd / sqrt(m) and
  se0 = sqrt(sd² + delta²) / sqrt(m), because swapping the systems spreads the mean as well.

z = Phi⁻¹(1 - alpha / 2). The minimum detectable difference is the smallest delta with the requested power at m = n,
and the size needed for delta is the smallest m with the requested power.

Sources: Card et al. 2020; Hampel 1974 for the influence; Gelman and Carlin 2014 for exaggeration and wrong signs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from statistics import NormalDist

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.statistics.bootstrap import Seed, Statistic, stream

DRAWS = 4_000
"""Number of draws: the standard error of a power is at most 0.8 points."""
_STEP = 1e-6
"""Step of the numeric gradient, relative to each count."""
_EQUAL = 1e-12
"""Differences of influence up to this share of the largest one are rounding errors."""
_TOLERANCE = 1e-7
"""Width of the interval at which the search for the detectable difference ends."""
_EXACT_BELOW = 100
"""Expected number of discordant units below which McNemar's test is summed up exactly."""


def gradient(statistic: Statistic, sums: Values) -> Values:
    """The numeric gradient of a statistic: central differences, one-sided where a count would become negative."""
    step = _STEP * np.maximum(np.abs(sums), 1.0)
    below = np.minimum(step, np.maximum(sums, 0.0))
    upper, lower = sums + np.diag(step), sums - np.diag(below)
    slope: Values = (statistic(upper) - statistic(lower)) / (step + below)
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

    @property
    def groups(self) -> int:
        return int(self.sizes.sum())

    @cached_property
    def sd(self) -> float:
        """The standard deviation of a group's difference; 0 with fewer than two groups."""
        return math.sqrt(float(self.sizes @ self.values**2) / (self.groups - 1)) if self.groups > 1 else 0.0

    def drawn(self, groups: int, seed: Seed, draws: int = DRAWS) -> Values:
        """The sums of D and of D² in draws of `groups` groups with replacement, (draws, 2).

        The same seed gives the same random numbers for every number of groups, so power grows smoothly with it.
        """
        moments = np.stack((self.values, self.values**2), axis=1)
        counts = stream(seed, 0).multinomial(groups, self.sizes / self.groups, draws)
        sums: Values = counts.astype(np.float64) @ moments
        return sums


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
    power: Callable[[int], float], target: float, most: int, guess: int = 2, precision: float = 0.0
) -> int | None:
    """The smallest number of groups with the target power, by bisection from a guess; None if it is above `most`.

    The search ends if it knows the number to this relative precision.
    """
    high = low = max(2, min(guess, most))
    while power(high) < target:
        if high >= most:
            return None
        low, high = high, min(most, high + high // 8 + 1)
    while low > 1 and (low == high or power(low) >= target):
        high, low = low, low - low // 8 - 1
    while high - low > max(1, precision * high):
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high


def needed_by_formula(delta: float, sd: float, target: float, alpha: float = 0.05) -> int:
    """The smallest number of groups with the target power, by the formula."""
    z, largest = z_of(alpha) + NormalDist().inv_cdf(target), 1 << 62
    guess = math.ceil((z * math.hypot(sd, delta) / delta) ** 2)
    groups = needed(lambda groups: power_by_formula(delta, sd, groups, alpha), target, largest, guess)
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
    if units * disagreement >= _EXACT_BELOW:
        return power_by_formula(delta, math.sqrt(max(0.0, disagreement - delta**2)), units, alpha)
    wins = (disagreement + abs(delta)) / (2 * disagreement) if disagreement else 0.5
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
    return total


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
