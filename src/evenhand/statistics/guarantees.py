"""Guarantees: a threshold for automatic acceptance, with a statement that holds with high confidence.

*At most a share alpha of the accepted units are wrong* (`--risk`). This risk may rise as the threshold falls, so it is
tested (learn then test). The thresholds are 1.00, 0.99, … 0.00, fixed before seeing the data. From the highest one:
n units are accepted and k of them are wrong; p = P(Bin(n, alpha) <= k); continue while p <= delta, with delta = 0.1 for
90 % confidence. The last threshold that passed is the answer. Thresholds at which even k = 0 could not pass,
(1 - alpha)^n > delta, are skipped without a test.

Errors cluster in documents. Therefore n and k are divided by the design effect

deff = max(1, m / (m - 1) · sum over documents of (k_d - r n_d)² / (n r (1 - r)))

with m documents that have accepted units, and r = max(k, 1) / n; n is rounded down and k up. This is an approximation:
exact finite-sample validity holds for independent units only. `--independent` uses the plain binomial.

*At most a share alpha of the gold units of a document are missed* (`--miss`). Under exact match this risk never rises
as the threshold falls, so conformal risk control applies: the highest threshold t with (sum of L_d(t) + 1) / (m + 1) <=
alpha, where L_d is the missed share of the gold units of document d (0 without gold units), of m documents. The
guarantee is for the expected share over documents, and needs exchangeable documents only.

Neither guarantee holds if future texts differ from these, if the threshold was also tuned on them, if the system has
seen them, or if deviations from the gold standard are not real errors.

Sources: Angelopoulos et al. 2021 for learn then test; Geifman and El-Yaniv 2017; Angelopoulos et al. 2024 for conformal
risk control; Kish 1965 for the design effect.
"""

from __future__ import annotations

from math import ceil, floor, log, log1p

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.dataclass import dataclass

GRID: Values = np.arange(100, -1, -1) / 100
"""The thresholds 1.00, 0.99, … 0.00."""
_ROUNDING = 1e-9
"""Smaller differences are rounding errors."""


@dataclass(frozen=True)
class Tested:
    """The answer of a test of thresholds."""

    threshold: float | None
    accepted: int = 0
    wrong: int = 0
    design_effect: float = 1.0


def binomial_cdf(most: int, trials: int, probability: float) -> float:
    """P(Bin(trials, probability) <= most)."""
    if most >= trials:
        return 1.0
    number = np.arange(1, most + 1)
    terms = np.log((trials - number + 1) / number) + log(probability) - log1p(-probability)
    logs = trials * log1p(-probability) + np.append(0.0, np.cumsum(terms))
    largest = float(logs.max())
    return float(min(1.0, np.exp(largest) * np.exp(logs - largest).sum()))


def design_effect(accepted: Values, wrong: Values) -> float:
    """The variance of the share of wrong units, given their numbers by document, relative to independent units."""
    used = accepted > 0
    documents, number = int(np.count_nonzero(used)), float(accepted.sum())
    rate = max(float(wrong.sum()), 1.0) / number if number else 1.0
    if documents < 2 or rate >= 1:
        return 1.0
    spread = float(((wrong[used] - rate * accepted[used]) ** 2).sum())
    return max(1.0, documents / (documents - 1) * spread / (number * rate * (1 - rate)))


def learn_then_test(
    score: Values,
    hit: Bools,
    group: Ints,
    groups: int,
    risk: float,
    delta: float,
    *,
    independent: bool = False,
    grid: Values = GRID,
) -> Tested:
    """The lowest threshold of a sequence of tests at which at most a share `risk` of the accepted units are wrong."""
    passed = Tested(None)
    # The first threshold that accepts a unit, so counts by document and threshold are sums over units.
    step = np.searchsorted(-grid, -score, side="left")
    order = np.argsort(step, kind="stable")
    ends = np.searchsorted(step[order], np.arange(len(grid)), side="right").tolist()
    accepted, wrong, begin = np.zeros(groups), np.zeros(groups), 0
    for threshold, end in zip(grid.tolist(), ends, strict=True):
        rows = order[begin:end]
        accepted += np.bincount(group[rows], minlength=groups)
        wrong += np.bincount(group[rows], ~hit[rows], minlength=groups)
        begin = end
        number, errors = int(accepted.sum()), int(wrong.sum())
        effect = 1.0 if independent else design_effect(accepted, wrong)
        trials, failures = floor(number / effect + _ROUNDING), ceil(errors / effect - _ROUNDING)
        if trials * log1p(-risk) > log(delta) + _ROUNDING:
            continue
        if binomial_cdf(failures, trials, risk) > delta + _ROUNDING:
            break
        passed = Tested(threshold, number, errors, effect)
    return passed


def units_needed(risk: float, delta: float) -> int:
    """The number of accepted units without an error that a guarantee needs at least."""
    return ceil(log(delta) / log1p(-risk) - _ROUNDING)


def control_missed(
    score: Values, group: Ints, gold: Values, miss: float, grid: Values = GRID
) -> tuple[float | None, float]:
    """The highest threshold with a guarantee for the missed share of gold units, and the mean missed share there.

    `score` and `group` are those of correct units, `gold` is the number of gold units by document.
    """
    documents, has_gold = len(gold), gold > 0
    step = np.searchsorted(-grid, -score, side="left")
    mean = 0.0
    for number, threshold in enumerate(grid.tolist()):
        found = np.bincount(group[step <= number], minlength=documents)[has_gold]
        missed = float((1 - found / gold[has_gold]).sum())
        mean = missed / max(documents, 1)
        if (missed + 1) / (documents + 1) <= miss + _ROUNDING:
            return threshold, mean
    return None, mean
