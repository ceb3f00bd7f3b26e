"""Comparisons, rankings and reports of several systems: what `compare`, `rank` and `report` return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from evenhand.arrays import Count, Difference, Ints, Share, Values
from evenhand.comparison.differences import Bound
from evenhand.comparison.ranking import Clusters, Correlation, Detectable, RankInterval
from evenhand.comparison.units import Collection, Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, Skipped
from evenhand.results.display import Displayed, WithFigures, WithRows, WithTables, plain, present, written
from evenhand.results.result import GoldSummary, Results
from evenhand.tables import Query
from evenhand.tasks.evaluation import DifferencePart
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.tables import ErrorGroup

if TYPE_CHECKING:
    from evenhand.results.causes import Causes
    from evenhand.statistics.power import PowerChart
    from evenhand.tasks.chains.entity_drawing import EntityDrawing


class ResamplingInfo(TypedDict):
    """The settings of the tests and intervals of a comparison."""

    trials: Count
    resamples: Count
    few_documents: Count | None
    """As in `Ranking`."""
    interval: str
    """The method: `percentile` or `bca`."""
    level: Share
    seed: int
    of: str | None
    """What is resampled: documents or sentences; or groups, which are swapped within one document of chains."""


# Pairs of systems


class Transition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kind of change between two systems: the gold label and both predictions, with its frequency."""

    gold: str
    before: str = msgspec.field(name="from")
    after: str = msgspec.field(name="to")
    change: str = ""
    """For trees, the part that changed: `head`, `relation` or `both`."""
    count: Count
    share_of_class: Share
    share_of_differences: Share


@dataclass(frozen=True)
class Differences:
    """One class of differences: `correction`, `new_error` or `changed_error`."""

    name: str
    count: Count
    share: Share
    """The share of all differences of the pair."""
    transitions: Sequence[Transition]
    """By frequency."""
    _units: Callable[[], list[Unit]] = field(repr=False, compare=False, default=list)

    def units(self) -> list[Unit]:
        """The units with their locations and contexts; reads the files again."""
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
    """The number of documents or sentences in which the systems differ."""
    least: Share
    """The smallest p-value that this number of groups allows."""
    exact: bool = False


@dataclass(frozen=True)
class ScoreChange:
    """The difference between two systems under one measure."""

    delta: float
    significance: Significance | None
    interval: tuple[Difference, Difference] | None
    detectable: Detectable | None = None
    """Under the compared measure, if the difference is not significant."""


@dataclass(frozen=True)
class Pair:
    """Two systems and the changes from one to the other."""

    before: str
    after: str
    size: Count
    """The number of compared units."""
    different: Count
    moved: Count
    """The number of units of the same class with other bounds or another antecedent, which are not differences."""
    delta: float
    """The difference of the scores."""
    classes: Mapping[str, Differences]
    significance: Significance | None = None
    mcnemar: Share | None = None
    """The p-value of McNemar's exact test, for words."""
    interval: tuple[Difference, Difference] | None = None
    detectable: Detectable | None = None
    """What the test set can show, if the difference is not significant."""
    further: Mapping[str, ScoreChange] = field(default_factory=dict)
    """For chains: the change of each score."""
    parts: Mapping[str, Sequence[DifferencePart]] = field(default_factory=dict)
    """For chains: by measure, the parts that its change consists of."""

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
        """The units of a class (`correction`, `new_error`, `changed_error`); reads the files again."""
        return self.classes[kind].units()

    def query(self, change: str | None = None, **filters: Any) -> Query:
        """The query for units that the two systems treat differently, or for one class of differences."""
        return Query(from_=self.before, to=self.after, change=change, different=None if change else True, **filters)

    def saved(self, resampling: ResamplingInfo) -> dict[str, Any]:
        return {
            "from": self.before,
            "to": self.after,
            "units": self.size,
            "different": self.different,
            "difference": self.difference,
            "delta": self.delta,
            "classes": {
                name: {"count": units.count, "share": units.share, "transitions": units.transitions}
                for name, units in self.classes.items()
            },
            # words are right or wrong, so none of them has moved
            **({"moved": self.moved} if self.mcnemar is None else {}),
            **_saved_test(self, resampling),
            **present(detectable=self.detectable),
            **({} if self.mcnemar is None else {"mcnemar": {"p": self.mcnemar}}),
            **present(
                further={
                    name: {"delta": change.delta, **_saved_test(change, resampling)}
                    for name, change in self.further.items()
                },
                parts=self.parts,
            ),
        }


def _saved_test(change: Pair | ScoreChange, resampling: ResamplingInfo) -> dict[str, Any]:
    interval = _saved_interval(change.interval, of="delta", kind=resampling["interval"], level=resampling["level"])
    return present(significance=change.significance, interval=interval)


def _saved_interval(bounds: tuple[float, float] | None, **more: Any) -> dict[str, Any] | None:
    return None if bounds is None else {**more, "low": bounds[0], "high": bounds[1]}


# Rankings


@dataclass(frozen=True, repr=False)
class Ranking(Displayed, WithRows, WithFigures, WithTables):
    """Systems under several measures: `ranking["ts"]["florian"].rank`."""

    name: str
    """The gold standard, or `average` over several data sets."""
    standings: Mapping[str, Mapping[str, RankInterval]]
    correlations: Sequence[Correlation]
    level: Share
    resamples: Count
    seed: int
    groups: str | None
    """The resampled groups: documents or sentences; None if nothing can be resampled."""
    signature: str
    notes: tuple[str, ...] = ()
    task: str = "spans"
    data_sets: Mapping[str, Ranking] | None = None
    """The rankings of an average, by data set."""
    clusters: Clusters | None = None
    """Clusters of significance under the first measure; None if nothing was tested."""
    skipped: Mapping[str, Skipped] = field(default_factory=dict)
    """Systems that could not be scored, with the problem of each."""
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By measure, the scores on the gold standard without overrides, if it has overrides."""
    few_documents: Count | None = None
    """The maximum number of documents in which two systems differ, if too few for a test: sentences are resampled."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.standings)

    @property
    def shown_models(self) -> tuple[str, ...]:
        """The measures of tables: of two counterparts, the one of the same kind as the first measure.

        The counterpart of the first measure is included if it gives a system another score.
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
        """By rank under the first measure, then by name; systems without a rank last."""
        first = self.standings[self.models[0]]
        return tuple(sorted(first, key=lambda system: (first[system].rank or inf, system)))

    def __getitem__(self, model: str) -> Mapping[str, RankInterval]:
        try:
            return self.standings[model]
        except KeyError:
            raise KeyError(f"no measure {model!r} was ranked; there are {', '.join(self.models)}") from None

    def __iter__(self) -> Iterator[str]:
        """The names of the measures."""
        return iter(self.standings)

    def __contains__(self, model: object) -> bool:
        return model in self.standings

    def cluster(self, model: str, system: str) -> str | None:
        """The letter of a system's cluster; None if nothing was tested under the measure."""
        return self.clusters[system] if self.clusters is not None and self.clusters.model == model else None

    def saved(self) -> dict[str, Any]:
        data_sets = {name: ranking._figures() for name, ranking in (self.data_sets or {}).items()}
        return {"command": "rank", **self._figures(), **present(data_sets=data_sets)}

    @staticmethod
    def from_json(source: str | Path) -> Ranking:
        """Load a ranking that `to_json` or `evenhand rank --as json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_ranking

        return load_ranking(source)

    def _figures(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "signature": self.signature,
            "notes": self.notes,
            "name": self.name,
            "models": self.models,
            "resampling": {
                "resamples": self.resamples,
                "of": self.groups,
                "few_documents": self.few_documents,
                "level": self.level,
                "seed": self.seed,
            },
            "systems": [
                {"name": system, "standings": {model: _saved_rank(self[model][system]) for model in self.models}}
                for system in self.systems
            ],
            "correlations": self.correlations,
            "clusters": self.clusters,
            "skipped": [reason.saved(name) for name, reason in self.skipped.items()],
            **present(before=self.before),
        }


def _saved_rank(standing: RankInterval) -> dict[str, Any]:
    return {**asdict(standing), "interval": _saved_interval(standing.interval)}


# Comparisons


@dataclass(frozen=True)
class OracleResult:
    """Upper bounds for a combination of the systems."""

    overall: Bound
    labels: Mapping[str, Bound]
    """By gold label, the most frequent first."""
    sentences: Bound
    best: int
    """The index of the system that is best overall."""
    exact: Mapping[str, float] | None = None
    """For spans, the bounds of precision, recall and F1 under exact match."""

    def saved(self, systems: Sequence[str]) -> dict[str, Any]:
        def saved_bound(bound: Bound) -> dict[str, Any]:
            return {
                "units": bound.units,
                "systems": dict(zip(systems, bound.scores, strict=True)),
                "upper_bound": bound.upper_bound,
                "gain": bound.gain(self.best),
                "gain_over_best": bound.gain_over_best,
            }

        return {
            "overall": saved_bound(self.overall),
            "sentences": saved_bound(self.sentences),
            "labels": {label: saved_bound(bound) for label, bound in self.labels.items()},
            **present(exact=self.exact),
        }


class Slice(msgspec.Struct, frozen=True):
    """A subset of the units: the number of gold units in it, and each system's score on it."""

    units: Count
    scores: Mapping[str, Share] = msgspec.field(name="systems")


@dataclass(frozen=True, repr=False)
class Comparison(Displayed, WithRows, WithFigures, WithTables):
    """Several systems on the same units: `comparison.pair("elmo", "flair").corrections`."""

    gold: GoldSummary
    task: str
    by: str
    """The measure: `accuracy`, `las`, `uas`, `ls`, `fair`, `exact`, `arcs_any` or `arcs_nom`."""
    systems: tuple[str, ...]
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], Pair]
    oracle: OracleResult
    difficulty: Mapping[Count, Count]
    """Numbers of units, by how many systems predict them correctly."""
    all_answers: Values
    """The score of each system with each other system as the reference."""
    correct_answers: Values
    labels: Mapping[str, Slice]
    slices: Mapping[str, Mapping[str, Slice]]
    left_out: Count
    """The number of gold units that are not compared because not all systems are scored on them."""
    resampling: ResamplingInfo
    signature: str
    notes: tuple[str, ...] = ()
    show: str | None = None
    """The requested kind of units."""
    shown_units: tuple[Unit, ...] = ()
    top: Count = 5
    """The maximum number of transitions per class in a report."""
    sort: str | None = None
    """The order of labels in a report: by `frequency` or `gain`; None: bounds by frequency, differences by size."""
    further_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For chains: all scores of each system."""
    paired: Mapping[str, Values] = field(default_factory=dict)
    """For chains: by measure, the score of each response with each other response as the key."""
    before: Mapping[str, float] = field(default_factory=dict)
    """The scores on the gold standard without overrides, if it has overrides."""
    shared: Slice | None = None
    """For words: the words that all systems have; None if no system lacks a word."""
    skipped: Mapping[str, Skipped] = field(default_factory=dict)
    """Systems that could not be scored, with the problem of each."""
    page: Callable[[str | Path | None], str] | None = field(default=None, repr=False, compare=False)
    """Renders the page from the same files; None for a saved comparison."""

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a page with all figures and units, and write it to `path`, if given; reads the files again."""
        if self.page is None:
            raise SettingError("A page needs the files themselves; make it with evenhand.report(gold, systems).")
        return self.page(path)

    def pair(self, before: str, after: str) -> Pair:
        try:
            return self.pairs[before, after]
        except KeyError:
            pairs = ", ".join(f"{a} and {b}" for a, b in self.pairs)
            raise KeyError(f"{before} and {after} were not compared in this order; there are {pairs}") from None

    @property
    def alike(self) -> Iterator[tuple[str, str, float]]:
        """Pairs of systems and their agreement, the most similar first."""
        size = len(self.systems)
        rows = [(float(self.all_answers[a, b]), a, b) for a in range(size) for b in range(a + 1, size)]
        return ((self.systems[a], self.systems[b], share) for share, a, b in sorted(rows, key=lambda row: -row[0]))

    def saved(self) -> dict[str, Any]:
        gold, further = self.gold, self.further_scores
        return {
            "command": "compare",
            "task": self.task,
            "by": self.by,
            "signature": self.signature,
            "notes": self.notes,
            "gold": {
                "name": gold.name,
                **gold.sizes(),
                "left_out": self.left_out,
                "labels": gold.labels,
                **present(chains=gold.chains),
            },
            "systems": self.systems,
            "scores": {name: {self.by: score, **further.get(name, {})} for name, score in self.scores.items()},
            "pairs": [pair.saved(self.resampling) for pair in self.pairs.values()],
            "oracle": self.oracle.saved(self.systems),
            "difficulty": self.difficulty,
            "agreement": {
                "all": self.all_answers.tolist(),
                "correct": self.correct_answers.tolist(),
                **present(paired={name: table.tolist() for name, table in self.paired.items()}),
            },
            "labels": self.labels,
            "slices": self.slices,
            "units": self.shown_units,
            "resampling": self.resampling,
            "report": {"show": self.show, "top": self.top, "sort": self.sort},
            "reading": gold.reading,
            **present(
                before=self.before,
                shared=self.shared,
                skipped=[reason.saved(name) for name, reason in self.skipped.items()] or None,
            ),
        }

    @staticmethod
    def from_json(source: str | Path) -> Comparison:
        """Load a comparison that `to_json` or `evenhand compare --as json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_comparison

        return load_comparison(source)


# Reports


@dataclass(frozen=True, repr=False)
class Report(Displayed):
    """The content of one page: scores, ranks, differences, and their units."""

    title: str
    results: Results
    ranking: Ranking
    comparison: Comparison | None
    """The changes between systems, if there are several."""
    by: str
    """The measure that units are compared by."""
    units: Collection
    labels: tuple[str, ...]
    """The names of labels; units refer to them by index."""
    slices: Mapping[str, tuple[Sequence[str], Ints]] = field(default_factory=dict)
    """By slicing, the names of slices, and the slice of each value; units have the values."""
    page_slices: tuple[str, ...] = ()
    """Those of them that every page of the task has; the results lack them if they have too few or too many slices."""
    causes: Mapping[str, Causes] = field(default_factory=dict)
    """The slices in which a system has significantly more errors, by system; of the best systems."""
    attributes: Mapping[str, tuple[Sequence[str], Ints]] = field(default_factory=dict)
    """The attributes of these slices, like `slices`; units have their values after those of slices."""
    power: PowerChart | None = None
    """What the test set can show of the best two systems; None if nothing was tested, or it cannot be estimated."""
    drawn: EntityDrawing | None = None
    """For chains compared as entities: their documents, as a page draws them."""

    @property
    def task(self) -> str:
        return self.results.task

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings and repairs, without repetitions."""
        further = self.comparison.notes if self.comparison is not None else ()
        return tuple(dict.fromkeys((*self.results.notes, *self.ranking.notes, *further)))

    @property
    def signature(self) -> str:
        return self.comparison.signature if self.comparison is not None else self.ranking.signature

    @property
    def ordered(self) -> Results:
        """The results, the best system first; ties in the order of the input."""
        return Results({name: self.results[name] for name in sorted(self.results, key=lambda name: -self.scores[name])})

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores that systems are ordered by."""
        if self.comparison is not None:
            return self.comparison.scores
        return {name: standing.score for name, standing in self.ranking[self.by].items()}

    @cached_property
    def fix_first(self) -> dict[str, list[ErrorGroup]]:
        """For every system, the groups of errors with the largest gain if they were fixed.

        The lists are empty if the scorer of `by` did not run.
        """
        is_counted = declared_model(self.task, self.by).scorer.name in next(iter(self.results.values())).tallies
        return {name: result.fix_first(self.by) if is_counted else [] for name, result in self.ordered.items()}

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the parts; only the page has the units."""
        compared = None if self.comparison is None else self.comparison.to_dict()
        saved = {"score": self.results.to_dict(), "rank": self.ranking.to_dict(), "fix_first": plain(self.fix_first)}
        return {**saved, **present(compare=compared)}

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the page, and write it to `path`, if given."""
        from evenhand.report.html import render

        return written(render(self), path)

    def methods(self) -> str:
        """One paragraph for a paper, as LaTeX, followed by the BibTeX entries that it cites."""
        return self.ranking.methods() if self.comparison is None else self.comparison.methods()

    @property
    def shown(self) -> Results | Comparison:
        """The text form: the scores of one system, or the comparison of several."""
        return self.results if self.comparison is None else self.comparison

    def __str__(self) -> str:
        return str(self.shown)

    def _repr_html_(self) -> str:
        """The page, for notebooks."""
        from evenhand.report.notebook import framed

        return framed(self)
