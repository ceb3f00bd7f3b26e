"""The criteria of a gate: the value found, whether it keeps the limit, and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import nan

from evenhand.api.gate_limits import DEFAULT_ALPHA, Limits
from evenhand.api.score_names import Figure, ScoreName
from evenhand.problems import SettingError, counted
from evenhand.result.comparison import Comparison
from evenhand.result.gate import Criterion, Unchecked
from evenhand.result.pairs import Pair, Significance
from evenhand.result.result import Result, Results
from evenhand.statistics.draws import ROUNDING
from evenhand.tasks.registry import TASKS

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
        return f"{_too_few(pair.significance.groups, found.resampling['of'], alpha)}, so the test cannot decide"
    group = "document" if TASKS[found.task].by_document else "sentence"
    return f"The gold standard has one {group}, so there is nothing to test"


def decides(test: Significance | None, alpha: float) -> bool:
    """Whether the test can give a p-value below alpha."""
    return test is not None and test.least < alpha


def _too_few(number: int, groups: str, alpha: float) -> str:
    """Why no p-value can be below alpha."""
    return f"The systems differ in {counted(number, groups.removesuffix('s'))}, too few for any p-value below {alpha:g}"
