"""The best assignment against SciPy's, and that it is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from evenhand.tasks import assignment
from evenhand.tasks.assignment import _SparseAssignment, best_cells, ordered_assignment

Cell = tuple[int, int, float]
RANDOM = np.random.default_rng(5)


def _fast(cells: Sequence[Cell]) -> list[int]:
    row, column, value = ([cell[place] for cell in cells] for place in range(3))
    return best_cells(np.array(row, dtype=np.int64), np.array(column, dtype=np.int64), np.array(value, float)).tolist()


def _by_paths(cells: Sequence[Cell]) -> list[int]:
    return _SparseAssignment(list(cells)).cells()


SOLVERS = {"best_cells": _fast, "_Matching": _by_paths}


def largest_sum(cells: Sequence[Cell]) -> float:
    if not cells:
        return 0.0
    dense = np.zeros((max(cell[0] for cell in cells) + 1, max(cell[1] for cell in cells) + 1))
    for row, column, value in cells:
        dense[row, column] = value
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


def check(solver: str, cells: Sequence[Cell]) -> None:
    """The cells are there, each once, of different rows and columns, and no sum is larger."""
    chosen = SOLVERS[solver](cells)
    assert len(set(chosen)) == len(chosen)
    assert len({cells[each][0] for each in chosen}) == len({cells[each][1] for each in chosen}) == len(chosen)
    assert sum(cells[each][2] for each in chosen) == pytest.approx(largest_sum(cells), rel=1e-12, abs=1e-12)


def tables(value: st.SearchStrategy[float], rows: int = 6, columns: int = 6) -> st.SearchStrategy[list[Cell]]:
    cell = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1), value)
    return st.lists(cell, max_size=rows * columns, unique_by=lambda each: each[:2])


ONES = st.just(1.0)
SMALL = st.integers(1, 3).map(float)
COUNTS = st.integers(1, 50).map(float)
SHARES = st.builds(lambda common, more: 2 * common / (2 * common + more), st.integers(1, 4), st.integers(0, 6))


@pytest.mark.parametrize("solver", SOLVERS)
@given(cells=st.one_of(tables(ONES), tables(SMALL), tables(COUNTS), tables(SHARES), tables(st.floats(0.01, 1))))
def test_no_sum_is_larger(solver: str, cells: list[Cell]) -> None:
    check(solver, cells)


@pytest.mark.parametrize("solver", SOLVERS)
@given(cells=st.one_of(tables(SMALL, rows=1), tables(SMALL, columns=1), tables(COUNTS, rows=2, columns=9)))
def test_narrow_tables(solver: str, cells: list[Cell]) -> None:
    check(solver, cells)


def _random(rows: int, columns: int, share: float, values: str) -> list[Cell]:
    row, column = np.nonzero(RANDOM.random((rows, columns)) < share)
    kinds = {
        "ties": RANDOM.integers(1, 3, len(row)),
        "counts": RANDOM.integers(1, 100, len(row)),
        "shares": RANDOM.random(len(row)),
    }
    return list(zip(row.tolist(), column.tolist(), kinds[values].astype(float).tolist(), strict=True))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("values", ["ties", "counts", "shares"])
@pytest.mark.parametrize(
    ("rows", "columns", "share"),
    [(300, 300, 0.01), (40, 40, 0.5), (25, 25, 1.0), (60, 20, 0.2), (20, 60, 0.2)],
    ids=["300x300 sparse", "40x40", "25x25 dense", "60x20", "20x60"],
)
def test_larger_tables(solver: str, rows: int, columns: int, share: float, values: str) -> None:
    check(solver, _random(rows, columns, share, values))


@pytest.mark.parametrize("solver", SOLVERS)
def test_nothing_to_assign(solver: str) -> None:
    assert SOLVERS[solver]([]) == []


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("cells", "chosen"),
    [
        ([(0, 0, 1.0)], [0]),
        ([(0, 0, 3.0), (0, 1, 2.0), (1, 0, 2.0)], [1, 2]),
        ([(0, 0, 5.0), (0, 1, 2.0), (1, 0, 2.0)], [0]),
        ([(7, 3, 1.0), (7, 9, 2.0)], [1]),
        ([(2, 0, 1.0), (5, 0, 2.0), (9, 0, 1.5)], [1]),
    ],
    ids=["one cell", "two beside the largest", "the largest alone", "one row", "one column"],
)
def test_by_hand(solver: str, cells: list[Cell], chosen: list[int]) -> None:
    assert sorted(SOLVERS[solver](cells)) == chosen


def test_safe_cells_are_few_rounds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any round, and with many, the sum is the same: what is left is solved by paths."""
    cells = _random(60, 60, 0.05, "counts")
    for rounds in (0, 1, 50):
        monkeypatch.setattr(assignment, "_ROUNDS", rounds)
        check("best_cells", cells)


def test_a_matched_row_is_left_out_for_a_better_one() -> None:
    """Row by row: the third row takes the column of the first one, which has no other."""
    check("_Matching", [(0, 0, 1.0), (1, 1, 1.0), (2, 0, 4.0), (2, 1, 3.0), (3, 0, 5.0)])


# The assignment whose order decides between equal sums finds what SciPy's does


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
