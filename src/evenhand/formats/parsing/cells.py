"""What a layout asks of the lines of a block, whichever parser found them.

`grid` serves blocks in which all lines are written alike, `blocks` all others; both find the same cells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from evenhand.arrays import Ints
from evenhand.text.line_numbers import LineNumbers
from evenhand.text.tokens import Tokens


class Cells(ABC):
    """The cells of lines that have equally many; columns count from 0."""

    data: bytes
    columns: int
    lines: Ints | LineNumbers
    """The number of each line in its block, where others count, too."""

    @abstractmethod
    def column(self, column: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column."""

    def tokens(self, column: int) -> Tokens:
        """The cells in one column, as texts: the same object for all who ask, so that it works things out once."""
        if column not in self._tokens:
            self._tokens[column] = Tokens(self.data, *self.column(column))
        return self._tokens[column]

    def text(self, column: int, row: int) -> str:
        return self.tokens(column)[row]

    @cached_property
    def _tokens(self) -> dict[int, Tokens]:
        return {}
