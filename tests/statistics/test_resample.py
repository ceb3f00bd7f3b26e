"""The bootstrap over groups.

All seeds are fixed; tolerances are four standard errors or more of what is compared.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import Ints, Values
from evenhand.statistics import resample
from evenhand.statistics.resample import bootstrap as bootstrap_types
from evenhand.statistics.resample import draw_groups, draw_types, interval

Draw = Callable[[Ints, int, np.random.Generator], Values]

rows = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=60)
BOTH_WAYS = pytest.mark.parametrize("draw", [draw_groups, draw_types])


def bootstrap(counts: Values, resamples: int, seed: int) -> Values:
    """From one row a group: equal ones are one type."""
    rows, sizes = np.unique(counts, axis=0, return_counts=True)
    return bootstrap_types(rows, sizes, resamples, seed)


def sample(groups: int, types: int, seed: int = 0) -> Values:
    """Groups of a few types in random order: a constant, a count from 0 to 4, and one that most groups lack."""
    random = np.random.default_rng(seed)
    distinct = np.stack((np.ones(types), random.integers(0, 5, types), random.random(types) < 0.1), axis=1)
    distinct[:, 1] += np.arange(types) / 1024
    return distinct[random.integers(0, types, groups)]


def test_one_group_is_always_drawn() -> None:
    assert bootstrap(np.array([[3.0, 0.0, 7.0]]), 4, seed=1).tolist() == [[3, 0, 7]] * 4


def test_equal_groups_always_have_the_same_sums() -> None:
    assert bootstrap(np.array([[1.0, 2.5]] * 40), 3, seed=1).tolist() == [[40, 100]] * 3


def test_two_groups_have_four_resamples() -> None:
    """Groups 1 and 0: the sum is 0, 1 and 2 with probability 1/4, 1/2 and 1/4."""
    sums = bootstrap(np.array([[1.0], [0.0]]), 40_000, seed=1)[:, 0]
    assert np.bincount(sums.astype(int)) / 40_000 == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


@given(rows, st.integers(0, 2**32))
def test_every_resample_has_as_many_groups_as_there_are(counts: list[list[int]], seed: int) -> None:
    table = np.column_stack((np.ones(len(counts)), np.array(counts, dtype=float)))
    sums = bootstrap(table, 7, seed)
    assert sums[:, 0].tolist() == [len(counts)] * 7
    assert (sums >= len(counts) * table.min(axis=0)).all()
    assert (sums <= len(counts) * table.max(axis=0)).all()


@given(rows, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_resamples(counts: list[list[int]], seed: int) -> None:
    table = np.array(counts, dtype=float)
    assert bootstrap(table, 5, seed).tolist() == bootstrap(table.copy(), 5, seed).tolist()


def test_another_seed_gives_other_resamples() -> None:
    assert bootstrap(sample(1000, 50), 5, seed=1).tolist() != bootstrap(sample(1000, 50), 5, seed=2).tolist()


@pytest.mark.parametrize("types", [5, 2000])
def test_mean_and_variance_of_a_sum(types: int) -> None:
    """The mean of the resampled sums is the total; their covariance is n times that of one group's counts.

    A sum of n independent draws from groups x_1 ... x_n with mean m has the mean n m and the variance
    sum((x_i - m)²), and so for two columns. Few types are drawn by type, many by group.
    """
    counts = sample(2000, types)
    sums = bootstrap(counts, 20_000, seed=3)
    expected = len(counts) * np.cov(counts.T, bias=True)
    assert sums.mean(axis=0) == pytest.approx(counts.sum(axis=0), abs=4 * np.sqrt(expected.max() / 20_000))
    assert np.cov(sums.T) == pytest.approx(expected, abs=0.04 * expected.max())


@BOTH_WAYS
@pytest.mark.parametrize("sizes", [[1], [1, 1], [3, 1, 6], [40, 1, 1, 8], [300, 200, 499, 1]])
def test_draws_are_multinomial(draw: Draw, sizes: list[int]) -> None:
    """n trials with probabilities p = size / n: means n p, variances n p (1 - p), covariances -n p q."""
    drawn = draw(np.array(sizes), 50_000, np.random.default_rng(4))
    groups, shares = sum(sizes), np.array(sizes) / sum(sizes)
    assert (drawn.sum(axis=1) == groups).all()
    assert drawn.min() >= 0
    covariance = groups * (np.diag(shares) - np.outer(shares, shares))
    assert drawn.mean(axis=0) == pytest.approx(sizes, abs=4 * np.sqrt(covariance.max() / 50_000))
    assert np.atleast_2d(np.cov(drawn.T)) == pytest.approx(covariance, abs=0.03 * covariance.max() + 1e-12)


def test_poisson_draws_that_exceed_the_number_of_groups_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a shortfall, that is about every second resample; the distribution remains the same."""
    monkeypatch.setattr(resample, "_SHORTFALL", 0.0)
    test_draws_are_multinomial(draw_types, [300, 200, 499, 1])


def test_merged_and_unmerged_groups_agree() -> None:
    counts = sample(500, 20)
    merged = bootstrap(counts, 20_000, seed=7)
    unmerged = draw_groups(np.ones(500, dtype=np.int64), 20_000, np.random.default_rng(8)) @ counts
    spread = np.cov(unmerged.T)
    assert merged.mean(axis=0) == pytest.approx(unmerged.mean(axis=0), abs=6 * np.sqrt(spread.max() / 20_000))
    assert np.cov(merged.T) == pytest.approx(spread, abs=0.06 * spread.max())


@BOTH_WAYS
def test_draws_of_a_type_are_binomial(draw: Draw) -> None:
    """Three trials with probability 1/3: 0, 1, 2 and 3 draws in 8, 12, 6 and 1 of 27 cases."""
    drawn = draw(np.array([1, 2]), 54_000, np.random.default_rng(5))[:, 0]
    assert np.bincount(drawn.astype(int)) / 2000 == pytest.approx([8, 12, 6, 1], abs=0.25)


def test_interval_by_hand() -> None:
    """The numbers 0 to 100: their 2.5 % and 97.5 % quantiles, and their 5 % and 95 % quantiles."""
    assert interval(np.arange(101.0)) == pytest.approx((2.5, 97.5))
    assert interval(np.arange(101.0), level=0.9) == pytest.approx((5, 95))


def test_interval_of_every_column() -> None:
    low, high = interval(np.arange(101.0)[:, None] * [1, 10])
    assert low == pytest.approx([2.5, 25])
    assert high == pytest.approx([97.5, 975])


def test_interval_of_a_share_of_groups() -> None:
    """400 of 1,000 groups: the sum is binomial, so that the interval is about 400 ± 1.96 sqrt(1000 · 0.4 · 0.6)."""
    sums = bootstrap(np.repeat([1.0, 0.0], [400, 600])[:, None], 20_000, seed=6)
    assert interval(sums[:, 0]) == pytest.approx((369.6, 430.4), abs=2)
