"""Where strings stand: the steps, word boundaries, sentences, no overlap."""

from __future__ import annotations

import itertools
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.search import (
    OFTEN,
    UNFOLDING,
    AnswerDocument,
    Form,
    Forms,
    Search,
    Span,
    TextIndex,
    edits_allowed,
    endings,
    exact_occurrences,
    near_occurrences,
    occurrences,
    plain_spaces,
    spaced,
)


def first_step(text: str, string: str, *breaks: int, fuzzy: int | None = 15) -> tuple[str, list[Span]]:
    return tuple(Search(AnswerDocument(text, breaks), fuzzy).first(string))


@pytest.mark.parametrize(
    ("text", "string", "step", "spans"),
    [
        ("Ada, Ada", "Ada", "exact", [(0, 3), (5, 8)]),
        ("“Ada”", '"Ada"', "spaces", [(0, 5)]),
        ("ADA  Byron ada byron", "Ada Byron", "case", [(0, 10), (11, 20)]),
        ("U . S .", "U.S.", "tokens", [(0, 7)]),
        ("neuro . consult", "neuro-consult", "punctuation", [(0, 15)]),
        ("Deutschlandreise", "deutschland", "part", [(0, 11)]),
        ("Grip stength", "Grip strength", "fuzzy", [(0, 12)]),
        ("Grip", "Grap", "absent", []),
        ("…", "..", "spaces", [(0, 1)]),
        ("Wait…", "Wait..", "spaces", [(0, 5)]),
    ],
)
def test_steps(text: str, string: str, step: str, spans: list[Span]) -> None:
    assert first_step(text, string) == (step, spans)


def test_a_part_has_three_characters_or_more_and_begins_a_word() -> None:
    assert first_step("illness", "ill") == ("part", [(0, 3)])
    assert first_step("illness", "il") == ("absent", [])
    assert first_step("illness", "ness") == ("absent", [])


@pytest.mark.parametrize("text", ["Adam", "xAda", "Ada_", "Ada1", "Ada\u0301"])
def test_words_do_not_end_between_letters_digits_marks_and_underscores(text: str) -> None:
    assert exact_occurrences(AnswerDocument(text), "Ada") == []


@pytest.mark.parametrize("text", ["Ada-x", "(Ada)", "張Ada張", "カAda", "กAda", "Ada\u200dx", "Ada"])
def test_words_end_at_signs_and_beside_scripts_without_blanks(text: str) -> None:
    assert len(exact_occurrences(AnswerDocument(text), "Ada")) == 1


@pytest.mark.parametrize("script", ["ภาษาไทย", "ພາສາລາວ", "မြန်မာ", "ភាសាខ្មែរ", "ひらがな", "カタカナ", "漢字漢字"])
def test_scripts_without_blanks_have_boundaries_everywhere(script: str) -> None:
    document = AnswerDocument(script)
    assert all(document.is_boundary(at) for at in range(len(script) + 1))


def test_korean_words_have_boundaries_at_their_ends_only() -> None:
    assert [at for at in range(6) if AnswerDocument("김태웅 이고").is_boundary(at)] == [0, 3, 4]


def test_nothing_crosses_sentences() -> None:
    assert first_step("New\nYork", "New York", 4) == ("absent", [])
    assert first_step("New\nYork", "New York") == ("spaces", [(0, 8)])
    assert first_step("Ada Lovelac\ne met", "Ada Lovelace", 12) == ("fuzzy", [(0, 11)])


def test_occurrences_do_not_overlap() -> None:
    assert first_step("a b a b a", "a b a") == ("exact", [(0, 5)])
    assert first_step("x…", ".") == ("spaces", [(1, 2)])


def test_fuzzy_can_be_turned_off_and_set() -> None:
    assert first_step("Grip stength", "Grip strength", fuzzy=None) == ("absent", [])
    assert first_step("abcdefgh", "abxdexgh") == ("absent", [])
    assert first_step("abcdefgh", "abxdexgh", fuzzy=25) == ("fuzzy", [(0, 8)])


WORDS = st.lists(st.sampled_from(["a", "B", "ab", "a_", "é", "張", "-", "ß", "…", "\n", ""]), max_size=12)


@given(WORDS, WORDS, st.booleans())
def test_the_short_way_to_exact_occurrences_equals_the_general_one(
    words: list[str], string: list[str], has_sentences: bool
) -> None:
    text = " ".join(words)
    breaks = [at + 1 for at, character in enumerate(text) if character == "\n"] if has_sentences else []
    document = AnswerDocument(text, breaks)
    for wanted in (" ".join(string).strip(), "".join(string[:2]).strip()):
        assert exact_occurrences(document, wanted) == occurrences(document, document.forms.exact, wanted)


@given(WORDS, st.lists(st.sampled_from(["a", "b", "AB", "É", "-", "..."]), min_size=1, max_size=3), st.booleans())
def test_occurrences_lie_at_word_boundaries_within_sentences(
    words: list[str], string: list[str], has_sentences: bool
) -> None:
    text = " ".join(words)
    breaks = [at + 1 for at, character in enumerate(text) if character == "\n"] if has_sentences else []
    document = AnswerDocument(text, breaks)
    step, spans = Search(document, 15).first(" ".join(string))
    assert (step == "absent") == (not spans)
    for start, end in spans:
        assert document.is_boundary(start)
        assert step == "part" or document.is_boundary(end)
        assert not any(start < each < end for each in breaks)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))


@given(WORDS, WORDS)
def test_the_loosest_form_rules_out_only_what_no_form_holds(words: list[str], string: list[str]) -> None:
    search = Search(AnswerDocument(" ".join(words)), None)
    wanted = " ".join(string).strip()
    if search.first(wanted).step == "absent":
        assert not any(each.spans for each in search.later(wanted, "exact"))


@given(st.text("aéb ", max_size=40), st.lists(st.text("aéb ", min_size=1, max_size=8), min_size=1, max_size=20))
def test_the_index_of_a_text_finds_what_a_search_finds(text: str, strings: list[str]) -> None:
    index = TextIndex(text)
    for _ in range(OFTEN):
        assert not index.holds("zzzz")
    for string in strings:
        assert list(index.hits(string)) == [at for at in range(len(text)) if text.startswith(string, at)]


# Strings with a few edits: how many are allowed, which places win, what the limits do


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


# Forms of a text keep the range of every character in the original


ODD = "aé\u0301e\u0301ßİ…“’–`\u200b\u00ad \t\n\u00a0.,_張カ\u3099ก\u0e35각\u1100\u1161\u11a8½ﬁ\ufe0f😀\u2126"
texts = st.text(st.sampled_from(ODD) | st.characters(codec="utf-8"), max_size=30)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the “Great  Wall”", 'the "Great Wall"'),
        ("‘a’ ‚b‛ ′ ʼ ` ´", "'a' 'b' ' ' ' '"),
        ("«a» „b‟ ″", '"a" "b" "'),
        ("1–2—3‐4‑5‒6―7−8", "1-2-3-4-5-6-7-8"),
        ("so…", "so..."),
        ("\u200bsoft\u00adhyphen \u200b and\ufeff ", "softhyphen and"),
        ("\t a\u00a0\n b ", "a b"),
        ("e\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("e\u200d\u0301", "e\u0301"),
    ],
)
def test_spaces(text: str, form: str) -> None:
    assert Forms(text).spaces.text == form


def test_case_tokens_and_punctuation_come_from_each_other() -> None:
    forms = Forms("Die  „Große Straße“ (N\u0303) _½")
    assert forms.case.text == 'die "grosse strasse" (ñ) _½'
    assert forms.tokens.text == 'die"grossestrasse"(ñ)_½'
    assert forms.punctuation.text == "diegrossestrasseñ½"


def test_punctuation_keeps_marks() -> None:
    assert Forms("हिन्दी, กี่!").punctuation.text == "हिन्दीกี่"


def original(text: str, form: Form) -> list[str]:
    return [text[slice(*form.span(at, at + 1))] for at in range(len(form.text))]


def test_characters_keep_their_ranges() -> None:
    text = " a\t b e\u0301…ß"
    assert original(text, Forms(text).spaces) == ["a", "\t ", "b", " ", "e\u0301", "…", "…", "…", "ß"]
    assert original(text, Forms(text).tokens) == ["a", "b", "e\u0301", "…", "…", "…", "ß", "ß"]


def all_forms(text: str) -> list[Form]:
    forms = Forms(text)
    return [forms.exact, forms.spaces, forms.case, forms.tokens, forms.punctuation]


@given(texts)
def test_ranges_are_monotone_and_lie_in_the_text(text: str) -> None:
    for form in all_forms(text):
        spans = [form.span(at, at + 1) for at in range(len(form.text))]
        assert len(form.starts) == len(form.text)
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(one == other or one[1] <= other[0] for one, other in itertools.pairwise(spans))


@given(st.text(st.sampled_from("aß “–`.é張\n…"), max_size=12))
def test_the_short_way_to_spaces_equals_the_general_one(text: str) -> None:
    plain = plain_spaces(text)
    if plain is not None:
        general = spaced(text)
        assert plain == general.text
        assert [*general.starts] == [*range(len(text))]
        assert general.ends == [*range(1, len(text) + 1)]


def test_characters_that_fold_to_several_are_known() -> None:
    several = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).casefold()) != 1]
    assert len(several) > 100
    assert all(UNFOLDING.match(character) for character in several)
