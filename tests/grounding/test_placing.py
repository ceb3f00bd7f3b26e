"""Which occurrence an item means: in order, the first, all, or the best for an upper bound."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.items import Item
from evenhand.grounding.placement import Placed, place, place_best
from evenhand.grounding.search import AnswerDocument

ADAS = AnswerDocument("Ada and Ada")


def people(*strings: str) -> list[Item]:
    return [Item(string, "PER") for string in strings]


def outcome(placed: Placed) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    return [(placement.status, placement.spans) for placement in placed.placements]


def test_items_keep_offsets_that_fit() -> None:
    placed = place(ADAS, [Item("Ada", "PER", 8, 11), Item("Ada", "LOC", 7, 10)])
    assert outcome(placed) == [("given", ((8, 11),)), ("exact", ((0, 3),))]


def test_a_place_given_twice_is_repeated() -> None:
    placed = place(ADAS, [Item("Ada", "PER", 8, 11), Item("Ada", "PER", 8, 11), Item("Ada", "LOC", 8, 11)])
    assert outcome(placed) == [("given", ((8, 11),)), ("repeated", ()), ("given", ((8, 11),))]


def test_the_chain_leaves_out_given_places() -> None:
    assert outcome(place(ADAS, [Item("Ada", "LOC", 0, 3), Item("Ada", "PER")])) == [
        ("given", ((0, 3),)),
        ("exact", ((8, 11),)),
    ]


def test_an_item_outside_the_chain_takes_a_free_place_then_another_span_then_another_label() -> None:
    document = AnswerDocument("New York Times, York")
    items = [Item("York", "A"), Item("New York Times", "B"), Item("York", "C"), Item("York", "C"), Item("York", "C")]
    assert outcome(place(document, items)) == [
        ("exact", ((4, 8),)),
        ("exact", ((0, 14),)),
        ("exact", ((16, 20),)),
        ("exact", ((4, 8),)),
        ("repeated", ()),
    ]


def test_later_steps_serve_items_whose_occurrences_are_taken() -> None:
    placed = place(AnswerDocument("Aspirin or aspirin, As-pirin"), people("Aspirin", "Aspirin", "Aspirin", "Aspirin"))
    assert outcome(placed) == [
        ("exact", ((0, 7),)),
        ("case", ((11, 18),)),
        ("punctuation", ((20, 28),)),
        ("repeated", ()),
    ]


def test_first_and_all_take_items_as_a_set_whatever_their_offsets() -> None:
    items = [Item("Ada", "PER", 8, 11), Item(" Ada", "PER"), Item("Ada", "LOC")]
    first, every = place(ADAS, items, "first"), place(ADAS, items, "all")
    assert outcome(first) == [("exact", ((0, 3),)), ("merged", ()), ("exact", ((0, 3),))]
    assert outcome(every) == [("exact", ((0, 3), (8, 11))), ("merged", ()), ("exact", ((0, 3), (8, 11)))]
    assert first.merged == every.merged == 1


def test_ambiguous_items_are_those_whose_string_occurs_more_often_than_items_name_it() -> None:
    document = AnswerDocument("Ada, Ada, Ada, Bob and Bob")
    assert place(document, people("Ada", "Ada", "Bob", "Bob")).ambiguous == 2
    assert place(document, people("Ada", "Bob", "Eve")).ambiguous == 2


def test_the_upper_bound_takes_gold_spans_of_the_label_first() -> None:
    gold = {(8, 11, "PER"), (0, 3, "LOC")}
    assert outcome(place_best(ADAS, people("Ada"), gold)) == [("exact", ((8, 11),))]
    assert outcome(place_best(ADAS, people("Ada", "Ada"), gold)) == [("exact", ((8, 11),)), ("exact", ((0, 3),))]


def test_above_the_limit_of_candidates_chains_are_greedy_and_that_is_counted() -> None:
    document = AnswerDocument("Bob " + "Ada " * 1_000)
    placed = place(document, people(*["Ada"] * 201, "Bob"))
    assert placed.capped == {"candidates": 1}
    assert outcome(placed)[200:] == [("exact", ((804, 807),)), ("exact", ((0, 3),))]
    assert place(document, people(*["Ada"] * 200)).capped == {}


def test_an_item_without_text_is_absent() -> None:
    assert outcome(place(ADAS, people(" ", "-"))) == [("absent", ()), ("absent", ())]


NAMES = st.sampled_from(["Ada", "ADA", "Ada Byron", "Bob", "B . ob", "Eve"])
ITEMS = st.lists(st.builds(Item, NAMES, st.sampled_from(["PER", "LOC"])), max_size=8)
DOCUMENTS = st.lists(st.sampled_from(["Ada", "ada", "Byron", "Bob", "B.ob", ",", "met"]), max_size=14).map(
    lambda words: AnswerDocument(" ".join(words))
)


@given(DOCUMENTS, ITEMS, st.sampled_from(["in-order", "first", "all"]))
def test_every_item_has_one_placement_and_a_span_if_a_step_found_it(
    document: AnswerDocument, items: list[Item], occurrences: Any
) -> None:
    placed = place(document, items, occurrences)
    assert [placement.item for placement in placed.placements] == items
    for placement in placed.placements:
        assert bool(placement.spans) == (placement.status not in ("absent", "repeated", "merged"))
        assert len(placement.spans) <= 1 or occurrences == "all"
        assert all(
            document.is_boundary(at) for span in placement.spans for at in span[: 1 + (placement.status != "part")]
        )
    assert placed == place(AnswerDocument(document.text), items, occurrences)


@given(DOCUMENTS, ITEMS)
def test_in_order_no_two_items_of_a_label_have_one_place(document: AnswerDocument, items: list[Item]) -> None:
    spans = [(each.spans, each.item.label) for each in place(document, items).placements if each.spans]
    assert len(spans) == len(set(spans))


@given(DOCUMENTS, ITEMS, st.data())
def test_the_upper_bound_is_not_below_the_order(
    document: AnswerDocument, items: list[Item], data: st.DataObject
) -> None:
    every = [(*span, each.item.label) for each in place(document, items, "all").placements for span in each.spans]
    gold = set(data.draw(st.lists(st.sampled_from(every), max_size=6))) if every else set()
    bounds = [
        sum((*span, each.item.label) in gold for each in placed.placements for span in each.spans)
        for placed in (place(document, items), place_best(document, items, gold))
    ]
    assert bounds[0] <= bounds[1]
