"""The spans and relations of all sides in a sentence, for a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.tasks.relations.side import Side
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.units import Row, Rows
from evenhand.text.layers import Spans


class RelationDrawing:
    """Spans as rows of label, start, end and gaps; relations as rows of type, and the places of head and tail."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides
        self._spans = SpanDrawing([side.spans for side in sides])

    def sides(self, sentence: int) -> list[Rows]:
        return self._spans.sides(sentence)

    def links(self, sentence: int) -> list[Rows]:
        """The relations whose heads are in the sentence; a tail elsewhere is -1."""
        return [tuple(each.get(sentence, ())) for each in self._by_scope]

    @cached_property
    def _by_scope(self) -> list[dict[int, list[Row]]]:
        return [_rows(side) for side in self._sides]


def _rows(side: Side) -> dict[int, list[Row]]:
    place, found = _places(side.spans), dict[int, list[Row]]()
    is_here = side.spans.scope[side.tail] == side.scope
    columns = (side.scope, side.label, place[side.head], np.where(is_here, place[side.tail], -1))
    for scope, *row in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(scope, []).append(tuple(row))
    return found


def _places(spans: Spans) -> Ints:
    """The place of each span among those of its scope."""
    order = np.argsort(spans.scope, kind="stable")
    ordered = spans.scope[order]
    place = np.empty(len(spans), dtype=np.int64)
    place[order] = np.arange(len(spans)) - np.searchsorted(ordered, ordered)
    return place
