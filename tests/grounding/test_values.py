"""Items in decoded values."""

from __future__ import annotations

from typing import Any

import pytest

from evenhand.data.structures import DEEPEST
from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import Item, KnownLabels, ReadAnswer

LABELS = KnownLabels(["PER", "LOC", "ORG"])
ADA = {"text": "Ada", "label": "PER"}


def read(value: object, label: str | None = None, labels: KnownLabels = LABELS) -> ReadAnswer:
    return read_answer(value, "json", labels, label, "")


def pairs(value: object, label: str | None = None) -> list[tuple[str, str]]:
    return [(item.text, item.label) for item in read(value, label).items]


@pytest.mark.parametrize(
    "key", ["entities", "extractions", "items", "results", "spans", "annotations", "ner", "output", "answer"]
)
def test_wrappers_are_unwrapped(key: str) -> None:
    for value in ({key: [ADA]}, {key: ADA}, {key: {"PER": ["Ada"]}}, {"text": "Ada spoke", key: {key: [ADA]}}):
        assert pairs(value) == [("Ada", "PER")]
    assert pairs({key: ["Ada", "Bob"]}, "PER") == [("Ada", "PER"), ("Bob", "PER")]
    assert pairs({"label": "PER", key: ["Ada", "Bob"]}) == [("Ada", "PER"), ("Bob", "PER")]
    assert pairs({"type": "list", key: [ADA]}) == [("Ada", "PER")]


def test_a_wrapper_may_be_a_label() -> None:
    assert read({"results": ["p < 0.05"]}, labels=KnownLabels(["results"])).items == (Item("p < 0.05", "results"),)


@pytest.mark.parametrize("key", ["text", "span", "mention", "name", "extraction_text", "word", "value", "entity"])
def test_keys_of_texts(key: str) -> None:
    assert pairs([{key: "Ada", "label": "PER"}]) == [("Ada", "PER")]


@pytest.mark.parametrize(
    "key",
    ["label", "type", "entity_type", "entity_group", "category", "class", "extraction_class", "tag", "entity"],
)
def test_keys_of_labels(key: str) -> None:
    assert pairs([{"text": "Ada", key: "PER"}]) == [("Ada", "PER")]


def test_the_first_key_counts() -> None:
    assert pairs({"entity": "Bob", "text": "Ada", "tag": "LOC", "type": "PER"}) == [("Ada", "PER")]
    assert pairs({"text": ["?"], "entity": "Ada", "label": None, "type": "PER"}) == [("Ada", "PER")]


def test_a_key_is_not_both_text_and_label() -> None:
    assert read([{"entity": "Ada"}]) == ReadAnswer(malformed=1)
    assert pairs([{"entity": "Ada"}], "PER") == [("Ada", "PER")]


def test_the_outer_label_wins() -> None:
    assert pairs({"PER": [{"text": "Ada", "label": "LOC"}]}) == [("Ada", "PER")]
    assert pairs({"PER": {"text": "Ada"}}) == [("Ada", "PER")]
    assert pairs({"PER": {"LOC": ["Ada"]}}) == [("Ada", "PER")]
    assert pairs({"PER": [["Ada", "Bob"]]}) == [("Ada", "PER"), ("Bob", "PER")]


def test_keys_that_langextract_adds_are_passed_over() -> None:
    value = {"PER": "Ada", "PER_attributes": {"role": "poet"}, "PER_index": 3}
    assert read(value) == ReadAnswer((Item("Ada", "PER"),))


def test_labels_without_a_string_are_no_items() -> None:
    assert read({"PER": None, "LOC": "", "ORG": "None"}) == ReadAnswer()
    assert pairs({"PER": ["None"]}) == [("None", "PER")]  # which may be a name


def test_texts_map_to_labels_if_only_the_value_is_known() -> None:
    assert pairs({"Ada": "PER", "LOC": "PER", "Rome": "CITY"}) == [("Ada", "PER"), ("PER", "LOC"), ("CITY", "Rome")]
    assert pairs({"Ada": ["PER"]}) == [("Ada", "PER")]


def test_objects_without_a_text_or_a_label_map_labels_whatever_these_are_called() -> None:
    assert pairs({"name": ["Ada"], "city": ["Rome"]}) == [("Ada", "name"), ("Rome", "city")]


def test_several_texts_of_one_label() -> None:
    assert pairs([{"text": ["Ada", "Bob"], "label": "PER"}]) == [("Ada", "PER"), ("Bob", "PER")]


def test_a_known_label_may_be_called_name_or_type() -> None:
    labels = KnownLabels(["name", "type"])
    assert read({"name": "Ada"}, labels=labels).items == (Item("Ada", "name"),)
    assert read({"name": "Ada", "type": "name"}, labels=labels).items == (Item("Ada", "name"),)


@pytest.mark.parametrize(
    "pair", [["Ada", "PER"], ["PER", "Ada"], [3, "Ada", "PER", 4], ["Ada", None, "PER"], ("Ada", "PER")]
)
def test_two_strings_are_a_text_and_a_label(pair: Any) -> None:
    assert pairs(pair) == pairs([pair]) == pairs([[[pair]]]) == [("Ada", "PER")]


def test_two_unknown_strings_are_a_pair_but_for_the_top() -> None:
    assert pairs([["Rome", "CITY"]]) == [("Rome", "CITY")]
    assert read(["Rome", "CITY"]) == ReadAnswer(malformed=2)
    assert pairs(["Rome", "Bonn"], "LOC") == pairs([["Rome", "Bonn"]], "LOC") == [("Rome", "LOC"), ("Bonn", "LOC")]


def test_two_known_strings_are_a_text_and_a_label_as_they_stand() -> None:
    assert pairs([["LOC", "PER"]]) == [("LOC", "PER")]


@pytest.mark.parametrize(
    ("value", "malformed"),
    [
        ([["Ada", 0, 3]], 3),
        ([["Ada", "PER", False, False]], 4),
        ([["Ada", "PER", "a poet"]], 3),
        ([None, "", "Ada", 5], 4),
        ([{"text": "Ada", "label": ""}], 1),
        ([{"text": " ", "label": "PER"}], 1),
        ([{"text": True, "label": "PER"}], 1),
        ([{"text": float("nan"), "label": "PER"}], 1),
        ([{"label": "PER", "score": 0.5}], 1),
        ({"PER": [None, " ", {}, []]}, 2),
        ({5: "Ada"}, 1),
        (5, 1),
        (object(), 1),
        (b"Ada", 1),
    ],
)
def test_what_lacks_a_text_or_a_label_is_malformed(value: object, malformed: int) -> None:
    assert read(value) == ReadAnswer(malformed=malformed)


def test_numbers_are_texts() -> None:
    assert pairs({"LOC": [1815, 1.5, -2]}) == [("1815", "LOC"), ("1.5", "LOC"), ("-2", "LOC")]


def test_texts_stand_as_they_are_written() -> None:
    assert pairs([{"text": " Ada\n", "label": "PER"}]) == [(" Ada\n", "PER")]


def test_offsets_are_kept_if_both_are_integers() -> None:
    def offsets(start: object, end: object) -> list[Item]:
        return list(read([{**ADA, "start": start, "end": end}]).items)

    assert offsets(0, 3) == [Item("Ada", "PER", 0, 3)]
    assert offsets("0", 3) == offsets(0, None) == offsets(False, 3) == offsets(0.0, 3.0) == [Item("Ada", "PER")]


def test_respelled_labels_are_counted() -> None:
    found = read([ADA, {"text": "Bob", "label": "per"}, {"text": "Eve", "label": "B-PER"}, {"text": "x", "label": "y"}])
    assert [item.label for item in found.items] == ["PER", "PER", "PER", "y"]
    assert found.respelled == 2


def test_no_answer_is_an_empty_one() -> None:
    assert read(None) == ReadAnswer()


def test_what_is_nested_too_deep_is_malformed() -> None:
    value: object = [ADA]
    for _ in range(DEEPEST - 1):
        value = [value]
    assert pairs(value) == [("Ada", "PER")]
    assert read([value, ADA]) == ReadAnswer((Item("Ada", "PER"),), malformed=1)
