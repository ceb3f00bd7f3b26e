"""The six steps of answers in JSON, and the traps of parsers that take fewer."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.structures import MAX_DEPTH
from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import Item, KnownLabels, ReadAnswer
from evenhand.grounding.json_answers import NOTHING, json_value, python_value

LABELS = KnownLabels(["PER", "LOC", "ORG"])
ADA, BOB = '{"text": "Ada", "label": "PER"}', '{"text": "Bob", "label": "PER"}'


def read(answer: str, label: str | None = None) -> ReadAnswer:
    return read_answer(answer, "json", LABELS, label, "")


def texts(answer: ReadAnswer) -> list[str]:
    return [item.text for item in answer.items]


@pytest.mark.parametrize(
    "answer",
    [
        *("none", "None.", "null", "N/A", "-", '"None"', "```\nnone\n```"),
        *("No entities", "no named entities were found.", "There are no person or location entities in the text."),
    ],
)
def test_words_for_nothing_are_an_empty_answer(answer: str) -> None:
    assert read(answer) == ReadAnswer()


@pytest.mark.parametrize(
    "answer", ["", "  ", "I cannot help.", "No, I will not list entities.", "nobody", "Ada", "]]", "<think>[" + ADA]
)
def test_other_words_without_brackets_are_unparsable(answer: str) -> None:
    assert read(answer) == ReadAnswer(how="unparsable")


@pytest.mark.parametrize(
    "answer",
    [
        f"Draft: [{ADA}]\nFinal: [{BOB}]",
        f"[{ADA}]\n[{BOB}]",
        f"Draft:\n```json\n[{ADA}]\n```\nFinal:\n```json\n[{BOB}]\n```",
        f"Draft: [{ADA}]\n```json\n[{BOB}]\n```",
        f'{{"entities": [{ADA}]}} No. {{"entities": [{BOB}]}}',
        "It's ['Ada', 'PER']? Draft: [['Ada', 'PER']]. That's wrong: [['Bob', 'PER']]",
        '{"PER": ["Ada"]}, better: {"PER": ["Bob"], "LOC": []}',
        f'[{BOB}] Again: [{ADA}, {{"text": "Eve", "la',
        f'[{ADA}, {{"text": "Eve", "la … no: [{BOB}]',
        f'{{"draft": [{ADA}], "final": [{BOB}]}}',
        f'{{"draft": [{ADA}], "Final_answer": {{"entities": [{BOB}]}}, "notes": []}}',
    ],
)
def test_of_several_lists_the_last_complete_one_counts(answer: str) -> None:
    found = read(answer)
    assert (texts(found), found.has_several) == (["Bob"], True)


@pytest.mark.parametrize(
    "answer",
    [
        f"{ADA}\n{BOB}",
        f"[{ADA},\n{BOB}]",
        '["Ada", "PER"]\n["Bob", "PER"]',
        '{"PER": ["Ada"]}\n{"LOC": ["Bob"]}',
        "[[['Ada', 'PER', 8, 9]], [['Bob', 'PER', 19, 22]]",
        f"[{ADA}, {BOB}] [1] [2, 3]",
        f"```json\n[{ADA}, {BOB}]\n```\nSee [1].",
    ],
)
def test_parts_of_one_answer_all_count(answer: str) -> None:
    found = read(answer)
    assert (texts(found), found.has_several) == (["Ada", "Bob"], False)


def test_words_for_nothing_before_brackets_are_a_preamble() -> None:
    assert texts(read(f"No other entities than these: [{ADA}]")) == ["Ada"]


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (f"[{ADA}]", "ok"),
        (f"Here you are: [{ADA}]. Good luck", "ok"),
        ("[['Ada', 'PER']]", "repaired"),
        ("[('Ada', 'PER')]", "repaired"),
        ("{'PER': ['Ada'], 'LOC': null,}", "repaired"),
        (f"[{ADA},]", "repaired"),
        (f'[{ADA}, {{"text": "Bob", "la', "salvaged"),
        ("{'PER': ['Ada', 'Bo", "salvaged"),
        ("[['Ada', 'PER', 0, 1], ['Bob', 'PE", "salvaged"),
        (f"{ADA} {{}}", "ok"),
        (f"see [1]: {ADA}", "ok"),
        (f"see [x]: {ADA}", "salvaged"),
        (f'[{ADA}, {{"text": "a "quoted" word", "label": "PER"}}]', "salvaged"),
        ("[[Ada, PER, 0, 1]]", "salvaged"),
        ("[[‘Ada’, ‘PER’, 0, 1]]", "salvaged"),
        ("[['Ada', 'PER', 0, 1']]", "salvaged"),
        ("[Ada, PERSON, 0, 1]", "unparsable"),
        ("[Ada, PER, LOC]", "unparsable"),
        ("[Ada, PER, near Bob]", "unparsable"),
    ],
)
def test_how_an_answer_is_read(answer: str, how: str) -> None:
    found = read(answer)
    assert found.how == how
    assert texts(found) == ([] if how == "unparsable" else ["Ada"])


def test_an_item_that_is_cut_off_behind_its_text_is_malformed() -> None:
    found = read(f'[{ADA}, {{"text": "Bob", "la')
    assert (texts(found), found.malformed) == (["Ada"], 1)


def test_a_step_looks_at_all_blocks_before_the_next_step() -> None:
    """The last block is in Python's notation, which is the second step, the first one in JSON."""
    assert texts(read(f"```\n[{ADA}]\n```\n```\n[['Bob', 'PER']]\n```")) == ["Ada"]
    assert texts(read(f"```\n[{ADA}]\n```\n```\n[{BOB}]\n```")) == ["Bob"]


def test_a_block_goes_before_the_whole_answer() -> None:
    assert texts(read(f"I saw [1] and {BOB}.\n```json\n[{ADA}]\n```")) == ["Ada"]


def test_a_block_may_lack_its_end_or_its_line_breaks() -> None:
    assert texts(read(f"As [1] says:\n```json\n[{ADA}]")) == ["Ada"]
    assert texts(read(f"As [1] says: ```[{ADA}]```")) == ["Ada"]


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "scratchpad", "THINK"])
def test_thoughts_are_cut_off_up_to_their_end_or_that_of_the_answer(tag: str) -> None:
    assert texts(read(f"<{tag}>[{BOB}]</{tag}>[{ADA}]<{tag}>[{BOB}]</{tag}>")) == ["Ada"]
    assert texts(read(f"[{ADA}]<{tag}>[{BOB}]")) == ["Ada"]
    assert texts(read(f"so [{BOB}]</{tag}>[{ADA}]")) == ["Ada"]


def test_answers_that_the_parser_of_universalner_loses() -> None:
    """Its pattern, `\\[(.*?)\\]` at the start, stops at a bracket in a string, a line break and any preamble."""
    assert texts(read('["a [b] c", "d"]', "LOC")) == ["a [b] c", "d"]
    assert texts(read('[\n"Vienna",\n"Rome"]', "LOC")) == ["Vienna", "Rome"]
    assert texts(read('Sure! ["Vienna"]', "LOC")) == ["Vienna"]


def test_repeated_keys_lose_nothing() -> None:
    found = read('{"PER": "Ada", "LOC": ["Rome"], "PER": ["Bob", "Eve"], "Pia": "PER", "Pia": "LOC"}')
    pairs = [(item.text, item.label) for item in found.items]
    assert pairs == [("Ada", "PER"), ("Bob", "PER"), ("Eve", "PER"), ("Rome", "LOC"), ("Pia", "PER"), ("Pia", "LOC")]


def test_strings_may_hold_line_breaks() -> None:
    assert read('[{"text": "New\nYork", "label": "LOC"}]').items[0].text == "New\nYork"


def test_constants_of_json_stand_in_pythons_notation_but_not_in_strings() -> None:
    found = read("[{'text': 'true null', 'label': 'PER', 'score': null}, ]")
    assert (texts(found), found.how) == (["true null"], "repaired")


def test_an_integer_of_any_length_spoils_nothing() -> None:
    digits = "1" * 10_000
    assert texts(read(f'[{{"text": {digits}, "label": "PER"}}, {ADA}]')) == [digits, "Ada"]
    assert read(f"[{ADA}, [0x{digits}, 'PER']]").malformed == 2


def test_a_warning_of_python_is_no_error() -> None:
    assert texts(read(r"[['\d Ada', 'PER']]")) == [r"\d Ada"]


def test_a_bracket_that_opens_nothing_is_tried_a_thousand_times() -> None:
    assert texts(read("[x " * 999 + ADA)) == ["Ada"]
    assert read("[x " * 1000 + "{y} " + ADA).how == "salvaged"  # by its innermost brackets
    assert read("[x " * 1000 + '{"text": [], "label": "PER"}').items == ()


# Values in Python's notation are read as Python reads them, whichever way is taken


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_characters="\0"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@pytest.mark.property
@given(LITERALS)
def test_literals_have_the_value_that_python_gives_them(literal: object) -> None:
    assert python_value(repr(literal)) == literal


@pytest.mark.property
@given(st.lists(st.sampled_from(["[", "]", "{", "}", ",", ":", "'a'", "'", '"', '"b"', "None", "1", " ", "u", "#"])))
def test_what_python_reads_is_read_alike(pieces: list[str]) -> None:
    text = "[" + "".join(pieces) + "]"
    try:
        expected = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError):
        return
    assert python_value(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['it\"s', \"it's\"]", ['it"s', "it's"]),
        (r"['it\'s', '\x41', '\u00e9']", ["it's", "A", "é"]),
        ("[None, True, False, null, true, false,]", [None, True, False, None, True, False]),
        (r"['\t', null]", ["\t", None]),
        ("['None', \"true\", 'a null b']", ["None", "true", "a null b"]),
        ("[u'Ada', ('Bob', 1)]", ["Ada", ("Bob", 1)]),
        ("{1: 'Ada'}", {1: "Ada"}),
        ("{'PER': 'Ada', 'PER': 'Bob'}", {"PER": ["Ada", "Bob"]}),
        ("['a', 'b' # it's a comment\n]", ["a", "b"]),
    ],
)
def test_literals(text: str, value: object) -> None:
    assert python_value(text) == value


@pytest.mark.parametrize("text", ["", "[", "['a]", "[a]", "{[]: 1}", "[f()]", "[1 2]", "\0", "['\ud800\\', x]"])
def test_what_is_no_literal(text: str) -> None:
    assert python_value(text) is NOTHING
    assert json_value(text) is NOTHING


# Items in decoded values


ADA_VALUES = {"text": "Ada", "label": "PER"}


def read_values(value: object, label: str | None = None, labels: KnownLabels = LABELS) -> ReadAnswer:
    return read_answer(value, "json", labels, label, "")


def pairs(value: object, label: str | None = None) -> list[tuple[str, str]]:
    return [(item.text, item.label) for item in read_values(value, label).items]


@pytest.mark.parametrize(
    "key", ["entities", "extractions", "items", "results", "spans", "annotations", "ner", "output", "answer"]
)
def test_wrappers_are_unwrapped(key: str) -> None:
    for value in (
        {key: [ADA_VALUES]},
        {key: ADA_VALUES},
        {key: {"PER": ["Ada"]}},
        {"text": "Ada spoke", key: {key: [ADA_VALUES]}},
    ):
        assert pairs(value) == [("Ada", "PER")]
    assert pairs({key: ["Ada", "Bob"]}, "PER") == [("Ada", "PER"), ("Bob", "PER")]
    assert pairs({"label": "PER", key: ["Ada", "Bob"]}) == [("Ada", "PER"), ("Bob", "PER")]
    assert pairs({"type": "list", key: [ADA_VALUES]}) == [("Ada", "PER")]


def test_a_wrapper_may_be_a_label() -> None:
    assert read_values({"results": ["p < 0.05"]}, labels=KnownLabels(["results"])).items == (
        Item("p < 0.05", "results"),
    )


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
    assert read_values([{"entity": "Ada"}]) == ReadAnswer(malformed=1)
    assert pairs([{"entity": "Ada"}], "PER") == [("Ada", "PER")]


def test_the_outer_label_wins() -> None:
    assert pairs({"PER": [{"text": "Ada", "label": "LOC"}]}) == [("Ada", "PER")]
    assert pairs({"PER": {"text": "Ada"}}) == [("Ada", "PER")]
    assert pairs({"PER": {"LOC": ["Ada"]}}) == [("Ada", "PER")]
    assert pairs({"PER": [["Ada", "Bob"]]}) == [("Ada", "PER"), ("Bob", "PER")]


def test_keys_that_langextract_adds_are_passed_over() -> None:
    value = {"PER": "Ada", "PER_attributes": {"role": "poet"}, "PER_index": 3}
    assert read_values(value) == ReadAnswer((Item("Ada", "PER"),))


def test_labels_without_a_string_are_no_items() -> None:
    assert read_values({"PER": None, "LOC": "", "ORG": "None"}) == ReadAnswer()
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
    assert read_values({"name": "Ada"}, labels=labels).items == (Item("Ada", "name"),)
    assert read_values({"name": "Ada", "type": "name"}, labels=labels).items == (Item("Ada", "name"),)


@pytest.mark.parametrize(
    "pair", [["Ada", "PER"], ["PER", "Ada"], [3, "Ada", "PER", 4], ["Ada", None, "PER"], ("Ada", "PER")]
)
def test_two_strings_are_a_text_and_a_label(pair: Any) -> None:
    assert pairs(pair) == pairs([pair]) == pairs([[[pair]]]) == [("Ada", "PER")]


def test_two_unknown_strings_are_a_pair_but_for_the_top() -> None:
    assert pairs([["Rome", "CITY"]]) == [("Rome", "CITY")]
    assert read_values(["Rome", "CITY"]) == ReadAnswer(malformed=2)
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
    assert read_values(value) == ReadAnswer(malformed=malformed)


def test_numbers_are_texts() -> None:
    assert pairs({"LOC": [1815, 1.5, -2]}) == [("1815", "LOC"), ("1.5", "LOC"), ("-2", "LOC")]


def test_texts_stand_as_they_are_written() -> None:
    assert pairs([{"text": " Ada\n", "label": "PER"}]) == [(" Ada\n", "PER")]


def test_offsets_are_kept_if_both_are_integers() -> None:
    def offsets(start: object, end: object) -> list[Item]:
        return list(read_values([{**ADA_VALUES, "start": start, "end": end}]).items)

    assert offsets(0, 3) == [Item("Ada", "PER", 0, 3)]
    assert offsets("0", 3) == offsets(0, None) == offsets(False, 3) == offsets(0.0, 3.0) == [Item("Ada", "PER")]


def test_respelled_labels_are_counted() -> None:
    values = read_values(
        [ADA_VALUES, {"text": "Bob", "label": "per"}, {"text": "Eve", "label": "B-PER"}, {"text": "x", "label": "y"}]
    )
    assert [item.label for item in values.items] == ["PER", "PER", "PER", "y"]
    assert values.respelled == 2


def test_no_answer_is_an_empty_one() -> None:
    assert read_values(None) == ReadAnswer()


def test_what_is_nested_too_deep_is_malformed() -> None:
    value: object = [ADA_VALUES]
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert pairs(value) == [("Ada", "PER")]
    assert read_values([value, ADA_VALUES]) == ReadAnswer((Item("Ada", "PER"),), malformed=1)
