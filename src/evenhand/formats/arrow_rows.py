"""Rows of Arrow tables in slices of bounded size, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import field
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_lists import Lists, lists, plain, size_of, validate
from evenhand.formats.source import Source

PROBLEM = "row"
"""What a check calls problems of rows."""
MOST_ROWS = 1 << 13
"""How many rows are read at a time, however short they are."""
_SLACK = 2
"""How many times larger than asked for a slice may be before it is halved."""


@dataclass
class Rows:
    """Some rows of a table with their numbers, and which of them have a problem."""

    source: Source
    batch: Any
    numbers: Ints
    bad: Bools = field(init=False)

    def __post_init__(self) -> None:
        self.bad = np.zeros(len(self.numbers), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.numbers)

    def lists(self, column: str) -> Lists:
        found: Lists = self._read(column, lists)
        return found

    def plain(self, column: str) -> Any:
        """A column of strings or numbers, plain."""
        return self._read(column, plain)

    def _read(self, column: str, read: Callable[[Any], Any]) -> Any:
        """What a column holds, or an error at the first row in which strings are none."""
        values = self.batch.column(column)
        try:
            return read(values)
        except arrow.ArrowInvalid:
            for row, number in enumerate(self.numbers.tolist()):
                try:
                    validate(values.slice(row, 1))
                except arrow.ArrowInvalid:
                    finding = f"the column {column!r} is broken here, or not in UTF-8"
                    raise self.source.error(number, finding, "write it again", "characters") from None
            raise

    def report(self, row: int, finding: str, remedy: str) -> None:
        """Raise or collect a problem of a row, which is then left out."""
        self.bad[row] = True
        self.source.report(int(self.numbers[row]), finding, remedy, PROBLEM)

    def report_nulls(self, marked: Bools, column: str) -> None:
        """Report the marked rows, which have a null in a column."""
        for row in self.left(marked):
            self.report(row, f"found a null in the column {column!r}", "fill it in")

    def left(self, marked: Bools) -> list[int]:
        """The marked rows that have no problem yet."""
        found: list[int] = np.flatnonzero(marked & ~self.bad).tolist() if marked.any() else []
        return found

    def good(self) -> Rows:
        """The rows without problems."""
        return Rows(self.source, self.batch.filter(arrow.array(~self.bad)), self.numbers[~self.bad])


def sliced(source: Source, batches: Iterator[Any], size: int) -> Generator[Rows, None, None]:
    """Record batches in slices of whole rows, of about `size` bytes."""
    first = 1
    for batch in batches:
        for begin in range(0, batch.num_rows, MOST_ROWS):
            for part in _halved(batch.slice(begin, MOST_ROWS), _SLACK * size):
                yield Rows(source, part, np.arange(first, first + part.num_rows))
                first += part.num_rows


def _halved(batch: Any, limit: int) -> Iterator[Any]:
    """A record batch, or its halves and so on, until each is small enough or has a single row."""
    if batch.num_rows <= 1 or sum(size_of(column) for column in batch.columns) <= limit:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half), limit)
    yield from _halved(batch.slice(half), limit)
