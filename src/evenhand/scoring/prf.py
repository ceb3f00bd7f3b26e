"""Precision, recall and F-beta, on numbers or on arrays of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Values


class PRF(NamedTuple):
    """Precision P = right / found, recall R = met / wanted, and F.

    - Where a model counts TP, FP and FN, which weights may have made fractions: P = TP / (TP + FP), R = TP / (TP + FN).
    - F1 = 2 P R / (P + R), which is 2 TP / (2 TP + FP + FN).
    - F-beta = (1 + b²) P R / (b² P + R), which is (1 + b²) TP / ((1 + b²) TP + b² FN + FP). It weighs recall b times as
      much as precision (`--beta`).

    Any 0/0 is 0; but the overall scores of a gold standard without any unit are undefined.

    Sources: van Rijsbergen 1979; Ortmann 2022, eq. 1-4.
    """

    precision: Values
    recall: Values
    f1: Values
    f_beta: Values


class Percentages(NamedTuple):
    """Precision, recall and F1 in percent, by the divisions that conlleval and scripts made from it do.

    P = 100 correct / found, R = 100 correct / gold, F1 = 2 P R / (P + R). `PRF` divides once, later, and is more exact;
    the last bit decides how ties are rounded: for 1 of 1 found and 63 wanted, F1 is 3.125 %: 3.13 here and 3.12 there.
    """

    precision: float
    recall: float
    f1: float


def percentages(correct: float, found: float, gold: float) -> Percentages:
    precision, recall = (100 * correct / size if size else 0.0 for size in (found, gold))
    both = precision + recall
    return Percentages(precision, recall, 2 * precision * recall / both if both else 0.0)


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Values:
    """part / whole, and 0 where both are 0."""
    above, below = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below != 0)


def prf(
    right: npt.ArrayLike, found: npt.ArrayLike, met: npt.ArrayLike, wanted: npt.ArrayLike, beta: float = 1.0
) -> PRF:
    """Precision, recall, F1 and F-beta from counts, which weights may have made fractions."""
    right, found, met, wanted = (np.asarray(each, dtype=np.float64) for each in (right, found, met, wanted))
    f1 = f_beta(right, found, met, wanted, 1.0)
    more = f1 if beta == 1 else f_beta(right, found, met, wanted, beta)
    return PRF(ratio(right, found), ratio(met, wanted), f1, more)


def prf_of_rows(right: Values, found: Values, met: Values, wanted: Values, beta: float) -> PRF:
    """The same of many rows, each as if it stood alone: where `right` is `met`, F takes its simple form."""
    simple = prf(right, found, right, wanted, beta)
    if np.array_equal(right, met):
        return simple
    general = prf(right, found, met, wanted, beta)
    return PRF(*(np.where(right == met, *both) for both in zip(simple, general, strict=True)))


def f_beta(right: Values, found: Values, met: Values, wanted: Values, beta: float) -> Values:
    """F-beta without a division before the last one, so that it is as exact as can be."""
    weight = beta * beta
    simple = ratio((1 + weight) * right, weight * wanted + found)
    if np.array_equal(right, met):
        return simple
    return ratio((1 + weight) * right * met, weight * right * wanted + met * found)


# == scores/contingency.py: Scores of contingency tables: what true negatives make possi


def contingency(cells: Mapping[str, Values]) -> dict[str, Values]:
    """Scores of tables of TP, FP, FN and TN, with N the sum of all four.

    | score                 | formula                                                        |
    | --------------------- | -------------------------------------------------------------- |
    | `accuracy`            | (TP + TN) / N                                                  |
    | `specificity`         | TN / (TN + FP)                                                 |
    | `false_positive_rate` | FP / (TN + FP); with recall, the point in ROC space            |
    | `kappa`               | (p_o - p_e) / (1 - p_e), Cohen's, where p_o is the accuracy    |
    | `positive`            | (TP + FN) / N, the share of positive units                     |

    with p_e = ((TP + FP) (TP + FN) + (FN + TN) (FP + TN)) / N², the agreement that chance would bring.

    Sources: Esuli and Sebastiani 2010, section 3, which asks for true negatives; Cohen 1960; Fawcett 2006 for ROC.
    """
    tp, fp, fn, tn = (cells[kind] for kind in ("TP", "FP", "FN", "TN"))
    size = tp + fp + fn + tn
    agreed = ratio(tp + tn, size)
    expected = ratio((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), size * size)
    return {
        "accuracy": agreed,
        "specificity": ratio(tn, tn + fp),
        "false_positive_rate": ratio(fp, tn + fp),
        "kappa": ratio(agreed - expected, 1 - expected),
        "positive": ratio(tp + fn, size),
    }


def acceptor(positive: float, beta: float = 1.0) -> float:
    """F-beta of the trivial acceptor, which tags everything: precision is the share f of positive units, recall is 1.

    F1 = 2 f / (1 + f), F-beta = (1 + b²) f / (1 + b² f). The trivial rejector, which tags nothing, has 0.

    Source: Esuli and Sebastiani 2010, section 4.2, which gives f itself, the acceptor's precision, for its F1.
    """
    weight = beta * beta
    return float(ratio((1 + weight) * positive, weight * positive + 1)) if positive else 0.0
