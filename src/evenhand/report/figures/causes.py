"""The figures of slices: error rates of one system, changes between two, and scores of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from evenhand.arrays import Values
from evenhand.errors import SettingError, counted
from evenhand.files import write_file
from evenhand.report.causes_tables import NOT_WHY, NOT_WHY_OF_TWO
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import SMALL, Size, named, text_width
from evenhand.report.figures.plots import sheet
from evenhand.results.causes import ALPHA, Causes, SearchedSlice
from evenhand.results.result import Results
from evenhand.statistics.slice_search import FEWEST_UNITS
from evenhand.tasks.registry import model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _AROUND = 0.19, 1.0
"""In inches: the height of a slice, and of axes and small print."""
_NARROW = 5.0
"""The width in inches below which the label of the axis has two lines."""
_MOST_LINES = 14
"""Maximum number of slices of a slope chart."""
_LABEL = 0.155
"""The height of a label of a slope chart, in inches."""
_CELL, _COLUMN, _MIN_COLUMN = 0.2, 0.42, 0.15
"""In inches: the height of a cell of a heat map; the width of a column, and its minimum if its texts are vertical."""
_GREY = "#777777"


def plot(causes: Causes, path: str | Path | None, size: Size) -> Figure:
    """Draw the slices of one system as dots, or of two as slopes, and write the figure to `path`, if given."""
    if not causes.slices:
        raise SettingError("There are no slices to draw; none has enough units.")
    form = None if path is None else canvas.form_of(path)
    with canvas.style():
        figure = canvas.finish((_draw_dots if len(causes.systems) == 1 else _draw_slopes)(causes, size), size)
    if path is not None and form is not None:
        write_file(path, canvas.render(figure, form, causes.signature))
    return figure


def _shown(causes: Causes, most: int) -> list[SearchedSlice]:
    """The slices of the list, then the values of single attributes, the most significant first."""
    found = [row.slice for row in causes.found]
    rows = [*(row for row in causes.ordered if row.slice in found), *(row for row in causes.ordered if row.is_single)]
    return list(dict.fromkeys(rows))[:most]


def _colour(causes: Causes, row: SearchedSlice) -> str:
    """By the test: vermillion for more errors, blue for fewer, else grey."""
    if row.p > ALPHA:
        return _GREY
    return canvas.VERMILLION if row.statistic > 0 else canvas.BLUE


def _draw_dots(causes: Causes, size: Size) -> Figure:
    """The error rate of each slice with its interval, the highest first, and a line for all units."""
    rows = _shown(causes, max(1, int(((size.height or canvas.PAGE) - _AROUND) / _ROW)))
    rows.sort(key=lambda row: -row.rates[0])
    figure = sheet(size, _AROUND + _ROW * len(rows))
    axes = figure.subplots()
    (system,) = causes.systems
    overall = 100 * causes.wrong[system] / max(1, causes.size)
    axes.axvline(overall, color="black", linewidth=0.8, linestyle="--")
    for number, row in enumerate(rows):
        low, high = row.intervals[0]
        colour = _colour(causes, row)
        axes.axhline(number, color="#DDDDDD", linewidth=0.5, zorder=0)
        axes.plot([100 * low, 100 * high], [number, number], color=colour, linewidth=1)
        axes.plot([100 * row.rates[0]], [number], "o", color=colour, markersize=4)
        canvas.annotate(axes, f"{row.units:,}", (1, number), 4, at_edge=True)
    canvas.name_rows(axes, list(canvas.distinct_names((row.slice for row in rows), 0.42 * size.inches).values()))
    axes.set_xlim(left=0)
    between = "\n" if size.inches < _NARROW else " "
    axes.set_xlabel(f"errors of {named(system, 0.3 * size.inches)},{between}% of {causes.unit}s")
    canvas.remark(
        figure,
        f"Dashed: all {counted(causes.size, causes.unit)}. Right: {causes.unit}s in the slice. Lines: 95% intervals "
        f"({causes.of}). Orange: significantly more errors than the rest (max-T), blue: fewer. {NOT_WHY}",
    )
    return figure


def _draw_slopes(causes: Causes, size: Size) -> Figure:
    """The error rates of both systems, with a line per slice."""
    height = size.height or min(canvas.PAGE, 4.6)
    rows = _shown(causes, max(1, min(_MOST_LINES, int((height - _AROUND) / _LABEL))))
    figure = sheet(size, height)
    axes = figure.subplots()
    for row in rows:
        colour = _colour(causes, row)
        rates = [100 * rate for rate in row.rates]
        width = 1.0 if row.p > ALPHA else 1.6
        axes.plot([0, 1], rates, "o-", color=colour, linewidth=width, markersize=3.5, zorder=1 + (row.p <= ALPHA))
    overall = [100 * causes.wrong[name] / max(1, causes.size) for name in causes.systems]
    axes.plot([0, 1], overall, "--", color="black", linewidth=0.8)
    low, high = axes.get_ylim()
    low = max(0.0, low)
    axes.set_ylim(low, high)
    room = (high - low) * _LABEL / (height - _AROUND)
    ends = [*(100 * row.rates[1] for row in rows), overall[1]]
    names = [*(row.slice for row in rows), f"all {causes.unit}s"]
    colours = [*(_colour(causes, row) for row in rows), "black"]
    short = canvas.distinct_names(names, 0.4 * size.inches)
    for end, label, name, colour in zip(ends, _spread(ends, room, (low, high)), names, colours, strict=True):
        axes.annotate(
            short[name],
            *((1, end), (1.06, label)),
            textcoords="data",
            annotation_clip=False,
            fontsize=SMALL,
            va="center_baseline",
            color=colour,
            arrowprops={
                "arrowstyle": "-",
                "color": "#BBBBBB",
                "linewidth": 0.5,
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 3,
            },
        )
    axes.set_xlim(-0.06, 1.02)
    systems = canvas.distinct_names(causes.systems, min(1.4, 0.3 * size.inches))
    axes.set_xticks([0, 1], list(systems.values()))
    axes.set_ylabel(f"errors, % of {causes.unit}s")
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", length=0)
    canvas.remark(
        figure, f"Orange: significantly more errors of {causes.systems[1]} (max-T), blue: fewer. {NOT_WHY_OF_TWO}"
    )
    return figure


def _spread(positions: Sequence[float], room: float, limits: tuple[float, float]) -> list[float]:
    """Positions of labels that are at least `room` apart, in the same order, near theirs and within the limits."""
    low, high = limits
    order = np.argsort(positions, kind="stable")
    blocks: list[list[float]] = []

    def within(centre: float, size: float) -> float:
        return max(low + room * size / 2, min(high - room * size / 2, centre))

    for position in np.asarray(positions)[order].tolist():
        blocks.append([within(position, 1), 1])  # the centre and the number of labels
        while len(blocks) > 1 and blocks[-1][0] - blocks[-2][0] < room * (blocks[-1][1] + blocks[-2][1]) / 2:
            centre, size = blocks.pop()
            before, others = blocks.pop()
            blocks.append([within((centre * size + before * others) / (size + others), size + others), size + others])
    spread = np.empty(len(positions))
    spread[order] = [
        centre + room * (number - (size - 1) / 2) for centre, size in blocks for number in range(int(size))
    ]
    return [float(position) for position in spread]


def draw_slices(results: Results, size: Size) -> Figure:
    """The scores of systems on slices as a heat map: the difference from the score on all units, in points."""
    first = next(iter(results.values()))
    if not first.slices:
        raise SettingError("The results have no slices to draw; name some, such as slices='length'.")
    model = next(iter(first.scores))
    rows = [
        (name, value)
        for name, slices in first.slices.items()
        for value, scores in slices.items()
        if scores.units >= FEWEST_UNITS and model in scores
    ]
    labels = [f"{name}={value} ({first.slices[name][value].units:,})" for name, value in rows]
    widest = min(0.35 * size.inches, max((text_width(label, SMALL) for label in labels), default=0.0))
    width = size.inches - widest - 0.15
    systems = list(results)[: max(1, int(width / _MIN_COLUMN))]
    room = width / len(systems)
    is_upright = room < _COLUMN
    names = list(canvas.distinct_names(systems, 1.2).values())
    turned = any(text_width(name, SMALL) + 0.05 > room for name in names)
    around = _AROUND + (max(text_width(name, SMALL) for name in names) if turned else 0.1)
    cell = _COLUMN if is_upright else _CELL
    rows = rows[: max(1, int(((size.height or canvas.PAGE) - around) / cell))]
    table = np.array(
        [[100 * _difference(results[name], model, *row) for name in systems] for row in rows], dtype=np.float64
    ).reshape(len(rows), len(systems))
    figure = sheet(size, around + cell * len(rows))
    axes = figure.subplots()
    _shade(axes, table, rotation=90 if is_upright else 0)
    axes.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90 if turned else 0, fontsize=SMALL)
    short = canvas.distinct_names(labels, 0.35 * size.inches)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [short[label] for label in labels[: len(rows)]], fontsize=SMALL)
    axes.set_ylim(len(rows), 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for number in range(1, len(rows)):
        if rows[number][0] != rows[number - 1][0]:
            axes.axhline(number, color="black", linewidth=0.6)
    first_systems = f"The first {counted(len(systems), 'system')}; {len(results) - len(systems)} more. "
    canvas.remark(
        figure,
        f"{first_systems if len(systems) < len(results) else ''}{model_title(results.task, model)}: points above "
        "(blue) or below (red) the system's score on all units. "
        f"In brackets: gold units; slices with fewer than {FEWEST_UNITS} are left out.",
    )
    return figure


def _difference(result: Any, model: str, name: str, value: str) -> float:
    """The score on a slice minus that on all units; NaN if the slice has none."""
    slices = result.slices[name]
    if value not in slices or model not in slices[value]:
        return float("nan")
    return float(slices[value][model].headline - result[model].headline)


def _shade(axes: Axes, table: Values, rotation: int) -> None:
    """Red for negative and blue for positive numbers, which are written into the cells."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    limit = max(1.0, float(np.nanmax(np.abs(table), initial=0.0)))
    norm, colours = Normalize(-limit, limit), colormaps["RdBu"]
    axes.pcolormesh(np.ma.masked_invalid(table), norm=norm, cmap=colours, edgecolors="white", linewidth=0.8)
    for row, column in np.argwhere(np.isfinite(table)):
        red, green, blue, _ = colours(norm(table[row, column]))
        ink = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        text = f"{round(table[row, column], 1) + 0.0:+.1f}".replace("-", "−")  # no −0.0
        centre: dict[str, Any] = {
            "ha": "center",
            "va": "center" if rotation else "center_baseline",
            "rotation": rotation,
        }
        axes.text(column + 0.5, row + 0.5, text, fontsize=SMALL, color=ink, **centre)
