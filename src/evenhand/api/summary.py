"""The summary of several systems: their scores in one pass, with intervals and tests from the tallies of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np

from evenhand.api.compare import (
    ResamplingSettings,
    Testing,
    compared_by,
    default_trials,
    too_few,
    with_detectable,
)
from evenhand.api.rank import GROUPS, ranked
from evenhand.api.score import chosen_engine, results_of, skipping_broken, totals_of
from evenhand.comparison.counts import GroupTables
from evenhand.errors import SettingError, unknown
from evenhand.parameters import checked_arguments
from evenhand.pipeline.inputs import (
    Input,
    ScoredInputs,
    Side,
    known_options,
    name_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.results.comparison import ResamplingInfo, ScoreChange
from evenhand.results.result import Results
from evenhand.results.signature import ALPHA, notes_on_skipped, nothing_to_resample
from evenhand.results.summary import Estimate, Estimates, Summary
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import headline_of, headlines
from evenhand.settings import Resampled
from evenhand.statistics.bootstrap import ROUNDING, bootstrap, interval, table_types
from evenhand.tasks.registry import TASKS
from evenhand.tasks.registry import model as declared
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

MAX_TESTED = 8
"""Maximum number of systems whose scores by label are tested: there are 28 pairs then."""
MAX_LABELS = 50
"""Maximum number of labels with intervals and tests, the most frequent ones."""
MAX_RESAMPLED = 64 << 20
"""Maximum size of the input in bytes up to which intervals are computed by default: memory grows with its groups."""
Pairs = Sequence[tuple[str, str]]
Changes = Mapping[tuple[str, str], ScoreChange]
_TOO_LARGE = (
    f"No intervals and no tests because the files have more than {MAX_RESAMPLED >> 20} MB; --summary adds them."
)


@checked_arguments(known_options)
def summarize(
    gold: Side,
    systems: Sequence[Side] | Mapping[str, Side],
    *,
    against: str = "best",
    trials: int | None = None,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    skip_broken: bool = False,
    **options: Unpack[Keywords],
) -> Summary:
    """Score several systems in one pass, with intervals and tests against one of them.

    against    the system that the others are tested against: "best", "first", or its name
    trials, resamples, level, seed, of
               of tests and intervals, as in `compare`; unless specified, there are none for files of more than 64 MB
               together, so memory does not grow with their sentences
    skip_broken
               leave out the systems that cannot be read; `summary.results.skipped` has the problem of each

    Other keywords are as in `score`.
    """
    sides, key = systems_by_name(systems) or {}, side_of(gold)
    engine = chosen_engine(options.pop("engine", None), options.pop("jobs", None))
    prepared = prepare(key, sides, options)

    def compute(valid: Mapping[str, Input]) -> Summary:
        inputs = ScoredInputs.of(key, valid, prepared)
        return summarize_inputs(
            inputs, against, trials=trials, resamples=resamples, level=level, seed=seed, of=of, engine=engine
        )

    if not skip_broken:
        return compute(sides)
    summary, skipped = skipping_broken(key, sides, prepared, compute, engine=engine, least=2)
    notes = (*notes_on_skipped(skipped, len(summary.results)), *summary.notes)
    return replace(summary, results=Results(summary.results, skipped), notes=notes)


def summarize_inputs(
    inputs: ScoredInputs,
    against: str = "best",
    *,
    trials: int | None = None,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    engine: Engine = serial,
) -> Summary:
    """The same of inputs that are ready to be scored."""
    gold, sides, prepared = inputs.gold, inputs.systems or {}, inputs.config
    if len(sides) < 2:
        raise SettingError("A summary needs at least two systems.")
    if against not in ("best", "first", *sides):
        remedy = f"choose best, first, or one of {', '.join(sides)}"
        raise SettingError(unknown(f"Unknown system {against!r}", against, list(sides), remedy))
    pairs = list(combinations(sides, 2))
    is_too_large = trials is None and resamples is None and inputs.size > MAX_RESAMPLED
    if is_too_large:
        trials, resamples = 0, 0
    trials = default_trials(len(pairs)) if trials is None else trials
    resampling = ResamplingSettings(
        trials, 1_000 if resamples is None else resamples, level=level, seed=seed, of=of
    ).checked()
    resampling.check(prepared.task)
    groups = GROUPS[resampling.of] if resampling.is_requested else "total"
    run = engine(Job(gold, sides, prepared, prepared.settings.match, groups, with_totals=True))
    totals = totals_of(name_of(gold), run, prepared, inputs)
    grouped = results_of(name_of(gold), run, prepared, groups)
    compared = compared_by(prepared.task, None, prepared.settings.parameters)
    by = compared if compared in totals.models else totals.models[0]
    summary = _summary(totals, grouped, run, by, against, pairs, resampling)
    return replace(summary, notes=(*summary.notes, _TOO_LARGE)) if is_too_large else summary


def _summary(
    totals: Results, grouped: Results, run: Run, by: str, against: str, pairs: Pairs, resampling: ResamplingSettings
) -> Summary:
    task, gold = TASKS[totals.task], totals.gold
    kind, number = resampling.groups(task, gold.documents, gold.sentences)
    number = number if resampling.is_requested else 1
    has_groups, few, notes = number > 1 and bool(gold.units), None, totals.notes
    formulas = {formula.name: formula for formula in next(iter(grouped.values())).models}
    if resampling.is_requested and not has_groups:
        resampling = resampling.without()
        notes = (*notes, nothing_to_resample(kind, number)) if gold.units else notes
    elif _may_take_sentences(task, resampling, kind, run, formulas):
        few = too_few(_tables(formulas[by], grouped, number), pairs, ALPHA)
        if few is not None:
            kind, number, resampling = "sentences", gold.sentences, replace(resampling, of="sentences")
            grouped = Results(
                {name: replace(result, tallies=result.sentence_tallies) for name, result in grouped.items()}
            )
    ranking = ranked(grouped, replace(resampling, trials=0)).ranking
    shown = [formulas[name] for name in ranking.shown_models]
    changes = {formula.name: _changes(formula, grouped, number, pairs, resampling) for formula in shown}
    changes.setdefault(by, _changes(formulas[by], grouped, number, pairs, resampling))
    scores = {name: row.score for name, row in ranking[by].items()}
    reference = {"first": next(iter(totals)), "best": _best(scores)}.get(against, against)
    made = {**asdict(resampling), "few_documents": few, "of": kind if has_groups else None}
    settings = (resampling.trials, resampling.resamples, f"{resampling.level:g}", resampling.seed)
    keys = zip(("trials", "resamples", "level", "seed"), settings, strict=True)
    return Summary(
        results=totals,
        by=by,
        against=reference,
        measures={
            name: {
                system: Estimate(row.score, row.interval, _change(changes[name], reference, system))
                for system, row in ranking[name].items()
            }
            for name in changes
        },
        labels={
            formula.name: _labels(formula, totals, grouped, number, pairs, reference, resampling)
            for formula in shown
            if formula.breakdown.details in ("all", "labels") and not formula.parts
        },
        pairs=_pairs(changes[by], formulas[by], grouped, number, resampling),
        resampling=cast("ResamplingInfo", made),
        signature="|".join(
            [totals.signature, f"of:{made['of'] or 'none'}", *(f"{key}:{value}" for key, value in keys)]
        ),
        notes=notes,
    )


def _may_take_sentences(
    task: Task, resampling: ResamplingSettings, kind: Resampled, run: Run, formulas: Mapping[str, Formula]
) -> bool:
    """Whether tests may resample sentences, and the tallies have them."""
    needs = {need for name in formulas for need in declared(task.name, name).scorer.needs}
    is_open = resampling.may_take_sentences(task, kind, run.documents, run.sentences)
    return is_open and not needs & {"strings", "document_text"} and bool(run.sentence_tallies)


def _best(scores: Mapping[str, float]) -> str:
    return max(scores, key=lambda name: -1.0 if isnan(scores[name]) else scores[name])


def _tables(formula: Formula, results: Results, groups: int) -> GroupTables:
    tallies = {name: result.tallies[formula.scorer] for name, result in results.items()}
    return GroupTables.of(formula, tallies, groups, list(results.gold.labels))


def _changes(formula: Formula, results: Results, groups: int, pairs: Pairs, resampling: ResamplingSettings) -> Changes:
    """The tested differences of all pairs under a measure; their intervals are not needed."""
    return Testing(_tables(formula, results, groups), replace(resampling, resamples=0))(pairs)


def _pairs(
    changes: Changes, formula: Formula, results: Results, groups: int, resampling: ResamplingSettings
) -> Changes:
    """The differences that the verdict states, with what the test set can show if they are not significant."""
    if not resampling.trials:
        return changes
    return with_detectable(changes, _tables(formula, results, groups), ALPHA, resampling.seed)


def _change(changes: Changes, reference: str, system: str) -> ScoreChange | None:
    """The difference of a system from the reference system."""
    if (reference, system) in changes:
        return changes[reference, system]
    reversed_change = changes.get((system, reference))
    return None if reversed_change is None else replace(reversed_change, delta=-reversed_change.delta)


# Labels


def _labels(
    formula: Formula,
    totals: Results,
    grouped: Results,
    groups: int,
    pairs: Pairs,
    reference: str,
    resampling: ResamplingSettings,
) -> dict[str, Estimates]:
    """The scores of all systems by gold label, the most frequent first."""
    support = totals.gold.labels
    seen = {label for result in totals.values() for label in result[formula.name].labels}
    labels = sorted((label for label in support if support[label] and label in seen), key=lambda label: -support[label])
    of_labels = formula.of_labels()
    scores = {
        name: {
            label: headline_of(of_labels, rows[label]) if label in rows else 0.0
            for rows in (result[formula.name].labels,)
            for label in labels
        }
        for name, result in totals.items()
    }
    resampled = labels[:MAX_LABELS] if resampling.is_requested else []
    tables = label_tables(of_labels, grouped, groups, resampled)
    intervals = label_intervals(tables, resampling)
    tested = len(totals) <= MAX_TESTED
    estimates: dict[str, Estimates] = {}
    for label in labels:
        table = tables.get(label)
        # Counts that have two labels, or none, may count for a label only in its total score.
        is_same = table is not None and all(abs(table.score(name) - scores[name][label]) < ROUNDING for name in scores)
        changes: Changes = {}
        if table is not None and is_same and tested and resampling.trials:
            changes = Testing(table, replace(resampling, resamples=0))(pairs)
        estimates[label] = {
            name: Estimate(
                scores[name][label],
                intervals.get(label, {}).get(name) if is_same else None,
                _change(changes, reference, name),
            )
            for name in totals
        }
    return estimates


def label_tables(formula: Formula, results: Results, groups: int, labels: Sequence[str]) -> dict[str, GroupTables]:
    """The counts of each label by group."""
    if not labels:
        return {}
    sizes = np.ones(groups, dtype=np.int64)
    columns = {
        name: result.tallies[formula.scorer].by_group(groups, formula.columns(), labels)
        for name, result in results.items()
    }
    return {
        label: GroupTables(
            {name: table[:, number] for name, table in columns.items()},
            sizes,
            lambda sums: headlines(formula, sums[..., None, :]),
        )
        for number, label in enumerate(labels)
    }


def label_intervals(
    tables: Mapping[str, GroupTables], resampling: ResamplingSettings
) -> dict[str, dict[str, tuple[float, float]]]:
    """Percentile intervals of all systems by label, from the same resamples for all systems of a label."""
    intervals: dict[str, dict[str, tuple[float, float]]] = {}
    for label, table in tables.items() if resampling.resamples else ():
        first, type_of = table_types(list(table.tables.values()))
        rows = np.concatenate([counts[first] for counts in table.tables.values()], axis=1)
        sums = bootstrap(rows, np.bincount(type_of), resampling.resamples, resampling.seed)
        samples = sums.reshape(len(sums), len(table.tables), table.columns)
        intervals[label] = {
            name: interval(table.statistic(samples[:, number]), resampling.level)
            for number, name in enumerate(table.tables)
        }
    return intervals
