"""Metrics for trainers: ids and logits as a trainer hands them over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.integrations.transformers import compute_metrics

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LABELS = np.array([[-100, 1, 2, 0, -100], [3, 0, 1, -100, -100]])
PREDICTED = np.array([[4, 1, 2, 0, 4], [1, 0, 1, 4, 4]])


def evaluation(predictions: Any, labels: Any = LABELS) -> Any:
    return predictions, labels


def logits(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.eye(len(NAMES))[ids] + 0.1


@pytest.mark.parametrize("predictions", [PREDICTED, logits(PREDICTED), (logits(PREDICTED), np.zeros(3))])
def test_logits_ids_and_tuples_are_scored_where_labels_are_not_ignored(predictions: Any) -> None:
    gold = eh.tags([["B-PER", "I-PER", "O"], ["B-LOC", "O", "B-PER"]])
    system = eh.tags([["B-PER", "I-PER", "O"], ["B-PER", "O", "B-PER"]])
    scores = compute_metrics(NAMES)(evaluation(predictions))
    assert scores == eh.score(gold, system, match="exact,fair,accuracy").metrics()
    assert (scores["f1"], scores["precision"], scores["PER_recall"]) == (2 / 3, 2 / 3, 1.0)
    assert (scores["accuracy"], scores["LOC_f1"], scores["fair_f1"]) == (5 / 6, 0.0, 0.8)


def test_the_first_match_model_has_the_bare_names() -> None:
    found = compute_metrics(dict(enumerate(NAMES)), match="fair,exact")(evaluation(PREDICTED))
    assert (found["f1"], found["exact_f1"]) == (0.8, 2 / 3)
    assert "accuracy" not in found


def test_parts_of_speech_are_scored_as_tags() -> None:
    labels = np.array([[0, 1, -100]])
    found = compute_metrics(["NOUN", "VERB"], match="accuracy", task="tags")(evaluation(np.array([[0, 0, 0]]), labels))
    assert (found["accuracy"], found["NOUN_recall"], found["VERB_f1"]) == (0.5, 1.0, 0.0)


def test_what_is_wrong_is_said_before_training() -> None:
    with pytest.raises(eh.SettingError, match="not a measure of spans"):
        compute_metrics(NAMES, match="fare")
    with pytest.raises(eh.InputError, match=r"names has 0 for the id 'O'.*id2label"):
        compute_metrics({"O": 0})  # type: ignore[dict-item]
    with pytest.raises(eh.SettingError, match="no option 'labelz'"):
        compute_metrics(NAMES, labelz="PER")


def test_predictions_of_another_shape_are_refused() -> None:
    with pytest.raises(eh.InputError, match=r"predictions have the shape \(2, 4\), and labels \(2, 5\)"):
        compute_metrics(NAMES)(evaluation(PREDICTED[:, 1:]))


@pytest.mark.parametrize("ids", [np.full((2, 5), 2), np.zeros((2, 5), dtype=int)])
def test_no_prediction_of_an_untrained_model_is_refused(ids: Any) -> None:
    """All tokens the same: neither the encoding nor plain labels can be told from such predictions."""
    assert compute_metrics(NAMES)(evaluation(ids))["f1"] == 0
    plain = compute_metrics(["O", "PER", "LOC"])
    assert plain(evaluation(np.clip(ids, 0, 2), np.clip(LABELS, -100, 2)))["f1"] == 0
