"""What a user may choose about tables, in every form; and that text from data stays text."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.cli.output import RENDERERS
from evenhand.errors import SettingError
from evenhand.registry import load
from evenhand.report import data as csv_report
from evenhand.report import latex, text
from evenhand.report import text as markdown
from evenhand.report.document import cell_text
from evenhand.report.latex import comment, escaped, needs
from evenhand.tables import Cell, Column, Table, TableStyle, stars

FOLDER = Path(eh.__file__).parent / "examples" / "ner"
FORMS = ("text", "markdown", "latex")


@pytest.fixture(scope="module")
def results() -> eh.Results:
    return eh.score(FOLDER / "gold.conll", [FOLDER / f"{name}.conll" for name in ("crf", "tagger")])


@pytest.fixture(scope="module")
def comparison() -> eh.Comparison:
    files = [FOLDER / f"{name}.conll" for name in ("crf", "tagger")]
    return eh.compare(FOLDER / "gold.conll", files, resamples=50)


# Figures


@pytest.mark.parametrize(
    ("style", "score", "share"),
    [
        (TableStyle(), "87.65", "87.65"),
        (TableStyle(decimals=0), "88", "88"),
        (TableStyle(percent=False), "0.8765", "87.65"),
        (TableStyle(percent=False, decimals=3), "0.877", "87.654"),
    ],
)
def test_scores_and_shares(style: TableStyle, score: str, share: str) -> None:
    """Columns headed % hold percentages, whatever scores are."""
    assert cell_text(0.87654, "percent", style) == score
    assert cell_text(0.87654, "share", style) == share
    assert cell_text(12345, "count", style) == "12,345"


@pytest.mark.parametrize("form", FORMS)
def test_differences_and_intervals_follow_scores(comparison: eh.Comparison, form: str) -> None:
    render = load(RENDERERS[form])
    pair = comparison.pair("crf", "tagger")
    shown = render(comparison, TableStyle(percent=False, decimals=5))
    assert pair.interval is not None
    for figure in (f"{pair.delta:+.5f}", f"{pair.interval[0]:+.5f}", f"{comparison.scores['crf']:.5f}"):
        assert figure in shown
    assert f"{100 * pair.difference:.5f}" in shown
    assert f"{100 * pair.delta:+.2f}" not in shown


def test_intervals_of_rankings_follow_scores() -> None:
    ranking = eh.rank(FOLDER / "gold.conll", {"crf": FOLDER / "crf.conll"}, match="exact", resamples=20)
    interval = ranking["exact"]["crf"].interval
    assert interval is not None
    assert f"{interval[0]:.3f} – {interval[1]:.3f}" in text.render(ranking, TableStyle(percent=False, decimals=3))


@pytest.mark.parametrize("decimals", [-1, 11])
def test_decimals_have_bounds(decimals: int) -> None:
    with pytest.raises(SettingError, match=r"from 0 to 10"):
        TableStyle(decimals=decimals)


# Columns


@pytest.mark.parametrize("form", FORMS)
def test_only_the_columns_that_were_asked_for(results: eh.Results, form: str) -> None:
    """Tables without such columns are left out, and sections without tables."""
    shown = load(RENDERERS[form])(results, TableStyle(columns=("model", "F1")))
    assert "recall" not in shown
    assert "confusion" not in shown
    assert "macro average" in shown


def test_the_first_column_stays(results: eh.Results) -> None:
    lines = results.to_markdown(columns="model, F1").splitlines()
    assert lines[2:5] == ["| system | model | F1 |", "| :--- | :--- | ---: |", "| crf | exact | 72.03 |"]


@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_no_table_has(results: eh.Results, form: str) -> None:
    with pytest.raises(SettingError, match=r"no table has a column 'F2'; there are model, prec\., recall, F1"):
        load(RENDERERS[form])(results, TableStyle(columns=("F1", "F2")))


# LaTeX: bold, marks, captions


def bold_rows(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if r"\textbf" in line]


def test_the_best_system_is_bold_under_every_model(results: eh.Results) -> None:
    """A lenient model does not compete with a strict one."""
    assert bold_rows(results.to_latex(columns="model,F1")) == [
        r"tagger & exact & \textbf{87.41} \\",
        r" & fair & \textbf{91.01} \\",
    ]


def test_one_system_alone_is_not_bold(results: eh.Results) -> None:
    assert not bold_rows(results["crf"].to_latex())


def test_shares_and_labels_do_not_compete(comparison: eh.Comparison) -> None:
    assert bold_rows(comparison.to_latex()) == [r"tagger & \textbf{91.01} \\"]


def test_systems_beside_each_other_compete_within_rows() -> None:
    folder = FOLDER.parent / "chains"
    found = eh.score(folder / "gold.conll", [folder / f"{name}.conll" for name in ("rules", "pairs", "neural")])
    assert r"MUC & 61.89 & 69.75 & \textbf{84.81} \\" in found.to_latex().splitlines()


def test_rivals_are_compared_by_what_they_show() -> None:
    rows: list[list[Cell]] = [["a", 0.87654], ["b", 0.87649], ["c", None]]
    table = Table("", [Column("system", "text"), Column("F1", "percent")], rows, rivals=[range(3)])
    assert len(bold_rows("\n".join(latex.lines(table)))) == 2
    assert len(bold_rows("\n".join(latex.lines(table, TableStyle(decimals=3))))) == 1


def test_significant_differences_have_marks_in_latex(comparison: eh.Comparison) -> None:
    shown = comparison.to_latex()
    assert r"crf & tagger & +14.52** &" in shown
    assert r"* p \textless{} 0.05, ** p \textless{} 0.01, both by Holm over the pairs." in shown
    assert "+14.52**" not in str(comparison)
    assert [stars(p) for p in (0.009, 0.01, 0.05, None)] == ["**", "*", "", ""]


def test_without_tests_there_are_no_marks() -> None:
    files = [FOLDER / f"{name}.conll" for name in ("crf", "tagger")]
    shown = eh.compare(FOLDER / "gold.conll", files, trials=0, resamples=0).to_latex()
    assert "* &" not in shown
    assert "by Holm over" not in shown


def test_captions_and_labels(results: eh.Results) -> None:
    shown = results.to_latex(caption="50 % of_it", label="tab:x", columns="model,F1").splitlines()
    assert shown.count(r"\begin{table}[htbp]") == shown.count(r"\end{table}") == 5
    assert [line for line in shown if line.startswith(r"\caption")][:2] == [
        r"\caption{50 \% of\_it}",
        r"\caption{50 \% of\_it (crf: 212 spans, exact)}",
    ]
    assert [line for line in shown if line.startswith(r"\label")][:2] == [r"\label{tab:x}", r"\label{tab:x-2}"]
    assert r"\begin{table}" not in results.to_latex()


@pytest.mark.parametrize("label", ["a b", "}\\input{x", "a%b", "ä", "a\nb"])
def test_labels_that_would_break_out(label: str) -> None:
    with pytest.raises(SettingError, match="cannot be used in LaTeX"):
        TableStyle(label=label)


def test_packages_are_those_that_tables_need() -> None:
    long = Table("", [Column("label", "text"), Column("gold", "count")], [[f"L{i}", i] for i in range(41)])
    assert latex.lines(long)[0] == r"\begin{longtable}{lr}"
    broken = Table("", [Column("sentence", "text"), Column("gold", "count")], [["many words " * 20, 1]])
    body = "\n".join([*latex.lines(long), *latex.lines(broken)])
    assert needs(body) == r"\usepackage{booktabs}, \usepackage{array}, \usepackage{longtable}"


# Text from data stays text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("a--b", "a-{}-b"),
        ("\"'`", r"\texttt{\char34}\textquotesingle{}\textasciigrave{}"),
        ("B³ – ± → ≥", r"B\textthreesuperior{} -- $\pm$ $\rightarrow$ $\geq$"),
        ("e\u0301", "é"),
        ("a人名b", r"a\evenhandtext{人名}{U+4EBA U+540D}b"),
        ("\x1b[0m\u202e", r"\textbackslash{}x1b[0m\textbackslash{}u202e"),
        ("a\nb|&_\\", r"a\textbackslash{}nb\textbar{}\&\_\textbackslash{}"),
    ],
)
def test_latex_escapes(given: str, shown: str) -> None:
    assert escaped(given) == shown


def test_comments_stay_on_their_line() -> None:
    assert comment("a\n\\input{x}\r\u2028") == r"% a\n\input{x}\r\u2028"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("=1+1", r"\=1+1"),
        ("+1", r"\+1"),
        ("-LRB-", r"\-LRB-"),
        ("@user", r"\@user"),
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("```", r"\`\`\`"),
        ("\x1b[0m\u202e", "\\\\x1b\\[0m\\\\u202e"),
        ("a #", r"a \#"),
        ("a\nb|&_\\", r"a<br>b\|\&\_\\"),
    ],
)
def test_markdown_cells_are_text(given: str, shown: str) -> None:
    assert markdown.lines(Table("", [Column("x", "text")], [[given]]))[2] == f"| {shown} |"


def test_markdown_keeps_the_signs_of_numbers() -> None:
    assert (
        markdown.lines(Table("", [Column("x", "text"), Column("d", "label")], [["a", "-0.52"]]))[2] == "| a | -0.52 |"
    )


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_cells_are_no_formulas(start: str) -> None:
    label = f"{start}cmd|' /C calc'!A0"
    result = eh.score(eh.spans([[(label, 0, 1)]]), {"=system": eh.spans([[(label, 0, 1)]])}, match="exact")
    rows = list(csv.DictReader(io.StringIO(csv_report.render(result), newline="")))
    assert {row["label"] for row in rows} == {"", f"'{label}"}
    assert {row["system"] for row in rows} == {"'=system"}
    assert result.to_pandas()["label"].dropna().unique().tolist() == [label]


def test_csv_numbers_stay_numbers() -> None:
    files: Any = [FOLDER / f"{name}.conll" for name in ("tagger", "crf")]
    found = eh.compare(FOLDER / "gold.conll", files, trials=0, resamples=0)
    rows = list(csv.DictReader(io.StringIO(csv_report.render(found))))
    assert float(rows[0]["delta"]) == found.pair("tagger", "crf").delta < 0


def test_csv_names_of_columns_are_no_formulas() -> None:
    sides = eh.spans([[("A", 0, 1)]]), {"=x": eh.spans([[("A", 0, 1)]]), "y": eh.spans([[]])}
    found = eh.compare(*sides, show="new_error", trials=0, resamples=0)
    assert "'=x" in csv_report.render(found).splitlines()[0].split(",")


def test_csv_keeps_text_behind_a_quote_apart_from_formulas() -> None:
    labels = ["=x", "'=x", "''=x", "'x"]
    gold = eh.spans([[(label, place, place + 1) for place, label in enumerate(labels)]])
    rows = list(csv.DictReader(io.StringIO(csv_report.render(eh.score(gold, {"s": gold}, match="exact")), newline="")))
    assert {row["label"] for row in rows} == {"", "'=x", "''=x", "'''=x", "'x"}


def test_supertags_with_markup_are_text() -> None:
    """Rows have as many cells as headings, whatever labels and supertags are called."""
    gold = eh.spans([[("a|b", 0, 1), ("a&b", 1, 2), ("a_b\\", 2, 3), ("a\nb", 3, 4)]])
    result = eh.score(gold, {"s|&": gold}, match="exact", supertag=["S|&_\\\nT=a|b,a&b"])
    shown, tex = result.to_markdown(), result.to_latex()
    tables = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", shown, re.MULTILINE)]
    assert tables
    assert all(len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1 for table in tables)
    assert r"| S\|\&\_\\<br>T (supertag) |" in shown
    assert r"S\textbar{}\&\_\textbackslash{}\textbackslash{}nT (supertag) &" in tex
    assert r"a\textbackslash{}nb &" in tex
