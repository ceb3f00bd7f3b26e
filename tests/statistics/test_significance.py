"""McNemar's test and Holm's correction."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.arrays import Values
from evenhand.statistics.significance import (
    Randomization,
    holm,
    kendall,
    mcnemar,
    random_swaps,
    randomization,
    ranks,
    spearman,
    swappable,
)


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        (0, 0, 1),
        (0, 1, 1),
        (0, 5, 2 / 32),
        (3, 7, 2 * (1 + 10 + 45 + 120) / 1024),
        (5, 5, 1),
        (5, 6, 1),
        (4, 6, 2 * (1 + 10 + 45 + 120 + 210) / 1024),
    ],
)
def test_mcnemar_by_hand(b: int, c: int, p: float) -> None:
    assert mcnemar(b, c) == mcnemar(c, b) == pytest.approx(p, rel=1e-14)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_in_whole_numbers(b: int, c: int) -> None:
    tail = sum(comb(b + c, each) for each in range(min(b, c) + 1))
    assert mcnemar(b, c) == pytest.approx(float(min(Fraction(1), Fraction(2 * tail, 2 ** (b + c)))), rel=1e-12)


@pytest.mark.parametrize(
    ("b", "c"),
    [
        (1000, 1100),
        (10_000, 10_900),
        (99_000, 100_000),
        (10**7, 10**7 - 20_000),
        (10**7, 10**7),
        (10**7, 10**7 - 90_000),
    ],
)
def test_mcnemar_with_many_pairs(b: int, c: int) -> None:
    """SciPy's own figures are good to about ten digits here."""
    assert mcnemar(b, c) == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-9)


def test_mcnemar_where_p_is_too_small_for_a_number() -> None:
    assert mcnemar(0, 10**7) == 0


def test_holm_by_hand() -> None:
    """In order: 0.005 · 4, 0.01 · 3, 0.03 · 2, and 0.04 · 1, which must not be less than the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == [1, 1]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_what_its_steps_reject(p_values: list[float], alpha: float) -> None:
    """From the smallest on, as long as p (number of those not rejected yet) <= alpha."""
    rejected: set[int] = set()
    for at in sorted(range(len(p_values)), key=lambda at: p_values[at]):
        if p_values[at] * (len(p_values) - len(rejected)) > alpha:
            break
        rejected.add(at)
    corrected = holm(p_values)
    assert {at for at, p in enumerate(corrected) if p <= alpha} == rejected
    assert all(p <= one <= min(1, p * len(p_values)) for p, one in zip(p_values, corrected, strict=True))


# Approximate randomization


ONE = np.ones(1, dtype=np.int64)
pairs = st.lists(st.tuples(*[st.integers(0, 3)] * 6), min_size=1, max_size=8)
"""Two systems' counts of right, found and wanted, by group."""


def right(sums: Values) -> Values:
    return sums[..., 0]


def f1(sums: Values) -> Values:
    """From sums of right, found and wanted; 0 where nothing is."""
    return 2 * sums[..., 0] / np.maximum(sums[..., 1] + sums[..., 2], 1)


def singles(count: int) -> np.ndarray:
    return np.ones(count, dtype=np.int64)


def sides(groups: list[tuple[int, ...]]) -> tuple[Values, Values, np.ndarray]:
    table = np.array(groups, dtype=np.float64)
    return table[:, :3], table[:, 3:], singles(len(table))


def systems(groups: int, gain: float, seed: int) -> tuple[Values, Values]:
    """Two systems' right, found and wanted by sentence; the second finds a larger share by `gain`."""
    random = np.random.default_rng(seed)
    wanted = random.poisson(2, groups)
    all_systems = []
    for share in (0.7, 0.7 + gain):
        hits = random.binomial(wanted, share)
        all_systems.append(np.stack((hits, hits + random.binomial(3, 0.1, groups), wanted), axis=1).astype(np.float64))
    return all_systems[0], all_systems[1]


def test_three_groups_by_hand() -> None:
    """Differences 2, 1 and 1: of all eight ways ±2 ±1 ±1 only 4 and -4 are as large as 4."""
    found = randomization(np.array([[1.0], [2.0], [3.0]]), np.array([[3.0], [3.0], [4.0]]), singles(3), right)
    assert found == Randomization(p=0.25, trials=8, groups=3, least=0.25, exact=True)


def test_three_groups_with_opposite_differences_by_hand() -> None:
    """Differences 2, 1 and -1, in sum 2: of ±2 ±1 ±1 = 4, 2, 2, 0, 0, -2, -2, -4 six are as large."""
    a, b = np.array([[0.0], [0.0], [1.0]]), np.array([[2.0], [1.0], [0.0]])
    assert randomization(a, b, singles(3), right) == Randomization(0.75, 8, 3, 0.25, True)


def test_every_way_of_several_series_is_taken_once() -> None:
    """Differences 1, 2, 4, ..., 1024: of 2,048 ways, which all differ, only two are as large as 2,047, six as 2,043."""
    b = 2.0 ** np.arange(11)[:, None]
    assert randomization(0 * b, b, singles(11), right).p == 2 / 2048
    smaller = np.where(b == 2, b, 0)
    assert randomization(smaller, b - smaller, singles(11), right).p == 6 / 2048


def test_types_without_groups_do_not_matter() -> None:
    a, b = systems(60, 0.1, seed=2)
    sizes = np.arange(60) % 3
    kept = sizes > 0
    assert randomization(a, b, sizes, f1, 500) == randomization(a[kept], b[kept], sizes[kept], f1, 500)


def test_a_score_that_is_no_sum_by_hand() -> None:
    """Right, found, wanted (1, 1, 1) and (0, 1, 1); (0, 0, 1) and (1, 2, 1): F1 is 2/3 and 2/5.

    Swapped in one group, they are 0 and 4/5, which is more: all four ways are as large.
    """
    a, b = np.array([[1.0, 1, 1], [0, 0, 1]]), np.array([[0.0, 1, 1], [1, 2, 1]])
    assert randomization(a, b, singles(2), f1) == Randomization(1.0, 4, 2, 0.5, True)


def test_identical_systems_do_not_differ() -> None:
    a, _ = systems(50, 0, seed=1)
    assert randomization(a, a.copy(), singles(50), f1) == Randomization(1.0, 1, 0, 1.0, True)


def test_systems_with_equal_scores_do_not_differ() -> None:
    """A hundred groups where one is right, a hundred where the other is."""
    a, b = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    assert randomization(a, b, np.array([100, 100]), right, trials=50) == Randomization(1.0, 50, 200, 2.0**-199, False)


def test_one_group_cannot_be_significant() -> None:
    found = randomization(np.array([[1.0]]), np.array([[900.0]]), ONE, right)
    assert (found.p, found.least, found.groups) == (1, 1, 1)


def test_the_smallest_p_of_trials_is_not_zero() -> None:
    """A thousand groups of one kind: no trial of 199 is as extreme, p = (0 + 1) / (199 + 1)."""
    found = randomization(np.array([[0.0]]), np.array([[1.0]]), np.array([1000]), right, trials=199)
    assert found == Randomization(0.005, 199, 1000, 2.0**-999, False)


def test_a_score_that_is_no_number_is_not_significant() -> None:
    a, b = systems(40, 0.2, seed=1)
    assert randomization(a, b, singles(40), lambda sums: np.full(sums.shape[:-1], np.nan), trials=100).p == 1


def test_equal_and_opposite_differences_are_one_type() -> None:
    """Three groups with 1 and 3, four with 3 and 1, five without a difference, two with 0 and 7."""
    a, b = np.array([[1.0, 5], [3, 6], [4, 4], [0, 1]]), np.array([[3.0, 4], [1, 7], [4, 4], [7, 1]])
    swaps = swappable(a, b, np.array([3, 4, 5, 2]))
    assert swaps.rows.tolist() == [[2, -1], [7, 0]]
    assert swaps.sizes.tolist() == [7, 2]
    assert swaps.least.tolist() == [7 * 1 + 5 * 4 + 2 * 0, 3 * 5 + 4 * 7 + 5 * 4 + 2 * 1]
    assert swaps.total.tolist() == [7 * 4 + 5 * 8 + 2 * 7, 3 * 9 + 4 * 13 + 5 * 8 + 2 * 2]


@given(pairs)
def test_few_groups_are_enumerated(groups: list[tuple[int, ...]]) -> None:
    """The definition, group by group and in exact fractions."""

    def difference(swapped: tuple[bool, ...]) -> Fraction:
        chosen = [row[3:] + row[:3] if swap else row for row, swap in zip(groups, swapped, strict=True)]
        sums = [sum(column) for column in zip(*chosen, strict=True)]
        scores = [Fraction(2 * sums[at], max(sums[at + 1] + sums[at + 2], 1)) for at in (0, 3)]
        return abs(scores[1] - scores[0])

    ways = [difference(swapped) for swapped in product((False, True), repeat=len(groups))]
    test = randomization(*sides(groups), f1)
    assert test.exact
    assert test.p == pytest.approx(sum(way >= ways[0] for way in ways) / len(ways))
    assert test.p >= test.least


@given(pairs, st.integers(1, 300))
def test_which_system_comes_first_does_not_matter(groups: list[tuple[int, ...]], trials: int) -> None:
    a, b, sizes = sides(groups)
    assert randomization(a, b, sizes, f1, trials, seed=3) == randomization(b, a, sizes, f1, trials, seed=3)


@given(pairs, st.permutations(range(8)))
def test_how_groups_are_put_together_does_not_matter(groups: list[tuple[int, ...]], order: list[int]) -> None:
    shuffled = [groups[at] for at in order if at < len(groups)]
    merged, sizes = np.unique(np.array(groups, dtype=np.float64), axis=0, return_counts=True)
    expected = randomization(*sides(groups), f1, 100, seed=5)
    assert randomization(*sides(shuffled), f1, 100, seed=5) == expected
    assert randomization(merged[:, :3], merged[:, 3:], sizes, f1, 100, seed=5) == expected


def test_the_same_seed_gives_the_same_p_and_another_one_another() -> None:
    a, b = systems(300, 0.02, seed=4)
    found = [randomization(a, b, singles(300), f1, 2500, seed) for seed in (7, 7, 8, (7, 1))]
    assert found[0] == found[1]
    assert len({each.p for each in found}) == 3


@pytest.mark.parametrize("copies", [1, 40, 700])
def test_a_series_alone_is_the_series_in_a_run(copies: int) -> None:
    """The trials in which the statistic was asked, series by series; several words a type, or none at all."""
    a, b = systems(200, 0.05, seed=5)
    sizes = singles(200) * copies
    asked: list[Values] = []

    def observing(sums: Values) -> Values:
        asked.append(sums)
        return f1(sums)

    randomization(a, b, sizes, observing, 2300, seed=9)
    run = [sums for sums in asked if sums.ndim == 2][1::2]
    assert [len(sums) for sums in run] == [1000, 1000, 300]
    for series in (2, 0, 1):
        alone = random_swaps(swappable(a, b, sizes), len(run[series]), 9, series)
        assert np.array_equal(alone, run[series])


@pytest.mark.parametrize("size", [1, 5, 63, 64, 65, 128, 200, 512, 513, 3000])
def test_swaps_are_binomial(size: int) -> None:
    """Coins from words, masked, whole and several, and sums of many: every number of heads is as frequent as it should.

    Within 5 standard errors and a case of 40,000.
    """
    swaps = swappable(np.array([[1.0]]), np.array([[0.0]]), np.array([size]))
    heads = np.concatenate([random_swaps(swaps, 1000, 6, series)[:, 0] for series in range(40)]).astype(int)
    expected = stats.binom.pmf(np.arange(size + 1), size, 0.5) * 40_000
    assert (np.abs(np.bincount(heads, minlength=size + 1) - expected) <= 5 * np.sqrt(expected) + 1).all()


def test_swaps_of_types_are_independent() -> None:
    """Covariances 0, variances n / 4; a standard error of a covariance is sqrt(n m / 16 / trials)."""
    sizes = np.array([3, 70, 40, 600])
    swaps = swappable(np.zeros((4, 4)), np.diag([1.0, 2, 3, 4]), sizes)
    heads = np.concatenate([random_swaps(swaps, 1000, 6, series) for series in range(30)]) / [1, 2, 3, 4]
    expected, error = np.diag(sizes / 4), np.sqrt(np.outer(sizes, sizes) / 8 / 30_000)
    assert (np.abs(np.cov(heads.T) - expected) <= 4 * error).all()


def test_trials_come_close_to_all_ways() -> None:
    """12 groups: 4,096 ways, and as many random trials as are just too few for them; 4 sqrt(p (1 - p) / 4000)."""
    a, b = systems(40, 0.15, seed=11)
    differs = np.flatnonzero((a != b).any(axis=1))[:12]
    exact = randomization(a[differs], b[differs], singles(12), f1, 4096)
    drawn = randomization(a[differs], b[differs], singles(12), f1, 4095)
    assert (exact.exact, exact.trials, drawn.exact, drawn.trials) == (True, 4096, False, 4095)
    assert 0.02 < exact.p < 0.9
    assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p * (1 - exact.p) / 4000))


@pytest.mark.parametrize(("gain", "seed"), [(0.03, 1), (0.06, 5), (0.08, 3), (0.15, 3)])
def test_permutation_test_of_scipy(gain: float, seed: int) -> None:
    """Two runs of 10,000 trials: within four standard errors of a difference, sqrt(2 p (1 - p) / 10,000).

    SciPy is given the numbers of rows, so that it swaps whole rows. It doubles the smaller tail, which is the same
    here: every way to swap has its opposite.
    """
    a, b = systems(80, gain, seed)
    table = np.concatenate((a, b))

    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> Values:
        before, after = (f1(table[np.moveaxis(side, axis, -1)].sum(axis=-2)) for side in (x, y))
        return after - before

    expected = stats.permutation_test(
        (np.arange(80), np.arange(80, 160)),
        difference,
        permutation_type="samples",
        n_resamples=10_000,
        batch=1000,
        rng=np.random.default_rng(seed),
    ).pvalue
    types, sizes = np.unique(np.concatenate((a, b), axis=1), axis=0, return_counts=True)
    found = randomization(types[:, :3], types[:, 3:], sizes, f1, seed=seed)
    assert not found.exact
    assert found.p == pytest.approx(expected, abs=4 * np.sqrt(2 * expected * (1 - expected) / 10_000) + 2e-4)


def test_mcnemar_is_the_randomization_of_right_and_wrong() -> None:
    """1 and 9 of ten pairs: 2 (1 + 10) / 1024, whichever test says it."""
    a, b = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    assert randomization(a, b, np.array([1, 9]), right).p == 0.021484375
    assert mcnemar(1, 9) == pytest.approx(0.021484375, rel=1e-14)
    many = randomization(a, b, np.array([450, 510]), right).p
    assert many == pytest.approx(mcnemar(450, 510), abs=4 * np.sqrt(0.056 * 0.944 / 10_000))


def test_a_larger_difference_is_no_less_significant() -> None:
    a, b = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    drawn = [randomization(a, b, np.array([50 - more, 50 + more]), right, 2000).p for more in range(0, 26, 5)]
    exact = [mcnemar(50 - more, 50 + more) for more in range(26)]
    assert drawn == sorted(drawn, reverse=True)
    assert exact == sorted(exact, reverse=True)


# Ranks and rank correlations


Correlation = Callable[[npt.ArrayLike, npt.ArrayLike], float | None]

scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30)


def test_the_highest_score_has_rank_one() -> None:
    assert ranks([0.7, 0.9, 0.8]).tolist() == [3, 1, 2]


def test_ties_share_the_mean_of_their_ranks_or_the_best() -> None:
    assert ranks([0.9, 0.8, 0.8, 0.1]).tolist() == [1, 2.5, 2.5, 4]
    assert ranks([0.9, 0.8, 0.8, 0.1], ties="first").tolist() == [1, 2, 2, 4]
    assert ranks([5, 5, 5]).tolist() == [2, 2, 2]
    assert ranks([]).tolist() == []


def test_spearman_without_ties_by_hand() -> None:
    """Rank differences 1, -1, 0, 1, -1, so that rho = 1 - 6 · 4 / (5 · 24) = 0.8."""
    assert spearman([5, 4, 3, 2, 1], [4, 5, 3, 1, 2]) == pytest.approx(0.8)


def test_spearman_with_ties_by_hand() -> None:
    """Ranks 1, 2.5, 2.5, 4 and 2, 1, 3.5, 3.5 less their mean 2.5: -1.5, 0, 0, 1.5 and -0.5, -1.5, 1, 1.

    Products: 0.75 + 0 + 0 + 1.5 = 2.25; squares: 4.5 and 0.25 + 2.25 + 1 + 1 = 4.5; rho = 2.25 / 4.5.
    """
    assert spearman([9, 8, 8, 1], [6, 7, 2, 2]) == 0.5


def test_kendall_without_ties_by_hand() -> None:
    """Of 10 pairs, two (the first two and the last two systems) are discordant: (8 - 2) / 10."""
    assert kendall([5, 4, 3, 2, 1], [4, 5, 3, 1, 2]) == pytest.approx(0.6)


def test_kendall_with_ties_by_hand() -> None:
    """Six pairs of a, b, c, d: ab is discordant; bc is tied in x, cd in y; ac, ad, bd are concordant.

    tau-b = (3 - 1) / sqrt((6 - 1) (6 - 1)) = 2 / 5.
    """
    assert kendall([9, 8, 8, 1], [6, 7, 2, 2]) == pytest.approx(0.4)


def test_kendall_with_different_numbers_of_ties_by_hand() -> None:
    """x has no tie, y = 1, 1, 1, 2 has three: three pairs are concordant; tau-b = 3 / sqrt(6 · 3) = 1 / sqrt(2)."""
    assert kendall([1, 2, 3, 4], [1, 1, 1, 2]) == pytest.approx(0.7071067811865475)


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_undefined_where_a_side_is_constant_or_too_short(correlation: Correlation) -> None:
    assert correlation([1, 1, 1], [1, 2, 3]) is None
    assert correlation([1, 2, 3], [0.5, 0.5, 0.5]) is None
    assert correlation([1], [1]) is None
    assert correlation([], []) is None


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_lists_of_different_lengths(correlation: Correlation) -> None:
    with pytest.raises(ValueError, match="3 scores cannot be correlated with 1; pass two for each system"):
        correlation([1, 2, 3], [1])


@given(scores)
def test_correlations_are_symmetric_and_turn_with_the_order(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    for correlation in (spearman, kendall):
        coefficient = correlation(x, y)
        assert coefficient == correlation(y, x) == correlation(3 * x + 1, y)
        if coefficient is None:
            assert len(set(x)) == 1 or len(set(y)) == 1
        else:
            assert -1 - 1e-12 <= coefficient <= 1 + 1e-12
            assert correlation(-x, y) == pytest.approx(-coefficient)
            assert (correlation(x, x), correlation(x, -x)) == (1, -1)


@given(scores)
def test_kendall_counts_pairs(pairs: list[tuple[int, int]]) -> None:
    """The definition, pair by pair."""
    two = [(a, b) for place, a in enumerate(pairs) for b in pairs[:place]]
    surplus = sum(np.sign(a[0] - b[0]) * np.sign(a[1] - b[1]) for a, b in two)
    untied = [sum(a[side] != b[side] for a, b in two) for side in (0, 1)]
    expected = surplus / np.sqrt(untied[0] * untied[1]) if all(untied) else None
    assert kendall(*zip(*pairs, strict=True)) == (expected if expected is None else pytest.approx(expected))


@given(st.lists(st.integers(0, 5), max_size=20))
def test_average_ranks_keep_their_sum(values: list[int]) -> None:
    assert ranks(values).sum() == len(values) * (len(values) + 1) / 2
    assert ranks(values, ties="first").tolist() == [1 + sum(other > value for other in values) for value in values]
