"""Stretches of text on which each side has the same number of spans of a label.

Tokens and separators are counted by stretch, not one by one: a sweep over the ends of all spans finds where the numbers
change. So the cost grows with the number of spans, however long they are and however many lie on one token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from evenhand.arrays import Bools, Ints, ints, ranges
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Runs:
    """Neighbouring units that belong to one span: a span without gaps is one run, one with gaps several."""

    begin: Ints
    end: Ints
    label: Ints

    def take(self, rows: Ints | Bools) -> Runs:
        return Runs(self.begin[rows], self.end[rows], self.label[rows])


@dataclass(frozen=True)
class Stretches:
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
        pieces = [_pieces(spans.vocabulary.shapes[shape], size) for size, shape in zip(lengths, shapes, strict=True)]
        sizes = [len(each) for each in pieces]
        bounds = ints(list(chain.from_iterable(pieces))) + np.repeat(begin[gapped], sizes)[:, None]
        whole = np.flatnonzero(spans.shape == 0)
        begin, end = np.concatenate((begin[whole], bounds[:, 0])), np.concatenate((end[whole], bounds[:, 1]))
        label = np.concatenate((label[whole], np.repeat(label[gapped], sizes)))
    end = end - (part == "separator")
    found = Runs(begin, end, label)
    return found if (begin < end).all() else found.take(begin < end)


def _pieces(gaps: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The bounds of the pieces of a span with gaps, counted from its first token."""
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


def stretches(gold: Runs, system: Runs) -> Stretches:
    """All stretches that any span lies on, by label."""
    ends = (gold.begin, gold.end, system.begin, system.end)
    change = np.repeat((1, -1, 1, -1), [len(each) for each in ends])
    is_gold = np.arange(len(change)) < 2 * len(gold.begin)
    place = np.concatenate(ends)
    label = np.concatenate((gold.label, gold.label, system.label, system.label))
    width = int(place.max(initial=0)) + 1
    # In any order where ends are equal: between them there is no stretch.
    order = np.argsort(label * width + place)
    place, label, change, is_gold = place[order], label[order], change[order], is_gold[order]
    mine, theirs = np.cumsum(np.where(is_gold, change, 0)), np.cumsum(np.where(is_gold, 0, change))
    # Behind the last end of a label both numbers are 0, so that no stretch goes on into the next one.
    length = np.append(place[1:], 0)[: len(place)] - place
    rows = np.flatnonzero((length != 0) & ((mine > 0) | (theirs > 0)))
    return Stretches(place[rows], length[rows], label[rows], mine[rows], theirs[rows])
