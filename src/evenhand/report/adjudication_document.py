"""The report on overrides of a gold standard."""

from __future__ import annotations

from evenhand.problems import counted
from evenhand.report.document import Document, Section
from evenhand.result.adjudication import Adjudication
from evenhand.table import Cell, Column, Table
from evenhand.table_style import TableStyle
from evenhand.text.overrides import VERDICTS


def adjudication_document(adjudication: Adjudication, style: TableStyle) -> Document:
    section = Section("", [_by_label(adjudication)])
    return Document(_opening(adjudication), [section], adjudication.notes, adjudication.signature)


def _opening(adjudication: Adjudication) -> str:
    number, files = (
        counted(len(adjudication.overrides), "override"),
        ", ".join(each.name for each in adjudication.files),
    )
    return f"{number} of the gold standard {adjudication.gold} ({files})"


def _by_label(adjudication: Adjudication) -> Table:
    """How many spans of each label there are, what overrides say of them, and how many there are then."""
    before, after = adjudication.before, adjudication.after
    columns = [Column("overrides", "text"), *(Column(name, "count") for name in ("before", *VERDICTS, "after"))]
    rows: list[list[Cell]] = [
        [label, before.get(label, 0), *verdicts.values(), after.get(label, 0)]
        for label, verdicts in adjudication.labels.items()
    ]
    rows.append(["overall", sum(before.values()), *adjudication.verdicts.values(), sum(after.values())])
    return Table("overrides", columns, rows, 1)
