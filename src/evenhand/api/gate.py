"""`gate`: whether a candidate is good enough, for itself or to replace a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf, nan
from typing import Any, Literal

from evenhand.api.compare import NOT_COMPARED, ComparisonJob, Resampling, compared_by, compared_options, comparison
from evenhand.api.score import score_inputs, totals_of
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted, plural
from evenhand.parameters import check_number, check_whole_number, checked_arguments, parse_unit
from evenhand.pipeline.inputs import Input, RunConfig, content_for, known_options, prepare, side_of, systems_by_name
from evenhand.results.comparison import Comparison, Pair, Significance
from evenhand.results.gate import Criterion, Gate, Unchecked
from evenhand.results.result import GoldSummary, Result, Results, plain_score
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import MeasureScore
from evenhand.settings import Resampled, ScoreSettings
from evenhand.statistics.bootstrap import ROUNDING
from evenhand.statistics.significance import trials_for
from evenhand.tasks.registry import TASKS, model, models_of, name_among, parameters_of
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.task import GoldProfile

DEFAULT_ALPHA = 0.05
LEAST_ALPHA = 1e-6
Limit = float | str
"""A number, or a text with its unit: `85%`, `1pp`."""


@dataclass(frozen=True)
class Limits:
    """The limits that a user names; by default none."""

    floor: Mapping[str, float]
    """By the name of a score, what it must be at least."""
    ceiling: Mapping[str, float]
    drop: Mapping[str, float]
    """By how many points scores may fall; the empty name is the score that systems are compared by."""
    label_drop: float | None
    new_errors: int | None
    alpha: float | None
    is_default: bool = False
    """Whether the alpha is the default, which no user named."""
    only: bool = False
    """Whether the default criteria are left out."""
    percents: frozenset[str] = frozenset()
    """The floors and ceilings with the unit of a share, such as `floor PER:recall`; a count has none."""

    @staticmethod
    def checked(
        floor: Mapping[str, Limit] | None,
        ceiling: Mapping[str, Limit] | None,
        max_drop: object,
        max_label_drop: object,
        max_new_errors: object,
        alpha: object,
        only: bool,
    ) -> Limits:
        """Check the limits that a user specifies."""
        drops = {} if max_drop is None else max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
        if alpha is not None:
            fits = f"a number below 1, and {LEAST_ALPHA:f} at least"
            alpha = check_number("alpha", parse_unit(alpha, 1), lambda value: LEAST_ALPHA <= value < 1, fits)
        bounds = {"floor": floor or {}, "ceiling": ceiling or {}}
        return Limits(
            {name: _bound("floor", name, value) for name, value in bounds["floor"].items()},
            {name: _bound("ceiling", name, value) for name, value in bounds["ceiling"].items()},
            {name: _points_gate_limits(f"max-drop {name}".rstrip(), value) for name, value in drops.items()},
            None if max_label_drop is None else _points_gate_limits("max-label-drop", max_label_drop),
            None if max_new_errors is None else check_whole_number("max-new-errors", max_new_errors, 0),
            alpha,
            only=bool(only),
            percents=frozenset(
                f"{kind} {name}" for kind, each in bounds.items() for name in each if isinstance(each[name], str)
            ),
        )

    @property
    def score_names(self) -> list[str]:
        """The scores that are named."""
        return list(dict.fromkeys((*self.floor, *self.ceiling, *(name for name in self.drop if name))))

    @property
    def of_changes(self) -> list[str]:
        """What of it takes a baseline."""
        named = {"max-drop": self.drop, "max-label-drop": self.label_drop is not None}
        named |= {"max-new-errors": self.new_errors is not None, "alpha": self.alpha is not None}
        return [name for name, value in named.items() if value]

    def without_baseline(self) -> Limits:
        """Return the same limits if none needs a baseline, and at least one is named."""
        if self.of_changes:
            name = self.of_changes[0]
            raise SettingError(f"{name} takes a baseline; name one beside the candidate, or use floor and ceiling.")
        if not self.floor and not self.ceiling:
            raise SettingError("Without a baseline there is nothing to compare with; give one, or a floor or ceiling.")
        return self

    def with_baseline(self) -> Limits:
        """Return the limits with the default criterion, the test, unless only the named ones are wanted."""
        if self.only and not (self.floor or self.ceiling or self.of_changes):
            raise SettingError("only leaves out the default criterion, and no other is named; name one or omit only.")
        return self if self.only or self.alpha is not None else replace(self, alpha=DEFAULT_ALPHA, is_default=True)


def _bound(kind: str, name: str, value: object) -> float:
    return check_number(
        f"{kind} {name}".rstrip(),
        parse_unit(value, 1),
        lambda value: 0 <= value < inf,
        "a score or a count, 0 at least",
    )


def _points_gate_limits(name: str, value: object) -> float:
    return check_number(
        name, parse_unit(value, 100), lambda value: 0 <= value <= 100, "a number of points from 0 to 100"
    )


_MOST_LISTED = 20
Unit = Literal["fraction", "ratio", "count"]
"""A score from 0 to 1, a measure that may be above 1, or a count."""
_TABLES = ("confusion", "edges")
"""Tables of counts, which floats may be if tokens have weights."""
_SCORES = ("precision", "recall", "f1")
"""Figures that most match models have."""


@dataclass(frozen=True)
class Figure:
    """The number that a result has under a name."""

    name: str
    value: float
    unit: Unit
    is_best_low: bool = False
    """Whether a lower value is better."""
    shares: tuple[str, ...] = ()
    """For a count, the names of its shares, as a criterion spells them."""


@dataclass(frozen=True)
class ScoreName:
    """Which score of a result a user means."""

    given: str
    label: str | None
    model: str
    path: tuple[str, ...]
    """Where its figure stands below the match model."""
    by: str
    """The match model that sentences need not name."""
    is_other: bool = False
    """Whether it is another match model than the name says, so that sentences must name it."""

    @staticmethod
    def read(given: str, task: str, default: str, by: str, options: Mapping[str, Any]) -> ScoreName:
        """What a name means for a task whose systems are compared by a match model; `default` is that of bare names."""
        label, colon, rest = given.rpartition(":")
        first, *path = rest.split(".")
        model = name_among(task, first, [each.name for each in models_of(task)]) if first else default
        if model is None:
            model, path = default, [first, *path]
        decided = TASKS[task].selection.resolve(model, options)
        is_other = first != "" and decided != model
        return ScoreName(given, label if colon else None, decided, tuple(path), by, is_other)

    @property
    def shown(self) -> str:
        """What sentences call it: as it is given, or with its match model where nobody would expect that one."""
        if (self.model == self.by and not self.is_other) or not self.given:
            return self.given or self.model
        return ("" if self.label is None else f"{self.label}:") + ".".join((self.model, *self.path))

    def figure(self, result: Result) -> Figure:
        """The figure that a result has under this name; an error if it has none."""
        score = result[self.model]
        found: Any = self._row(plain_score(score))
        rest, name, beside = self.path or (self._headline(score),), "", found
        while rest:  # names of figures may have full stops
            sizes = range(len(rest), 0, -1) if isinstance(found, Mapping) else ()
            size = next((size for size in sizes if ".".join(rest[:size]) in found), None)
            if size is None:
                raise SettingError(f"{self.given!r} is no score: {self._missing(found, rest[0])}.")
            name, rest, beside = ".".join(rest[:size]), rest[size:], found
            found = found[name]
        if found is None:
            raise SettingError(f"{self.given!r} is not known: files do not tell it, or there is nothing to divide by.")
        if isinstance(found, Mapping):
            names = ", ".join(f"{self.given}.{each}" for each in list(found)[:_MOST_LISTED])
            raise SettingError(f"{self.given!r} stands for several numbers; choose one of {names}.")
        unit = _unit(score.model, name, found, is_tabled=self.path[:1] in [(table,) for table in _TABLES])
        is_best_low = any(measure.is_best_low for measure in score.model.ratios if measure.name == name)
        return Figure(name, float(found), unit, is_best_low, self._shares(score.model, name, beside))

    def declared(self, task: str) -> Figure | None:
        """The figure without its value, where the match model declares it: known before any file is read."""
        model = declared_model(task, self.model).prepare(_default_settings(task, self.by))
        is_accuracy = model.breakdown.details == "accuracy"
        scores = ["accuracy"] if is_accuracy else [] if model.has_ratios_only else list(_SCORES)
        row = dict.fromkeys((*model.counts, *scores, *(measure.name for measure in model.ratios)), nan)
        name = ".".join(self.path) if self.path else "headline"
        if self.path and name not in row:
            return None
        is_best_low = any(measure.is_best_low for measure in model.ratios if measure.name == name)
        unit = _unit(model, name, nan, is_tabled=False)
        return Figure(name, nan, unit, is_best_low, self._shares(model, name, row))

    def _shares(self, model: Formula, count: str, row: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of a count's shares: the measures that divide it or, without one, the scores beside it."""
        sums = model.counts.get(count)
        shares = [
            measure.name
            for measure in model.ratios
            if measure.is_share and sums is not None and measure.numerator == sums
        ]
        scores = ("share",) if "share" in row else (*_SCORES, "accuracy")
        known = [each for each in shares or scores if row.get(each) is not None]
        return tuple(self.given.removesuffix(count) + each for each in known)

    def _row(self, scores: Mapping[str, Any]) -> Mapping[str, Any]:
        """The figures of the label or, without one, of all labels together and what stands beside them."""
        labels = scores.get("labels")
        if self.label is None:
            return {**{name: score for name, score in scores.items() if name != "labels"}, **scores["overall"]}
        if not labels:
            raise SettingError(f"{self.given!r} is no score: {self.model} has no scores of labels.")
        if self.label not in labels:
            raise SettingError(f"{self.given!r} is no score: there is no label {self.label!r}, only {_listed(labels)}.")
        found: Mapping[str, Any] = labels[self.label]
        return found

    def _headline(self, score: MeasureScore) -> str:
        """The one figure of the model, or what stands for it in the row of a label."""
        if self.label is None:
            return "headline"
        if score.model.has_ratios_only:
            return score.model.ratios[0].name
        return "recall" if score.model.headline == "accuracy" else "f1" if score.beta == 1 else "f_beta"

    def _missing(self, found: Any, name: str) -> str:
        """What there is instead of a figure that there is not."""
        if not isinstance(found, Mapping):
            return f"there is nothing below a number, such as {name!r}"
        figures = [each for each, value in found.items() if not isinstance(value, Mapping)]
        hint = f"; for a label write {name}:f1" if self.label is None and self.path[0] == name else ""
        return f"{self.model} has no figure {name!r}, only {_listed(figures)}{hint}"


def model_of_names(names: Iterable[str], task: str, by: str) -> str:
    """The match model of names without one: what systems are compared by, or the owner of a measure among them."""
    prepared = [each.prepare(_default_settings(task, by)) for each in models_of(task)]
    for figure in (name.rpartition(":")[2] for name in names):
        owners = [each.name for each in prepared if figure in (measure.name for measure in each.ratios)]
        if len(owners) != 1 or figure in _SCORES:
            continue
        if name_among(task, figure, [each.name for each in prepared]) is None:
            return owners[0]
    return by


def _default_settings(task: str, by: str) -> ScoreSettings:
    return ScoreSettings(
        (by,), task, parameters={parameter.name: parameter.default for parameter in parameters_of(task)}
    )


def _unit(model: Formula, name: str, value: float, *, is_tabled: bool) -> Unit:
    if any(measure.name == name and not measure.is_share for measure in model.ratios):
        return "ratio"
    return "count" if isinstance(value, int) or is_tabled or name in model.counts else "fraction"


def _listed(names: Any) -> str:
    shown = list(names)
    return ", ".join(shown[:_MOST_LISTED]) + (" and others" if len(shown) > _MOST_LISTED else "")


DEFAULT_DROP = 1.0
"""By how many points a score may fall by default if the test cannot decide."""
_TOLERANCE = 1e-9
_MOST_LABELS = 5
"""How many labels a sentence names."""


def of_scores(limits: Limits, names: Mapping[str, ScoreName], result: Result) -> Iterator[Criterion]:
    """Floors and ceilings of a candidate's scores."""
    for kind, wanted in (("floor", limits.floor), ("ceiling", limits.ceiling)):
        for given, limit in wanted.items():
            figure = names[given].figure(result)
            _check_bound(limits, kind, given, figure)
            distance = figure.value - limit if kind == "floor" else limit - figure.value
            found = _shown(figure, limit)
            bound = f"{limit:g} ({100 * limit:g} %)" if figure.unit == "fraction" else f"{limit:g}"
            sentence = f"{names[given].shown} is {found}; the {kind} is {bound}."
            yield Criterion(kind, limit, figure.value, distance >= -_TOLERANCE, sentence, given, figure.unit)


def check_declared(limits: Limits, names: Mapping[str, ScoreName], task: str) -> None:
    """Refuse limits that do not fit figures which match models declare."""
    for kind, wanted in (("floor", limits.floor), ("ceiling", limits.ceiling)):
        for given in wanted:
            figure = names[given].declared(task)
            if figure is not None:
                _check_bound(limits, kind, given, figure)
    for given in filter(None, limits.drop):
        figure = names[given].declared(task)
        if figure is not None:
            _check_drop(names[given], figure)


def _check_bound(limits: Limits, kind: str, given: str, figure: Figure) -> None:
    """Refuse a fraction above 1, and a share as the limit of a count."""
    criterion = f"{kind} {given}".rstrip()
    limit, is_percent = getattr(limits, kind)[given], f"{kind} {given}" in limits.percents
    if figure.unit == "fraction":
        if limit > 1:
            found = f"{100 * limit:g}%" if is_percent else f"{limit:g}"
            remedy = f"give {limit / 100:g} or {limit:g}%" if limit <= 100 and not is_percent else "give one of these"
            raise SettingError(f"{criterion} is {found}; scores are fractions from 0 to 1: {remedy}.")
        return
    # At most 0 or 1 errors are a usual limit. At least 1 of a count is nearly always meant as 100 %.
    is_share = is_percent or 0 < limit < 1 or (kind == "floor" and limit <= 1)
    if figure.unit == "count" and is_share:
        shares = " or ".join(figure.shares)
        remedies = [f"for a share, use {shares}"] if shares else []
        remedies.append("for a count, give 2 or more" if kind == "floor" else "for a count, give a whole number")
        found = f"{100 * limit:g}%" if is_percent else f"{limit:g}"
        raise SettingError(f"{criterion} is {found}, but {figure.name} is a count; {'; '.join(remedies)}.")
    if is_percent:
        raise SettingError(f"{criterion} is {100 * limit:g}%, but {figure.name} may be above 1; give a number.")


def of_changes(
    limits: Limits,
    names: Mapping[str, ScoreName],
    results: Results | None,
    found: Comparison,
    few: int | None,
) -> Iterator[Criterion]:
    """Drops, new errors and the p-value, against a baseline."""
    (pair,) = found.pairs.values()
    for given, limit in limits.drop.items():
        if given:
            assert results is not None
            before, after = (_share(names[given], results[name]) for name in (pair.before, pair.after))
            yield _drop(100 * (before - after), limit, given=given)
        else:
            yield _drop(-100 * pair.delta, limit)
    if limits.label_drop is not None:
        yield _label_drop(found, pair, limits.label_drop)
    if limits.new_errors is not None:
        yield _new_errors(pair, limits.new_errors)
    if limits.alpha is not None and not _is_left_to_drop(limits, found):
        yield judge_by_alpha(found, pair, limits.alpha, few, by_default=limits.is_default)


def _shown(figure: Figure, limit: float) -> str:
    """A figure with its unit, and enough decimals to differ from the limit."""
    if figure.unit != "fraction":
        return f"{figure.value:,.10g} (a {figure.unit})"
    decimals = next((size for size in range(4, 10) if round(figure.value, size) != limit), 4)
    return f"{figure.value:.{decimals}f} ({100 * figure.value:.{decimals - 2}f} %)"


def _share(name: ScoreName, result: Result) -> float:
    figure = name.figure(result)
    _check_drop(name, figure)
    return figure.value


def _check_drop(name: ScoreName, figure: Figure) -> None:
    """Refuse a drop of a count, or of a measure that is better if it is low."""
    if figure.unit != "fraction":
        subject = f"max-drop {name.given} is in points, but {name.given} is a {figure.unit}"
        raise SettingError(f"{subject}; use ceiling or floor.")
    if figure.is_best_low:
        subject = f"max-drop {name.given} is not a limit, because {name.given} is better if it is low"
        raise SettingError(f"{subject}; use ceiling.")


def _drop(drop: float, limit: float, reason: str = "", given: str = "") -> Criterion:
    score = given or "The score"
    found = f"{score} falls by {drop:.2f} points" if drop > 0 else f"{score} does not fall ({0.0 - drop:+.2f} points)"
    sentence = f"{found}; the limit is {_points(limit)}.{reason}"
    return Criterion("max-drop", limit, drop, drop <= limit + _TOLERANCE, sentence, given, "points")


def _points(limit: float) -> str:
    return "1 point" if limit == 1 else f"{limit:g} points"


def _label_drop(found: Comparison, pair: Pair, limit: float) -> Criterion:
    """By the label that falls most, of those that the gold standard has."""
    drops = {
        label: 100 * (each.scores[pair.before] - each.scores[pair.after])
        for label, each in found.labels.items()
        if each.units
    }
    if not drops:
        raise SettingError(f"max-label-drop does nothing: {found.by} of this gold standard has no labels.")
    falling = sorted(((drop, label) for label, drop in drops.items() if drop > limit + _TOLERANCE), reverse=True)
    most, worst = max((drop, label) for label, drop in drops.items())
    listed = ", ".join(f"{label} by {drop:.2f}" for drop, label in falling[:_MOST_LABELS])
    if len(falling) > _MOST_LABELS:
        listed += f", and {counted(len(falling) - _MOST_LABELS, 'more label')}"
    fell = f"falls by {most:.2f} points" if most > 0 else f"does not fall ({0.0 - most:+.2f} points)"
    sentence = f"Labels fall by too many points: {listed}" if falling else f"Of all labels the worst, {worst}, {fell}"
    return Criterion(
        "max-label-drop", limit, most, not falling, f"{sentence}; the limit is {_points(limit)}.", unit="points"
    )


def _new_errors(pair: Pair, limit: int) -> Criterion:
    count = pair.new_errors.count
    sentence = f"{counted(count, 'new error')}; the limit is {limit:,}."
    return Criterion("max-new-errors", limit, count, count <= limit, sentence, unit="count")


def judge_by_alpha(found: Comparison, pair: Pair, limit: float, few: int | None, *, by_default: bool) -> Criterion:
    """By the p-value, where this can be below the limit; a candidate that is not worse passes."""
    test, drop = pair.significance, -100 * pair.delta
    p = nan if test is None else test.p
    numbers = f"(alpha = {limit:g})" if test is None else f"(p = {p:.4f}, alpha = {limit:g})"
    instead = "" if few is None else f" {_too_few(few, 'documents', limit)}, so the test resamples sentences."
    by_p = partial(Criterion, "alpha", limit, p, unit="p-value")
    if pair.delta >= -ROUNDING:
        return by_p(True, f"The candidate is not worse {numbers}.{instead}")
    worse = f"The candidate is worse by {drop:.2f} points"
    if decides(test, limit):
        chance, passed = ("", False) if p < limit else (", which may be chance", True)
        return by_p(passed, f"{worse}{chance} {numbers}.{instead}")
    why = _cannot_decide(found, pair, limit)
    if by_default:
        return _drop(drop, DEFAULT_DROP, f" {why}.")
    return by_p(False, f"{worse}. {why}; use --max-drop.")


def not_checked(limits: Limits, found: Comparison) -> Iterator[Unchecked]:
    """The default criterion, where a user leaves it out or names a drop for the case that the test cannot decide."""
    if limits.alpha is None:
        rule = f"The score must not fall with a p-value below {DEFAULT_ALPHA:g}"
        yield Unchecked("alpha", DEFAULT_ALPHA, f"{rule}: left out, because only the named criteria are checked.")
    elif _is_left_to_drop(limits, found):
        (pair,) = found.pairs.values()
        yield Unchecked("alpha", limits.alpha, f"{_cannot_decide(found, pair, limits.alpha)}; max-drop decides.")


def _is_left_to_drop(limits: Limits, found: Comparison) -> bool:
    """Whether the default test cannot decide on a worse candidate, and a user names how far the score may fall."""
    (pair,) = found.pairs.values()
    is_open = limits.alpha is not None and pair.delta < -ROUNDING and not decides(pair.significance, limits.alpha)
    return limits.is_default and "" in limits.drop and is_open


def _cannot_decide(found: Comparison, pair: Pair, alpha: float) -> str:
    """Why the test cannot give a p-value below alpha."""
    if pair.significance is not None:
        return f"{_too_few(pair.significance.groups, str(found.resampling['of']), alpha)}, so the test cannot decide"
    group = "document" if TASKS[found.task].evaluation.by_document else "sentence"
    return f"The gold standard has one {group}, so there is nothing to test"


def decides(test: Significance | None, alpha: float) -> bool:
    """Whether the test can give a p-value below alpha."""
    return test is not None and test.least < alpha


def _too_few(number: int, groups: str, alpha: float) -> str:
    """Why no p-value can be below alpha."""
    return f"The systems differ in {counted(number, groups.removesuffix('s'))}, too few for any p-value below {alpha:g}"


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
    systems = systems_by_name([baseline, candidate]) or {}
    _, second = systems
    resampling = _resampling(trials, limits.alpha, seed, of)
    content = content_for(gold, options)
    names = _names(limits, content.task, by, options)
    prepared = _prepared(gold, systems, names, by, options, content) if names else None
    compared = compared_options(options) if names else options
    run = ComparisonJob(gold, systems, [(0, 1)], by, resampling, compared, content=content)
    found = run(scored=prepared)
    _refuse_empty(found.figures(), content.task)
    results = None if prepared is None else totals_of(found.gold_name, found.run, prepared)
    decided = comparison(run, found, limits.alpha or DEFAULT_ALPHA)
    few = decided.resampling["few_documents"]
    criteria = [] if results is None else list(of_scores(limits, names, results[second]))
    criteria += of_changes(limits, names, results, decided, few)
    unchecked = tuple(not_checked(limits, decided))
    return Gate(second, decided.by, tuple(criteria), results, decided, few, unchecked)


def _refuse_empty(gold: GoldSummary, task: str) -> None:
    """A gold standard without any unit leaves scores undefined, so it cannot show that a candidate is good enough."""
    if not gold.units:
        unit = TASKS[task].unit
        finding = f"the gold standard has no {unit} that counts, so no score is defined and the gate cannot pass"
        raise InputError(gold.name, None, finding, f"give a gold standard with {plural(unit)}")


def _without_baseline(
    gold: Input, candidate: Input, limits: Limits, by: str | None, options: Mapping[str, Any]
) -> Gate:
    """By floors and ceilings alone."""
    systems = systems_by_name([candidate]) or {}
    (name,) = systems
    content = content_for(gold, options)
    names = _names(limits, content.task, by, options)
    prepared = _prepared(gold, systems, names, by, options, content)
    results = score_inputs(gold, systems, prepared, "total")
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
    content: GoldProfile,
) -> RunConfig:
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
