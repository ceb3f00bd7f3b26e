"""What saved comparisons look like: the JSON contract as types, by which files are checked as they are read."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import asdict

from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import Unit
from evenhand.result.pairs import ScoreChange, Significance, Transition
from evenhand.result.schema import Count, Difference, SavedGold, SavedInterval, Share, bounds
from evenhand.text.annotation import Reading


class SavedTransition(Struct):
    gold: str
    before: str = field(name="from")
    after: str = field(name="to")
    count: Count
    share_of_class: Share
    share_of_differences: Share
    change: str = ""

    def transition(self) -> Transition:
        shares = self.share_of_class, self.share_of_differences
        return Transition(self.gold, self.before, self.after, self.change, self.count, *shares)


class SavedClass(Struct):
    count: Count
    share: Share
    transitions: list[SavedTransition]


class SavedP(Struct):
    p: Share


class SavedSignificance(Struct):
    test: str
    p: Share
    p_holm: Share
    trials: Count
    seed: int
    groups: Count
    least: Share
    exact: bool = False

    def significance(self) -> Significance:
        return Significance(**asdict(self))


def tested(saved: SavedSignificance | None) -> Significance | None:
    return None if saved is None else saved.significance()


class SavedChange(Struct):
    """The difference under one score."""

    delta: Difference
    significance: SavedSignificance | None = None
    interval: SavedInterval | None = None

    def change(self) -> ScoreChange:
        return ScoreChange(self.delta, tested(self.significance), bounds(self.interval))


class SavedPair(Struct):
    before: str = field(name="from")
    after: str = field(name="to")
    units: Count
    different: Count
    delta: Difference
    classes: dict[str, SavedClass]
    moved: Count = 0
    significance: SavedSignificance | None = None
    interval: SavedInterval | None = None
    mcnemar: SavedP | None = None
    further: dict[str, SavedChange] = {}


class SavedBound(Struct):
    units: Count
    systems: dict[str, Share]
    upper_bound: Share

    def bound(self, systems: Sequence[str]) -> Bound:
        """Shares of units as counts; what is rounded away is the error of two roundings, far below a half."""
        right = tuple(round(self.systems[name] * self.units) for name in systems)
        return Bound(self.units, right, round(self.upper_bound * self.units))


class SavedOracle(Struct):
    overall: SavedBound
    sentences: SavedBound
    labels: dict[str, SavedBound]
    exact: dict[str, Share] | None = None


class SavedAgreement(Struct):
    all: list[list[Share]]
    correct: list[list[Share]]
    paired: dict[str, list[list[Share]]] = {}


class SavedSlice(Struct):
    units: Count
    systems: dict[str, Share]


class SavedUnit(Struct):
    kind: str
    before: str | None = field(name="from")
    after: str | None = field(name="to")
    place: str
    document: Count
    sentence: Count
    start: Count
    end: Count
    words: str | None
    gold: str
    answers: dict[str, str]
    text: str | None
    document_name: str | None = None
    gold_head: str | None = None
    gold_antecedent: str | None = None

    def unit(self, systems: Sequence[str]) -> Unit:
        return Unit(
            self.kind,
            None if self.before is None or self.after is None else (self.before, self.after),
            self.place,
            self.sentence,
            self.document,
            self.start,
            self.end,
            self.words,
            self.text,
            self.gold,
            self.gold_head,
            {name: self.answers[name] for name in systems},
            self.document_name,
            self.gold_antecedent,
        )


class SavedTests(Struct):
    """How the tests and intervals of a comparison were made."""

    trials: Count
    resamples: Count
    interval: str
    level: Share
    seed: int
    of: str


class SavedView(Struct):
    """How a report shows a comparison."""

    show: str | None
    top: Count
    sort: str | None


class SavedComparison(Struct):
    task: str
    by: str
    signature: str
    notes: tuple[str, ...]
    gold: SavedGold
    reading: Reading
    systems: tuple[str, ...]
    scores: dict[str, dict[str, Share]]
    pairs: list[SavedPair]
    oracle: SavedOracle
    difficulty: dict[Count, Count]
    agreement: SavedAgreement
    labels: dict[str, SavedSlice]
    slices: dict[str, dict[str, SavedSlice]]
    units: list[SavedUnit]
    resampling: SavedTests
    report: SavedView
