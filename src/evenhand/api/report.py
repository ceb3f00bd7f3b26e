"""`report`: one page with scores, ranking and comparison of systems, and the units of all figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from evenhand.api.compare import (
    ComparedRun,
    ComparisonJob,
    ResamplingSettings,
    compared_by,
    compared_options,
    comparison,
    default_trials,
)
from evenhand.api.rank import ranked
from evenhand.api.score import results_of, skipping_broken, totals_of
from evenhand.api.slices import with_slices
from evenhand.comparison.slices import SliceRequest, Slices, word_list
from evenhand.comparison.units import Collection as UnitCollection
from evenhand.errors import SettingError, counted
from evenhand.parameters import FUNCTIONS, check_choice, check_whole_number, checked_arguments, split_names
from evenhand.pipeline.inputs import (
    Input,
    RunConfig,
    Side,
    content_for,
    default_match,
    known_options,
    name_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.results.comparison import Ranking, Report
from evenhand.results.result import Results
from evenhand.results.signature import ALPHA
from evenhand.settings import Groups, Resampled
from evenhand.tasks.registry import TASKS, model_names, name_among
from evenhand.tasks.task import GoldProfile

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

DEFAULT_LIMIT = 50_000
_LONGEST_TITLE = 80


@checked_arguments(known_options)
def report(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side],
    *,
    title: str | None = None,
    by: str | None = None,
    limit: int = DEFAULT_LIMIT,
    trials: int | None = None,
    resamples: int = 1_000,
    interval: Literal["percentile", "bca"] = "percentile",
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    slices: Slices = (),
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    skip_broken: bool = False,
    **options: Unpack[Keywords],
) -> Report:
    """Score, rank and compare systems, and collect the units; `to_html` writes one page.

    title      of the page [the names of the systems, or their number]
    by         measure that units are compared by, as in `compare`
    limit      maximum number of units in the page: those with errors or differences come first
    trials, resamples, interval, level, seed, of
               of tests and intervals, as in `compare`

    slices, vocabulary
               of scores, as in `score`, and of the comparison; tables of slices link to their units
    skip_broken
               leave out the systems that cannot be read; `report.results.skipped` has the problem of each

    Other keywords are as in `score`.
    """
    check_whole_number("limit", limit, 0)
    sides, gold = systems_by_name(systems) or {}, side_of(gold)
    resampling = ResamplingSettings(trials or 0, resamples, interval, level, seed, of).checked()
    content = content_for(gold, options)
    request, words = SliceRequest.of(slices), word_list(vocabulary)

    def compute(valid: Mapping[str, Input]) -> Report:
        pairs = list(combinations(range(len(valid)), 2))
        tests = replace(resampling, trials=default_trials(max(len(pairs), 1)) if trials is None else resampling.trials)
        scored, units = _score_config(gold, valid, by, options, content), UnitCollection(limit)
        job = ComparisonJob(gold, valid, pairs, by, tests, compared_options(options), request, words, content)
        run = job(collection=units, scored=scored, sliced=request)
        results = totals_of(run.gold_name, run.run, scored)
        if run.slice_counts is not None:
            results = with_slices(results, run.run, run.slice_counts, gold)
        return Report(
            title=title or "",
            results=results,
            ranking=_ranking(run.settled(pairs, ALPHA) if pairs else run, scored),
            comparison=comparison(job, run) if pairs else None,
            by=run.by,
            units=units,
            labels=tuple(run.counts.labels.values),
            slices={slicing.name: run.counts.bins(slicing)[1:3] for slicing in run.counts.extras.slicings},
        )

    if skip_broken:
        made, skipped = skipping_broken(gold, sides, _score_config(gold, sides, by, options, content), compute)
        made = replace(made, results=Results(made.results, skipped))
    else:
        made = compute(sides)
    return made if title else replace(made, title=f"{_title(list(made.ordered))} on {name_of(gold)}")


def _title(systems: Sequence[str]) -> str:
    """The names of systems if they are few and short, else their number."""
    names = ", ".join(systems)
    return names if len(systems) < 6 and len(names) <= _LONGEST_TITLE else counted(len(systems), "system")


def _score_config(
    gold: Input, systems: Mapping[str, Input], by: str | None, options: Mapping[str, Any], content: GoldProfile
) -> RunConfig:
    """The settings of the scores, including the measure that systems are compared by."""
    task = TASKS[content.task]
    if by is not None and name_among(task.name, by, task.selection.reported) is None:
        known = " or ".join(task.selection.reported)
        raise SettingError(f"A page compares {task.name} by {known}, not by {by}.")
    check_choice("groups", options.get("groups", "total"), get_args(Groups))
    if options.get("groups", "total") != "total":
        raise SettingError("groups does nothing in a report; specify with `of` what is resampled.")
    named = split_names(options.get("match") or default_match(task, content, options))
    match = model_names(task.name, named, options.get(FUNCTIONS, ()))
    match = tuple(
        dict.fromkeys((task.selection.resolve(match[0], options), *match))
    )  # systems are ranked by the first one
    prepared = prepare(gold, systems, {**options, "match": match}, content)
    compared = compared_by(task, by, options)
    if compared in prepared.settings.match:
        return prepared
    return prepare(gold, systems, {**options, "match": (compared, *prepared.settings.match)}, content)


def _ranking(compared: ComparedRun, scored: RunConfig) -> Ranking:
    run = compared.run
    tallies = run.by_document(run.tallies) if compared.groups[0] == "documents" else run.tallies
    results = results_of(compared.gold_name, replace(run, tallies=tallies), scored, "finest")
    return replace(ranked(results, compared.resampling).ranking, few_documents=compared.few_documents)
