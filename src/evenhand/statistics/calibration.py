"""Calibration: whether units with a confidence of 0.8 are correct in 80 % of cases.

Confidences are probabilities, from 0 to 1. A unit is a hit if the measure counts it as correct when all units are kept;
under measures with partial credit, only TP are hits. Gold units that are never predicted are not part of calibration.

ECE = sum over bins of n_b / n · |conf_b - acc_b|

where a bin has n_b of n units, with the mean confidence conf_b and the share of hits acc_b. Bins have equal mass: of
the sorted units, a bin ends after ceil(k n / B) units, and equal confidences stay in the lower bin; by default B = 15.
With `--bins width:10`, bins have equal width, and a confidence on an edge is in the lower bin.

| figure           | definition                                                                                      |
| ---------------- | ----------------------------------------------------------------------------------------------- |
| `over`, `under`  | the parts of ECE of bins with conf > acc and with conf < acc; over + under = ECE                |
| `overconfidence` | mean confidence minus share of hits = over - under; it needs no bins                            |
| `mce`            | the largest gap of a bin                                                                        |
| `brier`          | mean (confidence - hit)²                                                                        |
| `by_chance`      | sqrt(2 B a (1 - a) / (pi n)), a the share of hits: at most about the ECE of perfect confidences |

In `by_chance`, B is the number of bins with units. ECE is biased upwards; no other correction is made. Intervals are
from a bootstrap of documents with fixed bins.

Sources: Naeini et al. 2015 and Guo et al. 2017 for ECE; Nixon et al. 2019 for bins of equal mass; Brier 1950.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.dataclass import dataclass


class CalibrationFigures(NamedTuple):
    ece: Values
    over: Values
    under: Values
    mce: Values
    overconfidence: Values
    brier: Values


@dataclass(frozen=True)
class BinnedUnits:
    """Units by group and bin: sums that add up over groups."""

    table: Values
    """(groups, 3 · bins + 1): numbers of units, sums of confidences, numbers of hits, and the sum of squared errors."""
    bins: int

    @staticmethod
    def of(score: Values, hit: Bools, group: Ints, groups: int, edges: Values) -> BinnedUnits:
        bins = len(edges) + 1
        cell = group * bins + np.searchsorted(edges, score, side="left")
        weights = (np.ones(len(score)), score, hit.astype(np.float64))
        columns = [np.bincount(cell, weight, minlength=groups * bins).reshape(groups, bins) for weight in weights]
        squares = np.bincount(group, (score - hit) ** 2, minlength=groups)
        return BinnedUnits(np.concatenate([*columns, squares[:, None]], axis=1), bins)

    def sums(self) -> Values:
        total: Values = self.table.sum(axis=0)
        return total

    def figures(self, sums: Values) -> CalibrationFigures:
        """The figures of sums of rows, (..., columns)."""
        number, confidence, hits = (sums[..., part * self.bins : (part + 1) * self.bins] for part in range(3))
        units = np.maximum(number.sum(axis=-1), 1)
        gap = confidence - hits
        over, under = (np.maximum(part, 0).sum(axis=-1) / units for part in (gap, -gap))
        mce = (np.abs(gap) / np.maximum(number, 1)).max(axis=-1, initial=0)
        return CalibrationFigures(over + under, over, under, mce, gap.sum(axis=-1) / units, sums[..., -1] / units)

    def rows(self, sums: Values) -> list[tuple[int, float, float]]:
        """Number of units, mean confidence and share of hits of each bin with units."""
        number, confidence, hits = sums[: 3 * self.bins].reshape(3, self.bins)
        used = np.flatnonzero(number)
        return [
            (int(number[row]), float(confidence[row] / number[row]), float(hits[row] / number[row]))
            for row in used.tolist()
        ]


def mass_edges(score: Values, bins: int) -> Values:
    """The upper edges of all bins of equal mass but the last one."""
    if not len(score):
        return np.zeros(0)
    ordered = np.sort(score)
    ends = -(-np.arange(1, bins) * len(score) // bins)
    edges: Values = np.unique(ordered[ends - 1])
    inner: Values = edges[edges < ordered[-1]]
    return inner


def width_edges(bins: int) -> Values:
    """The upper edges of all bins of equal width but the last one."""
    edges: Values = np.arange(1, bins) / bins
    return edges


def chance_level(units: int, accuracy: float, bins: int) -> float:
    """The ECE that perfect confidences have by chance, at most about."""
    return sqrt(2 * bins * accuracy * (1 - accuracy) / (pi * units)) if units else 0.0
