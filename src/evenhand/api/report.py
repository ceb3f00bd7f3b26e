"""`report`: one page with scores, ranking and comparison of systems, and the units of all figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from evenhand.api.causes import searched_run, searched_slices
from evenhand.api.compare import (
    ComparedRun,
    ComparisonJob,
    ResamplingSettings,
    compared_by,
    compared_options,
    comparison,
    curve_of,
    default_trials,
)
from evenhand.api.rank import ranked
from evenhand.api.score import results_of, skipping_broken, totals_of, with_entities
from evenhand.api.slices import SliceOptions, TrainingFiles, with_slices
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.slices import SliceRequest, Slices
from evenhand.comparison.units import Collection as UnitCollection
from evenhand.data.vocabulary import names_or_number
from evenhand.errors import SettingError
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
from evenhand.report.verdict import Lead
from evenhand.results.comparison import Comparison, Ranking, Report
from evenhand.results.result import Results
from evenhand.results.signature import ALPHA
from evenhand.settings import Groups, Resampled
from evenhand.statistics.slice_search import FEWEST_DOCUMENTS
from evenhand.tasks.registry import TASKS, model_names, name_among
from evenhand.tasks.task import GoldProfile

if TYPE_CHECKING:
    from evenhand.keywords import Keywords
    from evenhand.statistics.power import PowerChart

DEFAULT_LIMIT = 50_000
MOST_SEARCHED = 5
"""Maximum number of systems, the best ones, whose slices are searched."""
_CHART_POINTS = 9
"""Number of sizes of the chart of power; a figure has more."""


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
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    **options: Unpack[Keywords],
) -> Report:
    """Score, rank and compare systems, and collect the units; `to_html` writes one page.

    title      of the page [the names of the systems, or their number]
    by         measure that units are compared by, as in `compare`
    limit      maximum number of units in the page: those with errors or differences come first
    trials, resamples, interval, level, seed, of
               of tests and intervals, as in `compare`

    slices, vocabulary, train, drop_leaked
               of scores, as in `score`, and of the comparison; tables of slices link to their units. With `train`, the
               page also has the slices `seen`, if the task has them
    skip_broken
               leave out the systems that cannot be read; `report.results.skipped` has the problem of each

    Other keywords are as in `score`.
    """
    check_whole_number("limit", limit, 0)
    sides, gold = systems_by_name(systems) or {}, side_of(gold)
    resampling = ResamplingSettings(trials or 0, resamples, interval, level, seed, of).checked()
    content = content_for(gold, options, sides)
    of_slices = SliceOptions.of(slices, vocabulary, train, drop_leaked).with_seen(TASKS[content.task])
    searched, optional = SliceRequest(), tuple[str, ...]()
    has_causes = TASKS[content.task].comparison.has_causes
    if has_causes:
        searched, optional = searched_slices(TASKS[content.task], of_slices)

    of_comparison = TASKS[content.task].comparison
    requested = of_slices.request
    further = tuple(name for name in of_comparison.page_slices if name in of_comparison.all_slices)
    further = tuple(name for name in further if not requested.has(name))
    of_slices = replace(of_slices, request=replace(requested.adding(further), optional=further))

    def compute(valid: Mapping[str, Input]) -> Report:
        pairs = list(combinations(range(len(valid)), 2))
        tests = replace(resampling, trials=default_trials(max(len(pairs), 1)) if trials is None else resampling.trials)
        scored, units = _score_config(gold, valid, by, options, content), UnitCollection(limit)
        job = ComparisonJob(
            *(gold, valid, pairs, by, tests, compared_options(options), of_slices),
            content=content,
            searched=searched,
            optional=optional,
        )
        entities = _entity_observer(job)
        run = job(
            collection=units,
            scored=scored,
            sliced=of_slices.request,
            side="all" if has_causes else None,
            observers=[] if entities is None else [entities],
        )
        scored = run.scored or scored
        results = totals_of(run.gold_name, run.run, scored)
        if entities is not None:
            results = with_entities(results, entities)
        if run.slice_counts is not None:
            results = with_slices(results, run.run, run.slice_counts, gold, job.data.notes)
        compared = comparison(job, run) if pairs else None
        made = Report(
            title=title or "",
            results=results,
            ranking=_ranking(run.settled(pairs, ALPHA) if pairs else run, scored),
            comparison=compared,
            by=run.by,
            units=units,
            labels=tuple(run.counts.labels.values),
            slices={slicing.name: run.counts.bins(slicing)[1:3] for slicing in run.counts.extras.slicings},
            page_slices=further,
            power=None if compared is None else _power(compared, run.settled(pairs, ALPHA)),
            drawn=None if entities is None else entities.drawing,
        )
        return _with_causes(made, job, run) if has_causes else made

    if skip_broken:
        made, skipped = skipping_broken(gold, sides, _score_config(gold, sides, by, options, content), compute)
        made = replace(made, results=Results(made.results, skipped))
    else:
        made = compute(sides)
    return made if title else replace(made, title=f"{names_or_number(list(made.ordered), 'system')} on {name_of(gold)}")


def _entity_observer(job: ComparisonJob) -> Any:
    """The observer that collects errors by entity for the page, if systems are compared on entities."""
    task = job.prepared.task
    is_requested = job.by in task.compared_units and task.evaluation.entities is not None
    return task.evaluation.entities(draws=True) if is_requested and task.evaluation.entities else None


def _with_causes(report: Report, job: ComparisonJob, run: ComparedRun) -> Report:
    """The report with the worst slices of the best systems, and the attributes of these slices."""
    names = list(report.ordered)[:MOST_SEARCHED] if run.groups[1] >= FEWEST_DOCUMENTS else []
    causes = {name: searched_run(job, run, [run.counts.systems.index(name)], examples=0) for name in names}
    attributes = {name: (run.units.values[name], bins) for name, bins in run.units.bins.items()}
    return replace(report, causes=causes, attributes=attributes)


def _power(compared: Comparison, run: ComparedRun) -> PowerChart | None:
    """What the test set can show of the best two systems."""
    lead = Lead.of(compared)
    pair = lead.pair(*lead.names[:2]) if len(lead.names) > 1 else None
    if pair is None or pair.significance is None:
        return None
    from evenhand.statistics.power import power_chart  # loaded if there is a chart

    names = next(names for names, one in compared.pairs.items() if one is pair)
    tables = GroupTables.of(run.model, run.tallies_of(run.model), run.groups[1])
    curve = curve_of(tables, names, pair.delta, ALPHA / len(compared.pairs), run.resampling.seed)
    return None if curve is None else power_chart({"": curve}, curve.spread.groups, points=_CHART_POINTS)


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
        raise SettingError("groups has no effect in a report; use `of` to specify what is resampled.")
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
