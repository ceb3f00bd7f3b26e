"""Tables that are written some rows at a time, as Parquet or Arrow files, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.files import whole_file
from evenhand.formats.arrow import ARROW, PARQUET, arrow
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.text.tokens import Tokens

_WRITERS = {PARQUET.name: late("pyarrow.parquet:ParquetWriter"), ARROW.name: late("pyarrow.ipc:new_file")}
_BY_SUFFIX = {suffix: each.name for each in (PARQUET, ARROW) for suffix in each.suffixes}
_ROW_GROUP = 1 << 23
"""How many bytes of rows are kept until they are written together."""


def table_format(path: str | Path) -> str:
    """The format of a table, by the file's name."""
    found = _BY_SUFFIX.get(Path(path).suffix)
    if found is None:
        raise SettingError(f"{str(path)!r} is no name of a table; let it end with one of {', '.join(_BY_SUFFIX)}.")
    return found


class Sink:
    """Takes rows of one schema, and writes them in row groups that are worth it."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Any] = []
        self._size = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """More rows, as columns by their names; Arrow brings them to the schema's types, and leaves others out."""
        batch = arrow.record_batch(dict(columns), schema=self._schema)
        self._waiting.append(batch)
        self._size += batch.nbytes
        if self._size >= _ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._writer.write_table(arrow.Table.from_batches(self._waiting))
        self._waiting, self._size = [], 0


@contextmanager
def table_file(path: str | Path, form: str, schema: Any) -> Iterator[Sink]:
    """A file for a table, which is there at the end, if all goes well."""
    with whole_file(path) as file:
        writer = _WRITERS[form](file, schema)
        try:
            sink = Sink(writer, schema)
            yield sink
            sink.flush()
            writer.close()
        except BaseException:
            with suppress(Exception):  # what is written now does not count
                writer.close()
            raise


def strings(tokens: Tokens) -> Any:
    """Tokens as an Arrow array of strings."""
    lengths = tokens.end - tokens.start
    text = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)]
    edges = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return arrow.Array.from_buffers(arrow.string(), len(tokens), [None, arrow.py_buffer(edges), arrow.py_buffer(text)])


def named(codes: Ints, names: Sequence[str | None]) -> Any:
    """Codes as an Arrow array of their names; null for -1."""
    places = arrow.array(codes.astype(np.int32), mask=codes < 0)
    return arrow.DictionaryArray.from_arrays(places, arrow.array(list(names), arrow.string())).dictionary_decode()
