"""A table as data: named columns, rows, and the query for the units behind each cell.

Whoever makes a table sets its queries. A page turns them into links; all other outputs ignore them.
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

Cell = str | float | None
Kind = Literal["text", "label", "count", "percent", "share", "bar"]
"""Text stands on the left of its column, labels and numbers on the right.

A percent is a score, which may be shown as a fraction, too; a share is a percentage whatever scores are.
"""
MOST_ROWS = 50
"""How many labels are listed; lemmas can be tags, too."""


@dataclass(frozen=True)
class Query:
    """Which units a figure stands for; what is None does not matter."""

    system: str | None = None
    right: bool | None = None
    """Whether the system has them right."""
    of: Literal["gold", "system", None] = None
    """Who has them."""
    kind: str | None = None
    """Their verdicts, with commas between them."""
    from_: str | None = None
    """One of two systems that are compared, of which `to` is the other."""
    to: str | None = None
    change: str | None = None
    """The class of difference between those two."""
    different: bool | None = None
    """Whether those two treat them differently."""
    gold: str | None = None
    """Their gold label; the empty string stands for none."""
    before: str | None = None
    """What the first of two systems says, in words; `after` is what the second says."""
    after: str | None = None
    what: str | None = None
    """Which part of the answer changes, where it has parts."""
    predicted: str | None = None
    """The system's label; the empty string stands for none."""
    label: str | None = None
    """A label on either side."""
    solved: str | None = None
    """How many systems have them right; `some` is one at least."""
    shared: bool | None = None
    """Whether systems are compared on them."""
    by: str | None = None
    """The score whose verdicts are meant, or several with commas: a page with those of another has no such units."""


Queries = Sequence[Query | None]


class LateQueries(Sequence[Queries]):
    """Queries that are made when a page asks for one of them: most outputs ask for none."""

    def __init__(self, make: Callable[[], Sequence[Queries]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[Queries]:
        return self._make()

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, row: int) -> Queries: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Queries]: ...
    def __getitem__(self, row: int | slice) -> Queries | Sequence[Queries]:
        return self._made[row]


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    is_best_low: bool = False
    """Whether the lowest score of several systems is the best one."""


@dataclass(frozen=True)
class Table:
    """Named columns and rows, of which the last `summary_rows` sum up the others.

    The title stands in place of the first column's name, where there is one; `remark` stands below. `rivals` are the
    rows of systems among which the best score of every column is set off, and where systems are `beside` each other,
    the best of every row is. `weights` says how frequent the rows are, where there may be too many to show. `queries`
    has a row for every row, where units stand behind them. The cells of a matrix may be `shaded` by their counts.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    summary_rows: int = 0
    remark: str = ""
    rivals: Sequence[Sequence[int]] = ()
    beside: bool = False
    weights: Sequence[float] = ()
    queries: Sequence[Queries] = ()
    shaded: bool = False

    def with_columns(self, kept: Sequence[int]) -> Table:
        """The table with some of its columns only."""
        return replace(
            self,
            columns=[self.columns[place] for place in kept],
            rows=[[row[place] for place in kept] for row in self.rows],
            queries=[[row[place] for place in kept] for row in self.queries],
        )

    def folded(self) -> Table:
        """The most frequent rows and those that sum up, if there are too many for a screen."""
        labels = len(self.weights)
        if labels <= MOST_ROWS:
            return self
        kept = sorted(sorted(range(labels), key=lambda row: -self.weights[row])[:MOST_ROWS])
        kept += range(labels, len(self.rows))
        hint = f"The {MOST_ROWS} most frequent of {labels:,}; --as json has them all."
        return replace(
            self,
            rows=[self.rows[row] for row in kept],
            remark=f"{hint} {self.remark}".strip(),
            weights=(),
            queries=[self.queries[row] for row in kept] if self.queries else (),
        )


# == table_style.py: How tables are shown: what a user may choose about their fig


MOST_DECIMALS = 10
UNDEFINED = "–"
"""What tables show in place of a score that is undefined."""
_LABEL = re.compile(r"[A-Za-z0-9:._/+-]+")
"""What the label of a LaTeX table may hold, lest it end or run as a command."""


@dataclass(frozen=True)
class TableStyle:
    """What text, Markdown and LaTeX let a user choose.

    percent    scores as percentages, else as fractions
    decimals   of scores [2 of percentages, 4 of fractions]
    columns    only these columns of tables, by their headings; the first one always stays [all]
    caption    of LaTeX tables, which then float
    label      of LaTeX tables, for references; they float, too
    page_columns
               how many columns the pages have that LaTeX tables are for, 1 or 2
    width      how many columns a terminal has, into which text is folded [not folded]
    marks      stars behind differences that are significant
    colour     a terminal's bold type for the best scores, and its colours for differences that are significant
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

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= MOST_DECIMALS:
            raise SettingError(f"decimals is {self.decimals}; it must be a number from 0 to {MOST_DECIMALS}.")
        if self.page_columns not in (1, 2):
            raise SettingError(f"page_columns is {self.page_columns}; pages have 1 or 2.")
        if self.label and not _LABEL.fullmatch(self.label):
            raise SettingError(
                f"the label {self.label!r} cannot be used in LaTeX; take letters, digits and any of : . _ / + - only."
            )

    def score(self, value: float, sign: str = "") -> str:
        """A score; with the sign +, a difference of two. A dash if it is undefined."""
        if isnan(value):
            return UNDEFINED
        if self.percent:
            return self.share(value, sign)
        return f"{value:{sign}.{4 if self.decimals is None else self.decimals}f}"

    def share(self, value: float, sign: str = "") -> str:
        """A percentage, also where scores are fractions; a dash if it is undefined."""
        if isnan(value):
            return UNDEFINED
        return f"{100 * value:{sign}.{2 if self.decimals is None else self.decimals}f}"

    def interval(self, bounds: tuple[float, float] | None, sign: str = "") -> str:
        return UNDEFINED if bounds is None else " – ".join(self.score(bound, sign) for bound in bounds)


PLAIN = TableStyle()


def stars(p: float | None) -> str:
    """Two for p below 0.01, one for p below 0.05."""
    return "" if p is None else "**" if p < 0.01 else "*" if p < 0.05 else ""
