"""Parquet files, read some rows at a time, whatever the row groups are. See `arrow_layout` for the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from evenhand.formats.arrow import PARQUET, arrow
from evenhand.formats.arrow_files import read_file
from evenhand.formats.arrow_lists import is_list, size_of
from evenhand.formats.arrow_rows import MOST_ROWS

_BUFFER = 1 << 16
"""How many bytes of a column are read at a time."""
_PLACE = 8
"""How many bytes a value takes beside those that the metadata tells."""
_GROUPS = 16
"""How many row groups show how long rows are."""
_PROBE = 64
"""And how many rows."""


def record_batches(opened: Any, columns: Sequence[str], size: int) -> tuple[Any, Iterator[Any]]:
    """The schema of a file, and its record batches with some columns, of about so many bytes."""
    return _file(opened).schema_arrow, _selected(opened, list(columns), size)


def _file(opened: Any, coded: Sequence[str] = ()) -> Any:
    """A file; the strings of some columns stay coded by their dictionaries."""
    open_file = import_module("pyarrow.parquet").ParquetFile
    return open_file(opened, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=list(coded))


def _selected(opened: Any, columns: list[str], size: int) -> Iterator[Any]:
    """The record batches of some columns.

    Strings that have dictionaries in the file stay coded by these, which is faster and takes less room. But Arrow
    cannot read lists of them across two dictionaries: so row groups are read one by one, and those that have other
    pages, too, are read as they stand.
    """
    plain = _file(opened)
    chunks = _chunks(plain, columns)
    rows = _rows_of(size, *_told(plain, chunks))
    is_small = plain.num_row_groups * rows > 2 * plain.metadata.num_rows
    if is_small and not _has_lists_of_codes(plain.schema_arrow):  # not worth it
        yield from _batches(plain, columns, _rows_of(size, *_probed(plain, columns)))
        return
    coded = _file(opened, _coded(plain, chunks))
    for group in range(plain.num_row_groups):
        done = 0
        try:
            for batch in _batches(coded, columns, rows, [group]):
                yield batch
                done += batch.num_rows
        except arrow.ArrowNotImplementedError:
            for batch in _batches(plain, columns, rows, [group]):
                skipped = min(done, batch.num_rows)
                done -= skipped
                yield batch.slice(skipped)


def _batches(file: Any, columns: list[str], rows: int, groups: list[int] | None = None) -> Iterator[Any]:
    found: Iterator[Any] = file.iter_batches(rows, row_groups=groups, columns=columns, use_threads=False)
    return found


def _rows_of(size: int, rows: int, taken: int) -> int:
    """How many rows take about `size` bytes, where some rows take so many."""
    return min(max(size * rows // max(taken, 1), 1), MOST_ROWS)


def _told(file: Any, chunks: list[dict[int, Any]]) -> tuple[int, int]:
    """How many rows the first row groups have, and the bytes that they say these take while strings are coded."""
    read = [chunk for group in chunks for chunk in group.values()]
    rows = sum(file.metadata.row_group(number).num_rows for number in range(len(chunks)))
    return rows, sum(chunk.total_uncompressed_size + _PLACE * chunk.num_values for chunk in read)


def _probed(file: Any, columns: list[str]) -> tuple[int, int]:
    """The same of the first rows themselves: the sizes that are told leave out what is repeated."""
    first = next(_batches(file, columns, _PROBE), None)
    return (MOST_ROWS, 0) if first is None else (first.num_rows, sum(map(size_of, first.columns)))


def _has_lists_of_codes(schema: Any) -> bool:
    """Whether strings in lists are coded by dictionaries by themselves, as Arrow wrote them."""
    lists = [field.type.value_type for field in schema if is_list(field.type)]
    return any(arrow.types.is_dictionary(each) for each in lists)


def _chunks(file: Any, columns: list[str]) -> list[dict[int, Any]]:
    """What the metadata tell of some columns, for each of the first row groups, by their places in the schema.

    A row of each is read before: broken metadata are an error there, but to look at them would end the process.
    """
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    places = [place for place, path in enumerate(paths) if path.partition(".")[0] in columns]
    found = []
    for number in range(min(file.num_row_groups, _GROUPS)):
        next(_batches(file, columns, 1, [number]), None)
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


read = partial(read_file, PARQUET, "Parquet file", record_batches)
