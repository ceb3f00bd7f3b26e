"""Columns that take no room."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.arrays import Ints, taken, zeros


@pytest.mark.parametrize("column", [np.array([3, 1, 2]), zeros(3)], ids=["numbers", "zeros"])
@pytest.mark.parametrize("rows", [[], [2], [1, 2], [-1, 0], [0, 0, 2, 1]], ids=str)
def test_some_rows_of_a_column(column: Ints, rows: list[int]) -> None:
    found = taken(column, np.array(rows, dtype=np.int64))
    assert found.tolist() == [column.tolist()[row] for row in rows]
    assert taken(column, slice(1, 3)).tolist() == column.tolist()[1:3]


def test_zeros_take_no_room_where_no_row_is_taken_twice() -> None:
    assert taken(zeros(3), np.array([2, 0])).strides == (0,)
