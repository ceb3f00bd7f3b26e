"""How the errors of systems divide, as stacked bars: Figure 1 of Ortmann 2022, for every task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.problems import counted
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import Size
from evenhand.report.figures.fills import fills
from evenhand.report.figures.ticks import count_axis
from evenhand.result.result import Results
from evenhand.tasks.error_bars import Bar
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAP, _OF_WIDTH, _LEAST_ROW = 0.5, 0.6, 0.17
"""The space between systems, in bars; about how much of the figure's width bars have; the least inches of a bar."""


def draw(results: Results, size: Size, *, counts: bool) -> Figure:
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
