"""Results as a piece of HTML, for notebooks: tables, no script, nothing that is loaded from elsewhere.

Colours are those of the page around it, so that it fits light and dark themes. Text from data stays text: markup is
escaped, control characters are spelled out, and formulas are not typeset.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator, Sequence

from evenhand.errors import counted, visible
from evenhand.report.document import ReportDocument, Section, cell_text, document, headings
from evenhand.report.html import render as page
from evenhand.results.agreement import Adjudication, Agreement
from evenhand.results.comparison import Comparison, Ranking, Report
from evenhand.results.display import Shown
from evenhand.results.gate import Gate
from evenhand.results.result import Result, Results
from evenhand.tables import Cell, Column, Table

MOST_ROWS = 100
"""How many rows of a table are shown; all units of a comparison would make a notebook slow."""

_UNTYPESET = "tex2jax_ignore mathjax_ignore"
"""The classes by which MathJax, which notebooks load, leaves dollar signs alone."""
_RULE = "border-top:1px solid rgba(128,128,128,.5)"


def render(subject: Shown, most: int = MOST_ROWS) -> str:
    """The opening, the summary, every other section below its heading, notes and signature; `most` rows of a table."""
    shown = _document(subject)
    if shown is None:
        return _enclosed(["<pre>" + "\n".join(map(_escaped, str(subject).splitlines())) + "</pre>"])
    few = sum(1 for section in shown.sections if section.heading) <= 1
    parts = [f"<p>{_escaped(text)}</p>" for text in (shown.opening, *shown.warnings)]
    for section in shown.sections:
        parts += _section(section, most, is_open=few)
    parts += [f"<p>{_escaped(note)}</p>" for note in shown.remarks]
    parts.append(f'<p style="overflow-wrap:anywhere"><small><code>{_escaped(shown.signature)}</code></small></p>')
    return _enclosed(parts)


def _document(subject: Shown) -> ReportDocument | None:
    """The tables of a result, if it has any."""
    own: Callable[[], ReportDocument] | None = getattr(subject, "as_document", None)
    if own is not None:
        return own()
    tabled = Result | Results | Ranking | Comparison | Gate | Agreement | Adjudication
    return document(subject) if isinstance(subject, tabled) else None


def _enclosed(parts: Sequence[str]) -> str:
    return "\n".join([f'<div class="evenhand {_UNTYPESET}">', *parts, "</div>", ""])


def _section(section: Section, most: int, *, is_open: bool) -> Iterator[str]:
    """The tables of a section. One with a heading can be folded, and is, unless it is the only one."""
    if section.heading:
        yield "<details open>" if is_open else "<details>"
        yield f"<summary>{_escaped(section.heading.rstrip(':'))}</summary>"
    for table in section.tables:
        yield from _table(table, most)
    if section.heading:
        yield "</details>"


def _table(table: Table, most: int) -> Iterator[str]:
    """Text on the left of its column, numbers on the right; a rule before the rows that sum up; the remark."""
    size = len(table.rows) - table.summary_rows
    rows, summary = table.rows[: min(size, most)], table.rows[size:]
    yield '<div style="margin:.8em 0;overflow-x:auto">'
    yield '<table cellpadding="4" style="border-collapse:collapse">'
    names = (_heading(name, column) for name, column in zip(headings(table), table.columns, strict=True))
    yield f"<thead><tr>{''.join(names)}</tr></thead>"
    for part in (rows, summary):
        if part:
            yield f'<tbody style="{_RULE}">'
            yield from (_row(row, table.columns) for row in part)
            yield "</tbody>"
    yield "</table>"
    yield "</div>"
    remarks = [table.remark] if table.remark else []
    if len(rows) < size:
        remarks.append(f"The first {len(rows):,} of {counted(size, 'row')}; to_pandas() has them all.")
    if remarks:
        yield f"<p>{_escaped(' '.join(remarks))}</p>"


def _heading(name: str, column: Column) -> str:
    return f'<th scope="col" style="text-align:{_side(column)}"{_direction(name)}>{_escaped(name)}</th>'


def _row(row: Sequence[Cell], columns: Sequence[Column]) -> str:
    return f"<tr>{''.join(_cell(value, column) for value, column in zip(row, columns, strict=True))}</tr>"


def _cell(value: Cell, column: Column) -> str:
    """A cell; bars, which repeat the figure beside them, are not read aloud."""
    text = cell_text(value, column.kind)
    if column.kind == "bar":
        return f'<td style="text-align:left;opacity:.5" aria-hidden="true">{text}</td>'
    return f'<td style="text-align:{_side(column)}"{_direction(text)}>{_escaped(text)}</td>'


def _side(column: Column) -> str:
    return "left" if column.kind in ("text", "bar") else "right"


def _direction(text: str) -> str:
    """Text from right to left is shown so, whatever the page around it does."""
    return "" if text.isascii() else ' dir="auto"'


def _escaped(text: str) -> str:
    """Text that shows as it is, with `\\x1b` and the like for what has no look of its own."""
    return html.escape(visible(text), quote=True)


# == report/table_page.py: The tables of a result as one HTML page that needs no other


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evenhand</title>
<style>:root {{ color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }} body {{ margin: 2em }}</style>
{body}</html>
"""


def render_table_page(subject: Shown) -> str:
    """The page."""
    return _PAGE.format(body=render(subject, most=sys.maxsize))


# == report/html/frame.py: A report in a notebook: its page in a frame.


LARGEST = 8 * 2**20
"""How many characters a page may have to be kept in a notebook; browsers and Git cannot bear much more."""
_HEIGHT = 640
_BASE = '<base href="about:srcdoc">'
"""Lets links within the page lead to the page, not to the notebook around it."""


def framed(report: Report) -> str:
    """The page in a frame, whose scripts see nothing of the notebook; if it is too large, its tables and what to do."""
    found = page(report)
    if len(found) > LARGEST:
        size = f"The page has {len(found) / 2**20:.0f} MB, too much for a notebook"
        return f'{render(report.shown)}<p>{size}; write it with <code>to_html("report.html")</code>.</p>\n'
    text = html.escape(found.replace("<head>", f"<head>{_BASE}", 1), quote=True)
    style = f"width:100%;height:{_HEIGHT}px;border:1px solid rgba(128,128,128,.5);background:#fff"
    title = html.escape(report.title, quote=True)
    return f'<iframe title="{title}" srcdoc="{text}" sandbox="allow-scripts" style="{style}"></iframe>\n'
