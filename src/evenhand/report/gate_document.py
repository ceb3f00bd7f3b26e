"""The report on whether a candidate is good enough."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.report.document import Document, Section
from evenhand.report.pair_tables import share_of, transitions
from evenhand.result.gate import Gate
from evenhand.table import Cell, Column, Table
from evenhand.table_style import TableStyle


def gate_document(gate: Gate, style: TableStyle) -> Document:
    return Document(_opening(gate), list(_sections(gate)), gate.notes, gate.signature)


def _opening(gate: Gate) -> str:
    verdict = "passed" if gate.passed else "failed"
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    return f"{verdict}: {gate.candidate}{against} on the gold standard {gate.gold_name}"


def _sections(gate: Gate) -> Iterator[Section]:
    """The criteria, the scores, and the new errors."""
    columns = [Column("criterion", "text"), Column("", "text"), Column("found", "text")]
    rows: list[list[Cell]] = [[each.title, "ok" if each.passed else "FAILED", each.sentence] for each in gate.criteria]
    rows += [[each.name, "not checked", each.sentence] for each in gate.not_checked]
    scores = [Column("system", "text"), Column(gate.by, "percent")]
    scored: list[list[Cell]] = [[name, score] for name, score in gate.scores.items()]
    if gate.beside is not None:
        other, values = gate.beside
        scores.append(Column(other, "percent"))
        scored = [[*row, values[str(row[0])]] for row in scored]
    yield Section("", [Table("", columns, rows), Table("", scores, scored, rivals=[range(len(scored))])])
    if gate.compared is not None and gate.pair.new_errors.count:
        found = gate.pair.new_errors
        table = transitions(gate.compared, gate.pair, found, "evenhand compare shows them")
        yield Section(f"{share_of(gate.pair, found)}:", [table])
