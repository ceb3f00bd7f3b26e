"""Tables as Markdown, in the way of GitHub."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.problems import visible
from evenhand.report.cells import headings, row_texts, without_bars
from evenhand.report.selection import selected
from evenhand.result.display import Shown, Tabled
from evenhand.table import Column, Table
from evenhand.table_style import PLAIN, TableStyle

_SPECIAL = re.compile(r"[\\`*_~$\[<&|#]")
"""What Markdown may take for markup inside a line."""
_BEFORE_FORMULAS = "=+-@"
"""What a spreadsheet, or GitHub, may take for the beginning of something else than text."""


def render(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
    """The whole report, with the signature as code."""
    shown = selected(subject, style)
    parts = [_escaped(shown.opening), *(line for text in shown.warnings for line in ("", _escaped(text)))]
    for section in shown.sections:
        parts += ["", f"## {_escaped(section.heading.rstrip(':'))}"] if section.heading else []
        for table in section.tables:
            parts += ["", *lines(table, style)]
    parts += [line for note in shown.remarks for line in ("", _escaped(note))]
    return "\n".join([*parts, "", _code(shown.signature)]) + "\n"


def lines(table: Table, style: TableStyle = PLAIN) -> list[str]:
    """The header, the alignment of the columns (text left, numbers right), the rows, and the remark as a paragraph."""
    table = without_bars(table)
    alignment = [":---" if column.kind == "text" else "---:" for column in table.columns]
    shown = [_row([_text(name) for name in headings(table)]), _row(alignment)]
    shown += [_row([_cell(*each) for each in zip(row, table.columns, strict=True)]) for row in row_texts(table, style)]
    if table.remark:
        shown += ["", _escaped(table.remark)]
    return shown


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str, column: Column) -> str:
    """A cell; signs before numbers stay as they are."""
    return _text(text) if column.kind == "text" else _escaped(text)


def _text(text: str) -> str:
    """Text in a cell, which begins with nothing but text."""
    return f"\\{text[0]}{_escaped(text[1:])}" if text.startswith(tuple(_BEFORE_FORMULAS)) else _escaped(text)


def _escaped(text: str) -> str:
    """Text that shows as it is; a row is one line, so that line feeds become breaks, and other controls are spelled."""
    return "<br>".join(_SPECIAL.sub(r"\\\g<0>", visible(line)) for line in re.split("\r\n|\r|\n", text))


def _code(text: str) -> str:
    """Text as code, between more backticks than it has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{visible(text)}{space}{fence}"
