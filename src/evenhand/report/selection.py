"""What of a report is shown in print: the columns that were asked for, and no more rows than one reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.problems import SettingError
from evenhand.report.cells import headings
from evenhand.report.document import Document, Section, document
from evenhand.result.display import Shown, Tabled
from evenhand.suggestion import unknown
from evenhand.table import Table
from evenhand.table_style import TableStyle


def selected(subject: Shown | Tabled, style: TableStyle) -> Document:
    """The report on a result, in this style."""
    shown = document(subject, style)
    sections = [Section(each.heading, [table.folded() for table in each.tables]) for each in shown.sections]
    if style.columns:
        _check(sections, style.columns)
        chosen = (Section(each.heading, _with(each.tables, style.columns)) for each in sections)
        sections = [section for section in chosen if section.tables]
    return replace(shown, sections=sections)


def _check(sections: Sequence[Section], columns: Sequence[str]) -> None:
    names = list(
        dict.fromkeys(
            name for section in sections for table in section.tables for name in headings(table)[1:] if name.strip()
        )
    )
    for column in columns:
        if column not in names:
            remedy = f"there are {', '.join(names)}"
            raise SettingError(unknown(f"no table has a column {column!r}", column, names, remedy))


def _with(tables: Sequence[Table], columns: Sequence[str]) -> list[Table]:
    """The tables that have such columns, with these and their first one only."""
    found = []
    for table in tables:
        kept = [place for place, name in enumerate(headings(table)) if place and name in columns]
        found += [table.with_columns([0, *kept])] if kept else []
    return found
