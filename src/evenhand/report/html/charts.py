"""Charts as inline SVG, with a text alternative and a link for every bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.judge.trees import TREE_KINDS
from evenhand.report.html.links import units
from evenhand.report.tables import ERROR_NAMES
from evenhand.result.report import Report
from evenhand.result.result import Result

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a8a", "#f0e442")
"""Distinct for colour-blind readers (Okabe and Ito)."""
_LABEL, _WIDTH, _ROW = 194, 516, 26


@dataclass(frozen=True)
class Bar:
    """A part of a bar, with what it stands for."""

    x: float
    width: float
    color: str
    text: str
    href: str | None
    name: str


@dataclass(frozen=True)
class BarRow:
    name: str
    """As it is written beside the bar, shortened where it is long."""
    title: str
    y: int
    bars: Sequence[Bar]


@dataclass(frozen=True)
class BarChart:
    """Bars of 100 %, one a row."""

    title: str
    height: int
    rows: Sequence[BarRow]
    legend: Sequence[tuple[str, str]]
    """Colours and names."""


@dataclass(frozen=True)
class Dot:
    name: str
    y: int
    x: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class IntervalChart:
    """Scores of systems with their intervals, under one match model."""

    title: str
    height: int
    dots: Sequence[Dot]
    ticks: Sequence[tuple[float, str]]


def error_bars(report: Report) -> BarChart | None:
    """How the errors of each system divide; of spans, what exact match makes of them beside it."""
    rows: list[BarRow] = []
    names: dict[str, str] = {}
    for result in report.results.values():
        for title, counts, hrefs in _error_counts(result):
            total = sum(counts.values())
            bars, x = [], 0.0
            for kind, count in counts.items():
                color = COLORS[list(ERROR_COLORS).index(kind) % len(COLORS)]
                names.setdefault(kind, color)
                width = _WIDTH * count / total if total else 0.0
                text = f"{title}, {kind} ({ERROR_COLORS[kind]}): {count:,.0f} of {total:,.0f}"
                bars.append(Bar(_LABEL + x, width, color, text, hrefs[kind], kind))
                x += width
            end = f"{title[len(result.name) :]} ({total:,.0f})"
            rows.append(
                BarRow(_short(result.name, 26 - len(end)) + end, f"{title} ({total:,.0f})", len(rows) * _ROW, bars)
            )
    if not rows:
        return None
    # Kinds of words are words themselves.
    legend = [
        (color, ERROR_COLORS[kind] if kind in _WORD_ERRORS else f"{kind} {ERROR_COLORS[kind]}")
        for kind, color in names.items()
    ]
    return BarChart("error types", len(rows) * _ROW + 8, rows, legend)


def _short(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


ERROR_COLORS: Mapping[str, str] = {
    **{kind: name for kind, name in ERROR_NAMES.items() if kind not in ("FN", "FP")},
    "FP": "spurious",
    "FN": "missing",
    "wrong": "wrong tag",
    "wrong_head": "wrong head",
    "wrong_relation": "wrong relation",
    "both": "both wrong",
    "missing": "missing word",
    "extra": "extra word",
    "wl": "wrong antecedent",
    "fn": "no antecedent",
    "fp": "spurious antecedent",
}


_Errors = tuple[str, dict[str, float], dict[str, str | None]]
"""The title of a bar, counts by kind of error, and the units behind them, where the page carries these."""
_WORD_ERRORS = ("wrong", *TREE_KINDS[1:], "missing", "extra")


def _error_counts(result: Result) -> list[_Errors]:
    system, task = result.name, result.settings.task
    if task == "spans":
        return _span_errors(result)
    if task == "chains":
        models = [model for model in ("arcs_any", "arcs_nom") if model in result.scores]
        found = list[_Errors]()
        for model in models[:1]:
            overall = result[model].overall
            counts = {kind: overall[kind] for kind in ("wl", "fn", "fp")}
            found.append((system, counts, {kind: units(system=system, kind=kind) for kind in counts}))
        return found
    return _word_errors(result)


def _word_errors(result: Result) -> list[_Errors]:
    judge = result.settings.task
    if judge not in result.tallies:
        return []
    tally = result.tallies[judge]
    totals = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    counts = {kind: totals.get(kind, 0.0) + totals.get(f"gold.{kind}", 0.0) for kind in _WORD_ERRORS}
    counts = {kind: count for kind, count in counts.items() if count}
    hrefs = {kind: units(system=result.name, kind=kind) if kind != "extra" else None for kind in counts}
    return [(result.name, counts, hrefs)]


def _span_errors(result: Result) -> list[_Errors]:
    found = list[_Errors]()
    system = result.name
    if "exact" in result.scores:
        overall = result["exact"].overall
        counts = {"FP": overall["FP"], "FN": overall["FN"]}
        matched = "LE,BES,BEL,BEO,LBE"
        hrefs: dict[str, str | None] = {
            "FP": units(system=system, of="system", kind=f"{matched},FP"),
            "FN": units(system=system, of="gold", kind=f"{matched},FN"),
        }
        found.append((f"{system}, exact", counts, hrefs))
    if "fair" in result.scores:
        overall = result["fair"].overall
        counts = {kind: overall[kind] for kind in ERROR_COLORS if kind in overall.counts and kind in ERROR_NAMES}
        found.append((f"{system}, fair", counts, {kind: units(system=system, kind=kind) for kind in counts}))
    return found


def intervals(report: Report) -> list[IntervalChart]:
    """A chart a match model: every system's score and its interval."""
    return [_interval_chart(report, model) for model in report.ranking.models]


def _interval_chart(report: Report, model: str) -> IntervalChart:
    standings = report.ranking[model]
    edges = [bound for each in standings.values() for bound in (each.interval or (each.score, each.score))]
    edges += [each.score for each in standings.values()]
    low, high = min(edges), max(edges)
    room = max((high - low) * 0.08, 0.005)
    low, high = max(0.0, low - room), min(1.0, high + room)

    def place(value: float) -> float:
        return _LABEL + _WIDTH * (value - low) / (high - low or 1.0)

    dots = []
    for row, system in enumerate(report.ranking.systems):
        standing = standings[system]
        bounds = standing.interval or (standing.score, standing.score)
        text = f"{system}: {100 * standing.score:.2f}"
        if standing.interval is not None:
            text += f" ({100 * bounds[0]:.2f} to {100 * bounds[1]:.2f})"
        dots.append(
            Dot(system, row * _ROW + _ROW // 2, place(standing.score), place(bounds[0]), place(bounds[1]), text)
        )
    ticks = [(place(value), f"{100 * value:.1f}") for value in _ticks(low, high)]
    return IntervalChart(model, len(dots) * _ROW + 22, dots, ticks)


def _ticks(low: float, high: float) -> list[float]:
    """Five round numbers or so."""
    step = next((step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 6), 0.2)
    first = int(low / step) + 1
    return [number * step for number in range(first, int(high / step) + 1)]
