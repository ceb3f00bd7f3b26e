"""The first screen of a page: every system's score with its interval, and how its errors divide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import isnan

import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.units import CollectedUnits, Collection
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.report.figures.canvas import fills
from evenhand.report.html.sections import address
from evenhand.report.verdict import can_decide, differs, measure, p_words, score_name
from evenhand.results.comparison import Comparison, Report
from evenhand.tables import PLAIN
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import Bar as ErrorBar
from evenhand.tasks.tables import ErrorBars, ErrorGroup, ErrorKind

# == report/html/fix_first.py: What to fix first, as a page shows it: groups of errors with


_EXAMPLES = 3
_BEFORE, _AFTER, _MOST_WORDS = 18, 6, 8
"""How many characters before the unit an example has, and how many tokens after it and of it."""


@dataclass(frozen=True)
class Example:
    """A unit in its context: `unit` is its number in the page."""

    unit: int
    before: str
    words: str
    after: str


@dataclass(frozen=True)
class FixSuggestion:
    """A group of errors of one system."""

    title: str
    count: str
    points: str
    href: str | None
    examples: Sequence[Example]


@dataclass
class Met:
    """The units of a group that the page carries: how many, and the first ones, with and without other words."""

    count: int = 0
    different: dict[str, Example] = field(default_factory=dict)
    others: list[Example] = field(default_factory=list)

    def add(self, example: Example) -> None:
        if example.words not in self.different:
            self.different[example.words] = example
        elif len(self.others) < _EXAMPLES:
            self.others.append(example)

    @property
    def examples(self) -> list[Example]:
        """Three, with different words if that can be."""
        return [*self.different.values(), *self.others][:_EXAMPLES]


def fixes(report: Report) -> dict[str, list[FixSuggestion]]:
    """For every system, the best one first, what it should fix first."""
    units = report.units.units()
    classes = dict(zip(report.results, units.classes, strict=True))
    return {
        name: [_fix(report, name, group, _met(report, group, units, classes[name])) for group in groups]
        for name, groups in report.fix_first.items()
    }


def _fix(report: Report, system: str, group: ErrorGroup, met: Met) -> FixSuggestion:
    task, units = TASKS[report.task], report.units
    is_complete = units.included < units.total or met.count == group.count
    href = address(group.query(task, system), report.by) if is_complete else None
    points = f"+{100 * group.recoverable:.2f}"
    return FixSuggestion(group.title(task), f"{group.count:,}", points, href, met.examples)


def _met(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Met:
    """What the page carries of a group; `classes` are those of all units under its system."""
    rows, space = _rows(report, group, units, classes), " " if report.results.gold.characters is None else ""
    met = Met(len(rows))
    for row in rows.tolist():
        if len(met.different) == _EXAMPLES:
            break
        met.add(_example(report.units, row, units, space))
    return met


def _rows(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Ints:
    """The units of a group, as `tasks.recoverable` forms them."""
    task, wanted = TASKS[report.task], (group.verdict, group.gold, group.predicted)
    names = {number: _names(report, code) for code, number in report.units.classes.items()}
    size = 3 if task.display.has_label_answers else 2
    is_met = np.isin(classes, [number for number, name in names.items() if name[:size] == wanted[:size]])
    if size == 2 and not group.gold:
        is_met &= np.isin(units.label, [code for code, name in enumerate(report.labels) if name == group.predicted])
    return np.flatnonzero(is_met)


def _names(report: Report, code: tuple[int, int, int]) -> tuple[str, str, str]:
    """The verdict and both labels of a class of units."""
    kind, gold, predicted = code
    labels = [report.labels[label] if label >= 0 else "" for label in (gold, predicted)]
    return TASKS[report.task].error_types.all[kind], labels[0], labels[1]


def _example(collection: Collection, unit: int, units: CollectedUnits, space: str) -> Example:
    tokens = collection.sentences[units.sentence[unit]].tokens
    start, end = int(units.start[unit]), int(units.end[unit])
    words = list(tokens[start:end])
    if len(words) > _MOST_WORDS:
        words[_MOST_WORDS // 2 : -(_MOST_WORDS // 2)] = ["…"]
    first = start
    while first and len(space.join(tokens[first - 1 : start])) <= _BEFORE:
        first -= 1
    before, after = tokens[first:start], tokens[end : end + _AFTER]
    return Example(unit, space.join(before), units.nowhere[unit] or space.join(words), space.join(after))


# == report/html/overview.py (primary)


@dataclass(frozen=True)
class Part:
    """A part of a bar: which share of the errors it stands for."""

    share: float
    color: str
    ink: str
    """The colour of the name on it."""
    name: str
    text: str
    href: str | None


@dataclass(frozen=True)
class Bar:
    """The errors of a system under a match model, as a bar of 100 %."""

    system: str
    model: str
    total: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class SystemRow:
    """A system: its score, where score and interval stand on the scale, in percent, and how it stands to the best."""

    name: str
    score: str
    interval: str
    low: float
    place: float
    high: float
    standing: str
    is_best: bool
    is_defined: bool
    bar: Bar | None


@dataclass(frozen=True)
class Overview:
    measure: str
    points: str
    """The score that errors are told by, of which `fix first` has the points."""
    low: str
    """The scale of intervals, from here to `high`."""
    high: str
    rows: Sequence[SystemRow]
    other_bars: Sequence[Bar]
    """The errors as other match models count them."""
    legend: Sequence[tuple[str, str]]
    """Colours and the names of errors."""
    remark: str


def overview(report: Report) -> Overview:
    """Systems by score, with the measure that comes first."""
    found = _errors(report)
    kinds = [] if found is None else list(found.kinds)
    colors = {kind: color for kind, (color, _) in zip(kinds, fills(kinds), strict=True)}
    bars = [] if found is None else [_bar(report, bar, colors) for bar in found.bars]
    primary = model_title(report.task, report.by)
    own = {bar.system: bar for bar in reversed(bars) if bar.model in ("", primary)}
    others = [bar for bar in bars if own.get(bar.system) is not bar]
    low, high = _scale(report)
    rows = [_row(report, name, low, high, own.get(name)) for name in report.ordered]
    legend = [(color, kind.name) for kind, color in colors.items()]
    remark = "" if found is None else found.remark
    scale = f"{100 * low:.1f}", f"{100 * high:.1f}"
    return Overview(measure(report), score_name(report, report.by), *scale, rows, others, legend, remark)


def _errors(report: Report) -> ErrorBars | None:
    """How the errors of each system divide, if what tells their kinds was scored."""
    try:
        found = TASKS[report.task].display.errors(report.ordered, report.by)
    except SettingError:
        return None
    return found.without_empty(found.kinds)


def _bar(report: Report, bar: ErrorBar, colors: Mapping[ErrorKind, str]) -> Bar:
    parts = []
    title = f"{bar.system}, {bar.model}" if bar.model else bar.system
    for (kind, color), count, query in zip(colors.items(), bar.counts, bar.queries, strict=True):
        if count:
            name = kind.name if kind.is_label else kind.name.partition(":")[0]
            text = f"{title}, {kind.name}: {count:,.0f} of {bar.total:,.0f}"
            parts.append(Part(100 * count / bar.total, color, _ink(color), name, text, address(query, report.by)))
    return Bar(bar.system, bar.model, f"{bar.total:,.0f}", parts)


def _ink(color: str) -> str:
    """Black or white, whichever can be read on a colour (relative luminance of WCAG 2)."""
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#fff"


def _scale(report: Report) -> tuple[float, float]:
    """The ends of the scale on which all scores and intervals have room."""
    standings = report.ranking[report.by].values()
    edges = [edge for standing in standings for edge in (*(standing.interval or ()), standing.score) if not isnan(edge)]
    if not edges:
        return 0.0, 1.0
    room = max((max(edges) - min(edges)) * 0.05, 0.005)
    return max(0.0, min(edges) - room), min(1.0, max(edges) + room)


def _row(report: Report, name: str, low: float, high: float, bar: Bar | None) -> SystemRow:
    standing = report.ranking[report.by][name]
    begin, end = standing.interval or (standing.score, standing.score)

    def place(value: float) -> float:
        return 0.0 if isnan(value) else 100 * (value - low) / (high - low)

    text = "" if standing.interval is None else f"{100 * begin:.2f} to {100 * end:.2f}"
    best = next(iter(report.ordered))
    against = _against(report.comparison, best, name)
    return SystemRow(
        name,
        PLAIN.score(standing.score),
        text,
        place(begin),
        place(standing.score),
        place(end),
        against,
        name == best and report.comparison is not None and not isnan(standing.score),
        not isnan(standing.score),
        bar,
    )


def _against(comparison: Comparison | None, best: str, name: str) -> str:
    """How a system stands to the best one, in words."""
    if comparison is None or isnan(comparison.scores[name]):
        return ""
    if name == best:
        return "best"
    is_different = differs(comparison, best, name)
    if is_different is None:
        return ""
    pair = comparison.pairs.get((best, name)) or comparison.pairs[name, best]
    p = "" if pair.significance is None else p_words(pair.significance.p_holm)
    if not can_decide(comparison, pair):
        return f"too few {comparison.resampling['of']} to tell, {p}"
    return f"lower, {p}" if is_different else f"no evidence, {p}"
