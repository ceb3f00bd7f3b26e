"""The sections of a page: the tables of all reports, with links to the units behind their cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from urllib.parse import quote

from evenhand.dataclass import dataclass
from evenhand.report.cells import best_cells, cell_text, headings, row_texts, without_bars
from evenhand.report.comparison_tables import summary_of_comparison
from evenhand.report.document import document
from evenhand.report.html.links import address
from evenhand.report.pair_tables import significance
from evenhand.report.score_document import tables_of
from evenhand.result.comparison import Comparison
from evenhand.result.report import Report
from evenhand.result.result import Result
from evenhand.table import Queries, Table
from evenhand.table_style import TableStyle
from evenhand.tasks.registry import TASKS, model_title

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
    parts: Sequence[HtmlSection] = field(default_factory=list)
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
    others = {model_title(report.task, name) for name in result.scores if name != report.primary}
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
