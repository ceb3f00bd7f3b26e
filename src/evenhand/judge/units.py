"""The token & separator model: what is judged are tokens and the separators between them, not spans.

For a tag c, a token is positive if it lies in a c-span, and the separator between two tokens of a sentence is positive
if both belong to one c-span. So there is one table of TP, FP, FN and TN a tag, and a sentence of n tokens has 2n - 1
units, whatever a system predicts (Esuli and Sebastiani 2010, section 4). The separator between two sentences does not
exist.

Several spans of a tag on one unit, which the paper leaves open, are counted: with g spans of the gold standard and s of
the system, TP += min(g, s), FP += max(0, s - g), FN += max(0, g - s). Where no two spans of a tag overlap, this is the
paper's model. The kinds with a plus sign hold what comes on top of presence (g > 0, s > 0), so that scores that need
true negatives can do without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, ranges
from evenhand.judge.pairs import Pairs
from evenhand.text.layers import Spans

PARTS = ("token", "separator")
_OUTCOMES = ("TP", "FP", "FN", "TP+", "FP+", "FN+", "units")
UNIT_KINDS = (*(f"{part}.{outcome}" for part in PARTS for outcome in _OUTCOMES), "close", "missed")
_CLOSE, _MISSED = len(UNIT_KINDS) - 2, len(UNIT_KINDS) - 1


@dataclass(frozen=True)
class Text:
    """The sentences of a portion: where their tokens begin, and what these weigh."""

    first: Ints
    """The first token of each scope, in one count over all of them."""
    lengths: Ints | None
    """How many tokens each scope has; None where files do not say."""
    weights: Values | None = None
    """What each token weighs; 1 without."""

    def scope_of(self, token: Ints) -> Ints:
        """The scope that each token is in."""
        if self.lengths is None:
            return np.searchsorted(self.first, token, side="right") - 1
        return self._scopes[token]

    @cached_property
    def _scopes(self) -> Ints:
        assert self.lengths is not None
        return np.repeat(np.arange(len(self.first)), self.lengths)

    @staticmethod
    def of(lengths: Ints | None, scopes: int, width: int, weights: Values | None = None) -> Text:
        """A text of so many scopes; `width` is the length of the longest one, for files that do not say."""
        if lengths is None:
            return Text(np.arange(scopes) * width, None)
        return Text(np.cumsum(lengths) - lengths, lengths, weights)


@dataclass(frozen=True)
class Units:
    """Rows of counts: `count` units of one kind and label (-1: all units there are) in a scope."""

    scope: Ints
    label: Ints
    kind: Ints
    count: Numbers


@dataclass(frozen=True)
class Positive:
    """The positive units of one side, each once for every label: keys in their order, and how many spans each has."""

    key: Ints
    spans: Ints


def positive(spans: Spans, text: Text, part: str) -> Positive:
    """The positive tokens or separators (named by the token before them) of one side."""
    labels = len(spans.vocabulary.labels)
    length = spans.end - spans.start - (part == "separator")
    begin = text.first[spans.scope] + spans.start
    key = ranges(begin, length) * labels + np.repeat(spans.label, length)
    if spans.shape.any():
        key = key[_without_gaps(spans, length, part)]
    if (key[1:] > key[:-1]).all():
        return Positive(key, np.ones(len(key), dtype=np.int64))
    return Positive(*np.unique(key, return_counts=True))


def _without_gaps(spans: Spans, length: Ints, part: str) -> Bools:
    """Which of all units between the bounds belong to their span; only those of spans with gaps are looked at."""
    keep = np.ones(int(length.sum()), dtype=np.bool_)
    first = np.cumsum(length) - length
    for row in np.flatnonzero(spans.shape).tolist():
        for gap in spans.vocabulary.shapes[int(spans.shape[row])]:
            keep[first[row] + gap : first[row] + min(gap + 1, int(length[row]))] = False
            if part == "separator":
                keep[first[row] + gap - 1] = False
    return keep


def units(gold: Spans, system: Spans, text: Text, pairs: Pairs, known: dict[str, Positive]) -> Units:
    """The tables of all labels, by scope; `known` keeps the gold standard's units for the next system."""
    labels, rows = len(gold.vocabulary.labels), []
    for number, part in enumerate(PARTS):
        if part not in known:
            known[part] = positive(gold, text, part)
        weights = text.weights if part == "token" else None
        for kind, key, count in _outcomes(known[part], positive(system, text, part)):
            token, label = np.divmod(key, labels)
            weighed: Values | Ints = count if weights is None else count * weights[token]
            rows.append((text.scope_of(token), label, np.full(len(key), kind + number * len(_OUTCOMES)), weighed))
        rows += _all_units(text, part, number)
    rows += _close_and_missed(gold, system, pairs)
    return Units(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def _outcomes(gold: Positive, system: Positive) -> Iterator[tuple[int, Ints, Ints]]:
    """Kind, keys and counts: TP, FP and FN by presence, then what several spans on a unit add."""
    place = np.minimum(np.searchsorted(system.key, gold.key), max(len(system.key) - 1, 0))
    both = system.key[place] == gold.key if len(system.key) else np.zeros(len(gold.key), dtype=np.bool_)
    alone = np.ones(len(system.key), dtype=np.bool_)
    alone[place[both]] = False
    for kind, key in enumerate((gold.key[both], system.key[alone], gold.key[~both])):
        yield kind, key, np.ones(len(key), dtype=np.int64)
    if len(gold.spans) == gold.spans.sum() and len(system.spans) == system.spans.sum():
        return
    theirs = np.zeros(len(gold.key), dtype=np.int64)
    theirs[both] = system.spans[place[both]]
    yield 3, gold.key, np.minimum(gold.spans, theirs) - both
    yield 4, gold.key, np.where(both, np.maximum(theirs - gold.spans, 0), 0)
    yield 5, gold.key, np.maximum(gold.spans - theirs, 0) - ~both
    yield 4, system.key[alone], system.spans[alone] - 1


def _all_units(text: Text, part: str, number: int) -> list[tuple[Ints, Ints, Ints, Values | Ints]]:
    """How many units each scope has, where that is known; they weigh as the others do."""
    if text.lengths is None:
        return []
    scope = np.flatnonzero(text.lengths)
    count: Values | Ints = text.lengths[scope] - (part == "separator")
    if part == "token" and text.weights is not None:
        count = np.add.reduceat(text.weights, text.first[scope]) if len(scope) else np.zeros(0)
    return [(scope, np.full(len(scope), -1), np.full(len(scope), (number + 1) * len(_OUTCOMES) - 1), count)]


def _close_and_missed(gold: Spans, system: Spans, pairs: Pairs) -> list[tuple[Ints, Ints, Ints, Ints]]:
    """Gold spans that are off by one token in all from an overlapping system span of the same tag; those with none."""
    same = gold.label[pairs.left] == system.label[pairs.right]
    left, right = pairs.left[same], pairs.right[same]
    off = np.abs(gold.start[left] - system.start[right]) + np.abs(gold.end[left] - system.end[right])
    is_missed = np.ones(len(gold), dtype=np.bool_)
    is_missed[left] = False
    rows = []
    for kind, found in ((_CLOSE, np.unique(left[off == 1])), (_MISSED, np.flatnonzero(is_missed))):
        ones = np.ones(len(found), dtype=np.int64)
        rows.append((gold.scope[found], gold.label[found], np.full(len(found), kind), ones))
    return rows
