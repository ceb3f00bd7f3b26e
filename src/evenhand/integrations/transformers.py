"""Metrics for a `transformers.Trainer` of token classification.

    >>> trainer = Trainer(model, …, compute_metrics=compute_metrics(model.config.id2label))

A token counts if its gold label is not -100: padding, special tokens and later pieces of words are left out on both
sides. With `TrainingArguments(batch_eval_metrics=True)`, each batch is counted when it is evaluated, so the logits of
the whole evaluation are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.api.metric import IGNORED, Metric
from evenhand.arrays import Ints
from evenhand.data.from_lists import Names
from evenhand.errors import InputError
from evenhand.results.result import Result

_SAME = "use a model with one prediction per label"
Evaluation = Iterable[Any]
"""The input of a trainer's metrics, `transformers.EvalPrediction` or a tuple: logits or ids, labels, and maybe more."""


def compute_metrics(
    names: Names,
    match: str | Sequence[str] = ("exact", "fair", "accuracy"),
    *,
    encoding: str | None = None,
    **options: Any,
) -> Callable[..., dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)`, which returns `result.metrics()` of a scored evaluation.

    names     the tags by id: a list, or the model's `id2label`
    match     measures as in `score`; the first one has bare names (`f1`), others a prefix (`fair_f1`)
    encoding  how tags encode spans [recognised from the gold labels]

    Other options are as in `score`: `task="tags"` for parts of speech, `labels`, `exclude`, `map`, `beta`. All are
    checked at once, not after the first epoch.

    A trainer that evaluates batch by batch passes `compute_result`, which is true for the last batch.
    """
    metric = Metric(names=names, ignore=IGNORED, match=match, encoding=encoding, **options)

    def metrics(evaluation: Evaluation, compute_result: bool = True) -> dict[str, float]:
        outputs, targets, *_ = evaluation
        predicted, labels = _best(outputs), _first(targets)
        if predicted.shape != labels.shape:
            finding = f"predictions have the shape {predicted.shape}, and labels {labels.shape}"
            raise InputError("the evaluation", None, finding, _SAME)
        metric.update(labels, predicted)
        if not compute_result:
            return {}
        result = metric.compute()
        metric.reset()
        assert isinstance(result, Result)
        return result.metrics()

    return metrics


def _best(predictions: Any) -> Ints:
    """The ids of predictions, which may be logits of all tags."""
    values = predictions[0] if isinstance(predictions, tuple | list) else predictions
    best: Ints = _first(values.argmax(-1) if len(values.shape) == 3 else values)
    return best


def _first(values: Any) -> Any:
    """The array, or the first one of a tuple: models return hidden states and other arrays after it."""
    first = values[0] if isinstance(values, tuple | list) else values
    return np.asarray(first.detach().cpu() if hasattr(first, "detach") else first)
