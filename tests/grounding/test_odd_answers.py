"""Nothing that a model writes is an error, or takes long."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.grounding.answers import read_answer, shape_of
from evenhand.grounding.items import KnownLabels, ReadAnswer, Shape

LABELS = KnownLabels(["PER", "LOC", "ORG"])
SHAPES: tuple[Shape, ...] = get_args(Shape)
PIECES = [
    *('"', "'", "[", "]", "{", "}", ",", ":", "(", ")", "\\", "\n", " ", "\0", "\ud800", "é", "1", "-", "0x", "NaN"),
    *('"text"', '"label"', '"PER"', "PER", "'Ada'", "Ada", "null", "None", '"entities"', "entity", "1e999", "9" * 5000),
    *("<PER>", "</PER>", "<span class='LOC'>", "</span>", "<p>", "<", "&amp;", "&#1;", "@@", "##", "](PER)", "]("),
    *("```", "```json\n", "<think>", "</think>", "- ", "1. ", "**", "PER: ", " (LOC)", ";", "\u2028", "\x1c"),
]
ANSWERS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=2)
KEYS = st.sampled_from(["text", "label", "entities", "entity", "PER", "start", "end", "x_index"]) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["PER", "Ada"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.integers(), inner, max_size=4),
    max_leaves=12,
)


def check(found: ReadAnswer) -> None:
    assert found.malformed >= 0
    assert all(item.text.strip() and item.label.strip() for item in found.items)
    if found.marked:
        text, spans = found.marked.text, found.marked.spans
        assert all(0 <= start < end <= len(text) for start, end, _ in spans)
        assert all(text[start:end] == text[start:end].strip() for start, end, _ in spans)


@pytest.mark.property
@given(ANSWERS, st.sampled_from(["", "Ada < &amp; [1] @@ ## <p>"]), st.sampled_from([None, "LOC"]))
@example("[0x" + "f" * 5000 + ", 'PER']", "", "LOC")
@example("{[]: 1}", "", None)
def test_no_answer_is_an_error(answer: str, document: str, label: str | None) -> None:
    shape_of([answer])
    for shape in SHAPES:
        check(read_answer(answer, shape, LABELS, label, document))


@pytest.mark.property
@given(VALUES, st.sampled_from([None, "LOC"]))
def test_no_value_is_an_error(value: object, label: str | None) -> None:
    check(read_answer(value, "json", LABELS, label, ""))


@pytest.mark.property
@given(st.lists(st.fixed_dictionaries({"text": st.text(max_size=3), "label": st.sampled_from(["PER", "LOC"])})))
def test_the_short_way_of_plain_items_is_the_general_one(items: list[dict[str, str]]) -> None:
    general = [{**item, "score": 1} for item in items]
    assert read_answer(items, "json", LABELS, None, "") == read_answer(general, "json", LABELS, None, "")


@pytest.mark.property
@given(st.lists(st.sampled_from(["<PER>", "</PER>", "<LOC>", "</LOC>", "a ", "&amp;", "<i>", "é"])))
def test_a_text_loses_nothing_but_its_tags(pieces: list[str]) -> None:
    found = read_answer("".join(pieces), "xml", LABELS, None, "").marked
    assert found is not None
    assert found.text == "".join(piece.replace("&amp;", "&") for piece in pieces if piece[0] != "<")


ITEMS = [{"text": f"Name {number}", "label": "PER"} for number in range(100_000)]
LONG = {
    "open brackets": "[" * 200_000,
    "open braces": '{"a":' * 200_000,
    "deep brackets": "[" * 100_000 + "]" * 100_000,
    "pairs of brackets": "[]" * 100_000,
    "a list of JSON that is cut off": json.dumps(ITEMS)[:-30],
    "a list of Python that is cut off": repr(ITEMS)[:-30],
    "bare lists": ", ".join(f"[Name {number}, PER, 1, 2]" for number in range(100_000)),
    "brackets that fail late": "[" * 999 + '"a",' * 1_000_000 + "x",
    "escapes": '["' + '\\"' * 200_000 + " null",
    "quotes": "['" * 200_000,
    "operators": "[" + "-" * 100_000 + "1+" * 100_000 + "1]",
    "open tags": "<PER>" * 100_000,
    "nested tags": "<PER>" * 50_000 + " " * 100_000 + "</PER>" * 50_000,
    "angles": "<a" * 100_000,
    "attributes": ("<span " + "a" * 900 + ">") * 1000,
    "fences": "```[[[" * 50_000,
    "thoughts": "<think>" * 50_000 + "</think>" * 50_000,
    "marks": "@@" * 100_000 + "##" * 100_000,
    "open marks": "@@a" * 100_000,
    "closing tags": "</a>" * 100_000 + "".join(f"</a{number}>" for number in range(50_000)),
    "links": "[" * 100_000 + "](PER)" * 100_000,
    "strings": "PER: " + "a, " * 100_000,
    "parentheses": "a (b) " * 100_000,
    "blanks": "[a" + " " * 500_000 + "b",
    "ampersands": "&#" * 100_000 + "1" * 100_000,
}


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_long_answers_are_read(name: str) -> None:
    """What is quadratic would take minutes."""
    shape_of([LONG[name]])
    for shape in SHAPES:
        check(read_answer(LONG[name], shape, LABELS, "LOC", "a < b & [c] @@"))


@pytest.mark.long
@pytest.mark.parametrize("answer", [json.dumps(ITEMS)[:-30], repr(ITEMS)[:-30]], ids=["JSON", "Python"])
def test_a_long_list_that_is_cut_off_loses_only_its_last_item(answer: str) -> None:
    found = read_answer(answer, "json", LABELS, None, "")
    assert (len(found.items), found.how, found.malformed) == (99_999, "salvaged", 0)
