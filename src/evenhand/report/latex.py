"""Tables as LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evenhand.report.cells import best_cells, headings, row_texts, without_bars
from evenhand.report.document import Section
from evenhand.report.latex_layout import SMALL_GAP, Grid, Layout, parts
from evenhand.report.latex_text import DEFINITION, comment, escaped, needs
from evenhand.report.latex_width import pieces
from evenhand.report.selection import selected
from evenhand.result.display import Shown, Tabled
from evenhand.table import Column, Table
from evenhand.table_style import PLAIN, TableStyle

_MOST_FLOATS = 16
"""How many floating tables may wait for a place; LaTeX stops at some number of them."""


def render(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
    """The whole report as tabulars, with the rest as comments; the best of several systems are bold."""
    style = replace(style, marks=True)
    shown = selected(subject, style)
    floats = bool(style.caption or style.label)
    body: list[str] = []
    number = 0
    for section in shown.sections:
        body += ["", comment(section.heading)] if section.heading else []
        for table in section.tables:
            if floats:
                for each in _floating(table, section, style, number):
                    body += ["", r"\clearpage"] if number and number % _MOST_FLOATS == 0 else []
                    body += ["", *each]
                    number += 1
            else:
                body += ["", r"\bigskip"] if number else []
                body += ["", *lines(table, style)]
                number += 1
    text = "\n".join(body)
    opening = [*map(comment, (shown.opening, *shown.warnings)), f"% needs {needs(text)}"]
    opening += [DEFINITION] if r"\evenhandtext{" in text else []
    notes = map(comment, shown.remarks)
    return "\n".join([*opening, text, "", *notes, comment(shown.signature)]) + "\n"


def lines(table: Table, style: TableStyle = PLAIN) -> list[str]:
    """Tabulars with text left and numbers right, a rule before the rows that sum up, and the remark as a paragraph.

    The best scores of systems are bold. What goes across both columns of a page must float.
    """
    shown: list[str] = []
    for grid, layout in parts(_grid(table, style), style.page_columns):
        shown += ["", r"\medskip", ""] if shown else []
        part = _tabular(grid, layout, style)
        shown += [r"\begin{table*}[tp]", r"\centering", *part, r"\end{table*}"] if layout.across else part
    return [*shown, "", escaped(table.remark)] if table.remark else shown


def _floating(table: Table, section: Section, style: TableStyle, before: int) -> Iterator[list[str]]:
    """Tables that LaTeX places and numbers; those after the first say in the caption what they hold."""
    divided = list(parts(_grid(table, style), style.page_columns))
    for number, (grid, layout) in enumerate(divided, 1):
        place = before + number
        named = (section.heading.rstrip(":"), table.title) if place > 1 else ()
        part = f"part {number} of {len(divided)}" if len(divided) > 1 else ""
        more = ", ".join(each for each in (*named, part) if each)
        head = []
        if style.caption:
            head.append(rf"\caption{{{escaped(f'{style.caption} ({more})' if more else style.caption)}}}")
        if style.label:
            head.append(rf"\label{{{style.label}{'' if place == 1 else f'-{place}'}}}")
        is_last = number == len(divided)
        remark = [rf"{{\footnotesize {escaped(table.remark)}\par}}"] if table.remark and is_last else []
        if _breaks(layout, style):
            yield [*_tabular(grid, layout, style, head), *remark]
        else:
            remark = [r"\par\smallskip", *remark] if remark else []
            kind, where = ("table*", "tp") if layout.across else ("table", "htbp")
            body = [r"\centering", *head, *_tabular(grid, layout, style), *remark]
            yield [rf"\begin{{{kind}}}[{where}]", *body, rf"\end{{{kind}}}"]


def _breaks(layout: Layout, style: TableStyle) -> bool:
    """Whether a table goes over several pages, which LaTeX allows on those of one column only."""
    return style.page_columns == 1 and layout.is_high


def _grid(table: Table, style: TableStyle) -> Grid:
    """What the table prints; columns without any content are left out."""
    table = without_bars(table)
    texts = row_texts(table, style)
    summary = len(texts) - table.summary_rows
    grid = Grid(
        headings(table),
        [[_figure(*each) for each in zip(row, table.columns, strict=True)] for row in texts],
        [column.kind == "text" for column in table.columns],
        [column.kind in ("text", "label") for column in table.columns],
        frozenset(best_cells(table, texts)),
        summary if 0 < summary < len(texts) else None,
    )
    full = [place for place in range(len(grid.names)) if place == 0 or not texts or any(row[place] for row in texts)]
    return grid.with_columns(full)


def _figure(text: str, column: Column) -> str:
    """A cell; those of figures have minus signs, not hyphens."""
    return text if column.kind == "text" else re.sub(r"(?<![\w-])-(?=\d)", "−", text)


def _tabular(grid: Grid, layout: Layout, style: TableStyle, head: Sequence[str] = ()) -> list[str]:
    """The rows between rules, which may go over pages where they are many; `head` stands above those."""
    kind = "longtable" if _breaks(layout, style) else "tabular"
    shown = [rf"\begin{{{kind}}}{{{_alignment(grid, layout)}}}"]
    shown += ["".join(head) + r" \\"] if head else []
    names = [_heading(text, left=left) for text, left in zip(layout.headings, grid.left, strict=True)]
    shown += [r"\toprule", _row(names), r"\midrule"]
    shown += [r"\endhead"] if kind == "longtable" else []
    for number, row in enumerate(grid.rows):
        shown += [r"\midrule"] if number == grid.rule else []
        cells = [_broken(text) if broken else escaped(text) for text, broken in zip(row, layout.is_broken, strict=True)]
        shown.append(
            _row([rf"\textbf{{{cell}}}" if (number, at) in grid.bold else cell for at, cell in enumerate(cells)])
        )
    shown += [r"\bottomrule", rf"\end{{{kind}}}"]
    if layout.font is None:
        return shown
    small = rf"\fontsize{{{layout.font}}}{{{1.2 * layout.font:g}}}\selectfont"
    gap = rf"\setlength{{\tabcolsep}}{{{SMALL_GAP / 2:g}pt}}"
    return [rf"{{\noindent{small}{gap}%", *shown[:-1], shown[-1] + "}"]


def _alignment(grid: Grid, layout: Layout) -> str:
    """Numbers right, text left; columns of broken text share what the others leave of the line."""
    part = rf">{{\raggedright\arraybackslash}}p{{\dimexpr(\linewidth-{layout.others}pt)/{sum(layout.is_broken)}\relax}}"
    kinds = zip(layout.is_broken, grid.left, strict=True)
    return "".join(part if broken else "l" if left else "r" for broken, left in kinds)


def _heading(text: Sequence[str], *, left: bool) -> str:
    """The name of a column, on one line or on several."""
    names = r"\\".join(map(escaped, text))
    return names if len(text) == 1 else rf"\shortstack[{'l' if left else 'r'}]{{{names}}}"


def _broken(text: str) -> str:
    """Text, of paths above all, that may break between its pieces."""
    return r"\allowbreak{}".join(map(escaped, pieces(text)))


def _row(cells: Sequence[str]) -> str:
    """One row; a first cell in [ or * would be read as an argument of the command that ended the row before."""
    guard = "{}" if cells[0].lstrip().startswith(("[", "*")) else ""
    return rf"{guard}{' & '.join(cells)} \\"
