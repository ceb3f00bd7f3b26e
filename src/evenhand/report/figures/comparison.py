"""What changes from one system to another, as diverging bars, and what that does to the score."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from evenhand.problems import counted, plural
from evenhand.report.figures import canvas
from evenhand.report.figures.canvas import Size
from evenhand.report.figures.ticks import count_axis
from evenhand.report.pair_tables import readable_pairs
from evenhand.result.comparison import Comparison
from evenhand.result.notes import NOTHING_TO_RESAMPLE
from evenhand.result.pairs import Pair
from evenhand.table_style import UNDEFINED, stars
from evenhand.tasks.registry import TASKS, model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _NARROW_ROW, _NARROW, _DELTA = 0.26, 0.3, 5.0, 0.6
"""In inches, the height of a pair, with its name on one line or two, and the width below which figures are narrow; the
score's width by that of bars.
"""
_AROUND, _NARROW_AROUND = 1.4, 2.0
"""The height of what is not pairs: axes, legend and small print."""


def draw(comparison: Comparison, size: Size) -> Figure:
    """For every pair new errors to the left, corrections to the right, changed errors, and the change of the score."""
    pairs = readable_pairs(comparison)
    pairs = pairs[: _most_pairs(size)]
    figure, (left, middle, right), (new, corrected, changed) = _panels(pairs, size)
    _bars(left, [-pair.new_errors.count for pair in pairs], canvas.VERMILLION, "/////", "new errors")
    _bars(left, [pair.corrections.count for pair in pairs], canvas.BLUE, "", "corrections")
    _bars(middle, [pair.changed_errors.count for pair in pairs], "#DDDDDD", "...", "changed errors")
    left.set_xlim(-new, corrected)
    middle.set_xlim(0, changed)
    left.set_xlabel(plural(TASKS[comparison.task].unit_of(comparison.by)))
    count_axis(left)
    count_axis(middle)
    left.axvline(0, color="black", linewidth=0.6)
    _deltas(right, pairs)
    right.set_xlabel(f"change of score ({model_title(comparison.task, comparison.by)}), points")
    canvas.legend(figure, (left, middle))
    canvas.remark(figure, _remark(comparison, len(pairs)))
    return figure


def _most_pairs(size: Size) -> int:
    """How many pairs a page or the user's height has room for."""
    height = size.height or canvas.PAGE
    if size.inches < _NARROW:
        return max(1, int((height - _NARROW_AROUND) / (2 * _NARROW_ROW)))
    return max(1, int((height - _AROUND) / _ROW))


def _panels(pairs: Sequence[Pair], size: Size) -> tuple[Figure, list[Axes], tuple[float, float, float]]:
    """Axes for bars on both sides of zero, for bars, and for the score: side by side, or below in a narrow figure."""
    narrow = size.inches < _NARROW
    widest = 0.25 * size.inches if narrow else min(1.1, 0.2 * size.inches)
    names = canvas.distinct_names((name for pair in pairs for name in (pair.before, pair.after)), widest)
    arrow = "\n→ " if narrow else " → "
    shown = [canvas.joined(names[pair.before], arrow, names[pair.after]) for pair in pairs]
    room = size.inches - max(canvas.text_width(line, canvas.TEXT_SIZE) for name in shown for line in name.split("\n"))
    ranges = _ranges(pairs, room, 0 if narrow else _DELTA)
    new, corrected, changed = ranges
    height = _NARROW_AROUND + 2 * _NARROW_ROW * len(pairs) if narrow else _AROUND + _ROW * len(pairs)
    figure = canvas.sheet(size, height)
    mosaic: Any = [["left", "middle"], ["right", "right"]] if narrow else [["left", "middle", "right"]]
    ratios = [new + corrected, changed, _DELTA * (new + corrected + changed)]
    found = figure.subplot_mosaic(mosaic, sharey=True, width_ratios=ratios[: len(mosaic[0])])
    panels = [found[name] for name in ("left", "middle", "right")]
    canvas.rows_of(panels[0], shown)
    for axes in panels[1:2] if narrow else panels[1:]:
        axes.tick_params(axis="y", labelleft=False)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    return figure, panels, ranges


def _ranges(pairs: Sequence[Pair], inches: float, beside: float) -> tuple[float, float, float]:
    """How far the axes of new errors, corrections and changed errors go: on one scale, with room for the counts.

    `inches` is the width of everything but the names; the score stands beside, with this share of the bars' width.
    """
    new = max(pair.new_errors.count for pair in pairs)
    corrected = max(pair.corrections.count for pair in pairs)
    changed = max(pair.changed_errors.count for pair in pairs)
    text = canvas.text_width(f"{max(new, corrected, changed):,}", canvas.SMALL) + 0.08
    bars = max((inches - (1.1 if beside else 0.5)) / (1 + beside), 4 * text)
    room = text * (new + corrected + changed) / (bars - 3 * text) or 1
    return new + room, corrected + room, changed + room


def _bars(axes: Axes, counts: Sequence[int], colour: str, hatch: str, name: str) -> None:
    """A bar for each pair, with its count at the end."""
    axes.barh(range(len(counts)), counts, 0.7, color=colour, hatch=hatch, edgecolor="black", label=name)
    for place, count in enumerate(counts):
        canvas.beside(axes, f"{abs(count):,}", (count, place), -3 if name == "new errors" else 3)


def _deltas(axes: Axes, pairs: Sequence[Pair]) -> None:
    """The change of the score in points of 100, with its interval and marks where it is significant."""
    axes.axvline(0, color=canvas.GREY, linewidth=0.6)
    for place, pair in enumerate(pairs):
        if pair.interval is not None:
            axes.plot([100 * bound for bound in pair.interval], [place, place], color="black", linewidth=1)
    deltas = [100 * pair.delta for pair in pairs]
    axes.plot(deltas, range(len(pairs)), "o", color="black", markersize=4)
    for place, (pair, delta) in enumerate(zip(pairs, deltas, strict=True)):
        marks = stars(None if pair.significance is None else pair.significance.p_holm)
        text = UNDEFINED if isnan(delta) else f"{delta:+.2f}{marks}".replace("-", "−")
        canvas.beside(axes, text, (1, place), 4, at_edge=True)


def _remark(comparison: Comparison, shown: int) -> str:
    made, parts = comparison.resampling, []
    readable = len(readable_pairs(comparison))
    if readable < len(comparison.pairs):
        parts.append(f"Neighbours by score, of {counted(len(comparison.pairs), 'pair')}.")
    if shown < readable:
        parts.append(f"The first {shown} of {counted(readable, 'pair')}.")
    parts += [f"{note[:1].upper()}{note[1:]}" for note in comparison.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    if made["resamples"]:
        parts.append(f"Lines: {100 * made['level']:g}% intervals ({made['resamples']:,} resamples of {made['of']}).")
    if made["trials"]:
        parts.append("* p < 0.05, ** p < 0.01 (randomization, Holm).")
    return " ".join(parts)
