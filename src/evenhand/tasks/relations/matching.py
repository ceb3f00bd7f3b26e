"""The relations of one side in a portion, and how they are told apart.

The *bounds* of a span are its tokens (or characters that are no spaces), those in its gaps left out. They are ordered
as sorted lists are: [1, 2] before [1, 2, 3] before [1, 2, 5].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, complement, ints, pack
from evenhand.data.layers import Spans
from evenhand.data.structures import Parts
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import PAIRS, LimitError
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.task import KINDS
from evenhand.tasks.spans.matching import AllPairs, sizes


@dataclass(frozen=True)
class Side:
    """All spans of a side, and relations between them as columns."""

    spans: Spans
    """With the number that each has in its file as its level."""
    label: Ints
    """The type."""
    head: Ints
    """Rows of spans."""
    tail: Ints
    marked: Bools
    """Whether the file marks the ends of this type as interchangeable."""
    parts: Callable[[int], Parts] | None = None
    """The parts of a span as the file lists them, given its number; None where the file counts tokens."""

    def __len__(self) -> int:
        return len(self.label)

    @property
    def scope(self) -> Ints:
        """The scope of a relation is that of its head."""
        return self.spans.scope[self.head]

    def take(self, rows: Ints) -> Side:
        columns = {name: getattr(self, name)[rows] for name in ("label", "head", "tail", "marked")}
        return replace(self, **columns)

    def swapped(self, rows: Bools) -> Side:
        """The same with head and tail of some relations interchanged."""
        head, tail = np.where(rows, self.tail, self.head), np.where(rows, self.head, self.tail)
        return replace(self, head=head, tail=tail)

    def within(self, scopes: Bools) -> Side:
        """What the side has in some scopes."""
        kept = scopes[self.spans.scope]
        rows = np.flatnonzero(kept[self.head]) if len(self) else np.zeros(0, dtype=np.int64)
        rows = rows[kept[self.tail[rows]]]
        place = np.cumsum(kept) - 1
        found = self.take(rows)
        spans = self.spans.take(np.flatnonzero(kept))
        return replace(found, spans=spans, head=place[found.head], tail=place[found.tail])


@dataclass(frozen=True)
class Ends:
    """What tells the spans of two sides apart, as numbers that are equal and ordered as what they stand for."""

    bounds: tuple[Ints, Ints]
    """Scope and bounds of each span, on both sides."""
    names: Ints
    """For each label code, its place in the order of names."""

    @staticmethod
    def of(gold: Spans, system: Spans) -> Ends:
        labels = gold.vocabulary.labels.values
        names = np.empty(len(labels), dtype=np.int64)
        names[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
        shapes = _shape_ranks(gold.vocabulary, np.concatenate((gold.shape, system.shape)))
        columns = [_columns(side, shapes) for side in (gold, system)]
        return Ends(pack(*zip(*columns, strict=True)), names)


def _columns(spans: Spans, shapes: dict[int, int]) -> list[Ints]:
    """Columns that order spans by bounds: without gaps by end, before those with gaps by the order of their shapes."""
    shape = spans.shape
    if not shapes:
        return [spans.scope, spans.start, spans.end]
    rank = ints([shapes.get(code, 0) for code in shape.tolist()])
    return [spans.scope, spans.start, rank, spans.end]


def _shape_ranks(vocabulary: Vocabulary, codes: Ints) -> dict[int, int]:
    """The order of shapes among spans that begin together: of two, the one with the later first gap comes first.

    The shape without gaps is 0. So it is with lists: a span that leaves out its third token goes on with a later one,
    where another one has the third.
    """
    met = sorted(set(codes[codes != 0].tolist()))
    order = sorted(met, key=lambda code: _order(vocabulary.shapes[code]))
    return {code: place for place, code in enumerate(order, 1)}


def _order(gaps: tuple[int, ...]) -> tuple[int, ...]:
    """A key that orders spans as lists of their tokens: each run of gaps as its begin, the later the smaller."""
    begins = [gap for gap in gaps if gap - 1 not in gaps]
    ends = [gap + 1 for gap in gaps if gap + 1 not in gaps]
    key: list[int] = []
    for begin, end in zip(begins, ends, strict=True):
        key += [1, -begin, end]
    return (*key, 0)


# == tasks/relations/verdicts.py: Verdicts on relations: what a judge says of each, and what i


@dataclass(frozen=True)
class RelationMatches:
    """One row a unit: every gold relation, in order, then every system relation without a partner.

    `gold` and `system` are rows of the two sides, -1 where a unit has none.
    """

    kind: Ints
    gold: Ints
    system: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def tally(self, gold: Side, system: Side, groups: Ints) -> Tally:
        """The counts by type; `groups` is the group of each scope."""
        scope = np.where(self.gold >= 0, np.append(gold.scope, 0)[self.gold], np.append(system.scope, 0)[self.system])
        types = np.append(gold.label, -1)[self.gold], np.append(system.label, -1)[self.system]
        return Tally.of(gold.spans.vocabulary.labels.values, KINDS, groups[scope], *types, self.kind)


def verdicts_of(pairs: tuple[Ints, Ints], kind: Ints, missing: Ints, surplus: Ints) -> RelationMatches:
    """The units of pairs with their kinds; relations that are left have the kinds `missing` and `surplus`."""
    left, right = pairs
    partner, kinds = np.full(len(missing), -1), missing.copy()
    partner[left], kinds[left] = right, kind
    free = complement(len(surplus), right)
    return RelationMatches(
        np.concatenate((kinds, surplus[free])),
        np.concatenate((np.arange(len(missing)), np.full(len(free), -1))),
        np.concatenate((partner, free)),
    )


# == tasks/relations/span_pairs.py: Which spans of two sides share tokens, for those who look up


@dataclass(frozen=True)
class SpanPairs:
    """Pairs of a gold span and a system span, with the number of tokens that they share."""

    left: Ints
    right: Ints
    shared: Ints
    sizes: tuple[Ints, Ints]
    """The number of tokens of each span, on both sides."""
    _key: Ints
    """Left and right as one number; pairs are sorted by it."""

    @staticmethod
    def of(gold: Spans, system: Spans) -> SpanPairs:
        lists = list(AllPairs(gold, system))
        left, right, shared = (
            np.concatenate([getattr(each, name) for each in lists]) for name in ("left", "right", "shared")
        )
        key = left * (len(system) + 1) + right
        order = np.argsort(key, kind="stable")
        return SpanPairs(left[order], right[order], shared[order], (sizes(gold), sizes(system)), key[order])

    def shared_by(self, left: Ints, right: Ints) -> Ints:
        """How many tokens the spans of these pairs of rows share; 0 where they are no pair."""
        if not len(self._key):
            return np.zeros(len(left), dtype=np.int64)
        key = left * (len(self.sizes[1]) + 1) + right
        place = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        return np.where(self._key[place] == key, self.shared[place], 0)

    def overlapped(self) -> tuple[Bools, Bools]:
        """Which spans of each side share a token with any of the other."""
        gold, system = (np.zeros(len(size), dtype=np.bool_) for size in self.sizes)
        gold[self.left] = True
        system[self.right] = True
        return gold, system


# == tasks/relations/candidates.py: Pairs of a gold relation and a system relation whose argumen


@dataclass(frozen=True)
class Candidates:
    """One row a pair and orientation."""

    gold: Ints
    system: Ints
    same_type: Bools
    corresponds: Bools
    """Whether head stands with head and tail with tail, or may, as the type is symmetric."""
    same_bounds: Bools
    same_labels: Bools
    shared: Ints
    """Tokens that both arguments share with their counterparts."""
    others: Ints
    """Tokens of either side that are not shared."""

    def take(self, rows: Ints | Bools) -> Candidates:
        return Candidates(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def candidates(gold: Side, system: Side, pairs: SpanPairs, ends: Ends, symmetric: tuple[Bools, Bools]) -> Candidates:
    """All pairs that overlap, straight and crossed."""
    found = [_oriented(gold, system, pairs, ends, symmetric, crossed=crossed) for crossed in (False, True)]
    return Candidates(
        *(np.concatenate([getattr(each, name) for each in found]) for name in Candidates.__dataclass_fields__)
    )


def _oriented(
    gold: Side, system: Side, pairs: SpanPairs, ends: Ends, symmetric: tuple[Bools, Bools], *, crossed: bool
) -> Candidates:
    first, second = (system.tail, system.head) if crossed else (system.head, system.tail)
    left, right, pair = _joined(pairs, gold.head, first)
    shared = pairs.shared_by(gold.tail[left], second[right])
    kept = np.flatnonzero(shared)
    left, right, shared = left[kept], right[kept], shared[kept] + pairs.shared[pair[kept]]
    mine = (gold.head[left], gold.tail[left])
    theirs = (first[right], second[right])
    same_type = gold.label[left] == system.label[right]
    is_symmetric = symmetric[0][left] | symmetric[1][right]
    bounds, labels = ends.bounds, (gold.spans.label, system.spans.label)
    size = sum(pairs.sizes[0][rows] for rows in mine) + sum(pairs.sizes[1][rows] for rows in theirs)
    return Candidates(
        left,
        right,
        same_type,
        is_symmetric if crossed else np.ones(len(left), dtype=np.bool_),
        _all_equal(bounds, mine, theirs),
        _all_equal(labels, mine, theirs),
        shared,
        size - 2 * shared,
    )


def _all_equal(columns: tuple[Ints, Ints], mine: tuple[Ints, Ints], theirs: tuple[Ints, Ints]) -> Bools:
    """Whether both arguments agree in what the columns say of spans."""
    gold, system = columns
    found: Bools = (gold[mine[0]] == system[theirs[0]]) & (gold[mine[1]] == system[theirs[1]])
    return found


def _joined(pairs: SpanPairs, gold_end: Ints, system_end: Ints) -> tuple[Ints, Ints, Ints]:
    """All relations of both sides one end of which is a pair of spans: their rows, and the pair."""
    gold_order, gold_first, gold_count = _by_span(gold_end, pairs.left)
    system_order, system_first, system_count = _by_span(system_end, pairs.right)
    count = gold_count * system_count
    if (total := int(count.sum())) > PAIRS.value:
        finding = f"{len(gold_end):,} gold and {len(system_end):,} system relations make {total:,} overlapping pairs"
        raise LimitError(finding, f"check the relations, or set {PAIRS.variable} to more than {PAIRS.value}")
    pair = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    width = system_count[pair]
    left = gold_order[gold_first[pair] + place // width]
    right = system_order[system_first[pair] + place % width]
    return left, right, pair


def _by_span(end: Ints, spans: Ints) -> tuple[Ints, Ints, Ints]:
    """Relations sorted by the span at one end; for each of some spans where its relations begin, and their number."""
    order = np.argsort(end, kind="stable")
    ordered = end[order]
    first = np.searchsorted(ordered, spans)
    return order, first, np.searchsorted(ordered, spans, side="right") - first
