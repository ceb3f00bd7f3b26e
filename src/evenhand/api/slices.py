"""Scores on slices of the units, in addition to the scores on all units."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike

from evenhand.api.score import Systems, results_of, totals_of
from evenhand.comparison.slices import SliceContext, SliceCounts, SlicedCounts, SliceRequest, Slices, word_list
from evenhand.data.annotation import extra_layer
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import SettingError
from evenhand.pipeline.inputs import Input, RunConfig, name_of
from evenhand.pipeline.run import Job, Run
from evenhand.results.result import Result, Results, SliceScores
from evenhand.scoring.scores import SystemScores
from evenhand.settings import Groups


def score_with_slices(
    gold: Input,
    systems: Systems,
    prepared: RunConfig,
    groups: Groups,
    slices: Slices | SliceRequest,
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
) -> Results:
    """Score in this process, in one pass for all units and for the slices."""
    if groups not in ("total", "finest"):
        raise SettingError(f"groups is {groups!r}; with slices, choose total or finest.")
    request = SliceRequest.of(slices)
    words, run_vocabulary = word_list(vocabulary), Vocabulary()
    if words is not None and "vocabulary" not in request.names:
        raise SettingError("A word list is for the slice 'vocabulary'; name that too.")
    prepared = with_columns(prepared, request)
    counts = counts_of_slices(gold, prepared, request, SliceContext(words, run_vocabulary.labels))
    models = (*prepared.settings.match, prepared.task.unit_measure)
    job = Job(gold, systems, prepared, models, "finest", with_totals=True)
    layers = (*request.names, *map(extra_layer, prepared.read_as["gold"].extra))
    run = job.run([counts], run_vocabulary, layers)
    if groups == "finest":
        run.settle_groups(groups)
        results = results_of(name_of(gold), run, prepared, groups)
    else:
        results = totals_of(name_of(gold), run, prepared)
    return with_slices(results, run, counts, gold)


def with_columns(prepared: RunConfig, request: SliceRequest) -> RunConfig:
    """Settings that also read the columns of the gold standard by which units are sliced."""
    read_as = replace(prepared.read_as["gold"], extra=request.columns(prepared.task))
    return replace(prepared, read_as={**prepared.read_as, "gold": read_as})


def counts_of_slices(gold: Input, prepared: RunConfig, request: SliceRequest, context: SliceContext) -> SliceCounts:
    """An observer of the run, which counts the units of each slice under each measure."""
    task, settings = prepared.task, prepared.settings
    assert context.labels is not None
    return SliceCounts(request.slicings(task, context, gold), task, settings, context.labels.values)


def with_slices(results: Results, run: Run, counts: SliceCounts, gold: Input) -> Results:
    """The results with the scores on slices, and notes on them."""
    sliced, notes = counts.finish(gold)
    for name, sums in sliced.items():
        if sums.measures is not None and not sums.measures.issuperset(results.models):
            others = [measure for measure in results.models if measure not in sums.measures]
            verb = "does" if len(others) == 1 else "do"
            notes.append(f"The slice {name} is of units, which {', '.join(others)} {verb} not count one by one.")
    return Results({name: _with_slices(result, run, sliced, notes) for name, result in results.items()})


def _with_slices(result: Result, run: Run, sliced: Mapping[str, SlicedCounts], notes: Sequence[str]) -> Result:
    slices: dict[str, dict[str, SliceScores]] = {}
    for name, counts in sliced.items():
        models = [replace(formula, extra_scores=None) for formula in result.models]
        models = [formula for formula in models if counts.measures is None or formula.name in counts.measures]
        slices[name] = {}
        for value, labels, tallies in zip(counts.names, counts.labels, counts.tallies[result.name], strict=True):
            named = {label: count for label, count in labels.items() if label}
            by_measure = {
                formula.name: SystemScores(
                    [formula],
                    tallies if counts.measures is None else {formula.scorer: tallies[formula.name]},
                    {},
                    run.levels[result.name],
                    named,
                    result.settings,
                )[formula.name]
                for formula in models
            }
            slices[name][value] = SliceScores(sum(labels.values()), named, by_measure)
    return replace(result, slices=slices, notes=tuple(dict.fromkeys((*result.notes, *notes))))
