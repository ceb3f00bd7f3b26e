"""The report on scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evenhand.problems import counted
from evenhand.report.document import Document, Section
from evenhand.result.result import Result, Results
from evenhand.table import Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.registry import TASKS


def result_document(result: Result, style: TableStyle) -> Document:
    return score_document(Results({result.name: result}), style)


def score_document(results: Results, style: TableStyle) -> Document:
    return Document(_opening(results), list(_sections(results, style)), results.notes, results.signature)


def _opening(results: Results) -> str:
    gold, unit = results.gold, results.unit
    sizes = {"document": gold.documents if gold.documents > 1 else None, "sentence": gold.sentences}
    sizes |= {"token": gold.tokens if gold.tokens != gold.units else None, "character": gold.characters}
    listed = ", ".join(counted(size, what) for what, size in sizes.items() if size is not None and what != unit)
    in_chains = "" if gold.chains is None else f" in {counted(gold.chains, 'chain')},"
    return f"gold standard {gold.name}: {counted(gold.units, unit)}{in_chains}{f' in {listed}' if listed else ''}"


def _sections(results: Results, style: TableStyle) -> Iterator[Section]:
    """The summary, then a section for each system."""
    yield Section("", list(TASKS[results.task].display.summary(results)))
    for result in results.values():
        in_chains = "" if result.chains is None else f" in {counted(result.chains, 'chain')}"
        heading = f"{result.name}: {counted(result.units, results.unit)}{in_chains}"
        yield Section(heading, list(tables_of(result, alone=len(results) == 1, style=style)))


def tables_of(result: Result, *, alone: bool, style: TableStyle = PLAIN) -> Iterable[Table]:
    """All about one system, which may be the only one."""
    return TASKS[result.settings.task].display.details(result, style, alone=alone)
