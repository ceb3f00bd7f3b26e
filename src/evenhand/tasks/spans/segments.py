"""Segments of a text on which each side has the same number of spans of a label.

Tokens and separators are counted by segment, not one by one: a sweep over the ends of all spans finds where the numbers
change. So the cost grows with the number of spans, however long they are and however many lie on one token.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from evenhand.arrays import Bools, Ints, ints, ranges
from evenhand.dataclass import dataclass
from evenhand.text.layers import Spans

_CHANGES = ints([1 << 32, -(1 << 32), 1, -1])
"""What begins and ends of gold runs, and of system runs, change: the first number of spans is counted above 32 bits."""


@dataclass(frozen=True)
class Runs:
    """Neighbouring units that belong to one span: a span without gaps is one run, one with gaps several."""

    begin: Ints
    end: Ints
    label: Ints

    def take(self, rows: Ints | Bools) -> Runs:
        return Runs(self.begin[rows], self.end[rows], self.label[rows])

    def plus(self, other: Runs) -> Runs:
        begin, end = np.concatenate((self.begin, other.begin)), np.concatenate((self.end, other.end))
        return Runs(begin, end, np.concatenate((self.label, other.label)))

    def before(self, size: int) -> Runs:
        """What they cover of the first units, so many of them."""
        if not (self.end > size).any():
            return self
        return Runs(self.begin, np.minimum(self.end, size), self.label).take(self.begin < size)


@dataclass(frozen=True)
class Segments:
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
        split_up = [_between(spans.vocabulary.shapes[shape], size) for size, shape in zip(lengths, shapes, strict=True)]
        sizes = [len(each) for each in split_up]
        bounds = ints(list(chain.from_iterable(split_up))) + np.repeat(begin[gapped], sizes)[:, None]
        whole = np.flatnonzero(spans.shape == 0)
        begin, end = np.concatenate((begin[whole], bounds[:, 0])), np.concatenate((end[whole], bounds[:, 1]))
        label = np.concatenate((label[whole], np.repeat(label[gapped], sizes)))
    end = end - (part == "separator")
    found = Runs(begin, end, label)
    return found if (begin < end).all() else found.take(begin < end)


def _between(gaps: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The bounds of the runs of a span with gaps, counted from its first token."""
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


def segments(gold: Runs, system: Runs) -> Segments:
    """All segments that any span lies on, by label.

    An end is one number: label, place, and which end of whose run it is. Both numbers of spans are counted in one, too.
    """
    width = max(int(side.end.max(initial=0)) for side in (gold, system)) + 1
    ends = [side.label * width + place for side in (gold, system) for place in (side.begin, side.end)]
    # Most spans come in the order of the text, which a stable sort makes use of.
    ordered = np.sort(np.concatenate([each << 2 | number for number, each in enumerate(ends)]), kind="stable")
    met = np.cumsum(_CHANGES.take(ordered & 3))
    place = ordered >> 2
    length = np.append(place[1:], 0)[: len(place)] - place
    # Behind the last end of a label both numbers are 0, so that no segment goes on into the next one.
    rows = np.flatnonzero((length != 0) & (met != 0))
    label, begin = np.divmod(place[rows], width)
    return Segments(begin, length[rows], label, met[rows] >> 32, met[rows] & (1 << 32) - 1)
