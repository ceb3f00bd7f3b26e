"""Scores with intervals and ranks, a panel for each match model."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from evenhand.report.figures.canvas import (
    BLUE,
    SMALL,
    TEXT_SIZE,
    VERMILLION,
    Size,
    beside,
    named,
    remark,
    rows_of,
    sheet,
    text_width,
)
from evenhand.result.ranking import Ranking
from evenhand.tasks.registry import model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _PANEL, _MOST_PANELS = 0.2, 1.0, 4
"""The height of a system and the least width of a model in inches, and how many models stand side by side."""


def draw(ranking: Ranking, size: Size) -> Figure:
    """Systems by rank under the first model; beside each score stand its rank and the places gained or lost."""
    names = [named(system, 0.3 * size.inches) for system in ranking.systems]
    room = size.inches - max(text_width(name, TEXT_SIZE) for name in names)
    columns = max(1, min(_MOST_PANELS, len(ranking.models), int(room / _PANEL)))
    rows = ceil(len(ranking.models) / columns)
    figure = sheet(size, 0.4 + rows * (0.7 + _ROW * len(ranking.systems)))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, model) in enumerate(zip(panels, ranking.models, strict=False)):
        _scores(axes, ranking, model)
        _ranks(axes, ranking, model)
        axes.set_title(model_title(ranking.task, model), loc="left")
        axes.tick_params(axis="y", length=0)
        if place >= len(ranking.models) - columns:
            axes.set_xlabel("score, %")
            axes.tick_params(axis="x", labelbottom=True)
    rows_of(panels[0], names)
    for axes in panels[len(ranking.models) :]:
        axes.remove()
    remark(figure, _remark(ranking))
    return figure


def _scores(axes: Axes, ranking: Ranking, model: str) -> None:
    standings = [ranking[model][system] for system in ranking.systems]
    for place, standing in enumerate(standings):
        axes.axhline(place, color="#DDDDDD", linewidth=0.5, zorder=0)
        if standing.interval is not None:
            axes.plot([100 * bound for bound in standing.interval], [place, place], color="black", linewidth=1)
    scores = [100 * standing.score for standing in standings]
    axes.plot(scores, range(len(scores)), "o", color=BLUE, markeredgecolor="black", markeredgewidth=0.5, markersize=3.2)


def _ranks(axes: Axes, ranking: Ranking, model: str) -> None:
    """The ranks at the right, with the places gained or lost against the first model."""
    for place, system in enumerate(ranking.systems):
        standing = ranking[model][system]
        beside(axes, f"{standing.rank}", (1, place), 14, at_edge=True, ha="right")
        if standing.change:
            gained = standing.change > 0
            text, color = f"{'▲' if gained else '▼'}{abs(standing.change)}", BLUE if gained else VERMILLION
            beside(axes, text, (1, place), 16, at_edge=True, fontsize=SMALL - 1, color=color)


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
