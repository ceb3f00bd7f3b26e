"""Saved results as they were: reads what `to_json` and `--as json` wrote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct, convert, field, to_builtins
from msgspec.structs import asdict as asdict_structs

from evenhand.arrays import MOST, Count, Difference, Share, Values
from evenhand.comparison.differences import CLASSES, Bound
from evenhand.comparison.ranking import Clusters, Correlation, RankInterval
from evenhand.comparison.units import SavedUnit, Unit
from evenhand.data.annotation import ReadInfo
from evenhand.errors import InputError, SettingError, counted
from evenhand.grounding.grounder import BOUND, COUNTS, GroundingCounts, Listed
from evenhand.parameters import Parameter, check_file, check_path
from evenhand.registry import load
from evenhand.results.agreement import Agreement, Figures
from evenhand.results.comparison import (
    Comparison,
    Differences,
    OracleResult,
    Pair,
    Ranking,
    ScoreChange,
    Significance,
    Slice,
    Transition,
)
from evenhand.results.result import GoldSummary, Result, Results, chains, defined, plain, sizes, undefined
from evenhand.scoring.measure import Formula
from evenhand.scoring.prf import contingency, prf
from evenhand.scoring.scores import Average, MeasureScore, Row, Sentences, averages, measured_row
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, model, model_names, models_of, parameters_of, without_overrides
from evenhand.version import __version__

# == result/schema.py: What saved scores look like: the JSON contract as types, by


Number = int | float
"""A count, which stays whole where it was."""
SavedRow = dict[str, Number | None]
"""Counts and scores of one row, by name."""


class SavedHead(Struct):
    """What all saved results begin with."""

    evenhand: str
    command: str
    task: str | None = None


class SavedGold(Struct):
    name: str
    documents: Count
    sentences: Count
    tokens: Count | None
    characters: Count | None
    units: Count
    labels: dict[str, Count]
    chains: Count | None = None
    left_out: Count = 0

    def gold(self, reading: ReadInfo) -> GoldSummary:
        sizes = self.documents, self.sentences, self.tokens, self.characters, self.units
        return GoldSummary(self.name, *sizes, self.labels, reading, self.chains)


class SavedScore(Struct):
    """One match model of one system. What a model does not have is not there."""

    overall: SavedRow
    macro: SavedRow | None = None
    support: SavedRow | None = None
    labels: dict[str, SavedRow] = {}
    parts: dict[str, SavedRow] = {}
    supertags: dict[str, SavedRow] = {}
    distances: dict[str, SavedRow] = {}
    baselines: dict[str, Share | None] = {}
    sentences: Sentences | None = None
    confusion: dict[str, dict[str, Number]] | None = None
    edges: dict[str, dict[str, Number]] | None = None
    further: dict[str, dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for table in (self.confusion, self.edges):
            if any(count < 0 for row in (table or {}).values() for count in row.values()):
                raise ValueError("a count of errors is negative")


class SavedGrounding(Struct):
    """What became of the strings of a language model; counts that an earlier version lacks are 0."""

    labels: dict[str, Count]
    upper_bound: dict[str, Number | str | None]
    listed: list[dict[str, str]]


class SavedSystem(Struct):
    name: str
    units: Count
    labels: dict[str, Count]
    scores: dict[str, SavedScore]
    signature: str
    notes: tuple[str, ...]
    reading: ReadInfo
    chains: Count | None = None
    grounding: dict[str, Any] | None = None
    before: dict[str, SavedScore] = {}

    def grounded(self) -> GroundingCounts | None:
        """What became of the strings of a language model, if it is one."""
        if self.grounding is None:
            return None
        found = convert(self.grounding, SavedGrounding)
        counts = convert({name: self.grounding.get(name, 0) for name in COUNTS}, dict[str, Count])
        bound = convert({name: found.upper_bound[name] for name in BOUND}, dict[str, Count])
        listed = [Listed(**each) for each in found.listed]
        return GroundingCounts(Counter(counts), Counter(found.labels), listed, Counter(bound))


class SavedResults(Struct):
    settings: dict[str, Any]
    gold: SavedGold
    reading: ReadInfo
    systems: list[SavedSystem]
    weights: dict[str, tuple[Number, Number, Number]] = {}
    """Where earlier versions saved those of the model `weighted`."""


class SavedInterval(Struct):
    low: Difference
    high: Difference

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"an interval runs from {self.low:g} down to {self.high:g}")


def bounds(saved: SavedInterval | None) -> tuple[float, float] | None:
    return None if saved is None else (saved.low, saved.high)


# == result/load_scores.py: Scores from a saved result. Counts and scores are taken as t


_NEAR = ("close", "missed")
"""Counts of `ts` and `t` that are made only where nothing is resampled."""
_LEAST = {"kappa": -MOST}
"""The scores that may be below 0."""
_CONTINGENCY = tuple(contingency(dict.fromkeys(("TP", "FP", "FN", "TN"), np.zeros(1))))


class NoTallies(Mapping[str, Tally]):
    """The tallies of a saved result, which holds sums alone."""

    def _refuse(self, *_: object) -> NoReturn:
        raise SettingError("A saved result has no tallies, which are counts by group; score the files again.")

    __getitem__ = __iter__ = __len__ = _refuse

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoTallies)

    __hash__ = None  # type: ignore[assignment]


def results_of(saved: SavedResults) -> Results:
    gold = saved.gold.gold(saved.reading)
    settings = settings_of(saved.settings | ({"weights": {"mixtures": saved.weights}} if saved.weights else {}))
    found = {system.name: _result(system, gold, settings) for system in saved.systems}
    if not found or len(found) < len(saved.systems):
        raise ValueError("systems need names of their own, and there must be one at least")
    return Results(found)


def settings_of(saved: Mapping[str, Any]) -> ScoreSettings:
    """The settings of a saved result, also of one that an earlier version saved."""
    common = msgspec.convert(saved, ScoreSettings)
    if common.task not in TASKS:
        raise ValueError(f"there is no task {common.task!r}")
    given = {parameter.name: _parameter(parameter, saved) for parameter in parameters_of(common.task)}
    return replace(common, match=model_names(common.task, common.match), parameters=given)


def _parameter(parameter: Parameter, saved: Mapping[str, Any]) -> Any:
    """The value of a parameter, under its name or one that it had; the default where it was not saved."""
    names = (*parameter.names, parameter.signature_key)
    name = next((name for name in names if name in saved), None)
    if name is None:
        return parameter.default
    stored = parameter.conversion.stored
    if stored is not None:
        stored = load(stored) if isinstance(stored, str) else stored
        return msgspec.convert(saved[name], stored | None if parameter.allowed.optional else stored)
    return parameter.value(saved[name])


def _result(saved: SavedSystem, gold: GoldSummary, settings: ScoreSettings) -> Result:
    if set(saved.scores) != set(settings.match):
        raise ValueError(f"the scores of {saved.name} are not those of its settings")
    scores = _scores_of(saved.scores, gold, settings)
    return Result(
        name=saved.name,
        gold=gold,
        units=saved.units,
        labels=saved.labels,
        scores=scores,
        signature=saved.signature,
        settings=settings,
        reading=saved.reading,
        notes=saved.notes,
        tallies=NoTallies(),
        models=tuple(score.model for score in scores.values()),
        chains=saved.chains,
        grounding=saved.grounded(),
        before=_scores_of(saved.before, gold, without_overrides(settings)),
    )


def _scores_of(saved: Mapping[str, SavedScore], gold: GoldSummary, settings: ScoreSettings) -> dict[str, MeasureScore]:
    return {name: _score(model(settings.task, name).prepare(settings), each, gold) for name, each in saved.items()}


def _score(model: Formula, saved: SavedScore, gold: GoldSummary) -> MeasureScore:
    model = model.without(*(name for name in _NEAR if name not in saved.overall))
    labels = _rows(model.of_labels(), saved.labels)
    macro, support = averages(labels, gold.labels)
    return MeasureScore(
        model,
        _overall(model, saved),
        macro if saved.macro is None else Average(*_scores(saved.macro)),
        support if saved.support is None else Average(*_scores(saved.support)),
        labels,
        saved.confusion,
        saved.edges,
        _rows(model.of_labels(), saved.supertags),
        saved.baselines,
        saved.sentences,
        _rows(model, saved.distances),
        saved.further,
    )


def _overall(model: Formula, saved: SavedScore) -> Row:
    """The row of all labels; an accuracy is all that was saved of tokens."""
    if model.details == "accuracy":
        correct, tokens = _number(saved.overall, "correct"), _number(saved.overall, "tokens")
        if correct > tokens:
            raise ValueError(f"{correct:g} of {tokens:g} tokens are correct")
        is_undefined = "accuracy" in saved.overall and saved.overall["accuracy"] is None
        scores = [nan] * 4 if is_undefined else map(float, prf(correct, tokens, correct, tokens, model.beta))
        precision, recall, f1, f_beta = scores
        return Row(precision, recall, f1, f_beta, {name: saved.overall[name] for name in model.counts})
    return _row(model, saved.overall, {part.name: _row(part, saved.parts[part.name]) for part in model.parts})


def _rows(model: Formula, saved: Mapping[str, SavedRow]) -> dict[str, Row]:
    return {name: _row(model, row) for name, row in saved.items()}


def _row(model: Formula, saved: SavedRow, parts: Mapping[str, Row] | None = None) -> Row:
    """Counts and scores; some may be unknown, such as true negatives and what follows from them."""
    nullable = {"TN", *model.known}
    counts = {name: None if name in nullable and saved[name] is None else _number(saved, name) for name in model.counts}
    further = _CONTINGENCY if model.contingency else ()
    more = {name: None if saved[name] is None else _share(saved, name, _LEAST.get(name, 0)) for name in further}
    for measure in model.measures:
        if saved[measure.name] is None:
            more[measure.name] = None if measure.name in nullable else nan
        else:
            more[measure.name] = float(_number(saved, measure.name, 0, MOST if measure.is_share else inf))
    if model.is_measured:
        return measured_row(counts, more)
    return Row(*_scores(saved), counts, more, parts or {})


def _scores(saved: SavedRow) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and F-beta, which is F1 where it was not saved; all undefined, or none."""
    if all(name in saved and saved[name] is None for name in ("precision", "recall", "f1")):
        return nan, nan, nan, nan
    precision, recall, f1 = (_share(saved, name) for name in ("precision", "recall", "f1"))
    return precision, recall, f1, _share(saved, "f_beta") if "f_beta" in saved else f1


def _share(saved: SavedRow, name: str, least: float = 0) -> float:
    """A score, or a part of a whole."""
    return float(_number(saved, name, least, MOST))


def _number(saved: SavedRow, name: str, least: float = 0, most: float = inf) -> float:
    """A number within these bounds; without any, a count."""
    found = saved[name]
    if found is None:
        raise ValueError(f"{name} is null")
    if not least <= found <= most:
        raise ValueError(f"{name} is {found:g}")
    return found


# == result/saved_pairs.py: What the pairs of a saved comparison look like: how they are


UnitsByClass = Mapping[tuple[tuple[str, str] | None, str], list[Unit]]
"""The units that were asked for, by pair and class of difference."""


class SavedTransition(Struct, kw_only=True, omit_defaults=True):
    gold: str
    before: str = field(name="from")
    after: str = field(name="to")
    change: str = ""
    count: Count
    share_of_class: Share
    share_of_differences: Share


class SavedClass(Struct):
    count: Count
    share: Share
    transitions: list[SavedTransition]


class SavedP(Struct):
    p: Share


class SavedChange(Struct):
    """The difference under one score."""

    delta: Difference | None
    significance: Significance | None = None
    interval: SavedInterval | None = None


class SavedPair(Struct):
    before: str = field(name="from")
    after: str = field(name="to")
    units: Count
    different: Count
    delta: Difference | None
    classes: dict[str, SavedClass]
    moved: Count = 0
    significance: Significance | None = None
    interval: SavedInterval | None = None
    mcnemar: SavedP | None = None
    further: dict[str, SavedChange] = {}


def plain_pair(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    found: dict[str, Any] = {
        "from": pair.before,
        "to": pair.after,
        "units": pair.size,
        "different": pair.different,
        "difference": pair.difference,
        "delta": defined(pair.delta),
        "classes": {
            name: to_builtins(convert(each, SavedClass, from_attributes=True)) for name, each in pair.classes.items()
        },
    }
    if pair.mcnemar is None:  # a unit that is right or wrong has not moved
        found["moved"] = pair.moved
    found |= _tested(comparison, pair)
    if pair.mcnemar is not None:
        found["mcnemar"] = {"p": pair.mcnemar}
    if pair.further:
        found["further"] = {
            name: {"delta": defined(each.delta), **_tested(comparison, each)} for name, each in pair.further.items()
        }
    return found


def _tested(comparison: Comparison, found: Pair | ScoreChange) -> dict[str, Any]:
    """The test and the interval of a difference, as far as they were made."""
    tested: dict[str, Any] = {}
    if found.significance is not None:
        tested["significance"] = asdict(found.significance)
    if found.interval is not None:
        low, high = found.interval
        level, kind = comparison.resampling["level"], comparison.resampling["interval"]
        tested["interval"] = {"of": "delta", "kind": kind, "level": level, "low": low, "high": high}
    return tested


def pair_of(saved: SavedPair, systems: Mapping[str, float], units: UnitsByClass, models: Sequence[str]) -> Pair:
    """The pair, of these systems with their scores, with the units that were saved and the scores of these models."""
    unknown = {saved.before, saved.after} - systems.keys()
    if unknown:
        raise KeyError(min(unknown))
    return Pair(
        saved.before,
        saved.after,
        saved.units,
        saved.different,
        saved.moved,
        undefined(saved.delta),
        {name: _class(name, saved, units) for name in CLASSES},
        saved.significance,
        None if saved.mcnemar is None else saved.mcnemar.p,
        bounds(saved.interval),
        {name: _change(saved.further[name]) for name in models},
    )


def _change(saved: SavedChange) -> ScoreChange:
    return ScoreChange(undefined(saved.delta), saved.significance, bounds(saved.interval))


def _class(name: str, pair: SavedPair, units: UnitsByClass) -> Differences:
    found, own = pair.classes[name], units.get(((pair.before, pair.after), name), [])
    transitions = convert(found.transitions, list[Transition], from_attributes=True)
    return Differences(name, found.count, found.share, transitions, partial(_units, name, own, found.count))


def _units(kind: str, saved: list[Unit], count: int) -> list[Unit]:
    """The units of a class, if all of them were saved; else there are no files to look for them."""
    if len(saved) < count:
        few = f"{len(saved):,} of these {counted(count, 'unit')} were saved"
        raise SettingError(f"{few}; compare the files again, with show={kind!r} and no limit to save them all.")
    return list(saved)


# == result/saved_comparison.py: What a saved comparison looks like: how it is written, and t


class SavedBound(Struct):
    units: Count
    systems: dict[str, Share | None]
    upper_bound: Share | None

    def bound(self, systems: Sequence[str]) -> Bound:
        """Shares of units as counts; what is rounded away is the error of two roundings, far below a half."""
        right = tuple(round((self.systems[name] or 0) * self.units) for name in systems)
        return Bound(self.units, right, round((self.upper_bound or 0) * self.units))


class SavedOracle(Struct):
    overall: SavedBound
    sentences: SavedBound
    labels: dict[str, SavedBound]
    exact: dict[str, Share | None] | None = None


class SavedAgreement(Struct):
    all: list[list[Share]]
    correct: list[list[Share]]
    paired: dict[str, list[list[Share]]] = {}


class SavedSlice(Struct):
    units: Count
    systems: dict[str, Share]


class SavedTests(Struct):
    """How the tests and intervals of a comparison were made."""

    trials: Count
    resamples: Count
    interval: str
    level: Share
    seed: int
    of: str | None
    few_documents: Count | None = None


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
    reading: ReadInfo
    systems: tuple[str, ...]
    scores: dict[str, dict[str, Share | None]]
    pairs: list[SavedPair]
    oracle: SavedOracle
    difficulty: dict[Count, Count]
    agreement: SavedAgreement
    labels: dict[str, SavedSlice]
    slices: dict[str, dict[str, SavedSlice]]
    units: list[SavedUnit]
    resampling: SavedTests
    report: SavedView
    before: dict[str, Share | None] = {}
    shared: SavedSlice | None = None


def plain_comparison(comparison: Comparison) -> dict[str, Any]:
    gold = comparison.gold
    agreement = {"all": comparison.all_answers.tolist(), "correct": comparison.correct_answers.tolist()}
    paired = {name: table.tolist() for name, table in comparison.paired.items()}
    return {
        "evenhand": __version__,
        "command": "compare",
        "task": comparison.task,
        "by": comparison.by,
        "signature": comparison.signature,
        "notes": list(comparison.notes),
        "gold": {
            "name": gold.name,
            **sizes(gold),
            "left_out": comparison.left_out,
            "labels": dict(gold.labels),
            **chains(gold.chains),
        },
        "systems": list(comparison.systems),
        "scores": {
            name: _plain_scores({comparison.by: score, **comparison.further_scores.get(name, {})})
            for name, score in comparison.scores.items()
        },
        "pairs": [plain_pair(comparison, pair) for pair in comparison.pairs.values()],
        "oracle": _plain_oracle(comparison),
        "difficulty": {str(number): units for number, units in comparison.difficulty.items()},
        "agreement": agreement | ({"paired": paired} if paired else {}),
        "labels": _plain_slices(comparison.labels),
        "slices": {name: _plain_slices(found) for name, found in comparison.slices.items()},
        "units": [unit.to_dict() for unit in comparison.shown_units],
        "resampling": dict(comparison.resampling),
        "report": {"show": comparison.show, "top": comparison.top, "sort": comparison.sort},
        "reading": plain(gold.reading),
        **({"before": _plain_scores(comparison.before)} if comparison.before else {}),
        **({} if comparison.shared is None else {"shared": _plain_slice(comparison.shared)}),
    }


def _plain_scores(scores: Mapping[str, float]) -> dict[str, float | None]:
    return {name: defined(score) for name, score in scores.items()}


def _plain_oracle(comparison: Comparison) -> dict[str, Any]:
    oracle = comparison.oracle

    def plain_bound(bound: Bound) -> dict[str, Any]:
        return {
            "units": bound.units,
            "systems": _plain_scores(dict(zip(comparison.systems, bound.scores, strict=True))),
            "upper_bound": defined(bound.upper_bound),
            "gain": defined(bound.gain(oracle.best)),
            "gain_over_best": defined(bound.gain_over_best),
        }

    found: dict[str, Any] = {"overall": plain_bound(oracle.overall), "sentences": plain_bound(oracle.sentences)}
    found["labels"] = {label: plain_bound(bound) for label, bound in oracle.labels.items()}
    return found if oracle.exact is None else {**found, "exact": _plain_scores(oracle.exact)}


def _plain_slices(slices: Mapping[str, Slice]) -> dict[str, Any]:
    return {value: _plain_slice(each) for value, each in slices.items()}


def _plain_slice(found: Slice) -> dict[str, Any]:
    return {"units": found.units, "systems": dict(found.scores)}


def comparison_of(saved: SavedComparison) -> Comparison:
    systems = saved.systems
    scores = {name: undefined(saved.scores[name][saved.by]) for name in systems}
    if len(scores) < len(systems) or not saved.pairs:
        raise ValueError("systems need names of their own, and there must be a pair of them")
    units, models = [each.unit(systems) for each in saved.units], _models(saved)
    shown: dict[tuple[tuple[str, str] | None, str], list[Unit]] = {}
    for unit in units:
        shown.setdefault((unit.pair, unit.kind), []).append(unit)
    return Comparison(
        gold=saved.gold.gold(saved.reading),
        task=saved.task,
        by=saved.by,
        systems=systems,
        scores=scores,
        pairs={(pair.before, pair.after): pair_of(pair, scores, shown, models) for pair in saved.pairs},
        oracle=_oracle(saved.oracle, scores),
        difficulty=saved.difficulty,
        all_answers=_matrix(saved.agreement.all, len(systems)),
        correct_answers=_matrix(saved.agreement.correct, len(systems)),
        labels=_slices(saved.labels, systems),
        slices={name: _slices(found, systems) for name, found in saved.slices.items()},
        left_out=saved.gold.left_out,
        resampling=asdict_structs(saved.resampling),
        signature=saved.signature,
        notes=saved.notes,
        show=saved.report.show,
        shown_units=tuple(units),
        top=saved.report.top,
        sort=saved.report.sort,
        further_scores={
            name: {model: undefined(saved.scores[name][model]) for model in models} for name in systems if models
        },
        paired={name: _matrix(table, len(systems)) for name, table in saved.agreement.paired.items()},
        before={name: undefined(saved.before[name]) for name in systems if saved.before},
        shared=None if saved.shared is None else _slice(saved.shared, systems),
    )


def _oracle(saved: SavedOracle, scores: Mapping[str, float]) -> OracleResult:
    systems = list(scores)
    return OracleResult(
        saved.overall.bound(systems),
        {label: bound.bound(systems) for label, bound in saved.labels.items()},
        saved.sentences.bound(systems),
        max(range(len(systems)), key=lambda number: scores[systems[number]]),
        None if saved.exact is None else {name: undefined(value) for name, value in saved.exact.items()},
    )


def _slices(saved: Mapping[str, SavedSlice], systems: Iterable[str]) -> dict[str, Slice]:
    return {value: _slice(each, systems) for value, each in saved.items()}


def _slice(saved: SavedSlice, systems: Iterable[str]) -> Slice:
    return Slice(saved.units, {name: saved.systems[name] for name in systems})


def _matrix(rows: list[list[float]], size: int) -> Values:
    table: Values = np.array(rows, dtype=np.float64).reshape(size, size)
    return table


def _models(saved: SavedComparison) -> list[str]:
    """The further scores, in the order in which reports list them."""
    known = saved.scores[saved.systems[0]]
    further = any(pair.further for pair in saved.pairs)
    return [model.name for model in models_of(saved.task) if model.name in known] if further else []


# == result/saved_ranking.py: What a saved ranking looks like, and the ranking that it hol


class SavedStanding(Struct):
    score: Share | None
    rank: Annotated[int, Meta(ge=1)] | None
    change: int
    interval: SavedInterval | None


class SavedRanked(Struct):
    name: str
    standings: dict[str, SavedStanding]


class SavedResampling(Struct):
    resamples: Count
    of: str | None
    level: Share
    seed: int
    few_documents: Count | None = None


class SavedSkipped(Struct):
    name: str
    reason: str


class SavedRanking(Struct):
    task: str
    signature: str
    notes: tuple[str, ...]
    name: str
    models: list[str]
    resampling: SavedResampling
    systems: list[SavedRanked]
    correlations: list[Correlation]
    data_sets: dict[str, SavedRanking] | None = None
    clusters: Clusters | None = None
    skipped: list[SavedSkipped] = []
    before: dict[str, dict[str, Share | None]] = {}


def ranking_of(saved: SavedRanking) -> Ranking:
    standings = {
        model: {system.name: _standing(system.standings[model]) for system in saved.systems} for model in saved.models
    }
    if not standings or any(len(standing) != len(saved.systems) or not standing for standing in standings.values()):
        raise ValueError("systems need names of their own, and there must be one at least, under one model at least")
    clusters = saved.clusters
    if clusters is not None and (
        clusters.model not in standings or {*clusters.systems} != {*standings[clusters.model]}
    ):
        raise ValueError("clusters must be under a model that was ranked, and have every system")
    made, data_sets = saved.resampling, saved.data_sets
    return Ranking(
        saved.name,
        standings,
        saved.correlations,
        made.level,
        made.resamples,
        made.seed,
        made.of,
        saved.signature,
        saved.notes,
        saved.task,
        None if data_sets is None else {name: ranking_of(each) for name, each in data_sets.items()},
        clusters,
        {each.name: each.reason for each in saved.skipped},
        {
            model: {system.name: undefined(saved.before[model][system.name]) for system in saved.systems}
            for model in saved.before
        },
        made.few_documents,
    )


def _standing(saved: SavedStanding) -> RankInterval:
    return RankInterval(undefined(saved.score), saved.rank, saved.change, bounds(saved.interval))


# == result/load.py (primary)


Saved = TypeVar("Saved")
Loaded = TypeVar("Loaded")
_LOADED_BY = {
    "score": "Results.from_json",
    "rank": "Ranking.from_json",
    "compare": "Comparison.from_json",
    "agree": "Agreement.from_json",
}


def load_result(source: str | Path) -> Result:
    """The only result there is."""
    results = load_results(source)
    if len(results) > 1:
        many = f"the results of {len(results)} systems ({', '.join(results)})"
        raise SettingError(f"There are {many} in it; load them with Results.from_json.")
    return next(iter(results.values()))


def load_results(source: str | Path) -> Results:
    return _load(source, "score", SavedResults, results_of)


def load_ranking(source: str | Path) -> Ranking:
    return _load(source, "rank", SavedRanking, ranking_of)


def load_comparison(source: str | Path) -> Comparison:
    return _load(source, "compare", SavedComparison, comparison_of)


def load_agreement(source: str | Path) -> Agreement:
    return _load(source, "agree", Figures, Agreement)


def _load(source: str | Path, command: str, form: type[Saved], build: Callable[[Saved], Loaded]) -> Loaded:
    """What a command saved, in this form; what is wrong with it is one sentence."""
    name, text = _read(source)
    try:
        head = msgspec.json.decode(text, type=SavedHead)
        _check(name, head, command)
        return build(msgspec.json.decode(text, type=form))
    except InputError:
        raise
    except KeyError as error:
        raise _broken(name, command, f"{error.args[0]!r} is missing") from None
    except (msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError) as error:
        raise _broken(name, command, str(error).rstrip(".")) from None


def _read(source: str | Path) -> tuple[str, bytes]:
    """The name and the bytes of a file, or of a text that begins like JSON."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "the saved text", source.encode("utf-8", "surrogatepass")
    if not isinstance(source, str):
        check_file(source)
    check_path(str(source))
    try:
        return str(source), Path(source).read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(str(source), None, f"cannot be read ({reason})", "give a saved result, or its text") from None


def _check(name: str, head: SavedHead, command: str) -> None:
    """Refuse results of other commands, and of versions that may have saved what this one does not know."""
    if head.command != command:
        loader = _LOADED_BY.get(head.command)
        remedy = f"load it with {loader}" if loader else f"give one of evenhand {command}"
        raise InputError(name, None, f"is a result of evenhand {head.command}, not of {command}", remedy)
    if _release(head.evenhand) > _release(__version__):
        finding = f"was saved by Evenhand {head.evenhand}, which is newer than this one ({__version__})"
        raise InputError(name, None, finding, "update Evenhand")
    if head.task is not None and head.task not in TASKS:
        finding = f"has the task {head.task!r}, which is not known here ({', '.join(TASKS)})"
        raise InputError(name, None, finding, "install the package that adds the task")


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at the end."""
    found = re.match(r"\d+(\.\d+)*", version)
    if found is None:
        raise ValueError(f"{version!r} is no version")
    return tuple(map(int, re.sub(r"(\.0+)+$", "", found[0]).split(".")))


def _broken(name: str, command: str, detail: str) -> InputError:
    remedy = f"give what evenhand {command} --as json or to_json wrote"
    return InputError(name, None, f"is no saved result of evenhand {command} ({detail})", remedy)
