"""Tables of rows (`eh.Table`) as text, HTML, and files: CSV, TSV, JSON lines, Excel, Parquet and Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from evenhand.errors import SettingError, counted
from evenhand.files import whole_file, write_file
from evenhand.formats.arrow_write import table_file, table_format
from evenhand.report.data import delimited, to_arrow
from evenhand.report.notebook import fragment, page_of, signature_line
from evenhand.report.text import table_text, text_width
from evenhand.results.table import Kind, Table
from evenhand.tables import Column, DisplayTable

TEXT_ROWS = 20
"""Number of rows shown as text."""
TEXT_WIDTH = 120
"""Width of text that is not shown on a terminal."""
HTML_ROWS = 100
_SHOWN = (
    *("system", "document", "line", "left", "string", "right", "label", "gold", "predicted", "type", "matched"),
    *("head", "tail", "gold_head", "system_head", "gold_antecedent", "system_antecedent"),
)
"""The columns of a table of units that are shown as text, if it has them."""
_IF_DIFFERENT = ("system", "document")
_GAP = 2
_LEAST_WIDTH = 8
_WIDEST = 60
"""Maximum width of a column of a spreadsheet, in characters."""
_NARROWEST = 6
_MAX_SHEET_ROWS = 1_048_575
"""Rows of an Excel sheet, without the header."""
_MAX_CELL = 32_767
"""Characters of an Excel cell."""


def write(table: Table, path: str | Path) -> None:
    """Write a table in the form of the file's suffix; an error leaves no partial file."""
    writer_of(path)(table, path)


def writer_of(path: str | Path) -> Callable[[Table, str | Path], None]:
    """The function that writes files with this suffix."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise SettingError(f"Unsupported table format {str(path)!r}. Use one of {', '.join(_WRITERS)}.")
    if suffix == ".xlsx":
        _xlsxwriter()
    return _WRITERS[suffix]


def _write_csv(table: Table, path: str | Path) -> None:
    write_file(path, delimited(table, ","))


def _write_tsv(table: Table, path: str | Path) -> None:
    write_file(path, delimited(table, "\t"))


def json_lines(table: Table) -> str:
    """One object per row, without missing values, with the signature."""
    rows = ({name: value for name, value in row._asdict().items() if value is not None} for row in table.signed())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_json_lines(table: Table, path: str | Path) -> None:
    write_file(path, json_lines(table))


def _write_arrow(table: Table, path: str | Path) -> None:
    rows = to_arrow(table.signed())
    with table_file(path, table_format(path), rows.schema) as sink:
        sink.add({name: rows[name].combine_chunks() for name in rows.column_names})


def _write_page(table: Table, path: str | Path) -> None:
    write_file(path, page_of(html(table, len(table)) + signature_line(table.signature)))


def _write_workbook(table: Table, path: str | Path) -> None:
    """A sheet with typed cells, a frozen header and a filter for each column; another with caption and signature.

    No text is run as a formula.
    """
    if len(table) > _MAX_SHEET_ROWS:
        remedy = "write .csv or .parquet, or filter the rows"
        raise SettingError(f"{counted(len(table), 'row')} do not fit into a sheet of Excel; {remedy}.")
    content = io.BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
    workbook = _xlsxwriter().Workbook(content, options)
    sheet, right = workbook.add_worksheet("rows"), workbook.add_format({"align": "right"})
    context = workbook.add_format({"align": "right", "indent": 1})  # apart from the string to its right
    for number, (name, kind) in enumerate(table.kinds.items()):
        values, is_right = table[name], _display_kind(name, kind) != "text"
        sheet.set_column(
            number, number, _width(name, values), None if not is_right else context if kind == "text" else right
        )
        header = {
            "bold": True,
            "bottom": 1,
            "align": "right" if is_right else "left",
            "indent": int(is_right and kind == "text"),
        }
        sheet.write_string(0, number, name, workbook.add_format(header))
        write_cell = sheet.write_string if kind == "text" else sheet.write_number
        for row, value in enumerate(values, 1):
            if value is not None:
                write_cell(row, number, value[:_MAX_CELL] if kind == "text" else value)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(len(table), 1), len(table.kinds) - 1)
    about = workbook.add_worksheet("about")
    about.set_column(0, 0, _WIDEST * 2, workbook.add_format({"text_wrap": True, "valign": "top"}))
    for row, text in enumerate(filter(None, (table.caption, table.signature))):
        about.write_string(row, 0, text[:_MAX_CELL])
    workbook.close()
    with whole_file(path) as file:
        file.write(content.getvalue())


def _width(name: str, values: Sequence[Any]) -> int:
    """The width of a column, from its header with the arrow of the filter and its first values."""
    longest = max((len(str(value)) for value in values[:1000] if value is not None), default=0)
    return min(max(longest + 1, len(name) + 4, _NARROWEST), _WIDEST)


def _xlsxwriter() -> Any:
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise SettingError("Excel files need XlsxWriter: pip install 'evenhand[excel]'") from None
    return xlsxwriter


_WRITERS: dict[str, Callable[[Table, str | Path], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".xlsx": _write_workbook,
    ".jsonl": _write_json_lines,
    ".parquet": _write_arrow,
    ".arrow": _write_arrow,
    ".html": _write_page,
}
SUFFIXES = tuple(_WRITERS)


# Text and HTML


def standard_output(table: Table, form: str) -> str:
    """All rows as `csv` or `jsonl`."""
    return json_lines(table) if form == "jsonl" else delimited(table, ",")


def text(table: Table, width: int = TEXT_WIDTH, most: int = TEXT_ROWS, hint: str = "") -> str:
    """The caption, the first rows, and the number of the others; long texts are cut to fit the width."""
    lines = [table.caption] if table.caption else []
    if len(table):
        shown = [name for name in _SHOWN if name in table.kinds] or table.columns
        shown = [name for name in shown if name not in _IF_DIFFERENT or len({*table[name]}) > 1]
        lines.append(table_text(_fitting(_display(table[:most], shown), width)))
    if len(table) > most:
        lines.append(f"… {len(table) - most:,} more{f'; {hint}' * bool(hint)}")
    return "\n".join(lines) + "\n"


def html(table: Table, most: int = HTML_ROWS) -> str:
    """The caption and the first rows."""
    return fragment(_display(table), most, table.caption)


def _display(table: Table, names: Sequence[str] = ()) -> DisplayTable:
    """The columns that have values, of all or of some, as a table to be shown."""
    values = {name: table[name] for name in names or table.columns}
    values = {name: column for name, column in values.items() if any(value is not None for value in column)}
    columns = [Column(name, _display_kind(name, table.kinds[name])) for name in values]
    return DisplayTable("", columns, list(zip(*values.values(), strict=True)))


def _display_kind(name: str, kind: Kind) -> Literal["text", "label", "count"]:
    """The left context is aligned to the right, next to the string."""
    return "label" if name == "left" else "text" if kind == "text" else "count"


def _fitting(table: DisplayTable, width: int) -> DisplayTable:
    """The table with its texts cut: the longest ones first, the left context at its beginning."""
    names = [column.name for column in table.columns]
    rows = [["" if value is None else str(value) for value in row] for row in table.rows]
    widths = [max(map(text_width, column)) for column in zip(names, *rows, strict=True)]
    while (excess := sum(widths) + _GAP * (len(widths) - 1) - width) > 0 and max(widths) > _LEAST_WIDTH:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= min(excess, max(1, widths[widest] // 8))
    cut = [
        [_cut(text, size, at_begin=name == "left") for text, size, name in zip(row, widths, names, strict=True)]
        for row in rows
    ]
    return replace(table, rows=cut)


def _cut(text: str, width: int, *, at_begin: bool) -> str:
    text = " ".join(text.split())
    while text_width(text) > width:
        text = f"…{text[2:]}" if at_begin else f"{text[:-2]}…"
    return text
