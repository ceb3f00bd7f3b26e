"""The criteria of a gate: what was found, whether it keeps the limit, and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.api.gate_limits import Limits
from evenhand.api.score_names import Figure, ScoreName
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.result.gate import Criterion
from evenhand.result.pairs import Pair, Significance
from evenhand.result.result import Result, Results
from evenhand.statistics.draws import ROUNDING

DEFAULT_DROP = 1.0
"""By how many points a score may fall where no criterion is named and the test cannot decide."""
_TOLERANCE = 1e-9
_MOST_LABELS = 5
"""How many labels a sentence names."""


def of_scores(limits: Limits, names: Mapping[str, ScoreName], result: Result) -> Iterator[Criterion]:
    """Floors and ceilings of a candidate's scores."""
    for kind, wanted in (("floor", limits.floor), ("ceiling", limits.ceiling)):
        for given, limit in wanted.items():
            figure = names[given].figure(result)
            if not figure.is_count and limit > 1:
                remedy = f"give {limit / 100:g}" if limit <= 100 else "give one of these"
                raise SettingError(f"{kind} {given} is {limit:g}; scores are fractions from 0 to 1: {remedy}.")
            distance = figure.value - limit if kind == "floor" else limit - figure.value
            sentence = f"{names[given].shown} is {_shown(figure, limit)}; the {kind} is {limit:g}."
            yield Criterion(kind, limit, figure.value, distance >= -_TOLERANCE, sentence, given)


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
    if limits.alpha is not None:
        yield judge_by_alpha(found, pair, limits.alpha, few, by_default=limits.is_default)


def _shown(figure: Figure, limit: float) -> str:
    """A figure with as many decimals as tell it from the limit."""
    if figure.is_count:
        return f"{figure.value:,.10g}"
    decimals = next((size for size in range(4, 10) if round(figure.value, size) != limit), 4)
    return f"{figure.value:.{decimals}f}"


def _share(name: ScoreName, result: Result) -> float:
    figure = name.figure(result)
    if figure.is_count:
        raise SettingError(f"max-drop {name.given} is in points, but {name.given} is a count; use ceiling or floor.")
    if figure.is_best_low:
        raise SettingError(
            f"max-drop {name.given} is no limit, as {name.given} is better where it is low; use ceiling."
        )
    return figure.value


def _drop(drop: float, limit: float, reason: str = "", given: str = "") -> Criterion:
    score = given or "The score"
    found = f"{score} falls by {drop:.2f} points" if drop > 0 else f"{score} does not fall ({0.0 - drop:+.2f} points)"
    sentence = f"{found}; the limit is {limit:g}.{reason}"
    return Criterion("max-drop", limit, drop, drop <= limit + _TOLERANCE, sentence, given)


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
        listed += f", and {len(falling) - _MOST_LABELS:,} more labels"
    fell = f"falls by {most:.2f} points" if most > 0 else f"does not fall ({0.0 - most:+.2f} points)"
    sentence = f"Labels fall by too many points: {listed}" if falling else f"Of all labels the worst, {worst}, {fell}"
    return Criterion("max-label-drop", limit, most, not falling, f"{sentence}; the limit is {limit:g}.")


def _new_errors(pair: Pair, limit: int) -> Criterion:
    count = pair.new_errors.count
    errors = "1 new error" if count == 1 else f"{count:,} new errors"
    return Criterion("max-new-errors", limit, count, count <= limit, f"{errors}; the limit is {limit:,}.")


def judge_by_alpha(found: Comparison, pair: Pair, limit: float, few: int | None, *, by_default: bool) -> Criterion:
    """By the p-value, where this can be below the limit; a candidate that is not worse passes."""
    test, drop = pair.significance, -100 * pair.delta
    assert test is not None
    numbers = f"(p = {test.p:.4f}, alpha = {limit:g})"
    instead = "" if few is None else f" {_too_few(few, 'documents', limit)}, so the test resamples sentences."
    if pair.delta >= -ROUNDING:
        return Criterion("alpha", limit, test.p, True, f"The candidate is not worse {numbers}.{instead}")
    worse = f"The candidate is worse by {drop:.2f} points"
    if decides(test, limit):
        chance, passed = ("", False) if test.p < limit else (", which may be chance", True)
        return Criterion("alpha", limit, test.p, passed, f"{worse}{chance} {numbers}.{instead}")
    why = _too_few(test.groups, found.resampling["of"], limit)
    if by_default:
        return _drop(drop, DEFAULT_DROP, f" {why}, so the test cannot decide.")
    return Criterion("alpha", limit, test.p, False, f"{worse}. {why}, so this test cannot decide; use --max-drop.")


def decides(test: Significance | None, alpha: float) -> bool:
    """Whether the test can give a p-value below alpha."""
    return test is not None and test.least < alpha


def _too_few(number: int, groups: str, alpha: float) -> str:
    """Why no p-value can be below alpha."""
    one = groups.removesuffix("s") if number == 1 else groups
    return f"The systems differ in {number:,} {one}, too few for any p-value below {alpha:g}"
