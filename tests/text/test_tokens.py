"""Tokens as places in bytes: what they say, and where two lists part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tokens import Tokens, first_difference

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
    place = data.draw(st.integers(0, len(text) - 1))
    changed = list(text)
    changed[place] += "x"
    assert first_difference(Tokens.of(text), Tokens.of(changed)) == place


@given(words, words)
def test_concatenation(left: list[str], right: list[str]) -> None:
    joined = Tokens.concatenate([Tokens.of(left), Tokens.of(right)])
    assert [joined[i] for i in range(len(joined))] == left + right
