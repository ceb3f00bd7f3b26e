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
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Numbers, Values, empty, ones, ranges
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.pairs import AllPairs
from evenhand.tasks.spans.segments import Runs, Segments, runs, segments, split
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


def units(gold: Spans, system: Spans, text: Text, equal: tuple[Ints, Ints]) -> Units:
    """The tables of all labels, by scope; `equal` are the rows of equal spans."""
    rows: list[Rows] = []
    if _is_flat(gold, text) and _is_flat(system, text):
        # Then all units of equal spans are TP, and touch no others.
        rows += _equal(gold.take(equal[0]), text)
        gold, system = gold.without(equal[0]), system.without(equal[1])
    for number, part in enumerate(PARTS):
        sides = (within_scopes(runs(side, text.first, part), text) for side in (gold, system))
        found = segments(*sides)
        for kind, chosen, count in _outcomes(found):
            rows.append(_counted(found, chosen, count, kind + number * len(_OUTCOMES), text))
    return Units(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def within_scopes(found: Runs, text: Text) -> Runs:
    """The same runs; those that go on into the next sentence, where their units count, are taken apart.

    What reaches beyond the text is left to the next portion.
    """
    if text.lengths is not None:
        found = found.before(int(text.lengths.sum()))
    return split(found, text.scope_of(found.begin) != text.scope_of(found.end - 1))


def _counted(found: Segments, rows: Ints, count: Ints, kind: int, text: Text) -> Rows:
    """Rows for some segments, with so many spans on each of their units; unit by unit where these have weights."""
    begin, length, label = found.begin[rows], found.length[rows], found.label[rows]
    if text.weights is None or kind >= len(_OUTCOMES):  # separators have no weights here
        return text.scope_of(begin), label, np.full(len(rows), kind), count * length
    token = ranges(begin, length)
    counts, labels = np.repeat(count, length), np.repeat(label, length)
    return text.scope_of(token), labels, np.full(len(token), kind), counts * text.weights[token]


def _is_flat(spans: Spans, text: Text) -> bool:
    """Whether spans follow each other without overlaps or gaps."""
    first = text.first[spans.scope]
    return bool(((first + spans.start)[1:] >= (first + spans.end)[:-1]).all()) and not spans.shape.any()


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


def _outcomes(found: Segments) -> Iterator[tuple[int, Ints, Ints]]:
    """Kind, segments and counts: TP, FP and FN by presence, then what several spans on a unit add."""
    gold, system = found.gold, found.system
    both, spurious, missing = (gold > 0) & (system > 0), gold == 0, system == 0
    for kind, chosen in enumerate((both, spurious, missing)):
        rows = np.flatnonzero(chosen)
        yield kind, rows, ones(len(rows))
    more = (
        np.minimum(gold, system) - both,
        np.maximum(system - gold, 0) - spurious,
        np.maximum(gold - system, 0) - missing,
    )
    for kind, count in enumerate(more, 3):
        rows = np.flatnonzero(count)
        yield kind, rows, count[rows]


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
        gold, system = gold.without(equal[0]), system.without(equal[1])
    close, met = (np.zeros(len(gold), dtype=np.bool_) for _ in range(2))
    for pairs in AllPairs(gold, system):
        same = gold.label[pairs.left] == system.label[pairs.right]
        left, right = pairs.left[same], pairs.right[same]
        off = np.abs(gold.start[left] - system.start[right]) + np.abs(gold.end[left] - system.end[right])
        close[left[off == 1]] = True
        met[left] = True
    rows = np.concatenate((np.flatnonzero(close), np.flatnonzero(~met)))
    kind = np.repeat((_CLOSE, _MISSED), (np.count_nonzero(close), np.count_nonzero(~met)))
    return Units(gold.scope[rows], gold.label[rows], kind, ones(len(rows)))
