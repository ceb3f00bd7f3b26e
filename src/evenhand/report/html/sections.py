"""The sections of a page: the tables of all reports, with links to the units behind their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evenhand.report.cells import cell_text, headings, without_bars
from evenhand.report.comparison_tables import p_text, pair_tables, summary_of_comparison
from evenhand.report.document import document, tables_of
from evenhand.report.html.comparison_links import pair_links, summary_links
from evenhand.report.html.links import of_confusion, of_count, units
from evenhand.report.tables import MATRIX, Table
from evenhand.result.comparison import Comparison
from evenhand.result.report import Report
from evenhand.result.result import Result
from evenhand.tally import NO_LABEL
from evenhand.tasks.chains.tables import CHAIN_NAMES

_SUMMARIES = ("macro average", "support average")


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


Hrefs = Sequence[Sequence[str | None]]


def sections(report: Report) -> Iterator[HtmlSection]:
    """The scores, what changes between systems, the ranks, and every system for itself."""
    results = report.results
    if len(results) > 1:
        shown = document(results).sections[0].tables
        yield HtmlSection("scores", "Scores", [html_table(table) for table in shown])
    if report.comparison is not None:
        yield _comparison(report)
        ranked = [html_table(table) for section in document(report.ranking).sections for table in section.tables]
        yield HtmlSection("ranks", "Ranks", ranked)
    alone = len(results) == 1
    systems = [
        HtmlSection(
            f"system-{number}",
            result.name,
            [html_table(table, _of_result(result, report.by, table)) for table in tables_of(result, alone=alone)],
            is_open=alone,
        )
        for number, result in enumerate(results.values(), 1)
    ]
    yield HtmlSection("systems", "System by system", [], systems)


def _comparison(report: Report) -> HtmlSection:
    comparison = report.comparison
    assert comparison is not None
    tables = [html_table(table, summary_links(comparison, table)) for table in summary_of_comparison(comparison)]
    if len(comparison.systems) > 2:
        tables.append(_significance(comparison))
    pairs = [
        HtmlSection(
            f"pair-{number}",
            f"{pair.before} to {pair.after}",
            [
                html_table(table, pair_links(comparison, pair, place, table), heading)
                for place, (heading, table) in enumerate(pair_tables(comparison, pair))
            ],
            is_open=len(comparison.pairs) == 1,
        )
        for number, pair in enumerate(comparison.pairs.values(), 1)
    ]
    return HtmlSection("differences", "What changes between systems", tables, pairs)


def _significance(comparison: Comparison) -> HtmlTable:
    """The p-values of all pairs, corrected for their number, as a matrix of systems."""
    names = comparison.systems
    rows = []
    for one in names:
        cells = [HtmlCell(one, is_number=False)]
        for other in names:
            pair = comparison.pairs.get((one, other)) or comparison.pairs.get((other, one))
            if pair is None or pair.significance is None:
                cells.append(HtmlCell("–", is_number=True))
            else:
                href = units(from_=pair.before, to=pair.after, different=1)
                cells.append(HtmlCell(p_text(pair.significance.p_holm), is_number=True, href=href))
        rows.append(cells)
    remark = f"Whether the difference in {comparison.by} is more than chance; corrected for the number of pairs."
    return HtmlTable(["p (Holm)", *names], [False, *[True] * len(names)], rows, remark=remark)


def html_table(table: Table, hrefs: Hrefs | None = None, heading: str = "") -> HtmlTable:
    """A table with links; that of a matrix is shaded."""
    plain = without_bars(table)
    kept = [place for place, column in enumerate(table.columns) if column.kind != "bar"]
    numeric = [column.kind != "text" for column in plain.columns]
    counts = [value for row in plain.rows for value in row[1:] if isinstance(value, int | float)]
    most = max(counts, default=0) if plain.columns[0].name == MATRIX else 0
    rows = []
    for number, row in enumerate(plain.rows):
        cells = []
        for place, (value, column) in enumerate(zip(row, plain.columns, strict=True)):
            href = hrefs[number][kept[place]] if hrefs is not None else None
            text = cell_text(value, column.kind)
            heat = value / most if most and isinstance(value, int | float) else None
            cells.append(HtmlCell(text, numeric[place], href if place == 0 or text not in ("", "0") else None, heat))
        rows.append(cells)
    return HtmlTable(headings(plain), numeric, rows, plain.summary_rows, plain.remark, heading)


def _of_result(result: Result, by: str, table: Table) -> Hrefs | None:
    """The units behind the cells of a table of one system."""
    first = table.columns[0].name
    if first == MATRIX:
        return _of_matrix(result, table)
    if first == "error type":
        return [[units(system=result.name, kind=str(row[0]).split()[0])] * len(row) for row in table.rows]
    titles = {CHAIN_NAMES.get(name, name): name for name in result.scores}
    model = "las" if first == "relation" else titles.get(table.title)
    if model is None:
        return None
    found: list[list[str | None]] = []
    for row in table.rows:
        label = None if row[0] in ("overall", *_SUMMARIES) else str(row[0])
        is_label = label is None or label in result.gold.labels or label in result.labels
        names = [column.name for column in table.columns]
        found.append([of_count(result, model, by, label, name) if is_label else None for name in names])
    return found


def _of_matrix(result: Result, table: Table) -> Hrefs:
    """Cells of a confusion matrix; its last row and column are what only one side has."""
    names = [column.name for column in table.columns[1:-1]]
    found: list[list[str | None]] = []
    for number, row in enumerate(table.rows):
        is_last = number == len(table.rows) - 1
        gold = NO_LABEL if is_last else str(row[0])
        cells: list[str | None] = [None if is_last else units(system=result.name, right=0, gold=gold)]
        only_system = is_last and result.settings.task != "spans"  # words that a page does not carry
        cells += [None if only_system else of_confusion(result, gold, name) for name in names]
        cells.append(None if is_last else of_confusion(result, gold, NO_LABEL))
        found.append(cells)
    return found
