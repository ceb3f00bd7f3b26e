"""The spans of all sides in a sentence, for a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.tasks.units import Row, Rows
from evenhand.text.layers import Spans


class SpanDrawing:
    """Rows of label, start, end, and then the tokens that a span leaves out."""

    def __init__(self, sides: Sequence[Spans]) -> None:
        self._spans = sides

    def sides(self, sentence: int) -> list[Rows]:
        return [rows[bounds[sentence] : bounds[sentence + 1]] for bounds, rows in self._by_scope]

    @cached_property
    def _by_scope(self) -> list[tuple[list[int], tuple[Row, ...]]]:
        """The spans of each side, sentence by sentence: where those of each sentence begin, and the rows."""
        sentences = np.arange(max((int(side.scope.max(initial=-1)) for side in self._spans), default=-1) + 2)
        return [_rows(side.take(np.argsort(side.scope, kind="stable")), sentences) for side in self._spans]


def _rows(side: Spans, sentences: Ints) -> tuple[list[int], tuple[Row, ...]]:
    columns = (side.label, side.start, side.end)
    rows: list[Row] = list(zip(*(column.tolist() for column in columns), strict=True))
    for row in np.flatnonzero(side.shape).tolist():
        start = int(side.start[row])
        rows[row] += tuple(start + gap for gap in side.vocabulary.shapes[int(side.shape[row])])
    return np.searchsorted(side.scope, sentences).tolist(), tuple(rows)
