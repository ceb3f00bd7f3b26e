"""A comparison: what `compare` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from evenhand.arrays import Count, Share, Values
from evenhand.comparison.differences import Bound
from evenhand.comparison.ranking import Clusters, Correlation, RankInterval
from evenhand.comparison.units import Collection, Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.results.display import Framed, Plotted, Shown, Tabled, written
from evenhand.results.result import GoldSummary, Results, defined
from evenhand.tables import Query
from evenhand.tasks.registry import model
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.tables import ErrorGroup
from evenhand.version import __version__

# == result/pairs.py: Two systems side by side: the differences of a comparison.


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


# == result/ranking.py: A ranking: what `rank` returns.


@dataclass(frozen=True, repr=False)
class Ranking(Shown, Framed, Plotted, Tabled):
    """Systems under several match models: `ranking["ts"]["florian"].rank`."""

    name: str
    """The gold standard, or `average` over several data sets."""
    standings: Mapping[str, Mapping[str, RankInterval]]
    correlations: Sequence[Correlation]
    level: float
    resamples: int
    seed: int
    groups: str | None
    """What was resampled: documents or sentences; None if there was nothing to resample."""
    signature: str
    notes: tuple[str, ...] = ()
    task: str = "spans"
    data_sets: Mapping[str, Ranking] | None = None
    """The rankings that an average is over, by data set."""
    clusters: Clusters | None = None
    """Which systems share a letter under the first model; None where nothing was tested."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """The systems that could not be ranked, with the sentence of the error of each."""
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By model, the scores of systems on the gold standard as it was read, where it has overrides."""
    few_documents: int | None = None
    """In how many documents two systems differ at most, if these are too few to decide and sentences are resampled."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.standings)

    @property
    def shown_models(self) -> tuple[str, ...]:
        """The match models of tables: of two counterparts the kind of the first one, which decides.

        The counterpart of the first model is shown, too, if it gives a system another score.
        """
        declared = {name: declared_model(self.task, name) for name in self.models}
        first = declared[self.models[0]]

        def is_shown(name: str) -> bool:
            if declared[name].counterpart not in declared or declared[name].is_variant == first.is_variant:
                return True
            pairs = zip(self.standings[first.name].values(), self.standings[name].values(), strict=True)
            return name == first.counterpart and any(repr(one.score) != repr(two.score) for one, two in pairs)

        return tuple(filter(is_shown, self.models))

    @property
    def systems(self) -> tuple[str, ...]:
        """By rank under the first model, then by name; systems without a rank last."""
        first = self.standings[self.models[0]]
        return tuple(sorted(first, key=lambda system: (first[system].rank or inf, system)))

    def __getitem__(self, model: str) -> Mapping[str, RankInterval]:
        try:
            return self.standings[model]
        except KeyError:
            raise KeyError(f"no match model {model!r} was ranked; there are {', '.join(self.models)}") from None

    def __iter__(self) -> Iterator[str]:
        """The names of the match models."""
        return iter(self.standings)

    def __contains__(self, model: object) -> bool:
        return model in self.standings

    def cluster(self, model: str, system: str) -> str | None:
        """The letter of a system under a model; None where nothing was tested."""
        return self.clusters[system] if self.clusters is not None and self.clusters.model == model else None

    def to_dict(self) -> dict[str, Any]:
        """The ranking as plain Python, in the form of its JSON."""
        found = {"evenhand": __version__, "command": "rank", **self._figures()}
        if self.data_sets is not None:
            found["data_sets"] = {name: each._figures() for name, each in self.data_sets.items()}
        return found

    @staticmethod
    def from_json(source: str | Path) -> Ranking:
        """A ranking as `to_json` or `evenhand rank --as json` saved it: from a file, or from the text itself."""
        from evenhand.results.json import load_ranking

        return load_ranking(source)

    def _figures(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "signature": self.signature,
            "notes": list(self.notes),
            "name": self.name,
            "models": list(self.models),
            "resampling": {
                "resamples": self.resamples,
                "of": self.groups,
                "few_documents": self.few_documents,
                "level": self.level,
                "seed": self.seed,
            },
            "systems": [
                {"name": system, "standings": {model: _standing(self[model][system]) for model in self.models}}
                for system in self.systems
            ],
            "correlations": [
                {**asdict(correlation), "models": list(correlation.models)} for correlation in self.correlations
            ],
            "clusters": None if self.clusters is None else asdict(self.clusters),
            "skipped": [{"name": name, "reason": reason} for name, reason in self.skipped.items()],
            **({"before": {model: _plain(scores) for model, scores in self.before.items()}} if self.before else {}),
        }


def _plain(scores: Mapping[str, float]) -> dict[str, float | None]:
    return {name: defined(score) for name, score in scores.items()}


def _standing(standing: RankInterval) -> dict[str, Any]:
    found = {**asdict(standing), "score": defined(standing.score)}
    if standing.interval is not None:
        found["interval"] = dict(zip(("low", "high"), standing.interval, strict=True))
    return found


# == result/comparison.py (primary)


@dataclass(frozen=True)
class OracleResult:
    """How far the systems together could get."""

    overall: Bound
    labels: Mapping[str, Bound]
    """By gold label, the most frequent first."""
    sentences: Bound
    best: int
    """The number of the system that is best overall."""
    exact: Mapping[str, float] | None = None
    """Of spans, the bounds of precision, recall and F1 under exact match."""


@dataclass(frozen=True)
class Slice:
    """Some units: how many of them the gold standard has, and each system's score."""

    units: int
    scores: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Comparison(Shown, Framed, Plotted, Tabled):
    """Several systems on the same units: `comparison.pair("elmo", "flair").corrections`."""

    gold: GoldSummary
    task: str
    by: str
    """What is compared: `accuracy`, `las`, `uas`, `ls`, `fair`, `exact`, `arcs_any` or `arcs_nom`."""
    systems: tuple[str, ...]
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], Pair]
    oracle: OracleResult
    difficulty: Mapping[int, int]
    """How many units so many systems have right."""
    all_answers: Values
    """The score of each system with each other as the key."""
    correct_answers: Values
    labels: Mapping[str, Slice]
    slices: Mapping[str, Mapping[str, Slice]]
    left_out: int
    """How many units of the gold standard are not compared, because not all systems are scored on them."""
    resampling: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    show: str | None = None
    """What units were asked for."""
    shown_units: Sequence[Unit] = ()
    top: int = 5
    """How many transitions of each class a report lists."""
    sort: str | None = None
    """How a report lists labels: by `frequency`, or by `gain`; without it, bounds by frequency, differences by size."""
    further_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of chains: all scores of each system."""
    paired: Mapping[str, Values] = field(default_factory=dict)
    """Of chains: by score, that of each response with each other as the key."""
    before: Mapping[str, float] = field(default_factory=dict)
    """The scores of systems on the gold standard as it was read, where it has overrides."""
    shared: Slice | None = None
    """Of words: how many all systems have, and the scores on these; None where no system lacks a word."""
    page: Callable[[str | Path | None], str] | None = field(default=None, repr=False, compare=False)
    """Makes a page of the same files; none for a comparison that was loaded."""

    def to_html(self, path: str | Path | None = None) -> str:
        """A page with all of it and the units themselves, written to `path` too; the files are read again."""
        if self.page is None:
            raise SettingError("A page takes the files themselves; make it with evenhand.report(gold, systems).")
        return self.page(path)

    def pair(self, before: str, after: str) -> Pair:
        try:
            return self.pairs[before, after]
        except KeyError:
            pairs = ", ".join(f"{a} and {b}" for a, b in self.pairs)
            raise KeyError(f"{before} and {after} were not compared in this order; there are {pairs}") from None

    @property
    def alike(self) -> Iterator[tuple[str, str, float]]:
        """Pairs of systems by how much they agree, the most alike first."""
        size = len(self.systems)
        rows = [(float(self.all_answers[a, b]), a, b) for a in range(size) for b in range(a + 1, size)]
        return ((self.systems[a], self.systems[b], share) for share, a, b in sorted(rows, key=lambda row: -row[0]))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        from evenhand.results.json import plain_comparison

        return plain_comparison(self)

    @staticmethod
    def from_json(source: str | Path) -> Comparison:
        """A comparison as `to_json` or `evenhand compare --as json` saved it: from a file, or from the text itself."""
        from evenhand.results.json import load_comparison

        return load_comparison(source)


# == result/report.py: A report: what `report` returns, all that one page shows.


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """Scores, ranks, differences, and the units behind them."""

    title: str
    results: Results
    ranking: Ranking
    comparison: Comparison | None
    """What changes between systems, where there are several."""
    by: str
    """What units are compared by."""
    units: Collection
    labels: tuple[str, ...]
    """The names of labels, by their codes in the units."""

    @property
    def task(self) -> str:
        return self.results.task

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found and mended, each said once."""
        further = self.comparison.notes if self.comparison is not None else ()
        return tuple(dict.fromkeys((*self.results.notes, *self.ranking.notes, *further)))

    @property
    def signature(self) -> str:
        return self.comparison.signature if self.comparison is not None else self.ranking.signature

    @property
    def ordered(self) -> Results:
        """The results, the best system first; equal ones in their own order."""
        names = sorted(self.results, key=lambda name: -self.scores[name])
        return Results({name: self.results[name] for name in names})

    @property
    def primary(self) -> str:
        """The match model that comes first: what units are compared by."""
        return self.by

    @property
    def scores(self) -> Mapping[str, float]:
        """The score of each system that systems are ordered by."""
        if self.comparison is not None:
            return self.comparison.scores
        return {name: standing.score for name, standing in self.ranking[self.primary].items()}

    @cached_property
    def fix_first(self) -> dict[str, list[ErrorGroup]]:
        """For every system the groups of errors from which most points can be gained; none where errors of another
        score are counted than units are compared by.
        """
        is_counted = model(self.task, self.by).judge.name in next(iter(self.results.values())).tallies
        return {name: result.fix_first(self.by) if is_counted else [] for name, result in self.ordered.items()}

    def to_dict(self) -> dict[str, Any]:
        """The parts in the form of their JSON; units are in the page alone."""
        found: dict[str, Any] = {"score": self.results.to_dict(), "rank": self.ranking.to_dict()}
        found["fix_first"] = {name: list(map(asdict, groups)) for name, groups in self.fix_first.items()}
        if self.comparison is not None:
            found["compare"] = self.comparison.to_dict()
        return found

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, written to `path` too, where one is given."""
        from evenhand.report.html import render

        return written(render(self), path)

    @property
    def shown(self) -> Results | Comparison:
        """What a report says as text: the scores of one system, or the comparison of several."""
        return self.results if self.comparison is None else self.comparison

    def __str__(self) -> str:
        return str(self.shown)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page."""
        from evenhand.report.notebook import framed

        return framed(self)
