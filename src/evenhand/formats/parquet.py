"""Parquet files, read some rows at a time, whatever the row groups are. See `arrow_layout` for the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from evenhand.formats.arrow import PARQUET
from evenhand.formats.arrow_ipc import broken, checked, described, random_access
from evenhand.formats.arrow_lists import is_list, pyarrow, size_of
from evenhand.formats.arrow_rows import MOST_ROWS
from evenhand.formats.arrow_tables import read_table
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

_BUFFER = 1 << 16
"""How many bytes of a column are read at a time."""
_PLACE = 8
"""How many bytes a value takes beside those that the metadata tells."""
_GROUPS = 16
"""How many row groups show how long rows are."""
_PROBE = 64
"""And how many rows."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole rows."""
    arrow = pyarrow(source, "Parquet files")
    is_broken = partial(broken, source, arrow, "is no Parquet file, or a broken one")

    def record_batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        with is_broken(), random_access(source, arrow, mapped=False) as opened:
            yield from checked(arrow, iter(_Reading(arrow, opened, columns, size)))

    with is_broken(), random_access(source, arrow, mapped=False) as opened:
        schema = _file(opened).schema_arrow
    table = described(source, schema, record_batches, is_broken)
    return read_table(PARQUET.name, arrow, table, source, settings, vocabulary, columns)


def _file(opened: Any, coded: Sequence[str] = ()) -> Any:
    """A file; the strings of some columns stay coded by their dictionaries."""
    open_file = import_module("pyarrow.parquet").ParquetFile
    return open_file(opened, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=list(coded))


class _Reading:
    """The record batches of some columns, of about so many bytes.

    Strings that have dictionaries in the file stay coded by these, which is faster and takes less room. But Arrow
    cannot read lists of them across two dictionaries: so row groups are read one by one, and those that have other
    pages, too, are read as they stand.
    """

    def __init__(self, arrow: Any, opened: Any, columns: Sequence[str], size: int) -> None:
        self._arrow, self._columns, self._size = arrow, list(columns), size
        self._plain = _file(opened)
        self._chunks = _chunks(self._plain, self._columns)
        self._coded = _file(opened, _coded(self._plain, self._chunks))

    def __iter__(self) -> Iterator[Any]:
        groups, rows = self._plain.num_row_groups, self._rows_coded()
        is_small = groups * rows > 2 * self._plain.metadata.num_rows
        if is_small and not _has_lists_of_codes(self._arrow, self._plain.schema_arrow):  # not worth it
            return self._batches(self._plain, self._rows_plain(), None)
        return (batch for group in range(groups) for batch in self._group(group, rows))

    def _batches(self, file: Any, rows: int, groups: list[int] | None) -> Iterator[Any]:
        found: Iterator[Any] = file.iter_batches(rows, row_groups=groups, columns=self._columns, use_threads=False)
        return found

    def _group(self, group: int, rows: int) -> Iterator[Any]:
        done = 0
        try:
            for batch in self._batches(self._coded, rows, [group]):
                yield batch
                done += batch.num_rows
        except self._arrow.ArrowNotImplementedError:
            for batch in self._batches(self._plain, rows, [group]):
                skipped = min(done, batch.num_rows)
                done -= skipped
                yield batch.slice(skipped)

    def _rows_coded(self) -> int:
        """How many rows take about as much as is wanted, by what the first row groups say of their sizes."""
        read = [chunk for group in self._chunks for chunk in group.values()]
        taken: int = sum(chunk.total_uncompressed_size + _PLACE * chunk.num_values for chunk in read)
        metadata = self._plain.metadata
        return self._rows(sum(metadata.row_group(number).num_rows for number in range(len(self._chunks))), taken)

    def _rows_plain(self) -> int:
        """The same by the first rows themselves: the sizes that are told leave out what is repeated."""
        first = next(self._batches(self._plain, _PROBE, None), None)
        if first is None:
            return MOST_ROWS
        return self._rows(first.num_rows, sum(size_of(self._arrow, column) for column in first.columns))

    def _rows(self, rows: int, taken: int) -> int:
        return min(max(self._size * rows // max(taken, 1), 1), MOST_ROWS)


def _has_lists_of_codes(arrow: Any, schema: Any) -> bool:
    """Whether strings in lists are coded by dictionaries by themselves, as Arrow wrote them."""
    lists = [field.type.value_type for field in schema if is_list(arrow, field.type)]
    return any(arrow.types.is_dictionary(each) for each in lists)


def _chunks(file: Any, columns: list[str]) -> list[dict[int, Any]]:
    """What the metadata tell of some columns, for each of the first row groups, by their places in the schema.

    A row of each is read before: broken metadata are an error there, but to look at them would end the process.
    """
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    places = [place for place, path in enumerate(paths) if path.partition(".")[0] in columns]
    found = []
    for number in range(min(file.num_row_groups, _GROUPS)):
        next(file.iter_batches(1, row_groups=[number], columns=columns, use_threads=False), None)
        group = file.metadata.row_group(number)
        found.append({place: group.column(place) for place in places})
    return found


def _coded(file: Any, chunks: list[dict[int, Any]]) -> list[str]:
    """The columns of strings that have dictionaries, by the first row group."""
    return [
        file.schema.column(place).path
        for place, chunk in (chunks[0] if chunks else {}).items()
        if chunk.has_dictionary_page and file.schema.column(place).logical_type.type == "STRING"
    ]
