"""Units on a continuum: the spans of one annotator, each part of one with gaps for itself, as places in a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Bools, Ints, ints, ranges
from evenhand.dataclass import dataclass
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Units:
    """Columns of equal length: [start, end) in atoms from the begin of the text, and the code of the label."""

    start: Ints
    end: Ints
    label: Ints
    first: Bools
    """Whether a unit begins its span, and is no later part of one with gaps."""

    @staticmethod
    def of(units: Sequence[tuple[int, int, int]]) -> Units:
        """Units from (start, end, label), in the order of the text."""
        columns = ints(sorted(units)).reshape(-1, 3)
        return Units(columns[:, 0], columns[:, 1], columns[:, 2], np.ones(len(columns), dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> Ints:
        return self.end - self.start

    def take(self, rows: Ints | Bools) -> Units:
        return Units(self.start[rows], self.end[rows], self.label[rows], self.first[rows])

    def atoms(self) -> tuple[Ints, Ints]:
        """All atoms of all units, and the row of the unit of each."""
        return ranges(self.start, self.length), np.repeat(np.arange(len(self)), self.length)

    def overlapping(self) -> int:
        """How many units share an atom with another one; units are in the order of the text."""
        if len(self) < 2:
            return 0
        behind = np.maximum.accumulate(self.end)
        inside = np.append(False, self.start[1:] < behind[:-1])
        ahead = np.append(self.start[1:] < self.end[:-1], False)
        return int((inside | ahead).sum())


def units_of(spans: Spans, first: Ints, size: int) -> Units:
    """The units of spans in a text of `size` atoms, whose scopes begin with the atoms `first`, in its order."""
    whole = spans.in_text(first)
    start, end, label = whole.start, np.minimum(whole.end, size), whole.label
    begins = np.ones(len(start), dtype=np.bool_)
    gapped = np.flatnonzero(whole.shape)
    if len(gapped):
        rows = [(row, place, part) for row in gapped.tolist() for place, part in enumerate(_parts(whole, row))]
        parts = [(*part, int(label[row]), place == 0) for row, place, part in rows]
        kept = np.flatnonzero(whole.shape == 0)
        more = ints([part[:3] for part in parts]).reshape(-1, 3)
        start, end, label = (np.append(old[kept], new) for old, new in zip((start, end, label), more.T, strict=True))
        begins = np.append(begins[kept], np.array([part[3] for part in parts], dtype=np.bool_))
    order = np.lexsort((end, start))
    found = Units(start[order], end[order], label[order], begins[order])
    return found if (found.length > 0).all() else found.take(found.length > 0)


def _parts(spans: Spans, row: int) -> list[tuple[int, int]]:
    """What a span with gaps covers."""
    (atoms,) = spans.take(slice(row, row + 1)).token_sets()
    begins = sorted(atom for atom in atoms if atom - 1 not in atoms)
    ends = sorted(atom + 1 for atom in atoms if atom + 1 not in atoms)
    return list(zip(begins, ends, strict=True))
