"""Tokens that are entries of a dictionary behave as those that are written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tokens import CodedTokens, Tokens, equal, first_difference, have_same_codes

WORDS = ["Ada", "Straße", "Donaudampfschifffahrt", "Donaudampfschiff", ""]


def coded(words: list[str], entries: list[str]) -> CodedTokens:
    return CodedTokens(Tokens.of(entries), np.array(list(map(entries.index, words)), dtype=np.int32))


@given(st.lists(st.sampled_from(WORDS)), st.lists(st.sampled_from(WORDS)), st.permutations(WORDS), st.data())
def test_they_are_what_is_written_out(
    left: list[str], right: list[str], entries: list[str], data: st.DataObject
) -> None:
    right = [*right, *left][: len(left)] if data.draw(st.booleans()) else list(left)
    mine, others = coded(left, WORDS), coded(right, entries)
    assert mine.texts(0, len(left)) == [mine[row] for row in range(len(left))] == left
    assert Tokens.concatenate([mine, others]).texts(0, 2 * len(left)) == left + right
    begin = data.draw(st.integers(0, len(left)))
    assert mine.slice(begin, len(left)).texts(0, len(left)) == left[begin:]
    assert mine.take(np.arange(len(left))[::-1]).texts(0, len(left)) == left[::-1]
    for each in (others, Tokens.of(right)):
        assert first_difference(mine, each) == first_difference(Tokens.of(left), Tokens.of(right))
        assert equal(mine, each).tolist() == [one == other for one, other in zip(left, right, strict=True)]
    assert have_same_codes(mine, others) <= (left == right)
    assert have_same_codes(mine, coded(right, WORDS)) == (left == right)


def test_entries_with_other_bounds_are_others() -> None:
    """The bytes of both dictionaries are the same."""
    assert not have_same_codes(coded(["ab", "c"], ["ab", "c"]), coded(["a", "bc"], ["a", "bc"]))
