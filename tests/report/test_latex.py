"""Tables as LaTeX."""

from __future__ import annotations

import pytest

from evenhand.report.latex import lines
from evenhand.tables import Cell, Column, Table

COLUMNS = [Column("label", "text"), Column("gold", "count"), Column("F1", "percent"), Column("", "bar")]
ROWS: list[list[Cell]] = [["LOC", 12345, 0.87654, 0.9], ["PER_X", 2, 0.5, 0.5], ["overall", None, 0.9, None]]


def test_a_table_with_everything() -> None:
    assert lines(Table("fair & square", COLUMNS, ROWS, summary_rows=1, remark="100 % of it.")) == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"fair \& square & gold & F1 \\",
        r"\midrule",
        r"LOC & 12,345 & 87.65 \\",
        r"PER\_X & 2 & 50.00 \\",
        r"\midrule",
        r"overall &  & 90.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"100 \% of it.",
    ]


def test_without_title_summary_and_remark() -> None:
    assert lines(Table("", COLUMNS[:2], [["LOC", 1]])) == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"label & gold \\",
        r"\midrule",
        r"LOC & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_rows_that_sum_up_nothing_have_no_second_rule() -> None:
    assert lines(Table("", COLUMNS, ROWS[2:], summary_rows=1)).count(r"\midrule") == 1


def test_the_best_percentage_is_bold_and_sums_do_not_compete() -> None:
    shown = lines(Table("", COLUMNS, ROWS, summary_rows=1, rivals=[range(2)]))
    assert shown[4:8] == [
        r"LOC & 12,345 & \textbf{87.65} \\",
        r"PER\_X & 2 & 50.00 \\",
        r"\midrule",
        r"overall &  & 90.00 \\",
    ]


def test_all_that_look_like_the_best_are_bold() -> None:
    columns = [Column("system", "text"), Column("P", "percent"), Column("R", "percent"), Column("F1", "percent")]
    rows: list[list[Cell]] = [["a", 0.87654, None, "n/a"], ["b", 0.87649, 0.1, "n/a"], ["c", 0.1, 0.05, "n/a"]]
    assert lines(Table("", columns, rows, rivals=[range(3)]))[4:7] == [
        r"a & \textbf{87.65} &  & n/a \\",
        r"b & \textbf{87.65} & \textbf{10.00} & n/a \\",
        r"c & 10.00 & 5.00 & n/a \\",
    ]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("&%$#_{}", r"\&\%\$\#\_\{\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("gold \\ system", r"gold \textbackslash{} system"),
        ("\\{", r"\textbackslash{}\{"),
        ("a\nb", r"a\textbackslash{}nb"),
        ("[PER]", "{}[PER]"),
        ("*", "{}*"),
        ("A [B] *", "A [B] *"),
    ],
)
def test_commands_in_cells_are_text(cell: str, shown: str) -> None:
    header, row = lines(Table("", [Column(cell, "text")], [[cell]]))[2:5:2]
    assert header == row == shown + r" \\"
