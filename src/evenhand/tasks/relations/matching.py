"""Relations of the gold standard and of a system side by side: the input of all scorers of relations.

The *bounds* of a span are its tokens (or its characters other than spaces), without those in its gaps. They are ordered
as sorted lists are: [1, 2] before [1, 2, 3] before [1, 2, 5].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from evenhand.arrays import Bools, Ints, Values, complement, empty, ints, pack
from evenhand.data.layers import Spans
from evenhand.data.structures import ListedParts, Parts
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import PAIRS, LimitError
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.relations.task import KINDS
from evenhand.tasks.spans.matching import AllPairs, rows_of_windows, sizes
from evenhand.tasks.unit_rows import Places, UnitRows

Result = TypeVar("Result")


@dataclass(frozen=True)
class RelationSide:
    """All spans of a side, and the relations between them as columns."""

    spans: Spans
    """Their level is the number of each span, by which `parts` are found."""
    label: Ints
    """The type of each relation."""
    head: Ints
    """Rows of spans."""
    tail: Ints
    marked: Bools
    """Whether the file marks the type as symmetric."""
    parts: ListedParts | Mapping[int, Parts] | None = None
    """The parts of each span as listed in the file; None if the file counts tokens."""
    score: Values | None = None
    """The confidence of each relation of a system, NaN without one."""

    def __len__(self) -> int:
        return len(self.label)

    @property
    def scope(self) -> Ints:
        """The scope of a relation is its head's."""
        return self.spans.scope[self.head]

    def take(self, rows: Ints) -> RelationSide:
        score = None if self.score is None else self.score[rows]
        columns = {name: getattr(self, name)[rows] for name in ("label", "head", "tail", "marked")}
        return replace(self, **columns, score=score)

    def swapped(self, rows: Bools) -> RelationSide:
        """The same with head and tail of some relations swapped."""
        head, tail = np.where(rows, self.tail, self.head), np.where(rows, self.head, self.tail)
        return replace(self, head=head, tail=tail)

    def within(self, scopes: Bools) -> RelationSide:
        """The spans and relations in some scopes."""
        kept = scopes[self.spans.scope]
        rows = np.flatnonzero(kept[self.head]) if len(self) else empty()
        relations = self.take(rows[kept[self.tail[rows]]])
        new_row = np.cumsum(kept) - 1
        spans = self.spans.take(np.flatnonzero(kept))
        return replace(relations, spans=spans, head=new_row[relations.head], tail=new_row[relations.tail])


@dataclass(frozen=True)
class ScoredRelations:
    """The relations of a system, with their confidences."""

    scope: Ints
    """The document of each."""
    label: Ints
    score: Values | None

    def __len__(self) -> int:
        return len(self.label)


class RelationPair:
    """Gold standard and one system side by side.

    `as_read` are both sides, `gold` and `system` the same without repeats.
    """

    def __init__(
        self,
        gold: RelationSide,
        kept: Ints,
        system: RelationSide,
        documents: Ints,
        groups: Ints,
        settings: ScoreSettings,
    ) -> None:
        """`kept` are the gold relations without repeats; `documents` and `groups` have an entry for each scope."""
        self.as_read, self.groups, self.settings, self._documents = (gold, system), groups, settings, documents
        self.ends = SpanKeys.of(gold.spans, system.spans)
        symmetric = _symmetric(self.as_read, documents, settings)
        sides = _ordered_ends(self.as_read, self.ends, symmetric)
        keys = _relation_keys(sides, self.ends)
        rows = kept, _first_of_each(keys[1])
        self.gold, self.system = (side.take(chosen) for side, chosen in zip(sides, rows, strict=True))
        self.key = keys[0][rows[0]], keys[1][rows[1]]
        """A number for each relation: equal for equal ones, and ordered by head, tail, type and labels."""
        self.symmetric = symmetric[0][rows[0]], symmetric[1][rows[1]]
        self.repeated = len(system) - len(self.system)
        self._cache: dict[Callable[..., object], object] = {}

    def cached(self, function: Callable[[RelationPair], Result]) -> Result:
        """The value of `function(pair)`, which several scorers share."""
        if function not in self._cache:
            self._cache[function] = function(self)
        return self._cache[function]  # type: ignore[return-value]  # of this function

    @cached_property
    def scored(self) -> ScoredRelations:
        """The relations of the system, without repeats; their windows are documents."""
        system = self.system
        return ScoredRelations(self._documents[system.scope], system.label, system.score)

    def copies(self, source: Ints, rows: Ints, copy: Ints) -> RelationPair:
        """A virtual collection of copied documents; see `SpanPair.copies`."""
        documents, sizes = self._documents, np.bincount(self._documents, minlength=len(self.windows))
        first = np.cumsum(sizes[source]) - sizes[source]
        gold_rows, gold_copy = rows_of_windows(documents[self.gold.scope], source, len(sizes))

        def copied(side: RelationSide, rows: Ints, copy: Ints) -> RelationSide:
            window = documents[side.spans.scope]
            span_rows, span_copy = rows_of_windows(window, source, len(sizes))
            spans = side.spans.take(span_rows)
            begin = np.searchsorted(documents, np.arange(len(sizes)))
            scope = spans.scope - begin[documents[spans.scope]] + first[span_copy]
            rank = np.empty(len(window), dtype=np.int64)
            rank[np.argsort(window, kind="stable")] = np.arange(len(window))
            rank -= np.searchsorted(np.sort(window), window)
            start = np.searchsorted(span_copy, copy)
            relations = side.take(rows)
            ends = (start + rank[relations.head], start + rank[relations.tail])
            return replace(relations, spans=replace(spans, scope=scope), head=ends[0], tail=ends[1])

        gold, system = copied(self.gold, gold_rows, gold_copy), copied(self.system, rows, copy)
        document = np.repeat(np.arange(len(source)), sizes[source])
        return RelationPair(gold, np.arange(len(gold)), system, document, document, self.settings)

    @property
    def windows(self) -> Ints:
        """The group of each document."""
        first = np.searchsorted(self._documents, np.arange(int(self._documents.max(initial=-1)) + 1))
        return self.groups[first]

    @cached_property
    def pairs(self) -> SpanPairs:
        return SpanPairs.of(self.gold.spans, self.system.spans)

    @cached_property
    def candidates(self) -> Candidates:
        """All relations of both sides whose arguments overlap pairwise, straight and crossed."""
        both, names = [_oriented(self, crossed=crossed) for crossed in (False, True)], Candidates.__dataclass_fields__
        return Candidates(*(np.concatenate([getattr(candidates, name) for candidates in both]) for name in names))


def without_repeats(side: RelationSide, documents: Ints, settings: ScoreSettings) -> Ints:
    """The relations of a side that do not repeat an earlier one, with the symmetric types that it marks itself."""
    nothing = side.within(np.zeros(len(documents), dtype=np.bool_))
    symmetric = _symmetric((side, nothing), documents, settings)
    ends = SpanKeys.of(side.spans, nothing.spans)
    return _first_of_each(_relation_keys(_ordered_ends((side, nothing), ends, symmetric), ends)[0])


def _symmetric(
    sides: tuple[RelationSide, RelationSide], documents: Ints, settings: ScoreSettings
) -> tuple[Bools, Bools]:
    """Which relations of each side have a symmetric type: named by the user, or marked in the same document."""
    find = sides[0].spans.vocabulary.labels.find
    named = [code for code in map(find, settings["symmetric"]) if code is not None]
    keys = pack(*zip(*((documents[side.scope], side.label) for side in sides), strict=True))
    marked = np.concatenate([key[side.marked] for key, side in zip(keys, sides, strict=True)])
    gold, system = (np.isin(key, marked) | np.isin(side.label, named) for key, side in zip(keys, sides, strict=True))
    return gold, system


def _ordered_ends(
    sides: tuple[RelationSide, RelationSide], ends: SpanKeys, symmetric: tuple[Bools, Bools]
) -> list[RelationSide]:
    """Both sides with the ends of symmetric relations ordered by bounds and label."""
    ordered = []
    for side, bounds, is_symmetric in zip(sides, ends.bounds, symmetric, strict=True):
        name = ends.names[side.spans.label]
        head, tail = bounds[side.head], bounds[side.tail]
        is_later = (head > tail) | ((head == tail) & (name[side.head] > name[side.tail]))
        ordered.append(side.swapped(is_later & is_symmetric))
    return ordered


def _relation_keys(sides: Sequence[RelationSide], ends: SpanKeys) -> tuple[Ints, Ints]:
    columns = []
    for side, bounds in zip(sides, ends.bounds, strict=True):
        name = ends.names[side.spans.label]
        key = (bounds[side.head], bounds[side.tail], ends.names[side.label])
        columns.append((*key, name[side.head], name[side.tail]))
    return pack(*zip(*columns, strict=True))


def _first_of_each(key: Ints) -> Ints:
    """The first row with each key, in the order of rows."""
    order = np.argsort(key, kind="stable")
    is_new = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    return np.sort(order[is_new]) if len(key) else empty()


@dataclass(frozen=True)
class SpanKeys:
    """Keys of the spans of two sides: numbers that are equal and ordered as bounds and labels are."""

    bounds: tuple[Ints, Ints]
    """Scope and bounds of each span, on both sides."""
    names: Ints
    """The alphabetical rank of each label code."""

    @staticmethod
    def of(gold: Spans, system: Spans) -> SpanKeys:
        labels = gold.vocabulary.labels.values
        names = np.empty(len(labels), dtype=np.int64)
        names[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
        shapes = _shape_ranks(gold.vocabulary, np.concatenate((gold.shape, system.shape)))
        columns = [_bound_columns(side, shapes) for side in (gold, system)]
        return SpanKeys(pack(*zip(*columns, strict=True)), names)


def _bound_columns(spans: Spans, shapes: dict[int, int]) -> list[Ints]:
    """Columns that order spans by bounds: spans without gaps by end, before those with gaps by shape."""
    if not shapes:
        return [spans.scope, spans.start, spans.end]
    rank = ints([shapes.get(code, 0) for code in spans.shape.tolist()])
    return [spans.scope, spans.start, rank, spans.end]


def _shape_ranks(vocabulary: Vocabulary, codes: Ints) -> dict[int, int]:
    """The order of shapes among spans that begin together; the shape without gaps is 0.

    Of two shapes, the one with the later first gap comes first, as in lists of tokens: a span without its third token
    continues with a later one, where the other span has the third.
    """
    shapes = sorted(set(codes[codes != 0].tolist()), key=lambda code: _shape_order(vocabulary.shapes[code]))
    return {code: rank for rank, code in enumerate(shapes, 1)}


def _shape_order(gaps: tuple[int, ...]) -> tuple[int, ...]:
    """A key that orders spans as lists of their tokens: later gaps first."""
    begins = [gap for gap in gaps if gap - 1 not in gaps]
    ends = [gap + 1 for gap in gaps if gap + 1 not in gaps]
    key: list[int] = []
    for begin, end in zip(begins, ends, strict=True):
        key += [1, -begin, end]
    return (*key, 0)


@dataclass(frozen=True)
class RelationMatches:
    """One row per unit: every gold relation, in order, then every system relation without a partner.

    `gold` and `system` are rows of the two sides, or -1.
    """

    kind: Ints
    gold: Ints
    system: Ints

    @staticmethod
    def of(pairs: tuple[Ints, Ints], kind: Ints, missing: Ints, surplus: Ints) -> RelationMatches:
        """Units of pairs with their error types; unpaired relations have the types `missing` and `surplus`."""
        left, right = pairs
        partner, kinds = np.full(len(missing), -1), missing.copy()
        partner[left], kinds[left] = right, kind
        free = complement(len(surplus), right)
        return RelationMatches(
            np.concatenate((kinds, surplus[free])),
            np.concatenate((np.arange(len(missing)), np.full(len(free), -1))),
            np.concatenate((partner, free)),
        )

    def __len__(self) -> int:
        return len(self.kind)

    def tally(self, gold: RelationSide, system: RelationSide, groups: Ints) -> Tally:
        """Counts by type; `groups` is the group of each scope."""
        scope = np.where(self.gold >= 0, np.append(gold.scope, 0)[self.gold], np.append(system.scope, 0)[self.system])
        types = np.append(gold.label, -1)[self.gold], np.append(system.label, -1)[self.system]
        return Tally.of(gold.spans.vocabulary.labels.values, KINDS, groups[scope], *types, self.kind)

    def rows(self, gold: RelationSide, system: RelationSide) -> UnitRows:
        return relation_units(KINDS, self.kind, self.gold, self.system, gold, system)


def extent(side: RelationSide) -> tuple[Ints, Ints]:
    """The first and last position of the arguments of each relation, in its head's scope."""
    spans, head, tail = side.spans, side.head, side.tail
    is_here = spans.scope[head] == spans.scope[tail]
    start = np.where(is_here, np.minimum(spans.start[head], spans.start[tail]), spans.start[head])
    return start, np.where(is_here, np.maximum(spans.end[head], spans.end[tail]), spans.end[head])


def relation_units(
    kinds: Sequence[str],
    kind: Ints,
    gold_row: Ints,
    system_row: Ints,
    gold: RelationSide,
    system: RelationSide,
    is_extra: Bools | None = None,
) -> UnitRows:
    """Relations as rows (see `UnitRows.of_pairs`), from the first to the last position of their arguments."""
    is_extra = gold_row < 0 if is_extra is None else is_extra
    extents = (Spans.of(side.spans.vocabulary, side.scope, *extent(side), side.label) for side in (gold, system))
    first, second = extents
    second = replace(second, score=system.score)
    rows, places = UnitRows.of_pairs(kinds, kind, gold_row, system_row, first, second, is_extra), {}
    for name in ("head", "tail"):
        one, other = (
            Places.at(side.spans, np.append(getattr(side, name), -1)[chosen])
            for side, chosen in ((gold, gold_row), (system, system_row))
        )
        places[name] = other.where(is_extra, one)
    return replace(rows, places=places)


@dataclass(frozen=True)
class SpanPairs:
    """Pairs of a gold span and a system span that share tokens."""

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
            np.concatenate([getattr(pairs, name) for pairs in lists]) for name in ("left", "right", "shared")
        )
        key = left * (len(system) + 1) + right
        order = np.argsort(key, kind="stable")
        return SpanPairs(left[order], right[order], shared[order], (sizes(gold), sizes(system)), key[order])

    def shared_by(self, left: Ints, right: Ints) -> Ints:
        """The number of tokens that these rows share; 0 if they are not a pair."""
        if not len(self._key):
            return np.zeros(len(left), dtype=np.int64)
        key = left * (len(self.sizes[1]) + 1) + right
        index = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        return np.where(self._key[index] == key, self.shared[index], 0)

    def overlapped(self) -> tuple[Bools, Bools]:
        """Which spans of each side share a token with any of the other."""
        gold, system = (np.zeros(len(size), dtype=np.bool_) for size in self.sizes)
        gold[self.left] = True
        system[self.right] = True
        return gold, system


@dataclass(frozen=True)
class Candidates:
    """Gold and system relations whose arguments overlap pairwise: one row per pair and orientation."""

    gold: Ints
    system: Ints
    same_type: Bools
    corresponds: Bools
    """Whether head is paired with head and tail with tail, or the type is symmetric."""
    same_bounds: Bools
    same_labels: Bools
    shared: Ints
    """Tokens that both arguments share with their counterparts."""
    others: Ints
    """Tokens of either side that are not shared."""

    def take(self, rows: Ints | Bools) -> Candidates:
        return Candidates(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def _oriented(relations: RelationPair, *, crossed: bool) -> Candidates:
    """The candidates whose heads overlap heads (and tails tails) or, crossed, whose heads overlap tails."""
    gold, system, pairs = relations.gold, relations.system, relations.pairs
    first, second = (system.tail, system.head) if crossed else (system.head, system.tail)
    left, right, pair = _joined(pairs, gold.head, first)
    shared = pairs.shared_by(gold.tail[left], second[right])
    kept = np.flatnonzero(shared)
    left, right, shared = left[kept], right[kept], shared[kept] + pairs.shared[pair[kept]]
    gold_ends, ends = (gold.head[left], gold.tail[left]), (first[right], second[right])

    def are_equal(gold_column: Ints, column: Ints) -> Bools:
        equal: Bools = (gold_column[gold_ends[0]] == column[ends[0]]) & (gold_column[gold_ends[1]] == column[ends[1]])
        return equal

    is_symmetric = relations.symmetric[0][left] | relations.symmetric[1][right]
    size = sum(pairs.sizes[0][rows] for rows in gold_ends) + sum(pairs.sizes[1][rows] for rows in ends)
    return Candidates(
        left,
        right,
        gold.label[left] == system.label[right],
        is_symmetric if crossed else np.ones(len(left), dtype=np.bool_),
        are_equal(*relations.ends.bounds),
        are_equal(gold.spans.label, system.spans.label),
        shared,
        size - 2 * shared,
    )


def _joined(pairs: SpanPairs, gold_end: Ints, system_end: Ints) -> tuple[Ints, Ints, Ints]:
    """All pairs of relations with overlapping spans at one end: their rows, and the pair of spans."""
    gold_order, gold_first, gold_count = _by_span(gold_end, pairs.left)
    system_order, system_first, system_count = _by_span(system_end, pairs.right)
    count = gold_count * system_count
    if (total := int(count.sum())) > PAIRS.value:
        finding = f"{len(gold_end):,} gold and {len(system_end):,} system relations make {total:,} overlapping pairs"
        raise LimitError(finding, f"check the relations, or set {PAIRS.variable} to more than {PAIRS.value}")
    pair = np.repeat(np.arange(len(count)), count)
    index = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    width = system_count[pair]
    left = gold_order[gold_first[pair] + index // width]
    return left, system_order[system_first[pair] + index % width], pair


def _by_span(end: Ints, spans: Ints) -> tuple[Ints, Ints, Ints]:
    """Relations sorted by the span at one end; for each of some spans the first of its relations, and their number."""
    order = np.argsort(end, kind="stable")
    ordered = end[order]
    first = np.searchsorted(ordered, spans)
    return order, first, np.searchsorted(ordered, spans, side="right") - first
