"""Results as HTML: fragments for notebooks, a page with the same tables, and a report's page in a frame.

Fragments have tables and no scripts, and load nothing. They use the colours of the page, so they fit light and dark
themes. Markup in data is escaped, control characters are spelled out, and formulas are not typeset.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator, Sequence

from evenhand.errors import counted, visible
from evenhand.report.document import ReportDocument, Section, cell_text, document, headings
from evenhand.report.html import render as page
from evenhand.results.comparison import Report
from evenhand.results.display import Displayed, WithTables
from evenhand.tables import Cell, Column, DisplayTable

MAX_ROWS = 100
"""Maximum number of rows of a table; all units of a comparison would make a notebook slow."""
MAX_PAGE = 8 * 2**20
"""Maximum number of characters of a page in a notebook; browsers and Git are slow with larger ones."""

_UNTYPESET = "tex2jax_ignore mathjax_ignore"
"""Classes that keep MathJax, which notebooks load, from typesetting text between dollar signs."""
_LONG = 60
"""The length from which a text may be broken inside words."""
_RULE = "border-top:1px solid rgba(128,128,128,.5)"


def render(subject: Displayed, max_rows: int = MAX_ROWS) -> str:
    """The opening, the summary, every other section below its heading, notes and signature."""
    report = _document(subject)
    if report is None:
        return _enclosed(["<pre>" + "\n".join(map(_escaped, str(subject).splitlines())) + "</pre>"])
    few = sum(1 for section in report.sections if section.heading) <= 1
    verdict = [f"<strong>{_escaped(text)}</strong>" for text in report.verdict[:1]]
    opening = map(_escaped, (*report.verdict[1:], report.opening, *report.warnings))
    parts = [f"<p>{text}</p>" for text in (*verdict, *opening)]
    for section in report.sections:
        parts += _section(section, max_rows, is_open=few)
    parts += [f"<p>{_escaped(note)}</p>" for note in report.remarks]
    return _enclosed([*parts, signature_line(report.signature)])


def signature_line(signature: str) -> str:
    return f'<p style="overflow-wrap:anywhere"><small><code>{_escaped(signature)}</code></small></p>'


def fragment(table: DisplayTable, max_rows: int, caption: str = "") -> str:
    """One table, below a caption."""
    return _enclosed([f"<p>{_escaped(caption)}</p>"] * bool(caption) + list(_table(table, max_rows)))


def _document(subject: Displayed) -> ReportDocument | None:
    as_document: Callable[[], ReportDocument] | None = getattr(subject, "as_document", None)
    if as_document is not None:
        return as_document()
    return document(subject) if isinstance(subject, WithTables) else None


def _enclosed(parts: Sequence[str]) -> str:
    return "\n".join([f'<div class="evenhand {_UNTYPESET}">', *parts, "</div>", ""])


def _section(section: Section, max_rows: int, *, is_open: bool) -> Iterator[str]:
    """The tables of a section. A section with a heading can be folded."""
    if section.heading:
        yield "<details open>" if is_open else "<details>"
        yield f"<summary>{_escaped(section.heading.rstrip(':'))}</summary>"
    for table in section.tables:
        yield from _table(table, max_rows)
    if section.heading:
        yield "</details>"


def _table(table: DisplayTable, max_rows: int) -> Iterator[str]:
    """Text left, numbers right; a rule before summary rows; the remark."""
    size = len(table.rows) - table.summary_rows
    rows, summary = table.rows[: min(size, max_rows)], table.rows[size:]
    yield '<div style="margin:.8em 0;overflow-x:auto" tabindex="0">'
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
        remarks.append(f"The first {len(rows):,} of {counted(size, 'row')}; to_pandas() returns all of them.")
    if remarks:
        yield f"<p>{_escaped(' '.join(remarks))}</p>"


def _heading(name: str, column: Column) -> str:
    """A heading; columns without a name have an empty cell, which screen readers skip."""
    if not name.strip():
        return "<td></td>"
    return f'<th scope="col" style="text-align:{_side(column)}"{_direction(name)}>{_escaped(name)}</th>'


def _row(row: Sequence[Cell], columns: Sequence[Column]) -> str:
    return f"<tr>{''.join(_cell(value, column) for value, column in zip(row, columns, strict=True))}</tr>"


def _cell(value: Cell, column: Column) -> str:
    """A cell. Bars repeat a figure, so screen readers skip them."""
    text = cell_text(value, column.kind)
    if column.kind == "bar":
        return f'<td style="text-align:left;opacity:.5" aria-hidden="true">{text}</td>'
    wrap = ";overflow-wrap:anywhere" if len(text) > _LONG else ""  # paths in sentences
    return f'<td style="text-align:{_side(column)}{wrap}"{_direction(text)}>{_escaped(text)}</td>'


def _side(column: Column) -> str:
    return "left" if column.kind in ("text", "bar") else "right"


def _direction(text: str) -> str:
    """The direction of text in right-to-left scripts, regardless of the page."""
    return "" if text.isascii() else ' dir="auto"'


def _escaped(text: str) -> str:
    """Text that is shown unchanged; control characters are spelled out (`\\x1b`)."""
    return html.escape(visible(text), quote=True)


# Pages


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evenhand</title>
<style>:root {{ color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }} body {{ margin: 2em }}</style>
<main>
<h1 style="font-size:1.3em">Evenhand</h1>
{body}</main>
</html>
"""


def render_table_page(subject: Displayed) -> str:
    """The tables of a result as a self-contained page."""
    return page_of(render(subject, max_rows=sys.maxsize))


def page_of(body: str) -> str:
    """A self-contained page of an HTML fragment."""
    return _PAGE.format(body=body)


_BASE = '<base href="about:srcdoc">'
"""Links within the page lead to the page, not to the notebook."""


def framed(report: Report) -> str:
    """The page in a frame whose scripts cannot access the notebook; for a large page, its tables and a remark."""
    text = page(report)
    if len(text) > MAX_PAGE:
        size = f"The page has {len(text) / 2**20:.0f} MB, too much for a notebook"
        return f'{render(report.shown)}<p>{size}; write it with <code>to_html("report.html")</code>.</p>\n'
    source = html.escape(text.replace("<head>", f"<head>{_BASE}", 1), quote=True)
    style = "width:100%;height:640px;border:1px solid rgba(128,128,128,.5);background:#fff"
    title = html.escape(report.title, quote=True)
    sandbox = "allow-scripts allow-downloads"
    return f'<iframe title="{title}" srcdoc="{source}" sandbox="{sandbox}" style="{style}"></iframe>\n'
