"""Metrics for a `transformers.Trainer` of token classification.

    >>> trainer = Trainer(model, …, compute_metrics=compute_metrics(model.config.id2label))

A token counts if its gold label is not -100: padding, special tokens and later pieces of words are left out on both
sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.api.score import score
from evenhand.arrays import Ints
from evenhand.data.from_lists import Names, tags, tags_by_id
from evenhand.errors import InputError

IGNORED = -100
"""The label that PyTorch's losses ignore."""
_SAME = "give a model that has one prediction for each label"
Evaluation = Iterable[Any]
"""The input of a trainer's metrics, `transformers.EvalPrediction` or a tuple: logits or ids, labels, and maybe more."""


def compute_metrics(
    names: Names,
    match: str | Sequence[str] = ("exact", "fair", "accuracy"),
    *,
    encoding: str | None = None,
    **options: Any,
) -> Callable[[Evaluation], dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)`, which returns `result.metrics()` of a scored evaluation.

    names     the tags by id: a list, or the model's `id2label`
    match     measures as in `score`; the first one has bare names (`f1`), others a prefix (`fair_f1`)
    encoding  how tags encode spans [recognised from the gold labels]

    Other options are as in `score`: `task="tags"` for parts of speech, `labels`, `exclude`, `map`, `beta`. All are
    checked at once, not after the first epoch.
    """
    known = tags_by_id(names, "names")

    def metrics(evaluation: Evaluation) -> dict[str, float]:
        outputs, targets, *_ = evaluation
        predicted, labels = _best(outputs), _first(targets)
        if predicted.shape != labels.shape:
            finding = f"predictions have the shape {predicted.shape}, and labels {labels.shape}"
            raise InputError("the evaluation", None, finding, _SAME)
        predicted = np.where(labels == IGNORED, IGNORED, predicted)
        gold = tags(labels, names=known, ignore=IGNORED, encoding=encoding, name="labels")
        system = tags(predicted, names=known, ignore=IGNORED, encoding=gold.reading.encoding, name="predictions")
        return score(gold, system, match=match, **options).metrics()

    every_tag = np.array([list(known)])
    metrics((every_tag, every_tag))
    return metrics


def _best(predictions: Any) -> Ints:
    """The ids of predictions, which may be logits of all tags."""
    array = _first(predictions)
    return np.asarray(array.argmax(axis=-1) if array.ndim == 3 else array)


def _first(values: Any) -> Any:
    """The array, or the first one of a tuple: models return hidden states and other arrays after it."""
    return np.asarray(values[0] if isinstance(values, tuple | list) else values)
