"""Answers in lines."""

from __future__ import annotations

import pytest

from evenhand.grounding.answers import read_answer, shape_of
from evenhand.grounding.items import KnownLabels, ReadAnswer

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
