"""Tokens of lists: what they say, in parts and beside others, without a look at each."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tokens import PADDING, ListedTokens, Tokens, first_difference, have_same_lists, with_lists

WORDS = st.sampled_from(["a", "bc", "Zoë", ", ", '"', "a" * 9 + "b", "a" * 9 + "c"])
LISTS = st.lists(st.lists(WORDS, min_size=1, max_size=9), min_size=1, max_size=5)


def words_of(lists: list[list[str]]) -> list[str]:
    return [word for each in lists for word in each]


def listed(lists: list[list[str]]) -> ListedTokens:
    """Lists as JSON writes them, one behind the other."""
    texts = [json.dumps(each, ensure_ascii=False).encode() for each in lists]
    ends = np.cumsum([len(text) for text in texts])
    starts = ends - [len(text) for text in texts]
    bounds = np.cumsum([0, *map(len, lists)])
    return ListedTokens(b"".join(texts) + PADDING, starts, ends, bounds, partial(Tokens.of, words_of(lists)))


@given(LISTS, st.data())
def test_a_part_has_the_tokens_of_its_lists(lists: list[list[str]], data: st.DataObject) -> None:
    tokens, words = listed(lists), words_of(lists)
    begin = data.draw(st.integers(0, len(words)))
    end = data.draw(st.integers(begin, len(words) + 2))
    part = tokens.slice(begin, end)
    assert len(part) == len(words[begin:end])
    assert part.texts(0, len(part)) == words[begin:end]


@given(LISTS, LISTS, st.data())
def test_a_part_is_written_as_its_lists(left: list[list[str]], right: list[list[str]], data: st.DataObject) -> None:
    lists = left + right
    first = data.draw(st.integers(0, len(lists) - 2))
    last = data.draw(st.integers(first + 2, len(lists)))
    begin, end = (len(words_of(lists[:place])) for place in (first, last))
    assert have_same_lists(listed(lists).slice(begin, end), listed(lists[first:last]))


def test_a_part_that_cuts_a_list_is_none_of_lists() -> None:
    tokens = listed([["a", "b"], ["c"]])
    assert not have_same_lists(tokens.slice(0, 1), tokens.slice(0, 1))
    assert not have_same_lists(tokens.slice(1, 3), tokens.slice(1, 3))


@given(LISTS, LISTS)
def test_lists_that_are_written_alike_have_the_same_tokens(left: list[list[str]], right: list[list[str]]) -> None:
    assert have_same_lists(listed(left), listed(left))
    assert have_same_lists(listed(left), listed(right)) == (left == right)
    mine, others = Tokens.of(words_of(left)), Tokens.of(words_of(right))
    assert not have_same_lists(listed(left), others)
    if have_same_lists(listed(left), listed(right)):
        assert len(mine) == len(others)
        assert first_difference(mine, others) is None


@given(LISTS, st.data())
def test_one_other_letter_is_seen(lists: list[list[str]], data: st.DataObject) -> None:
    others, at = [list(each) for each in lists], data.draw(st.integers(0, len(lists) - 1))
    place = data.draw(st.integers(0, len(lists[at]) - 1))
    others[at][place] = others[at][place][:-1] + "x"
    assert not have_same_lists(listed(lists), listed(others))


@given(LISTS, LISTS)
def test_parts_that_are_put_together_have_the_lists_of_all(left: list[list[str]], right: list[list[str]]) -> None:
    lists, words = listed(left + right), words_of(left + right)
    parts = [part.alone(partial(Tokens.of, part.texts(0, len(part)))) for part in map(listed, (left, right))]
    assert have_same_lists(parts[0], listed(left))
    joined = with_lists(Tokens.concatenate(parts), parts, lists.bounds)
    assert have_same_lists(joined, lists)
    assert joined.texts(0, len(joined)) == words
    assert with_lists(joined, [parts[0], Tokens.of(words_of(right))], lists.bounds) is joined
