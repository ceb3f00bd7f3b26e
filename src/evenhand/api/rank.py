"""`rank`: a ranking of systems under several measures, on one data set or on a suite of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, nan
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from evenhand.api.compare import ResamplingSettings, Testing, default_trials, detectable_of, too_few
from evenhand.api.score import chosen_engine, score_inputs, skipping_broken
from evenhand.api.suites import DataSet, suite
from evenhand.arrays import Values
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.ranking import (
    ClusterPlacement,
    Clusters,
    Samples,
    TypicalGroups,
    correlations,
    placements,
    rank_intervals,
    resample_headlines,
)
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, Skipped
from evenhand.formats.storage import AnyPath, to_path
from evenhand.parameters import FUNCTIONS, checked_arguments, split_names
from evenhand.pipeline.inputs import Input, Side, content_for, known_options, prepare, side_of, systems_by_name
from evenhand.results.comparison import Ranking
from evenhand.results.result import Results
from evenhand.results.signature import joint_signature, notes_on_skipped, notes_on_tests, nothing_to_resample
from evenhand.scoring.scores import headline
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups, Resampled
from evenhand.tasks.registry import TASKS, model_names
from evenhand.tasks.registry import model as declared
from evenhand.tasks.task import GoldProfile, Task

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

GROUPS: Mapping[Resampled | None, Groups] = {None: "finest", "documents": "document", "sentences": "sentence"}
"""The groups of tallies, by what is resampled."""


def alpha_of(level: float) -> float:
    """The significance level that belongs to a confidence level."""
    return round(1 - level, 12)  # 0.05, although 1 - 0.95 is slightly more


def with_clusters(ranking: Ranking, counted: GroupTables | None, resampling: ResamplingSettings) -> Ranking:
    """The ranking with its clusters; unchanged if there is nothing to test."""
    if counted is None or not counted.columns or not resampling.trials:
        return ranking
    pairs = list(combinations(ranking.systems, 2))
    tests = {
        pair: change.significance
        for pair, change in Testing(counted, replace(resampling, resamples=0))(pairs).items()
        if change.significance is not None
    }
    alpha = alpha_of(resampling.level)
    by_system = {
        name: _with_detectable(name, placement, counted, len(pairs), alpha, resampling.seed)
        for name, placement in placements(
            ranking.systems, {pair: test.p_holm for pair, test in tests.items()}, alpha
        ).items()
    }
    notes = notes_on_tests(
        [test for test in tests.values() if test.groups], len(pairs), ranking.groups or "", ranking.task, alpha
    )
    clusters = Clusters(ranking.models[0], alpha, resampling.trials, by_system)
    return replace(ranking, clusters=clusters, notes=(*ranking.notes, *notes))


def _with_detectable(
    name: str, placement: ClusterPlacement, counted: GroupTables, pairs: int, alpha: float, seed: int
) -> ClusterPlacement:
    """The placement, with what the test set can show if the system is not significantly worse."""
    if placement.against is None or placement.p_holm is None or placement.p_holm < alpha:
        return placement
    pair = name, placement.against  # the lower one first
    return replace(placement, detectable=detectable_of(counted, pair, 0.0, pairs, alpha, seed))


@checked_arguments(known_options)
def rank(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side],
    *,
    by: str | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    trials: int | None = None,
    skip_broken: bool = False,
    **options: Unpack[Keywords],
) -> Ranking:
    """Rank systems under several measures, in one pass over the gold standard.

    by         the measure to rank by first, before the others [the first of `match`]
    resamples  number of resamples for the intervals; 0 for none
    level      confidence level of intervals
    seed       of the random numbers: the same seed, systems and measures give the same intervals
    of         what is resampled: "documents" or "sentences"; without it, documents, or sentences if there is one
               document, or if systems differ in too few documents for any p-value below 1 - level (Holm); chains and
               links always by document
    trials     of the tests for clusters of significance, which use the first measure; 0 for no clusters; without it
               10,000, or 80 for each pair, if that is more (at most 100,000), and none without resamples
    skip_broken
               rank the systems that can be scored; `ranking.skipped` has the problem of each of the others

    Other keywords are as in `score`. The default measures are "exact", "fair", "ts" and "t" for spans, "accuracy" for
    tags, the official LAS, MLAS and BLEX for CoNLL-U, "las", "uas" and "ls" for other trees, "mela", "lea", "arcs_any"
    and (with POS) "arcs_nom" for chains.
    """
    resampling = ResamplingSettings(trials or 0, resamples, level=level, seed=seed, of=of).checked()
    request = _RankRequest(resampling, options, trials is not None, skip_broken, by)
    return _rank(side_of(gold), systems_by_name(systems) or {}, request).ranking


@checked_arguments(known_options)
def rank_suite(
    manifest: str | PathLike[str],
    *,
    by: str | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    trials: int | None = None,
    skip_broken: bool = False,
    **options: Unpack[Keywords],
) -> Ranking:
    """Rank systems on several data sets, separately and on average: the mean of a system's headlines.

    The manifest is a TOML file with a table `[[data]]` for each data set: its `name`, its `gold` file and its
    `systems` (a pattern such as "english/*.conll", or a table of names and files), and optionally `task`, `format`,
    `column`, `encoding`, `align` and `map`. Paths are relative to its folder. All data sets must have the same
    systems. With `skip_broken`, a system that cannot be scored on one data set is ranked on none. Other keywords are as
    in `rank`.
    """
    resampling = ResamplingSettings(trials or 0, resamples, level=level, seed=seed, of=of).checked()
    request = _RankRequest(resampling, options, trials is not None, skip_broken, by)
    data_sets = suite(manifest)
    parts = {
        data_set.name: _rank(data_set.gold, data_set.systems, request.on(number, data_set))
        for number, data_set in enumerate(data_sets)
    }
    skipped = {name for part in parts.values() for name in part.ranking.skipped}
    for number, data_set in enumerate(data_sets):
        if skipped & {*parts[data_set.name].ranking.systems}:
            valid = {name: side for name, side in data_set.systems.items() if name not in skipped}
            ranked_again = _rank(data_set.gold, valid, request.on(number, data_set))
            parts[data_set.name] = ranked_again.keeping(parts[data_set.name].ranking.skipped)
    return _average(to_path(manifest), parts, request)


@dataclass(frozen=True)
class _RankRequest:
    resampling: ResamplingSettings
    options: Mapping[str, Any]
    has_trials: bool
    """Whether the user specifies the number of trials."""
    skips_broken: bool
    by: str | None
    data_set: int = 0
    """Number of the data set: each one has separate draws."""
    name: str | None = None

    def on(self, number: int, data_set: DataSet) -> _RankRequest:
        """The same request on a data set, whose options take precedence."""
        return replace(self, options={**self.options, **data_set.options}, data_set=number, name=data_set.name)

    def resampling_of(self, systems: int) -> ResamplingSettings:
        """Resampling with the default trials of `systems` systems, unless trials or no resamples are specified."""
        if self.has_trials or not self.resampling.resamples or systems < 2:
            return self.resampling
        return replace(self.resampling, trials=default_trials(comb(systems, 2)))


@dataclass(frozen=True)
class Ranked:
    """A ranking, and the data that the mean over several data sets needs."""

    ranking: Ranking
    samples: Samples
    """The resampled headlines."""
    counted: GroupTables | None
    """The counts for the clusters."""

    def keeping(self, skipped: Mapping[str, Skipped]) -> Ranked:
        """The same ranking with the systems that were skipped."""
        notes = (*self.ranking.notes, *notes_on_skipped(skipped, len(self.ranking.systems)))
        return replace(self, ranking=replace(self.ranking, skipped=skipped, notes=notes))


def _rank(gold: Input, systems: Mapping[str, Input], request: _RankRequest) -> Ranked:
    options, resampling = request.options, request.resampling
    if options.get("groups", "total") != "total":
        raise SettingError("groups has no effect in a ranking; use `of` to specify what is resampled.")
    content = content_for(gold, options, systems)
    task = TASKS[content.task]
    resampling.check(task)
    match = ranked_models(task, content, options, request.by)
    groups: Groups = GROUPS[resampling.of] if resampling.resamples or resampling.trials else "total"
    prepared = prepare(gold, systems, {**options, "match": match}, content)
    engine, skipped = chosen_engine(options.get("engine"), options.get("jobs")), dict[str, Skipped]()
    if request.skips_broken:
        results, skipped = skipping_broken(
            gold, systems, prepared, lambda valid: score_inputs(gold, valid, prepared, groups, engine), engine=engine
        )
    else:
        results = score_inputs(gold, systems, prepared, groups, engine)
    on_data_set = ranked(results, request.resampling_of(len(results)), request.data_set).keeping(skipped)
    signature = on_data_set.ranking.signature + (f"|trials:{resampling.trials}" if request.has_trials else "")
    return replace(
        on_data_set,
        ranking=replace(on_data_set.ranking, name=request.name or on_data_set.ranking.name, signature=signature),
    )


def ranked_models(
    task: Task, content: GoldProfile, options: Mapping[str, Any], by: str | None = None
) -> tuple[str, ...]:
    """The named measures or those that the task ranks by, `by` first, and the counterpart of the first one."""
    named = split_names(options.get("match") or task.selection.ranked(content))
    named = named if by is None else (by, *named)
    chosen = model_names(task.name, named, options.get(FUNCTIONS, ()))
    first, *others = dict.fromkeys(task.selection.resolve(name, options) for name in chosen)
    counterpart = declared(task.name, first).counterpart if first != chosen[0] else None
    return tuple(dict.fromkeys(filter(None, (first, counterpart, *others))))


def ranked(results: Results, resampling: ResamplingSettings, data_set: int = 0) -> Ranked:
    """The ranking of results whose tallies have the resampled groups."""
    task, level, seed, gold = TASKS[results.task], resampling.level, resampling.seed, results.gold
    models = next(iter(results.values())).models
    tallies = {name: result.tallies for name, result in results.items()}
    labels, is_empty = list(gold.labels), not gold.units
    kind, number = resampling.groups(task, gold.documents, gold.sentences)
    notes, has_groups, few = results.notes, number > 1 and not is_empty, None
    if resampling.is_requested and not has_groups:
        resampling = resampling.without()
        notes = notes if is_empty else (*notes, nothing_to_resample(kind, number))

    def tables() -> GroupTables:
        first = models[0]
        return GroupTables.of(first, {name: tally[first.scorer] for name, tally in tallies.items()}, number, labels)

    counted = tables() if resampling.trials and len(results) > 1 else None
    by_sentence = {name: result.sentence_tallies for name, result in results.items()}
    scorers = [declared(task.name, model.name).scorer for model in models]
    may_change = resampling.may_take_sentences(task, kind, gold.documents, gold.sentences)
    may_change = may_change and not any(
        "strings" in scorer.needs or "document_text" in scorer.needs for scorer in scorers
    )
    if counted is not None and may_change and all(by_sentence.values()):
        few = too_few(counted, list(combinations(results, 2)), alpha_of(level))
        if few is not None:
            kind, number, tallies = "sentences", gold.sentences, by_sentence
            counted = tables()
    samples: dict[str, dict[str, Values]] = {}
    resamples = resampling.resamples
    totals: Mapping[str, Mapping[str, Tally]] = tallies
    if resamples:
        typical = TypicalGroups.of(models, tallies, number)
        totals = typical.totals(tallies)
        samples = resample_headlines(models, typical, labels, resamples, (seed, data_set))
    scores = {
        model.name: {
            name: headline(model, total[model.scorer], labels, is_empty=is_empty or model.name in task.other_units)
            for name, total in totals.items()
        }
        for model in models
    }
    for name, result in results.items():
        for measure in result.lacking:
            if scores[measure][name] == 0:
                scores[measure][name] = nan
                samples.get(measure, {}).pop(name, None)
    ranking = Ranking(
        results.gold.name,
        rank_intervals(scores, samples, level),
        correlations(scores),
        level,
        resamples,
        seed,
        kind if has_groups else None,
        f"{results.signature}|resamples:{resamples}|of:{kind if has_groups else 'none'}|level:{level:g}|seed:{seed}",
        notes,
        results.task,
        before={
            model: {name: result.before[model].headline for name, result in results.items()}
            for model in next(iter(results.values())).before
        },
        few_documents=few,
    )
    return Ranked(with_clusters(ranking, counted, resampling), samples, counted)


def _average(manifest: AnyPath, parts: Mapping[str, Ranked], request: _RankRequest) -> Ranking:
    """The mean over data sets; resamples are averaged one by one because data sets are drawn independently."""
    rankings = {name: part.ranking for name, part in parts.items()}
    first = next(iter(rankings.values()))
    for name, part in rankings.items():
        missing = set(first.systems).symmetric_difference(part.systems)
        if missing:
            raise SettingError(f"The system {min(missing)!r} is not in all data sets of {manifest}; see {name}.")
    scores = {
        model: {
            system: float(np.mean([part[model][system].score for part in rankings.values()]))
            for system in first.systems
        }
        for model in first.models
    }
    samples = [part.samples for part in parts.values()]
    resamples = first.resamples if all(samples) else 0  # chains of one document have none
    joint = {
        model: {system: np.mean([sample[model][system] for sample in samples], axis=0) for system in first.systems}
        for model in (first.models if resamples else ())
    }
    ranking = Ranking(
        "average",
        rank_intervals(scores, joint, first.level),
        correlations(scores),
        first.level,
        resamples,
        first.seed,
        "+".join(dict.fromkeys(filter(None, (part.groups for part in rankings.values())))) or None,
        joint_signature(part.signature for part in rankings.values()) + f"|suite:{'+'.join(parts)}",
        tuple(f"{name}: {note}" for name, part in rankings.items() for note in part.notes),
        first.task,
        rankings,
        skipped={name: reason for part in rankings.values() for name, reason in part.skipped.items()},
    )
    counted = [part.counted for part in parts.values() if part.counted is not None]
    joined = GroupTables.joined(counted) if len(counted) == len(parts) else None
    return with_clusters(ranking, joined, request.resampling_of(len(ranking.systems)))
