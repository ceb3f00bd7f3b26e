"""Precision, recall and F-beta."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scoring.prf import PRF, prf

counts = st.integers(0, 1000)


def outcomes(tp: Any, fp: Any, fn: Any, beta: float = 1.0) -> PRF:
    return prf(tp, tp + fp, tp, tp + fn, beta)


def test_by_hand() -> None:
    """8 found of 10, 12 predicted: P = 2/3, R = 4/5, F1 = 16/22, F2 = 5·8 / (5·8 + 4·2 + 4)."""
    precision, recall, f1, f2 = outcomes(8, 4, 2, beta=2)
    assert (precision, recall, f1, f2) == pytest.approx((2 / 3, 4 / 5, 16 / 22, 40 / 52))


def test_zero_by_zero_is_zero() -> None:
    assert [float(value) for value in outcomes(0, 0, 0)] == [0, 0, 0, 0]
    assert [float(value) for value in outcomes(0, 3, 0)] == [0, 0, 0, 0]


@given(st.integers(1, 1000), counts, counts, st.floats(0.1, 10))
def test_f_beta_is_the_weighted_harmonic_mean(tp: int, fp: int, fn: int, beta: float) -> None:
    precision, recall, f1, f_beta = outcomes(tp, fp, fn, beta)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert f_beta == pytest.approx((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


def test_arrays_in_arrays_out() -> None:
    found = outcomes(np.array([1, 0]), np.array([1, 0]), np.array([0, 0]))
    assert found.precision.tolist() == [0.5, 0.0]
    assert found.recall.tolist() == [1.0, 0.0]


def test_precision_and_recall_may_count_different_things() -> None:
    """3 of 4 system spans hit, 2 of 5 gold spans are hit: P = 3/4, R = 2/5, F1 = 2 · 3/10 / (23/20)."""
    assert prf(3, 4, 2, 5) == pytest.approx((3 / 4, 2 / 5, 12 / 23, 12 / 23))
