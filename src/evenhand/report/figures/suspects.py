"""The figure of suspects: errors of the gold standard found against the share reviewed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from evenhand.errors import SettingError
from evenhand.files import write_file
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import Size
from evenhand.report.figures.plots import NotebookFigure
from evenhand.results.suspects import Suspects

_HEIGHT = 3.6
_SHOWN = 0.25
"""The share of the gold spans up to which the review is drawn; later the curves are flat."""


def plot(suspects: Suspects, path: str | Path | None, size: Size) -> Figure:
    """Draw the figure, and write it to `path`, if given."""
    truth = suspects.truth
    if truth is None:
        raise SettingError("The figure compares with a corrected gold standard; give it as truth.")
    if not truth.places:
        raise SettingError("The corrected gold standard has no corrections, so there is nothing to find.")
    form = None if path is None else canvas.form_of(path)
    with canvas.style():
        figure: Figure = NotebookFigure((size.inches, size.height or _HEIGHT), layout="constrained")
        axes = figure.subplots()
        lines = [(suspects.rule, truth.rule, canvas.BLUE, "-")]
        lines += [] if suspects.rule == "votes" else [("votes", truth.votes, canvas.VERMILLION, "--")]
        size_of_gold = max(truth.gold_spans, 1)
        for name, ranking, colour, style in lines:
            reviewed = np.arange(len(ranking.found) + 1) / size_of_gold
            axes.plot(reviewed, np.append(0, ranking.found) / truth.places, style, color=colour, label=name)
        longest = max(len(ranking.found) for _, ranking, _, _ in lines)
        limit = min(_SHOWN, max(longest, 1) / size_of_gold)
        by_chance = truth.rule.found[-1] / truth.places if truth.rule.found else 0.0
        axes.plot([0, longest / size_of_gold], [0, by_chance], ":", color="#777777", label="chance")
        axes.set_xlim(0, limit)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("suspects reviewed, as a share of the gold units")
        axes.set_ylabel("errors found")
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        canvas.legend(figure, [axes])
        canvas.remark(figure, f"{truth.places:,} errors of the gold standard. Chance: the same list in random order.")
        canvas.finish(figure, size)
    if path is not None and form is not None:
        write_file(path, canvas.render(figure, form, suspects.signature))
    return figure
