"""Style, size, texts, ticks, fills and files of figures.

matplotlib is loaded by functions because pages use the fills without it.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import combinations, cycle
from math import isnan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional, category, combining, east_asian_width

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.tables import ErrorKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

WIDTH = 6.3
"""The width of a page with two columns, in inches."""
PAGE = 9.0
"""The height of a page, without the caption."""
_LARGEST = 100.0
FONT = "DejaVu Sans"
"""matplotlib includes this font, so figures look the same everywhere."""
TEXT_SIZE, SMALL = 8.0, 7.0
_LEGEND_FILL = 0.5
"""The width of a fill in a legend, with the space around it, in inches."""
_SMALL_LINE = 0.155
"""The height of a line of small text, in inches."""
BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#999999"
_LEAST_SLACK, _TRIALS = 0.02, 5
"""The height of a blank band, in inches, that is removed, and the number of layouts for it."""
_DIRECTION_MARKS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
_STYLE: dict[Any, Any] = {
    "font.family": [FONT],
    "font.size": TEXT_SIZE,
    "text.parse_math": False,
    "axes.titlesize": TEXT_SIZE,
    "axes.labelsize": TEXT_SIZE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": TEXT_SIZE,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    "patch.linewidth": 0.5,
    "figure.dpi": 100,
    "svg.fonttype": "none",
    "svg.hashsalt": "evenhand",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Size:
    """The size of a figure in inches; None for defaults."""

    width: float | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if value is not None and not 1 <= value <= _LARGEST:
                raise SettingError(f"The {name} is {value:g} inches; it must be from 1 to {_LARGEST:g}.")

    @property
    def inches(self) -> float:
        return self.width or WIDTH


def check_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise SettingError("Figures need matplotlib: pip install 'evenhand[plot]'") from None


@contextmanager
def style() -> Iterator[None]:
    """Draw in this style; the user's settings are restored afterwards."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph ", category=UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def remark(figure: Figure, text: str) -> None:
    """Small print below the figure, wrapped to its width."""
    figure.supxlabel("\n".join(_lines(text, figure.get_figwidth())), x=0.01, ha="left", fontsize=SMALL, color="#444444")


def remark_height(text: str, width: float) -> float:
    """The height of small print, in inches."""
    return _SMALL_LINE * len(_lines(text, width))


def _lines(text: str, width: float) -> list[str]:
    return textwrap.wrap(text, max(20, int(width / (0.55 * SMALL / 72))))


def legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """The legend of fills, above the figure, in as few rows as possible."""
    legends = [axis.get_legend_handles_labels() for axis in axes]
    handles = [handle for axis_handles, _ in legends for handle in axis_handles]
    names = [_legend_text(name, figure.get_figwidth()) for _, axis_names in legends for name in axis_names]
    if names:
        rows = _legend_rows(names, figure.get_figwidth())
        figure.legend(handles, names, loc="outside upper center", ncols=-(-len(names) // rows), handlelength=2.2)


def legend_height(names: Sequence[str], width: float) -> float:
    """The height of a legend, in inches."""
    names = [_legend_text(name, width) for name in names]
    rows = _legend_rows(names, width)
    return _SMALL_LINE * sum(max(name.count("\n") + 1 for name in names[row::rows]) for row in range(rows)) + 0.1


def _legend_text(name: str, width: float) -> str:
    """A name that is wrapped if it is wider than the figure."""
    return "\n".join(_lines(name, width - _LEGEND_FILL))


def _legend_rows(names: Sequence[str], width: float) -> int:
    for rows in range(1, len(names)):
        parts = [names[begin : begin + rows] for begin in range(0, len(names), rows)]
        if sum(max(_legend_width(name) for name in part) for part in parts) < width:
            return rows
    return len(names)


def _legend_width(name: str) -> float:
    return _LEGEND_FILL + max(text_width(line, SMALL) for line in name.split("\n"))


def name_rows(axes: Axes, names: Sequence[str], positions: Sequence[float] | None = None) -> None:
    """Name the rows of a chart, the first one on top."""
    positions = range(len(names)) if positions is None else positions
    axes.set_yticks(list(positions), names)
    axes.set_ylim(max(positions, default=0) + 0.6, min(positions, default=0) - 0.6)
    axes.tick_params(axis="y", length=0)


def annotate(
    axes: Axes, text: str, point: tuple[float, float], offset: float, *, at_edge: bool = False, **style: Any
) -> None:
    """Write a small text beside a point, at an offset in points; with `at_edge`, x is a fraction of the axes."""
    axes.annotate(
        *(text, point, (offset, 0)),
        xycoords=("axes fraction", "data") if at_edge else "data",
        textcoords="offset points",
        annotation_clip=False,
        **{"ha": "left" if offset > 0 else "right", "va": "center_baseline", "fontsize": SMALL, **style},
    )


def clean(text: str) -> str:
    """A text without characters that files cannot contain."""
    return "".join(" " if char in "\t\n\r" else "\ufffd" if _is_unfit(char) else char for char in text)


def named(text: str, inches: float) -> str:
    """A name, without its middle if it is wider than this."""
    return _shorten_inside(clean(text), inches)


_WORDS = re.compile(r"[^\W_]+|[\W_]+")


def distinct_names(names: Iterable[str], inches: float) -> dict[str, str]:
    """Names of systems, labels or slices that fit into this width, never two of them equal.

    If a name is too wide, all of them lose the words that they begin or end with in common; names that are still too
    wide lose their middle. Names that would then be equal show the part in which they differ or, if that does not fit
    either, a number.
    """
    full = {name: clean(name) for name in names}
    if any(text_width(text, TEXT_SIZE) > inches for text in full.values()):
        full = dict(zip(full, _without_common(list(full.values()), _WORDS.findall), strict=True))
    short = {name: _shorten_inside(text, inches) for name, text in full.items()}
    for alike in _alike(short):
        parts = _without_common([full[name] for name in alike], list)
        short |= {name: _shorten_inside(f"…{part}…", inches) for name, part in zip(alike, parts, strict=True)}
    numbers = {name: number for number, name in enumerate(full, 1)}
    for alike in _alike(short):
        for name in alike:
            mark = f" ({numbers[name]})"
            short[name] = _shorten_inside(full[name], inches - text_width(mark, TEXT_SIZE)) + mark
    return short


def _alike(short: Mapping[str, str]) -> list[list[str]]:
    """Groups of names with equal short forms."""
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _without_common(texts: Sequence[str], parts_of: Callable[[str], Sequence[str]]) -> list[str]:
    """Texts without the parts that all begin or end with; at least one part of each remains."""
    if len(texts) < 2:
        return list(texts)
    parts = [parts_of(text) for text in texts]
    most = min(map(len, parts)) - 1
    start = next((place for place in range(most) if len({row[place] for row in parts}) > 1), max(0, most))
    most -= start
    end = next((place for place in range(most) if len({row[-1 - place] for row in parts}) > 1), max(0, most))
    return ["".join(row[start : len(row) - end]) for row in parts]


def _shorten_inside(text: str, inches: float) -> str:
    """A text that fits, without its middle if necessary; a third of the remainder is its beginning."""
    short, kept = text, len(text)
    while text_width(short, TEXT_SIZE) > inches and kept > 1:
        kept -= 1
        begin = kept // 3
        short = f"{text[:begin]}…{text[begin - kept :]}"
    return short


def _is_unfit(char: str) -> bool:
    """Control characters, surrogates, and marks that change the direction of writing."""
    return category(char) in ("Cc", "Cs") or char in "\ufffe\uffff" or bidirectional(char) in _DIRECTION_MARKS


def joined(first: str, between: str, second: str) -> str:
    """Two names in this order, even if they are written from right to left."""
    mark = "\u200e" if any(bidirectional(char) in ("R", "AL") for char in first + second) else ""
    return f"{mark}{first}{mark.join(('', *between, ''))}{second}"


def text_width(text: str, points: float) -> float:
    """The estimated width of a text, in inches."""
    return sum(map(_char_width, text)) * points / 72


def _char_width(char: str) -> float:
    """The estimated width of a character, in parts of the type size."""
    if combining(char):
        return 0.0
    return 1.0 if east_asian_width(char) in "WF" else 0.72 if char.isupper() or char in "mw%…→" else 0.58


def finish(figure: Figure, size: Size) -> Figure:
    """Lay the figure out, with other installed fonts for characters that the usual font lacks."""
    unknown = lacking(figure)
    if unknown:
        families = [FONT, *_families(unknown)]
        for text in _texts(figure):
            text.set_fontfamily(families)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="constrained_layout not applied", category=UserWarning)
        try:
            separate_ticks(figure)
            if not size.height:
                _remove_slack(figure)
        except UserWarning:
            width, height = figure.get_size_inches()
            raise SettingError(
                f"{width:g} x {height:g} inches are too small for this figure; make it larger."
            ) from None
    return figure


def _remove_slack(figure: Figure) -> None:
    """Lower the figure by the blank bands above and below panels with square cells; the panels keep their size."""
    rows = len({round(axes.get_position(original=True).y0, 3) for axes in figure.axes})
    heights = _panel_heights(figure)
    places = _panel_heights(figure, with_bands=True)
    change = max((height - place for height, place in zip(heights, places, strict=True)), default=0.0)
    for _ in range(_TRIALS):
        if abs(change) < _LEAST_SLACK:
            return
        high = figure.get_figheight()
        try:
            figure.set_figheight(high + change * rows)
            figure.draw_without_rendering()
        except UserWarning:  # tick labels need the room
            figure.set_figheight(high)
            return
        # Labels beside the panels were in the bands, so the panels may now be too small.
        change = max(before - now for before, now in zip(heights, _panel_heights(figure), strict=True))


def _panel_heights(figure: Figure, *, with_bands: bool = False) -> list[float]:
    """The heights of panels, or of the places that the layout has for them, in inches."""
    return [figure.get_figheight() * axes.get_position(original=with_bands).height for axes in figure.axes]


def lacking(figure: Figure) -> set[str]:
    """Characters that none of the fonts has."""
    missing: set[str] = set()
    for text in _texts(figure):
        known: set[str] = set().union(*map(characters, text.get_fontfamily()))
        missing |= {char for char in text.get_text() if not char.isspace()} - known
    return missing


def _texts(figure: Figure) -> list[Any]:
    from matplotlib.text import Text

    return [text for text in figure.findobj(Text) if isinstance(text, Text)]


def _families(unknown: set[str]) -> Iterator[str]:
    """Installed fonts with these characters, sans-serif ones first."""
    from matplotlib.font_manager import fontManager

    upright = [font for font in fontManager.ttflist if font.style == "normal" and font.weight == 400]
    names = sorted({font.name for font in upright}, key=lambda name: ("Sans" not in name, "CJK" not in name, name))
    for name in names:
        known = unknown & characters(name)
        if known:
            unknown = unknown - known
            yield name
        if not unknown:
            return


@cache
def characters(family: str) -> frozenset[str]:
    """The characters of an installed font."""
    from matplotlib.font_manager import findfont, get_font

    try:
        return frozenset(map(chr, get_font(findfont(family)).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # a broken font on the user's machine
        return frozenset()


# Axes without outliers


Estimate = tuple[float, tuple[float, float] | None]
"""A score or a difference, with its interval, if any."""
_MIN_VALUES, _FENCE, _MIN_DISTANCE = 5, 3.0, 0.02
"""The least number of values with outliers; the distance of outliers from the quartiles, in interquartile ranges and
in intervals; and its minimum.
"""


def axis_limits(estimates: Iterable[Estimate]) -> tuple[float, float]:
    """The ends of an axis of scores (or differences of scores), with room for all values and intervals except outliers.

    An outlier would squeeze the intervals of the others: it is further from the nearest quartile than three
    interquartile ranges (*far out*, Tukey 1977, section 2D), than three intervals are wide, and than two points. A
    value beyond the ends is an outlier. Undefined values do not count.
    """
    known = sorted((value, bounds or (value, value)) for value, bounds in estimates if not isnan(value))
    if not known:
        return 0.0, 1.0
    if len(known) >= _MIN_VALUES:
        lower, upper = (known[round((len(known) - 1) * share)][0] for share in (0.25, 0.75))
        width = median(high - low for _, (low, high) in known)
        room = max(_FENCE * (upper - lower), _FENCE * width, _MIN_DISTANCE)
        known = [(value, bounds) for value, bounds in known if lower - room <= value <= upper + room]
    edges = [edge for value, bounds in known for edge in (value, *bounds) if not isnan(edge)]
    return min(edges), max(edges)


# Ticks


_MAX_INTERVALS = 6
_SPACING = 0.06
"""The minimum space between two labels, in inches: half a digit is too little to tell two numbers apart."""


def count_axis(axes: Axes) -> None:
    """Integer ticks; numbers to the left of zero are counts, too."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=_MAX_INTERVALS, integer=True))
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")


def separate_ticks(figure: Figure) -> None:
    """Lay the figure out with the maximum number of ticks whose labels do not touch, also on neighbouring axes."""
    from matplotlib.ticker import MaxNLocator

    for intervals in range(_MAX_INTERVALS, 0, -1):
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
    room = _SPACING / 2 * figure.dpi
    boxes = [(axes, label.get_window_extent().padded(room, 0)) for axes in figure.axes for label in _labels(axes)]
    touching = ((one, other) for (one, box), (other, beside) in combinations(boxes, 2) if box.overlaps(beside))
    return {axes for pair in touching for axes in pair}


def _labels(axes: Axes) -> Iterator[Text]:
    """The visible horizontal labels of the x axis."""
    low, high = sorted(axes.get_xlim())
    for tick, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=False):  # shared axes have no labels
        if low <= tick <= high and label.get_visible() and label.get_text() and not label.get_rotation():
            yield label


# Fills of bars


Fill = tuple[str, str]
"""A colour and a hatch."""
_COMMON: dict[str, Fill] = {
    "LE": ("#E69F00", ""),
    "BES": ("#56B4E9", "/////"),
    "BEL": ("#0072B2", ""),
    "BEO": ("#009E73", "..."),
    "LBE": ("#CC79A7", "\\\\\\\\\\"),
    "FN": ("#D55E00", "xxxxx"),
    "FP": ("#F0E442", ""),
}
"""Fills of error types that several tasks have.

The colours suit colour-blind readers (Okabe and Ito 2008; further ones by Paul Tol).
"""
_FURTHER: tuple[Fill, ...] = (
    ("#882255", ""),
    ("#DDCC77", "|||||"),
    ("#332288", "ooo"),
    ("#999999", "-----"),
    ("#44AA99", "+++++"),
)


def fills(kinds: Sequence[ErrorKind]) -> list[Fill]:
    """The fills of the parts of bars, in the order of their kinds.

    Error types of a single task get further fills first, then fills of common types that do not occur here, except FN
    and FP. Labels begin with the latter. Fills repeat if there are more kinds.
    """
    common = {kind: _COMMON[kind.type] for kind in kinds if kind.type in _COMMON}
    used = [*common.values(), _COMMON["FN"], _COMMON["FP"]]
    free = [fill for fill in _COMMON.values() if fill not in used]
    others = cycle((*free, *_FURTHER) if any(kind.is_label for kind in kinds) else (*_FURTHER, *free))
    return [common[kind] if kind in common else next(others) for kind in kinds]


# Files


FORMS = ("svg", "pdf", "png")
_DESCRIBED = {
    "svg": ("Description", {"Date": None}),
    "pdf": ("Subject", {"CreationDate": None}),
    "png": ("Description", {}),
}
"""The metadata field for the signature, and fields to leave out because they change with time."""


def form_of(path: str | Path) -> str:
    """The format of a figure, by the name of its file."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise SettingError(f"Unsupported figure format {str(path)!r}. Use .svg, .pdf or .png.")
    return form


def render(figure: Figure, form: str, signature: str) -> bytes:
    """The content of the file, the same at any time. PDF embeds fonts; SVG has texts; metadata have the signature."""
    description, timeless = _DESCRIBED[form]
    metadata = {**timeless, "Title": "Evenhand", description: clean(signature)}
    buffer = BytesIO()
    with style():
        figure.savefig(buffer, format=form, dpi=300, metadata=metadata)
    unknown = "" if form == "svg" else "".join(sorted(lacking(figure)))
    if unknown:
        warnings.warn(
            f"No installed font has the characters {unknown}; install one (such as Noto Sans CJK), or write .svg.",
            stacklevel=2,
        )
    return buffer.getvalue()
