"""Codes of atoms: the label that covers an atom, else O; under several labels their set, which is a code of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from evenhand.agreement.patterns import OUTSIDE
from evenhand.agreement.units import Units
from evenhand.arrays import Bools, Ints, distinct, zeros

Coding = Literal["label", "iob2"]
CODINGS = get_args(Coding)
NO_CODE = "O"
_Key = tuple[int, ...]


class OverlapError(ValueError):
    """Spans of one annotator overlap, where codes have no way to say so."""


class Codebook:
    """Codes that are met, in the order of the first of each; what they stand for."""

    def __init__(self, coding: Coding = "label", outside: str = NO_CODE) -> None:
        """`outside` is what the code of an atom without a label is called."""
        self.coding, self._outside = coding, outside
        self.members: list[_Key] = [()]
        """The labels of each code; in IOB2, of B the label and of I the label and -1."""
        self._codes: dict[_Key, int] = {(): OUTSIDE}
        self.stacked = 0
        """How many atoms have several labels of one annotator."""

    def __len__(self) -> int:
        return len(self.members)

    def code(self, key: _Key) -> int:
        if key not in self._codes:
            self._codes[key] = len(self.members)
            self.members.append(key)
        return self._codes[key]

    def contains(self, code: int, label: int) -> bool:
        """Whether a code stands for a label, or for a set with it."""
        return label in self.members[code]

    def names(self, labels: Sequence[str]) -> list[str]:
        """What the codes are called."""
        if self.coding == "iob2":
            tags = [f"{'I' if key[-1] < 0 else 'B'}-{labels[key[0]]}" for key in self.members[1:]]
        else:
            tags = ["|".join(sorted(labels[label] for label in key)) for key in self.members[1:]]
        return [self._outside, *tags]

    def of(self, units: Units, rank: Ints, size: int) -> Ints:
        """The codes of `size` atoms; `rank` says which of them each atom of the text is."""
        atom, row = units.atoms()
        place, label = rank[atom], units.label[row]
        found = zeros(size).copy()
        found[place] = self._singles(label, units, atom, row)
        covered = np.bincount(place, minlength=size)
        if (covered > 1).any():
            self._stack(place, label, covered > 1, found)
        return found

    def _singles(self, label: Ints, units: Units, atom: Ints, row: Ints) -> Ints:
        """The code of each atom of each unit, as if there were no other unit."""
        if self.coding == "label":
            return self._mapped(label, False)
        inside = (atom > units.start[row]) | ~units.first[row]
        return np.where(inside, self._mapped(label, True), self._mapped(label, False))

    def _mapped(self, label: Ints, inside: bool) -> Ints:
        """A code for each label."""
        new = zeros(int(label.max(initial=-1)) + 1).copy()
        for each in distinct(label).tolist():
            new[each] = self.code((each, -1) if inside else (each,))
        return new[label]

    def _stack(self, place: Ints, label: Ints, several: Bools, found: Ints) -> None:
        """Codes of atoms in several units. This is a loop over sets of labels, which only overlapping spans have."""
        if self.coding == "iob2":
            raise OverlapError
        chosen = np.flatnonzero(several[place])
        sets: dict[int, set[int]] = {}
        for at, each in zip(place[chosen].tolist(), label[chosen].tolist(), strict=True):
            sets.setdefault(at, set()).add(each)
        for at, labels in sets.items():
            found[at] = self.code(tuple(sorted(labels)))
            self.stacked += len(labels) > 1
