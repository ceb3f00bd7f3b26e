"""A report as data, for every output form: an opening, sections of tables, notes and the signature.

This file has the report on scores and the texts of cells. Reports on other results are in `comparison_tables` and
`agreement_tables`, which are loaded if needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, SettingError, announced, counted, unknown
from evenhand.registry import lazy
from evenhand.results.display import Displayed, WithTables
from evenhand.results.result import Result, Results
from evenhand.tables import PLAIN, Cell, DisplayTable, Kind, Marked, TableStyle
from evenhand.tasks.registry import TASKS


@dataclass(frozen=True)
class Section:
    heading: str
    tables: Sequence[DisplayTable]


@dataclass(frozen=True)
class ReportDocument:
    opening: str
    sections: Sequence[Section]
    notes: Sequence[str]
    signature: str
    verdict: Sequence[str] = ()
    """Paragraphs before everything else: the result in words, and its method."""
    hint: str = ""
    """What is left out, and the commands that show it; only text has it."""

    @property
    def warnings(self) -> list[str]:
        """The notes above the tables."""
        return [note for note in self.notes if note.startswith(WARNING)]

    @property
    def remarks(self) -> list[str]:
        """The notes below the tables."""
        return [announced(note) for note in self.notes if not note.startswith(WARNING)]


def document(subject: Displayed | WithTables, style: TableStyle = PLAIN) -> ReportDocument:
    for kind in type(subject).__mro__:
        if kind.__name__ in _DOCUMENTS:
            return _DOCUMENTS[kind.__name__](subject, style)
    raise TypeError(f"{type(subject).__name__} has no tables")


_DOCUMENTS: Mapping[str, Callable[[Displayed | WithTables, TableStyle], ReportDocument]] = {
    "Acceptance": lazy("evenhand.report.confidence_tables:acceptance_document"),
    "Adjudication": lazy("evenhand.report.agreement_tables:adjudication_document"),
    "Agreement": lazy("evenhand.report.agreement_tables:agreement_document"),
    "Causes": lazy("evenhand.report.causes_tables:causes_document"),
    "CheckedTask": lazy("evenhand.report.leaderboard_tables:check_document"),
    "Comparison": lazy("evenhand.report.comparison_tables:comparison_document"),
    "Confidence": lazy("evenhand.report.confidence_tables:confidence_document"),
    "Gate": lazy("evenhand.report.comparison_tables:gate_document"),
    "Leaderboard": lazy("evenhand.report.leaderboard_tables:leaderboard_document"),
    "Leakage": lazy("evenhand.report.leakage_tables:leakage_document"),
    "Power": lazy("evenhand.report.power_tables:power_document"),
    "Ranking": lazy("evenhand.report.comparison_tables:ranking_document"),
    "Result": lazy("evenhand.report.document:result_document"),
    "Results": lazy("evenhand.report.document:score_document"),
    "Summary": lazy("evenhand.report.summary_tables:summary_document"),
    "Suspects": lazy("evenhand.report.suspect_tables:suspects_document"),
}
"""By the type of the result."""


def result_document(result: Result, style: TableStyle) -> ReportDocument:
    return score_document(Results({result.name: result}), style)


def score_document(results: Results, style: TableStyle) -> ReportDocument:
    """The summary, then one section per system."""
    unit, display = results.unit, TASKS[results.task].display
    sections = [Section("", list(display.summary(results)))]
    if any(result.slices for result in results.values()):
        from evenhand.tasks.tables import slice_tables  # rare

        sections.append(Section("", list(slice_tables(results))))
    for result in results.values():
        in_chains = "" if result.chains is None else f" in {counted(result.chains, 'chain')}"
        heading = f"{result.name}: {counted(result.predicted, unit)}{in_chains}"
        sections.append(Section(heading, list(display.details(result, style, alone=len(results) == 1))))
    return ReportDocument(gold_line(results), sections, results.notes, results.signature)


def gold_line(results: Results) -> str:
    """The gold standard in numbers."""
    gold, unit = results.gold, results.unit
    sizes = {"document": gold.documents if gold.documents > 1 else None, "sentence": gold.sentences}
    sizes |= {"token": gold.tokens if gold.tokens != gold.units else None, "character": gold.characters}
    listed = ", ".join(counted(size, what) for what, size in sizes.items() if size is not None and what != unit)
    in_chains = "" if gold.chains is None else f" in {counted(gold.chains, 'chain')},"
    units = f"{counted(gold.units, unit)}{in_chains}{f' in {listed}' if listed else ''}"
    return f"gold standard {gold.name}: {units}"


def selected(subject: Displayed | WithTables, style: TableStyle) -> ReportDocument:
    """The report on a result with the rows and columns that printed forms show."""
    report = document(subject, style)
    sections = [Section(section.heading, [table.folded() for table in section.tables]) for section in report.sections]
    if style.columns:
        _check_columns(sections, style.columns)
        reduced = (Section(section.heading, _with_columns(section.tables, style.columns)) for section in sections)
        sections = [section for section in reduced if section.tables]
    return replace(report, sections=sections)


def _check_columns(sections: Sequence[Section], columns: Sequence[str]) -> None:
    tables = [table for section in sections for table in section.tables]
    names = list(dict.fromkeys(name for table in tables for name in headings(table)[1:] if name.strip()))
    for column in columns:
        if column not in names:
            remedy = f"there are {', '.join(names)}"
            raise SettingError(unknown(f"no table has a column {column!r}", column, names, remedy))


def _with_columns(tables: Sequence[DisplayTable], columns: Sequence[str]) -> list[DisplayTable]:
    """The tables that have such columns, reduced to these and the first column."""
    reduced = []
    for table in tables:
        kept = [number for number, name in enumerate(headings(table)) if number and name in columns]
        reduced += [table.with_columns([0, *kept])] if kept else []
    return reduced


# Cells


_BAR = 20
"""The width of a bar for 100 %."""


def cell_text(value: Cell, kind: Kind, style: TableStyle = PLAIN) -> str:
    """Scores and shares as percentages with two decimals, unless the style has other decimals; counts with thousands
    separators, and two decimals if one is a fraction; an empty text for None; a dash for undefined scores.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent":
        return style.score(value) + (value.mark if isinstance(value, Marked) else "")
    if kind == "share":
        return style.share(value)
    if kind == "bar":
        return "█" * round(_BAR * value)
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def row_texts(table: DisplayTable, style: TableStyle = PLAIN) -> list[list[str]]:
    texts = [
        [cell_text(value, column.kind, style) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    for column in range(len(table.columns)):
        widest = max((len(mark_of(row[column])) for row in table.rows), default=0)
        for row, cells in zip(table.rows, texts, strict=True) if widest else ():
            if cells[column]:  # so decimals are below each other
                cells[column] += " " * (widest - len(mark_of(row[column])))
    return texts


def mark_of(value: Cell) -> str:
    """The mark of significance of a score."""
    return value.mark if isinstance(value, Marked) else ""


def headings(table: DisplayTable) -> list[str]:
    """The names of the columns; a title replaces the first one."""
    names = [column.name for column in table.columns]
    return [table.title or names[0], *names[1:]]


def best_cells(table: DisplayTable, texts: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Row and column of the best scores of several systems; `texts` has the cells as printed.

    All scores that are printed like the highest (or lowest) one are best.
    """
    for group in _rivals(table):
        values = [(_number(table.rows[row][column]), texts[row][column].rstrip(" *")) for row, column in group]
        numbers = [(number, text) for number, text in values if number is not None]
        best_of = min if table.columns[group[0][1]].is_best_low else max
        best = best_of(numbers)[1] if len(values) > 1 and numbers else None
        for cell, (number, text) in zip(group, values, strict=True):
            if number is not None and text == best:
                yield cell


def _number(value: Cell) -> float | None:
    return None if value is None or isinstance(value, str) or isnan(value) else value


def _rivals(table: DisplayTable) -> Iterator[list[tuple[int, int]]]:
    """Groups of cells with one best value."""
    scores = [number for number, column in enumerate(table.columns) if column.kind == "percent"]
    for rows in table.rivals:
        yield from ([(row, column) for row in rows] for column in scores)
    if table.beside:
        yield from ([(row, column) for column in scores] for row in range(len(table.rows)))


def without_bars(table: DisplayTable) -> DisplayTable:
    """The table without bars, which only terminals need."""
    return table.with_columns([number for number, column in enumerate(table.columns) if column.kind != "bar"])
