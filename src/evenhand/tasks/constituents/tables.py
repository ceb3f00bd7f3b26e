"""The tables of constituents, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.constituents.kinds import ERROR_NAMES, ERRORS, SHORT
from evenhand.tasks.error_bars import ErrorBars, errors_by_kind
from evenhand.tasks.tables import Ask, confusion_table, label_table, rivals, score_cells

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

UNDEFINED = "–"
_MOST_LISTED = 10
"""How many sentences that are left out a terminal shows."""


def summary(results: Results) -> Iterator[Table]:
    """All systems with the figures of EVALB's summary: all sentences, then the short ones."""
    cutoff = next(iter(results.values())).settings["cutoff"]
    titles = {"": "all sentences", SHORT: f"up to {cutoff:,} words"}
    for end, title in titles.items():
        models = [name for name in results.models if name.endswith(SHORT) == bool(end)]
        if models:
            yield _summary(results, title, [name.removesuffix(SHORT) for name in models], end)


def _summary(results: Results, title: str, models: Sequence[str], end: str) -> Table:
    columns, rows = [Column("system", "text")], list[list[Cell]]()
    for name, result in results.items():
        columns, row = [Column("system", "text")], list[Cell]([name])
        for model in models:
            heads, cells = _FIGURES[model](result[model + end])
            columns += heads
            row += cells
        rows.append(row)
    return Table(title, columns, rows, rivals=rivals(rows))


def _brackets(score: ModelScore) -> tuple[list[Column], list[Cell]]:
    row, names = score.overall, ["prec.", "recall", "F1"]
    cells = [row.precision, row.recall, row.f1]
    if score.beta != 1:
        names, cells = [*names, f"F{score.beta:g}"], [*cells, row.f_beta]
    return [Column(name, "percent") for name in names], [_defined(cell) for cell in cells]


def _unlabeled(score: ModelScore) -> tuple[list[Column], list[Cell]]:
    return [Column("unlabeled", "percent")], [_defined(score.headline)]


def _complete(score: ModelScore) -> tuple[list[Column], list[Cell]]:
    counts = score.overall.counts
    columns = [Column(name, "count") for name in ("valid", "error", "skip")]
    return [*columns, Column("complete", "percent")], [
        *(counts[name] for name in ("valid", "error", "skip")),
        _defined(score.headline),
    ]


def _crossing(score: ModelScore) -> tuple[list[Column], list[Cell]]:
    counts = score.overall
    valid = counts["valid"]
    mean = f"{counts['crossings'] / valid:.2f}" if valid else UNDEFINED
    two = counts["two_or_less"] / valid if valid else UNDEFINED
    columns = [Column("crossing", "label"), Column("none", "percent"), Column("≤ 2", "percent")]
    return columns, [mean, _defined(score.headline), two]


def _tagging(score: ModelScore) -> tuple[list[Column], list[Cell]]:
    return [Column("tags", "percent")], [_defined(score.headline)]


_FIGURES = {
    "labeled": _brackets,
    "unlabeled": _unlabeled,
    "complete": _complete,
    "crossing": _crossing,
    "tagging": _tagging,
}


def _defined(value: float) -> Cell:
    return UNDEFINED if isnan(value) else value


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """Sentences that are left out, labels, kinds of errors, confused labels."""
    left_out = _left_out(result)
    if left_out is not None:
        rows, remark = left_out.rows, ""
        if len(rows) > _MOST_LISTED:
            rows, remark = rows[:_MOST_LISTED], f"The first {_MOST_LISTED} of {len(rows):,}; --as json has them all."
        yield Table(left_out.title, left_out.columns, rows, remark=remark)
    if "labeled" in result.scores:
        yield _by_label(result, result["labeled"], style).folded()
        yield _kinds(result, result["labeled"])
    yield from confusion_table(result)


def listing(result: Result) -> Iterator[Table]:
    """All sentences that are left out, where the details have some of them."""
    found = _left_out(result)
    if found is not None and len(found.rows) > _MOST_LISTED:
        yield found


def _left_out(result: Result) -> Table | None:
    name = next((name for name in ("complete", "complete" + SHORT) if name in result.scores), None)
    left_out = {} if name is None else result[name].further.get("left_out", {})
    if not left_out:
        return None
    rows: list[list[Cell]] = [[place, *reason.split(": ", 1)] for place, reason in left_out.items()]
    columns = [Column("sentences left out", "text"), Column("status", "text"), Column("reason", "text")]
    return Table("sentences left out", columns, rows)


def _by_label(result: Result, score: ModelScore, style: TableStyle) -> Table:
    """Counts and scores by label; of the gold standard, the brackets of valid sentences."""
    table = label_table(result, score, _asking(result, score.name), style)
    rows = [list(row) for row in table.rows]
    for cells, row in zip(rows, (*score.labels.values(), score.overall), strict=False):
        cells[1] = sum(row[kind] for kind in row.counts if kind != "FP")
        if isnan(row.f1):
            cells[-len(score_cells(row, score.beta)) :] = [UNDEFINED] * len(score_cells(row, score.beta))
    return replace(table, rows=rows)


def _asking(result: Result, model: str) -> Ask:
    return lambda label, count: query(result, model, count, label)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The brackets behind a count; a page does not know which sentences are short."""
    if model.endswith(SHORT) or (count not in ("TP", *ERROR_NAMES)):
        return None
    if count == "FP":
        return Query(result.name, kind=count, predicted=label)
    return Query(result.name, kind=count, gold=label)


def _kinds(result: Result, score: ModelScore) -> Table:
    """How the errors divide."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("kind of error", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{name}", score.overall[kind], share, share])
    matched = sum(score.overall[kind] for kind in ERRORS)
    remark = (
        f"Precision and recall each count {matched:,.0f} brackets that were matched with a wrong one."
        if matched
        else ""
    )
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    return Table("kinds of errors", columns, rows, remark=remark, queries=queries)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The kinds of errors of labeled brackets."""
    if "labeled" not in results.models:
        raise SettingError("The kinds of errors come from the match model labeled; score with it too.")
    return errors_by_kind(results, ["labeled"], ERROR_NAMES, query)
