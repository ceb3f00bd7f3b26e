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

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, empty, ints, ones, ranges
from evenhand.data.encodings import plain_spelling
from evenhand.data.layers import Spans, Tags
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.matching import AllPairs

# == tasks/spans/segments.py: Segments of a text on which each side has the same number of


_CHANGES = ints([1 << 32, -(1 << 32), 1, -1])
"""What begins and ends of gold runs, and of system runs, change: the first number of spans is counted above 32 bits."""


@dataclass(frozen=True)
class Runs:
    """Neighbouring units that belong to one span: a span without gaps is one run, one with gaps several."""

    begin: Ints
    end: Ints
    label: Ints

    def take(self, rows: Ints | Bools) -> Runs:
        return Runs(self.begin[rows], self.end[rows], self.label[rows])

    def plus(self, other: Runs) -> Runs:
        begin, end = np.concatenate((self.begin, other.begin)), np.concatenate((self.end, other.end))
        return Runs(begin, end, np.concatenate((self.label, other.label)))

    def before(self, size: int) -> Runs:
        """What they cover of the first units, so many of them."""
        if not (self.end > size).any():
            return self
        return Runs(self.begin, np.minimum(self.end, size), self.label).take(self.begin < size)


@dataclass(frozen=True)
class Segments:
    """Neighbouring units with as many spans of one label: `gold` of one side, `system` of the other."""

    begin: Ints
    length: Ints
    label: Ints
    gold: Ints
    system: Ints


def runs(spans: Spans, first: Ints, part: str) -> Runs:
    """The runs of tokens or separators (named by the token before them); `first` is the first token of each scope."""
    begin, end, label = first[spans.scope] + spans.start, first[spans.scope] + spans.end, spans.label
    gapped = np.flatnonzero(spans.shape)
    if len(gapped):
        lengths, shapes = (end - begin)[gapped].tolist(), spans.shape[gapped].tolist()
        split_up = [_between(spans.vocabulary.shapes[shape], size) for size, shape in zip(lengths, shapes, strict=True)]
        sizes = [len(each) for each in split_up]
        bounds = ints(list(chain.from_iterable(split_up))) + np.repeat(begin[gapped], sizes)[:, None]
        whole = np.flatnonzero(spans.shape == 0)
        begin, end = np.concatenate((begin[whole], bounds[:, 0])), np.concatenate((end[whole], bounds[:, 1]))
        label = np.concatenate((label[whole], np.repeat(label[gapped], sizes)))
    end = end - (part == "separator")
    found = Runs(begin, end, label)
    return found if (begin < end).all() else found.take(begin < end)


def _between(gaps: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The bounds of the runs of a span with gaps, counted from its first token."""
    return [(before + 1, behind) for before, behind in pairwise((-1, *gaps, size)) if before + 1 < behind]


def split(found: Runs, rows: Bools) -> Runs:
    """The same runs, some of them unit by unit."""
    if not rows.any():
        return found
    kept, others = found.take(~rows), found.take(rows)
    length = others.end - others.begin
    begin = ranges(others.begin, length)
    label = np.repeat(others.label, length)
    return Runs(*map(np.concatenate, ((kept.begin, begin), (kept.end, begin + 1), (kept.label, label))))


def segments(gold: Runs, system: Runs) -> Segments:
    """All segments that any span lies on, by label.

    An end is one number: label, place, and which end of whose run it is. Both numbers of spans are counted in one, too.
    """
    width = max(int(side.end.max(initial=0)) for side in (gold, system)) + 1
    ends = [side.label * width + place for side in (gold, system) for place in (side.begin, side.end)]
    # Most spans come in the order of the text, which a stable sort makes use of.
    ordered = np.sort(np.concatenate([end << 2 | number for number, end in enumerate(ends)]), kind="stable")
    met = np.cumsum(_CHANGES.take(ordered & 3))
    place = ordered >> 2
    length = np.append(place[1:], 0)[: len(place)] - place
    # Behind the last end of a label both numbers are 0, so that no segment goes on into the next one.
    rows = np.flatnonzero((length != 0) & (met != 0))
    label, begin = np.divmod(place[rows], width)
    return Segments(begin, length[rows], label, met[rows] >> 32, met[rows] & (1 << 32) - 1)


# == tasks/spans/token_separator.py (primary)


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


# == tasks/spans/accuracy.py: Token accuracy: the share of tokens whose tags are equal, pr


def equal_tags(gold: Tags, system: Tags) -> Bools:
    """Token accuracy: the share of tokens whose tags are equal, prefix and label alike.

    accuracy = tokens with equal tags / tokens

    Where both files have tags in the same encoding, these are compared as they stand. Otherwise, and where labels were
    renamed or left out, each side's spans are spelled in IOB2, a tag a level, and a token is right if all its tags are.

    Source: conlleval (Tjong Kim Sang and Buchholz 2000), which prints it beside the exact match of spans.
    """
    codes: dict[str, int] = {}
    mine, theirs = (
        ints([codes.setdefault(plain_spelling(name), len(codes)) for name in side.names]) for side in (gold, system)
    )
    equal: Bools = mine[gold.code] == theirs[system.code]
    return equal


def equal_tokens(gold: Spans, system: Spans, text: Text, continued: Spans | None = None) -> Bools:
    """Which tokens are in the same spans of both sides and begin the same ones, by label and level.

    `continued` is what spans of the system cover that begin before the text.
    """
    assert text.lengths is not None
    tokens = int(text.lengths.sum())
    sides = [gold, system] if continued is None else [gold, system, continued]
    levels = max(int(side.level.max(initial=0)) for side in sides) + 1
    theirs = _tags(system, text, levels)
    if continued is not None:
        theirs = theirs.plus(_tags(continued, text, levels, begins=False))
    found = segments(_tags(gold, text, levels).before(tokens), theirs.before(tokens))
    wrong = np.flatnonzero((found.gold > 0) != (found.system > 0))
    begin = found.begin[wrong]
    opened, closed = (np.bincount(place, minlength=tokens + 1) for place in (begin, begin + found.length[wrong]))
    right: Bools = np.cumsum(opened - closed)[:tokens] == 0
    return right


def _tags(spans: Spans, text: Text, levels: int, *, begins: bool = True) -> Runs:
    """The first token of each span, and the others, under one number for each tag: label, level, and whether it begins.

    Unless a span `begins`, all of its tokens are others. Gaps are not looked at.
    """
    first = text.first[spans.scope]
    start, end, tag = first + spans.start, first + spans.end, (spans.label * levels + spans.level) * 2
    if not begins:
        return Runs(start, end, tag)
    begin, behind = np.concatenate((start, start + 1)), np.concatenate((start + 1, end))
    found = Runs(begin, behind, np.concatenate((tag + 1, tag)))
    return found.take((found.begin < found.end) & np.tile(start < end, 2))


def by_sentence(right: Bools, lengths: Ints) -> Ints:
    """How many of the tokens of each sentence are right."""
    before = np.append(0, np.cumsum(right))
    end = np.cumsum(lengths)
    counted: Ints = before[end] - before[end - lengths]
    return counted
