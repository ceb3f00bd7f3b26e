"""Ticks of axes: whole numbers, and never so many that their labels touch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_MOST, _BETWEEN = 6, 1.08
"""How many intervals an axis has at most, and how much wider labels are taken to be, for the space between them."""


def count_axis(axes: Axes) -> None:
    """Whole numbers below; those to the left of zero are counts, too."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=_MOST, integer=True))
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")


def separate_ticks(figure: Figure) -> None:
    """Lay the figure out with as many ticks as fit: labels of no two of them touch, on one axis or on neighbours."""
    from matplotlib.ticker import MaxNLocator

    for intervals in range(_MOST, 0, -1):
        figure.draw_without_rendering()
        crowded = _crowded(figure)
        if not crowded:
            return
        for axes in crowded:
            locator = axes.xaxis.get_major_locator()
            if isinstance(locator, MaxNLocator):
                locator.set_params(nbins=intervals)
    figure.draw_without_rendering()


def _crowded(figure: Figure) -> set[Axes]:
    """The axes with labels that touch others."""
    boxes = [(axes, label.get_window_extent().expanded(_BETWEEN, 1)) for axes in figure.axes for label in _labels(axes)]
    touching = ((one, other) for (one, box), (other, beside) in combinations(boxes, 2) if box.overlaps(beside))
    return {axes for pair in touching for axes in pair}


def _labels(axes: Axes) -> Iterator[Text]:
    """The labels of ticks below that are drawn, unless they stand upright."""
    low, high = sorted(axes.get_xlim())
    for place, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=False):  # shared ones have none
        if low <= place <= high and label.get_visible() and label.get_text() and not label.get_rotation():
            yield label
