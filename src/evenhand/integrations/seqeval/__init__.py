"""seqeval's names, with seqeval's values: change the import, and nothing else.

    from evenhand.integrations.seqeval import classification_report, f1_score, IOB2

Every function takes what seqeval 1.2.2 takes and returns what it returns, also where Evenhand itself would say
something else; `docs/how-to/coming-from/seqeval.md` lists these places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import chain, compress
from operator import eq, ne
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Ints, Values, ranges
from evenhand.dataclass import dataclass
from evenhand.errors import counted, warn_caller
from evenhand.integrations.seqeval.entities import (
    BILOU,
    IOB1,
    IOB2,
    IOBES,
    IOE1,
    IOE2,
    LENIENT,
    Affixes,
    Coded,
    Entities,
    Scheme,
    TagCodes,
    TagSet,
    entities,
    get_entities,
    recognised,
)
from evenhand.parameters import quote

# == integrations/seqeval/counts.py: What precision and recall divide: how many entities of each


@dataclass(frozen=True)
class Counts:
    """Counts by type; the types are those of all entities, in alphabetical order."""

    types: list[str]
    true: Ints
    predicted: Ints
    right: Ints


def count(y_true: Any, y_pred: Any, mode: str | None, scheme: Scheme | None, *, suffix: bool) -> Counts:
    """The counts of predictions; strict only if `mode` says so, whatever the scheme."""
    check_sentences(y_true, y_pred)
    chosen = LENIENT
    if mode == "strict":
        chosen = scheme if scheme is not None else recognised(set().union(*y_true), suffix=suffix)
    differs = list(map(ne, y_true, y_pred))
    others = list(compress(y_pred, differs))
    codes = TagCodes()
    gold, found = codes.of(y_true), codes.of(others)
    tags = TagSet(codes, Affixes(chosen, suffix))
    true, predicted = entities(gold, tags), entities(_replaced(gold, y_true, differs, found), tags)
    by_type = [np.bincount(each, minlength=len(tags.types)) for each in (true.type, predicted.type)]
    right = np.bincount(_right(true, predicted), minlength=len(tags.types))
    some = np.flatnonzero(by_type[0] + by_type[1])
    return Counts([tags.types[place] for place in some.tolist()], by_type[0][some], by_type[1][some], right[some])


def _replaced(code: Coded, sentences: list[list[str]], differs: list[bool], others: Coded) -> Coded:
    """Codes with those of other sentences where they differ: where they do not, nothing is looked up a second time."""
    sizes = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)) + 1
    where = np.flatnonzero(differs)
    code = code.astype(np.result_type(code, others))
    code[ranges((np.cumsum(sizes) - sizes)[where], sizes[where])] = others
    return code


def _right(true: Entities, predicted: Entities) -> Ints:
    """The types of the entities that both have."""
    _, here, there = np.intersect1d(true.last, predicted.last, assume_unique=True, return_indices=True)
    is_right = (true.first[here] == predicted.first[there]) & (true.type[here] == predicted.type[there])
    types: Ints = true.type[here[is_right]]
    return types


def check_sentences(y_true: Any, y_pred: Any) -> None:
    """Refuse what are no two lists of lists of the same lengths, with the exceptions that seqeval raises."""
    if not set(map(type, chain((y_true, y_pred), y_true, y_pred))) == {list} or not (y_true or y_pred):
        raise TypeError("y_true and y_pred must be lists with a list of tags for each sentence.")
    if len(y_true) != len(y_pred):
        raise ValueError(f"Got {counted(len(y_true), 'sentence')} in y_true, {len(y_pred)} in y_pred.")
    true, predicted = list(map(len, y_true)), list(map(len, y_pred))
    if true != predicted:
        number = list(map(eq, true, predicted)).index(False)
        raise ValueError(
            f"Sentence {number + 1} has {counted(true[number], 'tag')} in y_true, {predicted[number]} in y_pred."
        )


# == integrations/seqeval/scores.py: seqeval's scores: precision, recall and F by type or average


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
        raise ValueError(f"beta is {quote(beta)}; give a number that is not negative.")
    if average not in (None, *AVERAGES):
        raise ValueError(f"average is {quote(average)}; choose one of None, {', '.join(map(repr, AVERAGES))}.")
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


# == integrations/seqeval/report.py: seqeval's report: a table, or a dictionary, of scores by typ


_COLUMNS = ("precision", "recall", "f1-score", "support")


def classification_report(
    y_true: Sentences,
    y_pred: Sentences,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Scheme | None = None,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each type, and their micro, macro and weighted averages.

    With `mode="strict"` and no scheme, the scheme is recognised by the prefixes in `y_true`.
    """
    refuse_weights(sample_weight)
    counts = count(y_true, y_pred, mode, scheme, suffix=suffix)
    by_type = averaged(counts, None, 1.0, zero_division)
    rows = {name: row for name, *row in zip(counts.types, *by_type, strict=True)}
    averages = {f"{average} avg": averaged(counts, average, 1.0, zero_division) for average in AVERAGES}
    if output_dict:
        return {name: dict(zip(_COLUMNS, row, strict=True)) for name, row in {**rows, **averages}.items()}
    if not rows:
        raise ValueError("Neither y_true nor y_pred has an entity, so that there is nothing to report.")
    width = max(digits, *map(len, [*rows, *averages]))
    lines = [f"{'':>{width}} " + "".join(f" {column:>9}" for column in _COLUMNS), ""]
    for part in (rows, averages):
        for name, (*scores, support) in part.items():
            lines.append(f"{name:>{width}} " + "".join(f" {score:>9.{digits}f}" for score in scores) + f" {support:>9}")
        lines.append("")
    return "\n".join(lines)


# == integrations/seqeval/tokens.py: seqeval's figures of tokens: the share of right tags, and ri


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


# == integrations/seqeval/__init__.py (primary)


__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]
