"""What a user may choose about tables, in every form; and that text from data stays text."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest

import evenhand as eh
from evenhand.cli.output import RENDERERS
from evenhand.errors import SettingError, visible
from evenhand.registry import load
from evenhand.report import data as csv_report
from evenhand.report import latex, text
from evenhand.report import text as markdown
from evenhand.report.document import cell_text
from evenhand.report.latex import comment, escaped, needs
from evenhand.tables import Cell, Column, DisplayTable, TableStyle, stars

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
    assert "macro avg" in shown


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
    table = DisplayTable("", [Column("system", "text"), Column("F1", "percent")], rows, rivals=[range(3)])
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
    long = DisplayTable("", [Column("label", "text"), Column("gold", "count")], [[f"L{i}", i] for i in range(41)])
    broken = DisplayTable("", [Column("sentence", "text"), Column("gold", "count")], [["many words " * 20, 1]])
    body = "\n".join([*latex.lines(long), *latex.lines(broken)])
    assert needs(body) == r"\usepackage{booktabs}, \usepackage{array}"


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
    assert markdown.markdown_lines(DisplayTable("", [Column("x", "text")], [[given]]))[2] == f"| {shown} |"


def test_markdown_keeps_the_signs_of_numbers() -> None:
    assert (
        markdown.markdown_lines(DisplayTable("", [Column("x", "text"), Column("d", "label")], [["a", "-0.52"]]))[2]
        == "| a | -0.52 |"
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
    shown, tex = result.to_markdown(), result.to_latex().replace(r"\allowbreak{}", "")
    tables = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", shown, re.MULTILINE)]
    assert tables
    assert all(len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1 for table in tables)
    assert r"| S\|\&\_\\<br>T (supertag) |" in shown
    assert r"S\textbar{}\&\_\textbackslash{}\textbackslash{}nT (supertag) &" in tex
    assert r"a\textbackslash{}nb &" in tex


# Text on a terminal: what is folded, how wide characters are, and what never gets there


FOLDER_TERMINAL = Path(eh.__file__).parent / "examples"
NASTY = "\x1b[31mred\x07\x9b2J\u202eabc\u2066x\u2029y\nz\t\udc80"
SPELLED = r"\x1b[31mred\x07\x9b2J\u202eabc\u2066x\u2029y\nz\t\udc80"
LABEL, LABEL_SPELLED = NASTY.removesuffix("\udc80"), SPELLED.removesuffix(r"\udc80")
"""The same without half a character, which no label can have."""
NARROW = TableStyle(width=80)


@pytest.fixture(scope="module")
def comparison_terminal() -> eh.Comparison:
    files = [FOLDER_TERMINAL / "ner" / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")]
    return eh.compare(FOLDER_TERMINAL / "ner" / "gold.conll", files, trials=50, resamples=50)


def printed(subject: eh.Comparison | eh.Results, style: TableStyle) -> list[str]:
    return text.render(subject, style).splitlines()


def test_everything_but_the_signature_fits(comparison_terminal: eh.Comparison) -> None:
    *lines, signature = printed(comparison_terminal, NARROW)
    assert max(map(len, lines)) <= 80
    assert signature == comparison_terminal.signature
    assert max(len(line) for line in printed(comparison_terminal, TableStyle())[:-1]) > 80


def test_a_wide_table_becomes_two_with_what_rows_are_about_in_both(comparison_terminal: eh.Comparison) -> None:
    lines = printed(comparison_terminal, NARROW)
    first, second = (number for number, line in enumerate(lines) if line.startswith("from "))
    assert lines[first].split()[:3] == ["from", "to", "delta"]
    assert lines[second].split()[:2] == ["from", "to"]
    assert [line.split()[0] for line in lines[first + 2 : first + 5]] == ["crf", "crf", "gazetteer"]
    assert [line.split()[0] for line in lines[second + 2 : second + 5]] == ["crf", "crf", "gazetteer"]
    assert {*lines[first].split(), *lines[second].split()} >= {"delta", "corrected", "changed"}
    remark = [line for line in lines if line.startswith("diff.: ")]
    assert len(remark) == 1


def test_nothing_is_folded_without_a_width_or_with_enough_of_it(comparison_terminal: eh.Comparison) -> None:
    assert text.render(comparison_terminal) == str(comparison_terminal)
    assert text.render(comparison_terminal, TableStyle(width=1000)) == str(comparison_terminal)


def test_a_column_wider_than_the_terminal_stands_alone() -> None:
    sides = eh.spans([[("L" * 100, 0, 1)]]), eh.spans([[("L" * 100, 0, 1)]])
    lines = text.render(eh.Results({"s": eh.score(*sides, match="exact")}), NARROW).splitlines()
    assert any(line.startswith("L" * 100) for line in lines)


@pytest.mark.parametrize(
    ("label", "width"),
    [
        ("人名", 4),
        ("e\u0301", 1),
        ("กำ", 2),
        ("ที่", 1),
        ("\u200bx", 1),
        ("😀", 2),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),
        ("x\ufe0f", 1),
        ("ｱ", 1),
    ],
)
def test_widths(label: str, width: int) -> None:
    """Beside a label of five letters, numbers stand as far to the right as its own width needs."""
    sides = eh.spans([[(label, 0, 1), ("ABCDE", 2, 3)]]), eh.spans([[(label, 0, 1)]])
    lines = str(eh.score(*sides, match="exact")).splitlines()
    wide, narrow = (next(line for line in lines if line.startswith(each)) for each in (label, "ABCDE"))
    assert len(wide) - len(label) + width == len(narrow)


def test_control_characters_are_spelled() -> None:
    assert visible(NASTY) == SPELLED
    assert visible("\u202a\u202b\u202c\u202d\u2067\u2068\u2069\u200e\u200f\u061c") == (
        r"\u202a\u202b\u202c\u202d\u2067\u2068\u2069\u200e\u200f\u061c"
    )
    assert visible("人名 – é 😀 العربية") == "人名 – é 😀 العربية"


def is_safe(shown: str) -> bool:
    return not any(category(char) in ("Cc", "Cs") or char in "\u202e\u2066\u2029" for char in shown.replace("\n", ""))


@pytest.mark.parametrize("style", [TableStyle(), NARROW], ids=["piped", "terminal"])
def test_nothing_from_data_controls_the_terminal(style: TableStyle) -> None:
    """Names of systems and of the gold standard, labels, and notes, which name both."""
    gold = eh.spans([[(LABEL, 0, 1), ("A", 2, 3)]], name=LABEL)
    systems = {NASTY: eh.spans([[(f"{LABEL}2", 0, 1)]]), "b": eh.spans([[]])}
    shown = text.render(eh.score(gold, systems), style)
    assert is_safe(shown)
    assert SPELLED in shown
    compared = eh.compare(gold, systems, trials=20, resamples=20, show="unsolved")
    assert is_safe(text.render(compared, style))
    assert is_safe(text.render(eh.rank(gold, systems, resamples=0), style))


def test_many_labels_of_spans_are_folded() -> None:
    """The fifty most frequent are shown in their order, what sums up stays, and the rest is named."""
    labels = [f"L{number:02}" for number in range(60)]
    spans = [[(label, place, place + 1) for place in range(1 + number)] for number, label in enumerate(labels)]
    shown = str(eh.score(eh.spans(spans), eh.spans(spans), match="exact"))
    assert "The 50 most frequent of 60; --as json writes all of them." in shown
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("L")]
    assert listed == labels[10:]
    assert "macro avg" in shown


def test_fifty_labels_are_not_folded() -> None:
    spans = [[(f"L{number:02}", number, number + 1) for number in range(50)]]
    assert "most frequent" not in str(eh.score(eh.spans(spans), eh.spans(spans), match="exact"))


def test_many_types_of_mentions_are_folded(tmp_path: Path) -> None:
    words = [f"doc 0 {place} w{place} T{place:02} - - - - - - ({place // 2})" for place in range(120)]
    file = tmp_path / "key.conll"
    file.write_text("#begin document (doc); part 000\n" + "\n".join(words) + "\n\n#end document\n")
    shown = str(eh.score(file, file, match="arcs"))
    assert shown.count("The 50 most frequent of 120; --as json writes all of them.") == 2
