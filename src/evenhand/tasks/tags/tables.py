"""The tables of tags, as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.table import Cell, Column, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.tables import label_table
from evenhand.tasks.tables import summary as default_summary
from evenhand.tasks.words.tables import asking, confusion, rivals, sentences

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results


def summary(results: Results) -> Iterator[Table]:
    """All systems: how many words they have right, and how many sentences."""
    for model in results.models:
        if "correct" in next(iter(results.values()))[model].overall.counts:
            yield _accuracy(results, model)
        else:
            yield from default_summary(results, [model])


def _accuracy(results: Results, model: str) -> Table:
    columns = [Column("system", "text"), Column("words", "count"), Column("correct", "count")]
    columns += [Column(name, "percent") for name in (model, "macro F1", "sentences")]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        score = result[model]
        counts = score.overall.counts
        rows.append([name, counts["gold"], counts["correct"], score.headline, score.macro.f1, sentences(score)])
    return Table("", columns, rows, remark="sentences: those that are fully correct.", rivals=rivals(rows))


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """Every tag, and which tags are confused."""
    for score in result.scores.values():
        yield label_table(result, score, asking(result), style).folded()
    yield from confusion(result)
