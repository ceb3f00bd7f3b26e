"""Confidence intervals from resampled scores: percentile, and bias-corrected and accelerated (BCa).

The percentile interval of level c goes from the (1 - c) / 2 quantile of the resampled scores to their (1 + c) / 2
quantile, with linear interpolation between neighbours. The BCa interval takes other quantiles, those at

    Phi(z0 + (z0 + z) / (1 - a (z0 + z)))    for z = Phi⁻¹((1 - c) / 2) and z = Phi⁻¹((1 + c) / 2),

where Phi is the standard normal distribution function. z0, the bias correction, is Phi⁻¹ of the share of resampled
scores below the observed one; those that equal it count half. a, the acceleration, is a sixth of the skewness of the
jackknife: sum(d³) / (6 sum(d²)^1.5) over all groups, where d is the mean of the scores that leave out one group, less
the one that leaves out this group. It is 0 where they all are equal. Where all resampled scores lie below the observed
one, or all above it, z0 is infinite, and the percentile interval takes its place.

Sources: Efron and Tibshirani 1993, ch. 13, for the percentile interval; Efron 1987 for BCa; Efron and Tibshirani 1993,
equations 14.9 to 14.15, for its form with the jackknife.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.statistics.draws import ROUNDING, Statistic


def interval(values: Values, level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of resampled values: their (1 - level) / 2 and (1 + level) / 2 quantiles."""
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
