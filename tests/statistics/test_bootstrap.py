"""The bootstrap over groups.

All seeds are fixed; tolerances are four standard errors or more of what is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom, poisson

from build import pairs
from build import rows as rows_group_types
from evenhand.arrays import Ints, Values, Words
from evenhand.scoring.tally import Tally
from evenhand.statistics import bootstrap as module
from evenhand.statistics import bootstrap as resample
from evenhand.statistics.bootstrap import (
    GroupCounts,
    acceleration,
    add_up,
    bca,
    bootstrap_series,
    draw_groups,
    draw_types,
    drawn_numbers,
    group_types,
    interval,
    jackknife,
    series_sizes,
    table_types,
)
from evenhand.statistics.bootstrap import bootstrap as bootstrap_intervals
from evenhand.statistics.bootstrap import bootstrap as bootstrap_types
from evenhand.statistics.significance import swappable
from evenhand.tasks.spans.fair import fair, tally_spans

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
    intervals = bootstrap_series(counts, sizes, 40, 5, 0)
    if part == 1 / 3:
        assert np.allclose(intervals, drawn @ counts, rtol=1e-14)
    else:
        assert np.array_equal(intervals, drawn @ counts)


# Percentile and BCa intervals


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
    sums = bootstrap_intervals(np.array([[1.0], [0.0]]), np.array([400, 600]), 20_000, seed=6)
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
    intervals = stats.bootstrap(
        tuple(rows.T),
        lambda *columns, axis: f1(np.stack([column.sum(axis=axis) for column in columns], axis=-1)),
        paired=True,
        method="BCa",
        n_resamples=2000,
        rng=np.random.default_rng(1),
    )
    types, sizes = np.unique(rows, axis=0, return_counts=True)
    values = intervals.bootstrap_distribution
    expected = (intervals.confidence_interval.low, intervals.confidence_interval.high)
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
    intervals = stats.bootstrap(
        tuple(rows.T),
        lambda *columns, axis: f1(np.stack([column.sum(axis=axis) for column in columns], axis=-1)),
        paired=True,
        method=method,
        n_resamples=20_000,
        batch=2000,
        rng=np.random.default_rng(2),
    )
    types, sizes = np.unique(rows, axis=0, return_counts=True)
    values = f1(bootstrap_intervals(types, sizes, 20_000, seed=2))
    own = (
        interval(values)
        if method == "percentile"
        else bca(values, f1(sizes @ types), jackknife(types, sizes, f1), sizes)
    )
    expected = (intervals.confidence_interval.low, intervals.confidence_interval.high)
    assert own == pytest.approx(expected, abs=0.15 * values.std())


# Types of groups, and of their differences


@st.composite
def tables(draw: st.DrawFn, part: float = 0.25) -> list[Values]:
    """Counts of some systems by group, as multiples of a part; few values, so that rows are often equal."""
    systems, groups, columns = draw(st.integers(2, 4)), draw(st.integers(0, 12)), draw(st.integers(1, 3))
    size = systems * groups * columns
    numbers = draw(st.lists(st.one_of(st.integers(0, 2), st.integers(-9, 400)), min_size=size, max_size=size))
    return list(part * np.array(numbers, dtype=np.float64).reshape(systems, groups, columns))


@given(st.one_of(tables(), tables(part=1 / 3)))
def test_types_are_the_different_rows_of_all_tables_in_their_order(given_tables: list[Values]) -> None:
    rows = np.concatenate(given_tables, axis=1)
    expected, sizes = np.unique(rows, axis=0, return_counts=True)
    first, position = table_types(given_tables)
    assert np.array_equal(rows[first], expected)
    assert np.array_equal(expected[position], rows)
    assert np.bincount(position).tolist() == sizes.tolist()


def types(tallies: list[Tally], kinds: set[str], groups: int) -> tuple[list[int], list[int]]:
    first, place = group_types([GroupCounts.of_tally(tally, kinds) for tally in tallies], groups)
    return first.tolist(), np.bincount(place).tolist()


@given(st.lists(st.tuples(rows_group_types(), rows_group_types()), min_size=1, max_size=6))
def test_types_of_groups_are_those_with_equal_counts(sentences: list) -> None:
    gold, system = pairs([t for t, _ in sentences * 2], [s for _, s in sentences * 2])
    whole = tally_spans(fair(gold, system), gold, system, np.arange(len(sentences) * 2))
    counts = [
        frozenset((cell[1:], n) for cell, n in whole.cells().items() if cell[0] == group)
        for group in range(len(sentences) * 2)
    ]
    first, sizes = types([whole], set(whole.kinds), len(counts))
    assert [counts[group] for group in first] == list(dict.fromkeys(counts))
    assert sizes == list(Counter(counts).values())


@given(st.lists(st.tuples(st.sampled_from((1, 2, 2**30)), st.sampled_from((1, 2**30 + 1, 2**40))), min_size=1))
def test_types_of_large_groups_are_those_with_equal_counts(counts: list[tuple[int, int]]) -> None:
    """Two cells a group, in two tallies of which the second has the cells of the first swapped."""
    group, label = np.repeat(np.arange(len(counts)), 2), np.tile((0, 1), len(counts))
    kind = np.zeros_like(label)
    tallies = [
        Tally.of(("A", "B"), ("TP",), group, each, each, kind, np.array(counts).ravel()) for each in (label, 1 - label)
    ]
    first, sizes = types(tallies, {"TP"}, len(counts))
    assert [counts[at] for at in first] == list(dict.fromkeys(counts))
    assert sizes == list(Counter(counts).values())


def tally_of(cells: list[tuple[int, int, int]], count: Ints | Values | None = None) -> Tally:
    """A tally of (group, label, kind), which is not added up beforehand."""
    group, label, kind = np.array(cells).T
    labels, kinds = ("A", "B"), ("TP", "FN", "close")
    cell = Tally.cell_of(labels, kinds, label, label, kind)
    return Tally(labels, kinds, group, cell, np.ones(len(group), dtype=np.int64) if count is None else count)


def test_rows_of_one_cell_mean_their_sum() -> None:
    cells = [(0, 1, 0), (0, 1, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0)]
    assert types([tally_of(cells, np.array([1, 1, 1, 1, 2, 2, 1]))], {"TP"}, 3) == ([0], [3])
    assert types([tally_of(cells, np.array([0.5, 1.5, 1, 1, 2, 2, 1]))], {"TP"}, 4) == ([0, 3], [3, 1])


def test_other_kinds_and_counts_of_0_do_not_matter() -> None:
    cells = [(0, 0, 0), (0, 1, 2), (1, 0, 0), (1, 1, 1)]
    assert types([tally_of(cells, np.array([1, 5, 1, 0]))], {"TP", "FN"}, 2) == ([0], [2])
    assert types([tally_of(cells)], {"TP", "FN"}, 2) == ([0, 1], [1, 1])


def test_groups_that_share_a_number_by_chance_are_told_apart() -> None:
    """The first weights are all the same, so that only the number of units tells."""
    cells = [(0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 0, 0), (4, 0, 0), (4, 0, 0)]
    draw, drawn = module._weights, []

    def equal_weights(size: int, random: np.random.Generator) -> Words:
        drawn.append(size)
        return np.ones(size, dtype=np.uint64) if len(drawn) == 1 else draw(size, random)

    with patch.object(module, "_weights", equal_weights):
        assert types([tally_of(cells)], {"TP", "FN", "close"}, 5) == ([0, 1, 2, 4], [2, 1, 1, 1])
    assert len(drawn) == 4
    drawn.clear()
    with patch.object(module, "_weights", equal_weights):
        assert table_types([np.array([[0.0, 1], [1, 0], [0, 1]])])[1].tolist() == [0, 1, 0]
    assert len(drawn) == 4


@given(st.one_of(tables(), tables(part=1 / 3)))
def test_what_may_be_swapped_is_the_different_differences_in_their_order(given_tables: list[Values]) -> None:
    a, b, *_ = given_tables
    sizes = np.arange(len(a)) % 3
    larger = [max(row, tuple(-each for each in row)) for row in map(tuple, (b - a).tolist())]
    expected = Counter(dict.fromkeys(sorted(larger), 0))
    for row, size in zip(larger, sizes.tolist(), strict=True):
        expected[row] += size if any(row) else 0
    expected = +expected
    for swaps in (swappable(a, b, sizes), swappable(b, a, sizes)):
        assert [tuple(row) for row in swaps.rows.tolist()] == list(expected)
        assert swaps.sizes.tolist() == list(expected.values())
        assert np.allclose(swaps.total, sizes @ (a + b))
        assert np.allclose(2 * swaps.least + swaps.sizes @ swaps.rows, swaps.total)
