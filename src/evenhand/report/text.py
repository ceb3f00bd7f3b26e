"""Results as plain text, for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from evenhand.report.cells import headings, row_texts
from evenhand.report.document import document
from evenhand.report.tables import Column, Table
from evenhand.result.shown import Shown


def render(subject: Shown) -> str:
    """The whole report: the opening, every section's tables, notes and signature."""
    shown = document(subject)
    parts = [shown.opening]
    for section in shown.sections:
        parts += ["", section.heading] if section.heading else []
        for table in section.tables:
            parts += _lines(table)
    parts += ["", *(f"Note: {note}" for note in shown.notes), shown.signature]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _lines(table: Table) -> Iterator[str]:
    """A blank line, the header, a rule, the rows, a rule before those that sum up, and the remark."""
    names, cells = headings(table), row_texts(table)
    widths = [max(map(_width, column)) for column in zip(names, *cells, strict=True)]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    yield from ("", _aligned(names, widths, table.columns), rule)
    for place, row in enumerate(cells):
        if table.summary_rows and place == len(cells) - table.summary_rows:
            yield rule
        yield _aligned(row, widths, table.columns)
    if table.remark:
        yield table.remark


def _aligned(cells: Sequence[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    """Text on the left of its column, numbers on the right."""
    shown = []
    for cell, width, column in zip(cells, widths, columns, strict=True):
        space = " " * (width - _width(cell))
        shown.append(cell + space if column.kind in ("text", "bar") else space + cell)
    return "  ".join(shown)


def _width(text: str) -> int:
    """How many columns a terminal needs for it."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
