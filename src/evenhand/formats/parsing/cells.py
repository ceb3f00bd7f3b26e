"""What a layout asks of the lines of a block, whichever parser found them.

`grid` serves blocks in which all lines are written alike, `blocks` all others; both find the same cells.
"""

from __future__ import annotations

from typing import Protocol

from evenhand.arrays import Ints
from evenhand.text.corpus import LineNumbers
from evenhand.text.tokens import Tokens


class Cells(Protocol):
    """The cells of lines that have equally many; columns count from 0."""

    @property
    def data(self) -> bytes: ...

    @property
    def columns(self) -> int: ...

    @property
    def lines(self) -> Ints | LineNumbers:
        """The number of each line in its block, where others count, too."""
        ...

    def column(self, column: int) -> tuple[Ints, Ints]:
        """Begin and end of the cells in one column."""
        ...

    def tokens(self, column: int) -> Tokens:
        """The cells in one column, as texts."""
        ...

    def text(self, column: int, row: int) -> str: ...
