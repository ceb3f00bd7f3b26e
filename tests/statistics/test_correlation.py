"""Ranks and rank correlations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.statistics.significance import kendall, ranks, spearman

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
    with pytest.raises(ValueError, match="3 scores cannot be correlated with 1; give two for each system"):
        correlation([1, 2, 3], [1])


@given(scores)
def test_correlations_are_symmetric_and_turn_with_the_order(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    for correlation in (spearman, kendall):
        found = correlation(x, y)
        assert found == correlation(y, x) == correlation(3 * x + 1, y)
        if found is None:
            assert len(set(x)) == 1 or len(set(y)) == 1
        else:
            assert -1 - 1e-12 <= found <= 1 + 1e-12
            assert correlation(-x, y) == pytest.approx(-found)
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
