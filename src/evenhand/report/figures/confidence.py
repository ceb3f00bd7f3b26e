"""The figures of confidences: precision and recall, F by threshold, calibration, risk and coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evenhand.errors import SettingError, unknown
from evenhand.files import write_file
from evenhand.report.confidence_tables import f_name
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import SMALL, Size
from evenhand.report.figures.plots import NotebookFigure
from evenhand.results.confidence import Confidence, SystemConfidence, thinned

_HEIGHT = 3.8
"""In inches, without the legend."""
_POINTS = 2_000
"""Maximum number of points of a line."""
_ISO = (0.2, 0.4, 0.6, 0.8)
"""The values of F1 with a line."""
_COLOURS = (canvas.BLUE, canvas.VERMILLION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_LINES = ("-", "--", "-.", ":")
_GREY = "#777777"


def plot(confidence: Confidence, kind: str, path: str | Path | None, size: Size) -> Figure:
    """Draw one figure, and write it to `path`, if given."""
    if kind not in FIGURES:
        raise SettingError(unknown(f"Unknown figure {kind!r}", kind, FIGURES, f"choose one of {', '.join(FIGURES)}"))
    form = None if path is None else canvas.form_of(path)
    with canvas.style():
        figure: Figure = NotebookFigure((size.inches, size.height or _HEIGHT), layout="constrained")
        names = canvas.distinct_names(confidence.systems, 0.3 * size.inches)
        FIGURES[kind](confidence, figure, names)
        if not size.height:
            labels = [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]
            figure.set_figheight(min(canvas.PAGE, _HEIGHT + canvas.legend_height(labels, size.inches)))
        canvas.finish(figure, size)
    if path is not None and form is not None:
        write_file(path, canvas.render(figure, form, confidence.signature))
    return figure


def _style(number: int) -> dict[str, Any]:
    return {"color": _COLOURS[number % len(_COLOURS)], "linestyle": _LINES[number % len(_LINES)]}


def _precision_recall(confidence: Confidence, figure: Figure, names: Mapping[str, str]) -> None:
    axes = figure.subplots()
    for f1 in _ISO:
        recall = np.linspace(f1 / (2 - f1), 1, 100)
        axes.plot(recall, f1 * recall / (2 * recall - f1), color="#CCCCCC", linewidth=0.7, zorder=0)
        axes.annotate(
            f"F1 {100 * f1:.0f}",
            (1, f1 / (2 - f1)),
            *((-2, 2), "data", "offset points"),
            ha="right",
            fontsize=SMALL,
            color=_GREY,
        )
    for number, system in enumerate(confidence.systems.values()):
        kept = thinned(len(system.curve), _POINTS)
        style = _style(number)
        name = f"{names[system.name]} (AP {100 * system.ap:.1f}, at most {100 * system.reach:.1f})"
        axes.plot(system.curve.recall[kept], system.curve.precision[kept], label=name, **style)
        best = system.best_threshold
        if best.threshold is None:
            continue
        axes.plot(best.recall, best.precision, "o", color=style["color"], markersize=6)
        if system.changes is not None and best.cross_fitted is not None:
            from evenhand.statistics.precision_recall import scores_of

            fitted = scores_of(system.changes.cross_fitted(best.beta)[0].sum(axis=0))
            axes.plot(
                float(fitted.recall), float(fitted.precision), "o", color=style["color"], markersize=8, mfc="none"
            )
        axes.annotate(f"  {best.threshold:.3g}", (best.recall, best.precision), va="bottom", fontsize=SMALL)
    _percent(axes, "recall", "precision")
    canvas.legend(figure, [axes])
    name = f_name(next(iter(confidence.systems.values())).beta)
    canvas.remark(figure, f"Dots: the threshold with the highest {name}; circles: the same, cross-fitted.")


def _by_threshold(confidence: Confidence, figure: Figure, names: Mapping[str, str]) -> None:
    axes = figure.subplots()
    for number, system in enumerate(confidence.systems.values()):
        kept, best, style = thinned(len(system.curve), _POINTS), system.best_threshold, _style(number)
        label = names[system.name]
        axes.plot(system.curve.threshold[kept], system.curve.f_beta(system.beta)[kept], label=label, **style)
        if best.threshold is not None:
            axes.plot(best.threshold, best.f, "o", color=style["color"])
        if best.folds is not None and best.threshold is not None:
            axes.axvspan(*best.folds, color=style["color"], alpha=0.15, linewidth=0)
    name = f_name(next(iter(confidence.systems.values())).beta)
    _percent(axes, "threshold", name, x_is_share=False, is_high=False)
    if len(confidence.systems) > 1:
        canvas.legend(figure, [axes])
    canvas.remark(figure, "Dots: the best threshold; bands: the range of the thresholds of the folds.")


def _calibration(confidence: Confidence, figure: Figure, names: Mapping[str, str]) -> None:
    systems = [system for system in confidence.systems.values() if system.calibration is not None]
    if not systems:
        reasons = "; ".join(f"{name}: {system.uncalibrated}" for name, system in confidence.systems.items())
        raise SettingError(f"Calibration is undefined: {reasons}.")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    upper.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.8)
    for number, system in enumerate(systems):
        _reliability(upper, lower, system, names[system.name], number, len(systems))
    _percent(upper, "", "correct")
    lower.set_ylabel("units")
    lower.set_xlabel("mean score of a bin")
    canvas.legend(figure, [upper])
    canvas.remark(
        figure,
        "Below the diagonal: overconfident. Vertical lines: 95% intervals from documents. Recall is not included.",
    )


def _reliability(upper: Axes, lower: Axes, system: SystemConfidence, name: str, number: int, systems: int) -> None:
    calibration, style = system.calibration, _style(number)
    assert calibration is not None
    units, mean, hits = (np.array(column) for column in zip(*calibration.bins, strict=True))
    label = f"{name} (ECE {calibration.ece:.3f}, by chance up to {calibration.by_chance:.3f})"
    upper.plot(mean, hits, "o", label=label, markersize=4, **style)
    if calibration.bin_intervals:
        low, high = np.array(calibration.bin_intervals).T
        upper.vlines(mean, low, high, color=style["color"], linewidth=0.8)
    width = 0.012 / systems
    lower.bar(mean + (number - (systems - 1) / 2) * width, units, width, color=style["color"])


def _risk(confidence: Confidence, figure: Figure, names: Mapping[str, str]) -> None:
    axes = figure.subplots()
    for number, system in enumerate(confidence.systems.values()):
        _, coverage, risk = system.risk_coverage
        kept = thinned(len(risk), _POINTS)
        area = "" if system.aurc is None else f" (AURC {100 * system.aurc:.1f})"
        axes.plot(coverage[kept], risk[kept], label=f"{names[system.name]}{area}", **_style(number))
    _percent(axes, "coverage: share of units accepted", "risk: share of these that are wrong", is_high=False)
    canvas.legend(figure, [axes])


def _percent(axes: Axes, x: str, y: str, *, x_is_share: bool = True, is_high: bool = True) -> None:
    """Axes from 0 to 100 %."""
    from matplotlib.ticker import PercentFormatter

    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylim(0, 1.02 if is_high else None)
    if x_is_share:
        axes.set_xlim(0, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1))


FIGURES: Mapping[str, Callable[[Confidence, Figure, Mapping[str, str]], None]] = {
    "pr": _precision_recall,
    "threshold": _by_threshold,
    "calibration": _calibration,
    "risk": _risk,
}
