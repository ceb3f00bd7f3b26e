"""Tables as Markdown, in the way of GitHub."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.report.cells import headings, row_texts, without_bars
from evenhand.report.document import document
from evenhand.report.tables import Table
from evenhand.result.shown import Shown

_SPECIAL = re.compile(r"[\\`*_~$\[<&|]")
"""What Markdown may take for markup inside a line."""


def render(subject: Shown) -> str:
    """The whole report, with the signature as code."""
    shown = document(subject)
    parts = [_escaped(shown.opening)]
    for section in shown.sections:
        parts += ["", f"## {_escaped(section.heading.rstrip(':'))}"] if section.heading else []
        for table in section.tables:
            parts += ["", *lines(table)]
    parts += [line for note in shown.notes for line in ("", f"Note: {_escaped(note)}")]
    return "\n".join([*parts, "", f"`{shown.signature}`"]) + "\n"


def lines(table: Table) -> list[str]:
    """The header, the alignment of the columns (text left, numbers right), the rows, and the remark as a paragraph."""
    table = without_bars(table)
    alignment = [":---" if column.kind == "text" else "---:" for column in table.columns]
    shown = [_row([_escaped(name) for name in headings(table)]), _row(alignment)]
    shown += [_row([_escaped(cell) for cell in row]) for row in row_texts(table)]
    if table.remark:
        shown += ["", _escaped(table.remark)]
    return shown


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text that shows as it is; a row is one line, so that line feeds become breaks."""
    return "<br>".join(_SPECIAL.sub(r"\\\g<0>", line) for line in text.splitlines())
