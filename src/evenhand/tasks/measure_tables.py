"""Tables of models that declare measures in place of precision, recall and F."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.scores.match_model import MatchModel, Measure
from evenhand.scores.row import Row
from evenhand.table import Cell, Column, Table

if TYPE_CHECKING:
    from evenhand.result.result import Results


def measure_summary(results: Results, name: str) -> Table:
    """All systems under one model: its measures, the counts that labels do not have, and what measures are."""
    model = next(iter(results.values()))[name].model
    counts = [count for count in model.counts if count in model.overall_only]
    columns = [Column("system", "text"), *measure_columns(model.measures)]
    columns += [Column(count_title(count), "count") for count in counts]
    rows: list[list[Cell]] = []
    for system, result in results.items():
        overall = result[name].overall
        rows.append([system, *measure_cells(model.measures, overall), *(overall.counts[count] for count in counts)])
    return Table(name, columns, rows, remark=definitions(model), rivals=[range(len(rows))] if len(rows) > 1 else ())


def definitions(model: MatchModel) -> str:
    """What the measures of a model are, in a sentence each."""
    return " ".join(f"{_title(each)}: {each.definition}" for each in model.measures)


def measure_columns(measures: Sequence[Measure]) -> list[Column]:
    return [Column(_title(each), "percent", each.is_best_low) for each in measures]


def measure_cells(measures: Sequence[Measure], row: Row) -> list[Cell]:
    return [row.more.get(each.name) for each in measures]


def count_title(count: str) -> str:
    """What tables call a count."""
    return count.replace("_", " ")


def _title(measure: Measure) -> str:
    return measure.title or measure.name.replace("_", " ")
