"""Two systems side by side: the differences of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from evenhand.comparison.units import Unit
from evenhand.dataclass import dataclass
from evenhand.ranges import Count, Share
from evenhand.table import Query


@dataclass(frozen=True)
class Transition:
    """What units were and became, and how many there are."""

    gold: str
    before: str
    after: str
    change: str
    """Of trees, what changed: `head`, `relation` or `both`."""
    count: int
    share_of_class: float
    share_of_differences: float


@dataclass(frozen=True)
class Differences:
    """One class of differences: `correction`, `new_error` or `changed_error`."""

    name: str
    count: int
    share: float
    """Of all differences of the pair."""
    transitions: Sequence[Transition]
    """By frequency."""
    _units: Callable[[], list[Unit]] = field(repr=False, compare=False, default=list)

    def units(self) -> list[Unit]:
        """The units themselves, with place and context; the files are read again."""
        return self._units()

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True)
class Significance:
    """A test of the difference between two scores."""

    test: str
    p: Share
    p_holm: Share
    """Corrected for the number of pairs (Holm 1979)."""
    trials: Count
    seed: int
    groups: Count
    """How many documents or sentences the systems differ in."""
    least: Share
    """The smallest p that so many groups allow."""
    exact: bool = False


@dataclass(frozen=True)
class ScoreChange:
    """The difference of two systems under one score."""

    delta: float
    significance: Significance | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Pair:
    """Two systems: what changes from one to the other."""

    before: str
    after: str
    size: int
    """How many units are compared."""
    different: int
    moved: int
    """How many spans have the same class but other bounds, or mentions another antecedent: no differences."""
    delta: float
    """The difference of the scores."""
    classes: Mapping[str, Differences]
    significance: Significance | None = None
    mcnemar: float | None = None
    """The p-value of the exact test of McNemar, of words."""
    interval: tuple[float, float] | None = None
    further: Mapping[str, ScoreChange] = field(default_factory=dict)
    """Of chains: how each score changes."""

    @property
    def difference(self) -> float:
        return self.different / self.size if self.size else 0.0

    @property
    def corrections(self) -> Differences:
        return self.classes["correction"]

    @property
    def new_errors(self) -> Differences:
        return self.classes["new_error"]

    @property
    def changed_errors(self) -> Differences:
        return self.classes["changed_error"]

    def units(self, kind: str) -> list[Unit]:
        """The units of a class (`correction`, `new_error`, `changed_error`); the files are read again."""
        return self.classes[kind].units()

    def query(self, change: str | None = None, **wanted: Any) -> Query:
        """The query for units that the two systems treat differently, or for those of one class of differences."""
        return Query(from_=self.before, to=self.after, change=change, different=None if change else True, **wanted)
