"""Charts as inline SVG, with a text alternative and a link for every bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.report.figures.canvas import FILLS
from evenhand.report.html.links import address
from evenhand.result.report import Report
from evenhand.tasks.error_bars import Bar as ErrorBar
from evenhand.tasks.error_bars import ErrorKind
from evenhand.tasks.registry import TASKS

COLORS = tuple(color for color, _ in FILLS)
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

    height: int
    rows: Sequence[BarRow]
    legend: Sequence[tuple[str, str]]
    """Colours and names."""
    remark: str


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


def bar_chart(report: Report) -> BarChart | None:
    """How the errors of each system divide, if what tells their kinds was scored."""
    try:
        found = TASKS[report.task].display.errors(report.results)
    except SettingError:
        return None
    colors = dict(zip(found.kinds, cycle(COLORS), strict=False))
    rows = [_bar_row(report, bar, colors, number * _ROW) for number, bar in enumerate(found.bars)]
    legend = [(color, kind.name) for kind, color in colors.items()]
    return BarChart(len(rows) * _ROW + 8, rows, legend, found.remark)


def _bar_row(report: Report, bar: ErrorBar, colors: Mapping[ErrorKind, str], y: int) -> BarRow:
    parts, x = [], float(_LABEL)
    title = f"{bar.system}, {bar.model}" if bar.model else bar.system
    for (kind, color), count, query in zip(colors.items(), bar.counts, bar.queries, strict=True):
        width = _WIDTH * count / bar.total if bar.total else 0.0
        text = f"{title}, {kind.name}: {count:,.0f} of {bar.total:,.0f}"
        name = kind.name if kind.is_label else kind.name.partition(":")[0]
        parts.append(Bar(x, width, color, text, address(query, report.by), name))
        x += width
    end = f"{title[len(bar.system) :]} ({bar.total:,.0f})"
    return BarRow(_short(bar.system, 26 - len(end)) + end, f"{title} ({bar.total:,.0f})", y, parts)


def _short(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def intervals(report: Report) -> list[IntervalChart]:
    """A chart a match model: every system's score and its interval."""
    return [_interval_chart(report, model) for model in report.ranking.models]


def _interval_chart(report: Report, model: str) -> IntervalChart:
    standings = {system: report.ranking[model][system] for system in report.ranking.systems}
    bounds = {system: each.interval or (each.score, each.score) for system, each in standings.items()}
    edges = [edge for system, each in standings.items() for edge in (*bounds[system], each.score)]
    low, high = min(edges), max(edges)
    room = max((high - low) * 0.08, 0.005)
    low, high = max(0.0, low - room), min(1.0, high + room)

    def place(value: float) -> float:
        return _LABEL + _WIDTH * (value - low) / (high - low or 1.0)

    dots = []
    for row, (system, standing) in enumerate(standings.items()):
        text = f"{system}: {100 * standing.score:.2f}"
        if standing.interval is not None:
            text += " ({:.2f} to {:.2f})".format(*(100 * bound for bound in standing.interval))
        begin, end = map(place, bounds[system])
        dots.append(Dot(system, row * _ROW + _ROW // 2, place(standing.score), begin, end, text))
    ticks = [(place(value), f"{100 * value:.1f}") for value in _ticks(low, high)]
    return IntervalChart(model, len(dots) * _ROW + 22, dots, ticks)


def _ticks(low: float, high: float) -> list[float]:
    """Five round numbers or so."""
    step = next((step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 6), 0.2)
    first = int(low / step) + 1
    return [number * step for number in range(first, int(high / step) + 1)]
