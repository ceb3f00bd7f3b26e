"""The chart of slices on a page: one row per slice, one mark per system on a common scale.

The first slices are labels, the most frequent first. Slices without gold units are left out, because nothing can be
found there. Names lead to the errors of the best system, sizes to the gold units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

from markupsafe import Markup

from evenhand.dataclass import dataclass
from evenhand.errors import counted, plural
from evenhand.report.html.sections import address
from evenhand.results.comparison import Report
from evenhand.results.result import Result
from evenhand.tables import PLAIN, Query
from evenhand.tasks.registry import TASKS
from evenhand.tasks.tables import all_gold

_MARKS = ("disc", "square", "diamond", "ring", "frame")
"""Shapes of marks, one per system; further systems are only in the tables."""
_MOST_ROWS = 20
"""Maximum number of slices in a chart: those with the most gold units."""


@dataclass(frozen=True)
class _Row:
    name: str
    units: int
    scores: Mapping[str, float]
    """By system."""
    errors: Query
    gold: Query | None


@dataclass(frozen=True)
class _Chart:
    heading: str
    rows: Sequence[_Row]
    more: int
    """Number of further slices, which are only in the tables."""


def slice_chart(report: Report) -> Markup:
    """The scores of the best systems by label and in all slices; nothing if the measure of the page has none there."""
    shown = dict(zip(report.ordered, _MARKS, strict=False))
    results = {system: report.results[system] for system in shown}
    best, by = next(iter(results.values())), report.by
    charts = [chart for chart in (_labels(report, results), *_slices(report, results)) if chart is not None]
    if not charts:
        return Markup()
    overall = best[by].headline
    known = [score for chart in charts for row in chart.rows for score in row.scores.values()]
    known = [score for score in (*known, overall) if not isnan(score)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = max(0.04 * (high - low), 0.005)
    low, high = low - room, high + room

    def position(score: float) -> str:
        return f"{100 * (score - low) / (high - low):.2f}%"

    def item(row: _Row) -> Markup:
        texts = ", ".join(f"{system} {PLAIN.score(score)}" for system, score in row.scores.items())
        marks = Markup("").join(
            Markup('<u class="{}" style="left: {}"></u>').format(shown[system], position(score))
            for system, score in row.scores.items()
            if not isnan(score)
        )
        line = "" if isnan(overall) else Markup('<s style="left: {}"></s>').format(position(overall))
        size = Markup('<span class="unlisted">{:,}</span>').format(row.units)
        if (href := address(row.gold, by)) is not None:
            size = Markup('<a href="{}">{:,}</a>').format(href, row.units)
        return Markup(
            '<li title="{}"><a href="{}"><bdi>{}</bdi></a><span class="number">{}</span>'
            '<div class="scale"><div>{}{}</div><span class="unseen">{}</span></div></li>'
        ).format(texts, address(row.errors, by), row.name, size, line, marks, texts)

    lists = Markup("").join(
        Markup('<div><h3>{}</h3><ul class="slice-chart">{}</ul>{}</div>').format(
            chart.heading,
            Markup("").join(map(item, chart.rows)),
            Markup('<p class="remark">{} in the tables</p>').format(f"{chart.more:,} more") if chart.more else "",
        )
        for chart in charts
    )
    legend = Markup(" ").join(
        Markup('<span><u class="{}"></u> <bdi>{}</bdi></span>').format(mark, system) for system, mark in shown.items()
    )
    scale = f"Scale: {PLAIN.score(max(low, 0.0))} to {PLAIN.score(min(high, 1.0))}. Line: {best.name} on all units."
    scale += f" Numbers: gold {plural(report.results.unit)}."
    more = len(report.results) - len(shown)
    others = f" {counted(more, 'more system')} {'is' if more == 1 else 'are'} in the tables." if more else ""
    remark = Markup('<p class="legend slice-legend">{} <span>{}{}</span></p>').format(legend, scale, others)
    return remark + Markup('<div class="slice-charts">') + lists + Markup("</div>")


def _labels(report: Report, results: Mapping[str, Result]) -> _Chart | None:
    """F1 by label, if the units of the page have at least two labels."""
    task, best = TASKS[report.task], next(iter(results.values()))
    sizes = best.gold.labels
    labels = [label for label in sorted(sizes, key=lambda label: -sizes[label]) if label in best[report.by].labels]
    gold = all_gold(report.task)
    if len(labels) < 2 or report.by in task.other_units:
        return None
    rows = [
        _Row(
            *(label, sizes[label], {name: _score(result, report.by, label) for name, result in results.items()}),
            Query(best.name, right=False, label=label),
            None if gold is None else replace(gold, gold=label),
        )
        for label in labels
    ]
    return _Chart(f"{task.display.label}, the most frequent first: F1", rows[:_MOST_ROWS], len(rows[_MOST_ROWS:]))


def _score(result: Result, by: str, label: str) -> float:
    row = result[by].labels.get(label)
    return float("nan") if row is None else row.f1


def _slices(report: Report, results: Mapping[str, Result]) -> Iterator[_Chart]:
    """The scores in the slices of the run."""
    best, by = next(iter(results.values())), report.by
    for name, slices in best.slices.items():
        values = [value for value, piece in slices.items() if piece.units and by in piece.scores]
        largest = sorted(values, key=lambda value: -slices[value].units)[:_MOST_ROWS]
        rows = [
            _Row(
                *(value, slices[value].units),
                {system: result.slices[name][value][by].headline for system, result in results.items()},
                Query(best.name, right=False, slice=f"{name}={value}", by=by),
                all_gold(report.task, f"{name}={value}"),
            )
            for value in values
            if value in largest
        ]
        if rows:
            yield _Chart(name, rows, len(values) - len(rows))
