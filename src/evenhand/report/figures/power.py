"""The figure of power: by the number of groups, and by the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from evenhand.errors import SettingError, counted
from evenhand.files import write_file
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import SMALL, Size
from evenhand.report.figures.plots import NotebookFigure
from evenhand.report.verdict import points
from evenhand.results.power import Power
from evenhand.statistics.power import PowerChart, power_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _NARROW = 2.9, 5.0
"""In inches: the height of a panel, and the width below which the panels are below each other."""
_LINES = ((canvas.BLUE, "-"), (canvas.VERMILLION, "--"), ("#009E73", "-."), ("#CC79A7", ":"))


def plot(power: Power, path: str | Path | None, size: Size) -> Figure:
    """Draw the figure, and write it to `path`, if given."""
    form = None if path is None else canvas.form_of(path)
    chart = chart_of(power)
    narrow = size.inches < _NARROW
    with canvas.style():
        height = size.height or (2 * _HEIGHT if narrow else _HEIGHT)
        figure: Figure = NotebookFigure((size.inches, height), layout="constrained")
        left, right = figure.subplots(2, 1) if narrow else figure.subplots(1, 2)
        _draw(left, chart.sizes, chart.by_size, chart.target)
        left.set_xlim(chart.sizes[0], chart.sizes[-1])
        left.set_xlabel(power.of)
        canvas.count_axis(left)
        _mark(left, chart.present, f"{counted(chart.present, power.of.removesuffix('s'))} now")
        differences = [100 * difference for difference in chart.differences]
        _draw(right, differences, chart.by_difference, chart.target, has_names=len(chart.by_difference) > 1)
        right.set_xlim(0, differences[-1])
        right.set_xlabel(f"true difference in points,\nwith {counted(chart.planned, power.of.removesuffix('s'))}")
        for name, difference in chart.detectable.items():
            of_line = "detectable: " if len(chart.detectable) == 1 else ""
            color = "black" if len(chart.detectable) == 1 else _color(chart, name)
            _mark(right, 100 * difference, f"{of_line}{points(difference)}", color, list(chart.detectable).index(name))
        canvas.legend(figure, [left])
        canvas.remark(figure, _remark(power, "Above" if narrow else "Left"))
        canvas.finish(figure, size)
    if path is not None and form is not None:
        write_file(path, canvas.render(figure, form, power.signature))
    return figure


def chart_of(power: Power) -> PowerChart:
    """The lines of the only pair, or of one system and the correlations with the planned one."""
    if power.system is not None:
        curves = {
            f"correlation {row.correlation:.2g}": row.curve_of for row in power.expected if row.curve_of is not None
        }
        assert power.delta is not None
        if not any(curve.spread.sd for curve in curves.values()):
            raise SettingError("The systems have equal influences, so any difference is significant; nothing to draw.")
        return power_chart(curves, power.planned, power.delta)
    if len(power.pairs) > 1:
        raise SettingError(
            f"Expected two systems for a figure of power, got {len(power.pairs)} pairs. Name two systems."
        )
    pair = power.pair
    if pair.is_identical:
        raise SettingError("The two outputs are identical; there is no difference to detect.")
    return power_chart({f"{pair.before} and {pair.after}": pair._curve}, power.planned, power.delta)


def _color(chart: PowerChart, name: str) -> str:
    return _LINES[list(chart.by_difference).index(name) % len(_LINES)][0]


def _draw(
    axes: Axes, x: Sequence[float], lines: Mapping[str, Sequence[float]], target: float, *, has_names: bool = True
) -> None:
    from matplotlib.ticker import PercentFormatter

    for number, (name, values) in enumerate(lines.items()):
        color, dashes = _LINES[number % len(_LINES)] if has_names else ("black", "-")
        axes.plot(x, values, color=color, linestyle=dashes, linewidth=1.3, label=name if has_names else None)
    axes.axhline(target, color=canvas.GREY, linewidth=0.6)
    axes.set_ylabel("power")
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def _mark(axes: Axes, x: float, text: str, color: Any = "black", line: int = 0) -> None:
    """A vertical line, with a text on this line from below; it is on the left if there is more room."""
    axes.axvline(x, color=color, linewidth=0.7, linestyle=(0, (2, 2)))
    low, high = axes.get_xlim()
    side: dict[str, Any] = {"ha": "right"} if x > (low + high) / 2 else {"ha": "left"}
    offset = (-3 if x > (low + high) / 2 else 3, 3 + 1.2 * SMALL * line)
    axes.annotate(text, (x, 0), offset, textcoords="offset points", fontsize=SMALL, color=color, **side)


def _remark(power: Power, first: str) -> str:
    level = f"Grey line: {100 * power.target:g}% power; alpha {power.alpha:.2g}."
    if power.system is not None:
        assert power.delta is not None
        left = f"{first}: a difference of {points(power.delta)} points; lines: correlation with the planned system."
        return f"{left} {level}"
    names = f"{power.pair.before} and {power.pair.after}, {power.by}."
    return f"{names} Lines: true differences. {level}"
