"""Tables as data (named columns, rows, and a query for the units of each cell) and their display options.

HTML pages turn queries into links; other outputs ignore them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from math import isnan
from typing import Literal, overload

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError


class Marked(float):
    """A score with a mark of significance, such as a star, which may be empty."""

    mark: str

    def __new__(cls, value: float, mark: str = "") -> Marked:
        marked = super().__new__(cls, value)
        marked.mark = mark
        return marked


Cell = str | float | None
Kind = Literal["text", "label", "count", "percent", "share", "bar"]
"""Text is aligned to the left of its column, labels and numbers to the right.

A `percent` is a score, which may be shown as a fraction; a `share` is always a percentage.
"""
MAX_ROWS = 50
"""Maximum number of labels listed; there may be thousands, such as lemmas."""
MAX_DECIMALS = 10
UNDEFINED = "–"
"""Shown in place of an undefined score."""
_LABEL = re.compile(r"[A-Za-z0-9:._/+-]+")
"""Valid labels of LaTeX tables; other characters may end the label or run as a command."""


@dataclass(frozen=True)
class Query:
    """The units that a figure counts. Conditions that are None do not apply."""

    system: str | None = None
    right: bool | None = None
    """Whether the system is correct."""
    of: Literal["gold", "system", None] = None
    """The side that has the units."""
    kind: str | None = None
    """Error types, separated by commas."""
    from_: str | None = None
    """The first of two compared systems."""
    to: str | None = None
    change: str | None = None
    """The class of difference between the two."""
    different: bool | None = None
    """Whether the two systems' predictions differ."""
    gold: str | None = None
    """The gold label; empty: none."""
    except_gold: str | None = None
    """Gold labels to leave out, separated by tabs."""
    before: str | None = None
    """The first system's prediction, in words."""
    after: str | None = None
    """The second system's prediction, in words."""
    what: str | None = None
    """The part of the prediction that differs, if predictions have parts."""
    predicted: str | None = None
    """The system's label; empty: none."""
    label: str | None = None
    """A label on either side."""
    solved: str | None = None
    """The number of systems that are correct, or `some` for at least one."""
    slice: str | None = None
    """The name of a slice and its value: `genre=chat`."""
    shared: bool | None = None
    """Whether systems are compared on the units."""
    section: str = "units"
    """The part of a page that lists them."""
    by: str | None = None
    """The measures whose error types are meant, separated by commas; pages of other measures have no such units."""


Queries = Sequence[Query | None]


class LazyQueries(Sequence[Queries]):
    """Queries that are made on first use, because only pages use them."""

    def __init__(self, make: Callable[[], Sequence[Queries]]) -> None:
        self._make = make

    @cached_property
    def _queries(self) -> Sequence[Queries]:
        return self._make()

    def __len__(self) -> int:
        return len(self._queries)

    @overload
    def __getitem__(self, row: int) -> Queries: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Queries]: ...
    def __getitem__(self, row: int | slice) -> Queries | Sequence[Queries]:
        return self._queries[row]


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    is_best_low: bool = False
    """Whether the lowest score of several systems is the best one."""
    explains: bool = False
    """Whether its texts explain figures, so their minus signs are those of figures."""


@dataclass(frozen=True)
class DisplayTable:
    """Named columns and rows."""

    title: str
    """Replaces the name of the first column, unless empty."""
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    summary_rows: int = 0
    """Number of rows at the end that summarise the others."""
    remark: str = ""
    """Text below the table."""
    rivals: Sequence[Sequence[int]] = ()
    """Groups of rows among which the best score of every column is highlighted."""
    beside: bool = False
    """Whether systems are columns, so the best score of every row is highlighted."""
    weights: Sequence[float] = ()
    """Frequencies of the rows, if there may be too many to show."""
    queries: Sequence[Queries] = ()
    """The queries of each row's cells, if any."""
    shaded: bool = False
    """Whether the cells of a matrix are shaded by their counts."""

    def with_columns(self, columns: Sequence[int]) -> DisplayTable:
        return replace(
            self,
            columns=[self.columns[column] for column in columns],
            rows=[[row[column] for column in columns] for row in self.rows],
            queries=[[row[column] for column in columns] for row in self.queries],
        )

    def folded(self) -> DisplayTable:
        """Return the table with only the most frequent rows and the summary, if it is too long for a screen."""
        labels = len(self.weights)
        if labels <= MAX_ROWS:
            return self
        kept = sorted(sorted(range(labels), key=lambda row: -self.weights[row])[:MAX_ROWS])
        kept += range(labels, len(self.rows))
        hint = f"The {MAX_ROWS} most frequent of {labels:,}; --as json writes all of them."
        return replace(
            self,
            rows=[self.rows[row] for row in kept],
            remark=f"{hint} {self.remark}".strip(),
            weights=(),
            queries=[self.queries[row] for row in kept] if self.queries else (),
        )


@dataclass(frozen=True)
class TableStyle:
    """Display options of text, Markdown and LaTeX tables.

    percent    show scores as percentages, otherwise as fractions
    decimals   of scores [2 of percentages, 4 of fractions]
    columns    show only these columns, by heading; the first one is always shown [all]
    caption    of LaTeX tables, which then float
    label      of LaTeX tables, for references; they then float
    page_columns
               number of columns of a LaTeX page, 1 or 2
    width      of the terminal, to which text is folded [not folded]
    marks      stars after significant differences
    colour     on a terminal: bold type for the best scores, colours for significant differences
    signature  show the whole signature, otherwise only the settings that differ from their defaults
    """

    percent: bool = True
    decimals: int | None = None
    columns: tuple[str, ...] = ()
    caption: str = ""
    label: str = ""
    page_columns: int = 1
    width: int | None = None
    marks: bool = False
    colour: bool = False
    signature: bool = True

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= MAX_DECIMALS:
            raise SettingError(f"decimals is {self.decimals}; it must be a number from 0 to {MAX_DECIMALS}.")
        if self.page_columns not in (1, 2):
            raise SettingError(f"page_columns is {self.page_columns}; pages have 1 or 2.")
        if self.label and not _LABEL.fullmatch(self.label):
            raise SettingError(
                f"the label {self.label!r} cannot be used in LaTeX; use only letters, digits and : . _ / + -."
            )

    def score(self, value: float, sign: str = "") -> str:
        """Format a score or, with the sign +, a difference of two. An undefined value is a dash."""
        if self.percent:
            return self.share(value, sign)
        return UNDEFINED if isnan(value) else f"{value:{sign}.{4 if self.decimals is None else self.decimals}f}"

    def share(self, value: float, sign: str = "") -> str:
        """Format a percentage, even if scores are shown as fractions. An undefined value is a dash."""
        return UNDEFINED if isnan(value) else f"{100 * value:{sign}.{2 if self.decimals is None else self.decimals}f}"

    def interval(self, bounds: tuple[float, float] | None, sign: str = "") -> str:
        return UNDEFINED if bounds is None else " – ".join(self.score(bound, sign) for bound in bounds)


PLAIN = TableStyle()


def stars(p: float | None) -> str:
    """Return two stars for p below 0.01, one for p below 0.05."""
    return "" if p is None else "**" if p < 0.01 else "*" if p < 0.05 else ""
