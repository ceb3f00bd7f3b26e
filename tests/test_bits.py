"""Bits of words answer what marks, asked one by one, answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.bits import Rank, bits, every, gaps, later, places

MARKS = st.lists(st.booleans(), min_size=1, max_size=300) | st.lists(
    st.sampled_from([False] * 20 + [True]), min_size=1, max_size=1500
)


def words(marks: list[bool]) -> np.ndarray:
    return bits(np.array(marks, dtype=np.bool_))


def set_places(marks: list[bool]) -> list[int]:
    return [place for place, mark in enumerate(marks) if mark]


@given(MARKS)
def test_bits_are_found_where_the_marks_are(marks: list[bool]) -> None:
    assert places(words(marks)).tolist() == set_places(marks)


@given(MARKS, st.sampled_from([1, 2]), st.sampled_from([0, 1]))
def test_bits_move_on(marks: list[bool], by: int, first: int) -> None:
    moved = set_places([bool(first), *[False] * (by - 1), *marks])
    assert [place for place in places(later(words(marks), by, first)).tolist() if place < len(marks)] == [
        place for place in moved if place < len(marks)
    ]


@given(MARKS, st.sampled_from([1, 2, 4, 8]))
def test_every_second_or_fourth_bit_is_kept(marks: list[bool], step: int) -> None:
    assert places(every(words(marks), step)).tolist() == set_places(marks)[step - 1 :: step]


@given(MARKS)
def test_ranks_count_the_bits_before_a_place_and_find_them_again(marks: list[bool]) -> None:
    rank, found = Rank.of(words(marks)), set_places(marks)
    assert rank.size == len(found)
    assert rank(np.arange(len(marks))).tolist() == [sum(marks[:place]) for place in range(len(marks))]
    assert [rank.place(number) for number in range(len(found))] == found


@given(MARKS)
def test_gaps_are_the_places_since_the_last_bit(marks: list[bool]) -> None:
    expected = []
    for place in range(len(marks)):
        before = marks[:place][::-1]
        expected.append(min(before.index(True) if True in before else 32, 32))
    assert gaps(words(marks), np.arange(len(marks))).tolist() == expected


@pytest.mark.parametrize("size", [63, 64, 65, 128])
def test_words_end_with_a_zero(size: int) -> None:
    assert places(words([True] * size)).tolist() == list(range(size))
    assert gaps(words([True] * size), np.array([size])).tolist() == [0]
