"""Scores of contingency tables: what true negatives make possible, and what trivial systems get."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.arrays import Values
from evenhand.scores.prf import ratio


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
