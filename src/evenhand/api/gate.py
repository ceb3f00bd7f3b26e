"""`gate`: check a candidate against fixed limits or against a baseline.

`Limits` are the limits that a user specifies, `ScoreName` finds the figure of a name such as `PER:fair.recall`, and the
criteria check the figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isnan, nan
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack
from urllib.parse import unquote

from evenhand.api.causes import searched_run, searched_slices
from evenhand.api.compare import (
    NOT_COMPARED,
    ComparedRun,
    ComparisonJob,
    ResamplingSettings,
    compared_by,
    compared_options,
    comparison,
    one_measure,
)
from evenhand.api.confidence import confidence, without_hints
from evenhand.api.score import score_inputs, totals_of
from evenhand.api.slices import SliceOptions, TrainingFiles, score_with_slices, with_slices
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.slices import SliceRequest, Slices
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted, plural
from evenhand.parameters import (
    FUNCTIONS,
    TRAIN,
    check_choice,
    check_number,
    check_whole_number,
    checked_arguments,
    parse_unit,
)
from evenhand.pipeline.inputs import (
    Input,
    NamedInput,
    RunConfig,
    Side,
    content_for,
    known_options,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.results.causes import Causes
from evenhand.results.comparison import Comparison, Pair, Significance
from evenhand.results.confidence import CALIBRATED, LOW_IS_GOOD, FigureName, SystemConfidence
from evenhand.results.display import plain
from evenhand.results.gate import Criterion, Gate, Unchecked
from evenhand.results.result import GoldSummary, Result, Results, saved_score
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import MeasureScore
from evenhand.settings import Resampled, ScoreSettings
from evenhand.statistics.bootstrap import ROUNDING
from evenhand.statistics.significance import trials_for
from evenhand.tasks.registry import TASKS, model, models_of, name_among, parameters_of
from evenhand.tasks.task import GoldProfile

if TYPE_CHECKING:
    from evenhand.keywords import Keywords, MatchFunction

DEFAULT_ALPHA = 0.05
SLICE_MIN = 20
"""The minimum number of gold units of a slice with a limit."""
MIN_ALPHA = 1e-6
DEFAULT_DROP = 1.0
"""Default limit, in points, for the drop of a score if the test cannot decide."""
Limit = float | str
"""A number, or a string with its unit: `85%`, `1pp`."""
Unit = Literal["fraction", "ratio", "count"]
"""A score from 0 to 1, a ratio that may exceed 1, or a count."""
_TABLES = ("confusion", "edges")
"""Tables of counts, which may be floats if tokens have weights."""
_SCORES = ("precision", "recall", "f1")
"""Figures of most measures."""
_TOLERANCE = 1e-9
_RESAMPLES, _LEVEL = 1_000, 0.95
"""Of intervals of figures of confidences."""
_MAX_LISTED = 20
_MAX_LABELS = 5
"""Maximum number of labels in a sentence."""


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: Unit
    is_best_low: bool = False
    """Whether a lower value is better."""
    shares: tuple[str, ...] = ()
    """Names of the shares of a count, as a criterion spells them."""


@dataclass(frozen=True)
class ScoreLimit:
    """A limit of a named score."""

    kind: str
    """floor, ceiling or max-drop."""
    name: str
    """The name of the score; empty for the drop of the score that systems are compared by."""
    limit: float
    """A score or count, or the number of points of a drop."""
    is_percent: bool
    """Whether the user gives a unit; counts have none."""

    @staticmethod
    def checked(kind: str, name: str, value: object) -> ScoreLimit:
        title = f"{kind} {name}".rstrip()
        if kind == "max-drop":
            limit = _check_points(title, value)
        else:
            fits = "a score or a count, at least 0"
            limit = check_number(title, parse_unit(value, 1), lambda value: 0 <= value < inf, fits)
        return ScoreLimit(kind, name, limit, isinstance(value, str))

    def check(self, figure: Figure) -> None:
        """Refuse a fraction above 1, a share as the limit of a count, and a drop of a count or of a low ratio."""
        name, limit, title = self.name, self.limit, f"{self.kind} {self.name}".rstrip()
        text = f"{100 * limit:g}%" if self.is_percent else f"{limit:g}"
        # At most 0 or 1 errors are a usual limit. At least 1 of a count is nearly always meant as 100 %.
        is_share = self.is_percent or 0 < limit < 1 or (self.kind == "floor" and limit <= 1)
        if self.kind == "max-drop" and figure.unit != "fraction":
            finding = f"{title} is in points, but {name} is a {figure.unit}; use ceiling or floor"
        elif self.kind == "max-drop" and figure.is_best_low:
            finding = f"{title} is not a limit, because {name} is better if it is low; use ceiling"
        elif self.kind == "max-drop":
            return
        elif figure.unit == "fraction" and limit > 1:
            is_likely = limit <= 100 and not self.is_percent
            remedy = f"use {limit / 100:g} or {limit:g}%" if is_likely else "use a fraction or a percentage"
            finding = f"{title} is {text}; scores are fractions from 0 to 1: {remedy}"
        elif figure.unit == "count" and is_share:
            remedies = [f"for a share, use {' or '.join(figure.shares)}"] if figure.shares else []
            remedies.append("for a count, use 2 or more" if self.kind == "floor" else "for a count, use a whole number")
            finding = f"{title} is {text}, but {figure.name} is a count; {'; '.join(remedies)}"
        elif figure.unit != "fraction" and self.is_percent:
            finding = f"{title} is {text}, but {figure.name} may be above 1; use a number"
        else:
            return
        raise SettingError(f"{finding}.")


@dataclass(frozen=True)
class PowerLimit:
    """The power that the test set must have, so a gate does not pass for lack of data."""

    least: float
    drop: float
    """The drop that the test must show, in points."""

    @staticmethod
    def checked(need_power: object, power_for: object) -> PowerLimit | None:
        if need_power is None:
            if power_for is not None:
                raise SettingError("--for has no effect without --need-power; specify the power, such as 0.8.")
            return None
        least = check_number(
            "need-power", parse_unit(need_power, 1), lambda value: 0 < value < 1, "a number between 0 and 1"
        )
        drop = DEFAULT_DROP if power_for is None else parse_unit(power_for, 100)
        fits = "points above 0 and at most 100"
        return PowerLimit(least, check_number("--for", drop, lambda value: 0 < value <= 100, fits))


@dataclass(frozen=True)
class Limits:
    """The limits that a user specifies; by default none."""

    scores: Sequence[ScoreLimit]
    """Floors, then ceilings, then drops."""
    label_drop: float | None
    new_errors: int | None
    no_worse_slice: bool
    alpha: float | None
    only: bool
    """Whether the default criteria are left out."""
    power: PowerLimit | None = None
    is_default: bool = False
    """Whether alpha is the default."""

    @staticmethod
    def checked(
        floor: Mapping[str, Limit] | None,
        ceiling: Mapping[str, Limit] | None,
        max_drop: object,
        max_label_drop: object,
        max_new_errors: object,
        no_worse_slice: object,
        alpha: object,
        only: bool,
        need_power: object = None,
        power_for: object = None,
    ) -> Limits:
        """Check the limits that a user specifies."""
        drops = max_drop if max_drop is None or isinstance(max_drop, Mapping) else {"": max_drop}
        if alpha is not None:
            fits = f"a number below 1, and at least {MIN_ALPHA:f}"
            alpha = check_number("alpha", parse_unit(alpha, 1), lambda value: MIN_ALPHA <= value < 1, fits)
        by_kind = {"floor": floor, "ceiling": ceiling, "max-drop": drops}
        return Limits(
            [
                ScoreLimit.checked(kind, name, value)
                for kind, limits in by_kind.items()
                for name, value in (limits or {}).items()
            ],
            None if max_label_drop is None else _check_points("max-label-drop", max_label_drop),
            None if max_new_errors is None else check_whole_number("max-new-errors", max_new_errors, 0),
            bool(no_worse_slice),
            alpha,
            only=bool(only),
            power=PowerLimit.checked(need_power, power_for),
        )

    @property
    def score_names(self) -> list[str]:
        """The names of all scores with limits."""
        return list(dict.fromkeys(limit.name for limit in self.scores if limit.name or limit.kind != "max-drop"))

    @property
    def of_changes(self) -> list[str]:
        """The limits that need a baseline."""
        named = {"max-label-drop": self.label_drop, "max-new-errors": self.new_errors, "alpha": self.alpha}
        named["need-power"] = None if self.power is None else self.power.least
        others = [name for name, value in named.items() if value is not None]
        others += ["no-worse-slice"] if self.no_worse_slice else []
        return [limit.kind for limit in self.scores if limit.kind == "max-drop"] + others

    def for_baseline(self, baseline: NamedInput | None) -> Limits:
        """The limits with the default criterion, the test; without a baseline, only floors and ceilings are valid."""
        if baseline is None and self.of_changes:
            raise SettingError(f"{self.of_changes[0]} needs a baseline; specify one, or use floor and ceiling.")
        if baseline is None and not self.scores:
            raise SettingError(
                "Without a baseline there is nothing to compare with; specify one, or a floor or ceiling."
            )
        if baseline is None or self.alpha is not None:
            return self
        if self.only and not (self.scores or self.of_changes):
            raise SettingError(
                "only skips the default criterion, but no other is specified; specify one, or remove only."
            )
        return self if self.only else replace(self, alpha=DEFAULT_ALPHA, is_default=True)


def _check_points(name: str, value: object) -> float:
    fits = "a number of points from 0 to 100"
    return check_number(name, parse_unit(value, 100), lambda value: 0 <= value <= 100, fits)


@dataclass(frozen=True)
class ScoreName:
    """The score of a result that a user names: LABEL:MEASURE.FIGURE."""

    text: str
    """The name as the user writes it."""
    label: str | None
    model: str
    path: tuple[str, ...]
    """Keys of its figure in the scores of the measure."""
    by: str
    """The measure that sentences need not name."""
    is_other: bool = False
    """Whether options replaced the named measure, so sentences must name it."""
    slice: tuple[str, str] | None = None
    """The slicing and the slice whose score it is."""

    @staticmethod
    def read(text: str, task: str, default: str, by: str, options: Mapping[str, Any]) -> ScoreName:
        """Parse a name for a task whose systems are compared by a measure; names without a measure have `default`."""
        piece, plain = slice_in(text)
        label, colon, remainder = plain.rpartition(":")
        first, *path = remainder.split(".")
        known = [*(measure.name for measure in models_of(task)), *options.get(FUNCTIONS, ())]
        named = name_among(task, first, known) if first else default
        if named is None:
            named, path = default, [first, *path]
        resolved = TASKS[task].selection.resolve(named, options)
        is_other = first != "" and resolved != named
        return ScoreName(text, label if colon else None, resolved, tuple(path), by, is_other, piece)

    @property
    def full_name(self) -> str:
        """The name for sentences: as the user writes it, or with its measure if that is not obvious."""
        if (self.model == self.by and not self.is_other) or not self.text or self.slice is not None:
            return self.text or self.model
        return ("" if self.label is None else f"{self.label}:") + ".".join((self.model, *self.path))

    def figure(self, result: Result, slice_min: int = SLICE_MIN) -> Figure:
        """The figure of a result under this name; an error if it has none, or if its slice is too small."""
        score = result[self.model] if self.slice is None else self._sliced(result, slice_min)
        value: Any = self._row(plain(saved_score(score)))
        path, name, row = self.path or (self._headline(score),), "", value
        while path:  # names of figures may contain full stops
            sizes = range(len(path), 0, -1) if isinstance(value, Mapping) else ()
            size = next((size for size in sizes if ".".join(path[:size]) in value), None)
            if size is None:
                raise SettingError(f"{self.text!r} is not a score: {self._missing(value, path[0])}.")
            name, path, row = ".".join(path[:size]), path[size:], value
            value = value[name]
        if value is None:
            raise SettingError(f"{self.text!r} is undefined: the files lack it, or its denominator is 0.")
        if isinstance(value, Mapping):
            names = ", ".join(f"{self.text}.{key}" for key in list(value)[:_MAX_LISTED])
            raise SettingError(f"{self.text!r} is ambiguous; choose one of {names}.")
        return self._figure(score.model, name, value, row)

    def _sliced(self, result: Result, least: int) -> MeasureScore:
        """The score on the slice, which must have enough units."""
        assert self.slice is not None
        name, value = self.slice
        slices = result.slices[name]
        if value not in slices:
            raise SettingError(f"{self.text!r} is not a score: {name} has no slice {value!r}, only {_listed(slices)}.")
        piece = slices[value]
        if self.model not in piece:
            raise SettingError(
                f"{self.text!r} is not a score: {self.model} has no units, so it has no slices of {name}."
            )
        if piece.units < least:
            units = f"expected at least {least} units for a floor, got {piece.units}"
            raise SettingError(f"{name}={value}: {units}.")
        return piece[self.model]

    def declared(self, task: str) -> Figure | None:
        """The figure without its value, if the measure declares it: known before any file is read."""
        formula = model(task, self.model).prepare(_default_settings(task, self.by))
        is_accuracy = formula.breakdown.details == "accuracy"
        scores = ["accuracy"] if is_accuracy else [] if formula.has_ratios_only else list(_SCORES)
        row = dict.fromkeys((*formula.counts, *scores, *(ratio.name for ratio in formula.ratios)), nan)
        name = ".".join(self.path) if self.path else "headline"
        if self.path and name not in row:
            return None
        return self._figure(formula, name, nan, row)

    def _figure(self, formula: Formula, name: str, value: float, row: Mapping[str, Any]) -> Figure:
        """A figure with its unit. Shares of a count are ratios with this numerator, or else the scores of its row."""
        ratios = [ratio for ratio in formula.ratios if ratio.name == name]
        is_count = isinstance(value, int) or name in formula.counts or bool({*self.path[:1]} & {*_TABLES})
        is_ratio = any(not ratio.is_share for ratio in ratios)
        sums = formula.counts.get(name)
        shares = [
            ratio.name for ratio in formula.ratios if ratio.is_share and sums is not None and ratio.numerator == sums
        ]
        scores = ("share",) if "share" in row else (*_SCORES, "accuracy")
        known = [score for score in shares or scores if row.get(score) is not None]
        return Figure(
            name,
            float(value),
            "ratio" if is_ratio else "count" if is_count else "fraction",
            any(ratio.is_best_low for ratio in ratios),
            tuple(self.text.removesuffix(name) + share for share in known),
        )

    def _row(self, scores: Mapping[str, Any]) -> Mapping[str, Any]:
        """The figures of the label or, without one, the overall figures."""
        labels = scores.get("labels")
        if self.label is None:
            return {**{name: score for name, score in scores.items() if name != "labels"}, **scores["overall"]}
        if not labels:
            raise SettingError(f"{self.text!r} is not a score: {self.model} has no scores by label.")
        if self.label not in labels:
            raise SettingError(f"{self.text!r} is not a score: unknown label {self.label!r}, only {_listed(labels)}.")
        row: Mapping[str, Any] = labels[self.label]
        return row

    def _headline(self, score: MeasureScore) -> str:
        """The key of the headline, overall or in the row of a label."""
        if self.label is None:
            return "headline"
        if score.model.has_ratios_only:
            return score.model.ratios[0].name
        return "recall" if score.model.headline == "accuracy" else "f1" if score.beta == 1 else "f_beta"

    def _missing(self, row: Any, name: str) -> str:
        """The available figures, for a message about an unknown one."""
        if not isinstance(row, Mapping):
            return f"a number has no figures such as {name!r}"
        figures = [figure for figure, value in row.items() if not isinstance(value, Mapping)]
        hint = f"; for a label write {name}:f1" if self.label is None and self.path[0] == name else ""
        return f"{self.model} has no figure {name!r}, only {_listed(figures)}{hint}"


def slice_in(text: str) -> tuple[tuple[str, str] | None, str]:
    """The slicing and slice of a name, if it has one, and the name without it: [LABEL:]SLICE=VALUE/FIGURE.

    The slice precedes the last slash, and its value may contain equals signs; `/` and `:` in it are percent-encoded.
    """
    before, slash, figure = text.rpartition("/")
    label, colon, piece = before.rpartition(":")
    name, equals, value = piece.partition("=")
    if not (slash and equals and name and value):
        return None, text
    return (name, unquote(value)), f"{label}{colon}{figure}"


def measure_of_names(names: Iterable[str], task: str, by: str) -> str:
    """The measure of names without one: the compared measure, or the only one that declares a named ratio."""
    formulas = [measure.prepare(_default_settings(task, by)) for measure in models_of(task)]
    for figure in (slice_in(name)[1].rpartition(":")[2] for name in names):
        owners = [formula.name for formula in formulas if figure in (ratio.name for ratio in formula.ratios)]
        if len(owners) != 1 or figure in _SCORES:
            continue
        if name_among(task, figure, [formula.name for formula in formulas]) is None:
            return owners[0]
    return by


def _default_settings(task: str, by: str) -> ScoreSettings:
    return ScoreSettings(
        (by,), task, parameters={parameter.name: parameter.default for parameter in parameters_of(task)}
    )


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_MAX_LISTED]) + (" and others" if len(listed) > _MAX_LISTED else "")


def criteria(
    limits: Limits,
    names: Mapping[str, ScoreName],
    results: Results | None,
    candidate: str,
    compared: Comparison | None,
    slice_min: int = SLICE_MIN,
) -> Iterator[Criterion]:
    """Floors and ceilings of a candidate's scores; drops, new errors and the p-value, against a baseline."""
    pair = None if compared is None else next(iter(compared.pairs.values()))
    for limit in limits.scores:
        if pair is not None and limit.kind == "max-drop" and not limit.name:
            yield _drop(-100 * pair.delta, limit.limit)
            continue
        assert results is not None
        name, figures = names[limit.name], dict[str, Figure]()
        for system in results if limit.kind == "max-drop" else [candidate]:
            figures[system] = name.figure(results[system], slice_min)
            limit.check(figures[system])
        if pair is not None and limit.kind == "max-drop":
            yield _drop(100 * (figures[pair.before].value - figures[pair.after].value), limit.limit, name=limit.name)
        else:
            yield _bound(limit, name.full_name, figures[candidate])
    if compared is None or pair is None:
        return
    if limits.label_drop is not None:
        yield _label_drop(compared, pair, limits.label_drop)
    if limits.new_errors is not None:
        count, most = pair.new_errors.count, limits.new_errors
        sentence = f"{counted(count, 'new error')}; the limit is {most:,}."
        yield Criterion("max-new-errors", most, count, count <= most, sentence, unit="count")
    if limits.alpha is not None and not _is_left_to_drop(limits, compared):
        yield judge_by_alpha(compared, pair, limits.alpha, by_default=limits.is_default)


def _bound(limit: ScoreLimit, name: str, figure: Figure) -> Criterion:
    """A floor or a ceiling; the value has enough decimals to differ from it."""
    bound, value = limit.limit, figure.value
    shown, shown_bound = f"{value:,.10g} (a {figure.unit})", f"{bound:g}"
    if figure.unit == "fraction":
        decimals = next((size for size in range(4, 10) if round(value, size) != bound), 4)
        shown = f"{value:.{decimals}f} ({100 * value:.{decimals - 2}f} %)"
        shown_bound += f" ({100 * bound:g} %)"
    distance = value - bound if limit.kind == "floor" else bound - value
    sentence = f"{name} is {shown}; the {limit.kind} is {shown_bound}."
    return Criterion(limit.kind, bound, value, distance >= -_TOLERANCE, sentence, limit.name, figure.unit)


def _drop(drop: float, limit: float, reason: str = "", name: str = "") -> Criterion:
    sentence = f"{name or 'The score'} {_fall(drop)}; the limit is {_points(limit)}.{reason}"
    return Criterion("max-drop", limit, drop, drop <= limit + _TOLERANCE, sentence, name, "points")


def _fall(drop: float) -> str:
    return f"falls by {drop:.2f} points" if drop > 0 else f"does not fall ({0.0 - drop:+.2f} points)"


def _points(limit: float) -> str:
    return "1 point" if limit == 1 else f"{limit:g} points"


def _label_drop(comparison: Comparison, pair: Pair, limit: float) -> Criterion:
    """The largest drop of a gold label's score."""
    drops = {
        label: 100 * (row.scores[pair.before] - row.scores[pair.after])
        for label, row in comparison.labels.items()
        if row.units
    }
    if not drops:
        raise SettingError(f"max-label-drop has no effect: {comparison.by} of this gold standard has no labels.")
    falling = sorted(((drop, label) for label, drop in drops.items() if drop > limit + _TOLERANCE), reverse=True)
    largest, worst = max((drop, label) for label, drop in drops.items())
    listed = ", ".join(f"{label} by {drop:.2f}" for drop, label in falling[:_MAX_LABELS])
    if len(falling) > _MAX_LABELS:
        listed += f", and {counted(len(falling) - _MAX_LABELS, 'more label')}"
    all_labels = f"Of all labels the worst, {worst}, {_fall(largest)}"
    sentence = f"Labels fall by too many points: {listed}" if falling else all_labels
    return Criterion(
        "max-label-drop", limit, largest, not falling, f"{sentence}; the limit is {_points(limit)}.", unit="points"
    )


def judge_by_alpha(comparison: Comparison, pair: Pair, limit: float, *, by_default: bool) -> Criterion:
    """The p-value, if the test can decide. A candidate that is not worse passes."""
    test, drop, few = pair.significance, -100 * pair.delta, comparison.resampling["few_documents"]
    p = nan if test is None else test.p
    numbers = f"(alpha = {limit:g})" if test is None else f"(p = {p:.4f}, alpha = {limit:g})"
    instead = "" if few is None else f" {_too_few(few, 'documents', limit)}, so the test resamples sentences."
    by_p = partial(Criterion, "alpha", limit, p, unit="p-value")
    if pair.delta >= -ROUNDING:
        return by_p(True, f"The candidate is not worse {numbers}.{instead}")
    worse = f"The candidate is worse by {drop:.2f} points"
    if decides(test, limit):
        if p < limit:
            return by_p(False, f"{worse} {numbers}.{instead}")
        from evenhand.report.verdict import detectable_clause  # loaded if it is needed

        clause = detectable_clause([pair.detectable], str(comparison.resampling["of"]))
        return by_p(True, f"{worse}, which may be chance {numbers}{f'; {clause}' if clause else ''}.{instead}")
    why = _cannot_decide(comparison, pair, limit)
    if by_default:
        return _drop(drop, DEFAULT_DROP, f" {why}.")
    return by_p(False, f"{worse}. {why}; use --max-drop.")


def judge_by_power(limit: PowerLimit, run: ComparedRun, pair: Pair, alpha: float) -> Criterion:
    """Whether the test would show a drop of the candidate, if its true score were so much lower."""
    from evenhand.statistics.power import FEWEST, ROUGH_BELOW, PowerCurve

    (kind, number), drop = run.groups, _points(limit.drop)
    size, least = counted(number, kind.removesuffix("s")), f"the minimum is {100 * limit.least:g} % power"
    by_power = partial(Criterion, "need-power", limit.least)
    tables = GroupTables.of(run.model, run.tallies_of(run.model), number)
    if number < FEWEST:
        few = f"{size} {'is' if number == 1 else 'are'} too few to show a drop of {drop}"
        return by_power(nan, False, f"{few}; {least}.")
    if not tables.differing(pair.before, pair.after):
        return by_power(nan, True, "The two outputs are identical; there is no difference to detect.")
    curve = PowerCurve(tables.spread(pair.before, pair.after), alpha, limit.least, is_reversed=True)
    if not curve.spread.sd:
        reason = f"the systems differ alike in all {size}, so power cannot be estimated"
        return by_power(nan, False, f"{reason[:1].upper()}{reason[1:]}; {least}.")
    power = curve.power(limit.drop / 100, number)
    rough = "rough: only " if number < ROUGH_BELOW else ""
    figures = f"{100 * power:.1f} times in 100 (alpha = {alpha:g}, {rough}{size})"
    return by_power(power, power >= limit.least, f"A drop of {drop} would be significant {figures}; {least}.")


def not_checked(limits: Limits, comparison: Comparison) -> Iterator[Unchecked]:
    """The default criterion, if a user leaves it out, or the test cannot decide and a user specifies a drop."""
    if limits.alpha is None:
        rule = f"The score must not fall with a p-value below {DEFAULT_ALPHA:g}"
        yield Unchecked("alpha", DEFAULT_ALPHA, f"{rule}: skipped because only the specified criteria are checked.")
    elif _is_left_to_drop(limits, comparison):
        (pair,) = comparison.pairs.values()
        yield Unchecked("alpha", limits.alpha, f"{_cannot_decide(comparison, pair, limits.alpha)}; max-drop decides.")


def _is_left_to_drop(limits: Limits, comparison: Comparison) -> bool:
    """Whether the default test cannot decide on a worse candidate, and a user specifies a maximum drop."""
    (pair,) = comparison.pairs.values()
    is_open = limits.alpha is not None and pair.delta < -ROUNDING and not decides(pair.significance, limits.alpha)
    has_drop = any(limit.kind == "max-drop" and not limit.name for limit in limits.scores)
    return limits.is_default and has_drop and is_open


def _cannot_decide(comparison: Comparison, pair: Pair, alpha: float) -> str:
    """Why the test cannot give a p-value below alpha."""
    if pair.significance is not None:
        return (
            f"{_too_few(pair.significance.groups, str(comparison.resampling['of']), alpha)}, so the test cannot decide"
        )
    group = "document" if TASKS[comparison.task].evaluation.by_document else "sentence"
    return f"The gold standard has one {group}, so there is nothing to test"


def decides(test: Significance | None, alpha: float) -> bool:
    """Whether the test can give a p-value below alpha."""
    return test is not None and test.least < alpha


def _too_few(number: int, groups: str, alpha: float) -> str:
    return f"The systems differ in {counted(number, groups.removesuffix('s'))}, too few for any p-value below {alpha:g}"


@checked_arguments(known_options, inputs=("gold", "baseline", "candidate"))
def gate(
    gold: Side,
    baseline: NamedInput | None = None,
    candidate: NamedInput | None = None,
    *,
    floor: Mapping[str, Limit] | None = None,
    ceiling: Mapping[str, Limit] | None = None,
    max_drop: Limit | Mapping[str, Limit] | None = None,
    max_label_drop: Limit | None = None,
    max_new_errors: int | None = None,
    no_worse_slice: bool = False,
    alpha: Limit | None = None,
    need_power: Limit | None = None,
    power_for: Limit | None = None,
    only: bool = False,
    by: str | MatchFunction | None = None,
    trials: int | None = None,
    seed: int = 0,
    of: Resampled | None = None,
    slices: Slices = (),
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    slice_min: int = SLICE_MIN,
    floor_at: Literal["value", "lower"] = "value",
    **options: Unpack[Keywords],
) -> Gate:
    """Check a candidate against fixed limits or against a baseline.

    floor           scores that it must reach, as fractions: {"fair": 0.85, "PER:recall": "90%"}
    ceiling         scores or counts that it must not exceed: {"FP": 20, "ORG:fair.LE": 3}
    max_drop        maximum drop of its score in points (of 100); a mapping names other scores: {"PER:recall": 2}
    max_label_drop  maximum drop, in points, of its score on any label of the gold standard
    max_new_errors  maximum number of units that only the baseline has right
    no_worse_slice  it must not be significantly worse in any slice that `causes` searches
    alpha           it must not be worse with a p-value below this; with a baseline, 0.05 by default
    need_power      minimum power of the test: fail if the test set cannot show a drop of `power_for` points
    power_for       that drop, in points [1]
    only            check only the specified criteria, not the default one
    of              what the test resamples: "documents" or "sentences"; without it, documents, or sentences if the
                    systems differ in too few documents for any p-value below alpha (chains always by document)

    slices          metadata and bins of slices, as in `score`; with no_worse_slice also further slices
    train, drop_leaked
                    training data, as in `score`, for limits of slices such as "seen=new/recall"
    slice_min       minimum number of gold units of a slice that has a limit; fewer are an error
    floor_at        what floors and ceilings of confidences are compared with: the "value" on this data, or the "lower"
                    end of its interval (the upper end for a ceiling)

    A gold standard without any unit is an error because every score is undefined.

    All specified criteria must hold, and with a baseline the default one, alpha. `gate.not_checked` has the criteria
    that were left out. Floors and ceilings need no baseline: gate(gold, candidate=…, floor=…). Limits may be strings
    with a unit: "85%" is 0.85 as a floor, "1pp" (or "1%") is 1 point as a drop. Shares have separate names
    (`leak.documents_safe_share`); a floor of 1 or less on a count (`leak.documents_safe`) is refused.

    Names of scores have the form LABEL:MEASURE.FIGURE. The default label is all labels, the default measure is `by`,
    and the default figure is the headline; figures are named as in the JSON of `score` ("precision", "FN", "macro.f1").
    Without `by`, a figure that only one measure declares (`leak_rate`) makes it the default measure. Scores on slices
    are named [LABEL:]SLICE=VALUE/[MEASURE.]FIGURE: {"genre=chat/recall": 0.8, "PER:length=2/fair.f1": 0.7}; `/` and `:`
    in a value are percent-encoded.

    Floors and ceilings may be figures of confidences, of the measure that `confidence` uses by default or of a named
    one: {"ap": 0.7, "recall@precision-0.95": 0.8, "PER:exact.ap": 0.6, "risk@coverage-0.9": 0.02, "ece": 0.05}.

    A test that cannot reach alpha is not a reason to pass: if the systems differ in too few groups, a worse candidate
    fails by a specified alpha; by default its score may fall by max_drop or, without that, by one point. `by`,
    `trials`, `seed` and other keywords are as in `compare`; parameters of the named measures are accepted, too.
    """
    limits = Limits.checked(
        *(floor, ceiling, max_drop, max_label_drop, max_new_errors, no_worse_slice, alpha, only, need_power, power_for)
    )
    if candidate is None:
        raise SettingError(
            "The candidate is missing; specify it: gate(gold, candidate=…), or gate(gold, baseline, candidate)."
        )
    check_choice("floor_at", floor_at, ("value", "lower"))
    gold, limits, chosen = side_of(gold), limits.for_baseline(baseline), dict[str, Any](options)
    of_confidence = [limit for limit in limits.scores if _names_confidence(limit.name)]
    limits = replace(limits, scores=[limit for limit in limits.scores if limit not in of_confidence])
    for limit in of_confidence:
        if limit.kind == "max-drop":
            raise SettingError(f"{limit.name} is a figure of confidences, which has no drop; use floor or ceiling.")
    if floor_at == "lower" and not of_confidence:
        raise SettingError("floor_at has no effect in this gate because no limit is a figure of confidences.")
    measure = one_measure(by, chosen)
    systems = systems_by_name([candidate] if baseline is None else [baseline, candidate]) or {}
    *_, last = systems
    resampling = None if baseline is None else _resampling(trials, limits.alpha, seed, of)
    content = content_for(gold, chosen, systems)
    compared = compared_by(TASKS[content.task], measure, chosen)
    default = compared if measure is not None else measure_of_names(limits.score_names, content.task, compared)
    names = {name: ScoreName.read(name, content.task, default, compared, chosen) for name in limits.score_names}
    for limit in limits.scores:  # before files are read
        figure = names[limit.name].declared(content.task) if limit.name in names else None
        if figure is not None:
            limit.check(figure)
    prepared = (
        _prepared(gold, systems, names, compared, {**chosen, TRAIN: train}, content)
        if names or baseline is None
        else None
    )
    of_slices = SliceOptions.of(slices, None, train, drop_leaked)
    searched, request = of_slices, of_slices.request
    request = request.adding(name.slice[0] for name in names.values() if name.slice and not request.has(name.slice[0]))
    of_slices = replace(SliceOptions.of(request, vocabulary), train=of_slices.train, drop_leaked=of_slices.drop_leaked)
    if request and not any(name.slice for name in names.values()) and not limits.no_worse_slice:
        raise SettingError("slices have no effect in this gate because no limit uses one; add one: genre=chat/recall.")
    least = check_whole_number("slice_min", slice_min, 1)
    confident = partial(_confidence_criteria, of_confidence, gold, {last: systems[last]}, chosen, floor_at, seed)
    if resampling is None:
        assert prepared is not None  # there is a floor or a ceiling
        if of_slices:
            results = score_with_slices(gold, systems, prepared, "total", of_slices)
        else:
            results = score_inputs(gold, systems, prepared, "total")
        results = without_hints(results) if of_confidence else results
        _refuse_empty(results.gold, content.task)
        checked = (*criteria(limits, names, results, last, None, least), *confident())
        return Gate(last, default, checked, results, None)
    kept = compared_options(chosen) if names else chosen
    attributes, optional = SliceRequest(), tuple[str, ...]()
    if limits.no_worse_slice:
        attributes, optional = searched_slices(TASKS[content.task], searched)
    job = ComparisonJob(
        gold, systems, [(0, 1)], measure, resampling, kept, of_slices, False, content, attributes, optional
    )
    run = job(scored=prepared, sliced=request, side="all" if limits.no_worse_slice else None)
    _refuse_empty(run.gold, content.task)
    scored = None if run.scored is None else totals_of(run.gold_name, run.run, run.scored)
    if scored is not None and run.slice_counts is not None:
        scored = with_slices(scored, run.run, run.slice_counts, gold, job.data.notes)
    alpha = limits.alpha or DEFAULT_ALPHA
    result = comparison(job, run, alpha)
    checked = (*criteria(limits, names, scored, last, result, least), *confident())
    causes = None
    if limits.no_worse_slice:
        causes = searched_run(job, run, (0, 1), worse=True, examples=0)
        checked += (_no_worse_slice(causes),)
    if limits.power is not None:
        settled = run.settled(job.pairs, alpha)
        checked += (judge_by_power(limits.power, settled, next(iter(result.pairs.values())), alpha),)
    few = result.resampling["few_documents"]
    return Gate(last, result.by, checked, scored, result, few, tuple(not_checked(limits, result)), causes)


def _no_worse_slice(causes: Causes) -> Criterion:
    """Whether the search finds no slice in which the candidate is worse."""
    size = len(causes.found)
    if size:
        rows = (f"{row.slice} ({100 * row.inside:+.1f} points of errors, p = {row.p:.3f})" for row in causes.found)
        listed = ", ".join(rows)
        sentence = f"The candidate is significantly worse in {counted(size, 'slice')}: {listed}."
    else:
        sentence = f"The candidate is not significantly worse in any of {counted(len(causes.slices), 'slice')}."
        if causes.detectable is not None:
            sentence += f" Half of them can only show differences of {100 * causes.detectable:.1f} points or more."
    return Criterion("no-worse-slice", 0, size, not size, sentence, unit="count")


def _names_confidence(name: str) -> tuple[str | None, str | None, FigureName] | None:
    """Label, measure and figure of a name, if it is a figure of confidences: [LABEL:][MEASURE.]FIGURE."""
    label, colon, plain = name.rpartition(":")
    figure, measure = FigureName.of(plain), None
    if figure is None:
        measure, _, plain = plain.partition(".")
        figure = FigureName.of(plain) if measure else None
    if figure is None or (measure is not None and figure.figure in ("over", "under")):
        return None  # counts of other measures have these names
    return label if colon else None, measure, figure


def _confidence_criteria(
    limits: Sequence[ScoreLimit],
    gold: Input,
    candidate: Mapping[str, Input],
    options: Mapping[str, Any],
    at: str,
    seed: int,
) -> Iterator[Criterion]:
    """Floors and ceilings of figures of confidences; each measure is evaluated once."""
    evaluated: dict[str | None, SystemConfidence] = {}
    for limit in limits:
        named = _names_confidence(limit.name)
        assert named is not None
        label, measure, figure = named
        if label is not None and figure.figure == "macro_ap":
            raise SettingError(f"{limit.name} is the mean of all labels; remove {label}, or use ap.")
        if measure not in evaluated:
            result = confidence(gold, candidate, resamples=0, by_label=at == "lower", **{**options, "match": measure})
            (evaluated[measure],) = result.systems.values()
        system = evaluated[measure] if label is None else evaluated[measure].label(label)
        limit.check(Figure(limit.name, nan, "fraction", figure.figure in LOW_IS_GOOD))
        value = system.figure(figure)
        if isnan(value):
            reason = f": {system.uncalibrated}" if figure.figure in CALIBRATED and system.uncalibrated else ""
            raise SettingError(f"{limit.name} is undefined{reason}.")
        if at == "lower":
            interval = system.interval(figure, _RESAMPLES, seed, _LEVEL)
            if interval is None:
                raise SettingError(f"{limit.name} has no interval; remove --floor-at lower.")
            value = interval[0 if limit.kind == "floor" else 1]
        yield _bound(limit, limit.name, Figure(limit.name, value, "fraction", figure.figure in LOW_IS_GOOD))


def _refuse_empty(gold: GoldSummary, task: str) -> None:
    """Refuse a gold standard without units: all scores are undefined, so a candidate cannot be good enough."""
    if not gold.units:
        unit = TASKS[task].unit
        finding = f"the gold standard has no {unit} that counts, so no score is defined and the gate cannot pass"
        raise InputError(gold.name, None, finding, f"use a gold standard with {plural(unit)}")


def _prepared(
    gold: Input,
    systems: Mapping[str, Input],
    names: Mapping[str, ScoreName],
    compared: str,
    options: Mapping[str, Any],
    content: GoldProfile,
) -> RunConfig:
    """The settings of the named measures and of the compared one."""
    for name in NOT_COMPARED:
        if options.get(name) not in (None, "", ()):
            raise SettingError(f"{name} has no effect in a gate; remove it.")
    models = [compared, *(name.model for name in names.values())]
    others = [model(content.task, name).counterpart for name in models]
    match = tuple(dict.fromkeys((*models, *filter(None, others))))
    return prepare(gold, systems, {**options, "match": match}, content)


def _resampling(trials: int | None, alpha: float | None, seed: int, of: Resampled | None) -> ResamplingSettings:
    """The settings of the test; without trials if alpha is None."""
    trials = trials_for(1, alpha or DEFAULT_ALPHA) if trials is None else trials
    resampling = ResamplingSettings(trials, seed=seed, of=of).checked()
    if alpha is None:
        return replace(resampling, trials=0)
    if 1 / (resampling.trials + 1) >= alpha:
        minimum = f"at least {int(1 / alpha):,}"
        raise SettingError(f"trials is {trials:,}; for p-values below {alpha:g} the test needs {minimum}.")
    return resampling
