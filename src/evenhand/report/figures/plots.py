"""Results as figures: which kinds there are, of what, and where they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import Values
from evenhand.comparison.ranking import RankInterval
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted, plural, unknown
from evenhand.files import write_file
from evenhand.report.comparison_tables import readable_pairs
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import (
    PAGE,
    SMALL,
    Size,
    check_matplotlib,
    count_axis,
    fills,
    finish,
    form_of,
    named,
    remark,
    render,
    sheet,
    style,
    text_width,
)
from evenhand.results.comparison import Comparison, Pair, Ranking
from evenhand.results.display import Plotted
from evenhand.results.result import Result, Results
from evenhand.results.signature import NOTHING_TO_RESAMPLE
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import NO_LABEL
from evenhand.tables import UNDEFINED, stars
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import Bar, confusion_score, errors_by_label
from evenhand.tasks.task import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# == report/figures/comparison.py: What changes from one system to another, as diverging bars,


_ROW, _NARROW_ROW, _NARROW, _DELTA = 0.26, 0.3, 5.0, 0.6
"""In inches, the height of a pair, with its name on one line or two, and the width below which figures are narrow; the
score's width by that of bars.
"""
_AROUND, _NARROW_AROUND = 1.4, 2.0
"""The height of what is not pairs: axes, legend and small print."""


def draw(comparison: Comparison, size: Size) -> Figure:
    """For every pair new errors to the left, corrections to the right, changed errors, and the change of the score."""
    pairs = readable_pairs(comparison)
    pairs = pairs[: _most_pairs(size)]
    figure, (left, middle, right), (new, corrected, changed) = _panels(pairs, size)
    _bars(left, [-pair.new_errors.count for pair in pairs], canvas.VERMILLION, "/////", "new errors")
    _bars(left, [pair.corrections.count for pair in pairs], canvas.BLUE, "", "corrections")
    _bars(middle, [pair.changed_errors.count for pair in pairs], "#DDDDDD", "...", "changed errors")
    left.set_xlim(-new, corrected)
    middle.set_xlim(0, changed)
    left.set_xlabel(plural(TASKS[comparison.task].unit_of(comparison.by)))
    count_axis(left)
    count_axis(middle)
    left.axvline(0, color="black", linewidth=0.6)
    _deltas(right, pairs)
    right.set_xlabel(f"change of score ({model_title(comparison.task, comparison.by)}), points")
    canvas.legend(figure, (left, middle))
    canvas.remark(figure, _remark(comparison, len(pairs)))
    return figure


def _most_pairs(size: Size) -> int:
    """How many pairs a page or the user's height has room for."""
    height = size.height or canvas.PAGE
    if size.inches < _NARROW:
        return max(1, int((height - _NARROW_AROUND) / (2 * _NARROW_ROW)))
    return max(1, int((height - _AROUND) / _ROW))


def _panels(pairs: Sequence[Pair], size: Size) -> tuple[Figure, list[Axes], tuple[float, float, float]]:
    """Axes for bars on both sides of zero, for bars, and for the score: side by side, or below in a narrow figure."""
    narrow = size.inches < _NARROW
    widest = 0.25 * size.inches if narrow else min(1.1, 0.2 * size.inches)
    names = canvas.distinct_names((name for pair in pairs for name in (pair.before, pair.after)), widest)
    arrow = "\n→ " if narrow else " → "
    shown = [canvas.joined(names[pair.before], arrow, names[pair.after]) for pair in pairs]
    room = size.inches - max(canvas.text_width(line, canvas.TEXT_SIZE) for name in shown for line in name.split("\n"))
    ranges = _ranges(pairs, room, 0 if narrow else _DELTA)
    new, corrected, changed = ranges
    height = _NARROW_AROUND + 2 * _NARROW_ROW * len(pairs) if narrow else _AROUND + _ROW * len(pairs)
    figure = canvas.sheet(size, height)
    mosaic: Any = [["left", "middle"], ["right", "right"]] if narrow else [["left", "middle", "right"]]
    ratios = [new + corrected, changed, _DELTA * (new + corrected + changed)]
    found = figure.subplot_mosaic(mosaic, sharey=True, width_ratios=ratios[: len(mosaic[0])])
    panels = [found[name] for name in ("left", "middle", "right")]
    canvas.rows_of(panels[0], shown)
    for axes in panels[1:2] if narrow else panels[1:]:
        axes.tick_params(axis="y", labelleft=False)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    return figure, panels, ranges


def _ranges(pairs: Sequence[Pair], inches: float, beside: float) -> tuple[float, float, float]:
    """How far the axes of new errors, corrections and changed errors go: on one scale, with room for the counts.

    `inches` is the width of everything but the names; the score stands beside, with this share of the bars' width.
    """
    new = max(pair.new_errors.count for pair in pairs)
    corrected = max(pair.corrections.count for pair in pairs)
    changed = max(pair.changed_errors.count for pair in pairs)
    text = canvas.text_width(f"{max(new, corrected, changed):,}", canvas.SMALL) + 0.08
    bars = max((inches - (1.1 if beside else 0.5)) / (1 + beside), 4 * text)
    room = text * (new + corrected + changed) / (bars - 3 * text) or 1
    return new + room, corrected + room, changed + room


def _bars(axes: Axes, counts: Sequence[int], colour: str, hatch: str, name: str) -> None:
    """A bar for each pair, with its count at the end."""
    axes.barh(range(len(counts)), counts, 0.7, color=colour, hatch=hatch, edgecolor="black", label=name)
    for place, count in enumerate(counts):
        canvas.beside(axes, f"{abs(count):,}", (count, place), -3 if name == "new errors" else 3)


def _deltas(axes: Axes, pairs: Sequence[Pair]) -> None:
    """The change of the score in points of 100, with its interval and marks where it is significant."""
    axes.axvline(0, color=canvas.GREY, linewidth=0.6)
    for place, pair in enumerate(pairs):
        if pair.interval is not None:
            axes.plot([100 * bound for bound in pair.interval], [place, place], color="black", linewidth=1)
    deltas = [100 * pair.delta for pair in pairs]
    axes.plot(deltas, range(len(pairs)), "o", color="black", markersize=4)
    for place, (pair, delta) in enumerate(zip(pairs, deltas, strict=True)):
        marks = stars(None if pair.significance is None else pair.significance.p_holm)
        text = UNDEFINED if isnan(delta) else f"{delta:+.2f}{marks}".replace("-", "−")
        canvas.beside(axes, text, (1, place), 4, at_edge=True)


def _remark(comparison: Comparison, shown: int) -> str:
    made, parts = comparison.resampling, []
    readable = len(readable_pairs(comparison))
    if readable < len(comparison.pairs):
        parts.append(f"Neighbours by score, of {counted(len(comparison.pairs), 'pair')}.")
    if shown < readable:
        parts.append(f"The first {shown} of {counted(readable, 'pair')}.")
    parts += [f"{note[:1].upper()}{note[1:]}" for note in comparison.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    if made["resamples"]:
        parts.append(f"Lines: {100 * made['level']:g}% intervals ({made['resamples']:,} resamples of {made['of']}).")
    if made["trials"]:
        parts.append("* p < 0.05, ** p < 0.01 (randomization, Holm).")
    return " ".join(parts)


# == report/figures/confusion.py: Which labels are confused with which, as heat maps: Figure 2


MOST_LABELS, MOST_SYSTEMS = 15, 4
_COLOURS = "viridis_r"
"""Uniform to the eye, for colour-blind readers too, and from light to dark in grey."""
_SMALLEST_CELL, _SMALL_CELL, _LARGEST_CELL, _WIDEST_NAME = 0.14, 0.18, 0.36, 0.8
"""In inches."""
_AROUND_CONFUSION, _BETWEEN, _TITLE = 0.5, 0.15, 0.3
"""The inches beside names of labels, between two matrices, and of the name of a system."""


@dataclass(frozen=True)
class Plan:
    """The labels that a figure shows, and how its matrices stand."""

    golds: Sequence[str]
    systems: Sequence[str]
    """Labels of the rows and of the columns; the empty one stands for none."""
    columns: int
    """How many matrices stand side by side."""
    cell: float
    height: float
    """In inches."""


def draw_confusion(results: Results, size: Size, systems: str | Sequence[str] = ()) -> Figure:
    """A matrix for each system, gold labels as rows; all have the same labels and the same shades."""
    declared, scores = _scores(results, systems)
    errors = errors_by_label(list(scores.values()))
    plan, labels = _plan(list(scores.values()), errors, size)
    figure = sheet(size, plan.height)
    rows = ceil(len(scores) / plan.columns)
    panels = figure.subplots(rows, plan.columns, squeeze=False, sharex=True, sharey=True).ravel()
    tables = {name: matrix(score, plan.golds, plan.systems) for name, score in scores.items()}
    most = max((np.nanmax(table, initial=0) for table in tables.values()), default=0)
    for place, (axes, (name, table)) in enumerate(zip(panels, tables.items(), strict=False)):
        _heat(axes, table, max(float(most), 1.0))
        _name(axes, plan, declared.one_sided)
        if place >= len(tables) - plan.columns:
            axes.set_xlabel("system")
            axes.tick_params(axis="x", labelbottom=True)
        axes.set_ylabel("gold standard" if place % plan.columns == 0 else "")
        if len(tables) > 1:
            axes.set_title(named(name, size.inches / plan.columns))
    panels[0].invert_yaxis()
    for axes in panels[len(tables) :]:
        axes.remove()
    few = f" The {counted(labels, 'label')} with the most errors of {len(errors)}." if labels < len(errors) else ""
    remark(figure, declared.caption + few)
    return figure


def _plan(scores: Sequence[MeasureScore], errors: Mapping[str, int], size: Size) -> tuple[Plan, int]:
    """The labels with the most errors, as many as can be read, and how many these are.

    Rows and columns without errors are left out.
    """
    ranked = sorted((label for label in errors if errors[label]), key=lambda label: (-errors[label], label))
    for number in range(min(MOST_LABELS, len(ranked)), 0, -1):
        found = _shape(scores, sorted(ranked[:number]), size)
        if found.cell >= _least(scores) or number == 1:
            return found, number if number < len(ranked) else len(errors)
    return _shape(scores, sorted(errors), size, are_empty=True), len(errors)


def _shape(scores: Sequence[MeasureScore], labels: Sequence[str], size: Size, *, are_empty: bool = False) -> Plan:
    """Matrices of these labels: side by side, else in two columns, else below each other, unless cells get small."""
    sides = [*labels, NO_LABEL]
    table = np.sum([np.nan_to_num(matrix(score, sides, sides)) for score in scores], axis=0)
    golds = labels if are_empty else [label for label, row in zip(sides, table, strict=True) if row.any()]
    systems = labels if are_empty else [label for label, column in zip(sides, table.T, strict=True) if column.any()]
    margin = _AROUND_CONFUSION + max((text_width(named(label, _WIDEST_NAME), SMALL) for label in labels), default=0.0)
    below = margin + 2 * _TITLE
    plans = []
    for columns in (len(scores), min(2, len(scores)), 1):
        rows = ceil(len(scores) / columns)
        wide = (size.inches - margin - _BETWEEN * columns) / columns / max(1, len(systems))
        high = ((size.height or PAGE) - below - _TITLE * rows) / rows / max(1, len(golds))
        cell = max(0.05, min(_LARGEST_CELL, wide, high))
        plans.append(Plan(golds, systems, columns, cell, below + rows * (_TITLE + cell * len(golds))))
    return next((plan for plan in plans if plan.cell >= _SMALL_CELL), max(plans, key=lambda plan: plan.cell))


def _least(scores: Sequence[MeasureScore]) -> float:
    """How large a cell must be for its count to be read."""
    counts = (count for score in scores for row in (score.confusion or {}).values() for count in row.values())
    return max(_SMALLEST_CELL, text_width(f"{max(counts, default=0):.0f}", SMALL) + 0.02)


def _scores(results: Results, systems: str | Sequence[str]) -> tuple[Confusion, dict[str, MeasureScore]]:
    """The scores behind the matrices of the chosen systems."""
    declared, first = TASKS[results.task].display.confusion, next(iter(results.values()))
    if declared is None:
        raise SettingError(f"{results.task.title()} have no labels to confuse; draw the figure errors instead.")
    score = confusion_score(first)
    if score is None and declared.measures:
        raise SettingError(
            f"The confusion matrix comes from the match model {declared.measures[0]}; score with it too."
        )
    if score is None:
        raise SettingError(f"No match model of {results.task} tells which labels are confused.")
    names = [systems] if isinstance(systems, str) else list(dict.fromkeys(systems)) or list(results)
    for name in names:
        if name not in results:
            raise SettingError(
                unknown(f"There is no system {name!r}", name, results.keys(), f"choose from {', '.join(results)}")
            )
    if len(names) > MOST_SYSTEMS:
        raise SettingError(
            f"A figure holds the matrices of {MOST_SYSTEMS} systems at most, and there are {len(names)}; name some."
        )
    return declared, {name: results[name][score.name] for name in names}


def matrix(score: MeasureScore, golds: Sequence[str], systems: Sequence[str]) -> Values:
    """Errors by gold label and system label; nobody has what neither side has."""
    cells = score.confusion or {}
    table = [[cells.get(gold, {}).get(system, 0) for system in systems] for gold in golds]
    found = np.array(table, dtype=np.float64).reshape(len(golds), len(systems))
    if NO_LABEL in golds and NO_LABEL in systems:
        found[list(golds).index(NO_LABEL), list(systems).index(NO_LABEL)] = np.nan
    return found


def _heat(axes: Axes, table: Values, most: float) -> None:
    """Shades by the square root of counts, so that small ones are seen, and the counts themselves."""
    from matplotlib import colormaps
    from matplotlib.colors import PowerNorm

    norm, colours = PowerNorm(0.5, 0, most), colormaps[_COLOURS]
    axes.pcolormesh(np.ones_like(table), cmap="Greys", vmin=0, vmax=25, edgecolors="white", linewidth=0.8)
    shades = np.ma.masked_where(~(table > 0), table)
    axes.pcolormesh(shades, norm=norm, cmap=colours, edgecolors="white", linewidth=0.8)
    for row, column in np.argwhere(table > 0):
        count = table[row, column]
        red, green, blue, _ = colours(norm(count))
        colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        place = (column + 0.5, row + 0.5)
        axes.text(*place, f"{count:.0f}", ha="center", va="center_baseline", fontsize=SMALL, color=colour)


def _name(axes: Axes, plan: Plan, one_sided: tuple[str, str]) -> None:
    """Labels on both axes, with a line before what only one side has; upright below where they are wider than cells."""
    missing, spurious = (f"∅ ({side})" for side in one_sided)
    columns = [named(label, _WIDEST_NAME) if label != NO_LABEL else missing for label in plan.systems]
    rows = [named(label, _WIDEST_NAME) if label != NO_LABEL else spurious for label in plan.golds]
    upright = any(text_width(label, SMALL) > plan.cell for label in columns)
    axes.set_xticks(
        [place + 0.5 for place in range(len(columns))], columns, rotation=90 if upright else 0, fontsize=SMALL
    )
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows, fontsize=SMALL)
    for labels, draw_line in ((plan.golds, axes.axhline), (plan.systems, axes.axvline)):
        if NO_LABEL in labels[1:]:
            draw_line(len(labels) - 1, color="black", linewidth=0.6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_aspect("equal")


# == report/figures/errors.py: How the errors of systems divide, as stacked bars: Figure 1


_GAP, _OF_WIDTH, _LEAST_ROW = 0.5, 0.6, 0.17
"""The space between systems, in bars; about how much of the figure's width bars have; the least inches of a bar."""


def draw_errors(results: Results, size: Size, *, counts: bool) -> Figure:
    """A bar for each system and model; all of the same length, or as long as there are errors."""
    found = TASKS[results.task].display.errors(results)
    found = found.without_empty(found.kinds)
    names = [canvas.named(kind.name, 1.0) if kind.is_label else kind.name for kind in found.kinds]
    around = 0.75 + canvas.legend_height(names, size.inches) + canvas.remark_height(found.remark, size.inches)
    bars = _fitting(found.bars, (size.height or canvas.PAGE) - around)
    places = list(_places(bars))
    row = 0.24 if len(bars) <= 16 else _LEAST_ROW
    figure = canvas.sheet(size, around + row * (places[-1] + 1))
    axes = figure.subplots()
    longest = (max(bar.total for bar in bars) if counts else 100.0) or 1.0
    scale = [1.0 if counts else 100 / (bar.total or 1) for bar in bars]
    inches = _OF_WIDTH * figure.get_figwidth() / longest
    for kind, (name, (colour, hatch)) in enumerate(zip(names, fills(found.kinds), strict=True)):
        widths = [bar.counts[kind] * each for bar, each in zip(bars, scale, strict=True)]
        begins = [sum(bar.counts[:kind]) * each for bar, each in zip(bars, scale, strict=True)]
        axes.barh(places, widths, 0.86, begins, color=colour, hatch=hatch, edgecolor="black", label=name)
        _figures(axes, places, widths, begins, inches)
    axes.set_xlim(0, longest)
    for bar, place, each in zip(bars, places, scale, strict=True):
        canvas.beside(axes, f"n = {bar.total:,.0f}", (bar.total * each, place), 3)
    canvas.rows_of(axes, _row_names(bars, 0.3 * figure.get_figwidth()), places)
    axes.set_xlabel("errors" if counts else "% of the errors")
    count_axis(axes)
    canvas.legend(figure, [axes])
    left_out = len(results) - len({bar.system for bar in bars})
    cut = f"The first {len(results) - left_out} of {counted(len(results), 'system')}." if left_out else ""
    canvas.remark(figure, f"{cut} {found.remark}".strip())
    return figure


def _fitting(bars: Sequence[Bar], inches: float) -> list[Bar]:
    """The bars of as many systems as this height has room for, one at least."""
    most = max(
        (number for number, place in enumerate(_places(bars), 1) if _LEAST_ROW * (place + 1) <= inches), default=1
    )
    kept = dict.fromkeys(bar.system for bar in bars[:most])
    if most < len(bars) and len(kept) > 1 and bars[most].system in kept:
        kept.popitem()
    return [bar for bar in bars if bar.system in kept]


def _figures(
    axes: Axes, places: Sequence[float], widths: Sequence[float], begins: Sequence[float], inches: float
) -> None:
    """The lengths of parts in their middle, where there is room; `inches` is about the width of one unit."""
    box = {"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.15", "alpha": 0.9}
    for place, width, begin in zip(places, widths, begins, strict=True):
        text = f"{width:,.0f}"
        if width and width * inches > canvas.text_width(text, canvas.SMALL) + 0.08:
            middle = (begin + width / 2, place)
            axes.text(*middle, text, ha="center", va="center_baseline", fontsize=canvas.SMALL, bbox=box)


def _places(bars: Sequence[Bar]) -> Iterator[float]:
    """Where the bars stand: those of one system side by side."""
    place, before = -1.0, None
    for bar in bars:
        place += 1.0 if before in (None, bar.system) else 1.0 + _GAP
        before = bar.system
        yield place


def _row_names(bars: Sequence[Bar], inches: float) -> list[str]:
    """The system on the first of its bars, not wider than this, and the model."""
    shown = canvas.distinct_names((bar.system for bar in bars), inches)
    names, before = [], None
    for bar in bars:
        name = shown[bar.system] if bar.system != before else ""
        names.append(canvas.joined(name, "   ", bar.model) if name and bar.model else name or bar.model)
        before = bar.system
    return names


# == report/figures/ranks.py: Scores with intervals and ranks, a panel for each match mode


_ROW_RANKS, _LEAST_ROW_RANKS, _PANEL, _MOST_PANELS = 0.2, 0.15, 1.0, 4
"""The height of a system, the least one, and the least width of a model in inches; how many models are side by side."""
_AROUND_RANKS, _AROUND_PANEL = 0.4, 0.7
"""The height of small print, and of what is not systems in a panel."""


def draw_ranks(ranking: Ranking, size: Size) -> Figure:
    """Systems by rank under the first model; beside each score stand its rank and the places gained or lost."""
    models = [model for model in ranking.shown_models if any(each.score for each in ranking[model].values())]
    models = models or list(ranking.shown_models)
    names = list(canvas.distinct_names(ranking.systems, 0.3 * size.inches).values())
    room = size.inches - max(canvas.text_width(name, canvas.TEXT_SIZE) for name in names)
    rows = ceil(len(models) / max(1, min(_MOST_PANELS, len(models), int(room / _PANEL))))
    columns = ceil(len(models) / rows)
    systems = ranking.systems[: _most_systems(size, rows)]
    figure = canvas.sheet(size, _AROUND_RANKS + rows * (_AROUND_PANEL + _ROW_RANKS * len(systems)))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, model) in enumerate(zip(panels, models, strict=False)):
        _scores_ranks(axes, [ranking[model][system] for system in systems])
        _ranks(axes, [ranking[model][system] for system in systems])
        axes.set_title(model_title(ranking.task, model), loc="left")
        axes.tick_params(axis="y", length=0)
        if place >= len(models) - columns:
            axes.set_xlabel("score, %")
            axes.tick_params(axis="x", labelbottom=True)
    canvas.rows_of(panels[0], names[: len(systems)])
    for axes in panels[len(models) :]:
        axes.remove()
    canvas.remark(figure, _remark_ranks(ranking, models, len(systems)))
    return figure


def _most_systems(size: Size, rows: int) -> int:
    """How many systems a page or the user's height has room for, with so many panels above each other."""
    height = (size.height or canvas.PAGE) - _AROUND_RANKS
    return max(1, int((height / rows - _AROUND_PANEL) / _LEAST_ROW_RANKS))


def _scores_ranks(axes: Axes, standings: Sequence[RankInterval]) -> None:
    for place, standing in enumerate(standings):
        axes.axhline(place, color="#DDDDDD", linewidth=0.5, zorder=0)
        if standing.interval is not None:
            axes.plot([100 * bound for bound in standing.interval], [place, place], color="black", linewidth=1)
    scores = [100 * standing.score for standing in standings]
    mark: dict[str, Any] = {"color": canvas.BLUE, "markeredgecolor": "black", "markeredgewidth": 0.5, "markersize": 3.2}
    axes.plot(scores, range(len(scores)), "o", **mark)


def _ranks(axes: Axes, standings: Sequence[RankInterval]) -> None:
    """The ranks at the right, with the places gained or lost against the first model."""
    for place, standing in enumerate(standings):
        canvas.beside(axes, f"{standing.rank or UNDEFINED}", (1, place), 14, at_edge=True, ha="right")
        if standing.change:
            mark, color = ("▲", canvas.BLUE) if standing.change > 0 else ("▼", canvas.VERMILLION)
            text = f"{mark}{abs(standing.change)}"
            canvas.beside(axes, text, (1, place), 16, at_edge=True, color=color)


def _remark_ranks(ranking: Ranking, models: Sequence[str], systems: int) -> str:
    changed = any(each.change for model in models for each in ranking[model].values())
    against = (
        f", places gained (▲) or lost (▼) against {model_title(ranking.task, ranking.models[0])}" if changed else ""
    )
    parts = [f"At the right: ranks{against}."]
    if systems < len(ranking.systems):
        parts.insert(0, f"The first {systems} of {counted(len(ranking.systems), 'system')}.")
    if len(models) < len(ranking.shown_models):
        empty = (model_title(ranking.task, model) for model in ranking.shown_models if model not in models)
        parts.append(f"All scores are 0 under {', '.join(empty)}.")
    parts += [f"{note[:1].upper()}{note[1:]}" for note in ranking.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    if ranking.resamples:
        made = f"{counted(ranking.resamples, 'resample')} of {ranking.groups}"
        parts.append(f"Lines: {100 * ranking.level:g}% intervals ({made}).")
    return " ".join(parts)


# == report/figures/plot.py (primary)


Subject = Results | Comparison | Ranking
_FIGURES: dict[str, tuple[type[Subject], str, Callable[..., Figure]]] = {
    "errors": (Results, "score", draw_errors),
    "confusion": (Results, "score", draw_confusion),
    "comparison": (Comparison, "compare", draw),
    "ranks": (Ranking, "rank", draw_ranks),
}
"""Of what figures are drawn, the function that makes it, and how they are drawn; the first of a result is its default.
"""


def plot(
    drawn: Plotted,
    kind: str | None = None,
    *,
    path: str | Path | None = None,
    width: float | None = None,
    height: float | None = None,
    counts: bool = False,
    systems: str | Sequence[str] = (),
) -> Figure:
    """Draw one figure of a result and, where a path is given, write it there; see `Plotted.plot`.

    The figure is one of matplotlib, to be changed at will.
    """
    subject = _subject(drawn)
    kind = _kind(subject, kind)
    if counts and kind != "errors":
        raise SettingError(f"counts does nothing for the figure {kind!r}; leave it out.")
    if systems and kind != "confusion":
        raise SettingError(f"systems does nothing for the figure {kind!r}; leave it out.")
    form = None if path is None else form_of(path)
    size = Size(width, height)
    check_matplotlib()
    with style():
        choices: dict[str, dict[str, Any]] = {"errors": {"counts": counts}, "confusion": {"systems": systems}}
        figure = finish(_FIGURES[kind][2](subject, size, **choices.get(kind, {})))
    if path is not None and form is not None:
        write_file(path, render(figure, form, subject.signature))
    return figure


def _subject(drawn: Plotted) -> Subject:
    """One result is drawn as results of one system."""
    if isinstance(drawn, Result):
        return Results({drawn.name: drawn})
    if not isinstance(drawn, Subject):
        raise TypeError(f"{type(drawn).__name__} has no figures")
    return drawn


def _kind(subject: Subject, kind: str | None) -> str:
    """The kind of figure that is meant; one that the result does not have is refused."""
    kinds = [name for name, (of, *_) in _FIGURES.items() if isinstance(subject, of)]
    kind = kind or kinds[0]
    if kind not in _FIGURES:
        raise SettingError(
            unknown(f"There is no figure {kind!r}", kind, _FIGURES.keys(), f"choose one of {', '.join(_FIGURES)}")
        )
    if kind not in kinds:
        made_by = _FIGURES[kind][1]
        raise SettingError(f"The figure {kind!r} comes from evenhand.{made_by}; this result has {' and '.join(kinds)}.")
    return kind
