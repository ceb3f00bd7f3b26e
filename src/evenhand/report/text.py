"""Results as plain text, for a terminal or a file.

Nothing from data is left that a terminal would take for a command. If the style has colours, the best scores are bold,
and significant differences green or red.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from operator import add
from unicodedata import category, east_asian_width

from evenhand.errors import SettingError, visible
from evenhand.report.document import best_cells, headings, row_texts, selected, without_bars
from evenhand.results.display import Shown, Tabled
from evenhand.results.result import Result, Results
from evenhand.scoring.prf import percentages
from evenhand.scoring.scores import Row
from evenhand.tables import PLAIN, Column, Table, TableStyle
from evenhand.tasks.registry import TASKS

# == report/markdown.py: Tables as Markdown, in the way of GitHub.


_SPECIAL = re.compile(r"[\\`*_~$\[<&|#]")
"""What Markdown may take for markup inside a line."""
_BEFORE_FORMULAS = "=+-@"
"""What a spreadsheet, or GitHub, may take for the beginning of something else than text."""


def render_markdown(subject: Shown | Tabled, style: TableStyle = PLAIN) -> str:
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


# == report/conlleval.py: Results in the layout of conlleval, for programs that read i


def render_conlleval(results: Results) -> str:
    lines = [line for result in results.values() for line in _lines_conlleval(result, is_one_of_many=len(results) > 1)]
    return "\n".join(map(visible, lines)) + "\n"


def _lines_conlleval(result: Result, *, is_one_of_many: bool) -> Iterator[str]:
    phrases, tags = TASKS[result.settings.task].display.conlleval or ("", "")
    if tags not in result.scores or result.gold.tokens is None:
        raise SettingError(f"{result.name} and its gold standard know no tokens, which conlleval counts.")
    exact, tokens = result[phrases], result.gold.tokens
    equal_tags = round(result[tags].headline * tokens)
    if is_one_of_many:
        yield f"system: {result.name}"
    yield (
        f"processed {tokens} tokens with {result.gold.units} phrases; "
        f"found: {result.units} phrases; correct: {exact.overall['TP']}."
    )
    yield f"accuracy: {100 * equal_tags / tokens if tokens else 0:6.2f}%; {_figures(exact.overall)}"
    for label, row in exact.labels.items():
        yield f"{label:>17}: {_figures(row)}  {result.labels.get(label, 0)}"


def _figures(row: Row) -> str:
    correct = row["TP"]
    precision, recall, f1 = percentages(correct, correct + row["FP"], correct + row["FN"])
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


# == report/value.py: The headline alone, for scripts: one fraction per line, in t


def check_models(models: Sequence[str]) -> None:
    """Refuse several match models, whose values could not be told apart."""
    if len(models) > 1:
        named = ", ".join(models)
        raise SettingError(f"A bare value needs one match model, but {named} were scored; name one with --match.")


def render_value(results: Results) -> str:
    check_models(results.models)
    headlines = (result[results.models[0]].headline for result in results.values())
    return "".join("null\n" if isnan(value) else f"{value}\n" for value in headlines)


# == report/text.py (primary)


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
    for row, cell in enumerate(cells):
        for place, text in enumerate(cell):
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
