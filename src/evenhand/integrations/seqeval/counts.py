"""What precision and recall divide: how many entities of each type are there, were found, and are right."""

from __future__ import annotations

from itertools import chain, compress
from operator import eq, ne
from typing import Any

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.integrations.seqeval.entities import Affixes, Coded, Codes, Entities, TagSet, entities
from evenhand.integrations.seqeval.schemes import LENIENT, Scheme, recognised
from evenhand.problems import counted


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
    codes = Codes()
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
