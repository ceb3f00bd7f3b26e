"""What every side has in a sentence, as lists that can be drawn."""

from __future__ import annotations

from typing import Protocol

Row = tuple[int, ...]
Rows = tuple[Row, ...] | tuple[Row | None, ...]
"""Rows of numbers of one side. Tuples, as Python's garbage collector need not scan those again."""


class Drawing(Protocol):
    """The annotation of all sides, of which the gold standard is the first."""

    def sides(self, sentence: int) -> list[Rows]:
        """What each side has in a sentence: rows of numbers."""
