"""Scores with intervals and ranks, a panel for each match model."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from evenhand.comparison.ranking import Standing
from evenhand.problems import counted
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import Size
from evenhand.result.notes import NOTHING_TO_RESAMPLE
from evenhand.result.ranking import Ranking
from evenhand.table_style import UNDEFINED
from evenhand.tasks.registry import model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _LEAST_ROW, _PANEL, _MOST_PANELS = 0.2, 0.15, 1.0, 4
"""The height of a system, the least one, and the least width of a model in inches; how many models are side by side."""
_AROUND, _AROUND_PANEL = 0.4, 0.7
"""The height of small print, and of what is not systems in a panel."""


def draw(ranking: Ranking, size: Size) -> Figure:
    """Systems by rank under the first model; beside each score stand its rank and the places gained or lost."""
    models = [model for model in ranking.shown_models if any(each.score for each in ranking[model].values())]
    models = models or list(ranking.shown_models)
    names = list(canvas.distinct_names(ranking.systems, 0.3 * size.inches).values())
    room = size.inches - max(canvas.text_width(name, canvas.TEXT_SIZE) for name in names)
    rows = ceil(len(models) / max(1, min(_MOST_PANELS, len(models), int(room / _PANEL))))
    columns = ceil(len(models) / rows)
    systems = ranking.systems[: _most_systems(size, rows)]
    figure = canvas.sheet(size, _AROUND + rows * (_AROUND_PANEL + _ROW * len(systems)))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, model) in enumerate(zip(panels, models, strict=False)):
        _scores(axes, [ranking[model][system] for system in systems])
        _ranks(axes, [ranking[model][system] for system in systems])
        axes.set_title(model_title(ranking.task, model), loc="left")
        axes.tick_params(axis="y", length=0)
        if place >= len(models) - columns:
            axes.set_xlabel("score, %")
            axes.tick_params(axis="x", labelbottom=True)
    canvas.rows_of(panels[0], names[: len(systems)])
    for axes in panels[len(models) :]:
        axes.remove()
    canvas.remark(figure, _remark(ranking, models, len(systems)))
    return figure


def _most_systems(size: Size, rows: int) -> int:
    """How many systems a page or the user's height has room for, with so many panels above each other."""
    height = (size.height or canvas.PAGE) - _AROUND
    return max(1, int((height / rows - _AROUND_PANEL) / _LEAST_ROW))


def _scores(axes: Axes, standings: Sequence[Standing]) -> None:
    for place, standing in enumerate(standings):
        axes.axhline(place, color="#DDDDDD", linewidth=0.5, zorder=0)
        if standing.interval is not None:
            axes.plot([100 * bound for bound in standing.interval], [place, place], color="black", linewidth=1)
    scores = [100 * standing.score for standing in standings]
    mark: dict[str, Any] = {"color": canvas.BLUE, "markeredgecolor": "black", "markeredgewidth": 0.5, "markersize": 3.2}
    axes.plot(scores, range(len(scores)), "o", **mark)


def _ranks(axes: Axes, standings: Sequence[Standing]) -> None:
    """The ranks at the right, with the places gained or lost against the first model."""
    for place, standing in enumerate(standings):
        canvas.beside(axes, f"{standing.rank or UNDEFINED}", (1, place), 14, at_edge=True, ha="right")
        if standing.change:
            mark, color = ("▲", canvas.BLUE) if standing.change > 0 else ("▼", canvas.VERMILLION)
            text = f"{mark}{abs(standing.change)}"
            canvas.beside(axes, text, (1, place), 16, at_edge=True, color=color)


def _remark(ranking: Ranking, models: Sequence[str], systems: int) -> str:
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
