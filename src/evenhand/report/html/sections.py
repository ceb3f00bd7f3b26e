"""The sections of a page: the tables of all reports, with links to the units behind their cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field as field_dataclasses
from dataclasses import fields
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from evenhand.dataclass import dataclass
from evenhand.report.comparison_tables import significance, summary_of_comparison
from evenhand.report.document import best_cells, cell_text, document, headings, row_texts, tables_of, without_bars
from evenhand.results.comparison import Comparison, Pair, Report
from evenhand.results.result import Result
from evenhand.tables import Queries, Query, Table, TableStyle
from evenhand.tasks.registry import TASKS, model_title

# == report/html/links.py: Queries for units, as fragments of the page's address.


_NAMES = {field.name: field.name.rstrip("_") for field in fields(Query) if field.name != "by"}


@lru_cache(1 << 14)
def address(query: Query | None, by: str) -> str | None:
    """The address of some units (`#units?system=crf&kind=LE&gold=PER`) in a page that shows the verdicts of a score.

    None where the page does not have them.
    """
    if query is None or (query.by is not None and by not in query.by.split(",")):
        return None
    asked = ((name, getattr(query, field)) for field, name in _NAMES.items())
    return "#units?" + "&".join(f"{name}={_spelled(value)}" for name, value in asked if value is not None)


@lru_cache(1 << 14)
def _spelled(value: str | bool) -> str:
    return quote(str(int(value)) if isinstance(value, bool) else value, safe="")


# == report/html/pair_data.py: What a page knows of pairs of systems beside their units: ho


def pair_data(report: Report) -> dict[str, Any]:
    """Pairs as rows of both systems, the difference, its interval and p; labels as rows of units and scores."""
    comparison = report.comparison
    if comparison is None:
        return {"pairs": [], "label_scores": [], "labels_are_compared": False, "has_parts": False}
    names = list(report.results)
    compared = {label: bound.units for label, bound in comparison.oracle.labels.items()}
    return {
        "pairs": [[names.index(pair.before), names.index(pair.after), *_figures(pair)] for pair in _pairs(comparison)],
        "label_scores": [
            [label, each.units, *(each.scores[name] for name in names)] for label, each in comparison.labels.items()
        ],
        "labels_are_compared": all(label.units == compared.get(name, 0) for name, label in comparison.labels.items()),
        "has_parts": any(
            transition.change
            for pair in _pairs(comparison)
            for found in pair.classes.values()
            for transition in found.transitions
        ),
    }


def _pairs(comparison: Comparison) -> list[Pair]:
    return list(comparison.pairs.values())


def _figures(pair: Pair) -> list[float | None]:
    low, high = pair.interval or (None, None)
    return [pair.delta, low, high, None if pair.significance is None else pair.significance.p_holm]


# == report/html/sections.py (primary)


_MARKED = TableStyle(marks=True)
_CHANGES = "Changes of all scores"


@dataclass(frozen=True)
class HtmlCell:
    text: str
    is_number: bool
    href: str | None = None
    heat: float | None = None
    """How dark a cell of a matrix is, from 0 to 1."""
    is_best: bool = False


@dataclass(frozen=True)
class HtmlTable:
    names: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[HtmlCell]]
    summary_rows: int = 0
    remark: str = ""


@dataclass(frozen=True)
class HtmlSection:
    name: str
    """What the address of the page calls it."""
    heading: str
    tables: Sequence[HtmlTable]
    parts: Sequence[HtmlSection] = field_dataclasses(default_factory=list)
    is_open: bool = True
    has_pair: bool = False
    """Whether the reader chooses two systems, whose tables the page makes of the units."""


def sections(report: Report) -> Iterator[HtmlSection]:
    """What changes between systems, all scores and ranks, and every system for itself."""
    results, by = report.ordered, report.by
    if report.comparison is not None:
        yield _comparison(report.comparison)
        scores = [html_table(table, by) for table in document(results).sections[0].tables]
        ranked = [html_table(table, by) for section in document(report.ranking).sections for table in section.tables]
        parts = [
            HtmlSection("all-scores", "Scores by all measures", scores, is_open=False),
            HtmlSection("ranks", "Ranks by all measures, with intervals", ranked, is_open=False),
        ]
        yield HtmlSection("scores", "Scores", [], parts)
    systems = [_system(report, result) for result in results.values()]
    yield HtmlSection("systems", "System by system", [], systems)


def _system(report: Report, result: Result) -> HtmlSection:
    """The tables of a system; those of other measures than the one that comes first are folded."""
    alone = len(report.results) == 1
    others = {model_title(report.task, name) for name in result.scores if name != report.by}
    tables = [*tables_of(result, alone=alone), *_listing(result)]
    folded = [html_table(table, report.by) for table in tables if table.title in others]
    shown = [html_table(table, report.by) for table in tables if table.title not in others]
    parts = [HtmlSection("", "By other measures", folded, is_open=False)] if folded else []
    return HtmlSection(_id("system", result.name), result.name, shown, parts, is_open=alone)


def _id(part: str, name: str) -> str:
    """What addresses call a part of a section; it stays the same when a page is made anew."""
    return quote(f"{part}-{name}".replace(" ", "-"), safe="")


def _listing(result: Result) -> Iterable[Table]:
    return TASKS[result.settings.task].display.listing(result)


def _comparison(comparison: Comparison) -> HtmlSection:
    """The pairs of systems; folded, what else a comparison says. The page makes the tables of a pair from its units."""
    by = comparison.by
    scores, found, *others = summary_of_comparison(comparison, _MARKED)
    further = [(table.title.capitalize() or _CHANGES, table) for table in others]
    further += [("Tests of all pairs", significance(comparison))] if len(comparison.systems) > 2 else []
    further.append(("Score that systems are compared by", scores))
    parts = [
        HtmlSection(_id("differences", heading), heading, [html_table(table, by)], is_open=False)
        for heading, table in further
    ]
    return HtmlSection("differences", "What changes between systems", [html_table(found, by)], parts, has_pair=True)


def html_table(table: Table, by: str) -> HtmlTable:
    """A table with links to the units behind its cells, whose verdicts are those of a score."""
    table = without_bars(table)
    numeric = [column.kind != "text" for column in table.columns]
    counts = [value for row in table.rows for value in row[1:] if isinstance(value, int | float)]
    most = max(counts, default=0) if table.shaded else 0
    best = set(best_cells(table, row_texts(table)))
    rows = []
    for number, row in enumerate(table.rows):
        queries: Queries = table.queries[number] if table.queries else [None] * len(row)
        cells = []
        for place, (value, column, query) in enumerate(zip(row, table.columns, queries, strict=True)):
            text = cell_text(value, column.kind)
            href = address(query, by) if place == 0 or text not in ("", "0") else None
            heat = value / most if most and isinstance(value, int | float) else None
            cells.append(HtmlCell(text, numeric[place], href, heat, (number, place) in best))
        rows.append(cells)
    return HtmlTable(headings(table), numeric, rows, table.summary_rows, table.remark)
