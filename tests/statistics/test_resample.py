"""The bootstrap over groups.

All seeds are fixed; tolerances are four standard errors or more of what is compared.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, poisson

from evenhand.arrays import Ints, Values
from evenhand.statistics import bootstrap as resample
from evenhand.statistics.bootstrap import add_up, bootstrap_series, draw_groups, draw_types, drawn_numbers, series_sizes
from evenhand.statistics.bootstrap import bootstrap as bootstrap_types

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


def test_the_sizes_of_series() -> None:
    assert (series_sizes(2500), series_sizes(1000), series_sizes(7), series_sizes(0)) == (
        [1000, 1000, 500],
        [1000],
        [7],
        [],
    )


@pytest.mark.parametrize("seed", [3, (3, 1)])
@pytest.mark.parametrize("types", [5, 500, 6000])
def test_a_series_alone_is_the_series_in_a_run(types: int, seed: int | tuple[int, int]) -> None:
    """Few types are drawn by type, many by group or, where there are even more groups, by type in several steps."""
    rows, sizes = np.unique(sample(12_500 if types == 6000 else 500, types), axis=0, return_counts=True)
    whole = bootstrap_types(rows, sizes, 2100, seed)
    for series in (2, 0, 1):
        alone = bootstrap_series(rows, sizes, 100 if series == 2 else 1000, seed, series)
        assert np.array_equal(alone, whole[1000 * series : 1000 * series + 1000])


def test_the_number_of_a_series_is_no_part_of_the_seed() -> None:
    rows, sizes = np.array([[0.0], [1.0]]), np.array([500, 500])
    second = bootstrap_series(rows, sizes, 20, 3, 1)
    others = [bootstrap_series(rows, sizes, 20, seed, series) for seed, series in [(3, 0), ((3, 1), 0), ((3, 0), 1)]]
    # As in NumPy, a seed that ends with zeros is the seed without them.
    assert [np.array_equal(second, other) for other in others] == [False, False, True]


@pytest.mark.parametrize("types", [1, 30, 3000, 70_000])
def test_sums_in_pieces_are_the_matrix_product(types: int) -> None:
    random = np.random.default_rng(types)
    numbers, rows = (random.integers(0, 9, shape).astype(np.float64) for shape in [(60, types), (types, 6)])
    assert np.array_equal(add_up(numbers, rows), numbers @ rows)


def test_more_resamples_begin_with_the_same_series() -> None:
    counts = sample(300, 9)
    assert np.array_equal(bootstrap(counts, 3000, 1)[:2000], bootstrap(counts, 2000, 1))


def test_no_resamples() -> None:
    assert bootstrap(sample(10, 3), 0, 1).shape == (0, 3)


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


@pytest.mark.parametrize("sizes", [[40, 60], [700, 300, 1], [1500, 2500, 10]])
def test_the_whole_distribution_of_a_type(sizes: list[int]) -> None:
    """Every number of draws is as frequent as the binomial distribution says, within 5 standard errors and a case."""
    cases, groups = 100_000, sum(sizes)
    drawn = draw_types(np.array(sizes), cases, np.random.default_rng(9))[:, 0].astype(int)
    expected = binom.pmf(np.arange(groups + 1), groups, sizes[0] / groups) * cases
    assert (np.abs(np.bincount(drawn, minlength=groups + 1) - expected) <= 5 * np.sqrt(expected) + 1).all()


class Bits:
    """All twelve bits there are, each followed by the same fraction."""

    def __init__(self, fraction: float) -> None:
        self.fraction = fraction

    def integers(self, low: int, high: int, shape: tuple[int, int], dtype: type) -> Ints:
        return np.arange(low, high, dtype=dtype).reshape(shape)

    def random(self, size: int) -> Values:
        return np.full(size, self.fraction)


@pytest.mark.parametrize("rate", [0.01, 0.5, 1, 7.3, 300, 1000])
@pytest.mark.parametrize("fraction", [0.01, 0.37, 0.99])
def test_poisson_numbers_are_quantiles(rate: float, fraction: float) -> None:
    """An even number u leads to the least number k with P(at most k) >= u."""
    found = resample._looked_up(rate, (1, 4096), Bits(fraction))  # type: ignore[arg-type]
    assert np.array_equal(found[0], poisson.ppf((np.arange(4096) + fraction) / 4096, rate))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**22), st.integers(0, 3)), min_size=1, max_size=20),
    st.integers(1, 90),
    st.sampled_from((1.0, 0.25, 1 / 3)),
)
def test_sums_are_those_of_double_precision(rows: list[tuple[int, ...]], size: int, part: float) -> None:
    """However large the counts are, and whether they are whole, quarters or other shares."""
    counts, sizes = part * np.array(rows, dtype=np.float64), np.full(len(rows), size)
    drawn = np.concatenate(list(drawn_numbers(sizes, 40, 5, 0)))
    found = bootstrap_series(counts, sizes, 40, 5, 0)
    if part == 1 / 3:
        assert np.allclose(found, drawn @ counts, rtol=1e-14)
    else:
        assert np.array_equal(found, drawn @ counts)
