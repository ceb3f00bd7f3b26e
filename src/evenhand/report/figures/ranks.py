"""Scores with intervals and ranks, a panel for each match model."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import Size
from evenhand.result.ranking import Ranking
from evenhand.tasks.registry import model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _PANEL, _MOST_PANELS = 0.2, 1.0, 4
"""The height of a system and the least width of a model in inches, and how many models stand side by side."""


def draw(ranking: Ranking, size: Size) -> Figure:
    """Systems by rank under the first model; beside each score stand its rank and the places gained or lost."""
    names = [canvas.named(system, 0.3 * size.inches) for system in ranking.systems]
    room = size.inches - max(canvas.text_width(name, canvas.TEXT_SIZE) for name in names)
    columns = max(1, min(_MOST_PANELS, len(ranking.models), int(room / _PANEL)))
    rows = ceil(len(ranking.models) / columns)
    figure = canvas.sheet(size, 0.4 + rows * (0.7 + _ROW * len(ranking.systems)))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, model) in enumerate(zip(panels, ranking.models, strict=False)):
        _scores(axes, ranking, model)
        _ranks(axes, ranking, model)
        axes.set_title(model_title(ranking.task, model), loc="left")
        axes.tick_params(axis="y", length=0)
        if place >= len(ranking.models) - columns:
            axes.set_xlabel("score, %")
            axes.tick_params(axis="x", labelbottom=True)
    canvas.rows_of(panels[0], names)
    for axes in panels[len(ranking.models) :]:
        axes.remove()
    canvas.remark(figure, _remark(ranking))
    return figure


def _scores(axes: Axes, ranking: Ranking, model: str) -> None:
    standings = [ranking[model][system] for system in ranking.systems]
    for place, standing in enumerate(standings):
        axes.axhline(place, color="#DDDDDD", linewidth=0.5, zorder=0)
        if standing.interval is not None:
            axes.plot([100 * bound for bound in standing.interval], [place, place], color="black", linewidth=1)
    scores = [100 * standing.score for standing in standings]
    mark: dict[str, Any] = {"color": canvas.BLUE, "markeredgecolor": "black", "markeredgewidth": 0.5, "markersize": 3.2}
    axes.plot(scores, range(len(scores)), "o", **mark)


def _ranks(axes: Axes, ranking: Ranking, model: str) -> None:
    """The ranks at the right, with the places gained or lost against the first model."""
    for place, system in enumerate(ranking.systems):
        standing = ranking[model][system]
        canvas.beside(axes, f"{standing.rank}", (1, place), 14, at_edge=True, ha="right")
        if standing.change:
            mark, color = ("▲", canvas.BLUE) if standing.change > 0 else ("▼", canvas.VERMILLION)
            text = f"{mark}{abs(standing.change)}"
            canvas.beside(axes, text, (1, place), 16, at_edge=True, fontsize=canvas.SMALL - 1, color=color)


def _remark(ranking: Ranking) -> str:
    changed = any(each.change for model in ranking.models for each in ranking[model].values())
    against = (
        f", places gained (▲) or lost (▼) against {model_title(ranking.task, ranking.models[0])}" if changed else ""
    )
    parts = [f"At the right: ranks{against}."]
    if ranking.resamples:
        made = f"{ranking.resamples:,} resamples of {ranking.groups}"
        parts.append(f"Lines: {100 * ranking.level:g}% intervals ({made}).")
    return " ".join(parts)
