"""The sections of a page: the tables of all reports, with links from cells to their units, and the texts of pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import numpy as np
from markupsafe import Markup, escape

from evenhand.comparison.differences import Bound
from evenhand.data.vocabulary import list_names
from evenhand.dataclass import dataclass
from evenhand.errors import counted, plural, visible
from evenhand.report.comparison_tables import significance, summary_of_comparison
from evenhand.report.document import best_cells, cell_text, document, headings, row_texts, without_bars
from evenhand.report.figures.canvas import distinct_names
from evenhand.report.html.power import power_figure
from evenhand.report.verdict import score_name
from evenhand.results.comparison import Comparison, Pair, Report
from evenhand.results.result import Result
from evenhand.results.signature import ALPHA
from evenhand.tables import PLAIN, DisplayTable, Queries, Query, TableStyle
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import slice_table, slice_tables

_MOST_CORRELATIONS = 15
"""Maximum number of pairs of measures whose rank correlations a page has; otherwise, those with its measure."""
SEEN = "seen"
"""The slices that are next to the labels of a system."""


@dataclass(frozen=True)
class HtmlCell:
    text: str
    is_number: bool
    href: str | None = None
    heat: float | None = None
    """The darkness of a cell of a matrix, from 0 to 1."""
    is_best: bool = False
    is_unlisted: bool = False
    """Whether it counts something else than units of the page, so it is not a link."""


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
    """Its name in addresses."""
    heading: str
    tables: Sequence[HtmlTable]
    parts: Sequence[HtmlSection] = field(default_factory=list)
    is_open: bool = True
    summary: str = ""
    """One line next to the heading, for folded sections."""
    beside: Sequence[HtmlTable] = ()
    """Tables next to the first one."""
    figure: Markup = Markup()
    has_pair: bool = False
    """Whether the reader chooses two systems; the page then computes their tables from the units."""


def sections(report: Report) -> Iterator[HtmlSection]:
    """The changes between systems, all scores and ranks, and one section per system; the best system comes first."""
    results, by = report.ordered, report.by
    if report.comparison is not None:
        yield _comparison(report, ordered_comparison(report.comparison, list(results)))
        scores = [html_table(table, by) for table in document(results).sections[0].tables]
        ranks = [table for section in document(report.ranking).sections for table in section.tables]
        ranked = [html_table(_in_order(_of_measure(table, by), list(results)), by) for table in ranks]
        measures = [model_title(report.task, name) for name in results.models]
        parts = [
            HtmlSection("all-scores", "Scores by all measures", scores, is_open=False, summary=list_names(measures)),
            HtmlSection(
                *("ranks", "Ranks by all measures, with intervals", ranked),
                is_open=False,
                summary=_leaders(report),
            ),
        ]
        yield HtmlSection("scores", "Scores", [], parts)
    from evenhand.report.html.slices import slice_chart  # which imports this module

    names = list(next(iter(results.values())).slices)
    chart = slice_chart(report)
    if chart or names:
        tables = [html_table(table, by) for table in slice_tables(results, by)]
        folded = HtmlSection("slice-tables", "Tables of slices", tables, is_open=False, summary=list_names(names))
        yield HtmlSection("slices", "Slices", [], [folded] if names else [], figure=chart)
    yield HtmlSection("systems", "System by system", [], [_system(report, result) for result in results.values()])


def _of_measure(table: DisplayTable, by: str) -> DisplayTable:
    """A table of rank correlations of many measures with those of one measure only."""
    if table.columns[0].name != "models" or len(table.rows) <= _MOST_CORRELATIONS:
        return table
    return replace(table, rows=[row for row in table.rows if by in str(row[0]).split(" and ")])


def _in_order(table: DisplayTable, names: Sequence[str]) -> DisplayTable:
    """A table of the ranking with its systems in this order."""
    if table.columns[0].name != "system":
        return table
    return replace(table, rows=sorted(table.rows, key=lambda row: names.index(str(row[0]))))


def _leaders(report: Report) -> str:
    """The number of measures that each system leads."""
    leaders = Counter[str]()
    for measure in report.ranking.shown_models:
        standings = report.ranking[measure]
        defined = [name for name in report.ordered if standings[name].rank]
        leaders.update([max(defined, key=lambda name: standings[name].score)] if defined else ())
    return ", ".join(f"{name} leads by {counted(number, 'measure')}" for name, number in leaders.most_common(3))


def _system(report: Report, result: Result) -> HtmlSection:
    """The tables of a system; tables of other measures than the compared one are folded."""
    alone = len(report.results) == 1
    display = TASKS[report.task].display
    others = {model_title(report.task, name) for name in result.scores if name != report.by}
    tables = [*display.details(result, PLAIN, alone=alone), *display.listing(result)]
    folded = [html_table(table, report.by) for table in tables if table.title in others]
    main = [html_table(table, report.by) for table in tables if table.title not in others]
    parts = [HtmlSection("", "By other measures", folded, is_open=False)] if folded else []
    groups = report.fix_first[result.name]
    first = f"; to fix first: {groups[0].title(TASKS[report.task])} ({groups[0].count:,})" if groups else ""
    summary = f"{score_name(report.results, report.by)} {PLAIN.score(report.scores[result.name])}{first}"
    seen = [html_table(_scores_of_slices(result, report.by), report.by)] if result.slices.get(SEEN) else []
    name = _id("system", result.name)
    return HtmlSection(name, result.name, main, parts, is_open=alone, summary=summary, beside=seen)


def _scores_of_slices(result: Result, by: str) -> DisplayTable:
    """The slices next to the labels of a system, without the counts of error types."""
    table = slice_table(result, SEEN, by)
    kept = [number for number, column in enumerate(table.columns) if column.kind != "count" or column.name == "gold"]
    return replace(table.with_columns(kept), remark="")


def _id(part: str, name: str) -> str:
    """The name of a part in addresses; it is the same in every page."""
    return quote(f"{part}-{name}".replace(" ", "-"), safe="")


def ordered_comparison(comparison: Comparison, names: Sequence[str]) -> Comparison:
    """A comparison with its systems in this order."""
    rows = [comparison.systems.index(name) for name in names]
    cells = np.ix_(rows, rows)

    def bound(present: Bound) -> Bound:
        return replace(present, right=tuple(present.right[row] for row in rows))

    oracle = comparison.oracle
    return replace(
        comparison,
        systems=tuple(names),
        scores={name: comparison.scores[name] for name in names},
        further_scores={name: comparison.further_scores[name] for name in names if comparison.further_scores},
        all_answers=comparison.all_answers[cells],
        correct_answers=comparison.correct_answers[cells],
        paired={measure: table[cells] for measure, table in comparison.paired.items()},
        oracle=replace(
            oracle,
            overall=bound(oracle.overall),
            sentences=bound(oracle.sentences),
            labels={label: bound(present) for label, present in oracle.labels.items()},
            best=rows.index(oracle.best),
        ),
    )


def _comparison(report: Report, comparison: Comparison) -> HtmlSection:
    """The pairs of systems, and all other tables of a comparison, folded."""
    by = comparison.by
    scores, pairs, *others = summary_of_comparison(comparison, TableStyle(marks=True))
    further = [(table.title.capitalize() or "Changes of all scores", table) for table in others]
    further += [("Tests of all pairs", significance(comparison))] if len(comparison.systems) > 2 else []
    further.append(("Comparison score", scores))
    summaries = _summaries(report, comparison)
    parts = [
        HtmlSection(
            *(_id("differences", heading), heading, [html_table(table, by)]),
            is_open=False,
            summary=summaries.get(heading, ""),
        )
        for heading, table in further
    ]
    if report.power is not None:
        heading, summary, figure = power_figure(report.power, comparison)
        parts.insert(0, HtmlSection("power", heading, [], is_open=False, summary=summary, figure=figure))
    return HtmlSection("differences", "Changes between systems", [html_table(pairs, by)], parts, has_pair=True)


def _summaries(report: Report, comparison: Comparison) -> dict[str, str]:
    """One line for each folded table of a comparison, by its heading."""
    oracle, difficulty, size = comparison.oracle, comparison.difficulty, len(comparison.systems)
    best, total = comparison.systems[oracle.best], sum(difficulty.values())
    (a, b, most), *_, (c, d, least) = [next(comparison.alike), *comparison.alike]
    alike = f"{a} and {b} {PLAIN.score(most)}"
    if size > 2:
        alike = f"most: {a} and {b} ({PLAIN.score(most)}); least: {c} and {d} ({PLAIN.score(least)})"
    tests = [pair.significance for pair in comparison.pairs.values() if pair.significance is not None]
    significant = sum(test.p_holm < ALPHA for test in tests)
    tested = f"{significant:,} of {counted(len(tests), 'pair')} differ significantly"
    units = plural(TASKS[comparison.task].unit_of(comparison.by))
    return {
        "Oracle": f"{PLAIN.score(oracle.overall.upper_bound)} if the best system were chosen for each unit, "
        f"{PLAIN.score(oracle.overall.gain(oracle.best), '+')} over {best}",
        "Systems correct": f"{counted(difficulty.get(0, 0), 'unit')} of {total:,} that no system gets right, "
        f"{difficulty.get(size, 0):,} that all get right",
        "Agreement": alike,
        "Both correct": f"{units} that two systems both get right",
        "Parts of differences": "each difference as a sum of gains and losses",
        "Key": "F1 with one system as the key for another",
        "Changes of all scores": f"{counted(len(comparison.pairs), 'pair')}, with tests",
        "Tests of all pairs": tested if tests else "no test was made",
        "Comparison score": score_name(report.results, report.by),
        **{
            f"Slice: {name}": f"{counted(len(slices), 'group')} of {units}"
            for name, slices in comparison.slices.items()
        },
    }


def html_table(table: DisplayTable, by: str) -> HtmlTable:
    """A table with links from cells to units; `by` is the measure that decides on the units of the page."""
    table = without_bars(table)
    numeric = [column.kind != "text" for column in table.columns]
    counts = [value for row in table.rows for value in row[1:] if isinstance(value, int | float)]
    maximum = max(counts, default=0) if table.shaded else 0
    best = set(best_cells(table, row_texts(table)))
    rows = []
    for number, row in enumerate(table.rows):
        queries: Queries = table.queries[number] if table.queries else [None] * len(row)
        cells = []
        for index, (value, column, query) in enumerate(zip(row, table.columns, queries, strict=True)):
            text = cell_text(value, column.kind)
            text = with_minus(text) if numeric[index] or column.explains else text
            href = address(query, by) if index == 0 or text not in ("", "0") else None
            heat = value / maximum if maximum and isinstance(value, int | float) else None
            is_unlisted = column.kind == "count" and href is None and text not in ("", "0")
            cells.append(HtmlCell(text, numeric[index], href, heat, (number, index) in best, is_unlisted))
        rows.append(cells)
    return HtmlTable(headings(table), numeric, rows, table.summary_rows, table.remark)


# Links to units


_NAMES = {
    attribute.name: attribute.name.rstrip("_") for attribute in fields(Query) if attribute.name not in ("by", "section")
}


@lru_cache(1 << 14)
def address(query: Query | None, by: str) -> str | None:
    """The address of units in a page that compares by a measure: `#units?system=crf&kind=LE&gold=PER`.

    None if the page does not have the units.
    """
    if query is None or (query.by is not None and by not in query.by.split(",")):
        return None
    filters = ((name, getattr(query, attribute)) for attribute, name in _NAMES.items())
    return f"#{query.section}?" + "&".join(f"{name}={_quoted(value)}" for name, value in filters if value is not None)


@lru_cache(1 << 14)
def _quoted(value: str | bool) -> str:
    return quote(str(int(value)) if isinstance(value, bool) else value, safe="")


# Data of pairs


def pair_data(report: Report) -> dict[str, Any]:
    """Pairs as rows (both systems, the difference, its interval and p); labels as rows of units and scores."""
    comparison = report.comparison
    if comparison is None:
        return {"pairs": [], "label_scores": [], "labels_are_compared": False, "has_parts": False}
    names, pairs = list(report.ordered), list(comparison.pairs.values())
    compared = {label: bound.units for label, bound in comparison.oracle.labels.items()}
    return {
        "pairs": [[names.index(pair.before), names.index(pair.after), *_figures(pair)] for pair in pairs],
        "label_scores": [
            [label, scores.units, *(scores.scores[name] for name in names)]
            for label, scores in comparison.labels.items()
        ],
        "labels_are_compared": all(label.units == compared.get(name, 0) for name, label in comparison.labels.items()),
        "has_parts": any(row.change for pair in pairs for units in pair.classes.values() for row in units.transitions),
    }


def _figures(pair: Pair) -> list[float | None]:
    low, high = pair.interval or (None, None)
    return [pair.delta, low, high, None if pair.significance is None else pair.significance.p_holm]


# Texts: long names shortened in the middle, no options of commands, one minus sign


_NAME_WIDTH = 1.82
"""Maximum width of a system's name in small type, in inches: about 28 characters; its title is the whole name."""
_SIGNS = str.maketrans({"\n": "↵", "\t": "⇥"})
_MINUS = re.compile(r"(?<![\w.-])-(?=[\d.])")
_OPTION = r"--[a-z]"
_CLAUSE = re.compile(rf"[;,] (?:[^;.()]|\.(?=\w))*{_OPTION}(?:[^;.()]|\.(?=\w))*(?=[;.)]|$)")
_BRACKETS = re.compile(rf" \([^()]*{_OPTION}[^()]*\)")
_SENTENCE = re.compile(r"(?<=[.:]) +(?=\S)")


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names by their full forms; if some are long, without common parts and without their middle. All are distinct."""
    shown = {name: with_signs(name) for name in names}
    short = distinct_names(shown.values(), _NAME_WIDTH)
    return {name: short[text] for name, text in shown.items()}


def with_signs(text: str) -> str:
    """A text with signs for line feeds and tabs, and codes (`\\x1b`) for other control characters.

    Browsers do not show these.
    """
    return visible(text.translate(_SIGNS))


def shortened(text: str, short: Mapping[str, str]) -> Markup:
    """A sentence in which long names are shortened; their titles have all of them."""
    long = sorted((name for name in short if short[name] != name), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, long))})", text) if long else [text]
    return Markup("").join(
        Markup('<span title="{}">{}</span>').format(with_signs(part), short[part])
        if part in long
        else escape(with_signs(part))
        for part in parts
    )


def without_options(text: str) -> str:
    """A text without remedies that are options of a command, which readers of a page do not run."""
    text = _BRACKETS.sub("", _CLAUSE.sub("", text))
    return " ".join(sentence for sentence in _SENTENCE.split(text) if not re.search(_OPTION, sentence))


def with_minus(text: str) -> str:
    """Numbers with a minus sign, not a hyphen."""
    return _MINUS.sub("−", text)
