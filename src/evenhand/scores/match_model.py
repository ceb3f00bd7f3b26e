"""A match model: which judge it asks, which counts it shows, and what precision and recall divide.

All of these are sums of a tally's kinds, each with a weight, so that one arithmetic serves every model, whether the
counts are those of a label, of a whole file, or of a thousand resamples.

A model may declare *measures* of its own, each one sum divided by another. They stand beside precision, recall and F;
or in their place, and then the first one is the headline (`measured`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from evenhand.dataclass import dataclass

Sum = Mapping[str, float]
"""The kinds of a tally that are added up, with their weights."""
LeftOut = Literal["absent from gold", "absent from both"]
"""Parts of which the gold standard has nothing, or of which neither side has."""


@dataclass(frozen=True)
class Measure:
    """A score that a model declares: `above` / `below`, and 0 where both are 0."""

    name: str
    """What JSON, CSV and criteria of gates call it."""
    above: Sum
    below: Sum
    definition: str
    """What it is, in one sentence that tables show below."""
    title: str = ""
    """What tables call it, where that is not its name."""
    is_share: bool = True
    """Whether it is 1 at most."""
    is_best_low: bool = False
    """Whether a lower value is better; that of a headline never is."""


@dataclass(frozen=True)
class MatchModel:
    """Precision is `right` / `found`, recall `met` / `wanted`."""

    name: str
    judge: str
    counts: Mapping[str, Sum]
    """The counts that are shown."""
    right: Sum
    """What the system has and is right."""
    found: Sum
    """All that the system has."""
    met: Sum
    """What the gold standard has and the system found."""
    wanted: Sum
    """All that the gold standard has."""
    contingency: Mapping[str, Sum] = field(default_factory=dict)
    """TP, FP, FN and TN by presence, where there are true negatives."""
    headline: Literal["overall", "macro", "accuracy", "measure"] = "overall"
    focus: str = "target"
    """Whether LE and LBE count for the gold label or for the system's."""
    beta: float = 1.0
    parts: tuple[MatchModel, ...] = ()
    """The models whose scores this one is the mean of, instead of having any sums of its own."""
    leaves_out: LeftOut | None = None
    """Which parts are left out of the mean."""
    further: Callable[..., Any] | None = None
    """Adds to a score what else follows from the tallies: confusion matrices and the like."""
    text: str | None = None
    """The tally of what the text has, which counts once for every level."""
    beside: str | None = None
    """A further tally that is added, where it was counted."""
    details: Literal["all", "labels", "overall", "accuracy"] = "all"
    """What is reported beside the total: averages and labels, labels only, or nothing; `accuracy` has no precision."""
    measures: tuple[Measure, ...] = ()
    """Scores of its own; with the headline `measure` they are all that it has, and the first one is the headline."""
    known: Mapping[str, Sum] = field(default_factory=dict)
    """Counts and measures that are null unless a sum over the whole tally is above 0."""
    overall_only: frozenset[str] = frozenset()
    """Counts and measures that labels do not have."""
    shares_unlabeled: bool = True
    """Whether counts that belong to no label are added to those of every label; else they count once, overall."""

    @property
    def is_measured(self) -> bool:
        """Whether it has measures in place of precision, recall and F."""
        return self.headline == "measure"

    @property
    def is_one_share(self) -> bool:
        """Whether it is one share, such as the accuracy of tags: precision, recall and F all equal it."""
        sums = self.divided()
        return self.details == "accuracy" or (self.headline == "accuracy" and len(sums) == 3 and sums[1] == sums[2])

    def without(self, *counts: str) -> MatchModel:
        """The same model, some of whose counts are not shown."""
        return replace(self, counts={name: each for name, each in self.counts.items() if name not in counts})

    def of_labels(self) -> MatchModel:
        """The same model without what labels do not have."""
        if not self.overall_only:
            return self
        measures = tuple(each for each in self.measures if each.name not in self.overall_only)
        return replace(self.without(*self.overall_only), measures=measures)

    def divided(self) -> list[Sum]:
        """What precision and recall divide: `right`, `found`, `wanted` and, where it differs from `right`, `met`."""
        if self.parts:
            return [each for part in self.parts for each in part.divided()]
        return [self.right, self.found, self.wanted] + ([] if self.met == self.right else [self.met])


def measured(name: str, judge: str, counts: Mapping[str, Sum], measures: tuple[Measure, ...]) -> MatchModel:
    """A model with measures in place of precision, recall and F; the first one is the headline."""
    above, below = measures[0].above, measures[0].below
    return MatchModel(
        *(name, judge, counts, above, below, above, below),
        headline="measure",
        details="labels",
        measures=measures,
        shares_unlabeled=False,
    )


def plus(*sums: Sum) -> Sum:
    found: dict[str, float] = {}
    for each in sums:
        for kind, weight in each.items():
            found[kind] = found.get(kind, 0.0) + weight
    return found
