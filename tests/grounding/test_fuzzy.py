"""Strings with a few edits: how many are allowed, which places win, what the limits do."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.search import AnswerDocument, Span, edits_allowed, endings, near_occurrences


def near(text: str, string: str, percent: int = 15) -> list[Span]:
    return near_occurrences(AnswerDocument(text), string, percent, Counter())


@pytest.mark.parametrize(("size", "edits"), [(6, 0), (7, 1), (13, 1), (14, 2), (20, 3), (100, 15), (500, 15)])
def test_fifteen_percent_of_the_characters_may_be_edited(size: int, edits: int) -> None:
    assert edits_allowed(size, 15) == edits


def test_no_edits_are_allowed_below_seven_characters_whatever_the_share() -> None:
    assert edits_allowed(6, 50) == 0


def test_one_character_stays_whatever_the_share() -> None:
    assert edits_allowed(8, 100) == 7
    assert near("abcdefgx", "abcdefgh", 100) == [(0, 8)]


def test_the_fewest_edits_win() -> None:
    assert near("plasmaferesas plasmaferesis", "plasmapheresis") == [(14, 27)]


def test_places_with_equally_few_edits_are_all_occurrences() -> None:
    assert near("Johanson, Johansson", "johannson") == [(0, 8), (10, 19)]


def test_of_places_that_begin_together_the_nearest_length_wins_then_the_shorter() -> None:
    assert near("abcdefg x h", "abcdefgh") == [(0, 9)]
    assert near("abcdefg xh", "abcdefgh") == [(0, 7)]
    assert list(endings("abc", "abdc", 1)) == [(1, 3), (1, 2), (1, 4)]


def test_places_that_overlap_an_earlier_one_are_dropped() -> None:
    assert near("abcdefg-abcdefg-abcdefg", "abcdefg-abcdefx") == [(0, 15)]


def test_places_begin_and_end_at_word_boundaries() -> None:
    assert near("xabcdefgh", "abcdefgi") == []
    assert near("abcdefghx", "abcdefgi") == []


def test_blanks_are_no_edits() -> None:
    assert near("a b c d e f g x", "abcdefgh") == [(0, 15)]


def test_fifty_hits_of_a_piece_count_and_reaching_the_limit_is_counted() -> None:
    capped = Counter[str]()
    document = AnswerDocument("abcd " * 60 + "abcdwxyz")
    assert near_occurrences(document, "abcdwxyy", 15, capped) == []
    assert capped == {"hits of a piece": 1}
    assert near("abcd " * 40 + "abcdwxyz", "abcdwxyy") == [(200, 208)]


def test_two_hundred_windows_count_and_reaching_the_limit_is_counted() -> None:
    capped = Counter[str]()
    text = "- " * 8 + " ".join("abcdefg"[at % 7] for at in range(2_000))
    near_occurrences(AnswerDocument(text), "abcdefg" * 5 + "x" * 12 + "abcdefg" * 5, 15, capped)
    assert capped["windows"] == 1


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, character in enumerate(one, 1):
        before, row[0] = row[0], at
        for column, against in enumerate(other, 1):
            before, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, before + (character != against)),
            )
    return row[-1]


@given(st.text("abc", min_size=5, max_size=12), st.text("abc", max_size=14), st.integers(0, 4))
def test_endings_have_the_distances_of_levenshtein(string: str, window: str, most: int) -> None:
    expected = [(edits, size) for size in range(len(window) + 1) if (edits := distance(string, window[:size])) <= most]
    order = sorted(expected, key=lambda each: (each[0], abs(each[1] - len(string)), each[1]))
    assert list(endings(string, window, most)) == order


@given(st.lists(st.sampled_from(["abcdefg", "abcdxfg", "bcdefgh", "-", "abc"]), max_size=6))
def test_all_places_with_the_fewest_edits_are_found(words: list[str]) -> None:
    """The definition itself: windows from one word boundary to another, in a text below the limits."""
    string, text = "abcdefgabcdefh", " ".join(words)
    document = AnswerDocument(text)
    tokens = document.forms.tokens
    starts = [at for at in range(len(tokens.text)) if document.is_boundary(tokens.starts[at])]
    ends = [at for at in range(1, len(tokens.text) + 1) if document.is_boundary(tokens.starts[at - 1] + 1)]
    places = [
        (distance(string, tokens.text[start:end]), abs(end - start - len(string)), end - start, start)
        for start in starts
        for end in ends
        if start < end
    ]
    fewest = min(places, default=(3,))[0]
    expected = list[Span]()
    for start in starts:
        best = min((place for place in places if place[3] == start), default=None)
        if best and best[0] == fewest <= 2:
            span = tokens.span(start, start + best[2])
            if not expected or expected[-1][1] <= span[0]:
                expected.append(span)
    assert near(text, string) == expected
