"""Types of groups, and numbers that tell the differences of rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import Values
from evenhand.statistics.group_types import difference_keys, types_of_groups
from evenhand.statistics.significance import swappable


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
    chosen, found = types_of_groups(given_tables)
    assert np.array_equal(rows[chosen], expected)
    assert found.tolist() == sizes.tolist()


@given(tables())
def test_keys_are_ordered_as_differences_are_and_so_tell_them(given_tables: list[Values]) -> None:
    keys = difference_keys(given_tables)
    assert keys is not None
    found = [
        (tuple(row), int(key))
        for i, a in enumerate(given_tables)
        for j, b in enumerate(given_tables)
        for row, key in zip((b - a).tolist(), (keys[j] - keys[i]).tolist(), strict=True)
    ]
    by_row = sorted(found)
    for (row, key), (next_row, next_key) in pairwise(by_row):
        assert (key < next_key) == (row < next_row)
    assert all((key == 0) == (not any(row)) for row, key in found)


@given(tables())
def test_what_may_be_swapped_is_the_same_with_keys(given_tables: list[Values]) -> None:
    a, b, *_ = given_tables
    keys = difference_keys(given_tables)
    assert keys is not None
    sizes = np.arange(len(a)) % 3
    with_keys, without = swappable(a, b, sizes, keys[1] - keys[0]), swappable(a, b, sizes)
    for column in ("least", "total", "rows", "sizes"):
        assert np.array_equal(getattr(with_keys, column), getattr(without, column))


def test_shares_and_huge_counts_have_no_keys() -> None:
    assert difference_keys([np.array([[1 / 3]]), np.array([[0.0]])]) is None
    huge = np.full((1, 3), 2.0**30)
    assert difference_keys([huge, 0 * huge]) is None
    assert difference_keys([huge, huge + 1]) is not None
