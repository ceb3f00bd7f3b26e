"""seqeval's scores: precision, recall and F by type or averaged, with its answers where nothing can be divided."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Literal

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, Values
from evenhand.integrations.seqeval.counts import Counts, count
from evenhand.integrations.seqeval.schemes import Scheme
from evenhand.problems import warn_caller

ZeroDivision = Literal["warn", 0, 1]
Sentences = list[list[str]]
Scores = tuple[Any, Any, Any, Any]
"""Precision, recall, F and support: arrays by type, or numbers where they are averaged."""
MICRO, _, WEIGHTED = AVERAGES = ("micro", "macro", "weighted")
_ALL = ("precision", "recall", "f-score")


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0, and nobody said with `zero_division` what it should be."""


def precision_recall_fscore_support(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = None,
    warn_for: Collection[str] = _ALL,
    beta: float = 1.0,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Scheme | None = None,
    suffix: bool = False,
    mode: str | None = None,
) -> Scores:
    """Precision, recall, F-beta and support: by type in alphabetical order, or averaged.

    A scheme counts only with `mode="strict"`; without it, conlleval's rule does.
    """
    refuse_weights(sample_weight)
    if beta < 0:
        raise ValueError(f"beta is {shown(beta)}; give a number that is not negative.")
    if average not in (None, *AVERAGES):
        raise ValueError(f"average is {shown(average)}; choose one of None, {', '.join(map(repr, AVERAGES))}.")
    counts = count(y_true, y_pred, mode if scheme else None, scheme, suffix=suffix)
    return averaged(counts, average, beta, zero_division, warn_for)


def _scorer(place: int, score: str) -> Callable[..., Any]:
    """One of the scores as a function of its own."""

    def scorer(
        y_true: Sentences,
        y_pred: Sentences,
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: None = None,
        zero_division: ZeroDivision = "warn",
        scheme: Scheme | None = None,
    ) -> Any:
        return precision_recall_fscore_support(
            y_true,
            y_pred,
            average=average,
            warn_for=(score,),
            sample_weight=sample_weight,
            zero_division=zero_division,
            scheme=scheme,
            suffix=suffix,
            mode=mode,
        )[place]

    scorer.__name__ = scorer.__qualname__ = f"{score.replace('f-score', 'f1')}_score"
    scorer.__doc__ = f"The {score} of entities; see `precision_recall_fscore_support`."
    return scorer


precision_score, recall_score, f1_score = (_scorer(place, score) for place, score in enumerate(_ALL))


def refuse_weights(sample_weight: object) -> None:
    """Weights change no score in seqeval, though it takes them: whoever gives them expects that they do."""
    if sample_weight is not None:
        raise ValueError("sample_weight has no effect on scores of entities, in seqeval either; leave it out.")


def averaged(
    counts: Counts, average: str | None, beta: float, zero_division: ZeroDivision, warn_for: Collection[str] = _ALL
) -> Scores:
    """The scores of counts."""
    true, predicted, right = counts.true, counts.predicted, counts.right
    if average == MICRO:
        true, predicted, right = (np.array([each.sum()]) for each in (true, predicted, right))
    if zero_division == "warn":
        _warn(true, predicted, warn_for)
    otherwise = 0.0 if zero_division in ("warn", 0) else 1.0
    precision, recall = _divided(right, predicted, otherwise), _divided(right, true, otherwise)
    f_score = recall if np.isposinf(beta) else _f_score(precision, recall, beta**2)
    if average is None:
        return precision, recall, f_score, true
    if average == WEIGHTED and not true.sum():
        of_found = 0.0 if predicted.sum() else otherwise
        return of_found, otherwise, of_found, sum(true)
    weights = true if average == WEIGHTED else None
    means = [np.average(each, weights=weights) for each in (precision, recall, f_score)]
    return means[0], means[1], means[2], sum(true)


def _divided(numerator: Ints, denominator: Ints, otherwise: float) -> Values:
    is_zero = denominator == 0
    return np.where(is_zero, otherwise, numerator / np.where(is_zero, 1, denominator))


def _f_score(precision: Values, recall: Values, beta2: float) -> Values:
    denominator = beta2 * precision + recall
    found: Values = (1 + beta2) * precision * recall / np.where(denominator == 0, 1, denominator)
    return found


def _warn(true: Ints, predicted: Ints, warn_for: Collection[str]) -> None:
    """Say which scores are 0 as nothing can be divided; of F alone only where both precision and recall are such."""
    also = " and F-score are" if "f-score" in warn_for else " is"
    for name, divisor, what in (("precision", predicted, "predicted"), ("recall", true, "true")):
        if name in warn_for and not divisor.all():
            _warn_of(f"{name.title()}{also}", f"without {what} entities")
    if tuple(warn_for) == ("f-score",) and ((true == 0) & (predicted == 0)).any():
        _warn_of("F-score is", "without any entities")


def _warn_of(scores: str, where: str) -> None:
    message = f"{scores} 0/0 {where} and set to 0; say with zero_division=0 or 1 what it should be."
    warn_caller(message, UndefinedMetricWarning)
