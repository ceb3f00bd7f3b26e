"""Results as plain text, for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from evenhand.report.tables import Cell, Column, Kind, Table, summary, tables
from evenhand.result.result import Results

_BAR = 20
"""The width of a bar for 100 %."""


def render(results: Results) -> str:
    """The whole report: the overview, then every system's tables, notes and signature."""
    parts = [_opening(results), *_lines(summary(results))]
    for result in results.values():
        parts += ["", f"{result.name}: {_counted(result.units, 'span')}"]
        for table in tables(result):
            parts += _lines(table)
    parts += ["", *(f"Note: {note}" for note in results.notes), results.signature]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _opening(results: Results) -> str:
    gold = results.gold
    sizes = [_counted(gold.documents, "document")] if gold.documents > 1 else []
    sizes.append(_counted(gold.sentences, "sentence"))
    if gold.tokens is not None:
        sizes.append(_counted(gold.tokens, "token"))
    if gold.characters is not None:
        sizes.append(_counted(gold.characters, "character"))
    return f"gold standard {gold.name}: {_counted(gold.units, 'span')} in {', '.join(sizes)}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _lines(table: Table) -> Iterator[str]:
    """A blank line, the header, a rule, the rows, a rule before those that sum up, and the remark."""
    names = [column.name for column in table.columns]
    names[0] = table.title or names[0]
    cells = [[_cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]
    widths = [max(map(_width, column)) for column in zip(names, *cells, strict=True)]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    yield from ("", _aligned(names, widths, table.columns), rule)
    for place, row in enumerate(cells):
        if table.summary_rows and place == len(cells) - table.summary_rows:
            yield rule
        yield _aligned(row, widths, table.columns)
    if table.remark:
        yield table.remark


def _cell(value: Cell, kind: Kind) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent":
        return f"{100 * value:.2f}"
    if kind == "bar":
        return "█" * round(_BAR * value)
    return f"{value:,.0f}"


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
