"""Tables as Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.report.text import lines
from evenhand.tables import Column, Table
from evenhand.tasks.tables import summary

COLUMNS = [Column("label", "text"), Column("gold", "count"), Column("F1", "percent"), Column("", "bar")]


def test_a_table_with_everything() -> None:
    rows = [["LOC", 12345, 0.87654, 0.9], ["PER", 2, 1.0, 1.0], ["macro average", None, 0.5, None]]
    assert lines(Table("fair", COLUMNS, rows, summary_rows=1, remark="There is more.")) == [
        "| fair | gold | F1 |",
        "| :--- | ---: | ---: |",
        "| LOC | 12,345 | 87.65 |",
        "| PER | 2 | 100.00 |",
        "| macro average |  | 50.00 |",
        "",
        "There is more.",
    ]


def test_without_title_the_first_column_has_its_name() -> None:
    assert lines(Table("", COLUMNS[:2], [])) == ["| label | gold |", "| :--- | ---: |"]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("a|b", r"a\|b"),
        ("a\nb\r\nc", "a<br>b<br>c"),
        ("gold \\ system", "gold \\\\ system"),
        ("\\|", r"\\\|"),
        ("<unk>", r"\<unk>"),
        ("_A_*", r"\_A\_\*"),
        ("`$[R&D]~", r"\`\$\[R\&D]\~"),
        ("人名 – 5 %", "人名 – 5 %"),
    ],
)
def test_markup_in_cells_is_text(cell: str, shown: str) -> None:
    assert lines(Table("", [Column(cell, "text")], [[cell]])) == [f"| {shown} |", "| :--- |", f"| {shown} |"]


def test_the_summary_of_two_systems(example: Path) -> None:
    results = eh.score(example / "gold.conll", [example / f"{name}.conll" for name in ("crf", "tagger")])
    header, alignment, *rows = lines(next(summary(results)))
    assert header == "| system | model | prec. | recall | F1 |"
    assert alignment == "| :--- | :--- | ---: | ---: | ---: |"
    assert len(rows) == 4
    assert rows[0].startswith("| crf | ")
