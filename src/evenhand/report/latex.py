"""Tables as LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evenhand.report.cells import best_cells, headings, row_texts, without_bars
from evenhand.report.document import Section
from evenhand.report.latex_text import DEFINITION, comment, escaped, needs
from evenhand.report.selection import selected
from evenhand.result.display import Shown, Tabled
from evenhand.table import Column, Table
from evenhand.table_style import PLAIN, TableStyle

MOST_ROWS = 40
"""How many rows fit on a page; longer tables may break."""
_WIDEST_CELL = 30
"""How many characters a cell has on one line; longer text may break."""
_WIDEST = 330
"""How many points a line has on most pages; tables that may be wider are scaled, as far as they need it."""
_CHARACTER, _GAP = 5, 12
"""How many points a character has, and the space between columns."""
_FITTING = r"\noindent\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_SMALL = r"{\scriptsize\setlength{\tabcolsep}{3pt}%"


def render(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
    """The whole report as tabulars, with the rest as comments; the best of several systems are bold."""
    style = replace(style, marks=True)
    shown = selected(subject, style)
    floats = bool(style.caption or style.label)
    parts: list[str] = []
    number = 0
    for section in shown.sections:
        parts += ["", comment(section.heading)] if section.heading else []
        for table in section.tables:
            number += 1
            parts += ["", r"\bigskip"] if number > 1 and not floats else []
            parts += ["", *(_floating(table, section, style, number) if floats else lines(table, style))]
    body = "\n".join(parts)
    opening = [*map(comment, (shown.opening, *shown.warnings)), f"% needs {needs(body)}"]
    opening += [DEFINITION] if r"\evenhandtext{" in body else []
    notes = map(comment, shown.remarks)
    return "\n".join([*opening, body, "", *notes, comment(shown.signature)]) + "\n"


def lines(table: Table, style: TableStyle = PLAIN) -> list[str]:
    """A tabular with text left and numbers right, a rule before the rows that sum up, and the remark as a paragraph.

    The best scores of systems are bold.
    """
    shown = _tabular(table, style)
    return [*shown, "", escaped(table.remark)] if table.remark else shown


def _floating(table: Table, section: Section, style: TableStyle, number: int) -> list[str]:
    """A table that LaTeX places and numbers; those after the first say in the caption what they hold."""
    more = ", ".join(part for part in (section.heading.rstrip(":"), table.title) if part) if number > 1 else ""
    head = []
    if style.caption:
        head.append(rf"\caption{{{escaped(f'{style.caption} ({more})' if more else style.caption)}}}")
    if style.label:
        head.append(rf"\label{{{style.label}{'' if number == 1 else f'-{number}'}}}")
    remark = [rf"{{\footnotesize {escaped(table.remark)}\par}}"] if table.remark else []
    if _is_long(table):
        return [*_tabular(table, style, head), *remark]
    remark = [r"\par\smallskip", *remark] if remark else []
    return [r"\begin{table}[htbp]", r"\centering", *head, *_tabular(table, style), *remark, r"\end{table}"]


def _is_long(table: Table) -> bool:
    return len(table.rows) > MOST_ROWS


def _tabular(table: Table, style: TableStyle, head: Sequence[str] = ()) -> list[str]:
    """The rows between rules, which may go over pages where they are many; `head` stands above those."""
    table = without_bars(table)
    texts, names = row_texts(table, style), headings(table)
    widths = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    rows = [[_cell(*each) for each in zip(row, table.columns, widths, strict=True)] for row in texts]
    for number, place in best_cells(table, texts):
        rows[number][place] = rf"\textbf{{{rows[number][place]}}}"
    kind = "longtable" if _is_long(table) else "tabular"
    shown = [rf"\begin{{{kind}}}{{{_alignment(table, widths)}}}"]
    shown += ["".join(head) + r" \\"] if head else []
    shown += [r"\toprule", _row([escaped(name) for name in names]), r"\midrule"]
    shown += [r"\endhead"] if kind == "longtable" else []
    for place, row in enumerate(rows):
        if table.summary_rows and place == len(rows) - table.summary_rows > 0:
            shown.append(r"\midrule")
        shown.append(_row(row))
    shown += [r"\bottomrule", rf"\end{{{kind}}}"]
    if sum(_CHARACTER * min(width, _WIDEST_CELL) + _GAP for width in widths) <= _WIDEST:
        return shown
    return [_FITTING if kind == "tabular" else _SMALL, *shown[:-1], shown[-1] + "}"]


def _alignment(table: Table, widths: Sequence[int]) -> str:
    """Numbers right, text left; columns of long text share a part of the line."""
    is_long = [_is_broken(*each) for each in zip(table.columns, widths, strict=True)]
    part = rf"p{{{0.45 / max(sum(is_long), 1):.2f}\linewidth}}"
    kinds = zip(table.columns, is_long, strict=True)
    return "".join(part if long else "l" if column.kind == "text" else "r" for column, long in kinds)


def _is_broken(column: Column, width: int) -> bool:
    return column.kind == "text" and width > _WIDEST_CELL


def _cell(text: str, column: Column, width: int) -> str:
    """A cell; long text, of paths above all, may break. Of figures, minus signs are such, and stars are raised."""
    if _is_broken(column, width):
        return re.sub(r"(?<=[/.:])(?=\S)", r"\\allowbreak{}", escaped(text))
    if column.kind == "text":
        return escaped(text)
    starred = re.sub(r"(\*+)$", r"$^{\1}$", escaped(text))
    return re.sub(r"(?<![\w$-])-(?=\d)", "$-$", starred)


def _row(cells: Sequence[str]) -> str:
    """One row; a first cell in [ or * would be read as an argument of the command that ended the row before."""
    guard = "{}" if cells[0].lstrip().startswith(("[", "*")) else ""
    return rf"{guard}{' & '.join(cells)} \\"
