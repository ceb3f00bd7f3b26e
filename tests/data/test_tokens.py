"""Tokens as places in bytes: what they say, and where two lists part."""

from __future__ import annotations

import json
from functools import partial
from unicodedata import category

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import bit_positions
from evenhand.data.tokens import (
    PADDING,
    CodedTokens,
    ListedTokens,
    Tokens,
    atoms,
    equal,
    first_difference,
    have_same_codes,
    have_same_lists,
    in_separator,
)

words = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20), min_size=1, max_size=8)


@given(words)
def test_tokens_are_decoded_when_shown(text: list[str]) -> None:
    tokens = Tokens.of(text)
    assert [tokens[i] for i in range(len(tokens))] == text


@given(words, words)
def test_the_first_difference(left: list[str], right: list[str]) -> None:
    shared = min(len(left), len(right))
    left, right = left[:shared], right[:shared]
    expected = next((i for i in range(shared) if left[i] != right[i]), None)
    assert first_difference(Tokens.of(left), Tokens.of(right)) == expected


@given(words, st.data())
def test_one_changed_character_is_found(text: list[str], data: st.DataObject) -> None:
    drawn_item = data.draw(st.integers(0, len(text) - 1))
    changed = list(text)
    changed[drawn_item] += "x"
    assert first_difference(Tokens.of(text), Tokens.of(changed)) == drawn_item


@given(words, words)
def test_concatenation(left: list[str], right: list[str]) -> None:
    joined = Tokens.concatenate([Tokens.of(left), Tokens.of(right)])
    assert [joined[i] for i in range(len(joined))] == left + right


# Tokens that are entries of a dictionary behave as those that are written out


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


# Tokens of lists: what they say, in parts and beside others, without a look at each


WORDS_LISTED_TOKENS = st.sampled_from(["a", "bc", "Zoë", ", ", '"', "a" * 9 + "b", "a" * 9 + "c"])
LISTS = st.lists(st.lists(WORDS_LISTED_TOKENS, min_size=1, max_size=9), min_size=1, max_size=5)


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


# The spaces of Unicode


ALL = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000]


def begins(characters: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each of some characters begins in their bytes."""
    return np.cumsum([0, *(len(each.encode()) for each in characters[:-1])])


def test_atoms_are_the_characters_that_are_no_spaces() -> None:
    text = np.frombuffer("".join(ALL).encode(), dtype=np.uint8)
    visible = begins(ALL)[[not each.isspace() for each in ALL]]
    assert bit_positions(atoms(text)).tolist() == visible.tolist()


def test_separators_are_those_of_unicode() -> None:
    text = np.frombuffer("".join(ALL).encode(), dtype=np.uint8)
    assert in_separator(text)[begins(ALL)].tolist() == [category(each) == "Zs" for each in ALL]
