"""`gate`: whether a candidate is good enough to replace a baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.api.comparison import comparison
from evenhand.api.comparison_run import ComparisonRun
from evenhand.api.significance import Resampling
from evenhand.arguments import checked_arguments, number_that, whole_number
from evenhand.pipeline.inputs import Input, unique_names
from evenhand.pipeline.options import known_options
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.result.gate import Criterion, Gate
from evenhand.result.pairs import Pair, Significance
from evenhand.settings import Resampled
from evenhand.statistics.draws import ROUNDING
from evenhand.statistics.significance import trials_for
from evenhand.tasks.registry import TASKS

DEFAULT_ALPHA = 0.05
LEAST_ALPHA = 1e-6
DEFAULT_DROP = 1.0
"""By how many points a score may fall where no criterion is named and the test cannot decide."""


@checked_arguments(known_options)
def gate(
    gold: Input,
    baseline: Input,
    candidate: Input,
    *,
    max_drop: float | None = None,
    max_new_errors: int | None = None,
    alpha: float | None = None,
    by: str | None = None,
    trials: int | None = None,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Any,
) -> Gate:
    """Compare a candidate with a baseline, and say whether it passes.

    max_drop        by how many points (of 100) its score may be lower
    max_new_errors  how many units it may have wrong that the baseline has right
    alpha           it must not be worse with a p-value below this (0.05 if no criterion is named)
    of              what the test resamples: "documents" or "sentences"; without it, documents, or sentences where the
                    systems differ in too few documents for any p-value below alpha (chains always by document)

    Every criterion that is named must hold. A test that cannot reach alpha is no reason to pass: where the systems
    differ in too few groups for it, a worse candidate fails by an alpha that is named; if no criterion is named, its
    score may fall by one point. `by`, `trials`, `seed` and the other keywords are those of `compare`.
    """
    max_drop, max_new_errors, alpha = _checked(max_drop, max_new_errors, alpha)
    by_default = max_drop is None and max_new_errors is None and alpha is None
    if by_default:
        alpha = DEFAULT_ALPHA
    first, second = unique_names([baseline, candidate])
    resampling = _resampling(trials, alpha, seed, of)
    run = ComparisonRun(gold, {first: baseline, second: candidate}, [(0, 1)], by, resampling, options)
    found, few = _tested(run, alpha)
    pair = found.pair(first, second)
    criteria = []
    if max_drop is not None:
        criteria.append(_drop(pair, max_drop))
    if max_new_errors is not None:
        criteria.append(_new_errors(pair, max_new_errors))
    if alpha is not None:
        criteria.append(judge_by_alpha(found, pair, alpha, few, by_default=by_default))
    return Gate(found, pair, tuple(criteria), few)


def _checked(max_drop: object, max_new_errors: object, alpha: object) -> tuple[float | None, int | None, float | None]:
    """The criteria that a user names; what cannot be is refused."""
    if max_drop is not None:
        max_drop = number_that(
            "max-drop", max_drop, lambda value: 0 <= value <= 100, "a number of points from 0 to 100"
        )
    if max_new_errors is not None:
        max_new_errors = whole_number("max-new-errors", max_new_errors, 0)
    if alpha is not None:
        fits = f"a number below 1, and {LEAST_ALPHA:f} at least"
        alpha = number_that("alpha", alpha, lambda value: LEAST_ALPHA <= value < 1, fits)
    return max_drop, max_new_errors, alpha


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


def _tested(run: ComparisonRun, alpha: float | None) -> tuple[Comparison, int | None]:
    """The comparison; by sentence where systems differ in too few documents to decide, and then in how many."""
    compared = run()
    found = comparison(run, compared)
    (pair,) = found.pairs.values()
    resampling = run.resampling
    may_change = resampling.of is None and not TASKS[found.task].by_document and found.resampling["of"] == "documents"
    if alpha is None or abs(pair.delta) <= ROUNDING or not may_change or _decides(pair.significance, alpha):
        return found, None
    assert pair.significance is not None
    by_sentence = replace(compared, resampling=replace(resampling, of="sentences"))
    return comparison(run, by_sentence), pair.significance.groups


def _decides(test: Significance | None, alpha: float) -> bool:
    """Whether the test can give a p-value below alpha."""
    return test is not None and test.least < alpha


def _drop(pair: Pair, limit: float, reason: str = "") -> Criterion:
    drop = -100 * pair.delta
    passed = drop <= limit + 1e-9
    found = f"The score falls by {drop:.2f} points" if drop > 0 else f"The score does not fall ({-drop:+.2f} points)"
    return Criterion("max-drop", limit, drop, passed, f"{found}; the limit is {limit:g}.{reason}")


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
    if _decides(test, limit):
        chance, passed = ("", False) if test.p < limit else (", which may be chance", True)
        return Criterion("alpha", limit, test.p, passed, f"{worse}{chance} {numbers}.{instead}")
    why = _too_few(test.groups, found.resampling["of"], limit)
    if by_default:
        return _drop(pair, DEFAULT_DROP, f" {why}, so the test cannot decide.")
    return Criterion("alpha", limit, test.p, False, f"{worse}. {why}, so this test cannot decide; use --max-drop.")


def _too_few(number: int, groups: str, alpha: float) -> str:
    """Why no p-value can be below alpha."""
    one = groups.removesuffix("s") if number == 1 else groups
    return f"The systems differ in {number:,} {one}, too few for any p-value below {alpha:g}"
