"""A column of labels, coded cell by cell in a table that grows; names join the vocabulary when a span has them."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.text.codes import CellCodes
from evenhand.text.labels import Vocabulary


class LabelColumn:
    """The labels or tags of a file."""

    def __init__(self, spell: Callable[[str], str] = str) -> None:
        """`spell` says what becomes of a cell."""
        self.names: list[str] = []
        self._spell = spell
        self._codes = CellCodes()

    def read(self, data: bytes, start: Ints, end: Ints) -> Ints:
        """The code of each cell in this table."""
        code, new = self._codes(data, start, end)
        self.names += [self._spell(data[start[row] : end[row]].decode()) for row in new]
        return code

    def among(self, code: Ints, names: Collection[str]) -> Bools:
        """Which codes stand for one of some names."""
        return np.isin(code, [each for each, name in enumerate(self.names) if name in names])

    def into(self, vocabulary: Vocabulary, code: Ints) -> Ints:
        """The vocabulary's codes for codes of this table."""
        used, place = np.unique(code, return_inverse=True)
        return ints([vocabulary.labels.code(self.names[each]) for each in used.tolist()])[place]
