"""Nothing blows up: many strings in a long text, a string that occurs often, many tags in another text."""

from __future__ import annotations

import random
from typing import TypeVar

import pytest

from evenhand.grounding.items import Item, MarkedText
from evenhand.grounding.placement import place_items, place_marked
from evenhand.grounding.search import AnswerDocument

T = TypeVar("T")
LETTERS = "etaoinshrdlu"


def words(count: int, seed: int) -> list[str]:
    """Words of which some are frequent, as in a text."""
    dice = random.Random(seed)
    known = ["".join(dice.choices(LETTERS, k=dice.randint(2, 9))) for _ in range(5_000)]
    return dice.choices(known, [1 / rank for rank in range(1, 5_001)], k=count)


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 16])
def test_five_thousand_absent_strings_in_a_million_characters(size: int) -> None:
    document = AnswerDocument(" ".join(words(300_000, 1))[:1_000_000])
    other = words(5_000 * size, 2)
    items = [Item(" ".join(other[at : at + size]) + " zq", "PER") for at in range(0, len(other), size)]
    placed = place_items(document, items)
    assert sum(each.status == "absent" for each in placed.placements) > 4_000


def test_five_thousand_items_of_a_string_that_occurs_forty_thousand_times() -> None:
    document = AnswerDocument("Ada met x. " * 40_000)
    placed = place_items(document, [Item("Ada", "PER")] * 5_000)
    assert [each.spans for each in placed.placements] == [((11 * at, 11 * at + 3),) for at in range(5_000)]


def test_more_items_than_occurrences() -> None:
    document = AnswerDocument("Ada met x. " * 4_000)
    placed = place_items(document, [Item("Ada", "PER")] * 9_000)
    assert sum(each.status == "repeated" for each in placed.placements) == 5_000


@pytest.mark.long
def test_nine_thousand_tags_in_twenty_thousand_words_of_another_text() -> None:
    text, document = words(20_000, 3), AnswerDocument(" ".join(words(20_000, 4)))
    starts, at = list[int](), 0
    for word in text:
        starts.append(at)
        at += len(word) + 1
    spans = tuple((starts[2 * row], starts[2 * row + 1 + row % 2] - 1, "PER") for row in range(9_000))
    placed = place_marked(document, MarkedText(" ".join(text), spans))
    assert placed.differs
    assert placed.capped["words to align"] == 1
    assert len(placed.placements) == 9_000
