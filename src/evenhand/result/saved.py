"""What saved results look like: the JSON contract as types, by which files are checked while they are read."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import Unit
from evenhand.result.pairs import ScoreChange, Significance, Transition
from evenhand.result.result import Gold
from evenhand.settings import ScoreSettings, Task
from evenhand.text.annotation import Reading

Number = int | float
"""A count, which stays whole where it was."""
SavedRow = dict[str, Number | None]
"""Counts and scores of one row, by name."""


class Head(Struct):
    """What all saved results begin with."""

    evenhand: str
    command: str


class SavedGold(Struct):
    name: str
    documents: int
    sentences: int
    tokens: int | None
    characters: int | None
    units: int
    labels: dict[str, int]
    chains: int | None = None
    left_out: int = 0

    def gold(self, reading: Reading) -> Gold:
        sizes = self.documents, self.sentences, self.tokens, self.characters, self.units
        return Gold(self.name, *sizes, self.labels, reading, self.chains)


class SavedSentences(Struct):
    correct: int
    total: int


class SavedScore(Struct):
    """One match model of one system. What a model does not have is not there."""

    overall: SavedRow
    macro: SavedRow | None = None
    support: SavedRow | None = None
    labels: dict[str, SavedRow] = {}
    parts: dict[str, SavedRow] = {}
    supertags: dict[str, SavedRow] = {}
    distances: dict[str, SavedRow] = {}
    baselines: dict[str, float | None] = {}
    sentences: SavedSentences | None = None
    confusion: dict[str, dict[str, Number]] | None = None
    edges: dict[str, dict[str, Number]] | None = None


class SavedSystem(Struct):
    name: str
    units: int
    labels: dict[str, int]
    scores: dict[str, SavedScore]
    signature: str
    notes: tuple[str, ...]
    reading: Reading
    chains: int | None = None


class SavedResults(Struct):
    settings: ScoreSettings
    gold: SavedGold
    reading: Reading
    systems: list[SavedSystem]
    weights: dict[str, tuple[Number, Number, Number]] = {}


class SavedInterval(Struct):
    low: float
    high: float


def bounds(saved: SavedInterval | None) -> tuple[float, float] | None:
    return None if saved is None else (saved.low, saved.high)


class SavedStanding(Struct):
    score: float
    rank: int
    change: int
    interval: SavedInterval | None


class SavedRanked(Struct):
    name: str
    standings: dict[str, SavedStanding]


class SavedCorrelation(Struct):
    models: tuple[str, str]
    spearman: float | None
    kendall: float | None


class SavedResampling(Struct):
    resamples: int
    of: str
    level: float
    seed: int


class SavedRanking(Struct):
    task: Task
    signature: str
    notes: tuple[str, ...]
    name: str
    models: list[str]
    resampling: SavedResampling
    systems: list[SavedRanked]
    correlations: list[SavedCorrelation]
    data_sets: dict[str, SavedRanking] | None = None


class SavedTransition(Struct):
    gold: str
    before: str = field(name="from")
    after: str = field(name="to")
    count: int
    share_of_class: float
    share_of_differences: float
    change: str = ""

    def transition(self) -> Transition:
        shares = self.share_of_class, self.share_of_differences
        return Transition(self.gold, self.before, self.after, self.change, self.count, *shares)


class SavedClass(Struct):
    count: int
    share: float
    transitions: list[SavedTransition]


class SavedP(Struct):
    p: float


class SavedChange(Struct):
    """The difference under one score."""

    delta: float
    significance: Significance | None = None
    interval: SavedInterval | None = None

    def change(self) -> ScoreChange:
        return ScoreChange(self.delta, self.significance, bounds(self.interval))


class SavedPair(Struct):
    before: str = field(name="from")
    after: str = field(name="to")
    units: int
    different: int
    delta: float
    classes: dict[str, SavedClass]
    moved: int = 0
    significance: Significance | None = None
    interval: SavedInterval | None = None
    mcnemar: SavedP | None = None
    further: dict[str, SavedChange] = {}


class SavedBound(Struct):
    units: int
    systems: dict[str, float]
    upper_bound: float

    def bound(self, systems: Sequence[str]) -> Bound:
        """Shares of units as counts; what is rounded away is the error of two roundings, far below a half."""
        right = tuple(round(self.systems[name] * self.units) for name in systems)
        return Bound(self.units, right, round(self.upper_bound * self.units))


class SavedOracle(Struct):
    overall: SavedBound
    sentences: SavedBound
    labels: dict[str, SavedBound]
    exact: dict[str, float] | None = None


class SavedAgreement(Struct):
    all: list[list[float]]
    correct: list[list[float]]
    paired: dict[str, list[list[float]]] = {}


class SavedSlice(Struct):
    units: int
    systems: dict[str, float]


class SavedUnit(Struct):
    kind: str
    before: str | None = field(name="from")
    after: str | None = field(name="to")
    place: str
    document: int
    sentence: int
    start: int
    end: int
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

    trials: int
    resamples: int
    interval: str
    level: float
    seed: int
    of: str


class SavedView(Struct):
    """How a report shows a comparison."""

    show: str | None
    top: int
    sort: str | None


class SavedComparison(Struct):
    task: Task
    by: str
    signature: str
    notes: tuple[str, ...]
    gold: SavedGold
    reading: Reading
    systems: tuple[str, ...]
    scores: dict[str, dict[str, float]]
    pairs: list[SavedPair]
    oracle: SavedOracle
    difficulty: dict[int, int]
    agreement: SavedAgreement
    labels: dict[str, SavedSlice]
    slices: dict[str, dict[str, SavedSlice]]
    units: list[SavedUnit]
    resampling: SavedTests
    report: SavedView
