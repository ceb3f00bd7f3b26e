"""The spans of all sides in a sentence, for a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.tasks.units import Row, Rows
from evenhand.text.layers import Spans

_ROOM = 16
"""How many entries for each span a table of all labels and bounds may have."""


class SpanDrawing:
    """Rows of label, start, end, and then the tokens that a span leaves out."""

    def __init__(self, sides: Sequence[Spans]) -> None:
        self._spans = sides

    def sides(self, sentence: int) -> list[Rows]:
        return [rows[bounds[sentence] : bounds[sentence + 1]] for bounds, rows in self._by_scope]

    @cached_property
    def _by_scope(self) -> list[tuple[list[int], tuple[Row, ...]]]:
        """The spans of each side, sentence by sentence: where those of each sentence begin, and the rows."""
        sentences = max((int(side.scope.max(initial=-1)) for side in self._spans), default=-1) + 1
        return [_rows(side.take(np.argsort(side.scope, kind="stable")), sentences) for side in self._spans]


def _rows(side: Spans, sentences: int) -> tuple[list[int], tuple[Row, ...]]:
    """Equal rows are one object: there are few different ones, and a page keeps many."""
    different, number = _different(side)
    few = side.take(different)
    rows: list[Row] = list(zip(few.label.tolist(), few.start.tolist(), few.end.tolist(), strict=True))
    for row in np.flatnonzero(few.shape).tolist():
        rows[row] += tuple(rows[row][1] + gap for gap in side.vocabulary.shapes[int(few.shape[row])])
    bounds = np.append(0, np.cumsum(np.bincount(side.scope, minlength=sentences)))
    return bounds.tolist(), tuple(map(rows.__getitem__, number.tolist()))


def _different(side: Spans) -> tuple[Ints, Ints]:
    """Spans that differ in label, bounds or shape, and for each span which of these it is.

    In texts so long that a table of all bounds takes too much room, each span is one for itself.
    """
    rows = np.arange(len(side))
    key, _ = pack(*((column, empty()) for column in (side.label, side.start, side.end, side.shape)))
    size = int(key.max(initial=0)) + 1
    if size > _ROOM * len(side):
        return rows, rows
    last = np.empty(size, dtype=np.int64)
    last[key] = rows
    same = last[key]
    is_last = same == rows
    return np.flatnonzero(is_last), (np.cumsum(is_last) - 1)[same]
