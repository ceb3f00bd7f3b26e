"""Where strings stand: the steps, word boundaries, sentences, no overlap."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.search import OFTEN, AnswerDocument, Search, Span, TextIndex, exact_occurrences, occurrences


def found(text: str, string: str, *breaks: int, fuzzy: int | None = 15) -> tuple[str, list[Span]]:
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
    assert found(text, string) == (step, spans)


def test_a_part_has_three_characters_or_more_and_begins_a_word() -> None:
    assert found("illness", "ill") == ("part", [(0, 3)])
    assert found("illness", "il") == ("absent", [])
    assert found("illness", "ness") == ("absent", [])


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
    assert found("New\nYork", "New York", 4) == ("absent", [])
    assert found("New\nYork", "New York") == ("spaces", [(0, 8)])
    assert found("Ada Lovelac\ne met", "Ada Lovelace", 12) == ("fuzzy", [(0, 11)])


def test_occurrences_do_not_overlap() -> None:
    assert found("a b a b a", "a b a") == ("exact", [(0, 5)])
    assert found("x…", ".") == ("spaces", [(1, 2)])


def test_fuzzy_can_be_turned_off_and_set() -> None:
    assert found("Grip stength", "Grip strength", fuzzy=None) == ("absent", [])
    assert found("abcdefgh", "abxdexgh") == ("absent", [])
    assert found("abcdefgh", "abxdexgh", fuzzy=25) == ("fuzzy", [(0, 8)])


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
