"""Bits of words answer what marks, asked one by one, answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.bits import Rank, bits, places

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


@given(MARKS)
def test_ranks_count_the_bits_before_a_place_and_find_them_again(marks: list[bool]) -> None:
    rank, found = Rank.of(words(marks)), set_places(marks)
    assert rank.before[-1] == len(found)
    assert rank(np.arange(len(marks))).tolist() == [sum(marks[:place]) for place in range(len(marks))]
