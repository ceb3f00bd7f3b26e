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
from evenhand.dataclass import dataclass
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


def cross_fitted(
    columns: Columns, category: Ints, target: Bools, learned: Bools, fold: Ints, ridge: float = RIDGE
) -> Values:
    """The probability of each row; the model of a fold learns from the rows `learned` of all other folds.

    Features are the columns, and one indicator per category (numbered from 0).
    """
    scale = _Scale.of(columns, category)
    training = np.flatnonzero(learned)
    training = training[np.lexsort((category[training], fold[training]))]
    rows = _Rows(columns, training, category[training], target[training])
    edges = np.searchsorted(fold[training], np.arange(int(fold.max(initial=-1)) + 2))
    probability, start = np.zeros(len(target)), np.zeros(scale.size)
    if _has_two_classes(target[training]):
        start = _fit(rows, (0, 0), start, scale, ridge)  # near the coefficients of each fold, which saves steps
    for number in distinct(fold).tolist():
        left_out = (int(edges[number]), int(edges[number + 1]))
        known = np.concatenate((rows.target[: left_out[0]], rows.target[left_out[1] :]))
        own = np.flatnonzero(fold == number)
        if not _has_two_classes(known):
            probability[own] = known.any()
            continue
        beta = scale.raw(_fit(rows, left_out, start, scale, ridge))
        for low in range(0, len(own), _BLOCK):
            part = own[low : low + _BLOCK]
            probability[part] = _share(
                _with_ones(columns(part)) @ beta[: scale.dense] + beta[scale.dense + category[part]]
            )
    return probability


def _has_two_classes(target: Bools) -> bool:
    return bool(target.any()) and not target.all()


def _with_ones(columns: Values) -> Values:
    """The columns after a column of ones, the intercept."""
    matrix = np.empty((len(columns), columns.shape[1] + 1))
    matrix[:, 0] = 1
    matrix[:, 1:] = columns
    return matrix


@dataclass(frozen=True)
class _Scale:
    """The standardisation: features are those of the table times `transform`."""

    dense: int
    """Number of columns with the intercept; indicators follow."""
    transform: Values

    @property
    def size(self) -> int:
        return len(self.transform)

    def raw(self, beta: Values) -> Values:
        """The coefficients of the table itself."""
        return np.asarray(self.transform @ beta)

    @staticmethod
    def of(columns: Columns, category: Ints) -> _Scale:
        """Means and population standard deviations over all rows."""
        rows = max(len(category), 1)
        parts = [np.arange(low, min(low + _BLOCK, len(category))) for low in range(0, len(category), _BLOCK)]
        parts = parts or [empty()]
        mean = np.sum([columns(part).sum(axis=0) for part in parts], axis=0) / rows
        variance = np.sum([((columns(part) - mean) ** 2).sum(axis=0) for part in parts], axis=0) / rows
        share = np.bincount(category) / rows
        mean, variance = np.concatenate((mean, share)), np.concatenate((variance, share * (1 - share)))
        deviation = np.sqrt(variance)
        deviation[deviation < _CONSTANT] = 1
        transform = np.diag(np.concatenate(([1.0], 1 / deviation)))
        transform[0, 1:] = -mean / deviation
        return _Scale(len(mean) - len(share) + 1, transform)


class _Rows:
    """The training rows, sorted by fold and category. Small tables are kept, and others made block by block."""

    def __init__(self, columns: Columns, rows: Ints, category: Ints, target: Bools) -> None:
        self._columns, self._rows, self._category, self.target = columns, rows, category, target
        cells = len(rows) * (columns(rows[:1]).shape[1] + 1)
        self._stored = _with_ones(columns(rows)) if cells <= _STORED else None

    def blocks(self, left_out: tuple[int, int]) -> Iterator[tuple[Values, Ints, Bools]]:
        """Columns with the intercept, categories and target of all rows but those from a first to a second number."""
        for first, stop in ((0, left_out[0]), (left_out[1], len(self._rows))):
            for low in range(first, stop, _BLOCK):
                part = slice(low, min(low + _BLOCK, stop))
                matrix = _with_ones(self._columns(self._rows[part])) if self._stored is None else self._stored[part]
                yield matrix, self._category[part], self.target[part]


def _fit(rows: _Rows, left_out: tuple[int, int], start: Values, scale: _Scale, ridge: float) -> Values:
    """The coefficients of standardised features, by Newton's method from `start`."""
    penalty = np.full(scale.size, ridge)
    penalty[0] = 0
    beta = start
    value, gradient, curvature = _objective(rows, left_out, beta, scale, penalty)
    for _ in range(_MOST_STEPS):
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        if np.abs(step).max() < _TOLERANCE:
            return np.asarray(beta + step)
        new = _objective(rows, left_out, beta + step, scale, penalty)
        while new[0] < value - _SLACK * abs(value) and np.abs(step).max() >= _TOLERANCE:
            step = step / 2
            new = _objective(rows, left_out, beta + step, scale, penalty)
        beta, (value, gradient, curvature) = beta + step, new
    return beta


def _objective(
    rows: _Rows, left_out: tuple[int, int], beta: Values, scale: _Scale, penalty: Values
) -> tuple[float, Values, Values]:
    """The penalised log-likelihood, its gradient, and the negative of its second derivative.

    Sums are over the table, in which an indicator is a category, and standardised afterwards.
    """
    raw, dense = scale.raw(beta), scale.dense
    value, gradient, curvature = 0.0, np.zeros(scale.size), np.zeros((scale.size, scale.size))
    step = max(_FEWEST, ONE_THREAD // dense**2)
    for matrix, category, target in rows.blocks(left_out):
        linear = matrix @ raw[:dense] + raw[dense + category]
        share = _share(linear)
        value -= float(np.logaddexp(0, np.where(target, -linear, linear)).sum())
        residual, weight = target - share, share * (1 - share)
        gradient[:dense] += residual @ matrix
        gradient[dense:] += np.bincount(category, residual, minlength=scale.size - dense)
        weighted = matrix * weight[:, None]
        for low in range(0, len(matrix), step):
            curvature[:dense, :dense] += weighted[low : low + step].T @ matrix[low : low + step]
        first = np.flatnonzero(np.append(True, category[1:] != category[:-1]))
        np.add.at(curvature[:dense, dense:].T, category[first], np.add.reduceat(weighted, first, axis=0))
        diagonal = np.arange(dense, scale.size)
        curvature[diagonal, diagonal] += np.bincount(category, weight, minlength=scale.size - dense)
    curvature[dense:, :dense] = curvature[:dense, dense:].T
    transform = scale.transform
    return (
        value - 0.5 * float(penalty @ beta**2),
        transform.T @ gradient - penalty * beta,
        transform.T @ curvature @ transform + np.diag(penalty),
    )


def _share(linear: Values) -> Values:
    return np.asarray(1 / (1 + np.exp(-np.clip(linear, -_LARGEST, _LARGEST))))
