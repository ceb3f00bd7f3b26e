"""The mentions of all sides in a sentence, for a drawing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.tasks.units import Rows
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus


class ChainDrawing:
    """Rows of chain (numbered in its document), start and end, in tokens of the sentence; they may reach beyond it."""

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._chains, self._corpus = sides, corpus

    def sides(self, sentence: int) -> list[Rows]:
        bounds = self._corpus.bounds
        first = 0 if bounds is None else int(bounds[sentence])
        found: list[Rows] = []
        for touched, rows in self._by_sentence:
            here = rows[bisect_left(touched, sentence) : bisect_right(touched, sentence)]
            found.append(tuple((chain, begin - first, end - first) for chain, begin, end in here))
        return found

    @cached_property
    def _by_sentence(self) -> list[tuple[list[int], list[tuple[int, int, int]]]]:
        """The mentions of each side, sentence by sentence: the sentences, and chain, begin and end in the text."""
        return [self._rows(side) for side in self._chains]

    def _rows(self, side: Chains) -> tuple[list[int], list[tuple[int, int, int]]]:
        bounds, begin, sentence = self._corpus.bounds, side.start, side.document
        size = np.ones(len(side), dtype=np.int64)
        if bounds is not None:
            begin = self._corpus.document_starts[side.document] + side.start
            sentence = np.searchsorted(bounds, begin, side="right") - 1
            size = np.searchsorted(bounds, begin + side.end - side.start, side="left") - sentence
        touched, row = ranges(sentence, size), np.repeat(np.arange(len(side)), size)
        order = np.argsort(touched, kind="stable")
        columns = (column[row[order]].tolist() for column in (_numbered(side), begin, begin + side.end - side.start))
        return touched[order].tolist(), list(zip(*columns, strict=True))


def _numbered(side: Chains) -> Ints:
    """Chains by their number in their document, from 1 in the order of their first mentions."""
    number = np.zeros(len(side), dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    counts: dict[int, int] = {}
    for row, (document, chain) in enumerate(zip(side.document.tolist(), side.chain.tolist(), strict=True)):
        if (document, chain) not in seen:
            counts[document] = counts.get(document, 0) + 1
            seen[document, chain] = counts[document]
        number[row] = seen[document, chain]
    return number
