"""One side of a run in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.dataclass import dataclass
from evenhand.grounding.counts import GroundingCounts
from evenhand.text.annotation import Reading
from evenhand.text.document_feed import Mismatches


@dataclass
class SideCount:
    """The units of one side by label, and how its file was read."""

    reading: Reading | None = None
    breaks_differ: bool = False
    missing: int = 0
    """How many words of the gold standard the side does not have, where words are scored."""
    unlabeled: int = 0
    """How many units have no label: mentions in files without POS."""
    chains: int | None = None
    repeated: int = 0
    """How many mentions have a span that another one has."""
    mismatches: Mismatches | None = None
    """Where the texts of chains differ."""
    noted: Counter[str] = field(default_factory=Counter)
    """What a task counts for its notes, by a name of its own."""
    grounding: GroundingCounts | None = None
    """What became of the strings of a language model."""
    _labels: Counter[str] = field(default_factory=Counter)
    _counts: Ints = field(default_factory=empty)
    _names: Sequence[str] = ()

    @property
    def units(self) -> int:
        return self.labels.total() + self.unlabeled

    def add(self, labels: Ints, names: Sequence[str]) -> None:
        """Count labels, which are codes of names; names may become more, but keep their codes."""
        counts = np.bincount(labels, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts, self._names = counts, names

    @property
    def labels(self) -> Counter[str]:
        """How many units have each label; computed on demand, as there may be many labels."""
        met = np.flatnonzero(self._counts)
        counted = zip(met.tolist(), self._counts[met].tolist(), strict=True)
        self._labels.update({self._names[code]: count for code, count in counted})
        self._counts = empty()
        return self._labels

    def join(self, other: SideCount) -> None:
        """Add what the side has in the next part of the text."""
        self.labels.update(other.labels)
        self.reading = self.reading.plus(other.reading or Reading()) if self.reading else other.reading
        self.breaks_differ |= other.breaks_differ
        self.missing += other.missing
        self.unlabeled += other.unlabeled
        self.repeated += other.repeated
        self.noted += other.noted
        if self.chains is not None:
            self.chains += other.chains or 0
        if self.grounding is not None and other.grounding is not None:
            self.grounding.add(other.grounding)
        if self.mismatches is not None:
            self.mismatches = self.mismatches.plus(other.mismatches or Mismatches())
