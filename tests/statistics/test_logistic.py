"""Cross-fitted ridge logistic regression."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.arrays import Ints, Values
from evenhand.statistics import logistic
from evenhand.statistics.logistic import cross_fitted

RNG = np.random.default_rng(1)
TABLE = np.column_stack([RNG.normal(size=500), 50 + 3 * RNG.normal(size=500), np.ones(500)])
TARGET = TABLE[:, 0] + RNG.normal(size=500) > 0.3
FOLD = np.arange(500) % 4
NO_CATEGORY = np.zeros(500, dtype=np.int64)
EVERY = np.ones(500, dtype=np.bool_)


def rows_of(table: Values) -> logistic.Columns:
    def rows(chosen: Ints) -> Values:
        return table[chosen]

    return rows


def test_the_gradient_of_the_penalised_likelihood_is_zero() -> None:
    """For each fold, the coefficients that explain its probabilities solve the equations of the other folds."""
    p = cross_fitted(rows_of(TABLE), NO_CATEGORY, TARGET, EVERY, FOLD)
    scaled = (TABLE[:, :2] - TABLE[:, :2].mean(axis=0)) / TABLE[:, :2].std(axis=0)
    matrix = np.column_stack([np.ones(500), scaled])
    for fold in range(4):
        inside = fold == FOLD
        beta = np.linalg.lstsq(matrix[inside], np.log(p[inside] / (1 - p[inside])), rcond=None)[0]
        others = matrix[~inside]
        share = 1 / (1 + np.exp(-others @ beta))
        gradient = others.T @ (TARGET[~inside] - share) - np.array([0, beta[1], beta[2]])
        assert np.abs(gradient).max() < 1e-6


def test_a_fold_is_not_predicted_from_itself() -> None:
    other = TARGET.copy()
    other[FOLD == 2] = ~other[FOLD == 2]
    p, changed = (cross_fitted(rows_of(TABLE), NO_CATEGORY, target, EVERY, FOLD) for target in (TARGET, other))
    assert np.allclose(p[FOLD == 2], changed[FOLD == 2], atol=1e-9)
    assert not np.allclose(p[FOLD == 1], changed[FOLD == 1], atol=1e-3)


def test_rows_that_are_not_learned_do_not_count() -> None:
    learned = np.arange(500) < 300
    other = np.where(learned, TARGET, ~TARGET)
    p, changed = (cross_fitted(rows_of(TABLE), NO_CATEGORY, target, learned, FOLD) for target in (TARGET, other))
    assert np.allclose(p, changed, atol=1e-9)


def test_the_scale_and_the_origin_of_a_column_do_not_matter() -> None:
    p, changed = (cross_fitted(rows_of(table), NO_CATEGORY, TARGET, EVERY, FOLD) for table in (TABLE, 7 - 100 * TABLE))
    assert np.allclose(p, changed, atol=1e-7)


def test_separable_classes_have_finite_coefficients() -> None:
    p = cross_fitted(rows_of(TABLE), NO_CATEGORY, TABLE[:, 0] > 0, EVERY, FOLD)
    assert ((p > 0) & (p < 1)).all()
    assert ((p > 0.5) == (TABLE[:, 0] > 0)).mean() > 0.97


@pytest.mark.parametrize("value", [True, False])
def test_one_class_has_its_share(value: bool) -> None:
    assert (cross_fitted(rows_of(TABLE), NO_CATEGORY, np.full(500, value), EVERY, FOLD) == value).all()


def test_the_size_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    p = cross_fitted(rows_of(TABLE), NO_CATEGORY, TARGET, EVERY, FOLD)
    monkeypatch.setattr(logistic, "_BLOCK", 64)
    monkeypatch.setattr(logistic, "_STORED", 0)
    assert np.allclose(cross_fitted(rows_of(TABLE), NO_CATEGORY, TARGET, EVERY, FOLD), p, atol=1e-9)


def test_categories_are_indicators() -> None:
    category = np.arange(500) * 7 % 3
    indicators = (category[:, None] == np.arange(3)).astype(np.float64)
    p = cross_fitted(rows_of(TABLE), category, TARGET, EVERY, FOLD)
    wide = np.column_stack([TABLE, indicators])
    assert np.allclose(p, cross_fitted(rows_of(wide), NO_CATEGORY, TARGET, EVERY, FOLD), atol=1e-9)
