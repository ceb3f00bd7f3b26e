"""The report on a comparison of systems."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.problems import counted
from evenhand.report.comparison_tables import summary_of_comparison, unit_table
from evenhand.report.document import Document, Section
from evenhand.report.pair_tables import pair_tables
from evenhand.result.comparison import Comparison
from evenhand.table_style import TableStyle
from evenhand.tasks.registry import TASKS

MOST_PAIRS = 6
"""Of how many pairs the transitions and labels are shown."""


def comparison_document(comparison: Comparison, style: TableStyle) -> Document:
    sections = list(_sections(comparison, style))
    return Document(_opening(comparison), sections, comparison.notes, comparison.signature)


def _opening(comparison: Comparison) -> str:
    unit = TASKS[comparison.task].unit_of(comparison.by)
    return (
        f"{counted(len(comparison.systems), 'system')} on the gold standard {comparison.gold.name}, "
        f"{counted(comparison.gold.units, unit)}, compared by {comparison.by}"
    )


def _sections(comparison: Comparison, style: TableStyle) -> Iterator[Section]:
    """The summary, every pair if they are not too many, and the units that were asked for."""
    yield Section("", list(summary_of_comparison(comparison, style)))
    if len(comparison.pairs) <= MOST_PAIRS:
        for pair in comparison.pairs.values():
            for heading, table in pair_tables(comparison, pair, style):
                yield Section(heading, [table])
    if comparison.show is not None:
        yield Section("", [unit_table(comparison)])
