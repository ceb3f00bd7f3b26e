"""The mentions of all sides in a sentence, for a drawing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.tasks.units import Row, Rows
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus


class ChainDrawing:
    """Rows of chain (numbered in its document), start and end, in tokens of the sentence; they may reach beyond it."""

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._chains, self._corpus = sides, corpus

    def sides(self, sentence: int) -> list[Rows]:
        return [
            tuple(rows[bisect_left(touched, sentence) : bisect_right(touched, sentence)])
            for touched, rows in self._by_sentence
        ]

    @cached_property
    def _by_sentence(self) -> list[tuple[list[int], list[Row]]]:
        """The mentions of each side, sentence by sentence: the sentences, and the rows."""
        return [self._rows(side) for side in self._chains]

    def _rows(self, side: Chains) -> tuple[list[int], list[Row]]:
        bounds = self._corpus.bounds
        sentence, start = self._corpus.in_sentences(side.document, side.start)
        last = sentence if bounds is None else self._corpus.in_sentences(side.document, side.end - 1)[0]
        size = last - sentence + 1
        touched, row = ranges(sentence, size), np.repeat(np.arange(len(side)), size)
        start = start[row] if bounds is None else start[row] + bounds[sentence[row]] - bounds[touched]
        order = np.argsort(touched, kind="stable")
        columns = (_numbered(side)[row], start, start + (side.end - side.start)[row])
        return touched[order].tolist(), list(zip(*(column[order].tolist() for column in columns), strict=True))


def _numbered(side: Chains) -> Ints:
    """Chains by their number in their document, from 1 in the order of their first mentions."""
    number = side.in_order()
    return number - number[np.searchsorted(side.document, side.document)] + 1
