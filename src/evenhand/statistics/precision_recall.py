"""Precision-recall curves of units with confidences, and what follows from them.

S_t are the units of a system with a confidence of at least t. The thresholds are the distinct confidences in descending
order, so units with equal confidences enter together. A point has the precision P and the recall R of S_t as the
measure scores S_t: it equals the score of a file without the other units, and the last point is the usual score.

- *Exact match* of a unit does not depend on other units, so correct units are added up. Of several equal units, the one
  with the highest confidence counts.
- *Every other measure* may change its mind: gold [0,4) ORG; units [0,2) ORG .9 and [0,4) ORG .5. At .9 the short unit
  is a boundary error; at .5 the gold unit is matched, and the short unit is spurious. So each window (a sentence,
  otherwise a document) is scored once per distinct confidence of its units; the changes of its counts are sorted and
  added up. This is not an approximation.

| figure               | definition                                                                                |
| -------------------- | ----------------------------------------------------------------------------------------- |
| `ap`                 | sum of (R_i - max_{j<i} R_j)⁺ P_i, from the highest threshold; no interpolation            |
| `reach`              | R of the last point, the maximum of AP                                                    |
| `best` F-beta        | the maximum over the points; of ties, the highest threshold                               |
| `recall@precision-p` | the highest R of all points with P >= p; 0 if there are none                              |
| `precision@recall-r` | the highest P of all points with R >= r; 0 if there are none                              |
| `f1@threshold-t`     | F1 of S_t                                                                                 |
| macro AP             | mean AP of the labels of the gold standard; 0 for a label without units of the system     |

A label has the same figures: its units are matched among all units, and counted as the measure counts them by label.

R divides by all gold units, so for exact match AP is scikit-learn's `average_precision_score` times hits / gold units.

A threshold that is chosen on the data it is scored on gives optimistic scores. *Cross-fitted* scores have ten folds of
documents (of sentences if there is one document; fold = number modulo 10): nine choose the threshold at which the tenth
is counted, and the counts are added up. Their interval is a bootstrap of documents.

Sources: Davis and Goadrich 2006 for curves without interpolation; Manning et al. 2008, section 8.4, for AP; this
project for the changes of matches.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import PRF, prf
from evenhand.statistics.bootstrap import ROUNDING, SERIES, series_sizes, stream

FOLDS = 10


@dataclass(frozen=True)
class Changes:
    """How counts change as the threshold falls: one row per event, in descending order of confidence.

    Counts have the columns of `PrecisionRecall.columns`: correct, predicted, expected and, if it differs from correct,
    matched.
    """

    score: Values
    group: Ints
    change: Values
    """(events, columns)"""
    base: Values
    """The counts of each group without any unit of the system, (groups, columns)."""

    @staticmethod
    def of(score: Values, group: Ints, change: Values, base: Values) -> Changes:
        order = np.argsort(-score, kind="stable")
        return Changes(score[order], group[order], change[order], base)

    @cached_property
    def last(self) -> Ints:
        """The last event of each threshold."""
        return np.flatnonzero(np.append(self.score[1:] != self.score[:-1], True)[: len(self.score)])

    def curve(self, times: Values | None = None) -> Curve:
        """The curve; group i counts `times[i]` times."""
        if times is None:
            change, base = self.change, self.base.sum(axis=0)
        else:
            change, base = self.change * times[self.group][:, None], times @ self.base
        counts = np.cumsum(change, axis=0)[self.last] + base
        return Curve(self.score[self.last], counts, base)

    def at(self, threshold: Values) -> Values:
        """The counts of each group at its own threshold, (groups, columns)."""
        kept = self.score >= threshold[self.group]
        columns = [
            np.bincount(self.group[kept], column[kept], minlength=len(self.base)) + base
            for column, base in zip(self.change.T, self.base.T, strict=True)
        ]
        return np.stack(columns, axis=-1)

    def cross_fitted(self, beta: float) -> tuple[Values, Values]:
        """The counts of each group at a threshold that other folds choose, and the thresholds of the folds."""
        fold = np.arange(len(self.base)) % FOLDS
        folds = min(FOLDS, len(self.base))
        chosen = np.array([self._best_of(fold != number, beta) for number in range(folds)])
        return self.at(chosen[fold]), chosen

    def _best_of(self, kept: Bools, beta: float) -> float:
        """The threshold that is best for some groups."""
        rows = kept[self.group]
        curve = Changes(self.score[rows], self.group[rows], self.change[rows], self.base[kept]).curve()
        best = curve.best(beta)
        return np.inf if best is None else float(curve.threshold[best])


@dataclass(frozen=True)
class Curve:
    """Points in descending order of thresholds."""

    threshold: Values
    counts: Values
    """(points, columns); see `Changes`."""
    base: Values
    """The counts without any unit of the system."""

    def __len__(self) -> int:
        return len(self.threshold)

    @cached_property
    def scores(self) -> PRF:
        return scores_of(self.counts)

    @property
    def precision(self) -> Values:
        return self.scores.precision

    @property
    def recall(self) -> Values:
        return self.scores.recall

    @property
    def f1(self) -> Values:
        return self.scores.f1

    @property
    def predicted(self) -> Values:
        """Number of units of S_t, as the measure counts them."""
        return self.counts[:, 1]

    @property
    def expected(self) -> float:
        """Number of gold units, as the measure counts them."""
        return float(self.base[2])

    def f_beta(self, beta: float) -> Values:
        return scores_of(self.counts, beta).f_beta

    @cached_property
    def ap(self) -> float:
        if not len(self):
            return 0.0
        before = np.append(0.0, np.maximum.accumulate(self.recall)[:-1])
        return float(np.maximum(self.recall - before, 0) @ self.precision)

    @property
    def reach(self) -> float:
        return float(self.recall[-1]) if len(self) else 0.0

    def best(self, beta: float) -> int | None:
        """The point with the highest F-beta; None if there are no points."""
        return int(self.f_beta(beta).argmax()) if len(self) else None

    def point_at(self, threshold: float) -> int:
        """The last point whose threshold is at least this one; -1 if no unit is left."""
        return int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1

    def counts_at(self, threshold: float) -> Values:
        point = self.point_at(threshold)
        return self.base if point < 0 else self.counts[point]

    def recall_at(self, precision: float) -> float:
        return float(self.recall[self.precision >= precision].max(initial=0.0))

    def precision_at(self, recall: float) -> float:
        return float(self.precision[self.recall >= recall].max(initial=0.0))


def scores_of(counts: Values, beta: float = 1.0) -> PRF:
    """Precision, recall and F of counts, (..., columns)."""
    correct, predicted, expected = (counts[..., column] for column in range(3))
    matched = counts[..., 3] if counts.shape[-1] > 3 else correct
    return prf(correct, predicted, matched, expected, beta)


def ap_randomization(a: Changes, b: Changes, trials: int, seed: int) -> tuple[float, float]:
    """The difference in AP of two systems on the same groups, AP(b) - AP(a), and the p of approximate randomization.

    Each trial tosses a coin for each group; heads swaps the units of the two systems there, with their confidences.
    Confidences of two systems have no common scale, so before that each is replaced by its rank in its own system: the
    share of events with a higher confidence. With c the number of trials whose difference is at least the observed one
    in size, p = (c + 1) / (trials + 1). If there are at most as many ways to swap groups as trials, each is tried once,
    and p = c / ways.

    `make test-long` draws 400 pairs of exchangeable systems with 30 documents: the share of p up to .05 is at most two
    standard errors above 5 %.

    Sources: Noreen 1989; Yeh 2000; this project for the ranks.
    """
    sides = (a, b)
    rank = np.concatenate([-np.searchsorted(-side.score, -side.score) / max(len(side.score), 1) for side in sides])
    order = np.argsort(-rank, kind="stable")
    is_b = np.repeat([False, True], [len(side.score) for side in sides])[order]
    group, change = np.concatenate([a.group, b.group]), np.concatenate([a.change, b.change])
    both = Changes(rank[order], group[order], change[order], a.base)
    groups = len(a.base)
    ways = 1 << groups if groups < 64 else trials + 1
    exact = ways <= trials

    def difference(heads: Bools) -> float:
        swapped = is_b != heads[both.group]  # the units of the second side
        base = (
            np.where(heads[:, None], a.base, b.base).sum(axis=0),
            np.where(heads[:, None], b.base, a.base).sum(axis=0),
        )
        second, first = (
            Curve(both.score[both.last], np.cumsum(both.change * kept[:, None], axis=0)[both.last] + sums, sums).ap
            for kept, sums in zip((swapped, ~swapped), base, strict=True)
        )
        return second - first

    observed = difference(np.zeros(groups, dtype=np.bool_))
    reached = 0
    for series, size in enumerate(series_sizes(ways if exact else trials)):
        random = stream(seed, series)
        for number in range(size):
            bits = number + series * SERIES
            heads = np.array([bits >> group & 1 for group in range(groups)]) if exact else random.integers(0, 2, groups)
            reached += abs(difference(heads.astype(np.bool_))) >= abs(observed) - ROUNDING
    return observed, reached / ways if exact else (reached + 1) / (trials + 1)


@dataclass(frozen=True)
class Answers:
    """The units of a system: their confidences, whether they are correct, and their groups."""

    score: Values
    hit: Bools
    group: Ints
    groups: int

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: Ints | Bools) -> Answers:
        return replace(self, score=self.score[rows], hit=self.hit[rows], group=self.group[rows])


def risks(score: Values, hit: Bools, weight: Values | None = None) -> tuple[Values, Values, Values]:
    """Selective prediction: thresholds, coverage and risk, and the area under the risk-coverage curve.

    A system answers the k units with the highest confidences. Coverage is k / n, and Risk(k) the share of wrong units
    among them. AURC is the mean of Risk(k) for k = 1 … n; errors among units with equal confidences are spread evenly,
    the expected value over their orders. E-AURC is AURC minus that of the perfect order with the same number of errors,
    which has all errors at the end; it is computed exactly. The figure `coverage@risk-r` is the highest coverage of all
    thresholds with a risk of at most r, `risk@coverage-c` the lowest risk of all thresholds with a coverage of at least
    c. Gold units that the system lacks are not part of risk and coverage. For tags, coverage is the share of tokens
    answered.

    Sources: Geifman and El-Yaniv 2017; Geifman et al. 2019 for E-AURC.
    """
    order = np.argsort(-score, kind="stable")
    score, wrong = score[order], ~hit[order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True)[: len(score)])
    weights = np.ones(len(score)) if weight is None else weight[order]
    number, errors = np.cumsum(weights)[last], np.cumsum(weights * wrong)[last]
    total = number[-1] if len(number) else 0.0
    kept = number > 0
    return score[last][kept], (number / (total or 1))[kept], errors[kept] / number[kept]


def aurc(score: Values, hit: Bools) -> tuple[float, float]:
    """The area under the risk-coverage curve, and its excess over the perfect order; see `risks`."""
    units = len(score)
    if not units:
        return np.nan, np.nan
    order = np.argsort(-score, kind="stable")
    score, wrong = score[order], ~hit[order]
    first = np.append(True, score[1:] != score[:-1])
    tie = np.cumsum(first) - 1
    share = np.bincount(tie, wrong) / np.bincount(tie)
    ranks = np.arange(1, units + 1)
    area = float(np.mean(np.cumsum(share[tie]) / ranks))
    correct = units - int(np.count_nonzero(wrong))
    return area, area - float(np.mean(np.maximum(ranks - correct, 0) / ranks))
