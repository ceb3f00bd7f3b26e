"""`gate`: whether a candidate is good enough, for itself or to replace a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.api.comparison import comparison
from evenhand.api.comparison_run import NOT_COMPARED, ComparisonRun, compared_by, compared_options
from evenhand.api.criteria import check_declared, not_checked, of_changes, of_scores
from evenhand.api.gate_limits import DEFAULT_ALPHA, Limit, Limits
from evenhand.api.results import scored, totals_of
from evenhand.api.score_names import ScoreName, model_of_names
from evenhand.api.significance import Resampling
from evenhand.arguments import checked_arguments
from evenhand.pipeline.inputs import Input, named, side_of
from evenhand.pipeline.options import Prepared, content_for, known_options, prepare
from evenhand.problems import InputError, SettingError, plural
from evenhand.result.gate import Gate
from evenhand.result.result import Gold
from evenhand.settings import Resampled
from evenhand.statistics.significance import trials_for
from evenhand.tasks.registry import TASKS, model
from evenhand.tasks.task import Content


@checked_arguments(known_options, inputs=("gold", "baseline", "candidate"))
def gate(
    gold: Input,
    baseline: Input | None = None,
    candidate: Input | None = None,
    *,
    floor: Mapping[str, Limit] | None = None,
    ceiling: Mapping[str, Limit] | None = None,
    max_drop: Limit | Mapping[str, Limit] | None = None,
    max_label_drop: Limit | None = None,
    max_new_errors: int | None = None,
    alpha: Limit | None = None,
    only: bool = False,
    by: str | None = None,
    trials: int | None = None,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Any,
) -> Gate:
    """Compare a candidate with a baseline or with fixed limits, and say whether it passes.

    floor           scores that it must reach, as fractions: {"fair": 0.85, "PER:recall": "90%"}
    ceiling         scores or counts that it must not exceed: {"FP": 20, "ORG:fair.LE": 3}
    max_drop        by how many points (of 100) its score may be lower; a mapping names others: {"PER:recall": 2}
    max_label_drop  by how many points its score on any label of the gold standard may be lower
    max_new_errors  how many units it may have wrong that the baseline has right
    alpha           it must not be worse with a p-value below this; with a baseline, 0.05 by default
    only            check only the criteria that are named, not the default one
    of              what the test resamples: "documents" or "sentences"; without it, documents, or sentences where the
                    systems differ in too few documents for any p-value below alpha (chains always by document)

    A gold standard without any unit is an error, as it leaves every score undefined.

    Every criterion that is named must hold, and with a baseline the default one, alpha. `gate.not_checked` has the
    criteria that were left out. Floors and ceilings need no baseline: gate(gold, candidate=…, floor=…). Texts with a
    unit are accepted for all limits: "85%" is 0.85 as a floor, "1pp" (or "1%") is 1 point as a drop. Shares have names
    of their own (`leak.documents_safe_share`); a floor of 1 or less on a count (`leak.documents_safe`) is refused.

    A score is named as LABEL:MODEL.FIGURE. Without a label it is that of all labels, without a match model that of
    `by`, without a figure the headline; figures are those of the JSON of `score` ("precision", "FN", "macro.f1").
    Without `by`, a figure that only one model declares (`leak_rate`) makes it the model of all names without one.

    A test that cannot reach alpha is not a reason to pass: if the systems differ in too few groups for it, a worse
    candidate fails by an alpha that is named; by default its score may fall by max_drop or, without that, by one point.
    `by`, `trials`, `seed` and the other keywords are those of `compare`; parameters of the named match models are
    accepted, too.
    """
    limits = Limits.checked(floor, ceiling, max_drop, max_label_drop, max_new_errors, alpha, only)
    if candidate is None:
        raise SettingError(
            "There is no candidate; name it: gate(gold, candidate=…), or gate(gold, baseline, candidate)."
        )
    gold = side_of(gold)
    if baseline is None:
        return _without_baseline(gold, candidate, limits.without_baseline(), by, options)
    limits = limits.with_baseline()
    systems = named([baseline, candidate]) or {}
    _, second = systems
    resampling = _resampling(trials, limits.alpha, seed, of)
    content = content_for(gold, options)
    names = _names(limits, content.task, by, options)
    prepared = _prepared(gold, systems, names, by, options, content) if names else None
    compared = compared_options(options) if names else options
    run = ComparisonRun(gold, systems, [(0, 1)], by, resampling, compared, content=content)
    found = run(scored=prepared)
    _refuse_empty(found.figures(), content.task)
    results = None if prepared is None else totals_of(found.gold_name, found.run, prepared)
    decided = comparison(run, found, limits.alpha or DEFAULT_ALPHA)
    few = decided.resampling["few_documents"]
    criteria = [] if results is None else list(of_scores(limits, names, results[second]))
    criteria += of_changes(limits, names, results, decided, few)
    unchecked = tuple(not_checked(limits, decided))
    return Gate(second, decided.by, tuple(criteria), results, decided, few, unchecked)


def _refuse_empty(gold: Gold, task: str) -> None:
    """A gold standard without any unit leaves scores undefined, so it cannot show that a candidate is good enough."""
    if not gold.units:
        unit = TASKS[task].unit
        finding = f"the gold standard has no {unit} that counts, so no score is defined and the gate cannot pass"
        raise InputError(gold.name, None, finding, f"give a gold standard with {plural(unit)}")


def _without_baseline(
    gold: Input, candidate: Input, limits: Limits, by: str | None, options: Mapping[str, Any]
) -> Gate:
    """By floors and ceilings alone."""
    systems = named([candidate]) or {}
    (name,) = systems
    content = content_for(gold, options)
    names = _names(limits, content.task, by, options)
    prepared = _prepared(gold, systems, names, by, options, content)
    results = scored(gold, systems, prepared, "total")
    _refuse_empty(results.gold, content.task)
    default = _model_of_bare_names(limits, content.task, by, options)
    return Gate(name, default, tuple(of_scores(limits, names, results[name])), results, None)


def _names(limits: Limits, task: str, by: str | None, options: Mapping[str, Any]) -> dict[str, ScoreName]:
    """What the names of scores mean; limits that no file can make valid are refused here, before files are read."""
    default, compared = _model_of_bare_names(limits, task, by, options), compared_by(TASKS[task], by, options)
    names = {name: ScoreName.read(name, task, default, compared, options) for name in limits.score_names}
    check_declared(limits, names, task)
    return names


def _model_of_bare_names(limits: Limits, task: str, by: str | None, options: Mapping[str, Any]) -> str:
    """The match model of names without one: the one that a user compares by, or else the one that figures tell."""
    compared = compared_by(TASKS[task], by, options)
    return compared if by is not None else model_of_names(limits.score_names, task, compared)


def _prepared(
    gold: Input,
    systems: Mapping[str, Input],
    names: Mapping[str, ScoreName],
    by: str | None,
    options: Mapping[str, Any],
    content: Content,
) -> Prepared:
    """The settings of the scores that are named, and of the one that systems are compared by."""
    for name in NOT_COMPARED:
        if options.get(name) not in (None, "", ()):
            raise SettingError(f"{name} does nothing in a gate; leave it out.")
    models = [compared_by(TASKS[content.task], by, options), *(each.model for each in names.values())]
    others = [model(content.task, name).counterpart for name in models]
    match = tuple(dict.fromkeys((*models, *filter(None, others))))
    return prepare(gold, systems, {**options, "match": match}, content)


def _resampling(trials: int | None, alpha: float | None, seed: int, of: Resampled | None) -> Resampling:
    """How the test is made; without trials where there is none."""
    trials = trials_for(1, alpha or DEFAULT_ALPHA) if trials is None else trials
    found = Resampling.checked(trials, seed=seed, of=of)
    if alpha is None:
        return replace(found, trials=0)
    if 1 / (found.trials + 1) >= alpha:
        enough = f"{int(1 / alpha):,} at least"
        raise SettingError(f"trials is {trials:,}; for p-values below {alpha:g} the test takes {enough}.")
    return found
