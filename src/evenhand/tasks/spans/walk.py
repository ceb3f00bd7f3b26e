"""The three passes of fair evaluation, taken literally, for the spans whose overlaps are not one to one.

This is a loop, because each match changes what the next one sees. It runs over the hard components only and looks at
overlapping pairs only, so its cost grows with their number, not with the square of the number of spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.tasks.spans.boundaries import boundary_kind, overlap
from evenhand.tasks.spans.kinds import LBE
from evenhand.tasks.spans.pairs import Overlaps
from evenhand.tasks.spans.verdicts import Matching
from evenhand.text.layers import Spans


class Neighbours:
    """For each span of one side, in the order of the walk, the spans of the other side that overlap it.

    They are in one list: a list for each span would be so many objects that Python looks after them most of the time.
    """

    def __init__(self, span: Ints, neighbour: Ints) -> None:
        counts = np.bincount(span)
        self._spans: list[int] = np.flatnonzero(counts).tolist()
        self._first: list[int] = np.append(0, np.cumsum(counts)).tolist()
        self._neighbours: list[int] = neighbour[np.argsort(span, kind="stable")].tolist()

    def __iter__(self) -> Iterator[int]:
        """The spans that have any."""
        return iter(self._spans)

    def __getitem__(self, span: int) -> list[int]:
        return self._neighbours[self._first[span] : self._first[span + 1]]


@dataclass
class Side:
    """The spans of one side in the order of the walk: shortest first, then as in the input."""

    rows: Ints
    length: list[int]
    tokens: list[set[int]]
    """The tokens of each span that no match has used up."""
    turn: dict[int, int] = field(default_factory=dict)
    """For each span that has been matched, when it was."""

    @staticmethod
    def of(spans: Spans, rows: Ints) -> Side:
        rows = np.sort(rows)
        length = spans.end[rows] - spans.start[rows]
        order = np.argsort(length, kind="stable")
        rows = rows[order]
        return Side(rows, length[order].tolist(), spans.take(rows).token_sets())

    def free(self, spans: Iterable[int]) -> list[int]:
        return [span for span in spans if span not in self.turn]

    def match(self, span: int) -> None:
        self.turn.setdefault(span, len(self.turn))


def walk(matching: Matching, gold_rows: Ints, system_rows: Ints) -> None:
    """Match the given spans, which are free, by the three passes for BE and then the three for LBE."""
    gold, system = Side.of(matching.gold, gold_rows), Side.of(matching.system, system_rows)
    left, right = _overlapping(matching, gold.rows, system.rows)
    same_label = matching.gold.label[gold.rows[left]] == matching.system.label[system.rows[right]]
    for same in (True, False):
        pairs = np.flatnonzero(same_label == same)
        of_gold, of_system = Neighbours(left[pairs], right[pairs]), Neighbours(right[pairs], left[pairs])
        passes = (
            (1, list(_free_with_free(gold, system, of_gold))),
            (2, list(_free_with_matched(gold, system, of_gold))),
            (3, [(t, s) for s, t in _free_with_matched(system, gold, of_system)]),
        )
        for step, matches in passes:
            places = ints(matches).reshape(-1, 2)
            t, s = gold.rows[places[:, 0]], system.rows[places[:, 1]]
            matching.pair(t, s, boundary_kind(matching.gold, matching.system, t, s) if same else LBE, step)


def _free_with_free(side: Side, other: Side, neighbours: Neighbours) -> Iterator[tuple[int, int]]:
    """Pass 1. Shared tokens are not asked for: spans with gaps may overlap without any."""
    for span in side.free(neighbours):
        candidates = other.free(neighbours[span])
        if candidates:
            best = min((*_distance(side.tokens[span], other, each), each) for each in candidates)[-1]
            yield _match(side, span, other, best)


def _free_with_matched(side: Side, other: Side, neighbours: Neighbours) -> Iterator[tuple[int, int]]:
    """Passes 2 and 3: with a span that has a partner already, if the two still share a token that is not used up."""
    for span in side.free(neighbours):
        tokens = side.tokens[span]
        candidates = [
            each for each in neighbours[span] if each in other.turn and not tokens.isdisjoint(other.tokens[each])
        ]
        if candidates:
            best = min((*_distance(tokens, other, each), other.turn[each], each) for each in candidates)[-1]
            yield _match(side, span, other, best)


def _distance(tokens: set[int], other: Side, candidate: int) -> tuple[int, int, int]:
    """How unlike a candidate is: fewest shared tokens, most tokens of its own, longest; less is more similar."""
    shared = len(tokens & other.tokens[candidate])
    return -shared, len(other.tokens[candidate]) - shared, other.length[candidate]


def _match(side: Side, span: int, other: Side, partner: int) -> tuple[int, int]:
    """Match two spans: the tokens they share are used up on both sides."""
    shared = side.tokens[span] & other.tokens[partner]
    side.tokens[span] -= shared
    other.tokens[partner] -= shared
    side.match(span)
    other.match(partner)
    return span, partner


def _overlapping(matching: Matching, gold_rows: Ints, system_rows: Ints) -> tuple[Ints, Ints]:
    """All pairs that overlap (see `overlap`), as places in the two lists of rows."""
    gold, system = matching.gold.take(gold_rows), matching.system.take(system_rows)
    left, right = Overlaps(gold, system).rows()
    keep = overlap(gold, system, left, right)
    return left[keep], right[keep]
