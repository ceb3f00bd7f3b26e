"""Columns that take no room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import (
    BitRank,
    BitSearch,
    Ints,
    bit_parity,
    bit_positions,
    bits_ahead,
    bits_at,
    bits_equal,
    bits_where,
    count_bits,
    take,
    zeros,
)


@pytest.mark.parametrize("column", [np.array([3, 1, 2]), zeros(3)], ids=["numbers", "zeros"])
@pytest.mark.parametrize("rows", [[], [2], [1, 2], [-1, 0], [0, 0, 2, 1]], ids=str)
def test_some_rows_of_a_column(column: Ints, rows: list[int]) -> None:
    found = take(column, np.array(rows, dtype=np.int64))
    assert found.tolist() == [column.tolist()[row] for row in rows]
    assert take(column, slice(1, 3)).tolist() == column.tolist()[1:3]


def test_zeros_take_no_room_where_no_row_is_taken_twice() -> None:
    assert take(zeros(3), np.array([2, 0])).strides == (0,)


# Bits of words answer what marks, asked one by one, answer


MARKS = st.lists(st.booleans(), min_size=1, max_size=300) | st.lists(
    st.sampled_from([False] * 20 + [True]), min_size=1, max_size=1500
)


def words(marks: list[bool]) -> np.ndarray:
    return bits_equal(np.array(marks, dtype=np.uint8), 1)


def set_places(marks: list[bool]) -> list[int]:
    return [place for place, mark in enumerate(marks) if mark]


@given(MARKS)
def test_bits_are_found_where_the_marks_are(marks: list[bool]) -> None:
    assert bit_positions(words(marks)).tolist() == set_places(marks)


@given(MARKS)
def test_ranks_count_the_bits_before_a_place(marks: list[bool]) -> None:
    rank, found = BitRank.of(words(marks)), set_places(marks)
    assert rank.before[-1] == len(found)
    assert rank(np.arange(len(marks))).tolist() == [sum(marks[:place]) for place in range(len(marks))]


@given(MARKS)
def test_the_next_bit_from_a_place_on(marks: list[bool]) -> None:
    marks[-1] = True
    expected = [marks.index(True, place) for place in range(len(marks))]
    assert BitSearch(words(marks)).following(np.arange(len(marks)), [0])[0].tolist() == expected


@given(MARKS)
def test_bits_are_set_where_the_places_are(marks: list[bool]) -> None:
    assert bits_at(np.array(set_places(marks), dtype=np.int64), len(marks)).tolist() == words(marks).tolist()
    assert count_bits(words(marks)) == sum(marks)


@given(MARKS)
def test_parity_tells_whether_the_bits_so_far_are_odd(marks: list[bool]) -> None:
    found = bit_parity(words(marks))
    assert set(bit_positions(found).tolist()) >= {place for place in range(len(marks)) if sum(marks[: place + 1]) % 2}
    assert count_bits(found) == sum(sum(marks[: place + 1]) % 2 for place in range(64 * len(found)))


@given(MARKS, st.integers(1, 63))
def test_bits_behind_a_place(marks: list[bool], distance: int) -> None:
    expected = [place - distance for place in set_places(marks) if place >= distance]
    assert bit_positions(bits_ahead(words(marks), distance)).tolist() == expected


def test_a_long_text_is_looked_at_in_parts() -> None:
    text = np.arange(200_001, dtype=np.int64).astype(np.uint8)
    assert bit_positions(bits_where(text, lambda some: some > 250)).tolist() == np.flatnonzero(text > 250).tolist()
