"""What only results of relations show: the kinds of errors, whose fault they are, and the queries for their units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.error_bars import ErrorBars, errors_by_kind
from evenhand.tasks.relations.kinds import ERROR_NAMES, FAULTS, KINDS, PAIRED
from evenhand.tasks.tables import Ask, confusion_score, confusion_table, label_table

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

_MATCHED = ",".join(PAIRED)
"""Wrong relations that are a pair with another, which strict match counts on both sides."""


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """A table by type for every model, the kinds of errors, the confusion matrix."""
    for name, score in result.scores.items():
        yield label_table(result, score, _asking(result, name), style)
    fair = confusion_score(result)
    if fair is not None:
        yield _kinds_of_errors(result, fair)
        yield from confusion_table(result)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The kinds of errors."""
    if confusion_score(next(iter(results.values()))) is None:
        raise SettingError("The kinds of errors come from the match model fair; score with it too.")
    return errors_by_kind(results, ["fair"], ERROR_NAMES, query)


def _asking(result: Result, model: str) -> Ask:
    return lambda label, count: query(result, model, count, label)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The relations behind a count of a match model, of one type or of all; None where no page can list them."""
    system = result.name
    if count == "gold":
        return Query(system, of="gold", gold=label)
    if model == "strict" and count == "FN":
        return Query(system, of="gold", kind=f"{_MATCHED},AM,FN", gold=label)
    if model == "strict" and count == "FP":
        return Query(system, of="system", kind=f"{_MATCHED},AS,FP", predicted=label)
    if model not in ("strict", "fair"):
        return Query(system, label=label) if not count else None
    if count in ("AS", "FP"):
        return Query(system, kind=count, predicted=label)
    return Query(system, kind=count, gold=label) if count in KINDS else Query(system, label=label)


def _kinds_of_errors(result: Result, score: ModelScore) -> Table:
    """How the errors divide, and whose fault they are."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("error", "text"), Column("fault of", "text"), Column("count", "count")]
    columns += [Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{name}", FAULTS[kind], score.overall[kind], share, share])
    faults = {fault: sum(score.overall[kind] for kind in FAULTS if FAULTS[kind] == fault) for fault in FAULTS.values()}
    shares = [f"{fault} {count / errors:.0%}" for fault, count in faults.items()] if errors else []
    remark = f"Fault of: {', '.join(shares)}." if shares else ""
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    return Table("kinds of errors (fair)", columns, rows, remark=remark, queries=queries)
