"""`gate`: whether a candidate is good enough to replace a baseline."""

from __future__ import annotations

from typing import Any, Unpack

from evenhand.arguments import check_arguments
from evenhand.engines.compare import compare
from evenhand.engines.inputs import Side, unique_names
from evenhand.engines.options import Options
from evenhand.problems import SettingError
from evenhand.result.gate import Criterion, Gate
from evenhand.result.pairs import Pair

DEFAULT_ALPHA = 0.05


def gate(
    gold: Side,
    baseline: Side,
    candidate: Side,
    *,
    max_drop: float | None = None,
    max_new_errors: int | None = None,
    alpha: float | None = None,
    by: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    **options: Unpack[Options],
) -> Gate:
    """Compare a candidate with a baseline, and say whether it passes.

    max_drop        by how many points (of 100) its score may be lower
    max_new_errors  how many units it may have wrong that the baseline has right
    alpha           it must not be worse with a p-value below this (0.05 if no criterion is named)

    Every criterion that is named must hold. `by`, `trials`, `seed` and the other keywords are those of `compare`.
    """
    criteria_given = {"max_drop": max_drop, "max_new_errors": max_new_errors, "alpha": alpha}
    check_arguments({**criteria_given, "by": by, "trials": trials, "seed": seed, **options})
    if max_drop is None and max_new_errors is None and alpha is None:
        alpha = DEFAULT_ALPHA
    _check(max_drop, max_new_errors, alpha, trials)
    first, second = unique_names([baseline, candidate])
    systems = {first: baseline, second: candidate}
    tests = trials if alpha is not None else 0
    found = compare(gold, systems, by=by, trials=tests, resamples=0, seed=seed, **options)
    pair = found.pair(first, second)
    criteria = []
    if max_drop is not None:
        criteria.append(_drop(pair, max_drop))
    if max_new_errors is not None:
        criteria.append(_new_errors(pair, max_new_errors))
    if alpha is not None:
        criteria.append(_significance(pair, alpha))
    return Gate(found, pair, tuple(criteria))


def _check(max_drop: Any, max_new_errors: Any, alpha: Any, trials: int) -> None:
    if max_drop is not None and not 0 <= max_drop <= 100:
        raise SettingError(f"max-drop is {max_drop}; it is a number of points from 0 to 100.")
    if max_new_errors is not None and max_new_errors < 0:
        raise SettingError(f"max-new-errors is {max_new_errors}; it must be 0 or more.")
    if alpha is not None and not 0 < alpha < 1:
        raise SettingError(f"alpha is {alpha}; it must be between 0 and 1.")
    if alpha is not None and trials < 1:
        raise SettingError("A test takes one trial at least.")


def _drop(pair: Pair, limit: float) -> Criterion:
    drop = -100 * pair.delta
    passed = drop <= limit + 1e-9
    found = f"the score falls by {drop:.2f} points" if drop > 0 else f"the score does not fall ({-drop:+.2f} points)"
    return Criterion("max-drop", limit, drop, passed, f"{found}; the limit is {limit:g}")


def _new_errors(pair: Pair, limit: int) -> Criterion:
    count = pair.new_errors.count
    errors = "1 new error" if count == 1 else f"{count:,} new errors"
    return Criterion("max-new-errors", limit, count, count <= limit, f"{errors}; the limit is {limit:,}")


def _significance(pair: Pair, limit: float) -> Criterion:
    assert pair.significance is not None
    p = pair.significance.p
    passed = pair.delta >= 0 or p >= limit
    found = "not worse" if pair.delta >= 0 else "worse by chance, as far as can be told" if passed else "worse"
    return Criterion("alpha", limit, p, passed, f"the candidate is {found} (p = {p:.4f}, alpha = {limit:g})")
