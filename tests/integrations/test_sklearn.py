"""scikit-learn: what docs/reference/python.md says of `make_scorer` works in a cross-validation."""

from __future__ import annotations

from typing import Any

import pytest

import evenhand as eh

model_selection = pytest.importorskip("sklearn.model_selection")
metrics = pytest.importorskip("sklearn.metrics")
base = pytest.importorskip("sklearn.base")
pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]


class Capitals(base.BaseEstimator):  # type: ignore[misc, name-defined]
    """Tags every capitalised word as a person."""

    def fit(self, sentences: Any, tags: Any) -> Capitals:
        return self

    def predict(self, sentences: Any) -> list[list[str]]:
        return [["B-PER" if word.istitle() else "O" for word in words] for words in sentences]


def test_a_scorer_in_a_cross_validation() -> None:
    def fair_f1(gold: Any, predicted: Any) -> float:
        return eh.score(eh.tags(gold), eh.tags(predicted), match="fair")["fair"].f1

    sentences = [["Ada", "ran"], ["Bo", "ate", "it"], ["Cy", "Dee"], ["he", "Ed"]]
    tags = [["B-PER", "O"], ["B-PER", "O", "O"], ["B-PER", "I-PER"], ["O", "B-PER"]]
    found = model_selection.cross_val_score(Capitals(), sentences, tags, cv=2, scoring=metrics.make_scorer(fair_f1))
    assert found[0] == 1
    assert 0 < found[1] < 1
