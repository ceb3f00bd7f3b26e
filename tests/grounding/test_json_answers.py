"""The six steps of answers in JSON, and the traps of parsers that take fewer."""

from __future__ import annotations

import pytest

from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import KnownLabels, ReadAnswer

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
