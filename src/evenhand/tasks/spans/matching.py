"""Pairs of gold and system spans that share tokens: what every lenient match model chooses from.

With the tokens T(x) of a span x, those in its gaps left out, the shared tokens of a gold span g and a system span s of
one scope are |T(g) & T(s)|. They are a pair if that is at least 1, whatever their labels. Spans with gaps may lie
across each other without sharing a token; those are no pair.

Pairs are counted before they are listed. A scope with more pairs than `limits.PAIRS` is refused, and scopes with many
pairs are listed one after the other, so that memory is bounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from sys import maxsize

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, ints, pack, ranges
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import PAIRS, LimitError
from evenhand.tasks.spans.task import BEL, BEO, BES, FN, FP, LBE, LEFT, RIGHT


def equal_spans(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of equal spans, one to one in the order of the input."""
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
    """Rows with equal keys: the first row with a key on the left goes with the first on the right, and so on."""
    if _ascending(left) and _ascending(right):  # flat spans in the order of the text: merging two runs is linear
        keys = np.concatenate((left, right))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(keys[1:] == keys[:-1])
        return order[first], order[first + 1] - len(left)
    left_order, right_order = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    left, right = left[left_order], right[right_order]
    repeated = np.arange(len(left)) - np.searchsorted(left, left)
    place = np.searchsorted(right, left) + repeated
    inside = np.flatnonzero(place < len(right))
    found = inside[right[place[inside]] == left[inside]]
    return left_order[found], right_order[place[found]]


def _ascending(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


TOGETHER = 1 << 18
"""After how many pairs a list ends, with the scope that reaches this number."""
_STEP = 1 << 16
"""How many pairs become Python numbers at once."""
Range = tuple[int, int]
Ranges = list[Range]
"""Tokens from the first to before the last number of each range, in their order."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a row of gold and a row of a system, in this order, with the number of tokens they share."""

    left: Ints
    right: Ints
    shared: Ints

    def __len__(self) -> int:
        return len(self.left)

    def take(self, rows: Ints | Bools) -> Pairs:
        return Pairs(self.left[rows], self.right[rows], self.shared[rows])


class AllPairs:
    """All pairs that share a token, some whole scopes at a time; the two layers have the same vocabulary.

    Several judges ask for them. Where they fit into one list, it is kept.
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
    """All pairs whose bounds overlap, though gaps may leave them without a shared token; some scopes at a time."""
    overlaps = _Overlaps(gold, system)
    if overlaps.total <= min(TOGETHER, PAIRS.value):
        yield overlaps.pairs()
        return
    scopes, place = np.unique(np.concatenate((gold.scope, system.scope)), return_inverse=True)
    counts = ints(np.bincount(place, np.concatenate(overlaps.by_row)))
    most = int(counts.argmax())
    if counts[most] > PAIRS.value:
        raise _too_many(gold, system, int(scopes[most]), int(counts[most]))
    run = ((np.cumsum(counts) - counts) // TOGETHER)[place]
    of_gold, of_system = run[: len(gold)], run[len(gold) :]
    for number in distinct(run).tolist():
        rows, others = np.flatnonzero(of_gold == number), np.flatnonzero(of_system == number)
        found = _Overlaps(gold.take(rows), system.take(others)).pairs()
        yield Pairs(rows[found.left], others[found.right], found.shared)


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
    """All spans whose bounds overlap: counted first, listed if asked for."""

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
        """How many pairs there are of each row; each pair is counted on one side, for the span that begins first."""
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
    """The pairs (i, j) in which start i lies in [begin j, end j)."""

    def __init__(self, starts: Ints, begin: Ints, end: Ints) -> None:
        self._order = np.argsort(starts, kind="stable")
        ordered = starts[self._order]
        self._first = np.searchsorted(ordered, begin)
        self.count: Ints = np.maximum(np.searchsorted(ordered, end) - self._first, 0)

    def pairs(self) -> tuple[Ints, Ints]:
        return self._order[ranges(self._first, self.count)], np.repeat(np.arange(len(self.count)), self.count)


def sizes(spans: Spans) -> Ints:
    """The number of tokens of each span, those in its gaps left out."""
    size: Ints = np.maximum(spans.end - spans.start, 0)
    gapped = np.flatnonzero(spans.shape)
    if len(gapped):
        size[gapped] -= ints([len(spans.vocabulary.shapes[shape]) for shape in spans.shape[gapped].tolist()])
    return size


def _shared(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """How many tokens the spans of each pair of rows share; only pairs with gaps need the ranges of their tokens."""
    shared: Ints = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
    gapped = np.flatnonzero((gold.shape[left] != 0) | (system.shape[right] != 0))
    if len(gapped):
        mine, theirs = token_ranges(gold), token_ranges(system)
        for place, row, other in zip(gapped.tolist(), left[gapped].tolist(), right[gapped].tolist(), strict=True):
            shared[place] = shared_count(mine[row], theirs[other])
    return shared


def token_ranges(spans: Spans) -> list[Ranges]:
    """The tokens of each span, those in its gaps left out: one range for most, regardless of length."""
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


def _runs(places: Sequence[int]) -> list[Range]:
    """Ranges of successive places."""
    ordered = np.sort(ints(places))
    breaks = np.flatnonzero(np.diff(ordered) > 1)
    first, last = np.append(ordered[:1], ordered[breaks + 1]), np.append(ordered[breaks], ordered[-1:])
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def shared_ranges(left: Ranges, right: Ranges) -> Ranges:
    """The tokens that are in ranges of both sides."""
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
    """How many tokens are in ranges of both sides."""
    if len(left) == len(right) == 1:  # mostly
        (start, end), (other_start, other_end) = left[0], right[0]
        return max(0, min(end, other_end) - max(start, other_start))
    return sum(stop - first for first, stop in shared_ranges(left, right))


def taken(left: Ints, right: Ints) -> Ints:
    """Take each pair in turn whose spans are both free: the places of those taken.

    This is a loop, because each pair taken rules out later ones.
    """
    used_left: set[int] = set()
    used_right: set[int] = set()
    places: list[int] = []
    for begin in range(0, len(left), _STEP):
        rows, others = left[begin : begin + _STEP].tolist(), right[begin : begin + _STEP].tolist()
        for place, (row, other) in enumerate(zip(rows, others, strict=True), begin):
            if row not in used_left and other not in used_right:
                used_left.add(row)
                used_right.add(other)
                places.append(place)
    return ints(places)


# == tasks/spans/verdicts.py: Verdicts: what a judge says of every unit, and what it match


@dataclass(frozen=True)
class SpanMatches:
    """One row a unit: every gold span, in order, then every system span that no gold span's verdict used up.

    `gold` and `system` are rows of the two layers, -1 where a unit has none. `edge` says for boundary errors which
    boundary agrees. `step` is the pass that matched (1, 2 or 3; 0 for equal bounds and for nothing matched).
    """

    kind: Ints
    gold: Ints
    system: Ints
    edge: Ints
    step: Ints

    def __len__(self) -> int:
        return len(self.kind)


class Matching:
    """Verdicts in the making: what each span of the two sides has been matched to."""

    def __init__(self, gold: Spans, system: Spans) -> None:
        self.gold, self.system = gold, system
        self.gold_kind = np.full(len(gold), FN, dtype=np.int64)
        self.gold_partner = np.full(len(gold), -1, dtype=np.int64)
        self.gold_step = np.zeros(len(gold), dtype=np.int64)
        self.system_kind = np.full(len(system), FP, dtype=np.int64)
        self.system_partner = np.full(len(system), -1, dtype=np.int64)
        self.system_step = np.zeros(len(system), dtype=np.int64)

    def pair(self, gold: Ints, system: Ints, kind: Ints | int, step: int = 0) -> None:
        """Match spans with each other; in step 2 the system spans, in step 3 the gold spans have partners already."""
        if step != 3:
            self.gold_kind[gold], self.gold_partner[gold], self.gold_step[gold] = kind, system, step
        if step != 2:
            self.system_kind[system], self.system_partner[system], self.system_step[system] = kind, gold, step

    def overlap(self, gold: Ints, system: Ints) -> Bools:
        """Which pairs of rows, each within one scope, overlap without having equal bounds."""
        start, end = self.gold.start[gold], self.gold.end[gold]
        other_start, other_end = self.system.start[system], self.system.end[system]
        found: Bools = (start < other_end) & (other_start < end) & ((start != other_start) | (end != other_end))
        return found

    def boundary_kind(self, gold: Ints, system: Ints) -> Ints:
        """BES where the system's span lies inside the gold span, BEL where it contains it, BEO where they cross.

        The original bounds decide (Ortmann 2022, section 2.1).
        """
        start, end = self.system.start[system] - self.gold.start[gold], self.system.end[system] - self.gold.end[gold]
        return np.where((start >= 0) & (end <= 0), BES, np.where((start <= 0) & (end >= 0), BEL, BEO))

    def verdicts(self) -> SpanMatches:
        """The units: gold spans, then the system spans that are units of their own."""
        surplus = np.flatnonzero((self.system_step == 3) | (self.system_kind == FP))
        kind = np.concatenate((self.gold_kind, self.system_kind[surplus]))
        gold = np.concatenate((np.arange(len(self.gold)), self.system_partner[surplus]))
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
