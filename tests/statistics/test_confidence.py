"""Curves, risk and coverage, and guarantees: plain definitions, and simulated validity."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest

from evenhand.arrays import Bools, Ints, Values
from evenhand.statistics.calibration import mass_edges
from evenhand.statistics.guarantees import (
    GRID,
    binomial_cdf,
    control_missed,
    design_effect,
    learn_then_test,
    units_needed,
)
from evenhand.statistics.precision_recall import Changes, ap_randomization, aurc, risks

Close = pytest.approx


def changes_of(score: Values, hit: Bools, gold: int) -> Changes:
    change = np.stack((hit, np.ones(len(score)), np.zeros(len(score))), axis=-1).astype(float)
    return Changes.of(score, np.zeros(len(score), dtype=np.int64), change, np.array([[0.0, 0.0, gold]]))


def random_case(random: np.random.Generator) -> tuple[Values, Bools, int]:
    """Confidences with ties, correct units, and a number of gold units."""
    units = int(random.integers(1, 40))
    score = random.integers(0, int(random.integers(2, 60)), units) / 60
    hit = random.random(units) < random.random()
    return score, hit, int(np.count_nonzero(hit) + random.integers(0, 10)) or 1


def plain_ap(score: Values, hit: Bools, gold: int) -> float:
    total, before = 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        kept = hit[score >= threshold]
        recall, precision = int(kept.sum()) / gold, int(kept.sum()) / len(kept)
        total += (recall - before) * precision
        before = recall
    return total


def plain_aurc(score: Values, hit: Bools) -> float:
    """The mean risk, with the errors of a tie spread evenly."""
    order = sorted(set(score.tolist()), reverse=True)
    wrong = [Fraction(int((~hit[score == value]).sum()), int((score == value).sum())) for value in order]
    shares = [share for value, share in zip(order, wrong, strict=True) for _ in range(int((score == value).sum()))]
    return float(sum(sum(shares[:k]) / k for k in range(1, len(shares) + 1)) / len(shares))


def check_cases(cases: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(cases):
        score, hit, gold = random_case(random)
        assert changes_of(score, hit, gold).curve().ap == Close(plain_ap(score, hit, gold), abs=1e-12)
        assert aurc(score, hit)[0] == Close(plain_aurc(score, hit), abs=1e-12)


def test_average_precision_and_aurc_follow_their_definitions() -> None:
    check_cases(50, 1)


@pytest.mark.long
def test_average_precision_and_aurc_on_many_cases() -> None:
    check_cases(10_000, 2)


@pytest.mark.heavy
def test_average_precision_equals_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(3)
    for _ in range(10_000):
        score, hit, gold = random_case(random)
        hits = int(np.count_nonzero(hit))
        expected = metrics.average_precision_score(hit, score) * hits / gold if hits else 0.0
        assert changes_of(score, hit, gold).curve().ap == Close(expected, abs=1e-9)


def test_a_drop_of_recall_adds_nothing() -> None:
    """Recall .5, .25, .5, .75 with precision 1, .5, .5, .6: 0.5 · 1 + 0.25 · 0.6."""
    change = np.array([[2, 2, 0], [-1, 0, 0], [1, 2, 0], [1, 1, 0]], dtype=float)
    score = np.array([0.9, 0.8, 0.7, 0.6])
    curve = Changes.of(score, np.zeros(4, dtype=np.int64), change, np.array([[0.0, 0.0, 4.0]])).curve()
    assert curve.recall.tolist() == [0.5, 0.25, 0.5, 0.75]
    assert curve.ap == Close(0.5 * 1 + 0.25 * 3 / 5)


def test_repeated_groups_count_several_times() -> None:
    score, group = np.array([0.9, 0.5, 0.4]), np.array([0, 1, 1])
    change = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    changes = Changes.of(score, group, change, np.array([[0.0, 0, 1], [0, 0, 2]]))
    curve = changes.curve(np.array([2.0, 1.0]))
    assert curve.counts[-1].tolist() == [3, 4, 4]
    assert changes.curve().counts[-1].tolist() == [2, 3, 3]


def test_cross_fitting_uses_the_threshold_of_the_other_folds() -> None:
    """Two groups: each is counted at the threshold that is best on the other one."""
    score, group = np.array([0.9, 0.2, 0.8, 0.3]), np.array([0, 0, 1, 1])
    change = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    table, thresholds = Changes.of(score, group, change, np.array([[0.0, 0, 1], [0, 0, 1]])).cross_fitted(1)
    assert thresholds.tolist() == [0.3, 0.9]
    assert table.tolist() == [[1, 1, 1], [0, 0, 1]]


def test_risk_and_coverage_of_ties() -> None:
    threshold, coverage, risk = risks(np.array([0.9, 0.5, 0.5]), np.array([True, False, True]))
    assert (threshold.tolist(), coverage.tolist(), risk.tolist()) == ([0.9, 0.5], [1 / 3, 1], [0, 1 / 3])


def test_bins_keep_equal_confidences_together() -> None:
    assert mass_edges(np.array([0.1, 0.2, 0.2, 0.2, 0.9]), 2).tolist() == [0.2]
    assert mass_edges(np.full(7, 0.5), 3).tolist() == []


def test_binomial_distribution() -> None:
    share = Fraction(1, 20)
    exact = sum(comb(120, k) * share**k * (1 - share) ** (120 - k) for k in range(5))
    assert binomial_cdf(4, 120, 0.05) == Close(float(exact), rel=1e-12)
    assert binomial_cdf(3, 3, 0.5) == 1


def test_units_that_a_guarantee_needs() -> None:
    assert [units_needed(risk, 0.1) for risk in (0.01, 0.05)] == [230, 45]


@pytest.mark.parametrize(("risk", "delta"), [(0.5, 0.25), (0.2, 0.512), (0.1, 0.729), (0.9, 0.1), (0.3, 0.343)])
def test_as_many_units_as_needed_are_enough(risk: float, delta: float) -> None:
    """(1 - risk)^n = delta exactly: rounding errors do not decide."""
    needed = units_needed(risk, delta)
    for units, threshold in ((needed, 0.0), (needed - 1, None)):
        group = np.zeros(units, dtype=np.int64)
        tested = learn_then_test(np.full(units, 0.5), np.ones(units, dtype=bool), group, 1, risk, delta)
        assert (tested.threshold, round((1 - risk) ** needed, 12)) == (threshold, delta)


def test_design_effect_of_clustered_errors() -> None:
    """Four documents of 10 units; all errors in one: 4/3 · (7.5² + 3 · 2.5²) / (40 · .25 · .75) = 13.33."""
    assert design_effect(np.full(4, 10.0), np.array([10.0, 0, 0, 0])) == Close(40 / 3)
    assert design_effect(np.full(4, 10.0), np.array([2.0, 3, 2, 3])) == 1


def test_thresholds_are_tested_from_the_top() -> None:
    """A threshold below one that failed is not tested, although its risk is low."""
    score = np.concatenate((np.full(60, 0.9), np.full(40, 0.8), np.full(5_000, 0.1)))
    hit = np.concatenate((np.ones(60), np.zeros(40), np.ones(5_000))).astype(bool)
    tested = learn_then_test(score, hit, np.zeros(len(score), dtype=np.int64), 1, 0.05, 0.1, independent=True)
    assert (tested.threshold, tested.accepted, tested.wrong) == (0.81, 60, 0)


def test_conformal_risk_control_by_hand() -> None:
    """9 documents with one gold unit each: one missed, (1 + 1) / 10 = 0.2."""
    score, group = np.arange(1, 10) / 10, np.arange(9)
    assert control_missed(score, group, np.ones(9), 0.2) == (0.2, Close(1 / 9))
    assert control_missed(score, group, np.ones(9), 0.19) == (0.1, 0)
    assert control_missed(score, group, np.ones(9), 0.09)[0] is None
    # One and two thirds of the gold units of two documents are missed: (1 + 1) / 10, whatever the rounding errors.
    gold, found = np.array([3.0, 3, *[1] * 7]), np.repeat(np.arange(9), [2, 1, *[1] * 7])
    assert control_missed(np.full(len(found), 0.5), found, gold, 0.2) == (0.5, Close(1 / 9))


# Simulated validity


@cache
def _conll(system: str) -> tuple[Values, Bools, Ints, Values]:
    """Confidences, hits and documents of units, and the number of gold units of each document."""
    import evenhand as eh

    from ..conformance.test_confidences import _conll_inputs

    confidence = eh.confidence(*_conll_inputs(system), resamples=0).system
    answers, changes = confidence.answers, confidence.changes
    assert answers is not None
    assert changes is not None
    return answers.score, answers.hit, answers.group, changes.base[:, 2]


def _drawn(random: np.random.Generator, group: Ints, documents: int, size: int) -> tuple[Ints, Ints, Ints]:
    """Documents drawn with replacement, the rows of their units, and the new group of each row."""
    drawn = random.integers(0, documents, size)
    order = np.argsort(group, kind="stable")
    edges = np.searchsorted(group[order], np.arange(documents + 1))
    rows = [order[edges[document] : edges[document + 1]] for document in drawn.tolist()]
    return drawn, np.concatenate(rows), np.repeat(np.arange(size), [len(row) for row in rows])


@pytest.mark.long
@pytest.mark.parametrize("risk", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("system", ["conll2003.rich.many", "conll2003.plain.many"])
def test_risk_is_exceeded_in_at_most_a_tenth_of_draws(system: str, risk: float, data: Path) -> None:
    """200 draws of 115 documents; 10 % are allowed, and 14 % is two standard errors above."""
    assert (data / "confidences").is_dir()
    score, hit, group, gold = _conll(system)
    random, exceeded = np.random.default_rng(38), 0
    for _ in range(200):
        _, rows, groups = _drawn(random, group, len(gold), 115)
        threshold = learn_then_test(score[rows], hit[rows], groups, 115, risk, 0.1).threshold
        accepted = np.zeros(0) if threshold is None else hit[score >= threshold]
        exceeded += len(accepted) > 0 and 1 - accepted.mean() > risk
    assert exceeded / 200 <= 0.142


@pytest.mark.long
@pytest.mark.parametrize("miss", [0.1, 0.15, 0.25])
@pytest.mark.parametrize("documents", [30, 115])
@pytest.mark.parametrize("system", ["conll2003.rich.many", "conll2003.plain.many"])
def test_mean_missed_share_is_below_the_level(system: str, documents: int, miss: float, data: Path) -> None:
    assert (data / "confidences").is_dir()
    score, hit, group, gold = _conll(system)
    hits, risk = np.flatnonzero(hit), []
    random = np.random.default_rng(38)
    has_gold = gold > 0
    missed = {None: 0.0}
    for threshold in GRID.tolist():
        found = np.bincount(group[hits][score[hits] >= threshold], minlength=len(gold))[has_gold]
        missed[threshold] = float((1 - found / gold[has_gold]).sum()) / len(gold)
    for _ in range(400):
        drawn, rows, groups = _drawn(random, group[hits], len(gold), documents)
        risk.append(missed[control_missed(score[hits][rows], groups, gold[drawn], miss)[0]])
    assert np.mean(risk) <= miss


# Differences in AP of two systems


def _exact(units: list[tuple[float, bool, int]], gold: list[int]) -> Changes:
    """The changes of units (score, correct, group) under exact match, with these numbers of gold units by group."""
    score, hit, group = (np.array(column) for column in zip(*units, strict=True))
    change = np.stack([hit, np.ones(len(units)), np.zeros(len(units))], axis=-1).astype(np.float64)
    base = np.stack([np.zeros(len(gold)), np.zeros(len(gold)), gold], axis=-1).astype(np.float64)
    return Changes.of(score, group, change, base)


def _plain_ap(units: list[tuple[float, bool]], gold: int) -> float:
    """AP by its definition: the precision at every threshold, weighted by the recall that it adds."""
    total, before = 0.0, 0.0
    for threshold in sorted({score for score, _ in units}, reverse=True):
        kept = [hit for score, hit in units if score >= threshold]
        recall = sum(kept) / gold
        total += max(recall - before, 0) * sum(kept) / len(kept)
        before = max(before, recall)
    return total


SYSTEMS = (
    [(0.9, True, 0), (0.8, False, 1), (0.7, True, 1), (0.4, True, 2), (0.2, False, 3)],
    [(12.0, False, 0), (11.0, True, 1), (11.0, False, 2), (5.0, True, 3), (4.0, False, 3), (1.0, False, 0)],
)


def test_the_p_of_a_difference_in_ap_is_the_share_of_all_swaps() -> None:
    """All 16 ways to swap four documents, by the definition: ranks within each system first, then whole documents."""
    gold = [1, 2, 1, 1]
    ranked = [
        [(-sum(other > score for other, *_ in units) / len(units), hit, group) for score, hit, group in units]
        for units in SYSTEMS
    ]
    differences = []
    for swapped in product([False, True], repeat=4):
        sides: list[list[tuple[float, bool]]] = [[], []]
        for side, units in enumerate(ranked):
            for score, hit, group in units:
                sides[side != swapped[group]].append((score, hit))
        differences.append(_plain_ap(sides[1], sum(gold)) - _plain_ap(sides[0], sum(gold)))
    reached = sum(abs(one) >= abs(differences[0]) - 1e-12 for one in differences)
    difference, p = ap_randomization(*(_exact(units, gold) for units in SYSTEMS), trials=1_000, seed=0)
    assert difference == pytest.approx(differences[0])
    assert 1 < reached < 16
    assert p == reached / 16


def test_systems_in_other_order_have_the_same_p() -> None:
    one, other = (_exact(units * 10, [10, 20, 10, 10]) for units in SYSTEMS)
    assert ap_randomization(one, other, 500, 0)[0] == -ap_randomization(other, one, 500, 0)[0]
    assert ap_randomization(one, one, 500, 0) == (0.0, 1.0)


@pytest.mark.long
def test_equal_systems_are_rarely_significant() -> None:
    """Type I error of systems that are exchangeable: at most two standard errors above 5 % of 400 draws."""
    random = np.random.default_rng(5)
    rejected = 0
    for _ in range(400):
        group = np.repeat(np.arange(30), 12)
        sides = []
        quality = random.normal(size=30)
        for _ in range(2):
            score = random.uniform(size=len(group))
            hit = random.uniform(size=len(group)) < 1 / (1 + np.exp(-2 * (score - 0.5) - quality[group]))
            sides.append(_exact(list(zip(score, hit, group, strict=True)), [12] * 30))
        rejected += ap_randomization(*sides, trials=199, seed=0)[1] <= 0.05
    assert rejected / 400 <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5
