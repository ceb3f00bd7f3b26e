"""The shape of answers is seen from the first of them."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.grounding.answers import read_answer, shape_of
from evenhand.grounding.items import KnownLabels, ReadAnswer, Shape

PROSE = "I cannot help with that."


@pytest.mark.parametrize(
    ("answers", "shape"),
    [
        ([[{"text": "Ada"}], {"PER": []}, PROSE], "json"),
        (['["Ada"]', '\n {"PER": []}', "<PER>Ada</PER>"], "json"),
        (["Sure:\n```json\n[]\n```"], "json"),
        (["<think>Is <PER>Ada</PER> one?</think>[]"], "json"),
        (["Here is the list: [['Ada', 'PER']]"], "json"),
        (["Ada <PER>met</PER> Bob", "@@Ada##", "PER: Ada"], "xml"),
        (['<span class="PER">Ada</span>', "[Ada]", "Bob", "Eve"], "xml"),
        (["a <b and b> c", "@@Ada## met", "[Ada](PER)"], "marks"),
        (["[Ada](PER) met Bob", "[Bob](PER) met Ada"], "markdown"),
        (["PER: Ada"], "lines"),
        (["Ada (PER)  \nRome (LOC)"], "lines"),
        ([PROSE, "Ada (PER)"], "lines"),
        (["none", "no entities", None, "", "Ada (PER)"], "lines"),
        ([], "json"),
        (["none", None], "json"),
        ([PROSE], "json"),
    ],
)
def test_shapes(answers: list[object], shape: str) -> None:
    assert shape_of(answers) == shape


def test_twenty_answers_are_looked_at() -> None:
    assert shape_of([PROSE] * 19 + ["PER: Ada"]) == "lines"
    assert shape_of([PROSE] * 20 + ["PER: Ada"]) == "json"


# Answers in lines


LABELS = KnownLabels(["PER", "LOC", "creative-work"])


def read(answer: str, label: str | None = None) -> ReadAnswer:
    return read_answer(answer, "lines", LABELS, label, "")


def pairs(answer: str, label: str | None = None) -> list[tuple[str, str]]:
    return [(item.text, item.label) for item in read(answer, label).items]


@pytest.mark.parametrize("bullet", ["", "- ", "* ", "• ", "1. ", "12) ", "(3) ", "  + "])
def test_bullets_and_numbers_are_stripped(bullet: str) -> None:
    assert pairs(f"{bullet}PER: Ada\n{bullet}Rome (LOC)") == [("Ada", "PER"), ("Rome", "LOC")]


def test_years_and_asterisks_of_names_stay() -> None:
    assert pairs("1984 (creative-work)\n3.5 (LOC)\n-5 (LOC)\nM*A*S*H (creative-work)") == [
        ("1984", "creative-work"),
        ("3.5", "LOC"),
        ("-5", "LOC"),
        ("M*A*S*H", "creative-work"),
    ]


def test_bold_is_stripped() -> None:
    assert pairs("**PER:** Ada\n**PER**: Bob\n- **Rome** (LOC)\n**Bonn (LOC)**") == [
        ("Ada", "PER"),
        ("Bob", "PER"),
        ("Rome", "LOC"),
        ("Bonn", "LOC"),
    ]


def test_strings_are_split_at_semicolons_and_commas_before_white_space() -> None:
    assert [text for text, _ in pairs("PER: Ada, Bob;Eve,Pia ; 1,000,")] == ["Ada", "Bob", "Eve,Pia", "1,000,"]


def test_the_label_is_in_the_last_parentheses() -> None:
    assert pairs("Drought Index (PDSI) (LOC)\nRome ( loc ).") == [("Drought Index (PDSI)", "LOC"), ("Rome", "LOC")]


@pytest.mark.parametrize("line", ["Sure:", "Note: Ada", "Ada", "Ada (poet)", "Ada (PER) spoke", "Ada: poet"])
def test_lines_without_a_known_label_are_skipped_and_counted(line: str) -> None:
    assert read(f"{line}\n\nPER: Ada").skipped_lines == 1


@pytest.mark.parametrize(
    "line",
    ["Ada: PER", "- Ada: per.", "* **Ada**: PER", "1. Ada - PER", "+ Ada – PER", "- `Ada` -> `PER`", "- Ada → PER"],
)
def test_a_known_label_after_a_text(line: str) -> None:
    assert pairs(line) == [("Ada", "PER")]
    assert shape_of([line]) == "lines"


@pytest.mark.parametrize(
    "table",
    [
        "| Entity | Type |\n|---|---|\n| Ada | PER |\n| Rome | LOC |",
        "Entity | Label\n--- | ---\nAda | PER\nRome | LOC",
        "| # | **Text** | Entity type | Why |\n|:-:|:---|---:|---|\n| 1 | Ada | `PER` | a \\| b |\n| 2 | **Rome** | LOC | |",
        "| Category | Named entities |\n| - | - |\n| PER | Ada |\n| LOC | Rome |\n| ORG | none |",
    ],
)
def test_tables_with_a_text_and_a_label(table: str) -> None:
    assert pairs(table) == [("Ada", "PER"), ("Rome", "LOC")]
    assert shape_of([table]) == "lines"
    assert pairs(f"{table}\n\nPER: Bob") == [("Ada", "PER"), ("Rome", "LOC"), ("Bob", "PER")]


def test_cells_with_several_texts() -> None:
    assert pairs("| Type | Entities |\n|---|---|\n| PER | Ada, Bob; Eve |") == [
        (name, "PER") for name in ("Ada", "Bob", "Eve")
    ]
    assert pairs("| Type | Entity |\n|---|---|\n| PER | Rome, Italy |\n| City | Ada |") == [
        ("Rome, Italy", "PER"),
        ("Ada", "City"),
    ]


@pytest.mark.parametrize(
    "answer",
    ["| a | b |\n|---|---|\n| Ada | PER |", "- Ada\n- Rome", "| Text | Span | Type |\n|-|-|-|\n| a | Ada | PER |"],
)
def test_tables_and_bullets_without_labels_cannot_be_read(answer: str) -> None:
    found = read(answer)
    assert (found.items, found.how, found.skipped_lines > 0) == ((), "unparsable", True)


def test_lines_that_say_that_there_is_nothing_are_not_counted() -> None:
    assert read("no entities\nNone\nPER: None\nLOC: n/a\n```\n\n- \nPER:") == ReadAnswer()
    assert read("Answer: no entities").skipped_lines == 1


def test_strings_below_a_heading_have_its_label() -> None:
    answer = "**PER:**\n- Ada\n\n- Bob\nAnd so on:\n- Eve\n### loc\n1. Rome\n2. Bonn (PER)\n3. Wien"
    assert pairs(answer) == [("Ada", "PER"), ("Bob", "PER"), ("Rome", "LOC"), ("Bonn", "PER")]
    assert read(answer).skipped_lines == 3


def test_bullets_need_no_label_if_one_is_asked_for() -> None:
    found = read("Here they are:\n- Ada\n- Bob", "PER")
    assert [item.text for item in found.items] == ["Ada", "Bob"]
    assert found.skipped_lines == 1


def test_respelled_labels_are_counted_by_items() -> None:
    assert read("Per: Ada, Bob\nCreative Work: Emma\nRome (LOC)").respelled == 3


# Labels are found however a model spells them, as long as only one fits


LABELS_KNOWN_LABELS = KnownLabels(["PER", "CLIMATE-GREENHOUSE-GASES", "creative_work", "Straße", "B-2", "+"])


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("PER", "PER"),
        ("per", "PER"),
        ("Climate Greenhouse Gases", "CLIMATE-GREENHOUSE-GASES"),
        ("creative-work", "creative_work"),
        ("STRASSE", "Straße"),
        ("B-PER", "PER"),
        ("M-per", "PER"),
        ("B-2", "B-2"),
        ("+", "+"),
        ("-", None),
        ("b-per", None),
        ("PERSON", None),
        ("", None),
    ],
)
def test_labels_are_equal_or_have_equal_letters_and_digits(written: str, found: str | None) -> None:
    assert LABELS_KNOWN_LABELS.find(written) == found


def test_no_label_is_found_if_several_fit() -> None:
    labels = KnownLabels(["Per", "PER", "LOC"])
    assert [labels.find(each) for each in ("Per", "PER", "per", "B-per", "B-PER")] == ["Per", "PER", None, None, "PER"]


# Nothing that a model writes is an error, or takes long


LABELS_ODD_ANSWERS = KnownLabels(["PER", "LOC", "ORG"])
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


def check(actual: ReadAnswer) -> None:
    assert actual.malformed >= 0
    assert all(item.text.strip() and item.label.strip() for item in actual.items)
    if actual.marked:
        text, spans = actual.marked.text, actual.marked.spans
        assert all(0 <= start < end <= len(text) for start, end, _ in spans)
        assert all(text[start:end] == text[start:end].strip() for start, end, _ in spans)


@pytest.mark.property
@given(ANSWERS, st.sampled_from(["", "Ada < &amp; [1] @@ ## <p>"]), st.sampled_from([None, "LOC"]))
@example("[0x" + "f" * 5000 + ", 'PER']", "", "LOC")
@example("{[]: 1}", "", None)
def test_no_answer_is_an_error(answer: str, document: str, label: str | None) -> None:
    shape_of([answer])
    for shape in SHAPES:
        check(read_answer(answer, shape, LABELS_ODD_ANSWERS, label, document))


@pytest.mark.property
@given(VALUES, st.sampled_from([None, "LOC"]))
def test_no_value_is_an_error(value: object, label: str | None) -> None:
    check(read_answer(value, "json", LABELS_ODD_ANSWERS, label, ""))


@pytest.mark.property
@given(st.lists(st.fixed_dictionaries({"text": st.text(max_size=3), "label": st.sampled_from(["PER", "LOC"])})))
def test_the_short_way_of_plain_items_is_the_general_one(items: list[dict[str, str]]) -> None:
    general = [{**item, "note": 1} for item in items]
    assert read_answer(items, "json", LABELS_ODD_ANSWERS, None, "") == read_answer(
        general, "json", LABELS_ODD_ANSWERS, None, ""
    )


@pytest.mark.property
@given(st.lists(st.sampled_from(["<PER>", "</PER>", "<LOC>", "</LOC>", "a ", "&amp;", "<i>", "é"])))
def test_a_text_loses_nothing_but_its_tags(pieces: list[str]) -> None:
    found = read_answer("".join(pieces), "xml", LABELS_ODD_ANSWERS, None, "").marked
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
        check(read_answer(LONG[name], shape, LABELS_ODD_ANSWERS, "LOC", "a < b & [c] @@"))


@pytest.mark.long
@pytest.mark.parametrize("answer", [json.dumps(ITEMS)[:-30], repr(ITEMS)[:-30]], ids=["JSON", "Python"])
def test_a_long_list_that_is_cut_off_loses_only_its_last_item(answer: str) -> None:
    found = read_answer(answer, "json", LABELS_ODD_ANSWERS, None, "")
    assert (len(found.items), found.how, found.malformed) == (99_999, "salvaged", 0)
