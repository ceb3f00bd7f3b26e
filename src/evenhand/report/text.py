"""Results as text: plain for terminals and files, GitHub's Markdown, conlleval's layout, and bare values.

Control characters in data are spelled out, so terminals do not run them as commands.
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
from evenhand.results.display import Displayed, WithTables
from evenhand.results.result import Result, Results
from evenhand.results.signature import short_signature
from evenhand.scoring.prf import percentages
from evenhand.scoring.scores import Row
from evenhand.tables import PLAIN, Column, DisplayTable, TableStyle
from evenhand.tasks.registry import TASKS

_GAP = 2
"""Spaces between columns."""
_BOLD, _GREEN, _RED, _NORMAL = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"
_SIGNIFICANT = re.compile(r"([+-]).*\*")
"""A difference with stars."""


def render(subject: Displayed | WithTables, style: TableStyle = PLAIN) -> str:
    """The whole report: the opening, every section's tables, notes and signature.

    If the style has a width, sentences are wrapped, and wider tables are split. All parts have the first one or two
    columns. The signature stays on one line. If the style has colours, the best scores are bold, and significant
    differences green or red.
    """
    style = replace(style, marks=True) if style.colour else style
    report = selected(subject, style)
    opening = (*report.verdict, report.opening, *report.warnings)
    parts = [line for text in opening for line in _wrapped(text, style)]
    for section in report.sections:
        parts += ["", *_wrapped(section.heading, style)] if section.heading else []
        for table in section.tables:
            parts += _table_lines(table, style)
    endings = [*([report.hint] if report.hint else []), *report.remarks]
    signature = report.signature if style.signature else short_signature(report.signature)
    parts += ["", *(line for text in endings for line in _wrapped(text, style)), visible(signature)]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def table_text(table: DisplayTable) -> str:
    """One table, without a blank line before it."""
    return "\n".join(line.rstrip() for line in _table_lines(table, PLAIN)).removeprefix("\n")


def _table_lines(table: DisplayTable, style: TableStyle) -> Iterator[str]:
    cells = [[visible(cell) for cell in row] for row in (headings(table), *row_texts(table, style))]
    sizes = [list(map(text_width, column)) for column in zip(*cells, strict=True)]
    widths = list(map(max, sizes))
    for (row, column), look in _looks(table, cells[1:]).items() if style.colour else ():
        cells[1 + row][column] = f"{look}{cells[1 + row][column]}{_NORMAL}"
    aligned = list(map(_aligned, zip(*cells, strict=True), sizes, widths, table.columns))
    for columns in _column_groups(widths, _key_columns(table, widths, style.width), style.width):
        rule = "─" * (sum(widths[column] for column in columns) + _GAP * (len(columns) - 1))
        header, *rows = map((" " * _GAP).join, zip(*(aligned[column] for column in columns), strict=True))
        summary = len(rows) - table.summary_rows
        yield from ("", header, rule, *rows[:summary])
        if table.summary_rows:
            yield from (rule, *rows[summary:])
    if table.remark:
        yield from _wrapped(table.remark, style)


def _aligned(texts: Sequence[str], sizes: Sequence[int], width: int, column: Column) -> list[str]:
    """The cells of a column, equally wide: text left, numbers right."""
    spaces = [" " * (width - size) for size in sizes]
    return list(map(add, texts, spaces) if column.kind in ("text", "bar") else map(add, spaces, texts))


def _looks(table: DisplayTable, cells: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """Escape sequences of highlighted cells, by row and column."""
    looks = dict.fromkeys(best_cells(table, cells), _BOLD)
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            if table.columns[column].kind != "text" and (difference := _SIGNIFICANT.fullmatch(text)):
                looks[row, column] = _GREEN if difference[1] == "+" else _RED
    return looks


def _column_groups(widths: Sequence[int], keys: int, width: int | None) -> Iterator[list[int]]:
    """The columns of each part: the key columns, and the others that fit beside them."""
    key_columns = list(range(keys))
    key_width = sum(widths[:keys]) + _GAP * (keys - 1)
    columns, used = key_columns, key_width
    for column in range(keys, len(widths)):
        if width is not None and used + _GAP + widths[column] > width and len(columns) > keys:
            yield columns
            columns, used = key_columns, key_width
        columns = [*columns, column]
        used += _GAP + widths[column]
    yield columns


def _key_columns(table: DisplayTable, widths: Sequence[int], width: int | None) -> int:
    """The number of columns that identify a row: the first, and a second one of text if both leave enough space."""
    are_text = len(table.columns) > 2 and table.columns[1].kind == "text"
    return 2 if are_text and width is not None and sum(widths[:2]) <= width // 2 else 1


def _wrapped(text: str, style: TableStyle) -> Iterator[str]:
    """A sentence in lines, broken between words."""
    text = visible(text)
    if style.width is None or text_width(text) <= style.width:
        yield text
        return
    line = ""
    for word in text.split(" "):
        if line and text_width(line) + 1 + text_width(word) > style.width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def text_width(text: str) -> int:
    """The number of terminal columns of a text."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def _char_width(char: str) -> int:
    """0 for combining marks, joiners and the later parts of Hangul syllables, 2 for wide characters."""
    if (category(char) in ("Mn", "Me", "Cf") and char != "\u00ad") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


# Markdown


_SPECIAL = re.compile(r"[\\`*_~$\[<&|#]")
"""Characters that may be markup inside a line."""
_BEFORE_FORMULAS = "=+-@"
"""Characters that begin a formula or a list, if they begin a cell."""


def render_markdown(subject: Displayed | WithTables, style: TableStyle = PLAIN) -> str:
    """The whole report, with the signature as code."""
    report = selected(subject, style)
    opening = (*report.verdict, report.opening, *report.warnings)
    parts = [line for text in opening for line in (_escaped(text), "")][:-1]
    for section in report.sections:
        parts += ["", f"## {_escaped(section.heading.rstrip(':'))}"] if section.heading else []
        for table in section.tables:
            parts += ["", *markdown_lines(table, style)]
    parts += [line for note in report.remarks for line in ("", _escaped(note))]
    return "\n".join([*parts, "", _code(report.signature)]) + "\n"


def markdown_lines(table: DisplayTable, style: TableStyle = PLAIN) -> list[str]:
    """The header, the alignment of the columns (text left, numbers right), the rows, and the remark as a paragraph."""
    table = without_bars(table)
    is_text = [column.kind == "text" for column in table.columns]
    rows = [
        list(map(_text, headings(table))),
        [":---" if text else "---:" for text in is_text],
        *(
            [_text(cell) if text else _escaped(cell.rstrip(" ")) for cell, text in zip(row, is_text, strict=True)]
            for row in row_texts(table, style)
        ),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [*lines, "", _escaped(table.remark)] if table.remark else lines


def _text(text: str) -> str:
    """Text in a cell; an escape prevents formulas and lists."""
    return f"\\{text[0]}{_escaped(text[1:])}" if text.startswith(tuple(_BEFORE_FORMULAS)) else _escaped(text)


def _escaped(text: str) -> str:
    """Text that is shown unchanged; line feeds become breaks, and other control characters are spelled out."""
    return "<br>".join(_SPECIAL.sub(r"\\\g<0>", visible(line)) for line in re.split("\r\n|\r|\n", text))


def _code(text: str) -> str:
    """Text as code; the fence is longer than every run of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{visible(text)}{space}{fence}"


# conlleval's layout and bare values


def render_conlleval(results: Results) -> str:
    lines = [line for result in results.values() for line in _conlleval_lines(result, is_named=len(results) > 1)]
    return "\n".join(map(visible, lines)) + "\n"


def _conlleval_lines(result: Result, *, is_named: bool) -> Iterator[str]:
    phrases, tags = TASKS[result.settings.task].display.conlleval or ("", "")
    if tags not in result.scores or result.gold.tokens is None:
        raise SettingError(f"{result.name} and its gold standard have no tokens, which conlleval counts.")
    exact, tokens = result[phrases], result.gold.tokens
    equal_tags = round(result[tags].headline * tokens)
    if is_named:
        yield f"system: {result.name}"
    yield (
        f"processed {tokens} tokens with {result.gold.units} phrases; "
        f"found: {result.predicted} phrases; correct: {exact.overall['TP']}."
    )
    yield f"accuracy: {100 * equal_tags / tokens if tokens else 0:6.2f}%; {_figures(exact.overall)}"
    for label, row in exact.labels.items():
        yield f"{label:>17}: {_figures(row)}  {result.predicted_labels.get(label, 0)}"


def _figures(row: Row) -> str:
    correct = row["TP"]
    precision, recall, f1 = percentages(correct, correct + row["FP"], correct + row["FN"])
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def check_models(models: Sequence[str]) -> None:
    """Refuse several measures because bare values do not name them."""
    if len(models) > 1:
        named = ", ".join(models)
        raise SettingError(f"A bare value needs one measure, but {named} were scored; name one with --match.")


def render_value(results: Results) -> str:
    check_models(results.models)
    headlines = (result[results.models[0]].headline for result in results.values())
    return "".join("null\n" if isnan(value) else f"{value}\n" for value in headlines)
