"""The metrics of a `transformers.Trainer` that trains a model to tag tokens.

    >>> trainer = Trainer(model, …, compute_metrics=compute_metrics(model.config.id2label))

A token counts where its gold label is not -100: padding, special tokens and further pieces of words are left out on
both sides.
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
"""The label that the losses of PyTorch leave out."""
_SAME = "give a model that has one prediction for each label"


Evaluation = Iterable[Any]
"""What a trainer hands over, `transformers.EvalPrediction` or a tuple: logits or ids, the labels, and maybe more."""


def compute_metrics(
    names: Names,
    match: str | Sequence[str] = ("exact", "fair", "accuracy"),
    *,
    encoding: str | None = None,
    **options: Any,
) -> Callable[[Evaluation], dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)`, which returns `result.metrics()` of a scored evaluation.

    names     the tags by id: a list, or the model's `id2label`
    match     match models as in `score`; the first one has bare names (`f1`), others stand before theirs (`fair_f1`)
    encoding  how tags spell spans; recognised by the gold labels unless it is given

    Further options are those of `score`: `task="tags"` for parts of speech, `labels`, `exclude`, `map`, `beta`. All are
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
    found = _first(predictions)
    best: Ints = found.argmax(axis=-1) if found.ndim == 3 else found
    return best


def _first(values: Any) -> Any:
    """The array, or the first one of a tuple: models return hidden states and the like behind it."""
    return np.asarray(values[0] if isinstance(values, tuple | list) else values)
