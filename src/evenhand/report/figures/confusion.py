"""Which labels are confused with which, as heat maps: Figure 2 of Ortmann 2022, for spans, tags and relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Values
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError, counted
from evenhand.report.figures.canvas import PAGE, SMALL, Size, named, remark, sheet, text_width
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
_SMALLEST_CELL, _SMALL_CELL, _LARGEST_CELL, _WIDEST_NAME = 0.14, 0.18, 0.36, 0.8
"""In inches."""
_AROUND, _BETWEEN, _TITLE = 0.5, 0.15, 0.3
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


def draw(results: Results, size: Size, systems: str | Sequence[str] = ()) -> Figure:
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


def _plan(scores: Sequence[ModelScore], errors: Mapping[str, int], size: Size) -> tuple[Plan, int]:
    """The labels with the most errors, as many as can be read, and how many these are.

    Rows and columns without errors are left out.
    """
    ranked = sorted((label for label in errors if errors[label]), key=lambda label: (-errors[label], label))
    for number in range(min(MOST_LABELS, len(ranked)), 0, -1):
        found = _shape(scores, sorted(ranked[:number]), size)
        if found.cell >= _least(scores) or number == 1:
            return found, number if number < len(ranked) else len(errors)
    return _shape(scores, sorted(errors), size, are_empty=True), len(errors)


def _shape(scores: Sequence[ModelScore], labels: Sequence[str], size: Size, *, are_empty: bool = False) -> Plan:
    """Matrices of these labels: side by side, else in two columns, else below each other, unless cells get small."""
    sides = [*labels, NO_LABEL]
    table = np.sum([np.nan_to_num(matrix(score, sides, sides)) for score in scores], axis=0)
    golds = labels if are_empty else [label for label, row in zip(sides, table, strict=True) if row.any()]
    systems = labels if are_empty else [label for label, column in zip(sides, table.T, strict=True) if column.any()]
    margin = _AROUND + max((text_width(named(label, _WIDEST_NAME), SMALL) for label in labels), default=0.0)
    below = margin + 2 * _TITLE
    plans = []
    for columns in (len(scores), min(2, len(scores)), 1):
        rows = ceil(len(scores) / columns)
        wide = (size.inches - margin - _BETWEEN * columns) / columns / max(1, len(systems))
        high = ((size.height or PAGE) - below - _TITLE * rows) / rows / max(1, len(golds))
        cell = max(0.05, min(_LARGEST_CELL, wide, high))
        plans.append(Plan(golds, systems, columns, cell, below + rows * (_TITLE + cell * len(golds))))
    return next((plan for plan in plans if plan.cell >= _SMALL_CELL), max(plans, key=lambda plan: plan.cell))


def _least(scores: Sequence[ModelScore]) -> float:
    """How large a cell must be for its count to be read."""
    counts = (count for score in scores for row in (score.confusion or {}).values() for count in row.values())
    return max(_SMALLEST_CELL, text_width(f"{max(counts, default=0):.0f}", SMALL) + 0.02)


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


def matrix(score: ModelScore, golds: Sequence[str], systems: Sequence[str]) -> Values:
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
