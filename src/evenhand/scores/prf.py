"""Precision, recall and F-beta, on numbers or on arrays of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


class PRF(NamedTuple):
    """Precision P = TP / (TP + FP), recall R = TP / (TP + FN), and F.

    F1 = 2 TP / (2 TP + FP + FN), the harmonic mean of P and R.
    F-beta = (1 + b²) TP / ((1 + b²) TP + b² FN + FP) weighs recall b times as much as precision.
    Any 0/0 is 0. Sources: van Rijsbergen 1979; Ortmann 2022, eq. 1-4.
    """

    precision: Values
    recall: Values
    f1: Values
    f_beta: Values


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Values:
    """part / whole, and 0 where both are 0."""
    above, below = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below != 0)


def prf(tp: npt.ArrayLike, fp: npt.ArrayLike, fn: npt.ArrayLike, beta: float = 1.0) -> PRF:
    """Precision, recall, F1 and F-beta from counts, which weights may have made fractions."""
    tp, fp, fn = (np.asarray(each, dtype=np.float64) for each in (tp, fp, fn))
    weight = beta * beta
    return PRF(
        ratio(tp, tp + fp),
        ratio(tp, tp + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
        ratio((1 + weight) * tp, (1 + weight) * tp + weight * fn + fp),
    )
