"""Pairs of a gold relation and a system relation whose arguments overlap pairwise.

They overlap *straight* (head with head, tail with tail) or *crossed* (head with tail, tail with head). Pairs are found
through the spans that overlap, so that their number follows from these, not from that of relations in a document.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.limits import PAIRS, LimitError
from evenhand.tasks.relations.side import Ends, Side
from evenhand.tasks.relations.span_pairs import SpanPairs


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
