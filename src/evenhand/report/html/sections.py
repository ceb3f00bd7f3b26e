"""The sections of a page: the tables of all reports, with links to the units behind their cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from evenhand.dataclass import dataclass
from evenhand.report.cells import cell_text, headings, without_bars
from evenhand.report.comparison_tables import summary_of_comparison
from evenhand.report.document import document
from evenhand.report.html.links import address
from evenhand.report.pair_tables import ordered_pairs, pair_tables, significance
from evenhand.report.score_document import tables_of
from evenhand.result.comparison import Comparison
from evenhand.result.report import Report
from evenhand.result.result import Result
from evenhand.table import Queries, Table
from evenhand.tasks.registry import TASKS


@dataclass(frozen=True)
class HtmlCell:
    text: str
    is_number: bool
    href: str | None = None
    heat: float | None = None
    """How dark a cell of a matrix is, from 0 to 1."""


@dataclass(frozen=True)
class HtmlTable:
    names: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[HtmlCell]]
    summary_rows: int = 0
    remark: str = ""
    heading: str = ""


@dataclass(frozen=True)
class HtmlSection:
    name: str
    """What the address of the page calls it."""
    heading: str
    tables: Sequence[HtmlTable]
    parts: Sequence[HtmlSection] = field(default_factory=list)
    is_open: bool = True


def sections(report: Report) -> Iterator[HtmlSection]:
    """The scores, what changes between systems, the ranks, and every system for itself."""
    results, by = report.results, report.by
    if len(results) > 1:
        shown = document(results).sections[0].tables
        yield HtmlSection("scores", "Scores", [html_table(table, by) for table in shown])
    if report.comparison is not None:
        yield _comparison(report.comparison)
        ranked = [html_table(table, by) for section in document(report.ranking).sections for table in section.tables]
        yield HtmlSection("ranks", "Ranks", ranked)
    alone = len(results) == 1
    systems = [
        HtmlSection(
            f"system-{number}",
            result.name,
            [html_table(table, by) for table in (*tables_of(result, alone=alone), *_listing(result))],
            is_open=alone,
        )
        for number, result in enumerate(results.values(), 1)
    ]
    yield HtmlSection("systems", "System by system", [], systems)


def _listing(result: Result) -> Iterable[Table]:
    return TASKS[result.settings.task].display.listing(result)


def _comparison(comparison: Comparison) -> HtmlSection:
    by = comparison.by
    tables = [html_table(table, by) for table in summary_of_comparison(comparison)]
    if len(comparison.systems) > 2:
        tables.append(html_table(significance(comparison), by))
    pairs = [
        HtmlSection(
            f"pair-{number}",
            f"{pair.before} to {pair.after}",
            [html_table(table, by, heading) for heading, table in pair_tables(comparison, pair)],
            is_open=len(comparison.pairs) == 1,
        )
        for number, pair in enumerate(ordered_pairs(comparison), 1)
    ]
    return HtmlSection("differences", "What changes between systems", tables, pairs)


def html_table(table: Table, by: str, heading: str = "") -> HtmlTable:
    """A table with links to the units behind its cells, whose verdicts are those of a score."""
    table = without_bars(table)
    numeric = [column.kind != "text" for column in table.columns]
    counts = [value for row in table.rows for value in row[1:] if isinstance(value, int | float)]
    most = max(counts, default=0) if table.shaded else 0
    rows = []
    for number, row in enumerate(table.rows):
        queries: Queries = table.queries[number] if table.queries else [None] * len(row)
        cells = []
        for place, (value, column, query) in enumerate(zip(row, table.columns, queries, strict=True)):
            text = cell_text(value, column.kind)
            href = address(query, by) if place == 0 or text not in ("", "0") else None
            heat = value / most if most and isinstance(value, int | float) else None
            cells.append(HtmlCell(text, numeric[place], href, heat))
        rows.append(cells)
    return HtmlTable(headings(table), numeric, rows, table.summary_rows, table.remark, heading)
