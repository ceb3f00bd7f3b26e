"""Tables as LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.report.cells import cell_text, headings, row_texts, without_bars
from evenhand.report.document import document
from evenhand.report.tables import Table
from evenhand.result.ranking import Ranking
from evenhand.result.shown import Shown

_ESCAPES = str.maketrans(
    {
        **{special: f"\\{special}" for special in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "–": "--",
        "±": r"$\pm$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def render(subject: Shown) -> str:
    """The whole report as tabulars, with the rest as comments; the best of several systems are bold."""
    shown = document(subject)
    many = len(shown.sections) > 2 or isinstance(subject, Ranking)
    parts = [f"% {shown.opening}", "% needs \\usepackage{booktabs}"]
    for place, section in enumerate(shown.sections):
        parts += ["", f"% {section.heading}"] if section.heading else []
        for table in section.tables:
            parts += ["", *lines(table, best=many and (place == 0 or isinstance(subject, Ranking)))]
    return "\n".join([*parts, "", *(f"% Note: {note}" for note in shown.notes), f"% {shown.signature}"]) + "\n"


def lines(table: Table, *, best: bool = False) -> list[str]:
    """A tabular with text left and numbers right, a rule before the rows that sum up, and the remark as a paragraph.

    With `best`, the highest figure of every column of percentages is bold, the rows that sum up left aside.
    """
    table = without_bars(table)
    rows = [[_escaped(cell) for cell in row] for row in row_texts(table)]
    if best:
        _embolden(rows, table)
    alignment = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    shown = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    shown += [_row([_escaped(name) for name in headings(table)]), r"\midrule"]
    for place, row in enumerate(rows):
        if table.summary_rows and place == len(rows) - table.summary_rows > 0:
            shown.append(r"\midrule")
        shown.append(_row(row))
    shown += [r"\bottomrule", r"\end{tabular}"]
    if table.remark:
        shown += ["", _escaped(table.remark)]
    return shown


def _embolden(rows: Sequence[list[str]], table: Table) -> None:
    """Set the best figures in bold: all that look the same as the highest, lest the choice among them seem random."""
    scored = len(rows) - table.summary_rows
    for place, column in enumerate(table.columns):
        values = [row[place] for row in table.rows[:scored]]
        numbers = [value for value in values if value is not None and not isinstance(value, str)]
        if column.kind != "percent" or not numbers:
            continue
        highest = cell_text(max(numbers), "percent")
        for row in rows[:scored]:
            if row[place] == highest:
                row[place] = rf"\textbf{{{highest}}}"


def _row(cells: Sequence[str]) -> str:
    """One row; a first cell in [ or * would be read as an argument of the command that ended the row before."""
    guard = "{}" if cells[0].lstrip().startswith(("[", "*")) else ""
    return rf"{guard}{' & '.join(cells)} \\"


def _escaped(text: str) -> str:
    """Text that shows as it is; a row is one line, so that line feeds become spaces."""
    return " ".join(text.splitlines()).translate(_ESCAPES)
