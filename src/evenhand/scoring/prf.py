"""Precision, recall and F-beta, and the scores of contingency tables, on numbers or arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Values


class PRF(NamedTuple):
    """Precision P = correct / predicted, recall R = matched / expected, and F.

    - If a measure counts TP, FP and FN, which may be fractions: P = TP / (TP + FP), R = TP / (TP + FN).
    - F1 = 2 P R / (P + R), which is 2 TP / (2 TP + FP + FN).
    - F-beta = (1 + b²) P R / (b² P + R), which is (1 + b²) TP / ((1 + b²) TP + b² FN + FP). Recall has b times the
      weight of precision (`--beta`).

    Any 0/0 is 0, except that the overall scores of a gold standard without any unit are undefined.

    Sources: van Rijsbergen 1979; Ortmann 2022, eq. 1-4.
    """

    precision: Values
    recall: Values
    f1: Values
    f_beta: Values


class Percentages(NamedTuple):
    """Precision, recall and F1 in percent, by the divisions of conlleval and scripts derived from it.

    P = 100 correct / predicted, R = 100 correct / gold, F1 = 2 P R / (P + R). `PRF` divides once and is more exact; the
    last bit decides how ties are rounded: for 1 of 1 predicted and 63 gold, F1 is 3.125 %: 3.13 here, 3.12 there.
    """

    precision: float
    recall: float
    f1: float


def percentages(correct: float, predicted: float, gold: float) -> Percentages:
    precision, recall = (100 * correct / size if size else 0.0 for size in (predicted, gold))
    both = precision + recall
    return Percentages(precision, recall, 2 * precision * recall / both if both else 0.0)


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Values:
    """part / whole, and 0 if both are 0."""
    numerator, denominator = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    zeros = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)


def prf(
    correct: npt.ArrayLike,
    predicted: npt.ArrayLike,
    matched: npt.ArrayLike,
    expected: npt.ArrayLike,
    beta: float = 1.0,
) -> PRF:
    """Precision, recall, F1 and F-beta from counts, which may be fractions."""
    columns = (correct, predicted, matched, expected)
    correct, predicted, matched, expected = (np.asarray(column, dtype=np.float64) for column in columns)
    f1 = f_beta(correct, predicted, matched, expected, 1.0)
    f = f1 if beta == 1 else f_beta(correct, predicted, matched, expected, beta)
    return PRF(ratio(correct, predicted), ratio(matched, expected), f1, f)


def prf_of_rows(correct: Values, predicted: Values, matched: Values, expected: Values, beta: float) -> PRF:
    """The same for many rows, each computed separately: F has its simple form in rows where `correct` is `matched`."""
    simple = prf(correct, predicted, correct, expected, beta)
    if np.array_equal(correct, matched):
        return simple
    general = prf(correct, predicted, matched, expected, beta)
    return PRF(*(np.where(correct == matched, *both) for both in zip(simple, general, strict=True)))


def f_beta(correct: Values, predicted: Values, matched: Values, expected: Values, beta: float) -> Values:
    """F-beta with a single division, so it is as exact as possible."""
    weight = beta * beta
    simple = ratio((1 + weight) * correct, weight * expected + predicted)
    if np.array_equal(correct, matched):
        return simple
    return ratio((1 + weight) * correct * matched, weight * correct * expected + matched * predicted)


def contingency(cells: Mapping[str, Values]) -> dict[str, Values]:
    """Scores of contingency tables of TP, FP, FN and TN, with N the sum of all four.

    | score                 | formula                                                        |
    | --------------------- | -------------------------------------------------------------- |
    | `accuracy`            | (TP + TN) / N                                                  |
    | `specificity`         | TN / (TN + FP)                                                 |
    | `false_positive_rate` | FP / (TN + FP); with recall, the point in ROC space            |
    | `kappa`               | (p_o - p_e) / (1 - p_e), Cohen's, where p_o is the accuracy    |
    | `positive`            | (TP + FN) / N, the share of positive units                     |

    with p_e = ((TP + FP) (TP + FN) + (FN + TN) (FP + TN)) / N², the expected chance agreement.

    Sources: Esuli and Sebastiani 2010, section 3, which requires true negatives; Cohen 1960; Fawcett 2006 for ROC.
    """
    tp, fp, fn, tn = (cells[kind] for kind in ("TP", "FP", "FN", "TN"))
    size = tp + fp + fn + tn
    accuracy = ratio(tp + tn, size)
    by_chance = ratio((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), size * size)
    return {
        "accuracy": accuracy,
        "specificity": ratio(tn, tn + fp),
        "false_positive_rate": ratio(fp, tn + fp),
        "kappa": ratio(accuracy - by_chance, 1 - by_chance),
        "positive": ratio(tp + fn, size),
    }


def acceptor(positive: float, beta: float = 1.0) -> float:
    """F-beta of the trivial acceptor, which tags everything: precision is the share f of positive units, recall is 1.

    F1 = 2 f / (1 + f), F-beta = (1 + b²) f / (1 + b² f). The trivial rejector, which tags nothing, has 0.

    Source: Esuli and Sebastiani 2010, section 4.2, which gives f itself, the acceptor's precision, for its F1.
    """
    weight = beta * beta
    return float(ratio((1 + weight) * positive, weight * positive + 1)) if positive else 0.0
