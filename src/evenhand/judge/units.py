"""The token & separator model: what is judged are tokens and the separators between them, not spans.

For a tag c, a token is positive if it lies in a c-span, and the separator between two neighbouring tokens is positive
if both belong to one c-span. Each tag has one table, whatever the other tags do: TP are units that are positive on both
sides, FP those of the system only, FN those of the gold standard only, TN all others. `O` is no tag and has no table.

Under `ts` a sentence of n tokens has 2n - 1 units, whatever a system predicts; the separator between two sentences does
not exist. Under `t` only its n tokens are units. Tokens in the gaps of a span do not belong to it.

*Weights.* A token counts 1, or what the column `--token-weight` of the gold file says (heads, last names); a separator
counts 1, or the `--separator-weight`. TP, FP, FN and TN are sums of these.

*Several spans of one tag on a unit*, which the paper leaves open, are counted: with g spans of the gold standard and s
of the system, TP += min(g, s), FP += max(0, s - g), FN += max(0, g - s). Where no two spans of a tag overlap, this is
the paper's model. TN are units with g = s = 0.

*Close and missed.* A gold span is `close` if a system span of the same tag overlaps it and their bounds differ by one
token in all, and `missed` if none of the same tag overlaps it.

Sources: Esuli and Sebastiani 2010, section 4.1 (`ts`) and section 5 (`t`, weights, close and missed spans).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, empty, ones, ranges
from evenhand.judge.pairs import overlapping
from evenhand.text.layers import Spans

PARTS = ("token", "separator")
_OUTCOMES = ("TP", "FP", "FN", "TP+", "FP+", "FN+", "units")
"""By presence (g > 0, s > 0), as true negatives need it; with a plus sign, what several spans on a unit add to that."""
UNIT_KINDS = (*(f"{part}.{outcome}" for part in PARTS for outcome in _OUTCOMES), "close", "missed")
_CLOSE, _MISSED = len(UNIT_KINDS) - 2, len(UNIT_KINDS) - 1
Rows = tuple[Ints, Ints, Ints, Values | Ints]
"""Scope, label, kind and count."""


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


def units(gold: Spans, system: Spans, text: Text, equal: tuple[Ints, Ints]) -> Units:
    """The tables of all labels, by scope; `equal` are the rows of equal spans."""
    labels, rows = len(gold.vocabulary.labels), []
    if _is_flat(gold, text) and _is_flat(system, text):
        # Then all units of equal spans are TP, and touch no others.
        rows += _equal(gold.take(equal[0]), text)
        gold, system = _without(gold, equal[0]), _without(system, equal[1])
    for number, part in enumerate(PARTS):
        weights = text.weights if part == "token" else None
        for kind, key, count in _outcomes(positive(gold, text, part), positive(system, text, part)):
            token, label = np.divmod(key, labels)
            weighed: Values | Ints = count if weights is None else count * weights[token]
            rows.append((text.scope_of(token), label, np.full(len(key), kind + number * len(_OUTCOMES)), weighed))
    return Units(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def _is_flat(spans: Spans, text: Text) -> bool:
    """Whether spans follow each other without overlaps or gaps."""
    first = text.first[spans.scope]
    return bool(((first + spans.start)[1:] >= (first + spans.end)[:-1]).all()) and not spans.shape.any()


def _without(spans: Spans, rows: Ints) -> Spans:
    kept = np.ones(len(spans), dtype=np.bool_)
    kept[rows] = False
    return spans.take(np.flatnonzero(kept))


def _equal(spans: Spans, text: Text) -> list[Rows]:
    """The tokens and separators of spans that both sides have."""
    tokens: Values | Ints = spans.end - spans.start
    if text.weights is not None:
        before, first = np.append(0, np.cumsum(text.weights)), text.first[spans.scope]
        tokens = before[first + spans.end] - before[first + spans.start]
    longer = np.flatnonzero(spans.end - spans.start > 1)
    separators = (spans.end - spans.start - 1)[longer]
    token, separator = (np.full(len(each), number * len(_OUTCOMES)) for number, each in enumerate((tokens, separators)))
    return [
        (spans.scope, spans.label, token, tokens),
        (spans.scope[longer], spans.label[longer], separator, separators),
    ]


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


def all_units(text: Text) -> Units:
    """How many tokens and separators each scope has, whatever a system says; nothing where files do not know."""
    rows: list[Rows] = []
    for number, part in enumerate(PARTS):
        scope = np.flatnonzero(text.lengths) if text.lengths is not None else empty()
        count: Values | Ints = empty() if text.lengths is None else text.lengths[scope] - (part == "separator")
        if part == "token" and text.weights is not None and len(scope):
            count = np.add.reduceat(text.weights, text.first[scope])
        kind = np.full(len(scope), (number + 1) * len(_OUTCOMES) - 1)
        rows.append((scope, np.full(len(scope), -1), kind, count))
    return Units(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def close_and_missed(gold: Spans, system: Spans, text: Text, equal: tuple[Ints, Ints]) -> Units:
    """Gold spans that are off by one token in all from an overlapping system span of the same tag; those with none."""
    if _is_flat(gold, text) and _is_flat(system, text):
        # Then equal spans overlap no others.
        gold, system = _without(gold, equal[0]), _without(system, equal[1])
    pairs = overlapping(gold, system)
    same = gold.label[pairs.left] == system.label[pairs.right]
    left, right = pairs.left[same], pairs.right[same]
    off = np.abs(gold.start[left] - system.start[right]) + np.abs(gold.end[left] - system.end[right])
    is_missed = np.ones(len(gold), dtype=np.bool_)
    is_missed[left] = False
    close, missed = np.unique(left[off == 1]), np.flatnonzero(is_missed)
    rows = np.concatenate((close, missed))
    kind = np.repeat((_CLOSE, _MISSED), (len(close), len(missed)))
    return Units(gold.scope[rows], gold.label[rows], kind, ones(len(rows)))
