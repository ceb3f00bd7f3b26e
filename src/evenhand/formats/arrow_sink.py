"""Tables that are written some rows at a time, as Parquet or Arrow files, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.files import whole_file
from evenhand.formats.arrow import SUFFIXES
from evenhand.problems import SettingError
from evenhand.text.tokens import Tokens

_BY_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}
_ROW_GROUP = 1 << 23
"""How many bytes of rows are kept until they are written together."""


def pyarrow_to_write() -> Any:
    """The module `pyarrow`, which may be absent."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise SettingError("pyarrow is not installed, which this takes; run: pip install evenhand[arrow]") from None


def table_format(path: str | Path) -> str:
    """The format of a table, by the file's name."""
    found = _BY_SUFFIX.get(Path(path).suffix)
    if found is None:
        raise SettingError(f"{str(path)!r} is no name of a table; let it end with one of {', '.join(_BY_SUFFIX)}.")
    return found


class Sink:
    """Takes record batches of one schema, and writes them in row groups that are worth it."""

    def __init__(self, arrow: Any, writer: Any, schema: Any) -> None:
        self._arrow, self._writer, self.schema = arrow, writer, schema
        self._waiting: list[Any] = []
        self._size = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """More rows, as Arrow arrays by the names of their columns."""
        batch = self._arrow.record_batch([columns[name] for name in self.schema.names], schema=self.schema)
        self._waiting.append(batch)
        self._size += batch.nbytes
        if self._size >= _ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_batches(self._waiting))
        self._waiting, self._size = [], 0


@contextmanager
def table_file(path: str | Path, form: str, schema: Any) -> Iterator[Sink]:
    """A file for a table, which is there at the end, if all goes well."""
    arrow = pyarrow_to_write()
    with whole_file(path) as file:
        if form == "parquet":
            writer = import_module("pyarrow.parquet").ParquetWriter(file, schema)
        else:
            writer = arrow.ipc.new_file(file, schema)
        try:
            sink = Sink(arrow, writer, schema)
            yield sink
            sink.flush()
            writer.close()
        except BaseException:
            with suppress(Exception):  # what is written now does not count
                writer.close()
            raise


def strings(arrow: Any, tokens: Tokens) -> Any:
    """Tokens as an Arrow array of strings."""
    lengths = tokens.end - tokens.start
    text = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)]
    edges = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return arrow.Array.from_buffers(arrow.string(), len(tokens), [None, arrow.py_buffer(edges), arrow.py_buffer(text)])


def named(arrow: Any, codes: Ints, names: Sequence[str]) -> Any:
    """Codes as an Arrow array of their names, coded by a dictionary; null for -1."""
    places = arrow.array(codes.astype(np.int32), mask=codes < 0)
    return arrow.DictionaryArray.from_arrays(places, arrow.array(list(names), arrow.string()))
