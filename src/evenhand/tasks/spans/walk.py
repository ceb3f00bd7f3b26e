"""The three passes of fair evaluation for the spans whose overlaps are not one to one.

Passes 2 and 3 are loops, because each match uses up tokens that the next one cannot share. They run over the hard
components only and look at overlapping pairs only, so their cost grows with the number of these, not with the square
of the number of spans.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from sys import maxsize

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.kinds import LBE
from evenhand.tasks.spans.pairs import (
    Pairs,
    Ranges,
    crossing_pairs,
    shared_count,
    shared_ranges,
    sizes,
    taken,
    token_ranges,
)
from evenhand.tasks.spans.verdicts import Matching
from evenhand.text.layers import Spans


@dataclass
class WalkedSpans:
    """The spans of one side in the order of the walk: shortest first, then as in the input."""

    rows: Ints
    spans: Spans
    size: Ints
    """How many tokens each span has."""
    length: list[int]
    tokens: list[Ranges]
    """The tokens of each span that no match has used up. A match adds few ranges, regardless of length."""
    left: list[int]
    """How many these are."""
    turn: list[int]
    """When each span was matched for the first time; -1 for free ones."""
    turns: int = 0

    @staticmethod
    def of(spans: Spans, rows: Ints) -> WalkedSpans:
        rows = np.sort(rows)
        rows = rows[np.argsort((spans.end - spans.start)[rows], kind="stable")]
        spans = spans.take(rows)
        size, length = sizes(spans), spans.end - spans.start
        free = [-1] * len(rows)
        return WalkedSpans(rows, spans, size, length.tolist(), token_ranges(spans), size.tolist(), free)

    def is_free(self, spans: Ints) -> Bools:
        free: Bools = (ints(self.turn) < 0)[spans]
        return free

    def use(self, span: int, shared: Ranges) -> None:
        """Note a match, which uses up some tokens."""
        ranges = self.tokens[span]
        for first, stop in shared:
            at = bisect_right(ranges, (first, maxsize)) - 1
            start, end = ranges[at]
            rest = (start, first), (stop, end)
            ranges[at : at + 1] = [each for each in rest if each[0] < each[1]]
            self.left[span] -= stop - first
        if self.turn[span] < 0:
            self.turn[span] = self.turns
            self.turns += 1


def walk(matching: Matching, gold_rows: Ints, system_rows: Ints) -> None:
    """Match the given spans, which are free, by the three passes for BE and then the three for LBE."""
    gold, system = WalkedSpans.of(matching.gold, gold_rows), WalkedSpans.of(matching.system, system_rows)
    for pairs in crossing_pairs(gold.spans, system.spans):
        pairs = pairs.take(matching.overlap(gold.rows[pairs.left], system.rows[pairs.right]))
        same_label = gold.spans.label[pairs.left] == system.spans.label[pairs.right]
        for same in (True, False):
            chosen = pairs.take(same_label == same)
            for step, (left, right) in enumerate(_passes(gold, system, chosen), 1):
                t, s = gold.rows[left], system.rows[right]
                matching.pair(t, s, matching.boundary_kind(t, s) if same else LBE, step)


def _passes(gold: WalkedSpans, system: WalkedSpans, pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """What each of the three passes matches."""
    yield _free_with_free(gold, system, pairs)
    yield _free_with_matched(gold, system, pairs.left, pairs.right)
    right, left = _free_with_matched(system, gold, pairs.right, pairs.left)
    yield left, right


def _free_with_free(gold: WalkedSpans, system: WalkedSpans, pairs: Pairs) -> tuple[Ints, Ints]:
    """Pass 1. Free spans have all their tokens, so that it is known beforehand which are the most similar.

    Shared tokens are not asked for: spans with gaps may overlap without any.
    """
    pairs = pairs.take(gold.is_free(pairs.left) & system.is_free(pairs.right))
    alone = system.size[pairs.right] - pairs.shared
    order = np.lexsort((pairs.right, alone, -pairs.shared, pairs.left))
    best = order[taken(pairs.left[order], pairs.right[order])]
    left, right = pairs.left[best], pairs.right[best]
    for span, partner in zip(left.tolist(), right.tolist(), strict=True):
        _match(gold, span, system, partner)
    return left, right


def _free_with_matched(side: WalkedSpans, other: WalkedSpans, spans: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """Passes 2 and 3: with a span that has a partner already, if the two still share a token that is not used up."""
    rows = np.flatnonzero(side.is_free(spans) & ~other.is_free(candidates))
    rows = rows[np.argsort(spans[rows], kind="stable")]
    spans, candidates = spans[rows], candidates[rows]
    matches = []
    for first, behind in pairwise([*np.flatnonzero(np.diff(spans, prepend=-1)).tolist(), len(spans)]):
        span = int(spans[first])
        partner = _most_similar(side, span, other, candidates[first:behind].tolist())
        if partner >= 0:
            _match(side, span, other, partner)
            matches.append((span, partner))
    found = ints(matches).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _most_similar(side: WalkedSpans, span: int, other: WalkedSpans, candidates: list[int]) -> int:
    """The candidate with most shared tokens, then fewest of its own, then the shortest, then the first matched.

    Tokens that are used up do not count; -1 where none is left to share.
    """
    tokens = side.tokens[span]
    most_similar, partner = (0, 0, 0, 0), -1
    for candidate in candidates:
        shared = shared_count(tokens, other.tokens[candidate])
        if shared:
            key = (-shared, other.left[candidate] - shared, other.length[candidate], other.turn[candidate])
            if key < most_similar:
                most_similar, partner = key, candidate
    return partner


def _match(side: WalkedSpans, span: int, other: WalkedSpans, partner: int) -> None:
    """Match two spans: the tokens they share are used up on both sides."""
    shared = shared_ranges(side.tokens[span], other.tokens[partner])
    side.use(span, shared)
    other.use(partner, shared)
