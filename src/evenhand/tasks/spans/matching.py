"""Gold and system spans side by side: equal spans, overlapping pairs, and the input of every scorer (`SpanPair`).

With T(x) the tokens of a span x without those in its gaps, a gold span g and a system span s of the same scope share
|T(g) & T(s)| tokens. They are an overlapping pair if they share at least one, regardless of their labels. Spans with
gaps may interlace without sharing a token; they are not a pair.

Pairs are counted before they are listed. A scope with more pairs than the limit `PAIRS` is an error, and scopes with
many pairs are listed one after the other to bound memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from sys import maxsize
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evenhand.arrays import Bools, Ints, Values, complement, distinct, ints, pack, ranges, zeros
from evenhand.data.layers import Spans, Tags, by_level
from evenhand.dataclass import dataclass
from evenhand.errors import PAIRS, LimitError
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.measures import BEL, BEO, BES, FN, FP, LBE, LEFT, RIGHT

if TYPE_CHECKING:
    from evenhand.tasks.spans.deidentification import DocumentTexts
    from evenhand.tasks.spans.strings import StringSides
    from evenhand.tasks.spans.values import PartValues
    from evenhand.tasks.units import Locations

TOGETHER = 1 << 18
"""Number of pairs after which a list ends, together with the current scope."""
_STEP = 1 << 16
"""Number of pairs that become Python numbers at once."""
Range = tuple[int, int]
Ranges = list[Range]
"""Tokens from the first number of each range up to the second (exclusive), in order."""
Result = TypeVar("Result")


def equal_spans(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of equal spans, paired one to one in input order."""
    return equal_keys(
        *pack(
            (gold.scope, system.scope),
            (gold.start, system.start),
            (gold.end - gold.start, system.end - system.start),
            (gold.label, system.label),
            (gold.shape, system.shape),
        )
    )


def equal_keys(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Rows with equal keys: the n-th row with a key on the left is paired with the n-th on the right."""
    if _ascending(left) and _ascending(right):  # flat spans in the order of the text: merging two runs is linear
        keys = np.concatenate((left, right))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(keys[1:] == keys[:-1])
        return order[first], order[first + 1] - len(left)
    left_order, right_order = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    left, right = left[left_order], right[right_order]
    repeated = np.arange(len(left)) - np.searchsorted(left, left)
    candidate = np.searchsorted(right, left) + repeated
    inside = np.flatnonzero(candidate < len(right))
    equal = inside[right[candidate[inside]] == left[inside]]
    return left_order[equal], right_order[candidate[equal]]


def _ascending(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


@dataclass(frozen=True)
class Pairs:
    """Rows of gold spans with rows of system spans, sorted, and the number of tokens they share."""

    left: Ints
    right: Ints
    shared: Ints

    def __len__(self) -> int:
        return len(self.left)

    def take(self, rows: Ints | Bools) -> Pairs:
        return Pairs(self.left[rows], self.right[rows], self.shared[rows])


class AllPairs:
    """All pairs that share a token, listed several scopes at a time; both layers have the same vocabulary.

    Several scorers use them, so a single list is cached.
    """

    def __init__(self, gold: Spans, system: Spans) -> None:
        self._gold, self._system = gold, system
        self._kept: Pairs | None = None

    def __iter__(self) -> Iterator[Pairs]:
        if self._kept is not None:
            yield self._kept
            return
        lists = 0
        for crossing in crossing_pairs(self._gold, self._system):
            shares = crossing.shared > 0
            pairs = crossing if shares.all() else crossing.take(shares)
            yield pairs
            lists += 1
        self._kept = pairs if lists == 1 else None


def crossing_pairs(gold: Spans, system: Spans) -> Iterator[Pairs]:
    """All pairs whose bounds overlap, several scopes at a time; because of gaps, some may share no token."""
    overlaps = _Overlaps(gold, system)
    if overlaps.total <= min(TOGETHER, PAIRS.value):
        yield overlaps.pairs()
        return
    scopes, scope_index = np.unique(np.concatenate((gold.scope, system.scope)), return_inverse=True)
    counts = ints(np.bincount(scope_index, np.concatenate(overlaps.by_row)))
    largest = int(counts.argmax())
    if counts[largest] > PAIRS.value:
        raise _too_many(gold, system, int(scopes[largest]), int(counts[largest]))
    list_number = ((np.cumsum(counts) - counts) // TOGETHER)[scope_index]
    of_gold, of_system = list_number[: len(gold)], list_number[len(gold) :]
    for number in distinct(list_number).tolist():
        gold_rows, system_rows = np.flatnonzero(of_gold == number), np.flatnonzero(of_system == number)
        pairs = _Overlaps(gold.take(gold_rows), system.take(system_rows)).pairs()
        yield Pairs(gold_rows[pairs.left], system_rows[pairs.right], pairs.shared)


def _too_many(gold: Spans, system: Spans, scope: int, pairs: int) -> LimitError:
    spans, others = (np.flatnonzero(side.scope == scope) for side in (gold, system))
    first = spans[gold.start[spans].argmin()]
    label = gold.vocabulary.labels[int(gold.label[first])]
    return LimitError(
        f"{len(spans):,} gold and {len(others):,} system spans of one sentence or document make {pairs:,} overlapping"
        f" pairs (the first gold span there is {label[:40]!r} from {gold.start[first] + 1} to {gold.end[first]})",
        f"check its spans, or set {PAIRS.variable} to more than {PAIRS.value}",
    )


class _Overlaps:
    """All spans whose bounds overlap, counted first and listed on request."""

    def __init__(self, gold: Spans, system: Spans) -> None:
        self._gold, self._system = gold, system
        width = max(int(gold.end.max(initial=0)), int(system.end.max(initial=0))) + 1
        (begin, end), (other_begin, other_end) = (
            (side.start + side.scope * width, side.end + side.scope * width) for side in (gold, system)
        )
        # Of two overlapping spans, the second to begin begins inside the other.
        self._within_gold = _Inside(other_begin, begin, end)
        self._within_system = _Inside(begin, other_begin + 1, other_end)

    @property
    def by_row(self) -> tuple[Ints, Ints]:
        """The number of pairs of each row; a pair counts for the span that begins first."""
        return self._within_gold.count, self._within_system.count

    @property
    def total(self) -> int:
        return sum(int(count.sum()) for count in self.by_row)

    def pairs(self) -> Pairs:
        right, left = self._within_gold.pairs()
        also_left, also_right = self._within_system.pairs()
        left, right = np.concatenate((left, also_left)), np.concatenate((right, also_right))
        order = np.argsort(left * (len(self._system) + 1) + right, kind="stable")
        left, right = left[order], right[order]
        return Pairs(left, right, _shared(self._gold, self._system, left, right))


class _Inside:
    """The pairs (i, j) in which start i is in [begin j, end j)."""

    def __init__(self, starts: Ints, begin: Ints, end: Ints) -> None:
        self._order = np.argsort(starts, kind="stable")
        ordered = starts[self._order]
        self._first = np.searchsorted(ordered, begin)
        self.count: Ints = np.maximum(np.searchsorted(ordered, end) - self._first, 0)

    def pairs(self) -> tuple[Ints, Ints]:
        return self._order[ranges(self._first, self.count)], np.repeat(np.arange(len(self.count)), self.count)


def sizes(spans: Spans) -> Ints:
    """The number of tokens of each span without those in its gaps."""
    size: Ints = np.maximum(spans.end - spans.start, 0)
    gapped = np.flatnonzero(spans.shape)
    if len(gapped):
        size[gapped] -= ints([len(spans.vocabulary.shapes[shape]) for shape in spans.shape[gapped].tolist()])
    return size


def _shared(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """The number of tokens that each pair of rows shares; only pairs with gaps need token ranges."""
    shared: Ints = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
    gapped = np.flatnonzero((gold.shape[left] != 0) | (system.shape[right] != 0))
    if len(gapped):
        gold_ranges, system_ranges = token_ranges(gold), token_ranges(system)
        for pair, row, other in zip(gapped.tolist(), left[gapped].tolist(), right[gapped].tolist(), strict=True):
            shared[pair] = shared_count(gold_ranges[row], system_ranges[other])
    return shared


def token_ranges(spans: Spans) -> list[Ranges]:
    """The tokens of each span without those in its gaps; most spans are one range."""
    token_ranges = [
        [(start, end)] if start < end else []
        for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    ]
    gapped = np.flatnonzero(spans.shape)
    gaps = {shape: _runs(spans.vocabulary.shapes[shape]) for shape in distinct(spans.shape[gapped]).tolist()}
    for row, shape in zip(gapped.tolist(), spans.shape[gapped].tolist(), strict=True):
        start, end = int(spans.start[row]), int(spans.end[row])
        begins = [start, *(start + stop for _, stop in gaps[shape])]
        ends = [*(start + first for first, _ in gaps[shape]), end]
        token_ranges[row] = [(begin, stop) for begin, stop in zip(begins, ends, strict=True) if begin < stop]
    return token_ranges


def _runs(positions: Sequence[int]) -> list[Range]:
    """Sorted positions as ranges of consecutive ones."""
    ordered = np.sort(ints(positions))
    breaks = np.flatnonzero(np.diff(ordered) > 1)
    first, last = np.append(ordered[:1], ordered[breaks + 1]), np.append(ordered[breaks], ordered[-1:])
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def shared_ranges(left: Ranges, right: Ranges) -> Ranges:
    """The tokens that are in the ranges of both sides, as ranges."""
    if len(left) > len(right):
        left, right = right, left
    shared_ranges = []
    for start, end in left:
        at = max(bisect_right(right, (start, maxsize)) - 1, 0)
        while at < len(right) and right[at][0] < end:
            first, stop = max(start, right[at][0]), min(end, right[at][1])
            if first < stop:
                shared_ranges.append((first, stop))
            at += 1
    return shared_ranges


def shared_count(left: Ranges, right: Ranges) -> int:
    """The number of tokens in ranges of both sides."""
    if len(left) == len(right) == 1:  # mostly
        (start, end), (other_start, other_end) = left[0], right[0]
        return max(0, min(end, other_end) - max(start, other_start))
    return sum(stop - first for first, stop in shared_ranges(left, right))


def taken(left: Ints, right: Ints) -> Ints:
    """Take the pairs in order, unless one of their spans is taken already. Return the indices of the pairs taken.

    This is a loop because each pair excludes later ones.
    """
    used_left: set[int] = set()
    used_right: set[int] = set()
    chosen: list[int] = []
    for begin in range(0, len(left), _STEP):
        rows, others = left[begin : begin + _STEP].tolist(), right[begin : begin + _STEP].tolist()
        for index, (row, other) in enumerate(zip(rows, others, strict=True), begin):
            if row not in used_left and other not in used_right:
                used_left.add(row)
                used_right.add(other)
                chosen.append(index)
    return ints(chosen)


@dataclass(frozen=True)
class SpanMatches:
    """One row per unit: every gold span in order, then every system span that is not part of a gold span's unit.

    `kind` is the error type. `gold` and `system` are rows of the two layers, or -1. `edge` is the boundary that agrees
    in a boundary error. `step` is the pass that matched (1, 2 or 3; 0 for equal bounds and unmatched spans).
    """

    kind: Ints
    gold: Ints
    system: Ints
    edge: Ints
    step: Ints

    def __len__(self) -> int:
        return len(self.kind)


class Matching:
    """Matches under construction: the partner and the error type of every span so far."""

    def __init__(self, gold: Spans, system: Spans) -> None:
        self.gold, self.system = gold, system
        self.gold_kind = np.full(len(gold), FN, dtype=np.int64)
        self.gold_partner = np.full(len(gold), -1, dtype=np.int64)
        self.gold_step = np.zeros(len(gold), dtype=np.int64)
        self.system_kind = np.full(len(system), FP, dtype=np.int64)
        self.system_partner = np.full(len(system), -1, dtype=np.int64)
        self.system_step = np.zeros(len(system), dtype=np.int64)

    def pair(self, gold: Ints, system: Ints, kind: Ints | int, step: int = 0) -> None:
        """Match spans; in step 2 the system spans, in step 3 the gold spans already have partners."""
        if step != 3:
            self.gold_kind[gold], self.gold_partner[gold], self.gold_step[gold] = kind, system, step
        if step != 2:
            self.system_kind[system], self.system_partner[system], self.system_step[system] = kind, gold, step

    def overlap(self, gold: Ints, system: Ints) -> Bools:
        """Which pairs of rows of one scope overlap without having equal bounds."""
        start, end = self.gold.start[gold], self.gold.end[gold]
        other_start, other_end = self.system.start[system], self.system.end[system]
        overlaps: Bools = (start < other_end) & (other_start < end) & ((start != other_start) | (end != other_end))
        return overlaps

    def boundary_kind(self, gold: Ints, system: Ints) -> Ints:
        """BES if the system span is inside the gold span, BEL if it contains it, BEO if they cross.

        The original bounds decide (Ortmann 2022, section 2.1).
        """
        start, end = self.system.start[system] - self.gold.start[gold], self.system.end[system] - self.gold.end[gold]
        return np.where((start >= 0) & (end <= 0), BES, np.where((start <= 0) & (end >= 0), BEL, BEO))

    def matches(self) -> SpanMatches:
        """The units: gold spans, then the system spans that are separate units."""
        surplus = np.flatnonzero((self.system_step == 3) | (self.system_kind == FP))
        kind = np.concatenate((self.gold_kind, self.system_kind[surplus]))
        gold = np.concatenate((np.arange(len(self.gold_kind)), self.system_partner[surplus]))
        system = np.concatenate((self.gold_partner, surplus))
        step = np.concatenate((self.gold_step, self.system_step[surplus]))
        return SpanMatches(kind, gold, system, self._edges(kind, gold, system), step)

    def _edges(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        edge = np.zeros(len(kind), dtype=np.int64)
        rows = np.flatnonzero((kind >= BES) & (kind <= LBE))
        left, right = gold[rows], system[rows]
        edge[rows[self.gold.start[left] == self.system.start[right]]] = LEFT
        edge[rows[self.gold.end[left] == self.system.end[right]]] = RIGHT
        return edge


def rows_of_windows(window: Ints, source: Ints, windows: int) -> tuple[Ints, Ints]:
    """The rows of some windows, which may be repeated, and the position of the window of each row."""
    order = np.argsort(window, kind="stable")
    edges = np.searchsorted(window[order], np.arange(windows + 1))
    first, size = edges[:-1][source], np.diff(edges)[source]
    return order[ranges(first, size)], np.repeat(np.arange(len(source)), size)


@dataclass(frozen=True)
class Text:
    """The sentences of a part: the number of their first tokens, and token weights."""

    first: Ints
    """The first token of each scope, numbered over all scopes."""
    lengths: Ints | None
    """The number of tokens of each scope; None if the files do not have it."""
    weights: Values | None = None
    """The weight of each token; None: 1."""

    def scope_of(self, token: Ints) -> Ints:
        """The scope of each token."""
        if self.lengths is None:
            return np.searchsorted(self.first, token, side="right") - 1
        return self._scopes[token]

    @cached_property
    def _scopes(self) -> Ints:
        assert self.lengths is not None
        return np.repeat(np.arange(len(self.first)), self.lengths)

    @staticmethod
    def of(lengths: Ints | None, scopes: int, width: int, weights: Values | None = None) -> Text:
        """A text with a number of scopes; `width` is the length of the longest one, in case lengths are unknown."""
        if lengths is None:
            return Text(np.arange(scopes) * width, None)
        return Text(np.cumsum(lengths) - lengths, lengths, weights)


@dataclass(frozen=True)
class Context:
    """What all systems have in common in a part: the text and the settings."""

    groups: Ints
    """The group of each sentence."""
    lengths: Ints | None
    """The number of tokens of each sentence; None if the files do not have it."""
    weights: Values | None
    settings: ScoreSettings
    texts: DocumentTexts | None = None
    """The texts of documents, if a scorer needs them."""
    locations: Callable[[], Locations] | None = None
    """Makes the locations of spans, for scorers that show spans to users."""

    @cached_property
    def text(self) -> Text:
        return Text.of(self.lengths, len(self.groups), 0, self.weights)


class SpanPair:
    """Gold and system spans of one part, the input of a scorer; intermediate results are shared between scorers.

    `gold` and `system` are the spans to match; with separate levels, each level is a scope. `original` has the same
    spans with the sentences as scopes.
    """

    def __init__(
        self,
        gold: Spans,
        system: Spans,
        context: Context,
        tags: tuple[Tags | None, Tags | None] = (None, None),
        *,
        unplaced: int = 0,
        strings: StringSides | None = None,
        values: PartValues | None = None,
        keep_units: bool = False,
        targets: Spans | None = None,
    ) -> None:
        """The last `unplaced` spans of the system have no position in the text.

        `targets` are spans that the gold standard should have, if its errors are an error type; its wrong spans are
        marked in `extra`.
        """
        self.original, self.context, self.tags = (gold, system), context, tags
        self.strings = strings
        """The strings of both sides, if a scorer needs them."""
        self.values = values
        """The values of gold spans, if a scorer needs them."""
        self.targets = targets
        self.placed = (gold, system.take(slice(len(system) - unplaced)))
        """The spans with a position in the text."""
        self.keep_units = keep_units
        """Whether the error types of all spans are needed, not only their counts."""
        self.levels = 1
        if context.settings["levels"] == "separate":
            self.levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, self.levels), by_level(system, self.levels)
        self.gold, self.system = gold, system
        self._results: dict[Hashable, Any] = {}

    def cached(self, function: Callable[..., Result], *arguments: Hashable) -> Result:
        """The value of `function(pair, *arguments)`, which several scorers share."""
        key = function, *arguments
        if key not in self._results:
            self._results[key] = function(self, *arguments)
        result: Result = self._results[key]
        return result

    @property
    def settings(self) -> ScoreSettings:
        return self.context.settings

    @property
    def scored(self) -> Spans:
        """The units of the system that have confidences; their scopes are the matching windows."""
        return self.original[1]

    @property
    def windows(self) -> Ints:
        """The group of each matching window."""
        return self.groups

    def copies(self, source: Ints, rows: Ints, copy: Ints) -> SpanPair:
        """A virtual text of copied windows.

        Copy i has the gold spans of the window `source[i]`; the system's span `rows[j]` is in the copy `copy[j]`.
        """
        gold_rows, gold_copy = rows_of_windows(self.original[0].scope, source, len(self.groups))
        gold, system = self.original[0].take(gold_rows), self.original[1].take(rows)
        context, lengths = self.context, self.context.lengths
        weights = context.weights
        if lengths is not None and weights is not None:
            weights = weights[ranges(context.text.first[source], lengths[source])]
        lengths = None if lengths is None else lengths[source]
        context = Context(np.arange(len(source)), lengths, weights, context.settings)
        return SpanPair(replace(gold, scope=gold_copy), replace(system, scope=copy), context)

    @property
    def groups(self) -> Ints:
        return self.context.groups

    @property
    def labels(self) -> Sequence[str]:
        return self.gold.vocabulary.labels.values

    @cached_property
    def equal(self) -> tuple[Ints, Ints]:
        """The rows of equal spans."""
        return equal_spans(self.gold, self.system)

    @property
    def equal_original(self) -> tuple[Ints, Ints]:
        """The rows of spans that are equal regardless of level."""
        return self.equal if self.levels == 1 else equal_spans(*self.original)

    @cached_property
    def unequal(self) -> tuple[Ints, Ints]:
        """The rows of spans that only one side has."""
        return complement(len(self.gold), self.equal[0]), complement(len(self.system), self.equal[1])

    @cached_property
    def pairs(self) -> AllPairs:
        """All pairs of spans that share a token."""
        return AllPairs(self.gold, self.system)

    @property
    def text(self) -> Text:
        """The tokens and separators of the part, if known."""
        if self.context.lengths is not None:
            return self.context.text
        width = max(int(side.end.max(initial=0)) for side in self.placed)
        return Text.of(None, len(self.groups), width)


def tally_pairs(
    kinds: Sequence[str],
    kind: Ints,
    gold_row: Ints,
    system_row: Ints,
    gold: Spans,
    system: Spans,
    groups: Ints | None,
) -> Tally:
    """Count units: a gold span, a system span (-1 if absent), or both. `groups` has the group of each scope."""
    if groups is None:
        groups = zeros(int(max(gold.scope.max(initial=0), system.scope.max(initial=0))) + 1)
    columns = groups_and_labels(gold_row, system_row, gold, system, groups)
    return Tally.of(gold.vocabulary.labels.values, kinds, *columns, kind)


def groups_and_labels(
    gold_row: Ints, system_row: Ints, gold: Spans, system: Spans, groups: Ints
) -> tuple[Ints, Ints, Ints]:
    """The group, the gold label and the system label of each unit."""
    scope = np.where(gold_row >= 0, np.append(gold.scope, 0)[gold_row], np.append(system.scope, 0)[system_row])
    return groups[scope], np.append(gold.label, -1)[gold_row], np.append(system.label, -1)[system_row]
