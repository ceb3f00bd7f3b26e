"""How tables fit onto pages of one or two columns: their type, their width, and where they are divided.

A table stays in its column if it can: in the type of the document, with its headings on several lines, in 9, 8 and 7
points, then with long texts broken into lines. Else it goes across both columns, or else it is divided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import ceil

from evenhand.dataclass import dataclass
from evenhand.report.latex_width import BOLD, FONTS, folded, pieces, text_width

_ROOMS = {1: ((345.0, False),), 2: ((219.0, False), (455.0, True))}
"""The widths of lines on pages of so many columns, in points, and whether they go across; as in `article` and ACL."""
_HEIGHT, _LINE = 470.0, 1.2
"""How high a table may be in points, below its caption, and how far lines are apart, by the size of their type."""
_GAP, SMALL_GAP, _INDENT = 12.0, 6.0, 20.0
"""Points between columns in the type of the document, and in smaller type; how far paragraphs are indented at most."""
_LEAST = 80.0
"""How wide a column of broken text is at least, at 10 points."""
_LEAST_HEADINGS = {True: 60.0, False: 30.0}
"""How wide the headings of columns of text and of numbers may always be, at 10 points."""


@dataclass(frozen=True)
class Grid:
    """The texts of a table; `rule` is the first row that sums up."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[bool]
    """Which columns stand on the left."""
    breakable: Sequence[bool]
    """Which columns are words, not numbers."""
    bold: frozenset[tuple[int, int]] = frozenset()
    rule: int | None = None

    @property
    def keys(self) -> int:
        """How many columns say what a row is: the first, and the second if it is text too."""
        return 1 + any(self.left[1:2])

    def with_columns(self, kept: Sequence[int]) -> Grid:
        bold = {(row, kept.index(place)) for row, place in self.bold if place in kept}
        return Grid(
            [self.names[place] for place in kept],
            [[row[place] for place in kept] for row in self.rows],
            [self.left[place] for place in kept],
            [self.breakable[place] for place in kept],
            frozenset(bold),
            self.rule,
        )

    def with_rows(self, begin: int, end: int) -> Grid:
        bold = {(row - begin, place) for row, place in self.bold if begin <= row < end}
        rule = None if self.rule is None or not begin < self.rule < end else self.rule - begin
        return replace(self, rows=self.rows[begin:end], bold=frozenset(bold), rule=rule)

    @cached_property
    def widths(self) -> list[list[float]]:
        """Of all cells, at 10 points."""
        return [
            [text_width(text) * (BOLD if (number, place) in self.bold else 1) for place, text in enumerate(row)]
            for number, row in enumerate(self.rows)
        ]

    @cached_property
    def cell_widths(self) -> list[float]:
        """Of the widest cell of each column."""
        return [max((row[place] for row in self.widths), default=0.0) for place in range(len(self.names))]

    @cached_property
    def piece_widths(self) -> list[float]:
        """Of the widest piece of each column that cannot be broken."""
        columns = zip(self.names, *self.rows, strict=True)
        found = ((text_width(piece.rstrip()) for text in column for piece in pieces(text)) for column in columns)
        return [max(each, default=0.0) for each in found]


@dataclass(frozen=True)
class Layout:
    """How a grid is set."""

    font: int | None
    """The size of its type, where it is not that of the document."""
    across: bool
    """Whether it goes across both columns of a page."""
    headings: Sequence[Sequence[str]]
    """Their lines."""
    is_broken: Sequence[bool]
    """Which columns have texts in lines."""
    others: int
    """The points that everything but those columns takes."""
    heights: Sequence[float]
    """Of the rows, in points."""

    @property
    def is_high(self) -> bool:
        """Whether it does not fit onto one page."""
        return sum(self.heights) > _HEIGHT


def parts(grid: Grid, columns: int) -> Iterator[tuple[Grid, Layout]]:
    """The grid, divided until each part fits onto a page of so many columns.

    On pages of one column, tables that are too high may break, so only those of two are divided by rows.
    """
    found = _layout(grid, columns)
    if found is None:
        for kept in _columns(grid, columns):
            yield from parts(grid.with_columns(kept), columns)
    elif columns == 1 or not found.is_high:
        yield grid, found
    else:
        for begin, end in _divided(found.heights):
            heights = found.heights[begin:end]
            yield grid.with_rows(begin, end), replace(found, heights=heights)


def _columns(grid: Grid, columns: int) -> Iterator[Sequence[int]]:
    """The columns of parts that fit, about as many in each; those that say what a row is are in all."""
    names = range(len(grid.names))
    keys = grid.keys
    fitting = (end for end in names[keys + 1 :] if _layout(grid.with_columns(names[:end]), columns))
    most = max(fitting, default=keys + 1) - keys
    size = ceil((len(names) - keys) / ceil((len(names) - keys) / most))
    for begin in range(keys, len(names), size):
        yield [*names[:keys], *names[begin : begin + size]]


def _divided(heights: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Ranges of rows of about the same height, none of them too high."""
    share = sum(heights) / ceil(sum(heights) / (0.9 * _HEIGHT))
    numbers = [
        int((reached - height / 2) // share) for reached, height in zip(accumulate(heights), heights, strict=True)
    ]
    for number in dict.fromkeys(numbers):
        begin = numbers.index(number)
        yield begin, begin + numbers.count(number)


def _layout(grid: Grid, columns: int) -> Layout | None:
    """The best way to set a grid in one piece; what cannot be divided must do, however wide it is."""
    plain = _natural(grid, None, [[name] for name in grid.names])
    layouts = [plain, *(_natural(grid, font, _headings(grid)) for font in FONTS)]
    for room, across in _ROOMS[columns]:
        for layout in layouts:
            if sum(_widths(grid, layout)) <= room - _around(layout):
                return replace(layout, across=across)
        for layout in layouts:
            broken = _broken(grid, layout, room - _around(layout))
            if broken is not None:
                return replace(broken, across=across)
    return replace(layout, across=across) if len(grid.names) <= grid.keys + 1 else None


def _around(layout: Layout) -> float:
    """The points of a line that columns cannot have."""
    gaps = len(layout.headings)
    return gaps * SMALL_GAP if layout.font else gaps * _GAP + _INDENT


def _broken(grid: Grid, natural: Layout, room: float) -> Layout | None:
    """The grid in a line of this width, with broken texts; None if that is too narrow."""
    font, widths = natural.font, _widths(grid, natural)
    least = {
        place: max(_LEAST, piece) * FONTS[font]
        for place, piece in enumerate(grid.piece_widths)
        if grid.breakable[place] and widths[place] > _LEAST * FONTS[font]
    }
    fixed = sum(width for place, width in enumerate(widths) if place not in least)
    broken, share = _shares({place: widths[place] for place in least}, room - fixed)
    if not broken or any(least[place] > share for place in broken):
        return None
    others = _around(natural) + sum(width for place, width in enumerate(widths) if place not in broken)
    return replace(
        natural,
        headings=[[name] if place in broken else natural.headings[place] for place, name in enumerate(grid.names)],
        is_broken=[place in broken for place in range(len(grid.names))],
        others=ceil(others),
        heights=[
            height * max(ceil(1.1 * row[place] * FONTS[font] / share) for place in broken)
            for height, row in zip(natural.heights, grid.widths, strict=True)
        ],
    )


def _natural(grid: Grid, font: int | None, headings: Sequence[Sequence[str]]) -> Layout:
    """The grid in columns as wide as they need to be."""
    height = _LINE * (font or 11)
    return Layout(font, False, headings, [False] * len(headings), 0, [height] * len(grid.rows))


def _headings(grid: Grid) -> list[list[str]]:
    """The lines of headings that are about as wide as their columns."""
    columns = zip(grid.names, grid.cell_widths, grid.left, strict=True)
    return [folded(name, max(width, _LEAST_HEADINGS[left])) for name, width, left in columns]


def _widths(grid: Grid, layout: Layout) -> list[float]:
    return [
        FONTS[layout.font] * max(width, *map(text_width, lines))
        for width, lines in zip(grid.cell_widths, layout.headings, strict=True)
    ]


def _shares(widths: Mapping[int, float], room: float) -> tuple[Sequence[int], float]:
    """The columns that must be broken to fit into the room, and what each of them gets; narrow ones stay whole."""
    places = sorted(widths, key=lambda place: widths[place])
    for number, place in enumerate(places):
        share = room / (len(places) - number)
        if widths[place] > share:
            return places[number:], share
        room -= widths[place]
    return (), 0.0
