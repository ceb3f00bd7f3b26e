"""Relations on their way past the alignment of texts, which knows spans only.

Spans are numbered through their file, and their level carries the number. What comes out aligned, cut and in another
order is told by it, so that heads and tails are found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, empty
from evenhand.dataclass import dataclass
from evenhand.problems import InputError, SettingError
from evenhand.tasks.relations.side import Side
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.listed_parts import ListedParts, Parts
from evenhand.text.relations import LAYER, Relations


@dataclass
class _Waiting:
    """Relations whose spans have not yet come out: ends are numbers of spans."""

    label: Ints
    head: Ints
    tail: Ints
    marked: Bools

    def take(self, rows: Ints | Bools) -> _Waiting:
        return _Waiting(self.label[rows], self.head[rows], self.tail[rows], self.marked[rows])


class Carried:
    """The relations of one side."""

    def __init__(self, vocabulary: Vocabulary, *, keeps_parts: bool) -> None:
        self._vocabulary, self._keeps_parts = vocabulary, keeps_parts
        self._waiting = _Waiting(empty(), empty(), empty(), np.zeros(0, dtype=np.bool_))
        self._count, self._source = 0, ""
        self._parts: list[tuple[int, ListedParts]] = []
        self._counts_tokens = False

    def stream(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        """The same batches with spans only, which are numbered."""
        for batch in batches:
            layer = batch.layers.get(LAYER)
            if not isinstance(layer, Relations):
                raise SettingError(f"{batch.corpus.source} has no relations; give a file that has some.")
            spans, self._source = batch.spans(), batch.corpus.source
            self._add(layer.into(self._vocabulary))
            number = np.arange(self._count, self._count + len(spans))
            self._count += len(spans)
            yield replace(batch, layers={"spans": replace(spans, level=number)}, readings={"spans": batch.reading})

    def _add(self, layer: Relations) -> None:
        codes = [code for code in map(self._vocabulary.labels.find, layer.symmetric) if code is not None]
        marked, before = np.isin(layer.label, codes), self._waiting
        self._waiting = _Waiting(
            np.concatenate((before.label, layer.label)),
            np.concatenate((before.head, layer.head + self._count)),
            np.concatenate((before.tail, layer.tail + self._count)),
            np.concatenate((before.marked, marked)),
        )
        if layer.parts is None:
            self._counts_tokens = True
        elif self._keeps_parts:
            self._parts.append((self._count, layer.parts))

    def take(self, spans: Spans) -> Side:
        """The relations between these spans, which come from the stream."""
        order = np.argsort(spans.level, kind="stable")
        number, waiting = spans.level[order], self._waiting
        head, here = _rows(waiting.head, number, order)
        tail, is_tail_here = _rows(waiting.tail, number, order)
        if (here != is_tail_here).any():
            finding = "a relation has its ends in two documents of the gold standard"
            raise InputError(self._source, None, finding, "give documents that hold whole relations on both sides")
        self._waiting = waiting.take(~here)
        found = waiting.take(here)
        return Side(spans, found.label, head[here], tail[here], found.marked, self._listed())

    def _listed(self) -> Callable[[int], Parts] | None:
        return None if self._counts_tokens or not self._keeps_parts else self._part

    def _part(self, number: int) -> Parts:
        first, parts = next((first, parts) for first, parts in reversed(self._parts) if first <= number)
        return parts[number - first]


def _rows(wanted: Ints, number: Ints, order: Ints) -> tuple[Ints, Bools]:
    """Where spans with the wanted numbers are, and whether they are there; `number` is sorted."""
    place = np.searchsorted(number, wanted)
    inside = np.minimum(place, max(len(number) - 1, 0))
    here = (number[inside] == wanted) if len(number) else np.zeros(len(wanted), dtype=np.bool_)
    return (order[inside] if len(order) else inside), here
