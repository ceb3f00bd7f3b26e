"""Sentences of a test set that occur in the training data, in a sentence and a table."""

from __future__ import annotations

from evenhand.errors import counted, plural
from evenhand.report.document import ReportDocument, Section
from evenhand.results.leakage import Leakage
from evenhand.tables import Cell, Column, DisplayTable, TableStyle


def leakage_document(leakage: Leakage, style: TableStyle) -> ReportDocument:
    """The result in one sentence, and a table of exact and loose comparisons."""
    has_units = leakage.units is not None
    columns = [Column("test sentences in training", "text"), Column("sentences", "count"), Column("share", "share")]
    columns += [Column("five words or more", "count"), Column("documents", "count")]
    columns += [Column(f"gold {plural(leakage.unit)}", "count")] * has_units
    rows: list[list[Cell]] = []
    for name, shared in leakage.comparisons.items():
        share = shared.sentences / leakage.sentences if leakage.sentences else 0.0
        rows.append([name, shared.sentences, share, shared.long, shared.documents, *[shared.units] * has_units])
    repeated = (
        f"{leakage.repeated:,} of {counted(leakage.sentences, 'test sentence')} occur more than once in the test set."
    )
    remark = f"documents: with at least 80 % of their sentences. {repeated}"
    opening = f"{leakage.test}: {leakage.sentence}"
    return ReportDocument(
        opening, [Section("", [DisplayTable("", columns, rows, remark=remark)])], leakage.notes, leakage.signature
    )
