"""The units of all annotators on one continuum, which documents make end to end: what alpha_U is computed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.agreement.alpha_u import Disagreement, disagreement
from evenhand.agreement.units import Units
from evenhand.arrays import Bools, Ints, empty, zeros


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
        parts = self._units[side]
        document = np.concatenate([each for each, _ in parts] or [empty()])
        columns = [
            np.concatenate([getattr(units, name) for _, units in parts] or [empty()])
            for name in ("start", "end", "label", "first")
        ]
        start, end, label, first = (column[kept[document]] for column in columns)
        moved = begins[document[kept[document]]]
        order = np.lexsort((end + moved, start + moved))
        return Units((start + moved)[order], (end + moved)[order], label[order], first[order])
