"""The passes of fair evaluation for components in which very many spans overlap each other.

The passes are those of `walk`, and so are the matches. But what a span is compared with is not listed and not kept as
sets of tokens: it looks at all spans of the other side at once, as columns. What matches have left of a span is kept as
pieces between two bounds. So a component of n spans takes n² steps, as many as there may be pairs, but fast ones, and
room for n. Spans have no gaps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.tasks.spans.boundaries import boundary_kind
from evenhand.tasks.spans.kinds import LBE
from evenhand.tasks.spans.verdicts import Matching
from evenhand.text.layers import Spans

Piece = tuple[int, int]


class Pieces:
    """What is left of matched spans: stretches of tokens that no match has used up, each with its span."""

    def __init__(self) -> None:
        self._size = 0
        self._columns = np.zeros((3, 64), dtype=np.int64)
        self._of: dict[int, list[int]] = {}

    def add(self, span: int, pieces: list[Piece]) -> None:
        for begin, end in pieces:
            if self._size == self._columns.shape[1]:
                self._columns = np.concatenate((self._columns, np.zeros_like(self._columns)), axis=1)
            self._columns[:, self._size] = begin, end, span
            self._of.setdefault(span, []).append(self._size)
            self._size += 1

    def shared(self, begin: int, end: int, spans: int) -> Ints:
        """How many tokens in [begin, end) each span still has."""
        first, last, span = self._columns[:, : self._size]
        tokens = np.maximum(np.minimum(last, end) - np.maximum(first, begin), 0)
        rows = np.flatnonzero(tokens)
        return ints(np.bincount(span[rows], tokens[rows], minlength=spans))

    def use(self, span: int, begin: int, end: int) -> list[Piece]:
        """Use up the tokens of a span in [begin, end); which ones these are."""
        used, left = [], []
        for place in self._of.pop(span, []):
            first, last = self._columns[:2, place].tolist()
            used.append((max(first, begin), min(last, end)))
            left += [(first, min(last, begin)), (max(first, end), last)]
            self._columns[:2, place] = 0
        self.add(span, [piece for piece in left if piece[0] < piece[1]])
        return [piece for piece in used if piece[0] < piece[1]]


class Crowd:
    """The spans of one side in the order of the walk: shortest first, then as in the input."""

    def __init__(self, spans: Spans, rows: Ints) -> None:
        rows = np.sort(rows)
        self.rows = rows[np.argsort((spans.end - spans.start)[rows], kind="stable")]
        self.start, self.end, self.label = spans.start[self.rows], spans.end[self.rows], spans.label[self.rows]
        self.length = self.end - self.start
        self.left = self.length.copy()
        """How many tokens of each span are not used up."""
        self.turn = np.full(len(rows), -1)
        """When each span was matched; -1 for free ones."""
        self._turns = 0
        self.pieces = Pieces()

    def free(self) -> list[int]:
        return np.flatnonzero(self.turn < 0).tolist()

    def allowed(self, other: Crowd, span: int, same: bool) -> Bools:
        """Which spans of the other side have the same label (or another one), and other bounds."""
        found: Bools = (other.label == self.label[span]) == same
        found &= (other.start != self.start[span]) | (other.end != self.end[span])
        return found

    def match(self, span: int, used: list[Piece]) -> None:
        """Note a match, which uses up some tokens."""
        if self.turn[span] < 0:
            self.turn[span] = self._turns
            self._turns += 1
            self.pieces.add(span, [(int(self.start[span]), int(self.end[span]))])
        for begin, end in used:
            self.pieces.use(span, begin, end)
            self.left[span] -= end - begin


def crowded_walk(matching: Matching, gold_rows: Ints, system_rows: Ints) -> None:
    """Match the spans of one component, which are free, by the three passes for BE and then the three for LBE."""
    gold, system = Crowd(matching.gold, gold_rows), Crowd(matching.system, system_rows)
    for same in (True, False):
        passes = (
            (1, list(_free_with_free(gold, system, same))),
            (2, list(_free_with_matched(gold, system, same))),
            (3, [(t, s) for s, t in _free_with_matched(system, gold, same)]),
        )
        for step, matches in passes:
            places = ints(matches).reshape(-1, 2)
            t, s = gold.rows[places[:, 0]], system.rows[places[:, 1]]
            matching.pair(t, s, boundary_kind(matching.gold, matching.system, t, s) if same else LBE, step)


def _free_with_free(side: Crowd, other: Crowd, same: bool) -> Iterator[tuple[int, int]]:
    """Pass 1. Free spans have all their tokens, and the first in the order of the walk is the shortest."""
    for span in side.free():
        start, end = int(side.start[span]), int(side.end[span])
        shared = np.minimum(other.end, end) - np.maximum(other.start, start)
        shared[(other.turn >= 0) | ~side.allowed(other, span, same)] = 0
        best = int(shared.argmax())
        if shared[best] > 0:
            used = [(max(start, int(other.start[best])), min(end, int(other.end[best])))]
            side.match(span, used)
            other.match(best, used)
            yield span, best


def _free_with_matched(side: Crowd, other: Crowd, same: bool) -> Iterator[tuple[int, int]]:
    """Passes 2 and 3: with a span that has a partner already, if the two still share a token that is not used up."""
    for span in side.free():
        start, end = int(side.start[span]), int(side.end[span])
        shared = other.pieces.shared(start, end, len(other.rows))
        shared[~side.allowed(other, span, same)] = 0
        most = int(shared.max(initial=0))
        if most:
            candidates = np.flatnonzero(shared == most)
            keys = other.turn[candidates], other.length[candidates], other.left[candidates]
            best = int(candidates[np.lexsort(keys)[0]])
            used = other.pieces.use(best, start, end)
            other.left[best] -= most
            side.match(span, used)
            yield span, best
