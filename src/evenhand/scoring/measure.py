"""A match model: which judge it asks, which counts it shows, and what precision and recall divide.

All of these are sums of a tally's kinds, each with a weight, so that one arithmetic serves every model, whether the
counts are those of a label, of a whole file, or of a thousand resamples.

A model may declare *measures* of its own, each one sum divided by another. They stand beside precision, recall and F;
or in their place, and then the first one is the headline (`measured`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.settings import ScoreSettings

WeightedCounts = Mapping[str, float]
"""The kinds of a tally that are added up, with their weights."""
LeftOut = Literal["absent from gold", "absent from both"]
"""Parts of which the gold standard has nothing, or of which neither side has."""


@dataclass(frozen=True)
class Ratio:
    """A score that a model declares: `above` / `below`, and 0 where both are 0."""

    name: str
    """What JSON, CSV and criteria of gates call it."""
    above: WeightedCounts
    below: WeightedCounts
    definition: str
    """What it is, in one sentence that tables show below."""
    title: str = ""
    """What tables call it, where that is not its name."""
    is_share: bool = True
    """Whether it is 1 at most."""
    is_best_low: bool = False
    """Whether a lower value is better; that of a headline never is."""


@dataclass(frozen=True)
class Formula:
    """Precision is `right` / `found`, recall `met` / `wanted`."""

    name: str
    judge: str
    counts: Mapping[str, WeightedCounts]
    """The counts that are shown."""
    right: WeightedCounts
    """What the system has and is right."""
    found: WeightedCounts
    """All that the system has."""
    met: WeightedCounts
    """What the gold standard has and the system found."""
    wanted: WeightedCounts
    """All that the gold standard has."""
    contingency: Mapping[str, WeightedCounts] = field(default_factory=dict)
    """TP, FP, FN and TN by presence, where there are true negatives."""
    headline: Literal["overall", "macro", "accuracy", "measure"] = "overall"
    focus: str = "target"
    """Whether LE and LBE count for the gold label or for the system's."""
    beta: float = 1.0
    parts: tuple[Formula, ...] = ()
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
    measures: tuple[Ratio, ...] = ()
    """Scores of its own; with the headline `measure` they are all that it has, and the first one is the headline."""
    known: Mapping[str, WeightedCounts] = field(default_factory=dict)
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

    def without(self, *counts: str) -> Formula:
        """The same model, some of whose counts are not shown."""
        return replace(self, counts={name: count for name, count in self.counts.items() if name not in counts})

    def of_labels(self) -> Formula:
        """The same model without what labels do not have."""
        if not self.overall_only:
            return self
        measures = tuple(measure for measure in self.measures if measure.name not in self.overall_only)
        return replace(self.without(*self.overall_only), measures=measures)

    def divided(self) -> list[WeightedCounts]:
        """What precision and recall divide: `right`, `found`, `wanted` and, where it differs from `right`, `met`."""
        if self.parts:
            return [each for part in self.parts for each in part.divided()]
        return [self.right, self.found, self.wanted] + ([] if self.met == self.right else [self.met])


def measured(name: str, judge: str, counts: Mapping[str, WeightedCounts], measures: tuple[Ratio, ...]) -> Formula:
    """A model with measures in place of precision, recall and F; the first one is the headline."""
    above, below = measures[0].above, measures[0].below
    return Formula(
        *(name, judge, counts, above, below, above, below),
        headline="measure",
        details="labels",
        measures=measures,
        shares_unlabeled=False,
    )


def plus(*sums: WeightedCounts) -> WeightedCounts:
    found: dict[str, float] = {}
    for each in sums:
        for kind, weight in each.items():
            found[kind] = found.get(kind, 0.0) + weight
    return found


# == scores/model.py: The declaration of a match model: its names, its judge, its


@dataclass(frozen=True)
class Scorer:
    """Who says what is right. Models with the same judge share its counts."""

    name: str
    count: Callable[..., Any] | None = None
    """The counts of one question as a tally; None where the task counts for all of its judges at once."""
    takes_tags: bool = False
    """Whether it compares tags of tokens, whatever spans they spell: it then takes tokens, and no supertags."""
    beside: Scorer | None = None
    """Another judge that is asked, too, where only totals are wanted."""
    takes_strings: bool = False
    """Whether it compares strings text by text, wherever they stand, so that whole documents are judged together."""
    takes_texts: bool = False
    """Whether it takes the texts of whole documents, and spans as offsets into them."""
    remembers: bool = False
    """Whether it looks back to the begin of a document, so that the portions of a file are judged in their order."""

    @property
    def by_document(self) -> bool:
        """Whether it looks at more than a portion of a document."""
        return self.takes_strings or self.takes_texts or self.remembers


@dataclass(frozen=True)
class Measure:
    """A match model as it is declared, once; `arithmetic` makes of it what a run divides."""

    name: str
    task: str
    judge: Scorer
    arithmetic: Callable[[str, ScoreSettings], Formula]
    """What precision and recall divide and which counts are shown, under the settings of a run."""
    definition: str
    """The address of the docstring that defines it ("package.module" or "package.module:function")."""
    aliases: tuple[str, ...] = ()
    """Other names that people use for it; case, hyphens, underscores and blanks do not matter."""
    title: str = ""
    """What the literature calls it, where that is not its name."""
    family: str | None = None
    """A name that stands for several models."""
    parameters: tuple[Parameter, ...] = ()
    needs: frozenset[str] = frozenset()
    """The traits that a gold standard must have (`pos`, `universal`)."""
    summary: str = ""
    """The definition in one line, for lists; without one, the first line of the docstring serves."""
    counterpart: str | None = None
    """The model that differs in one choice only, such as what errors count as; tables show both if they differ."""
    is_variant: bool = False
    """Whether it is the one of the two that was added to the original."""
    is_ranked: bool = False
    """Whether systems rank their answers, so that `name@n` takes one as right that is among the first n.

    Its judge then takes the keyword `depth`.
    """

    def prepare(self, settings: ScoreSettings) -> Formula:
        """The model under these settings."""
        return self.arithmetic(self.name, settings)

    def at(self, depth: int) -> Measure:
        """The model that looks at so many ranked answers, where it has a judge that can."""
        if self.judge.count is None:
            return self
        judge = replace(self.judge, name=f"{self.judge.name}@{depth}", count=partial(self.judge.count, depth=depth))
        return replace(self, name=f"{self.name}@{depth}", judge=judge)
