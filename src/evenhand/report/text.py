"""Results as plain text, for a terminal or a file.

Nothing from data is left that a terminal would take for a command. If the style has colours, the best scores are bold,
and significant differences green or red.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import add
from unicodedata import category, east_asian_width

from evenhand.problems import visible
from evenhand.report.cells import best_cells, headings, row_texts
from evenhand.report.selection import selected
from evenhand.result.display import Shown, Tabled
from evenhand.table import Column, Table
from evenhand.table_style import PLAIN, TableStyle

_GAP = 2
"""The space between columns."""
_BOLD, _GREEN, _RED, _NORMAL = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"
_SIGNIFICANT = re.compile(r"([+-]).*\*")
"""A difference with stars behind it."""


def render(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
    """The whole report: the opening, every section's tables, notes and signature.

    Where the style has a width, what is wider is folded: sentences into lines, and tables into several with the first
    column repeated, or the first two. The signature stays on its line.
    """
    style = replace(style, marks=True) if style.colour else style
    shown = selected(subject, style)
    parts = [line for text in (shown.opening, *shown.warnings) for line in _wrapped(text, style)]
    for section in shown.sections:
        parts += ["", *_wrapped(section.heading, style)] if section.heading else []
        for table in section.tables:
            parts += _lines(table, style)
    notes = (line for note in shown.remarks for line in _wrapped(note, style))
    parts += ["", *notes, visible(shown.signature)]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _lines(table: Table, style: TableStyle) -> Iterator[str]:
    """The table, in as many parts as its width needs, and the remark."""
    cells = [[visible(cell) for cell in row] for row in (headings(table), *row_texts(table, style))]
    sizes = [list(map(_width, column)) for column in zip(*cells, strict=True)]
    widths = list(map(max, sizes))
    for (row, place), look in _looks(table, cells[1:]).items() if style.colour else ():
        cells[1 + row][place] = f"{look}{cells[1 + row][place]}{_NORMAL}"
    placed = list(map(_placed, zip(*cells, strict=True), sizes, widths, table.columns))
    for places in _parts(widths, _repeated(table, widths, style.width), style.width):
        rule = "─" * (sum(widths[place] for place in places) + _GAP * (len(places) - 1))
        yield from _part(table, rule, [placed[place] for place in places])
    if table.remark:
        yield from _wrapped(table.remark, style)


def _placed(texts: Sequence[str], sizes: Sequence[int], width: int, column: Column) -> list[str]:
    """The cells of a column, equally wide: text on the left, numbers on the right."""
    spaces = [" " * (width - size) for size in sizes]
    return list(map(add, texts, spaces) if column.kind in ("text", "bar") else map(add, spaces, texts))


def _looks(table: Table, cells: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """How cells are set off, by row and column."""
    looks = dict.fromkeys(best_cells(table, cells), _BOLD)
    for row, each in enumerate(cells):
        for place, text in enumerate(each):
            if table.columns[place].kind != "text" and (found := _SIGNIFICANT.fullmatch(text)):
                looks[row, place] = _GREEN if found[1] == "+" else _RED
    return looks


def _parts(widths: Sequence[int], repeated: int, width: int | None) -> Iterator[list[int]]:
    """The columns of each part: those that say what a row is about, and as many others as fit beside them."""
    first = list(range(repeated))
    places, used = first, sum(widths[:repeated]) + _GAP * (repeated - 1)
    start = used
    for place in range(repeated, len(widths)):
        if width is not None and used + _GAP + widths[place] > width and len(places) > repeated:
            yield places
            places, used = first, start
        places = [*places, place]
        used += _GAP + widths[place]
    yield places


def _repeated(table: Table, widths: Sequence[int], width: int | None) -> int:
    """How many columns say what a row is about: the first, and a second one of text, if both leave enough space."""
    are_text = len(table.columns) > 2 and table.columns[1].kind == "text"
    return 2 if are_text and width is not None and sum(widths[:2]) <= width // 2 else 1


def _part(table: Table, rule: str, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """A blank line, the header, a rule, the rows, and a rule before those that sum up."""
    header, *rows = map((" " * _GAP).join, zip(*columns, strict=True))
    yield from ("", header, rule)
    before = len(rows) - table.summary_rows
    yield from rows[:before]
    if table.summary_rows:
        yield from (rule, *rows[before:])


def _wrapped(text: str, style: TableStyle) -> Iterator[str]:
    """A sentence in lines, broken between words."""
    line = visible(text)
    if style.width is None or _width(line) <= style.width:
        yield line
        return
    shown = ""
    for word in line.split(" "):
        if shown and _width(shown) + 1 + _width(word) > style.width:
            yield shown
            shown = word
        else:
            shown = f"{shown} {word}" if shown else word
    yield shown


def _width(text: str) -> int:
    """How many columns a terminal needs for it."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    """None for marks upon other characters, joiners and the later parts of Hangul syllables, two for wide ones."""
    if (category(char) in ("Mn", "Me", "Cf") and char != "\u00ad") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
