"""What only results of spans show: the types of errors, and the queries for their units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.error_bars import ErrorBars, errors_by_kind
from evenhand.tasks.spans.kinds import CLASS_KINDS, ERROR_NAMES
from evenhand.tasks.spans.override_parameters import as_kind
from evenhand.tasks.tables import Ask, confusion_score, confusion_table, label_table

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

_MATCHED = "LE,BES,BEL,BEO,LBE"
"""Wrong spans that were matched with another, which exact match counts on both sides."""


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """A table by label for every model, the error types, the confusion matrix."""
    for name, score in result.scores.items():
        if score.model.details in ("all", "labels"):
            yield label_table(result, score, _asking(result, name), style, without=("BE", "spans"))
        if "leaked" in score.further:
            yield _leaked(score.further["leaked"]["spans"])
    fair = confusion_score(result)
    if fair is not None:
        yield _error_types(result, fair)
        yield from confusion_table(result)


def _leaked(spans: Sequence[Mapping[str, Any]]) -> Table:
    """The spans that are not covered, one by one."""
    names = ("place", "label", "words", "visible", "state")
    columns = [Column(name, "text") for name in names]
    rows: list[list[Cell]] = [[each[name] for name in names] for each in spans]
    return Table("leaked", columns, rows, remark="" if rows else "There are none.")


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The types of errors of fair evaluation, beside those of exact match."""
    fair = confusion_score(next(iter(results.values())))
    if fair is None:
        raise SettingError("The types of errors come from the match model fair; score with it too.")
    models = [*(name for name in results.models if name == "exact"), fair.name]
    kinds = {kind: name for kind, name in ERROR_NAMES.items() if kind in fair.overall.counts}
    return errors_by_kind(results, models, kinds, query)


def _asking(result: Result, model: str) -> Ask:
    return lambda label, count: query(result, model, count, label)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The spans behind a count of a match model, of one label or of all; none where fair verdicts do not tell."""
    system, by_system = result.name, result.settings["focus"] == "system"
    if count == "gold":
        return Query(system, of="gold", gold=label)
    if model == "exact" and count in ("FP", "GE") and as_kind(result.settings):
        return None
    if model == "exact" and count == "FN":
        return Query(system, of="gold", kind=f"{_MATCHED},FN", gold=label)
    if model == "exact" and count == "FP":
        return Query(system, of="system", kind=f"{_MATCHED},FP", predicted=label)
    if count == "GE" and label is not None:  # it counts for the gold label or, of an FP, for the system's
        return None
    if count == "FP" or (by_system and count in ("LE", "LBE")):
        return Query(system, kind=count, predicted=label)
    return Query(system, kind=count, gold=label) if count in CLASS_KINDS else None


def _error_types(result: Result, score: ModelScore) -> Table:
    """How the errors divide; the traditional view beside the fair one, where it was scored."""
    kinds = [kind for kind in ERROR_NAMES if kind in score.overall.counts]
    errors = sum(score.overall[kind] for kind in kinds)
    columns = [Column("error type", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind in kinds:
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{ERROR_NAMES[kind]}", score.overall[kind], share, share])
    remark = ""
    if "exact" in result.scores:
        fp, fn = result["exact"].overall["FP"], result["exact"].overall["FN"]
        if fp + fn:
            shares = f"{fp:,.0f} FP ({fp / (fp + fn):.0%}) and {fn:,.0f} FN ({fn / (fp + fn):.0%})"
            remark = f"Exact match counts {shares} instead."
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in kinds]
    return Table(f"error types ({score.name})", columns, rows, remark=remark, queries=queries)
