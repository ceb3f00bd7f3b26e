"""Cross-fitted ridge logistic regression: the probability of each row, from a model that has not seen its fold.

beta = argmax sum_i [y_i log p_i + (1 - y_i) log (1 - p_i)] - λ/2 · sum_(j > 0) beta_j²,    p = 1 / (1 + exp(-beta · x))

Columns are standardised over all rows (population standard deviation; constant columns have no effect). The intercept
beta_0 is free. Newton's method ends when no coefficient moves by more than 1e-8. A step that lowers the objective is
halved. With λ > 0, coefficients stay finite if the classes can be separated. If all training rows are of one class,
there is nothing to fit, and the probability is the share of that class, 0 or 1.

Sources: Le Cessie and Van Houwelingen 1992 for the ridge; Stone 1974 for cross-fitting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evenhand.arrays import Bools, Ints, Values, distinct

RIDGE = 1.0
_TOLERANCE = 1e-8
_MOST_STEPS = 100
_BLOCK = 1 << 14
"""Number of rows that become a matrix at once, which bounds the memory."""
Columns = Callable[[Ints], Values]
"""Returns some rows of the table of features, as a matrix."""


def cross_fitted(columns: Columns, target: Bools, learned: Bools, fold: Ints, ridge: float = RIDGE) -> Values:
    """The probability of each row; the model of a fold learns from the rows `learned` of all other folds."""
    mean, scale = _standardisation(columns, len(target))

    def blocks(chosen: Bools) -> Iterator[tuple[Ints, Values]]:
        rows = np.flatnonzero(chosen)
        for begin in range(0, len(rows), _BLOCK):
            part = rows[begin : begin + _BLOCK]
            matrix = np.empty((len(part), len(mean) + 1))
            matrix[:, 0] = 1
            np.divide(columns(part) - mean, scale, out=matrix[:, 1:])
            yield part, matrix

    def fit(chosen: Bools, start: Values) -> Values:
        return _fit(lambda: blocks(chosen), target, start, ridge)

    probability, start = np.zeros(len(target)), np.zeros(len(mean) + 1)
    if _has_two_classes(target[learned]):
        start = fit(learned, start)  # near the coefficients of each training set, which saves steps
    for number in distinct(fold).tolist():
        is_training = learned & (fold != number)
        known = target[is_training]
        if not _has_two_classes(known):
            probability[fold == number] = known.any()
            continue
        beta = fit(is_training, start)
        for rows, matrix in blocks(fold == number):
            probability[rows] = _share(matrix @ beta)
    return probability


def _has_two_classes(target: Bools) -> bool:
    return bool(target.any()) and not target.all()


def _standardisation(columns: Columns, rows: int) -> tuple[Values, Values]:
    """The mean and the standard deviation of each column; 1 for constant columns."""
    parts = [np.arange(begin, min(begin + _BLOCK, rows)) for begin in range(0, rows, _BLOCK)]
    mean: Values = sum(columns(part).sum(axis=0) for part in parts) / max(rows, 1)
    variance = sum(((columns(part) - mean) ** 2).sum(axis=0) for part in parts) / max(rows, 1)
    scale = np.sqrt(variance)
    scale[scale < 1e-12] = 1
    return np.asarray(mean), scale


def _fit(blocks: Callable[[], Iterator[tuple[Ints, Values]]], target: Bools, start: Values, ridge: float) -> Values:
    """The coefficients, by Newton's method from `start`."""
    penalty = np.full(len(start), ridge)
    penalty[0] = 0
    beta = start
    value, gradient, curvature = _objective(blocks, target, beta, penalty)
    for _ in range(_MOST_STEPS):
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while True:
            new = _objective(blocks, target, beta + step, penalty)
            if new[0] >= value - 1e-9 * abs(value) or np.abs(step).max() < _TOLERANCE:
                break
            step = step / 2
        beta = beta + step
        value, gradient, curvature = new
        if np.abs(step).max() < _TOLERANCE:
            break
    return beta


def _objective(
    blocks: Callable[[], Iterator[tuple[Ints, Values]]], target: Bools, beta: Values, penalty: Values
) -> tuple[float, Values, Values]:
    """The penalised log-likelihood, its gradient, and the negative of its second derivative."""
    value = -0.5 * float(penalty @ beta**2)
    gradient, curvature = -penalty * beta, np.diag(penalty)
    for rows, matrix in blocks():
        linear = matrix @ beta
        share, is_target = _share(linear), target[rows]
        value -= float(np.logaddexp(0, np.where(is_target, -linear, linear)).sum())
        gradient = gradient + matrix.T @ (is_target - share)
        curvature = curvature + (matrix * (share * (1 - share))[:, None]).T @ matrix
    return value, gradient, curvature


def _share(linear: Values) -> Values:
    return np.asarray(1 / (1 + np.exp(-np.clip(linear, -700, 700))))
