"""Tables as LaTeX."""

from __future__ import annotations

import pytest

from evenhand.errors import SettingError
from evenhand.report.latex import LatexGrid, fit, fitted_width, lines
from evenhand.tables import Cell, Column, DisplayTable, Marked, TableStyle

TYPE = r"\small\setlength{\tabcolsep}{4pt}"
COLUMNS = [Column("label", "text"), Column("gold", "count"), Column("F1", "percent"), Column("", "bar")]
ROWS: list[list[Cell]] = [["LOC", 12345, 0.87654, 0.9], ["PER_X", 2, 0.5, 0.5], ["overall", None, 0.9, None]]


def test_a_table_with_everything() -> None:
    assert lines(DisplayTable("fair & square", COLUMNS, ROWS, summary_rows=1, remark="100 % of it.")) == [
        rf"\begin{{center}}{TYPE}",
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
        r"\par\nopagebreak\smallskip",
        r"\parbox{\linewidth}{100 \% of it.}",
        r"\end{center}",
    ]


def test_without_title_summary_and_remark() -> None:
    assert lines(DisplayTable("", COLUMNS[:2], [["LOC", 1]])) == [
        rf"\begin{{center}}{TYPE}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"label & gold \\",
        r"\midrule",
        r"LOC & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{center}",
    ]


def test_rows_that_sum_up_nothing_have_no_second_rule() -> None:
    assert lines(DisplayTable("", COLUMNS, ROWS[2:], summary_rows=1)).count(r"\midrule") == 1


def test_the_best_percentage_is_bold_and_sums_do_not_compete() -> None:
    shown = lines(DisplayTable("", COLUMNS, ROWS, summary_rows=1, rivals=[range(2)]))
    assert shown[5:9] == [
        r"LOC & 12,345 & \textbf{87.65} \\",
        r"PER\_X & 2 & 50.00 \\",
        r"\midrule",
        r"overall &  & 90.00 \\",
    ]


def test_all_that_look_like_the_best_are_bold() -> None:
    columns = [Column("system", "text"), Column("P", "percent"), Column("R", "percent"), Column("F1", "percent")]
    rows: list[list[Cell]] = [["a", 0.87654, None, "n/a"], ["b", 0.87649, 0.1, "n/a"], ["c", 0.1, 0.05, "n/a"]]
    assert lines(DisplayTable("", columns, rows, rivals=[range(3)]))[5:8] == [
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
    header, row = lines(DisplayTable("", [Column(cell, "text")], [[cell]]))[3:6:2]
    assert header == row == shown + r" \\"


# How LaTeX tables fit onto pages of one and of two columns


TWO = TableStyle(page_columns=2)


def matrix(labels: int, rows: int = 3) -> DisplayTable:
    """A label and a count a column."""
    columns = [Column("label", "text"), *(Column(f"L{number}", "count") for number in range(labels))]
    cells: list[list[Cell]] = [[f"row {row}", *range(labels)] for row in range(rows)]
    return DisplayTable("", columns, cells)


def test_a_table_that_fits_is_a_plain_tabular() -> None:
    assert lines(matrix(4), TWO)[1] == r"\begin{tabular}{lrrrr}"
    assert lines(matrix(10))[1] == r"\begin{tabular}{lrrrrrrrrrr}", "a page of one column is wider"


def test_all_tables_have_one_type_size() -> None:
    for labels in (4, 8, 12, 14, 60):
        text = "\n".join(lines(matrix(labels), TWO))
        assert text.count(r"\small\set") == sum(map(text.count, (r"\begin{table", r"\begin{center}")))
        assert r"\resizebox" not in text


def test_what_is_wider_than_a_column_goes_across_both() -> None:
    shown = lines(matrix(14), TWO)
    assert shown[:3] == [r"\begin{table*}[tp]", rf"\centering{TYPE}", r"\begin{tabular}{lrrrrrrrrrrrrrr}"]
    assert shown[-1] == r"\end{table*}"


def test_what_is_wider_than_a_page_is_split_with_the_first_column_in_every_part() -> None:
    wide = LatexGrid(["label", *map(str, range(60))], [["x" * 9, *["99.99"] * 60]], [True, *[False] * 60], [False] * 61)
    items = list(fit(wide, 2))
    assert [part.names[0] for part, _ in items] == ["label"] * len(items)
    assert [name for part, _ in items for name in part.names[1:]] == [str(number) for number in range(60)]
    assert all(layout.spans_page for _, layout in items)


def test_two_columns_of_text_identify_a_row() -> None:
    wide = LatexGrid(
        ["from", "to", *["F1"] * 30], [["a", "b", *["99.99"] * 30]], [True, True, *[False] * 30], [False] * 32
    )
    found = [(*part.names[:2], len(part.names)) for part, _ in fit(wide, 2)]
    assert found == [("from", "to", 12)] * 3


@pytest.mark.parametrize("style", [TableStyle(), TWO])
def test_long_tables_are_split_by_rows(style: TableStyle) -> None:
    shown = lines(matrix(2, 100), style)
    assert shown.count(r"\toprule") == shown.count(r"label & L0 & L1 \\") == 3
    assert [line for line in shown if line.startswith("row")] == [rf"row {row} & 0 & 1 \\" for row in range(100)]


def test_rules_and_bold_cells_go_with_their_rows() -> None:
    columns = [Column("system", "text"), Column("F1", "percent")]
    cells: list[list[Cell]] = [[f"row {row}", row / 100] for row in range(60)]
    shown = lines(DisplayTable("", columns, cells, summary_rows=1, rivals=[range(59)]), TWO)
    at = shown.index(r"row 58 & \textbf{58.00} \\")
    assert shown[at + 1 : at + 3] == [r"\midrule", r"row 59 & 59.00 \\"]
    assert sum(r"\textbf" in line for line in shown) == 1


def test_long_texts_are_wrapped_and_share_the_rest_of_the_line() -> None:
    table = DisplayTable("", [Column("path", "text"), Column("n", "count")], [["a/very/long/ " * 9, 7]])
    shown = lines(table, TWO)
    assert shown[1] == r"\begin{tabular}{>{\raggedright\arraybackslash}p{0.882\linewidth}r}"
    assert r"a/\allowbreak{}very/\allowbreak{}long/" in shown[5]


def test_long_names_are_shortened_if_the_table_is_too_wide_and_they_remain_distinct() -> None:
    names = [f"bert-base-german-cased-finetuned-{number}" for number in (1, 2)]
    columns = [Column("system", "text"), *(Column(name, "count") for name in ("P", "R", "F1"))]
    rows: list[list[Cell]] = [[name, 1, 2, 3] for name in names]
    assert [line for line in lines(DisplayTable("", columns, rows)) if line.startswith("bert")] == [
        rf"{name} & 1 & 2 & 3 \\" for name in names
    ], "it fits"
    assert [line for line in lines(DisplayTable("", columns, rows), TWO) if line.startswith("bert")] == [
        rf"bert-b\ldots{{}}d-finetuned-{number} & 1 & 2 & 3 \\" for number in (1, 2)
    ]
    alike: list[list[Cell]] = [[f"bert-base-{kind}-german-cased-finetuned", 1, 2, 3] for kind in "ab"]
    assert not any(r"\ldots" in line for line in lines(DisplayTable("", columns, alike), TWO))


def test_headings_are_folded_if_the_table_is_too_wide_otherwise() -> None:
    columns = [Column("label", "text"), *(Column("new errors", "count") for _ in range(3))]
    assert r"\shortstack[r]{new\\errors}" in lines(DisplayTable("", columns, [["x", 1, 2, 3]]), TWO)[3]


def test_columns_without_content_are_left_out() -> None:
    columns = [Column("a", "text"), Column("b", "count"), Column("c", "count")]
    assert lines(DisplayTable("", columns, [["x", None, 1]]))[3] == r"a & c \\"


def test_widths_are_characters_and_capitals_are_wider() -> None:
    assert fitted_width("0123456789") == 10
    assert fitted_width("PER") > fitted_width("per") == 3
    assert fitted_width("人") > fitted_width("U+4EBA"), "pdfLaTeX prints the code"


def test_two_columns_are_set_at_any_width() -> None:
    wide = LatexGrid(["a", "b"], [["x" * 300, "9" * 300]], [True, False], [False, False])
    ((part, layout),) = fit(wide, 2)
    assert (part, layout.spans_page) == (wide, True)


@pytest.mark.parametrize("columns", [0, 3])
def test_pages_have_one_or_two_columns(columns: int) -> None:
    with pytest.raises(SettingError, match=f"page_columns is {columns}; pages have 1 or 2"):
        TableStyle(page_columns=columns)


def test_papers_have_no_options_of_commands() -> None:
    remark = "The 50 most frequent of 60; --as json writes all of them. Seed 0 (--seed changes it). Use --top for more. p < 0.05."
    shown = lines(DisplayTable("", COLUMNS[:2], [["LOC", 1]], remark=remark))
    assert shown[-2] == r"\parbox{\linewidth}{The 50 most frequent of 60. Seed 0. p \textless{} 0.05.}"


def test_stars_leave_decimals_below_each_other() -> None:
    rows: list[list[Cell]] = [["a", Marked(0.5, "**")], ["b", Marked(0.25, "*")], ["c", Marked(0.75)]]
    shown = lines(DisplayTable("", [Column("system", "text"), Column("F1", "percent")], rows, rivals=[range(3)]))
    assert shown[5:8] == [
        r"a & 50.00** \\",
        r"b & 25.00*\phantom{*} \\",
        r"c & \textbf{75.00}\phantom{**} \\",
    ]


def test_papers_have_no_undefined_columns_and_no_reasons_for_them() -> None:
    columns = [Column("pair", "text"), Column("alpha", "label"), Column("u-alpha", "label")]
    why = "–: u-alpha needs spans that do not overlap."
    rows: list[list[Cell]] = [["a – b", "0.97", "–"], ["a – c", "0.95", "–"]]
    shown = lines(DisplayTable("", columns, rows, remark=why))
    assert shown[3:7] == [r"pair & alpha \\", r"\midrule", r"a -- b & 0.97 \\", r"a -- c & 0.95 \\"]
    assert not any("overlap" in line for line in shown)
    rows[0][2] = "0.91"
    shown = lines(DisplayTable("", columns, rows, remark=why))
    assert r"a -- c & 0.95 & -- \\" in shown
    assert any("overlap" in line for line in shown), "a figure is undefined"


def test_a_note_is_on_the_page_of_its_table() -> None:
    shown = lines(DisplayTable("", COLUMNS[:2], [["LOC", 1]], remark="A note."))
    assert shown[shown.index(r"\end{tabular}") + 1] == r"\par\nopagebreak\smallskip"
