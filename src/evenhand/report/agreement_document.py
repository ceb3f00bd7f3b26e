"""The report on the agreement of annotators."""

from __future__ import annotations

from evenhand.problems import counted
from evenhand.report.agreement_tables import summary_of_agreement
from evenhand.report.document import Document, Section
from evenhand.result.agreement import Agreement
from evenhand.table_style import TableStyle


def agreement_document(agreement: Agreement, style: TableStyle) -> Document:
    section = Section("", list(summary_of_agreement(agreement, style)))
    return Document(_opening(agreement), [section], agreement.notes, agreement.signature)


def _opening(agreement: Agreement) -> str:
    documents = sum(agreement.coverage.by_number.values())
    return f"{counted(len(agreement.annotators), 'annotator')} on {counted(documents, 'document')}"
