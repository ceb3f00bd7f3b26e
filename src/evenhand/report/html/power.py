"""The chart of power on a page: power by the number of groups, and by the difference, as inline SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from markupsafe import Markup, escape

from evenhand.errors import counted
from evenhand.report.verdict import Lead, points
from evenhand.results.comparison import Comparison
from evenhand.statistics.power import PowerChart

_WIDTH, _HEIGHT = 340, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 26, 42
"""The margins of a panel, in pixels."""
_COLORS = ("#0072B2", "#D55E00", "#009E73")
_DASHES = ("none", "6 3", "8 3 2 3")
_TICKS = 5
_Position = Callable[[float, float], tuple[float, float]]
"""The pixel of a value and a power."""


def power_figure(chart: PowerChart, comparison: Comparison) -> tuple[str, str, Markup]:
    """Heading, summary and chart of the best two systems."""
    first, second = Lead.of(comparison).names[:2]
    least = next(iter(chart.detectable.values()), None)
    summary = "" if least is None else f"{100 * chart.target:g} % power for differences of about {points(least)} points"
    heading = f"What this test set can show of {first} and {second}"
    return heading, summary, _figure(chart, str(comparison.resampling["of"]))


def _figure(chart: PowerChart, groups: str) -> Markup:
    now = f"{counted(chart.present, groups.removesuffix('s'))} now"
    detectable = next(iter(chart.detectable.values()), None)
    differences = [100 * difference for difference in chart.differences]
    mark = None if detectable is None else (100 * detectable, f"detectable: {points(detectable)}")
    target = f"Horizontal line: {100 * chart.target:g} % power."
    by_size = _panel(chart.sizes, chart.by_size, chart.target, groups, (chart.present, now))
    by_difference = _panel(differences, chart.by_difference, chart.target, "true difference in points", mark)
    remark = Markup('<p class="remark">{}</p>').format(
        f"Power: the probability that a true difference is significant. First chart: true differences of "
        f"{', '.join(chart.by_size)}; second chart: {counted(chart.present, groups.removesuffix('s'))}. {target}"
    )
    return Markup('<div class="charts">') + by_size + by_difference + Markup("</div>") + remark


def _panel(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    target: float,
    label: str,
    mark: tuple[float, str] | None,
) -> Markup:
    high = x[-1]
    low = 0.0 if x[0] < high / 10 else x[0]

    def at(value: float, share: float) -> tuple[float, float]:
        width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        return _LEFT + width * (value - low) / (high - low), _TOP + height * (1 - share)

    shapes = [
        *_axes(at, low, high, label),
        _line([at(low, target), at(high, target)], "#999", "none", 1),
    ]
    for number, values in enumerate(lines.values()):
        color = _COLORS[number % len(_COLORS)] if len(lines) > 1 else "currentColor"
        shapes.append(
            _line([at(*point) for point in zip(x, values, strict=True)], color, _DASHES[number % len(_DASHES)], 2)
        )
    shapes += _legend(list(lines)) if len(lines) > 1 else []
    if mark is not None:
        (left, bottom), (_, top) = at(mark[0], 0), at(mark[0], 1)
        shapes.append(_line([(left, bottom), (left, top)], "currentColor", "2 2", 1))
        shapes.append(_text(left + 4, bottom - 5, mark[1]))
    name = f"power by {label}"
    begin = Markup('<svg role="img" aria-label="{}" width="{}" height="{}">').format(name, _WIDTH, _HEIGHT)
    return begin + Markup("").join(shapes) + Markup("</svg>")


def _axes(at: _Position, low: float, high: float, label: str) -> Iterator[Markup]:
    yield _line([at(low, 1), at(low, 0), at(high, 0)], "currentColor", "none", 1)
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x, y = at(low, share)
        yield _text(x - 5, y + 4, f"{100 * share:.0f} %", "end")
    for value in _ticks(low, high):
        x, y = at(value, 0)
        yield _text(x, y + 15, f"{value:,g}", "middle")
    x, y = at((low + high) / 2, 0)
    yield _text(x, y + 32, label, "middle")


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two values."""
    rough = (high - low) / _TICKS
    size = 10.0 ** (len(str(int(rough))) - 1) if rough >= 1 else 0.1 if rough >= 0.1 else 0.01
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first = -(-low // step)
    return [round((first + number) * step, 10) for number in range(int(high // step - first) + 1)]


def _legend(names: Sequence[str]) -> Iterator[Markup]:
    for number, name in enumerate(names):
        left = _LEFT + number * 98
        yield _line([(left, 9), (left + 22, 9)], _COLORS[number % len(_COLORS)], _DASHES[number % len(_DASHES)], 2)
        yield _text(left + 27, 13, name)


def _line(points: Sequence[tuple[float, float]], color: str, dashes: str, width: int) -> Markup:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline points="{}" fill="none" stroke="{}" stroke-dasharray="{}" stroke-width="{}"/>').format(
        path, color, dashes, width
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-size="11" fill="currentColor">{}</text>').format(
        x, y, anchor, escape(text)
    )
