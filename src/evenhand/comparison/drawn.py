"""What every side has in a sentence, as lists that can be drawn: spans, tags, arcs or mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from evenhand.arrays import Ints
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans

Side = list[list[int]] | list[list[int] | None]


class Drawn(Protocol):
    """The annotation of all sides, of which the gold standard is the first."""

    def sides(self, sentence: int) -> list[Side]:
        """What each side has in a sentence: rows of numbers."""


class DrawnSpans:
    """Rows of label, start, end, and then the tokens that a span leaves out."""

    def __init__(self, sides: Sequence[Spans]) -> None:
        self._sides = [side.take(np.argsort(side.scope, kind="stable")) for side in sides]

    def sides(self, sentence: int) -> list[Side]:
        return [self._rows(side, sentence) for side in self._sides]

    @staticmethod
    def _rows(side: Spans, sentence: int) -> list[list[int]]:
        first, last = np.searchsorted(side.scope, (sentence, sentence + 1)).tolist()
        found = []
        for row in range(first, last):
            start = int(side.start[row])
            gaps = [start + gap for gap in side.vocabulary.shapes[int(side.shape[row])]]
            found.append([int(side.label[row]), start, int(side.end[row]), *gaps])
        return found


class DrawnWords:
    """A row a word of the gold standard: its label and, of trees, the head's place in the sentence.

    -1 is the root and -2 a head that is elsewhere; None stands for a word that a side does not have.
    """

    def __init__(self, bounds: Ints, labels: Sequence[Ints], heads: Sequence[Ints] | None) -> None:
        """`labels` and `heads` of each side, for all words; labels are -1 where there is no word."""
        self._bounds, self._labels, self._heads = bounds.tolist(), labels, heads

    def sides(self, sentence: int) -> list[Side]:
        begin, end = self._bounds[sentence : sentence + 2]
        found: list[Side] = []
        for side, labels in enumerate(self._labels):
            rows: list[list[int] | None] = [None if label < 0 else [label] for label in labels[begin:end].tolist()]
            if self._heads is not None:
                for row, head in zip(rows, self._heads[side][begin:end].tolist(), strict=True):
                    if row is not None:
                        row.append(head - begin if begin <= head < end else min(head, -1) if head < 0 else -2)
            found.append(rows)
        return found


class DrawnChains:
    """Rows of chain (numbered in its document), start and end, in tokens of the sentence; they may reach beyond it."""

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._sides, self._bounds = [], corpus.bounds
        for side in sides:
            begin = side.start if corpus.bounds is None else corpus.document_starts[side.document] + side.start
            self._sides.append((_numbered(side), begin, begin + side.end - side.start, side.document))

    def sides(self, sentence: int) -> list[Side]:
        found: list[Side] = []
        for chain, begin, end, document in self._sides:
            if self._bounds is None:
                rows, first = np.flatnonzero(document == sentence), 0
            else:
                first, last = self._bounds[sentence : sentence + 2].tolist()
                rows = np.flatnonzero((begin < last) & (end > first))
            found.append([[int(chain[row]), int(begin[row]) - first, int(end[row]) - first] for row in rows.tolist()])
        return found


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
