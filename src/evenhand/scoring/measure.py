"""The declaration of a measure, and the formula that turns its counts into scores.

A scorer counts (a tally), a formula divides sums of these counts. Each sum has a weight per count type, so the same
arithmetic serves every measure and any table of counts: of one label, of a whole file, or of a thousand resamples.

A measure has precision, recall and F. It may declare further ratios, in addition to these or, with the headline
`ratio`, instead of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.settings import ScoreSettings

WeightedCounts = Mapping[str, float]
"""Count types of a tally with their weights, to be added up."""
LeftOut = Literal["absent from gold", "absent from both"]
"""Parts without any unit in the gold standard, or on either side."""
Need = Literal["token_tags", "strings", "document_text", "document_order"]


def plus(*sums: WeightedCounts) -> WeightedCounts:
    total: dict[str, float] = {}
    for weighted in sums:
        for count, weight in weighted.items():
            total[count] = total.get(count, 0.0) + weight
    return total


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision = `correct` / `predicted`, recall = `matched` / `expected`."""

    correct: WeightedCounts
    """Correct predictions."""
    predicted: WeightedCounts
    """All predictions."""
    matched: WeightedCounts
    """Gold units that were found."""
    expected: WeightedCounts
    """All gold units."""

    @classmethod
    def of_pairs(cls, correct: WeightedCounts, predicted: WeightedCounts, expected: WeightedCounts) -> PrecisionRecall:
        """If every correct prediction matches exactly one gold unit."""
        return cls(correct, predicted, correct, expected)

    @classmethod
    def of_errors(cls, tp: WeightedCounts, fp: WeightedCounts, fn: WeightedCounts) -> PrecisionRecall:
        """Precision = TP / (TP + FP), recall = TP / (TP + FN)."""
        return cls.of_pairs(tp, plus(tp, fp), plus(tp, fn))

    def columns(self) -> list[WeightedCounts]:
        """`correct`, `predicted`, `expected` and, if it differs from `correct`, `matched`."""
        return [self.correct, self.predicted, self.expected] + ([] if self.matched == self.correct else [self.matched])


@dataclass(frozen=True)
class Ratio:
    """A declared score: `numerator` / `denominator`, and 0 if both are 0."""

    name: str
    """Its name in JSON, CSV and the criteria of gates."""
    numerator: WeightedCounts
    denominator: WeightedCounts
    definition: str
    """One sentence, shown below tables."""
    title: str = ""
    """Its name in tables, if different."""
    is_share: bool = True
    """Whether it is at most 1."""
    is_best_low: bool = False
    """Whether lower values are better; never true of a headline."""


@dataclass(frozen=True)
class MeanOf:
    """A measure that is the mean of other formulas."""

    parts: tuple[Formula, ...]
    leaves_out: LeftOut | None = None
    """Parts that do not enter the mean."""


@dataclass(frozen=True)
class Breakdown:
    """Which scores are reported in addition to the total."""

    details: Literal["all", "labels", "overall", "accuracy"] = "all"
    """Averages and labels, labels only, or nothing; `accuracy` is reported without precision."""
    focus: str = "target"
    """Whether LE and LBE count for the gold label (`target`) or for the predicted one."""
    overall_only: frozenset[str] = frozenset()
    """Counts and ratios that labels do not have."""
    known: Mapping[str, WeightedCounts] = field(default_factory=dict)
    """Counts and ratios that are null unless a sum over the whole tally is above 0."""
    shares_unlabeled: bool = True
    """Whether counts without a label are added to every label; if not, they count once, overall."""


@dataclass(frozen=True)
class Formula:
    """How the counts of a scorer become the scores of a measure."""

    name: str
    scorer: str
    counts: Mapping[str, WeightedCounts]
    """The counts that are shown."""
    divided: PrecisionRecall | MeanOf
    headline: Literal["overall", "macro", "accuracy", "ratio"] = "overall"
    beta: float = 1.0
    ratios: tuple[Ratio, ...] = ()
    """Additional scores; with the headline `ratio`, these are the only ones, and the first one is the headline."""
    contingency: Mapping[str, WeightedCounts] = field(default_factory=dict)
    """TP, FP, FN and TN by presence, if there are true negatives."""
    breakdown: Breakdown = Breakdown()
    extra_scores: Callable[..., Any] | None = None
    """Adds what else follows from the tallies to a score: confusion matrices and the like."""
    text_tally: str | None = None
    """The tally of the text, which counts once for every level."""
    also_run: str | None = None
    """A scorer whose tally is added, if it was counted."""
    is_null: bool = False
    """Whether every score with the denominator 0 is undefined, not 0; F if both denominators are 0."""
    types: Mapping[str, str] = field(default_factory=dict)
    """The error types of units by count type, if they are not the names of counts; see `error_types`."""

    @property
    def error_types(self) -> Mapping[str, str]:
        """The error type of a unit by its count type: the declared one, or the narrowest count that includes it."""
        types = dict(self.types)
        for name, weights in sorted(self.counts.items(), key=lambda count: len(count[1])) if not types else ():
            types |= {kind: name for kind, weight in weights.items() if weight > 0 and kind not in types}
        return types

    def types_of_counts(self) -> dict[str, set[str]]:
        """The error types of each count that is a sum of whole types: BE is BES, BEL and BEO."""
        types, counts = self.error_types, dict[str, set[str]]()
        for name, weights in self.counts.items():
            kinds = {kind for kind, weight in weights.items() if weight > 0 and kind in types}
            parts = {types[kind] for kind in kinds}
            if kinds and kinds == {kind for kind in types if types[kind] in parts}:  # no type is divided
                counts[name] = parts
        return counts

    def is_error(self, kind: str) -> bool:
        """Whether units of a count type lower the precision or the recall; half a point is an error, too."""
        if isinstance(self.divided, MeanOf):
            return False
        divided = self.divided
        is_correct = max(divided.correct.get(kind, 0), divided.matched.get(kind, 0)) >= 1
        return not is_correct and (kind in divided.predicted or kind in divided.expected)

    @property
    def has_ratios_only(self) -> bool:
        """Whether ratios replace precision, recall and F."""
        return self.headline == "ratio"

    @property
    def is_accuracy(self) -> bool:
        """Whether the headline is a share of the gold units, so the score of a label is its recall."""
        return self.headline == "accuracy"

    @property
    def is_one_share(self) -> bool:
        """Whether it is a single share, such as the accuracy of tags: precision, recall and F are all equal."""
        sums = self.columns()
        is_share = self.headline == "accuracy" and len(sums) == 3 and sums[1] == sums[2]
        return self.breakdown.details == "accuracy" or is_share

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The formulas that this one is the mean of."""
        return self.divided.parts if isinstance(self.divided, MeanOf) else ()

    def columns(self) -> list[WeightedCounts]:
        """All sums that are divided; see `PrecisionRecall.columns`."""
        if isinstance(self.divided, MeanOf):
            return [column for part in self.divided.parts for column in part.columns()]
        return self.divided.columns()

    def without(self, *counts: str) -> Formula:
        """The same formula without some of the counts shown."""
        return replace(self, counts={name: count for name, count in self.counts.items() if name not in counts})

    def of_labels(self) -> Formula:
        """The same formula without the counts and ratios that labels do not have."""
        overall_only = self.breakdown.overall_only
        if not overall_only:
            return self
        ratios = tuple(ratio for ratio in self.ratios if ratio.name not in overall_only)
        return replace(self.without(*overall_only), ratios=ratios)


def count_errors(name: str, settings: ScoreSettings, **options: Any) -> Formula:
    """TP, FP and FN, counted by a scorer with the name of the measure."""
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN")}
    return Formula(name, name, counts, PrecisionRecall.of_errors(*counts.values()), beta=settings.beta, **options)


def count_hits(name: str, settings: ScoreSettings, **options: Any) -> Formula:
    """Units of either side that have a hit on the other one, counted by a scorer with the name of the measure."""
    counts = {
        "gold_hits": {"gold_hits": 1.0},
        "gold": {"gold_hits": 1.0, "gold_others": 1.0},
        "system_hits": {"system_hits": 1.0},
        "system": {"system_hits": 1.0, "system_others": 1.0},
    }
    divided = PrecisionRecall(counts["system_hits"], counts["system"], counts["gold_hits"], counts["gold"])
    types = {"gold_hits": "hit", "gold_others": "missed", "system_hits": "hit", "system_others": "spurious"}
    return Formula(name, name, counts, divided, beta=settings.beta, types=types, **options)


def count_fair(
    name: str,
    settings: ScoreSettings,
    kinds: Sequence[str],
    missing: Sequence[str] = ("FN",),
    spurious: Sequence[str] = ("FP",),
    **options: Any,
) -> Formula:
    """Fair evaluation: errors of pairs, which are all other types but TP, count half for precision and for recall."""
    paired = {kind: 0.5 for kind in kinds if kind not in ("TP", *missing, *spurious)}
    predicted, expected = (plus({"TP": 1.0}, paired, dict.fromkeys(side, 1.0)) for side in (spurious, missing))
    divided = PrecisionRecall.of_pairs({"TP": 1.0}, predicted, expected)
    return Formula(name, name, {kind: {kind: 1.0} for kind in kinds}, divided, beta=settings.beta, **options)


def ratios_only(
    name: str,
    scorer: str,
    counts: Mapping[str, WeightedCounts],
    ratios: tuple[Ratio, ...],
    breakdown: Breakdown | None = None,
) -> Formula:
    """Ratios instead of precision, recall and F; the first one is the headline."""
    breakdown = breakdown or Breakdown("labels", shares_unlabeled=False)
    divided = PrecisionRecall.of_pairs(ratios[0].numerator, ratios[0].denominator, ratios[0].denominator)
    return Formula(name, scorer, counts, divided, headline="ratio", ratios=ratios, breakdown=breakdown)


@dataclass(frozen=True)
class Scorer:
    """Counts correct and wrong units. Measures with the same scorer share its counts."""

    name: str
    count: Callable[..., Any] | None = None
    """Makes a tally from gold and system side by side; None if the task counts for all of its scorers at once."""
    needs: frozenset[Need] = frozenset()
    """Input beyond aligned units.

    token_tags      the tags of tokens, regardless of the spans they encode; without --supertag
    strings         strings, compared by text regardless of position, so whole documents are evaluated together
    document_text   texts of whole documents, and spans as offsets into them
    document_order  everything before a span in its document, so parts of a file are evaluated in order
    """
    also_run: Scorer | None = None
    """A second scorer that runs if only totals are needed."""
    is_ranked: bool = False
    """Whether systems rank their predictions, so `name@n` accepts a correct one among the first n.

    `count` and `units` then take the keyword `depth`.
    """
    units: Callable[..., Any] | None = None
    """Lists the units that `count` counts, from the same input (`tasks.unit_rows.UnitRows`); None if it cannot."""
    is_independent: bool = False
    """Whether a unit's correctness does not depend on other units; of equal units, the first ones are correct."""

    @property
    def by_document(self) -> bool:
        """Whether it looks at more than a part of a document."""
        return bool(self.needs - {"token_tags"})


@dataclass(frozen=True)
class Measure:
    """The declaration of a measure."""

    name: str
    task: str
    scorer: Scorer
    formula: Callable[[str, ScoreSettings], Formula]
    """Makes the formula from the name and the settings of a run."""
    definition: str
    """The address of the docstring that defines it ("package.module" or "package.module:function")."""
    aliases: tuple[str, ...] = ()
    """Other names; case, hyphens, underscores and blanks do not matter."""
    title: str = ""
    """Its name in the literature, if different."""
    family: str | None = None
    """A name for several measures together."""
    parameters: tuple[Parameter, ...] = ()
    requires: frozenset[str] = frozenset()
    """Traits that the gold standard must have (`pos`, `universal`)."""
    summary: str = ""
    """The definition in one line; by default the first line of the docstring."""
    counterpart: str | None = None
    """A measure that differs in one choice only, such as what errors count as; tables show both if they differ."""
    is_variant: bool = False
    """Whether its counterpart is the original."""
    annotation: tuple[str, ...] = ()
    """Optional layers that it compares (`xpos`). If a system has none of one, a score of 0 is undefined."""
    instead_of_units: str = ""
    """If it does not count units: which measure lists them, as the remedy of an error message."""
    lists_errors: bool = False
    """Whether it lists errors although it does not count units one by one."""

    def prepare(self, settings: ScoreSettings) -> Formula:
        return self.formula(self.name, settings)

    def at(self, depth: int) -> Measure:
        """The measure that accepts the first `depth` ranked predictions, if its scorer can."""
        if self.scorer.count is None:
            return self
        count, units = partial(self.scorer.count, depth=depth), self.scorer.units
        units = None if units is None else partial(units, depth=depth)
        scorer = replace(self.scorer, name=f"{self.scorer.name}@{depth}", count=count, units=units)
        return replace(self, name=f"{self.name}@{depth}", scorer=scorer)
