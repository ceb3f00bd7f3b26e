"""The token & separator model: it evaluates tokens and the separators between them, not spans.

For a label c, a token is positive if it is in a c-span, and the separator between two neighbouring tokens is positive
if both are in the same c-span. Each label has one table, independent of the other labels: TP are units that are
positive on both sides, FP on the system side only, FN on the gold side only, TN are all others. `O` is not a label and
has no table.

Under `ts` a sentence of n tokens has 2n - 1 units, regardless of predictions; nothing separates two
sentences. Under `t` only its n tokens are units. Tokens in the gaps of a span do not belong to it.

*Weights.* A token counts 1, or the value of the column `--token-weight` of the gold file (heads, last names); a
separator counts 1, or the `--separator-weight`. TP, FP, FN and TN are sums of these.

*Several spans of one label on a unit*, which the paper leaves open, are counted: with g gold and s system spans,
TP += min(g, s), FP += max(0, s - g), FN += max(0, g - s). If no two spans of a label overlap, this is the model of the
paper. TN are units with g = s = 0.

*Close and missed.* A gold span is `close` if a system span of the same label overlaps it and their bounds differ by one
token in total, and `missed` if none of the same label overlaps it.

Sources: Esuli and Sebastiani 2010, section 4.1 (`ts`) and section 5 (`t`, weights, close and missed spans).
"""

# The plain version is in tests/tasks/test_token_separator.py. Here, neighbouring units with the same number of spans on
# each side are one segment, so the work grows with the number of spans, not of tokens.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, empty, ints, ones, ranges
from evenhand.data.encodings import plain_spelling
from evenhand.data.layers import Spans, Tags
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.spans.matching import AllPairs, SpanPair, Text
from evenhand.tasks.unit_rows import Places, UnitRows

PARTS = ("token", "separator")
_OUTCOMES = ("TP", "FP", "FN", "TP+", "FP+", "FN+", "units")
"""By presence (g > 0, s > 0), which true negatives need; with a plus sign, the surplus of several spans on a unit."""
UNIT_KINDS = (*(f"{part}.{outcome}" for part in PARTS for outcome in _OUTCOMES), "close", "missed")
_CLOSE, _MISSED = len(UNIT_KINDS) - 2, len(UNIT_KINDS) - 1
ACCURACY_KINDS = ("correct", "wrong")
_CHANGES = ints([1 << 32, -(1 << 32), 1, -1])
"""Changes at begins and ends of gold runs and of system runs: gold spans are counted in the upper 32 bits."""
Rows = tuple[Ints, Ints, Ints, Values | Ints]
"""Scope, label, kind and count."""


@dataclass(frozen=True)
class UnitCounts:
    """Rows of counts: `count` units of one kind and label (-1: all units) in a scope."""

    scope: Ints
    label: Ints
    kind: Ints
    count: Numbers


def units(gold: Spans, system: Spans, text: Text, equal: tuple[Ints, Ints]) -> UnitCounts:
    """The tables of all labels, by scope; `equal` are the rows of equal spans."""
    rows: list[Rows] = []
    if _is_flat(gold, text) and _is_flat(system, text):
        # Then all units of equal spans are TP, and no other span has them.
        rows += _equal(gold.take(equal[0]), text)
        gold, system = gold.without(equal[0]), system.without(equal[1])
    for number, part in enumerate(PARTS):
        sides = (within_scopes(runs(side, text.first, part), text) for side in (gold, system))
        parts = segments(*sides)
        for kind, chosen, count in _outcomes(parts):
            rows.append(_count_segments(parts, chosen, count, kind + number * len(_OUTCOMES), text))
    return UnitCounts(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def within_scopes(runs: Runs, text: Text) -> Runs:
    """The same runs, split unit by unit if they cross a sentence boundary, and cut at the end of the text."""
    if text.lengths is not None:
        runs = runs.before(int(text.lengths.sum()))
    return split(runs, text.scope_of(runs.begin) != text.scope_of(runs.end - 1))


def _count_segments(segments: UnitSegments, rows: Ints, count: Ints, kind: int, text: Text) -> Rows:
    """Rows for some segments, with `count` spans on each of their units; unit by unit if tokens have weights."""
    begin, length, label = segments.begin[rows], segments.length[rows], segments.label[rows]
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
    """The tokens and separators of equal spans."""
    tokens: Values | Ints = spans.end - spans.start
    if text.weights is not None:
        before, first = np.append(0, np.cumsum(text.weights)), text.first[spans.scope]
        tokens = before[first + spans.end] - before[first + spans.start]
    longer = np.flatnonzero(spans.end - spans.start > 1)
    separators = (spans.end - spans.start - 1)[longer]
    return [
        (spans.scope, spans.label, np.zeros_like(spans.scope), tokens),
        (spans.scope[longer], spans.label[longer], np.full(len(longer), len(_OUTCOMES)), separators),
    ]


def _outcomes(segments: UnitSegments) -> Iterator[tuple[int, Ints, Ints]]:
    """Kind, segments and counts: TP, FP and FN by presence, then the surplus of several spans on a unit."""
    gold, system = segments.gold, segments.system
    both, spurious, missing = (gold > 0) & (system > 0), gold == 0, system == 0
    for kind, chosen in enumerate((both, spurious, missing)):
        rows = np.flatnonzero(chosen)
        yield kind, rows, ones(len(rows))
    surplus = (
        np.minimum(gold, system) - both,
        np.maximum(system - gold, 0) - spurious,
        np.maximum(gold - system, 0) - missing,
    )
    for kind, count in enumerate(surplus, 3):
        rows = np.flatnonzero(count)
        yield kind, rows, count[rows]


def all_units(text: Text) -> UnitCounts:
    """The number of tokens and separators of each scope; nothing if lengths are unknown."""
    rows: list[Rows] = []
    for number, part in enumerate(PARTS):
        scope = np.flatnonzero(text.lengths) if text.lengths is not None else empty()
        count: Values | Ints = empty() if text.lengths is None else text.lengths[scope] - (part == "separator")
        if part == "token" and text.weights is not None and len(scope):
            count = np.add.reduceat(text.weights, text.first[scope])
        kind = np.full(len(scope), (number + 1) * len(_OUTCOMES) - 1)
        rows.append((scope, np.full(len(scope), -1), kind, count))
    return UnitCounts(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def close_and_missed(gold: Spans, system: Spans, text: Text, equal: tuple[Ints, Ints]) -> UnitCounts:
    """Gold spans whose bounds differ by one token from an overlapping system span of their label; those with none."""
    if _is_flat(gold, text) and _is_flat(system, text):
        # Then equal spans overlap no other spans.
        gold, system = gold.without(equal[0]), system.without(equal[1])
    close, overlapped = (np.zeros(len(gold), dtype=np.bool_) for _ in range(2))
    for pairs in AllPairs(gold, system):
        same = gold.label[pairs.left] == system.label[pairs.right]
        left, right = pairs.left[same], pairs.right[same]
        off = np.abs(gold.start[left] - system.start[right]) + np.abs(gold.end[left] - system.end[right])
        close[left[off == 1]] = True
        overlapped[left] = True
    rows = np.concatenate((np.flatnonzero(close), np.flatnonzero(~overlapped)))
    kind = np.repeat((_CLOSE, _MISSED), (np.count_nonzero(close), np.count_nonzero(~overlapped)))
    return UnitCounts(gold.scope[rows], gold.label[rows], kind, ones(len(rows)))


def count_units(pair: SpanPair) -> Tally:
    """Count tokens and separators."""
    return _count(pair, units, *pair.placed)


def count_near(pair: SpanPair) -> Tally:
    """Count close and missed gold spans."""
    return _count(pair, close_and_missed, *pair.placed)


def token_units(pair: SpanPair) -> UnitRows:
    """The tokens and separators in spans of either side, one row per label and span; a separator has two tokens."""
    gold, system = (_with_levels(pair, side) for side in pair.placed)
    text, columns = pair.text, list[tuple[Ints, Ints, Ints]]()
    for number, part in enumerate(PARTS):
        parts = segments(*(within_scopes(runs(side, text.first, part), text) for side in (gold, system)))
        for kind, rows, count in _outcomes(parts):
            times = np.repeat(count, parts.length[rows])
            token = np.repeat(ranges(parts.begin[rows], parts.length[rows]), times)
            label = np.repeat(np.repeat(parts.label[rows], parts.length[rows]), times)
            columns.append((token, label // pair.levels, np.full(len(token), kind + number * len(_OUTCOMES))))
    tokens, labels, kinds = (np.concatenate(column) for column in zip(*columns, strict=True))
    outcome, scope = kinds % len(_OUTCOMES) % 3, text.scope_of(tokens)
    start = tokens - text.first[scope]
    place = Places.of(scope, start, start + 1 + (kinds >= len(_OUTCOMES)))
    in_gold, in_system = np.where(outcome == 1, -1, labels), np.where(outcome == 2, -1, labels)
    return UnitRows.of(UNIT_KINDS, kinds, place, in_gold, in_system, outcome == 1)


def _with_levels(pair: SpanPair, spans: Spans) -> Spans:
    """With separate levels, a label is a different one on every level."""
    levels = pair.levels
    return spans if levels == 1 else replace(spans, label=spans.label * levels + spans.level % levels)


def _count(pair: SpanPair, evaluate: Callable[..., UnitCounts], gold: Spans, system: Spans) -> Tally:
    rows = evaluate(*(_with_levels(pair, side) for side in (gold, system)), pair.text, pair.equal)
    rows = replace(rows, label=np.where(rows.label < 0, -1, rows.label // pair.levels))
    return tally_units(rows, pair.labels, pair.groups)


def tally_units(units: UnitCounts, labels: Sequence[str], groups: Ints) -> Tally:
    """Count tokens and separators; the total number of units has no label."""
    no_system = np.full(len(units.scope), -1)
    return Tally.of(labels, UNIT_KINDS, groups[units.scope], units.label, no_system, units.kind, units.count)


@dataclass(frozen=True)
class Runs:
    """Neighbouring units of one span: a span without gaps is one run, a span with gaps several."""

    begin: Ints
    end: Ints
    label: Ints

    def take(self, rows: Ints | Bools) -> Runs:
        return Runs(self.begin[rows], self.end[rows], self.label[rows])

    def plus(self, other: Runs) -> Runs:
        begin, end = np.concatenate((self.begin, other.begin)), np.concatenate((self.end, other.end))
        return Runs(begin, end, np.concatenate((self.label, other.label)))

    def before(self, size: int) -> Runs:
        """The parts of these runs within the first `size` units."""
        if not (self.end > size).any():
            return self
        return Runs(self.begin, np.minimum(self.end, size), self.label).take(self.begin < size)


@dataclass(frozen=True)
class UnitSegments:
    """Neighbouring units with the same number of spans of one label: `gold` and `system` spans."""

    begin: Ints
    length: Ints
    label: Ints
    gold: Ints
    system: Ints


def runs(spans: Spans, first: Ints, part: str) -> Runs:
    """The runs of tokens, or of separators by the token before them; `first` is the first token of each scope."""
    begin, end, label = first[spans.scope] + spans.start, first[spans.scope] + spans.end, spans.label
    gapped = np.flatnonzero(spans.shape)
    if len(gapped):
        lengths, shapes = (end - begin)[gapped].tolist(), spans.shape[gapped].tolist()
        split_up = [_between(spans.vocabulary.shapes[shape], size) for size, shape in zip(lengths, shapes, strict=True)]
        sizes = [len(parts) for parts in split_up]
        bounds = ints(list(chain.from_iterable(split_up))) + np.repeat(begin[gapped], sizes)[:, None]
        whole = np.flatnonzero(spans.shape == 0)
        begin, end = np.concatenate((begin[whole], bounds[:, 0])), np.concatenate((end[whole], bounds[:, 1]))
        label = np.concatenate((label[whole], np.repeat(label[gapped], sizes)))
    end = end - (part == "separator")
    result = Runs(begin, end, label)
    return result if (begin < end).all() else result.take(begin < end)


def _between(gaps: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The bounds of the runs of a span with gaps, counted from its first token."""
    return [(gap + 1, next_gap) for gap, next_gap in pairwise((-1, *gaps, size)) if gap + 1 < next_gap]


def split(runs: Runs, rows: Bools) -> Runs:
    """The same runs, some of them unit by unit."""
    if not rows.any():
        return runs
    kept, others = runs.take(~rows), runs.take(rows)
    length = others.end - others.begin
    begin = ranges(others.begin, length)
    label = np.repeat(others.label, length)
    return Runs(*map(np.concatenate, ((kept.begin, begin), (kept.end, begin + 1), (kept.label, label))))


def segments(gold: Runs, system: Runs) -> UnitSegments:
    """All segments with at least one span, by label.

    Each boundary is one number: label, position, and which boundary of which side it is. The numbers of gold and of
    system spans are packed into one number, too.
    """
    width = max(int(side.end.max(initial=0)) for side in (gold, system)) + 1
    bounds = [side.label * width + bound for side in (gold, system) for bound in (side.begin, side.end)]
    # Most spans are in text order, which a stable sort exploits.
    ordered = np.sort(np.concatenate([bound << 2 | number for number, bound in enumerate(bounds)]), kind="stable")
    spans = np.cumsum(_CHANGES.take(ordered & 3))
    position = ordered >> 2
    length = np.append(position[1:], 0)[: len(position)] - position
    # After the last end of a label both numbers are 0, so no segment continues into the next label.
    rows = np.flatnonzero((length != 0) & (spans != 0))
    label, begin = np.divmod(position[rows], width)
    return UnitSegments(begin, length[rows], label, spans[rows] >> 32, spans[rows] & (1 << 32) - 1)


def equal_tags(gold: Tags, system: Tags) -> Bools:
    """Token accuracy: the share of tokens whose tags are equal in prefix and label.

    accuracy = tokens with equal tags / tokens

    If both files have tags in the same encoding, the tags are compared unchanged. Otherwise, and if labels were renamed
    or left out, the spans of each side are encoded in IOB2 with one tag per level, and a token is correct if all of its
    tags are.

    Source: conlleval (Tjong Kim Sang and Buchholz 2000), which prints it next to the exact match of spans.
    """
    codes: dict[str, int] = {}
    gold_codes, system_codes = (
        ints([codes.setdefault(plain_spelling(name), len(codes)) for name in side.names]) for side in (gold, system)
    )
    equal: Bools = gold_codes[gold.code] == system_codes[system.code]
    return equal


def count_accuracy(pair: SpanPair) -> Tally:
    """Count correct tags: by the tags themselves if both sides have them, otherwise by the spans."""
    context, is_correct = pair.context, correct_tags(pair)
    assert context.lengths is not None
    before, end = np.append(0, np.cumsum(is_correct)), np.cumsum(context.lengths)
    correct = before[end] - before[end - context.lengths]
    return tally_table(ACCURACY_KINDS, np.stack((correct, context.lengths - correct), axis=1), context.groups)


def correct_tags(pair: SpanPair) -> Bools:
    """Which tokens have the right tag."""
    gold, system = pair.tags
    if gold is None or system is None or not pair.settings.keeps_labels:
        return equal_tokens(*pair.placed, pair.context.text)
    return equal_tags(gold, system)


def tag_units(pair: SpanPair) -> UnitRows:
    """All tokens; with their tags, if the files have them in one encoding."""
    text = pair.context.text
    assert text.lengths is not None
    token, is_correct = np.arange(int(text.lengths.sum())), correct_tags(pair)
    scope, labels = text.scope_of(token), pair.gold.vocabulary.labels
    start = token - text.first[scope]
    gold, system = (
        None if side is None else labels.codes([plain_spelling(name) for name in side.names])[side.code]
        for side in pair.tags
    )
    return UnitRows.of(ACCURACY_KINDS, np.where(is_correct, 0, 1), Places.of(scope, start, start + 1), gold, system)


def equal_tokens(gold: Spans, system: Spans, text: Text) -> Bools:
    """Which tokens are in the same spans of both sides and begin the same ones, by label and level."""
    assert text.lengths is not None
    tokens = int(text.lengths.sum())
    levels = max(int(side.level.max(initial=0)) for side in (gold, system)) + 1
    parts = segments(_tags(gold, text, levels), _tags(system, text, levels))
    wrong = np.flatnonzero((parts.gold > 0) != (parts.system > 0))
    begin = parts.begin[wrong]
    opened, closed = (np.bincount(bound, minlength=tokens + 1) for bound in (begin, begin + parts.length[wrong]))
    equal: Bools = np.cumsum(opened - closed)[:tokens] == 0
    return equal


def _tags(spans: Spans, text: Text, levels: int) -> Runs:
    """The first token of each span and its other tokens as runs; tags are numbers of label, level and B or I.

    Gaps are ignored.
    """
    first = text.first[spans.scope]
    start, end, tag = first + spans.start, first + spans.end, (spans.label * levels + spans.level) * 2
    bounds = np.concatenate((start, start + 1)), np.concatenate((start + 1, end))
    tags = Runs(*bounds, np.concatenate((tag + 1, tag)))
    return tags.take((tags.begin < tags.end) & np.tile(start < end, 2))
