"""The assignment whose order decides between equal sums finds what SciPy's does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from evenhand.tasks.chains.assignment import ordered_assignment

SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 7))
FEW = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1 / 3, 11.0])


@settings(max_examples=200)
@given(arrays(np.float64, SHAPES, elements=FEW))
def test_the_same_pairs_as_scipy(value: np.ndarray) -> None:
    """Few values, so that many assignments have the same sum."""
    rows, columns = linear_sum_assignment(value, maximize=True)
    found = ordered_assignment(value)
    assert [each.tolist() for each in found] == [rows.tolist(), columns.tolist()]


@pytest.mark.parametrize(
    ("value", "expected"),
    [([[1, 1]], [(0, 0)]), ([[1], [1]], [(0, 0)]), ([[0, 0], [1, 1]], [(0, 0), (1, 1)])],
    ids=["the first column", "the first row", "a column that an empty row has taken"],
)
def test_what_is_taken_of_equal_cells(value: list, expected: list) -> None:
    rows, columns = ordered_assignment(np.array(value, dtype=float))
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == expected
