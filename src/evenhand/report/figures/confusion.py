"""Which labels are confused with which, as heat maps: Figure 2 of Ortmann 2022, for spans, tags and relations."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Values
from evenhand.problems import SettingError
from evenhand.report.figures.canvas import SMALL, TEXT_SIZE, Size, named, remark, sheet, text_width
from evenhand.result.result import Results
from evenhand.scores.model_score import ModelScore
from evenhand.suggestion import unknown
from evenhand.tally import NO_LABEL
from evenhand.tasks.display import Confusion
from evenhand.tasks.registry import TASKS
from evenhand.tasks.tables import confusion_score, errors_by_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LABELS, MOST_SYSTEMS = 15, 4
_COLOURS = "viridis_r"
"""Uniform to the eye, for colour-blind readers too, and from light to dark in grey."""
_SMALLEST_CELL, _SMALL_CELL, _LARGEST_CELL, _WIDEST_NAME = 0.12, 0.22, 0.42, 0.8
"""In inches."""


def draw(results: Results, size: Size, systems: str | Sequence[str] = ()) -> Figure:
    """A matrix for each system, gold labels as rows; all have the same labels and the same shades."""
    declared, scores = _scores(results, systems)
    errors = errors_by_label(list(scores.values()))
    shown = sorted(sorted(errors, key=lambda label: (-errors[label], label))[:MOST_LABELS])
    sides = [f"∅ ({side})" for side in declared.one_sided] if any(map(_is_one_sided, scores.values())) else []
    tables = {name: matrix(score, shown, one_sided=bool(sides)) for name, score in scores.items()}
    margin = 0.5 + max((text_width(named(label, _WIDEST_NAME), SMALL) for label in (*shown, *sides)), default=0)
    columns, cell = _columns(len(tables), len(shown) + 1, size.inches, margin)
    rows = ceil(len(tables) / columns)
    figure = sheet(size, 0.45 + rows * (0.1 + cell * (len(shown) + 1) + margin))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    most = max((np.nanmax(table, initial=0) for table in tables.values()), default=0)
    for place, (axes, (name, table)) in enumerate(zip(panels, tables.items(), strict=False)):
        _heat(axes, table, max(float(most), 1.0), cell)
        _name(axes, [*shown, *sides[:1]], [*shown, *sides[1:]], cell)
        axes.set_xlabel("system" if place >= len(tables) - columns else "")
        axes.set_ylabel("gold standard" if place % columns == 0 else "")
        for draw_line in (axes.axhline, axes.axvline) if sides else ():
            draw_line(len(shown), color="black", linewidth=0.6)
        if len(tables) > 1:
            axes.set_title(named(name, size.inches / columns))
    for axes in panels[len(tables) :]:
        axes.remove()
    few = f" The {len(shown)} labels with the most errors of {len(errors)}." if len(shown) < len(errors) else ""
    remark(figure, declared.caption + few)
    return figure


def _columns(systems: int, labels: int, inches: float, margin: float) -> tuple[int, float]:
    """How many matrices stand side by side, and the size of a cell: all in a row, unless cells get too small."""
    for columns, smallest in ((systems, _SMALL_CELL), (min(2, systems), _SMALLEST_CELL), (1, 0.0)):
        cell = (inches / columns - margin) / labels
        if cell >= smallest:
            break
    return columns, max(0.05, min(_LARGEST_CELL, cell))


def _scores(results: Results, systems: str | Sequence[str]) -> tuple[Confusion, dict[str, ModelScore]]:
    """The scores behind the matrices of the chosen systems."""
    declared, first = TASKS[results.task].display.confusion, next(iter(results.values()))
    if declared is None:
        raise SettingError(f"{results.task.title()} have no labels to confuse; draw the figure errors instead.")
    score = confusion_score(first)
    if score is None and declared.models:
        raise SettingError(f"The confusion matrix comes from the match model {declared.models[0]}; score with it too.")
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


def matrix(score: ModelScore, labels: Sequence[str], *, one_sided: bool) -> Values:
    """Errors by gold label and system label, with a last column and row for what only one side has."""
    cells = score.confusion or {}
    names = [*labels, NO_LABEL] if one_sided else list(labels)
    table = np.array([[cells.get(gold, {}).get(system, 0) for system in names] for gold in names], dtype=np.float64)
    if one_sided:
        table[-1, -1] = np.nan
    return table.reshape(len(names), len(names))


def _is_one_sided(score: ModelScore) -> bool:
    """Whether there are units that only one side has."""
    cells = score.confusion or {}
    return NO_LABEL in cells or any(NO_LABEL in row for row in cells.values())


def _heat(axes: Axes, table: Values, most: float, cell: float) -> None:
    """Shades by the square root of counts, so that small ones are seen, and the counts themselves."""
    from matplotlib import colormaps
    from matplotlib.colors import PowerNorm

    norm, colours = PowerNorm(0.5, 0, most), colormaps[_COLOURS]
    axes.pcolormesh(np.ones_like(table), cmap="Greys", vmin=0, vmax=25, edgecolors="white", linewidth=0.8)
    shades = np.ma.masked_where(~(table > 0), table)
    axes.pcolormesh(shades, norm=norm, cmap=colours, edgecolors="white", linewidth=0.8)
    longest = max(text_width(f"{most:.0f}", 1), text_width("00", 1))
    points = max(4.0, min(TEXT_SIZE, 0.8 * cell / longest))
    for row, column in np.argwhere(table > 0):
        count = table[row, column]
        red, green, blue, _ = colours(norm(count))
        colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        place = (column + 0.5, row + 0.5)
        axes.text(*place, f"{count:.0f}", ha="center", va="center_baseline", fontsize=points, color=colour)


def _name(axes: Axes, columns: Sequence[str], rows: Sequence[str], cell: float) -> None:
    """Labels on both axes; those below stand upright where they are wider than cells."""
    centres = [place + 0.5 for place in range(len(columns))]
    upright = any(text_width(named(label, _WIDEST_NAME), SMALL) > cell for label in columns)
    axes.set_xticks(
        centres, [named(label, _WIDEST_NAME) for label in columns], rotation=90 if upright else 0, fontsize=SMALL
    )
    axes.set_yticks(centres, [named(label, _WIDEST_NAME) for label in rows], fontsize=SMALL)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.invert_yaxis()
    axes.set_aspect("equal")
