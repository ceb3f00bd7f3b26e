"""A table as data: named columns, rows, and the query for the units behind each cell.

Whoever makes a table sets its queries. A page turns them into links; all other outputs ignore them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, overload

from evenhand.dataclass import dataclass

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
