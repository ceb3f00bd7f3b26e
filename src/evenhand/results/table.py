"""Rows with named, typed columns, as data: what `errors` and `units` return."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

from evenhand.errors import unknown
from evenhand.results.display import SIGNATURE, WithRows, written

Value = str | float | None
Kind = Literal["text", "count", "number"]
"""The type of a column; counts are integers, unless weights make them fractions."""


class Table(WithRows):
    """Rows with named columns: `len(table)`, `for row in table: row.string`, `table["string"]`, `table.to_pandas()`.

    Rows are named tuples; None is a missing value. `table[0]` is a row, `table[:10]` a table of the first rows.
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        values: Sequence[Sequence[Value]],
        caption: str = "",
        signature: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        """`values` has one sequence per column; `caption` is a sentence about the rows."""
        self.kinds = dict(kinds)
        self._values = dict(zip(kinds, values, strict=True))
        self.caption, self.signature, self.notes = caption, signature, tuple(notes)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.kinds)

    def __len__(self) -> int:
        return len(next(iter(self._values.values()))) if self._values else 0

    def __iter__(self) -> Iterator[Any]:
        return map(self._row._make, zip(*self._values.values(), strict=True))

    @property
    def _row(self) -> Any:
        names = [re.sub(r"\W", "_", name) for name in self.columns]  # a slice may be called sentence-length
        return namedtuple("Row", names, rename=True)  # columns are not known before

    @overload
    def __getitem__(self, index: str) -> list[Any]: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: str | int | slice) -> Any:
        """A column by its name, a row by its number, or the rows of a slice."""
        if isinstance(index, slice):
            columns = [values[index] for values in self._values.values()]
            return Table(self.kinds, columns, self.caption, self.signature, self.notes)
        if isinstance(index, int):
            return self._row(*(values[index] for values in self._values.values()))
        if index not in self._values:
            remedy = f"there are {', '.join(self.columns)}"
            raise KeyError(unknown(f"no column {index!r}", str(index), self.columns, remedy))
        return list(self._values[index])

    def signed(self) -> Table:
        """The table with its signature as the last column, as files have it."""
        if not self.signature:
            return self
        columns = [*self._values.values(), [self.signature] * len(self)]
        return Table({**self.kinds, SIGNATURE: "text"}, columns, self.caption, notes=self.notes)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as CSV, and write them to `path`, if given.

        Texts that a spreadsheet would run as a formula get a single quote in front.
        """
        from evenhand.report.data import render

        return written(render(self), path)

    def write(self, path: str | Path) -> None:
        """Write the rows to a file: .csv, .tsv, .xlsx, .jsonl, .parquet, .arrow or .html, by its suffix."""
        from evenhand.report.table_files import write

        write(self, path)

    def __repr__(self) -> str:
        from evenhand.report.table_files import text

        return text(self)

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        from evenhand.report.table_files import html

        return html(self)
