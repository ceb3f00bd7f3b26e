"""The figures of results: error types, confusion matrices, comparisons and rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from math import ceil, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from evenhand.arrays import Values
from evenhand.comparison.ranking import RankInterval
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted, plural, unknown
from evenhand.files import write_file
from evenhand.report.comparison_tables import readable_pairs
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import SMALL, Size, named, text_width
from evenhand.results.comparison import Comparison, Pair, Ranking
from evenhand.results.display import WithFigures
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

Subject = Results | Comparison | Ranking


class NotebookFigure(Figure):
    """A figure that notebooks show as an image."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The image at twice the resolution, for sharp screens, and its size in the notebook."""
        buffer = BytesIO()
        with canvas.style():
            self.savefig(buffer, format="png", dpi=200)
        width, height = (round(100 * inches) for inches in self.get_size_inches())
        return buffer.getvalue(), {"width": width, "height": height}


def plot(
    result: WithFigures,
    kind: str | None,
    path: str | Path | None,
    size: Size,
    *,
    counts: bool,
    systems: Sequence[str],
    correct: bool,
) -> Figure:
    """Draw one figure of a result, and write it to `path`, if given; see `WithFigures.plot`."""
    subject = Results({result.name: result}) if isinstance(result, Result) else result
    if not isinstance(subject, Subject):
        raise TypeError(f"{type(subject).__name__} has no figures")
    kind = _kind(subject, kind)
    if counts and kind != "errors":
        raise SettingError(f"counts has no effect on the figure {kind!r}; remove it.")
    if systems and kind != "confusion":
        raise SettingError(f"systems has no effect on the figure {kind!r}; remove it.")
    if correct and kind != "confusion":
        raise SettingError(f"correct has no effect on the figure {kind!r}; remove it.")
    form = None if path is None else canvas.form_of(path)
    options: dict[str, dict[str, Any]] = {
        "errors": {"counts": counts},
        "confusion": {"systems": systems, "correct": correct},
    }
    with canvas.style():
        figure = canvas.finish(_FIGURES[kind][2](subject, size, **options.get(kind, {})), size)
    if path is not None and form is not None:
        write_file(path, canvas.render(figure, form, subject.signature))
    return figure


def _kind(subject: Subject, kind: str | None) -> str:
    """The requested kind of figure, or the first one; refuses kinds that the result does not have."""
    kinds = [name for name, (of, *_) in _FIGURES.items() if isinstance(subject, of)]
    kind = kind or kinds[0]
    if kind not in _FIGURES:
        raise SettingError(
            unknown(f"Unknown figure {kind!r}", kind, _FIGURES.keys(), f"choose one of {', '.join(_FIGURES)}")
        )
    if kind not in kinds:
        made_by = _FIGURES[kind][1]
        raise SettingError(f"The figure {kind!r} comes from evenhand.{made_by}; this result has {' and '.join(kinds)}.")
    return kind


def sheet(size: Size, height: float, width: float = canvas.WIDTH) -> Figure:
    """An empty figure of the user's size, or of this size in inches up to the height of a page."""
    inches = (size.width or round(width, 2), size.height or round(min(height, canvas.PAGE), 2))
    return NotebookFigure(inches, layout="constrained")


def _label_columns(panels: Sequence[Axes], columns: int, label: str) -> None:
    """Ticks and a label under the lowest panel of each column; those above an empty place take no room elsewhere."""
    last_row = (len(panels) - 1) // columns * columns
    for number, axes in enumerate(panels[-columns:], max(0, len(panels) - columns)):
        axes.set_xlabel(label)
        axes.tick_params(axis="x", labelbottom=True)
        axes.xaxis.set_in_layout(number >= last_row)


# Comparisons


_ROW, _NARROW_ROW, _NARROW, _DELTA = 0.26, 0.3, 5.0, 0.6
"""In inches: the height of a pair with its name on one line or two, and the width below which figures are narrow. The
score panel has this width in proportion to the bars.
"""
_AROUND, _NARROW_AROUND = 1.4, 2.0
"""The height of axes, legend and small print."""


def draw_comparison(comparison: Comparison, size: Size) -> Figure:
    """For every pair: new errors to the left, corrections to the right, changed errors, and the change of the score."""
    pairs = readable_pairs(comparison)[: _max_pairs(size)]
    figure, (left, middle, right), (new, corrected, changed) = _panels(pairs, size)
    _bars(left, [-pair.new_errors.count for pair in pairs], canvas.VERMILLION, "/////", "new errors")
    _bars(left, [pair.corrections.count for pair in pairs], canvas.BLUE, "", "corrections")
    _bars(middle, [pair.changed_errors.count for pair in pairs], "#DDDDDD", "...", "changed errors")
    left.set_xlim(-new, corrected)
    middle.set_xlim(0, changed)
    left.set_xlabel(plural(TASKS[comparison.task].unit_of(comparison.by)))
    canvas.count_axis(left)
    canvas.count_axis(middle)
    left.axvline(0, color="black", linewidth=0.6)
    _deltas(right, pairs)
    right.set_xlabel(f"change of score ({model_title(comparison.task, comparison.by)}), points")
    canvas.legend(figure, (left, middle))
    canvas.remark(figure, _comparison_remark(comparison, len(pairs)))
    return figure


def _max_pairs(size: Size) -> int:
    height = size.height or canvas.PAGE
    if size.inches < _NARROW:
        return max(1, int((height - _NARROW_AROUND) / (2 * _NARROW_ROW)))
    return max(1, int((height - _AROUND) / _ROW))


def _panels(pairs: Sequence[Pair], size: Size) -> tuple[Figure, list[Axes], tuple[float, float, float]]:
    """Axes for both sides of zero, for changed errors, and for the score, which is below in a narrow figure."""
    narrow = size.inches < _NARROW
    widest = 0.25 * size.inches if narrow else min(1.1, 0.2 * size.inches)
    names = canvas.distinct_names((name for pair in pairs for name in (pair.before, pair.after)), widest)
    arrow = "\n→ " if narrow else " → "
    rows = [canvas.joined(names[pair.before], arrow, names[pair.after]) for pair in pairs]
    room = size.inches - max(text_width(line, canvas.TEXT_SIZE) for row in rows for line in row.split("\n"))
    ranges = _ranges(pairs, room, 0 if narrow else _DELTA)
    new, corrected, changed = ranges
    figure = sheet(size, _NARROW_AROUND + 2 * _NARROW_ROW * len(pairs) if narrow else _AROUND + _ROW * len(pairs))
    mosaic: Any = [["left", "middle"], ["right", "right"]] if narrow else [["left", "middle", "right"]]
    ratios = [new + corrected, changed, _DELTA * (new + corrected + changed)]
    subplots = figure.subplot_mosaic(mosaic, sharey=True, width_ratios=ratios[: len(mosaic[0])])
    panels = [subplots[name] for name in ("left", "middle", "right")]
    canvas.name_rows(panels[0], rows)
    for axes in panels[1:2] if narrow else panels[1:]:
        axes.tick_params(axis="y", labelleft=False)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    return figure, panels, ranges


def _ranges(pairs: Sequence[Pair], inches: float, beside: float) -> tuple[float, float, float]:
    """The ranges of the axes of new errors, corrections and changed errors: on one scale, with room for the counts.

    `inches` is the width without the names; `beside` is the width of the score panel in proportion to the bars.
    """
    new = max(pair.new_errors.count for pair in pairs)
    corrected = max(pair.corrections.count for pair in pairs)
    changed = max(pair.changed_errors.count for pair in pairs)
    text = text_width(f"{max(new, corrected, changed):,}", SMALL) + 0.08
    bars = max((inches - (1.1 if beside else 0.5)) / (1 + beside), 4 * text)
    room = text * (new + corrected + changed) / (bars - 3 * text) or 1
    return new + room, corrected + room, changed + room


def _bars(axes: Axes, counts: Sequence[int], colour: str, hatch: str, name: str) -> None:
    axes.barh(range(len(counts)), counts, 0.7, color=colour, hatch=hatch, edgecolor="black", label=name)
    for row, count in enumerate(counts):
        canvas.annotate(axes, f"{abs(count):,}", (count, row), -3 if name == "new errors" else 3)


def _deltas(axes: Axes, pairs: Sequence[Pair]) -> None:
    """The change of the score in points of 100, with its interval and marks of significance."""
    axes.axvline(0, color=canvas.GREY, linewidth=0.6)
    values = [(pair.delta, pair.interval) for pair in pairs]
    _points(axes, values, canvas.axis_limits(values), {"color": "black", "markersize": 4})
    for row, (pair, delta) in enumerate((pair, 100 * pair.delta) for pair in pairs):
        marks = stars(None if pair.significance is None else pair.significance.p_holm)
        text = UNDEFINED if isnan(delta) else f"{delta:+.2f}{marks}".replace("-", "−")
        canvas.annotate(axes, text, (1, row), 4, at_edge=True)


def _points(
    axes: Axes,
    estimates: Sequence[canvas.Estimate],
    limits: tuple[float, float],
    mark: Mapping[str, Any],
    *,
    has_values: bool = False,
) -> None:
    """Points with intervals in points of 100, one per row; a triangle at the edge for a value beyond the limits.

    With `has_values`, these values are written beside the triangle.
    """
    from matplotlib.markers import CARETLEFT, CARETRIGHT

    low, high = limits
    inside = [(row, *estimate) for row, estimate in enumerate(estimates) if low <= estimate[0] <= high]
    for row, _, bounds in inside:
        if bounds is not None:
            axes.plot([100 * bound for bound in bounds], [row, row], color="black", linewidth=1)
    axes.plot([100 * value for _, value, _ in inside], [row for row, *_ in inside], "o", **mark)
    beyond = [(row, value) for row, (value, _) in enumerate(estimates) if value < low or value > high]
    for row, value in beyond:
        edge, triangle, side = (0, CARETLEFT, 9) if value < low else (1, CARETRIGHT, -9)
        look = {**mark, "marker": triangle, "markersize": 5}
        axes.plot([edge], [row], transform=axes.get_yaxis_transform(), clip_on=False, **look)
        if has_values:
            canvas.annotate(axes, f"{100 * value:.2f}", (edge, row), side, at_edge=True)


def _comparison_remark(comparison: Comparison, drawn: int) -> str:
    made, parts = comparison.resampling, []
    readable = len(readable_pairs(comparison))
    if readable < len(comparison.pairs):
        parts.append(f"Neighbours by score, of {counted(len(comparison.pairs), 'pair')}.")
    if drawn < readable:
        parts.append(f"The first {counted(drawn, 'pair')}; {readable - drawn} more.")
    parts += [f"{note[:1].upper()}{note[1:]}" for note in comparison.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    if made["resamples"]:
        parts.append(f"Lines: {100 * made['level']:g}% intervals ({made['resamples']:,} resamples of {made['of']}).")
    if made["trials"]:
        parts.append("* p < 0.05, ** p < 0.01 (randomization, Holm).")
    return " ".join(parts)


# Confusion matrices


MAX_LABELS, MAX_SYSTEMS = 15, 4
_COLOURS = "viridis_r"
"""Perceptually uniform, also for colour-blind readers, and from light to dark in grey."""
_SMALLEST_CELL, _SMALL_CELL, _LARGEST_CELL, _WIDEST_NAME = 0.14, 0.18, 0.36, 0.8
"""In inches."""
_LEAST_WIDTH = 3.03
"""In inches: the width of a column of a page, for the small print below small matrices."""
_MARGIN, _BETWEEN, _TITLE = 0.5, 0.15, 0.3
"""In inches: the margin without names of labels, the space between two matrices, and the title of a matrix."""


@dataclass(frozen=True)
class Plan:
    """The labels of a figure, the size of its cells, and the arrangement of its matrices."""

    golds: Sequence[str]
    systems: Sequence[str]
    """Labels of the rows and of the columns; the empty string means no label."""
    columns: int
    """The number of matrices side by side."""
    cell: float
    width: float
    height: float
    """In inches."""


def draw_confusion(results: Results, size: Size, systems: Sequence[str], *, correct: bool) -> Figure:
    """One matrix per system, with gold labels as rows; all have the same labels and the same shades.

    With `correct`, the diagonal includes the correct units, without a shade: rows add up to the units of the gold
    standard, unless labels are left out.
    """
    declared, scores = _confusion_scores(results, systems)
    errors = errors_by_label(list(scores.values()))
    plan, labels = _plan(list(scores.values()), errors, size, correct=correct)
    figure = sheet(size, plan.height, min(canvas.WIDTH, max(plan.width, _LEAST_WIDTH)))
    rows = ceil(len(scores) / plan.columns)
    panels = figure.subplots(rows, plan.columns, squeeze=False, sharex=True, sharey=True).ravel()
    tables = {name: matrix(score, plan.golds, plan.systems) for name, score in scores.items()}
    maximum = max((np.nanmax(table, initial=0) for table in tables.values()), default=0)
    titles = canvas.distinct_names(scores, figure.get_figwidth() / plan.columns - 0.1)
    for number, (axes, (name, table)) in enumerate(zip(panels, tables.items(), strict=False)):
        _heat(axes, table, _correct_counts(scores[name], plan) if correct else {}, max(float(maximum), 1.0))
        _name_labels(axes, plan, declared.one_sided)
        axes.set_ylabel("gold standard" if number % plan.columns == 0 else "")
        if len(tables) > 1:
            axes.set_title(titles[name])
    _label_columns(list(panels[: len(tables)]), plan.columns, "system")
    panels[0].invert_yaxis()
    for axes in panels[len(tables) :]:
        axes.remove()
    few = f" The {counted(labels, 'label')} with the most errors of {len(errors)}." if labels < len(errors) else ""
    canvas.remark(figure, (_correct_caption(declared) if correct else declared.caption) + few)
    return figure


def _correct_counts(score: MeasureScore, plan: Plan) -> dict[tuple[int, int], float]:
    """The units with the correct label by their cell of the diagonal: correct ones, and errors of other kinds."""
    counts: dict[tuple[int, int], float] = {}
    for row, label in enumerate(plan.golds):
        if label in plan.systems and label in score.labels:
            same_label = (score.confusion or {}).get(label, {}).get(label, 0)
            counts[row, plan.systems.index(label)] = _correct(score, label) + same_label
    return counts


def _correct(score: MeasureScore, label: str) -> float:
    """The correct units with this label; a measure counts them under one of two names."""
    row = score.labels[label]
    return row["TP" if "TP" in row else "correct"]


def _correct_caption(declared: Confusion) -> str:
    also = f" and {declared.diagonal}" if declared.diagonal else ""
    return f"Grey: correct units{also}. Colours: {'other ' if declared.diagonal else ''}errors."


def _plan(scores: Sequence[MeasureScore], errors: Mapping[str, int], size: Size, *, correct: bool) -> tuple[Plan, int]:
    """A plan for the labels with the most errors that can be read, and the number of these labels.

    Rows and columns without errors are left out, unless correct units are shown.
    """
    ranked = sorted((label for label in errors if errors[label] or correct), key=lambda label: (-errors[label], label))
    counts = [count for score in scores for row in (score.confusion or {}).values() for count in row.values()]
    counts += [_correct(score, label) for score in scores for label in score.labels] if correct else []
    min_cell = max(_SMALLEST_CELL, text_width(f"{max(counts, default=0):.0f}", SMALL) + 0.02)
    for number in range(min(MAX_LABELS, len(ranked)), 0, -1):
        plan = _shape(scores, sorted(ranked[:number]), size, are_square=correct)
        if plan.cell >= min_cell or number == 1:
            return plan, number if number < len(ranked) else len(errors)
    return _shape(scores, sorted(errors), size, are_square=True), len(errors)


def _shape(scores: Sequence[MeasureScore], labels: Sequence[str], size: Size, *, are_square: bool) -> Plan:
    """Matrices of these labels: side by side, in two columns or in one, whichever first has large enough cells.

    With `are_square`, all labels are on both sides.
    """
    sides = [*labels, NO_LABEL]
    table = np.sum([np.nan_to_num(matrix(score, sides, sides)) for score in scores], axis=0)
    all_labels = [are_square and label != NO_LABEL for label in sides]
    golds = [label for label, row, shown in zip(sides, table, all_labels, strict=True) if row.any() or shown]
    systems = [label for label, column, shown in zip(sides, table.T, all_labels, strict=True) if column.any() or shown]
    margin = _MARGIN + max((text_width(named(label, _WIDEST_NAME), SMALL) for label in sides), default=0.0)
    below = margin + 2 * _TITLE
    plans = []
    for columns in (len(scores), min(2, len(scores)), 1):
        rows = ceil(len(scores) / columns)
        wide = (size.inches - margin - _BETWEEN * columns) / columns / max(1, len(systems))
        high = ((size.height or canvas.PAGE) - below - _TITLE * rows) / rows / max(1, len(golds))
        cell = max(0.05, min(_LARGEST_CELL, wide, high))
        width = margin + columns * (_BETWEEN + cell * len(systems))
        plans.append(Plan(golds, systems, columns, cell, width, below + rows * (_TITLE + cell * len(golds))))
    return next((plan for plan in plans if plan.cell >= _SMALL_CELL), max(plans, key=lambda plan: plan.cell))


def _confusion_scores(results: Results, systems: Sequence[str]) -> tuple[Confusion, dict[str, MeasureScore]]:
    declared, first = TASKS[results.task].display.confusion, next(iter(results.values()))
    if declared is None:
        raise SettingError(f"{results.task.title()} have no labels to confuse; draw the figure errors instead.")
    score = confusion_score(first)
    if score is None and declared.measures:
        raise SettingError(f"The confusion matrix comes from the measure {declared.measures[0]}; score with it too.")
    if score is None:
        raise SettingError(f"No measure of {results.task} has a confusion matrix.")
    names = list(dict.fromkeys(systems)) or list(results)
    for name in names:
        if name not in results:
            raise SettingError(
                unknown(f"Unknown system {name!r}", name, results.keys(), f"choose from {', '.join(results)}")
            )
    if len(names) > MAX_SYSTEMS:
        raise SettingError(
            f"A figure has the matrices of at most {MAX_SYSTEMS} systems, and there are {len(names)}; name some."
        )
    return declared, {name: results[name][score.name] for name in names}


def matrix(score: MeasureScore, golds: Sequence[str], systems: Sequence[str]) -> Values:
    """Errors by gold label and system label; NaN if neither side has a label."""
    cells = score.confusion or {}
    counts = [[cells.get(gold, {}).get(system, 0) for system in systems] for gold in golds]
    table = np.array(counts, dtype=np.float64).reshape(len(golds), len(systems))
    if NO_LABEL in golds and NO_LABEL in systems:
        table[list(golds).index(NO_LABEL), list(systems).index(NO_LABEL)] = np.nan
    return table


def _heat(axes: Axes, table: Values, correct: Mapping[tuple[int, int], float], maximum: float) -> None:
    """Counts, with shades by their square roots to make small counts visible; correct units are grey."""
    from matplotlib import colormaps
    from matplotlib.colors import PowerNorm
    from matplotlib.patches import Rectangle

    norm, colours = PowerNorm(0.5, 0, maximum), colormaps[_COLOURS]
    axes.pcolormesh(np.ones_like(table), cmap="Greys", vmin=0, vmax=25, edgecolors="white", linewidth=0.8)
    is_error = table > 0
    for (row, column), count in correct.items():
        is_error[row, column] = False
        corner, centre = (column, row), (column + 0.5, row + 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="#DDDDDD", edgecolor="white", linewidth=0.8))
        axes.text(*centre, f"{count:.0f}", ha="center", va="center_baseline", fontsize=SMALL)
    axes.pcolormesh(np.ma.masked_where(~is_error, table), norm=norm, cmap=colours, edgecolors="white", linewidth=0.8)
    for row, column in np.argwhere(is_error):
        count = table[row, column]
        red, green, blue, _ = colours(norm(count))
        colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        centre = (column + 0.5, row + 0.5)
        axes.text(*centre, f"{count:.0f}", ha="center", va="center_baseline", fontsize=SMALL, color=colour)


def _name_labels(axes: Axes, plan: Plan, one_sided: tuple[str, str]) -> None:
    """Labels on both axes, with a line before missing and spurious units; vertical if they are wider than cells."""
    missing, spurious = (f"∅ ({side})" for side in one_sided)
    names = canvas.distinct_names((label for label in (*plan.golds, *plan.systems) if label != NO_LABEL), _WIDEST_NAME)
    columns = [names.get(label, missing) for label in plan.systems]
    rows = [names.get(label, spurious) for label in plan.golds]
    upright = any(text_width(label, SMALL) > plan.cell for label in columns)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=90 if upright else 0, fontsize=SMALL)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=SMALL)
    for labels, draw_line in ((plan.golds, axes.axhline), (plan.systems, axes.axvline)):
        if NO_LABEL in labels[1:]:
            draw_line(len(labels) - 1, color="black", linewidth=0.6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_aspect("equal")


# Error types


_GAP, _BAR_WIDTH, _MIN_BAR = 0.35, 0.6, 0.16
"""The space between systems, in bars; the share of bars in the figure's width; a bar's minimum height in inches."""


def draw_errors(results: Results, size: Size, *, counts: bool) -> Figure:
    """One bar per system and measure; all of the same length, or in proportion to the number of errors."""
    errors = TASKS[results.task].display.errors(results)
    errors = errors.without_empty(errors.kinds)
    labels = canvas.distinct_names((kind.name for kind in errors.kinds if kind.is_label), 1.0)
    names = [labels[kind.name] if kind.is_label else kind.name for kind in errors.kinds]
    around = 0.75 + canvas.legend_height(names, size.inches) + canvas.remark_height(errors.remark, size.inches)
    bars = _fitting_bars(errors.bars, (size.height or canvas.PAGE) - around)
    rows = list(_bar_rows(bars))
    figure = sheet(size, around + (0.24 if len(bars) <= 16 else _MIN_BAR) * (rows[-1] + 1))
    axes = figure.subplots()
    longest = (max(bar.total for bar in bars) if counts else 100.0) or 1.0
    scales = [1.0 if counts else 100 / (bar.total or 1) for bar in bars]
    inches = _BAR_WIDTH * figure.get_figwidth() / longest
    for kind, (name, (colour, hatch)) in enumerate(zip(names, canvas.fills(errors.kinds), strict=True)):
        widths = [bar.counts[kind] * scale for bar, scale in zip(bars, scales, strict=True)]
        starts = [sum(bar.counts[:kind]) * scale for bar, scale in zip(bars, scales, strict=True)]
        axes.barh(rows, widths, 0.86, starts, color=colour, hatch=hatch, edgecolor="black", label=name)
        _write_lengths(axes, rows, widths, starts, inches)
    axes.set_xlim(0, longest)
    for bar, row, scale in zip(bars, rows, scales, strict=True):
        canvas.annotate(axes, f"n = {bar.total:,.0f}", (bar.total * scale, row), 3)
    canvas.name_rows(axes, _bar_names(bars, 0.3 * figure.get_figwidth()), rows)
    axes.set_xlabel("errors" if counts else "% of the errors")
    canvas.count_axis(axes)
    canvas.legend(figure, [axes])
    drawn = len({bar.system for bar in bars})
    cut = f"The first {counted(drawn, 'system')}; {len(results) - drawn} more." if drawn < len(results) else ""
    canvas.remark(figure, f"{cut} {errors.remark}".strip())
    return figure


def _fitting_bars(bars: Sequence[Bar], inches: float) -> list[Bar]:
    """The bars of the first systems that fit into this height; of at least one."""
    end = max((number for number, row in enumerate(_bar_rows(bars), 1) if _MIN_BAR * (row + 1) <= inches), default=1)
    systems = dict.fromkeys(bar.system for bar in bars[:end])
    if end < len(bars) and len(systems) > 1 and bars[end].system in systems:
        systems.popitem()
    return [bar for bar in bars if bar.system in systems]


def _write_lengths(
    axes: Axes, rows: Sequence[float], widths: Sequence[float], starts: Sequence[float], inches: float
) -> None:
    """Write lengths into parts that have room; `inches` is the approximate width of one unit."""
    box = {"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.15", "alpha": 0.9}
    for row, width, start in zip(rows, widths, starts, strict=True):
        text = f"{width:,.0f}"
        if width and width * inches > text_width(text, SMALL) + 0.08:
            axes.text(start + width / 2, row, text, ha="center", va="center_baseline", fontsize=SMALL, bbox=box)


def _bar_rows(bars: Sequence[Bar]) -> Iterator[float]:
    """The vertical positions of bars, with a gap between systems."""
    row, previous = -1.0, None
    for bar in bars:
        row += 1.0 if previous in (None, bar.system) else 1.0 + _GAP
        previous = bar.system
        yield row


def _bar_names(bars: Sequence[Bar], inches: float) -> list[str]:
    systems = canvas.distinct_names((bar.system for bar in bars), inches)
    names, previous = [], None
    for bar in bars:
        name = systems[bar.system] if bar.system != previous else ""
        names.append(canvas.joined(name, "   ", bar.model) if name and bar.model else name or bar.model)
        previous = bar.system
    return names


# Rankings


_SYSTEM, _MIN_SYSTEM, _MIN_PANEL = 0.2, 0.15, 1.0
"""In inches: the height of a system, its minimum, and the minimum width of a panel."""
_MAX_PANELS = 4
"""Maximum number of panels side by side."""
_SMALL_PRINT, _AROUND_PANEL = 0.4, 0.7
"""In inches: the height of small print, and of axis and title of a panel."""


def draw_ranks(ranking: Ranking, size: Size) -> Figure:
    """One panel per measure, systems by rank under the first one; scores with intervals, ranks, and their changes."""
    measures = [name for name in ranking.shown_models if any(standing.score for standing in ranking[name].values())]
    measures = measures or list(ranking.shown_models)
    names = list(canvas.distinct_names(ranking.systems, 0.3 * size.inches).values())
    room = size.inches - max(text_width(name, canvas.TEXT_SIZE) for name in names)
    rows = ceil(len(measures) / max(1, min(_MAX_PANELS, len(measures), int(room / _MIN_PANEL))))
    columns = ceil(len(measures) / rows)
    room_for_systems = ((size.height or canvas.PAGE) - _SMALL_PRINT) / rows - _AROUND_PANEL
    systems = ranking.systems[: max(1, int(room_for_systems / _MIN_SYSTEM))]
    figure = sheet(size, _SMALL_PRINT + rows * (_AROUND_PANEL + _SYSTEM * len(systems)))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    drawn = {measure: [ranking[measure][system] for system in systems] for measure in measures}
    ends = [canvas.axis_limits((row.score, row.interval) for row in rows) for rows in drawn.values()]
    limits = min(low for low, _ in ends), max(high for _, high in ends)  # panels share their axis
    for axes, measure in zip(panels, measures, strict=False):
        _rank_panel(axes, drawn[measure], limits)
        axes.set_title(model_title(ranking.task, measure), loc="left")
        axes.tick_params(axis="y", length=0)
    _label_columns(list(panels[: len(measures)]), columns, "score, %")
    canvas.name_rows(panels[0], names[: len(systems)])
    for axes in panels[len(measures) :]:
        axes.remove()
    canvas.remark(figure, _rank_remark(ranking, measures, len(systems)))
    return figure


def _rank_panel(axes: Axes, standings: Sequence[RankInterval], limits: tuple[float, float]) -> None:
    """Scores with intervals; at the right, ranks with the places gained or lost against the first measure."""
    for row in range(len(standings)):
        axes.axhline(row, color="#DDDDDD", linewidth=0.5, zorder=0)
    mark: dict[str, Any] = {"color": canvas.BLUE, "markeredgecolor": "black", "markeredgewidth": 0.5, "markersize": 3.2}
    _points(axes, [(standing.score, standing.interval) for standing in standings], limits, mark, has_values=True)
    for row, standing in enumerate(standings):
        canvas.annotate(axes, f"{standing.rank or UNDEFINED}", (1, row), 14, at_edge=True, ha="right")
        if standing.change:
            arrow, color = ("▲", canvas.BLUE) if standing.change > 0 else ("▼", canvas.VERMILLION)
            canvas.annotate(axes, f"{arrow}{abs(standing.change)}", (1, row), 16, at_edge=True, color=color)


def _rank_remark(ranking: Ranking, measures: Sequence[str], systems: int) -> str:
    changed = any(standing.change for name in measures for standing in ranking[name].values())
    first = model_title(ranking.task, ranking.models[0])
    parts = [f"At the right: ranks{f', places gained (▲) or lost (▼) against {first}' if changed else ''}."]
    if systems < len(ranking.systems):
        parts.insert(0, f"The best {counted(systems, 'system')}; {len(ranking.systems) - systems} more.")
    if len(measures) < len(ranking.shown_models):
        empty = (model_title(ranking.task, name) for name in ranking.shown_models if name not in measures)
        parts.append(f"All scores are 0 under {', '.join(empty)}.")
    parts += [f"{note[:1].upper()}{note[1:]}" for note in ranking.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    if ranking.resamples:
        resamples = f"{counted(ranking.resamples, 'resample')} of {ranking.groups}"
        parts.append(f"Lines: {100 * ranking.level:g}% intervals ({resamples}).")
    return " ".join(parts)


def _draw_slices(results: Results, size: Size) -> Figure:
    from evenhand.report.figures.causes import draw_slices  # which imports this module

    return draw_slices(results, size)


_FIGURES: dict[str, tuple[type[Subject], str, Callable[..., Figure]]] = {
    "errors": (Results, "score", draw_errors),
    "confusion": (Results, "score", draw_confusion),
    "slices": (Results, "score", _draw_slices),
    "comparison": (Comparison, "compare", draw_comparison),
    "ranks": (Ranking, "rank", draw_ranks),
}
"""For each kind of figure, the type of the result, the function that returns it, and the drawing function."""
