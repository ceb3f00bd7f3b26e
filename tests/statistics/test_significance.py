"""McNemar's test and Holm's correction."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.statistics.significance import holm, mcnemar


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
