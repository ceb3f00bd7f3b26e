"""What every side has in a sentence, as lists that can be drawn: spans, tags, arcs or mentions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans

Row = tuple[int, ...]
Side = tuple[Row, ...] | tuple[Row | None, ...]
"""Rows of numbers. They are tuples, as Python need not look through those again and again for what is unused."""


class Drawn(Protocol):
    """The annotation of all sides, of which the gold standard is the first."""

    def sides(self, sentence: int) -> list[Side]:
        """What each side has in a sentence: rows of numbers."""


class DrawnSpans:
    """Rows of label, start, end, and then the tokens that a span leaves out."""

    def __init__(self, sides: Sequence[Spans]) -> None:
        self._spans = sides

    def sides(self, sentence: int) -> list[Side]:
        return [
            tuple(rows[bisect_left(scopes, sentence) : bisect_right(scopes, sentence)])
            for scopes, rows in self._by_scope
        ]

    @cached_property
    def _by_scope(self) -> list[tuple[list[int], list[Row]]]:
        """The spans of each side, sentence by sentence: the sentences, and the rows."""
        return [_rows(side.take(np.argsort(side.scope, kind="stable"))) for side in self._spans]


def _rows(side: Spans) -> tuple[list[int], list[Row]]:
    columns = (side.label, side.start, side.end)
    rows: list[Row] = list(zip(*(column.tolist() for column in columns), strict=True))
    for row in np.flatnonzero(side.shape).tolist():
        start = int(side.start[row])
        rows[row] += tuple(start + gap for gap in side.vocabulary.shapes[int(side.shape[row])])
    return side.scope.tolist(), rows


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
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                is_here = (begin <= head) & (head < end)
                columns.append(np.where(is_here, head - begin, np.where(head < 0, head, -2)))
            rows = zip(*(column.tolist() for column in columns), strict=True)
            found.append(tuple(None if row[0] < 0 else row for row in rows))
        return found


class DrawnChains:
    """Rows of chain (numbered in its document), start and end, in tokens of the sentence; they may reach beyond it."""

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._chains, self._corpus = sides, corpus

    def sides(self, sentence: int) -> list[Side]:
        bounds = self._corpus.bounds
        first = 0 if bounds is None else int(bounds[sentence])
        found: list[Side] = []
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
