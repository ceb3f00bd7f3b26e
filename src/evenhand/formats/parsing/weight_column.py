"""A column of numbers that say what tokens weigh."""

from __future__ import annotations

from math import isfinite

import numpy as np

from evenhand.arrays import Values
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.source import Source
from evenhand.text.codes import CellCodes
from evenhand.text.corpus import Corpus


class WeightColumn:
    """Reads the weights of one column, batch by batch; each spelling is looked at once."""

    def __init__(self, source: Source, place: int) -> None:
        self._source, self._place = source, place
        self._codes = CellCodes()
        self._numbers: list[float] = []

    def read(self, cells: Cells, corpus: Corpus) -> Values:
        codes, new = self._codes(cells.data, *cells.column(self._place))
        for row in new:
            self._numbers.append(self._number(cells.text(self._place, row), corpus.line(row)))
        return np.array(self._numbers, dtype=np.float64)[codes]

    def _number(self, text: str, line: int | None) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            finding = f"the weight {text!r} in column {self._place + 1} is no number of 0 or more"
            self._source.report(line, finding, "mend it, or name another column", "weight")
            return 0.0
        return number
