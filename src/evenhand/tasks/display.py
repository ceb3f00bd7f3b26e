"""How the results of a task are shown: its tables, its figures, and its units in a page.

Everything has a default, so that a task need not declare any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from evenhand.dataclass import dataclass
from evenhand.registry import late
from evenhand.table import Table

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.pairs import Differences, Pair
    from evenhand.result.result import Result, Results
    from evenhand.tasks.error_bars import ErrorBars


@dataclass(frozen=True)
class Confusion:
    """Which labels are confused with which: the scores that tell, and the words around it."""

    models: tuple[str, ...] = ()
    """The match models that have a matrix, the best one first; unless they are named, any that has one."""
    title: str = "confusion (errors only)"
    caption: str = "Errors only."
    """What stands below a figure."""
    one_sided: tuple[str, str] = ("missing", "extra")
    """What units are called that only the gold standard, and only the system, has."""


@dataclass(frozen=True)
class Display:
    """What a task shows."""

    summary: Callable[[Results], Iterable[Table]] = field(default=late("evenhand.tasks.tables:summary"))
    """All systems side by side."""
    details: Callable[..., Iterable[Table]] = field(default=late("evenhand.tasks.tables:details"))
    """All about one system, given its result, the style and whether it is `alone`."""
    listing: Callable[[Result], Iterable[Table]] = lambda result: ()
    """Further tables on one system, which are long and so stand in a page only."""
    errors: Callable[..., ErrorBars] = field(default=late("evenhand.tasks.error_bars:errors"))
    """How the errors of each system divide, given the results and, on a page, the score that is compared."""
    confusion: Confusion | None = Confusion()
    transitions: Callable[[Comparison, Pair, Differences], Table] | None = None
    """What units were and became in one class of differences; unless it is given, by gold label and both answers."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Words that only this task needs in tables of comparisons.

    agreement  what two systems share [equal answers]
    moved      what the same answer may differ in [answer, but another match]
    oracle     a sentence below the oracle
    left_out   why units are not compared [not all systems are scored on their sentences]
    paired     what to know of scores with one system as the key for another
    """
    label: str = "label"
    """What its labels are called."""
    has_verdicts: bool = False
    """Whether answers are shown with their verdicts (`LE ORG`), not by their labels alone."""
    has_label_answers: bool = True
    """Whether systems answer with labels; else a page shows something finer, such as identifiers."""
    verdict_names: Mapping[str, str] = field(default_factory=dict)
    """What wrong verdicts are called in words; one without a name stands for itself."""
    absent: tuple[str, ...] = ("missing",)
    """The verdicts under which a system has nothing: it lacks a unit, or does not have what only others have."""
    unscored: tuple[str, ...] = ()
    """The verdicts under which a unit is not scored for a system; systems are not compared on such units."""
    drawing: Literal["spans", "mentions", "words", "links", "brackets"] = "spans"
    """What a page draws: rows of label, start, end and gaps; of chain, start and end; or of label and, maybe, head.

    `links` are spans with links between them (`tasks.units.LinkedDrawing`). `brackets` are trees: rows of label, start,
    end and a mark, in the order in which brackets open.
    """
    conlleval: tuple[str, str] | None = None
    """The match models of phrases and of tags, where results can be written in the layout of conlleval."""
