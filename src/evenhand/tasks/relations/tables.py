"""Tables, notes and error distributions of relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.data.annotation import ReadInfo
from evenhand.errors import SettingError
from evenhand.scoring.scores import MeasureScore
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.relations.task import ERROR_NAMES, FAULTS, KINDS, PAIRED

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results

_MATCHED = ",".join(PAIRED)
"""Wrong relations that were paired with another, which strict match counts on both sides."""
_QUOTES = "wrong quotations"


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """A table by type for every measure, the error types, and the confusion matrix."""
    for score in result.scores.values():
        yield shared.label_table(result, score, query, style)
    fair = shared.confusion_score(result)
    if fair is not None:
        yield _error_types(result, fair)
        yield from shared.confusion_table(result)


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """The distribution of error types."""
    if shared.confusion_score(next(iter(results.values()))) is None:
        raise SettingError("The kinds of errors come from the measure fair; score with it too.")
    models = ["fair", *(["strict"] if by == "strict" else [])]
    return shared.errors_by_kind(results, models, ERROR_NAMES, query)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The relations of a count, of one type or of all; None if a page cannot list them."""
    system = result.name
    if count == "gold":
        return Query(system, of="gold", gold=label)
    if model == "strict" and count == "FN":
        return Query(system, of="gold", kind=f"{_MATCHED},AM,FN", gold=label)
    if model == "strict" and count == "FP":
        return Query(system, of="system", kind=f"{_MATCHED},AS,FP", predicted=label)
    if model not in ("strict", "fair"):
        return Query(system, label=label) if not count else None
    by = None if model == "strict" or count in ("", "TP") else "fair"
    if count in ("AS", "FP"):
        return Query(system, kind=count, predicted=label, by=by)
    return Query(system, kind=count, gold=label, by=by) if count in KINDS else Query(system, label=label)


def _error_types(result: Result, score: MeasureScore) -> DisplayTable:
    table = shared.error_type_table(result, score, ERROR_NAMES, "kinds of errors (fair)", "error", "fair")
    first, *columns = table.columns
    rows = [[name, FAULTS[kind], *cells] for kind, (name, *cells) in zip(ERROR_NAMES, table.rows, strict=True)]
    queries = [[*row, row[0]] for row in table.queries]
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    faults = {fault: sum(score.overall[kind] for kind in FAULTS if FAULTS[kind] == fault) for fault in FAULTS.values()}
    shares = [f"{fault} {count / errors:.0%}" for fault, count in faults.items()] if errors else []
    remark = f"Fault of: {', '.join(shares)}." if shares else ""
    columns = [first, Column("fault of", "text"), *columns]
    return replace(table, columns=columns, rows=rows, queries=queries, remark=remark)


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on repairs, quotations, repeated relations, and lines or documents that only one side has."""
    notes = _side_notes("gold", gold.name, gold.reading, gold_count.repeated)
    notes += _side_notes("system", name, side.reading or ReadInfo(), side.repeated)
    if side.mismatches is not None:
        is_line = read_as.parameters.get("sentences") == "lines"
        notes += shared.document_notes(name, side.mismatches, "lines" if is_line else "documents")
        if side.mismatches.words:
            lines = shared.with_verb(side.mismatches.words, "line")
            notes.append(
                f"system {name}: {lines} spelled differently in the gold standard; offsets are used unchanged."
            )
    if side.breaks_differ:
        notes.append(f"system {name}: its sentences differ from those of the gold standard, which were used.")
    notes += shared.unit_notes(name, side.units, "relation", identical=identical)
    return (*notes, *shared.label_notes(gold, name, side.labels, "relation"))


def _side_notes(side: str, name: str, reading: ReadInfo, repeated: int) -> list[str]:
    kept = {problem: count for problem, count in reading.kept.items() if problem != _QUOTES}
    notes = shared.reading_notes(side, name, replace(reading, kept=kept), "begin")
    if quotes := reading.kept.get(_QUOTES):
        spans = (
            "1 span quotes a text that it does not cover"
            if quotes == 1
            else f"{quotes:,} spans quote texts that they do not cover"
        )
        notes.append(f"{side} {name}: {spans}; offsets count (--quotes note).")
    if repeated:
        relations = "1 relation repeats another" if repeated == 1 else f"{repeated:,} relations repeat others"
        notes.append(f"{side} {name}: {relations} and {'counts' if repeated == 1 else 'count'} once.")
    return notes
