"""The relations of one side in a portion, and how they are told apart.

The *bounds* of a span are its tokens (or characters that are no spaces), those in its gaps left out. They are ordered
as sorted lists are: [1, 2] before [1, 2, 3] before [1, 2, 5].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, ints, pack
from evenhand.dataclass import dataclass
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.listed_parts import Parts


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
