"""Precision, recall and F-beta."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scores.prf import prf

counts = st.integers(0, 1000)


def test_by_hand() -> None:
    """8 found of 10, 12 predicted: P = 2/3, R = 4/5, F1 = 16/22, F2 = 5·8 / (5·8 + 4·2 + 4)."""
    precision, recall, f1, f2 = prf(8, 4, 2, beta=2)
    assert (precision, recall, f1, f2) == pytest.approx((2 / 3, 4 / 5, 16 / 22, 40 / 52))


def test_zero_by_zero_is_zero() -> None:
    assert [float(value) for value in prf(0, 0, 0)] == [0, 0, 0, 0]
    assert [float(value) for value in prf(0, 3, 0)] == [0, 0, 0, 0]


@given(st.integers(1, 1000), counts, counts, st.floats(0.1, 10))
def test_f_beta_is_the_weighted_harmonic_mean(tp: int, fp: int, fn: int, beta: float) -> None:
    precision, recall, f1, f_beta = prf(tp, fp, fn, beta)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert f_beta == pytest.approx((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


def test_arrays_in_arrays_out() -> None:
    found = prf(np.array([1, 0]), np.array([1, 0]), np.array([0, 0]))
    assert found.precision.tolist() == [0.5, 0.0]
    assert found.recall.tolist() == [1.0, 0.0]
