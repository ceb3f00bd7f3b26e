"""Percentile and BCa intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.arrays import Values
from evenhand.statistics.bootstrap import acceleration, bca, bootstrap, interval, jackknife

HUNDRED = np.arange(101.0)
EVEN = np.array([0.0, 1.0]), np.array([1, 1])
"""Leave-one-out values without skewness, and their sizes."""
SKEWED = np.array([0.0, 3.0]), np.array([3, 1])


def f1(sums: Values) -> Values:
    """From sums of right, found and wanted."""
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def sentences(number: int, seed: int) -> Values:
    """Right, found and wanted by sentence; a few long sentences are hard."""
    random = np.random.default_rng(seed)
    wanted = 1 + random.poisson(random.choice([1, 20], number, p=[0.9, 0.1]))
    right = random.binomial(wanted, np.where(wanted > 6, 0.4, 0.95))
    return np.stack((right, right + random.binomial(4, 0.1, number), wanted), axis=1).astype(np.float64)


def test_interval_by_hand() -> None:
    """The numbers 0 to 100: their 2.5 % and 97.5 % quantiles, and their 5 % and 95 % quantiles."""
    assert interval(HUNDRED) == pytest.approx((2.5, 97.5))
    assert interval(HUNDRED, level=0.9) == pytest.approx((5, 95))


def test_interval_of_a_share_of_groups() -> None:
    """400 of 1,000 groups: the sum is binomial, so that the interval is about 400 ± 1.96 sqrt(1000 · 0.4 · 0.6)."""
    sums = bootstrap(np.array([[1.0], [0.0]]), np.array([400, 600]), 20_000, seed=6)
    assert interval(sums[:, 0]) == pytest.approx((369.6, 430.4), abs=2)


def test_without_bias_and_skewness_bca_is_the_percentile_interval() -> None:
    """50 of 101 values lie below 50, and itself counts half: z0 = 0."""
    assert bca(HUNDRED, 50, *EVEN) == pytest.approx((2.5, 97.5))
    assert bca(HUNDRED, 50, *EVEN, level=0.9) == pytest.approx((5, 95))


def test_bias_correction_by_hand() -> None:
    """Three of four values lie below 2.5: z0 = 0.67449.

    The quantiles are at Phi(2 · 0.67449 - 0.84162) = Phi(0.50736) = 0.69405 and Phi(2.19060) = 0.98576, which is, with
    60 % as the level and three steps from 0 to 3, 3 · 0.69405 = 2.08215 and 3 · 0.98576 = 2.95728.
    """
    assert bca(np.arange(4.0), 2.5, *EVEN, level=0.6) == pytest.approx((2.08215, 2.95728), abs=2e-5)


def test_values_that_equal_the_observed_one_count_half() -> None:
    """Two below, two equal and none above: 3 / 4, as in the test before."""
    values = np.array([0.0, 1.0, 2.0, 2.0])
    assert bca(values, 2 + 1e-13, *EVEN, level=0.6) == pytest.approx((2, 2))
    assert bca(values, 2 - 1e-13, *EVEN, level=0.1) == bca(values, 2, *EVEN, level=0.1)


def test_acceleration_by_hand() -> None:
    """Values 0, 0, 0, 3: d = 0.75, 0.75, 0.75, -2.25; sum(d³) = -10.125, sum(d²) = 6.75, so that a = -1 / (6 sqrt(3))."""
    assert acceleration(np.array([0.0, 0.0, 0.0, 3.0]), np.ones(4, dtype=np.int64)) == pytest.approx(-0.09622504486)
    assert acceleration(*SKEWED) == pytest.approx(-0.09622504486)


def test_accelerated_quantiles_by_hand() -> None:
    """z0 = 0, a = -0.096225: Phi(-1.95996 / (1 - 0.18860)) = Phi(-2.41553), Phi(1.95996 / 1.18860) = Phi(1.64897)."""
    assert bca(HUNDRED, 50, *SKEWED) == pytest.approx((0.78563, 95.0423), abs=1e-3)


@pytest.mark.parametrize("observed", [-1, 101])
def test_where_no_or_every_value_lies_below_the_observed_one_it_is_the_percentile_interval(observed: float) -> None:
    assert bca(HUNDRED, observed, *SKEWED) == interval(HUNDRED)


def test_without_spread_there_is_no_acceleration() -> None:
    """Three thirds that differ in their last digit."""
    assert acceleration(np.full(3, 0.5), np.array([1, 2, 3])) == 0
    assert acceleration(np.zeros(3), np.array([1, 2, 3])) == 0
    assert acceleration(np.array([1 / 3, 1 - 2 / 3, 0.1 / 0.3]), np.array([1, 2, 3])) == 0


def test_acceleration_of_tiny_differences() -> None:
    assert acceleration(1e-120 * SKEWED[0], SKEWED[1]) == pytest.approx(-0.09622504486)


def test_a_wide_interval_behind_the_pole_of_the_transformation() -> None:
    """One group of many decides: a is nearly 1/6, and z0 + z exceeds 6; the interval then ends at the largest value."""
    values = np.append(np.zeros(9999), [5.0])
    low, high = bca(values, 4.0, np.array([0.0, -1.0]), np.array([100_000, 1]), level=0.9999)
    assert (low, high) == (0, 5)


def test_jackknife_by_hand() -> None:
    """Groups (1, 2, 2), (0, 1, 1) twice: without the first one 0; without one of the others 2 · 1 / (3 + 3)."""
    rows, sizes = np.array([[1.0, 2.0, 2.0], [0.0, 1.0, 1.0]]), np.array([1, 2])
    assert jackknife(rows, sizes, f1) == pytest.approx([0, 1 / 3])


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40), st.integers(0, 50), st.floats(0.5, 0.99))
def test_bca_lies_within_the_values_and_widens_with_the_level(values: list[int], observed: int, level: float) -> None:
    resampled = np.array(values, dtype=np.float64)
    low, high = bca(resampled, observed, *SKEWED, level)
    wide = bca(resampled, observed, *SKEWED, (1 + level) / 2)
    assert min(values) <= wide[0] <= low <= high <= wide[1] <= max(values)


def test_bca_of_the_same_resamples_is_that_of_scipy() -> None:
    """Same resamples, same jackknife: what is left is rounding."""
    rows = sentences(80, seed=1)
    found = stats.bootstrap(
        tuple(rows.T),
        lambda *columns, axis: f1(np.stack([column.sum(axis=axis) for column in columns], axis=-1)),
        paired=True,
        method="BCa",
        n_resamples=2000,
        rng=np.random.default_rng(1),
    )
    types, sizes = np.unique(rows, axis=0, return_counts=True)
    values = found.bootstrap_distribution
    expected = (found.confidence_interval.low, found.confidence_interval.high)
    assert bca(values, f1(sizes @ types), jackknife(types, sizes, f1), sizes) == pytest.approx(expected, abs=1e-12)
    assert interval(values) != pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_intervals_are_those_of_scipy_but_for_chance(method: str) -> None:
    """Other resamples: within 0.15 standard deviations of the resampled scores.

    The 2.5 % quantile of B normal numbers has the standard error sqrt(0.025 · 0.975 / B) / 0.0584 = 0.019 for
    B = 20,000, in standard deviations; a difference of two has 0.027, and z0, which has 1.25 / sqrt(B) = 0.009 and
    counts twice, makes it 0.037 for BCa: the tolerance is four times that.
    """
    rows = sentences(150, seed=2)
    found = stats.bootstrap(
        tuple(rows.T),
        lambda *columns, axis: f1(np.stack([column.sum(axis=axis) for column in columns], axis=-1)),
        paired=True,
        method=method,
        n_resamples=20_000,
        batch=2000,
        rng=np.random.default_rng(2),
    )
    types, sizes = np.unique(rows, axis=0, return_counts=True)
    values = f1(bootstrap(types, sizes, 20_000, seed=2))
    own = (
        interval(values)
        if method == "percentile"
        else bca(values, f1(sizes @ types), jackknife(types, sizes, f1), sizes)
    )
    expected = (found.confidence_interval.low, found.confidence_interval.high)
    assert own == pytest.approx(expected, abs=0.15 * values.std())
