"""The units of all annotators, which documents put end to end make a continuum: for alpha_U and gamma."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.agreement.alpha_u import Disagreement, disagreement
from evenhand.agreement.units import Units
from evenhand.arrays import Bools, Ints, zeros


class Continuum:
    """Units by document, collected portion by portion; unlike counts, they are all kept."""

    def __init__(self, annotators: int) -> None:
        self._units: list[list[tuple[Ints, Units]]] = [[] for _ in range(annotators)]
        self._lengths: dict[int, int] = {}

    def add(self, documents: Ints, lengths: Ints, units: Sequence[Units]) -> None:
        """Add a portion: the document and the length of each sentence, and the units of each annotator."""
        first = np.cumsum(lengths) - lengths
        found, place = np.unique(documents, return_index=True)
        before = np.array([self._lengths.get(document, 0) for document in found.tolist()], dtype=np.int64)
        shift = before - first[place]
        for side, each in enumerate(units):
            document = documents[np.searchsorted(first, each.start, side="right") - 1]
            moved = shift[np.searchsorted(found, document)]
            self._units[side].append((document, replace(each, start=each.start + moved, end=each.end + moved)))
        sizes = np.bincount(np.searchsorted(found, documents), lengths, minlength=len(found))
        for document, size in zip(found.tolist(), sizes.astype(np.int64).tolist(), strict=True):
            self._lengths[document] = self._lengths.get(document, 0) + size

    def documents(self, one: int, other: int, kept: Bools) -> Iterator[tuple[Units, Units, int]]:
        """The units of two annotators, document by document, and how many atoms each has."""
        sides = [self._by_document(side) for side in (one, other)]
        for document in np.flatnonzero(kept).tolist():
            first, second = (side.get(document, Units.of([])) for side in sides)
            yield first, second, self._lengths[document]

    def _by_document(self, side: int) -> dict[int, Units]:
        """The units of an annotator by document, counted from its begin."""
        all_units, document = self._joined(side)
        order = np.lexsort((all_units.end, all_units.start, document))
        ordered, document = all_units.take(order), document[order]
        numbers, first = np.unique(document, return_index=True)
        parts = np.split(np.arange(len(document)), first[1:])
        return {number: ordered.take(rows) for number, rows in zip(numbers.tolist(), parts, strict=False)}

    def labels(self, annotators: Sequence[int], kept: Bools) -> dict[int, Disagreement | int]:
        """By label, the disagreement in the documents that are kept.

        Where an annotator's units of the label overlap, it is the number of this annotator instead.
        """
        lengths = zeros(len(kept)).copy()
        lengths[list(self._lengths)] = list(self._lengths.values())
        lengths[~kept] = 0
        begins, size = np.cumsum(lengths) - lengths, int(lengths.sum())
        sides = [self._on_one_text(side, kept, begins) for side in annotators]
        found: dict[int, Disagreement | int] = {}
        for label in sorted({label for side in sides for label in np.unique(side.label).tolist()}):
            mine = [side.take(side.label == label) for side in sides]
            stacked = [side for side, each in zip(annotators, mine, strict=True) if each.overlapping()]
            found[label] = stacked[0] if stacked else disagreement(mine, size)
        return found

    def _on_one_text(self, side: int, kept: Bools, begins: Ints) -> Units:
        """The units of an annotator, counted from the begin of the first document."""
        units, document = self._joined(side)
        rows = np.flatnonzero(kept[document])
        units, moved = units.take(rows), begins[document[rows]]
        order = np.lexsort((units.end + moved, units.start + moved))
        return replace(units, start=units.start + moved, end=units.end + moved).take(order)

    def _joined(self, side: int) -> tuple[Units, Ints]:
        """All units of an annotator, and the document of each."""
        parts = self._units[side]
        document = np.concatenate([each for each, _ in parts])
        start, end, label, first = (
            np.concatenate([getattr(units, name) for _, units in parts]) for name in ("start", "end", "label", "first")
        )
        return Units(start, end, label, first), document
