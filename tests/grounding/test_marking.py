"""Tags of a text that a model wrote: by position, by aligned words, by their strings."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.items import MarkedText
from evenhand.grounding.placement import MOST_WORDS, align, place_marked, words_of
from evenhand.grounding.search import AnswerDocument, Forms, Span


def marked(tagged: str) -> MarkedText:
    """`a [b] c` with a span for each pair of brackets."""
    spans, text = list[tuple[int, int, str]](), ""
    for piece in re.split(r"(\[.*?\])", tagged):
        if piece.startswith("["):
            spans.append((len(text), len(text) + len(piece) - 2, "PER"))
        text += piece.strip("[]")
    return MarkedText(text, tuple(spans))


def outcome(text: str, tagged: str, *breaks: int) -> list[tuple[str, tuple[Span, ...]]]:
    placed = place_marked(AnswerDocument(text, breaks), marked(tagged))
    return [(each.status, each.spans) for each in placed.placements]


def test_equal_texts_are_placed_by_position_whatever_their_spaces_and_case() -> None:
    assert outcome("He , Ada  LOVELACE .", "he, [Ada Lovelace].") == [("aligned", ((5, 18),))]
    assert not place_marked(AnswerDocument("A b"), marked("a  [B]")).differs


def test_positions_may_lie_inside_words() -> None:
    assert outcome("Deutschlandreise", "[Deutschland]reise") == [("aligned", ((0, 11),))]


def test_a_tag_around_spaces_is_absent() -> None:
    assert outcome("a b", "a[ ]b") == [("absent", ())]


def test_a_second_tag_of_the_same_place_and_label_is_repeated() -> None:
    twice = MarkedText("Ada", ((0, 3, "PER"), (0, 3, "PER"), (0, 3, "LOC")))
    placed = place_marked(AnswerDocument("Ada"), twice)
    assert [each.status for each in placed.placements] == ["aligned", "repeated", "aligned"]


def test_words_are_aligned_where_the_text_was_changed() -> None:
    assert outcome("bill paid the bill to bill", "bill paid the [bill] to Bill.") == [("aligned", ((14, 18),))]


def test_a_span_with_a_word_of_its_own_is_looked_for_between_aligned_words() -> None:
    text = "Ada Byron met Ada Byrom in town"
    assert outcome(text, "Ada Byron met [Ada Byron] in a town") == [("fuzzy", ((14, 23),))]
    text = "Grip strength was low . Grip stength decreased in May ."
    assert outcome(text, "Grip strength was low . [Grip strength] decreased in March .") == [("fuzzy", ((24, 36),))]


def test_a_part_of_a_word_is_looked_for() -> None:
    assert outcome("eine Deutschlandreise war", "eine [Deutschland]reise war schön") == [("part", ((5, 16),))]


def test_occurrences_beyond_the_window_serve_if_there_is_none_in_it() -> None:
    assert outcome("one two three four Ada", "one [Ada] two three four") == [("exact", ((19, 22),))]


def test_a_string_whose_occurrences_are_taken_is_repeated() -> None:
    assert outcome("Ada met Bob", "[Ada] met [Ada] and [Eve]") == [
        ("aligned", ((0, 3),)),
        ("repeated", ()),
        ("absent", ()),
    ]


def test_a_text_without_tags_can_differ() -> None:
    assert place_marked(AnswerDocument("2 ."), MarkedText("Please provide the text.", ())).differs


def test_long_texts_are_aligned_at_their_ends_only_and_that_is_counted() -> None:
    middle = " ".join(f"w{number}" for number in range(MOST_WORDS + 1))
    tagged = marked(f"[Ada] x {middle} x w7 [Bob]")
    placed = place_marked(AnswerDocument(f"Ada y {middle} y w7 Bob"), tagged)
    assert [each.status for each in placed.placements] == ["aligned", "aligned"]
    assert placed.capped == {"words to align": 1}


def test_words_are_runs_of_letters_digits_and_marks_or_single_signs() -> None:
    words = words_of(Forms("N\u0303u Straße_1, 2…").case)
    assert words.forms == ["ñu", "strasse", "_", "1", ",", "2", ".", ".", "."]
    assert words.spans[:3] == [(0, 3), (4, 10), (10, 11)]
    assert words.spans[-3:] == [(15, 16)] * 3


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_alignments_are_of_equal_words_in_order(words: list[str], document: list[str]) -> None:
    partners = align(words, document).partners
    pairs = [(word, partner) for word, partner in enumerate(partners) if partner >= 0]
    assert all(words[word] == document[partner] for word, partner in pairs)
    assert all(one[1] < other[1] for one, other in itertools.pairwise(pairs))


@given(st.lists(st.sampled_from(["Ada", "ada", "met", ",", "Bob"]), min_size=1, max_size=8), st.data())
def test_tags_in_the_same_text_come_back(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    start = sum(len(word) + 1 for word in words[:first])
    end = sum(len(word) + 1 for word in words[: last + 1]) - 1
    placed = place_marked(AnswerDocument(text), MarkedText(text.upper(), ((start, end, "PER"),)))
    assert [(each.status, each.spans) for each in placed.placements] == [("aligned", ((start, end),))]


def test_a_text_that_repeats_itself_is_not_aligned_word_by_word() -> None:
    document, marked = AnswerDocument("a b " * 900), MarkedText("b a a " * 600, ((0, 1, "PER"),))
    placed = place_marked(document, marked, None)
    assert placed.capped
