"""What the cells of a table show, in whatever format it is printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from evenhand.table import Cell, Kind, Table
from evenhand.table_style import PLAIN, TableStyle

_BAR = 20
"""The width of a bar for 100 %."""


def cell_text(value: Cell, kind: Kind, style: TableStyle = PLAIN) -> str:
    """Scores and shares as percentages with two decimals, unless the style is another; counts with thousands
    separators, nothing for None, a dash for scores that are undefined.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent":
        return style.score(value)
    if kind == "share":
        return style.share(value)
    if kind == "bar":
        return "█" * round(_BAR * value)
    return f"{value:,.0f}"


def row_texts(table: Table, style: TableStyle = PLAIN) -> list[list[str]]:
    """The cells of all rows, as they are shown."""
    return [
        [cell_text(value, column.kind, style) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def headings(table: Table) -> list[str]:
    """The names of the columns; the title stands in place of the first one, where there is a title."""
    names = [column.name for column in table.columns]
    return [table.title or names[0], *names[1:]]


def best_cells(table: Table, texts: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The places, by row and column, of the best of several systems' scores; `texts` are the cells as they are shown.

    All that look the same as the highest (or lowest) are best, lest the choice among them seem random.
    """
    for group in _rivals(table):
        values = [(_number(table.rows[row][place]), texts[row][place]) for row, place in group]
        numbers = [(number, text) for number, text in values if number is not None]
        best_of = min if table.columns[group[0][1]].is_best_low else max
        best = best_of(numbers)[1] if len(values) > 1 and numbers else None
        for where, (number, text) in zip(group, values, strict=True):
            if number is not None and text == best:
                yield where


def _number(value: Cell) -> float | None:
    return None if value is None or isinstance(value, str) or isnan(value) else value


def _rivals(table: Table) -> Iterator[list[tuple[int, int]]]:
    """Cells among which one is best."""
    scores = [place for place, column in enumerate(table.columns) if column.kind == "percent"]
    for rows in table.rivals:
        yield from ([(row, place) for row in rows] for place in scores)
    if table.beside:
        yield from ([(row, place) for place in scores] for row in range(len(table.rows)))


def without_bars(table: Table) -> Table:
    """The table without its bars, which only a terminal needs."""
    return table.with_columns([place for place, column in enumerate(table.columns) if column.kind != "bar"])
