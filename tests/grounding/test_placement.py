"""Which occurrence an item means: in order, the first, all, or the best for an upper bound."""

from __future__ import annotations

import itertools
import re
from itertools import pairwise, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.items import Item, MarkedText
from evenhand.grounding.placement import (
    MAX_WORDS,
    Occupancy,
    PlacedItems,
    align,
    greedy_chain,
    longest_chain,
    place_best,
    place_items,
    place_marked,
    words_of,
)
from evenhand.grounding.search import AnswerDocument, Forms, Span

ADAS = AnswerDocument("Ada and Ada")


def people(*strings: str) -> list[Item]:
    return [Item(string, "PER") for string in strings]


def outcome(placed: PlacedItems) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    return [(placement.status, placement.spans) for placement in placed.placements]


def test_items_keep_offsets_that_fit() -> None:
    placed = place_items(ADAS, [Item("Ada", "PER", 8, 11), Item("Ada", "LOC", 7, 10)])
    assert outcome(placed) == [("given", ((8, 11),)), ("exact", ((0, 3),))]


def test_a_place_given_twice_is_repeated() -> None:
    placed = place_items(ADAS, [Item("Ada", "PER", 8, 11), Item("Ada", "PER", 8, 11), Item("Ada", "LOC", 8, 11)])
    assert outcome(placed) == [("given", ((8, 11),)), ("repeated", ()), ("given", ((8, 11),))]


def test_the_chain_leaves_out_given_places() -> None:
    assert outcome(place_items(ADAS, [Item("Ada", "LOC", 0, 3), Item("Ada", "PER")])) == [
        ("given", ((0, 3),)),
        ("exact", ((8, 11),)),
    ]


def test_an_item_outside_the_chain_takes_a_free_place_then_another_span_then_another_label() -> None:
    document = AnswerDocument("New York Times, York")
    items = [Item("York", "A"), Item("New York Times", "B"), Item("York", "C"), Item("York", "C"), Item("York", "C")]
    assert outcome(place_items(document, items)) == [
        ("exact", ((4, 8),)),
        ("exact", ((0, 14),)),
        ("exact", ((16, 20),)),
        ("exact", ((4, 8),)),
        ("repeated", ()),
    ]


def test_later_steps_serve_items_whose_occurrences_are_taken() -> None:
    placed = place_items(
        AnswerDocument("Aspirin or aspirin, As-pirin"), people("Aspirin", "Aspirin", "Aspirin", "Aspirin")
    )
    assert outcome(placed) == [
        ("exact", ((0, 7),)),
        ("case", ((11, 18),)),
        ("punctuation", ((20, 28),)),
        ("repeated", ()),
    ]


def test_first_and_all_take_items_as_a_set_whatever_their_offsets() -> None:
    items = [Item("Ada", "PER", 8, 11), Item(" Ada", "PER"), Item("Ada", "LOC")]
    first, every = place_items(ADAS, items, "first"), place_items(ADAS, items, "all")
    assert outcome(first) == [("exact", ((0, 3),)), ("merged", ()), ("exact", ((0, 3),))]
    assert outcome(every) == [("exact", ((0, 3), (8, 11))), ("merged", ()), ("exact", ((0, 3), (8, 11)))]


def test_ambiguous_items_are_those_whose_string_occurs_more_often_than_items_name_it() -> None:
    document = AnswerDocument("Ada, Ada, Ada, Bob and Bob")
    assert place_items(document, people("Ada", "Ada", "Bob", "Bob")).ambiguous == 2
    assert place_items(document, people("Ada", "Bob", "Eve")).ambiguous == 2


def test_the_upper_bound_takes_gold_spans_of_the_label_first() -> None:
    gold = {(8, 11, "PER"), (0, 3, "LOC")}
    assert outcome(place_best(ADAS, people("Ada"), gold)) == [("exact", ((8, 11),))]
    assert outcome(place_best(ADAS, people("Ada", "Ada"), gold)) == [("exact", ((8, 11),)), ("exact", ((0, 3),))]


def test_above_the_limit_of_candidates_chains_are_greedy_and_that_is_counted() -> None:
    document = AnswerDocument("Bob " + "Ada " * 1_000)
    placed = place_items(document, people(*["Ada"] * 201, "Bob"))
    assert placed.capped == {"candidates": 1}
    assert outcome(placed)[200:] == [("exact", ((804, 807),)), ("exact", ((0, 3),))]
    assert place_items(document, people(*["Ada"] * 200)).capped == {}


def test_an_item_without_text_is_absent() -> None:
    assert outcome(place_items(ADAS, people(" ", "-"))) == [("absent", ()), ("absent", ())]


NAMES = st.sampled_from(["Ada", "ADA", "Ada Byron", "Bob", "B . ob", "Eve"])
ITEMS = st.lists(st.builds(Item, NAMES, st.sampled_from(["PER", "LOC"])), max_size=8)
DOCUMENTS = st.lists(st.sampled_from(["Ada", "ada", "Byron", "Bob", "B.ob", ",", "met"]), max_size=14).map(
    lambda words: AnswerDocument(" ".join(words))
)


@given(DOCUMENTS, ITEMS, st.sampled_from(["in-order", "first", "all"]))
def test_every_item_has_one_placement_and_a_span_if_a_step_found_it(
    document: AnswerDocument, items: list[Item], occurrences: Any
) -> None:
    placed = place_items(document, items, occurrences)
    assert [placement.item for placement in placed.placements] == items
    for placement in placed.placements:
        assert bool(placement.spans) == (placement.status not in ("absent", "repeated", "merged"))
        assert len(placement.spans) <= 1 or occurrences == "all"
        assert all(
            document.is_boundary(at) for span in placement.spans for at in span[: 1 + (placement.status != "part")]
        )
    assert placed == place_items(AnswerDocument(document.text), items, occurrences)


@given(DOCUMENTS, ITEMS)
def test_in_order_no_two_items_of_a_label_have_one_place(document: AnswerDocument, items: list[Item]) -> None:
    spans = [(each.spans, each.item.label) for each in place_items(document, items).placements if each.spans]
    assert len(spans) == len(set(spans))


@given(DOCUMENTS, ITEMS, st.data())
def test_the_upper_bound_is_not_below_the_order(
    document: AnswerDocument, items: list[Item], data: st.DataObject
) -> None:
    every = [
        (*span, placement.item.label)
        for placement in place_items(document, items, "all").placements
        for span in placement.spans
    ]
    gold = set(data.draw(st.lists(st.sampled_from(every), max_size=6))) if every else set()
    bounds = [
        sum((*span, placement.item.label) in gold for placement in placed.placements for span in placement.spans)
        for placed in (place_items(document, items), place_best(document, items, gold))
    ]
    assert bounds[0] <= bounds[1]


# The longest chain of occurrences in the order of the output, and which places are taken


def test_as_many_items_as_possible_are_in_the_chain() -> None:
    assert longest_chain([[(20, 22)], [(0, 2), (30, 32)], [(4, 6)], [(8, 10)]]) == {1: (0, 2), 2: (4, 6), 3: (8, 10)}


def test_of_equally_long_chains_the_one_with_the_earliest_end_counts() -> None:
    assert longest_chain([[(0, 2), (10, 12)], [(4, 6), (20, 22)]]) == {0: (0, 2), 1: (4, 6)}


def test_only_a_strictly_earlier_end_replaces_a_chain() -> None:
    assert longest_chain([[(4, 6)], [(0, 6)]]) == {0: (4, 6)}


def test_an_item_is_in_the_chain_once() -> None:
    assert longest_chain([[(0, 2), (4, 6), (8, 10)]]) == {0: (0, 2)}


def test_the_greedy_chain_takes_the_first_occurrence_at_or_after_the_cursor() -> None:
    assert greedy_chain([[(4, 6)], [(0, 2), (6, 8)], [(0, 2)], [(8, 9)]]) == {0: (4, 6), 1: (6, 8), 3: (8, 9)}


spans = st.lists(st.integers(0, 7), unique=True, max_size=4).map(
    lambda starts: [(2 * start, 2 * start + 2) for start in sorted(starts)]
)


@given(st.lists(spans, max_size=5))
def test_no_chain_is_longer_and_none_as_long_ends_earlier(candidates: list[list[Span]]) -> None:
    chain = longest_chain(candidates)
    placed = [chain[number] for number in sorted(chain)]
    assert all(span in candidates[number] for number, span in chain.items())
    assert all(one[1] <= other[0] for one, other in pairwise(placed))
    possible = [[span for span in choice if span] for choice in product(*([None, *each] for each in candidates))]
    chains = [choice for choice in possible if all(one[1] <= other[0] for one, other in pairwise(choice))]
    longest = max(map(len, chains))
    assert len(placed) == longest
    if longest:
        assert placed[-1][1] == min(choice[-1][1] for choice in chains if len(choice) == longest)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=8), st.integers(0, 25), st.integers(1, 5))
def test_occupancy_knows_all_overlaps(sizes: list[tuple[int, int]], start: int, size: int) -> None:
    placed = [(begin, begin + length) for begin, length in sizes]
    occupancy = Occupancy((span, "PER") for span in placed[::2])
    for span in placed[1::2]:
        occupancy.add(span, "PER")
    end = start + size
    assert occupancy.overlaps((start, end)) == any(begin < end and start < behind for begin, behind in placed)


def test_occupancy_chooses_free_spans_then_other_spans_then_other_labels() -> None:
    occupancy = Occupancy()
    choices = [(0, 4), (6, 8), (10, 12)]
    chosen = list[Span | None]()
    occupancy.add((0, 4), "PER")
    occupancy.add((7, 9), "PER")
    for label in ("PER", "PER", "LOC", "LOC", "PER"):
        span = occupancy.choose(choices, label, "key")
        chosen.append(span)
        if span:
            occupancy.add(span, label)
    assert chosen == [(10, 12), (6, 8), (0, 4), (6, 8), None]


def test_occupancy_chooses_within_rows() -> None:
    occupancy = Occupancy()
    choices = [(0, 4), (6, 8), (10, 12)]
    assert occupancy.choose(choices, "PER", "key", range(1, 2)) == (6, 8)
    assert occupancy.choose(choices, "PER", "key", range(2, 2)) is None
    assert occupancy.choose(choices, "PER", "key") == (0, 4)


# Tags of a text that a model wrote: by position, by aligned words, by their strings


def marked(tagged: str) -> MarkedText:
    """`a [b] c` with a span for each pair of brackets."""
    spans, text = list[tuple[int, int, str]](), ""
    for piece in re.split(r"(\[.*?\])", tagged):
        if piece.startswith("["):
            spans.append((len(text), len(text) + len(piece) - 2, "PER"))
        text += piece.strip("[]")
    return MarkedText(text, tuple(spans))


def outcome_marking(text: str, tagged: str, *breaks: int) -> list[tuple[str, tuple[Span, ...]]]:
    placed = place_marked(AnswerDocument(text, breaks), marked(tagged))
    return [(each.status, each.spans) for each in placed.placements]


def test_equal_texts_are_placed_by_position_whatever_their_spaces_and_case() -> None:
    assert outcome_marking("He , Ada  LOVELACE .", "he, [Ada Lovelace].") == [("aligned", ((5, 18),))]
    assert not place_marked(AnswerDocument("A b"), marked("a  [B]")).differs


def test_positions_may_lie_inside_words() -> None:
    assert outcome_marking("Deutschlandreise", "[Deutschland]reise") == [("aligned", ((0, 11),))]


def test_a_tag_around_spaces_is_absent() -> None:
    assert outcome_marking("a b", "a[ ]b") == [("absent", ())]


def test_a_second_tag_of_the_same_place_and_label_is_repeated() -> None:
    twice = MarkedText("Ada", ((0, 3, "PER"), (0, 3, "PER"), (0, 3, "LOC")))
    placed = place_marked(AnswerDocument("Ada"), twice)
    assert [each.status for each in placed.placements] == ["aligned", "repeated", "aligned"]


def test_words_are_aligned_where_the_text_was_changed() -> None:
    assert outcome_marking("bill paid the bill to bill", "bill paid the [bill] to Bill.") == [("aligned", ((14, 18),))]


def test_a_span_with_a_word_of_its_own_is_looked_for_between_aligned_words() -> None:
    text = "Ada Byron met Ada Byrom in town"
    assert outcome_marking(text, "Ada Byron met [Ada Byron] in a town") == [("fuzzy", ((14, 23),))]
    text = "Grip strength was low . Grip stength decreased in May ."
    assert outcome_marking(text, "Grip strength was low . [Grip strength] decreased in March .") == [
        ("fuzzy", ((24, 36),))
    ]


def test_a_part_of_a_word_is_looked_for() -> None:
    assert outcome_marking("eine Deutschlandreise war", "eine [Deutschland]reise war schön") == [("part", ((5, 16),))]


def test_occurrences_beyond_the_window_serve_if_there_is_none_in_it() -> None:
    assert outcome_marking("one two three four Ada", "one [Ada] two three four") == [("exact", ((19, 22),))]


def test_a_string_whose_occurrences_are_taken_is_repeated() -> None:
    assert outcome_marking("Ada met Bob", "[Ada] met [Ada] and [Eve]") == [
        ("aligned", ((0, 3),)),
        ("repeated", ()),
        ("absent", ()),
    ]


def test_a_text_without_tags_can_differ() -> None:
    assert place_marked(AnswerDocument("2 ."), MarkedText("Please provide the text.", ())).differs


def test_long_texts_are_aligned_at_their_ends_only_and_that_is_counted() -> None:
    middle = " ".join(f"w{number}" for number in range(MAX_WORDS + 1))
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
