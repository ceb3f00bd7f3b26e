"""Results for a terminal."""

from __future__ import annotations

import io

from rich.box import Box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.tables import Cell, Kind, Table, summary, tables
from evenhand.result.result import Result, Results

_WIDE = 200
"""Lines of a file or a pipe are never wrapped at a terminal's width."""
_BAR = 20
_RULES = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""A rule below the header and above the rows that sum up; no other lines."""


def render(results: Results) -> str:
    """The whole report as plain text."""
    console = Console(file=io.StringIO(), width=_WIDE, color_system=None, legacy_windows=False)
    show(results, console)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def show(results: Results, console: Console) -> None:
    """Print the report: the overview, then every system's tables, notes and signature."""
    console.print(Text(_opening(results)), soft_wrap=True)
    _show_table(summary(results), console)
    for result in results.values():
        console.print()
        console.print(Text(_system(result), style="bold"), soft_wrap=True)
        for table in tables(result):
            _show_table(table, console)
    console.print()
    for note in results.notes:
        console.print(Text(f"Note: {note}"), soft_wrap=True)
    console.print(Text(results.signature, style="dim"), soft_wrap=True)


def _opening(results: Results) -> str:
    gold = results.gold
    sizes = [_counted(gold.documents, "document")] if gold.documents > 1 else []
    sizes.append(_counted(gold.sentences, "sentence"))
    if gold.tokens is not None:
        sizes.append(_counted(gold.tokens, "token"))
    return f"gold standard {gold.name}: {_counted(gold.units, 'span')} in {', '.join(sizes)}"


def _system(result: Result) -> str:
    return f"{result.name}: {_counted(result.units, 'span')}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _show_table(table: Table, console: Console) -> None:
    shown = RichTable(box=_RULES, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", show_edge=False)
    for place, column in enumerate(table.columns):
        name = (table.title or column.name) if place == 0 else column.name
        text = column.kind in ("text", "bar")
        shown.add_column(Text(name), justify="left" if text else "right", no_wrap=True)
    for place, row in enumerate(table.rows):
        last_of_body = place == len(table.rows) - table.summary_rows - 1 and bool(table.summary_rows)
        cells = [Text(_cell(cell, column.kind)) for cell, column in zip(row, table.columns, strict=True)]
        shown.add_row(*cells, end_section=last_of_body)
    console.print()
    console.print(shown)
    if table.remark:
        console.print(Text(table.remark), soft_wrap=True)


def _cell(value: Cell, kind: Kind) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent":
        return f"{100 * value:.2f}"
    if kind == "bar":
        return "█" * round(_BAR * value)
    return f"{value:,.0f}"
