"""What all figures share: their style, their size, and the fonts and forms of texts from the data."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import combinations, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional, category, combining, east_asian_width

from matplotlib.figure import Figure

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.tables import ErrorKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# == report/figures/fills.py: Colours and hatches of parts of bars: one error type has the


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
"""Those of error types that several tasks have.

Colours that colour-blind readers can tell apart (Okabe and Ito 2008; those below of Paul Tol), with hatches.
"""
_FURTHER: tuple[Fill, ...] = (
    ("#882255", ""),
    ("#DDCC77", "|||||"),
    ("#332288", "ooo"),
    ("#999999", "-----"),
    ("#FFFFFF", "+++++"),
)


def fills(kinds: Sequence[ErrorKind]) -> list[Fill]:
    """What the parts of bars look like, in the order of their kinds.

    Types that only one task has take what is left: first the fills that no common type has, then those of common types
    that do not occur here, but for FN and FP. Labels of data, which are no error types, begin with the latter. If there
    are more kinds than fills, these come again.
    """
    common = {kind: _COMMON[kind.type] for kind in kinds if kind.type in _COMMON}
    kept = [*common.values(), _COMMON["FN"], _COMMON["FP"]]
    free = [fill for fill in _COMMON.values() if fill not in kept]
    of_labels = any(kind.is_label for kind in kinds)
    others = cycle((*free, *_FURTHER) if of_labels else (*_FURTHER, *free))
    return [common[kind] if kind in common else next(others) for kind in kinds]


# == report/figures/ticks.py: Ticks of axes: whole numbers, and never so many that their l


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


# == report/figures/canvas.py (primary)


WIDTH = 6.3
"""The width of a page of two columns, in inches."""
PAGE = 9.0
"""The height of a page, with some room for a caption."""
_LARGEST = 100.0
FONT = "DejaVu Sans"
"""It comes with matplotlib, so that figures look the same everywhere."""
TEXT_SIZE, SMALL = 8.0, 7.0
_SMALL_LINE = 0.155
"""The height of a line of small text, in inches."""
BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#999999"
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
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
    """The size of a figure in inches, as far as the user has chosen it."""

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
    """Say what to install, if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise SettingError(
            "Figures take matplotlib, which is not installed; run: pip install evenhand[plot]."
        ) from None


@contextmanager
def style() -> Iterator[None]:
    """Draw in our style, whatever the user's settings are; they come back afterwards."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph ", category=UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def sheet(size: Size, height: float) -> Figure:
    """An empty figure of this height in inches, not higher than a page, unless the user has chosen another height."""
    return FigureFile((size.inches, size.height or round(min(height, PAGE), 2)), layout="constrained")


def remark(figure: Figure, text: str) -> None:
    """Small print below everything else, in lines that are not wider than the figure."""
    lines = "\n".join(_lines(text, figure.get_figwidth()))
    figure.supxlabel(lines, x=0.01, ha="left", fontsize=SMALL, color="#444444")


def remark_height(text: str, width: float) -> float:
    """How many inches small print takes."""
    return _SMALL_LINE * len(_lines(text, width))


def _lines(text: str, width: float) -> list[str]:
    return textwrap.wrap(text, max(20, int(width / (0.53 * SMALL / 72))))


def legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """What fills mean, on top of everything, in as many columns as there is room for."""
    found = [axis.get_legend_handles_labels() for axis in axes]
    handles = [handle for each, _ in found for handle in each]
    names = [name for _, each in found for name in each]
    if names:
        rows = _legend_rows(names, figure.get_figwidth())
        figure.legend(handles, names, loc="outside upper center", ncols=-(-len(names) // rows), handlelength=2.2)


def legend_height(names: Sequence[str], width: float) -> float:
    """How many inches a legend takes."""
    return _SMALL_LINE * _legend_rows(names, width) + 0.1


def _legend_rows(names: Sequence[str], width: float) -> int:
    """As few as there is room for."""
    for rows in range(1, len(names)):
        parts = [names[begin : begin + rows] for begin in range(0, len(names), rows)]
        if sum(max(text_width(name, SMALL) for name in part) + 0.5 for part in parts) < width:
            return rows
    return max(1, len(names))


def rows_of(axes: Axes, names: Sequence[str], places: Sequence[float] | None = None) -> None:
    """Name the rows of a chart, the first one on top."""
    places = range(len(names)) if places is None else places
    axes.set_yticks(list(places), names)
    axes.set_ylim(max(places, default=0) + 0.6, min(places, default=0) - 0.6)
    axes.tick_params(axis="y", length=0)


def beside(
    axes: Axes, text: str, place: tuple[float, float], points: float, *, at_edge: bool = False, **style: Any
) -> None:
    """A small text to the right of a place, so many points away, or to its left; the place may be at the right edge."""
    axes.annotate(
        *(text, place, (points, 0)),
        xycoords=("axes fraction", "data") if at_edge else "data",
        textcoords="offset points",
        annotation_clip=False,
        **{"ha": "left" if points > 0 else "right", "va": "center_baseline", "fontsize": SMALL, **style},
    )


def clean(text: str) -> str:
    """A text from the data without characters that files cannot hold."""
    return "".join(" " if char in "\t\n\r" else "\ufffd" if _is_unfit(char) else char for char in text)


def named(text: str, inches: float) -> str:
    """A name from the data, cut where it is wider than this."""
    text = clean(text)
    if text_width(text, TEXT_SIZE) <= inches:
        return text
    while text and text_width(f"{text}…", TEXT_SIZE) > inches:
        text = text[:-1]
    return f"{text}…"


def distinct_names(names: Iterable[str], inches: float) -> dict[str, str]:
    """Names of systems, cut if they are wider than this: at their ends or, if some would look alike, in the middle."""
    names = list(dict.fromkeys(names))
    cut = {name: named(name, inches) for name in names}
    return cut if len(set(cut.values())) == len(names) else {name: _cut_inside(clean(name), inches) for name in names}


def _cut_inside(text: str, inches: float) -> str:
    """A text without what is inside; a third of the rest is its beginning."""
    begin, end = 0, len(text)
    shown = text
    while text_width(shown, TEXT_SIZE) > inches and end > 1:
        end -= 1
        begin = end // 3
        shown = f"{text[:begin]}…{text[begin - end :]}"
    return shown


def _is_unfit(char: str) -> bool:
    """Control characters, halves of characters, and commands to turn the direction of writing."""
    return category(char) in ("Cc", "Cs") or char in "\ufffe\uffff" or bidirectional(char) in _TURNING


def joined(first: str, between: str, second: str) -> str:
    """Two names in this order, even where they are written from right to left."""
    is_turned = any(bidirectional(char) in ("R", "AL") for char in first + second)
    mark = "\u200e" if is_turned else ""
    return f"{mark}{first}{mark.join(('', *between, ''))}{second}"


def text_width(text: str, points: float) -> float:
    """About how many inches a text takes."""
    wide = sum(0 if combining(char) else 1.0 if east_asian_width(char) in "WF" else 0.58 for char in text)
    return wide * points / 72


def finish(figure: Figure) -> Figure:
    """Lay the figure out; where the usual font lacks characters, others that are installed help out."""
    unknown = lacking(figure)
    if unknown:
        families = [FONT, *_families(unknown)]
        for text in _texts(figure):
            text.set_fontfamily(families)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="constrained_layout not applied", category=UserWarning)
        try:
            separate_ticks(figure)
        except UserWarning:
            width, height = figure.get_size_inches()
            raise SettingError(
                f"{width:g} x {height:g} inches are too small for this figure; make it larger."
            ) from None
    return figure


def lacking(figure: Figure) -> set[str]:
    """The characters of all texts that none of their fonts has."""
    found: set[str] = set()
    for text in _texts(figure):
        known: set[str] = set().union(*map(characters, text.get_fontfamily()))
        found |= {char for char in text.get_text() if not char.isspace()} - known
    return found


def _texts(figure: Figure) -> list[Any]:
    from matplotlib.text import Text

    return [text for text in figure.findobj(Text) if isinstance(text, Text)]


def _families(unknown: set[str]) -> Iterator[str]:
    """Installed fonts that have these characters, those without serifs first."""
    from matplotlib.font_manager import fontManager

    upright = [font for font in fontManager.ttflist if font.style == "normal" and font.weight == 400]
    names = sorted({font.name for font in upright}, key=lambda name: ("Sans" not in name, "CJK" not in name, name))
    for name in names:
        found = unknown & characters(name)
        if found:
            unknown = unknown - found
            yield name
        if not unknown:
            return


@cache
def characters(family: str) -> frozenset[str]:
    """What an installed font can show."""
    from matplotlib.font_manager import findfont, get_font

    try:
        return frozenset(map(chr, get_font(findfont(family)).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # a broken font of the user's machine is not our concern
        return frozenset()


# == report/figures/drawing.py: A figure of matplotlib that shows itself in notebooks, witho


_DOTS_PER_INCH, _SCALE = 100, 2
"""How large an inch is on a screen, and how many dots of the image stand for one of these, for sharp screens."""


class FigureFile(Figure):
    """As any figure, and an image where a notebook asks for one."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The image, and how large a notebook shows it."""
        buffer = BytesIO()
        with style():
            self.savefig(buffer, format="png", dpi=_SCALE * _DOTS_PER_INCH)
        width, height = (round(_DOTS_PER_INCH * inches) for inches in self.get_size_inches())
        return buffer.getvalue(), {"width": width, "height": height}


# == report/figures/file.py: Figures as files: the same figure is the same bytes, wheneve


FORMS = ("svg", "pdf", "png")
_DOTS_PER_INCH_FILE = 300
_DESCRIBED = {
    "svg": ("Description", {"Date": None}),
    "pdf": ("Subject", {"CreationDate": None}),
    "png": ("Description", {}),
}
"""Where a file's metadata have a place for the signature, and what must not be there, as it changes with time."""


def form_of(path: str | Path) -> str:
    """The format that a file's name asks for."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise SettingError(f"{path} is no name for a figure; let it end with .svg, .pdf or .png.")
    return form


def render(figure: Figure, form: str, signature: str) -> bytes:
    """The file's content; fonts are embedded in PDF, texts stay texts in SVG, and the signature is in the metadata."""
    place, timeless = _DESCRIBED[form]
    metadata = {**timeless, "Title": "Evenhand", place: clean(signature)}
    buffer = BytesIO()
    with style():
        figure.savefig(buffer, format=form, dpi=_DOTS_PER_INCH_FILE, metadata=metadata)
    unknown = "" if form == "svg" else "".join(sorted(lacking(figure)))
    if unknown:
        warnings.warn(
            f"No installed font has the characters {unknown}; install one (such as Noto Sans CJK), or write .svg.",
            stacklevel=2,
        )
    return buffer.getvalue()
