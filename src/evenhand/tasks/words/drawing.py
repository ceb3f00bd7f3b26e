"""The tags or arcs of all sides in a sentence, for a drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.tasks.units import Rows


class WordDrawing:
    """A row a word of the gold standard: its label and, of trees, the head's place in the sentence.

    -1 is the root and -2 a head that is elsewhere; None stands for a word that a side does not have.
    """

    def __init__(self, bounds: Ints, labels: Sequence[Ints], heads: Sequence[Ints] | None) -> None:
        """`labels` and `heads` of each side, for all words; labels are -1 where there is no word."""
        self._bounds, self._labels, self._heads = bounds.tolist(), labels, heads

    def sides(self, sentence: int) -> list[Rows]:
        begin, end = self._bounds[sentence : sentence + 2]
        found: list[Rows] = []
        for side, labels in enumerate(self._labels):
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                is_here = (begin <= head) & (head < end)
                columns.append(np.where(is_here, head - begin, np.where(head < 0, head, -2)))
            rows = zip(*(column.tolist() for column in columns), strict=True)
            found.append(tuple(None if row[0] < 0 else row for row in rows))
        return found
