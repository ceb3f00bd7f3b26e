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

from evenhand.arrays import Bools, Ints, Values, distinct, empty
from evenhand.statistics.bootstrap import ONE_THREAD

RIDGE = 1.0
_TOLERANCE = 1e-8
_MOST_STEPS = 100
_SLACK = 1e-9
"""Relative decrease of the objective that is rounding."""
_CONSTANT = 1e-12
"""A column with a smaller standard deviation is constant."""
_LARGEST = 700.0
_BLOCK = 1 << 13
"""Number of rows of a matrix, which bounds the memory."""
_FEWEST = 256
"""Minimum number of rows of a matrix product. Small products are computed in one thread, because others cost more."""
_STORED = 1 << 24
"""Number of cells up to which the matrix of all rows is kept."""
Columns = Callable[[Ints], Values]
"""Returns some rows of the table of features, as a matrix."""
Blocks = Callable[[], Iterator[tuple[Values, Bools]]]
"""Yields the training rows: features and target."""


def cross_fitted(columns: Columns, target: Bools, learned: Bools, fold: Ints, ridge: float = RIDGE) -> Values:
    """The probability of each row; the model of a fold learns from the rows `learned` of all other folds."""
    mean, scale = _standardisation(columns, len(target))

    def matrix(rows: Ints) -> Values:
        return np.column_stack([np.ones(len(rows)), (columns(rows) - mean) / scale])

    training = np.flatnonzero(learned)
    training = training[np.argsort(fold[training], kind="stable")]
    stored = matrix(training) if len(training) * len(mean) <= _STORED else None
    known = target[training]

    def fit(begin: int, end: int, start: Values) -> Values:
        """Fit to all training rows except those from `begin` to `end`."""

        def blocks() -> Iterator[tuple[Values, Bools]]:
            for first, stop in ((0, begin), (end, len(training))):
                for low in range(first, stop, _BLOCK):
                    part = slice(low, min(low + _BLOCK, stop))
                    yield matrix(training[part]) if stored is None else stored[part], known[part]

        return _fit(blocks, start, ridge)

    probability, start = np.zeros(len(target)), np.zeros(len(mean) + 1)
    if _has_two_classes(known):
        start = fit(0, 0, start)  # near the coefficients of each fold, which saves steps
    for number in distinct(fold).tolist():
        begin, end = np.searchsorted(fold[training], (number, number + 1)).tolist()
        others = np.concatenate((known[:begin], known[end:]))
        rows = np.flatnonzero(fold == number)
        if not _has_two_classes(others):
            probability[rows] = others.any()
            continue
        beta = fit(begin, end, start)
        for low in range(0, len(rows), _BLOCK):
            part = rows[low : low + _BLOCK]
            probability[part] = _share(matrix(part) @ beta)
    return probability


def _has_two_classes(target: Bools) -> bool:
    return bool(target.any()) and not target.all()


def _standardisation(columns: Columns, rows: int) -> tuple[Values, Values]:
    """The mean and the standard deviation of each column; 1 for constant columns."""
    parts = [np.arange(begin, min(begin + _BLOCK, rows)) for begin in range(0, rows, _BLOCK)] or [empty()]
    mean = np.sum([columns(part).sum(axis=0) for part in parts], axis=0) / max(rows, 1)
    variance = np.sum([((columns(part) - mean) ** 2).sum(axis=0) for part in parts], axis=0) / max(rows, 1)
    scale = np.sqrt(variance)
    scale[scale < _CONSTANT] = 1
    return mean, scale


def _fit(blocks: Blocks, start: Values, ridge: float) -> Values:
    """The coefficients, by Newton's method from `start`."""
    penalty = np.full(len(start), ridge)
    penalty[0] = 0
    beta = start
    value, gradient, curvature = _objective(blocks, beta, penalty)
    for _ in range(_MOST_STEPS):
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        new = _objective(blocks, beta + step, penalty)
        while new[0] < value - _SLACK * abs(value) and np.abs(step).max() >= _TOLERANCE:
            step = step / 2
            new = _objective(blocks, beta + step, penalty)
        beta, (value, gradient, curvature) = beta + step, new
        if np.abs(step).max() < _TOLERANCE:
            break
    return beta


def _objective(blocks: Blocks, beta: Values, penalty: Values) -> tuple[float, Values, Values]:
    """The penalised log-likelihood, its gradient, and the negative of its second derivative."""
    value = -0.5 * float(penalty @ beta**2)
    gradient, curvature = -penalty * beta, np.diag(penalty)
    step = max(_FEWEST, ONE_THREAD // len(beta) ** 2)
    for matrix, target in blocks():
        linear = matrix @ beta
        share = _share(linear)
        value -= float(np.logaddexp(0, np.where(target, -linear, linear)).sum())
        gradient = gradient + (target - share) @ matrix
        weight = share * (1 - share)
        for low in range(0, len(matrix), step):
            part = matrix[low : low + step]
            curvature = curvature + (part.T * weight[low : low + step]) @ part
    return value, gradient, curvature


def _share(linear: Values) -> Values:
    return np.asarray(1 / (1 + np.exp(-np.clip(linear, -_LARGEST, _LARGEST))))
