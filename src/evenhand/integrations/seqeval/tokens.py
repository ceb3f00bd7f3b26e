"""seqeval's figures of tokens: the share of right tags, and right and wrong tags that are not O."""

from __future__ import annotations

from itertools import chain
from operator import eq
from typing import Any


def accuracy_score(y_true: list[Any], y_pred: list[Any]) -> float:
    """The share of tokens with the right tag, O among them."""
    true, predicted = _flat(y_true, y_pred)
    right: int = sum(map(eq, true, predicted))
    return right / len(true)


def performance_measure(y_true: list[Any], y_pred: list[Any]) -> dict[str, int]:
    """Tokens by their tags: TP are right and not O, FP wrong and not O, FN wrongly O, TN rightly O."""
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(true == predicted != "O" for true, predicted in pairs),
        "FP": sum(true != predicted != "O" for true, predicted in pairs),
        "FN": sum(true != predicted == "O" for true, predicted in pairs),
        "TN": sum(true == predicted == "O" for true, predicted in pairs),
    }


def _flat(y_true: list[Any], y_pred: list[Any]) -> tuple[list[str], list[str]]:
    """The tags of all sentences, or of one that stands by itself."""
    if any(isinstance(each, list) for each in y_true):
        return list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred))
    return y_true, y_pred
