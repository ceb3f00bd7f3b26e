"""Arrow tables: Parquet files, Arrow files and streams, and Hugging Face datasets on disk or in memory.

This file declares the formats and opens them; `arrow_tables` describes their columns. pyarrow is loaded when a file
needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from evenhand.errors import EvenhandError, SettingError
from evenhand.formats.arrow_columns import MAX_ROWS, arrow, is_list, size_of, without_characters
from evenhand.formats.format import Capabilities, Contents, Detection, Format, ObjectSupport, Reader, Writer
from evenhand.formats.paths import INFO, SPLITS, names_a_file
from evenhand.formats.registry import type_names
from evenhand.formats.source import Source
from evenhand.registry import lazy

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.settings import Columns, ReadSettings

_TASKS = ("spans", "tags")


def _is_table(suffixes: tuple[str, ...], mark: bytes, source: Source, task: str | None) -> bool:
    """Whether a file has a suffix of the format or, on this machine, begins with its mark."""
    path = source.path
    if source.suffix in suffixes:
        return not (isinstance(path, Path) and path.is_dir())
    if not isinstance(path, Path):
        return False
    try:
        return source.head.data.startswith(mark)
    except (EvenhandError, OSError, EOFError):  # a folder, or an error that the reader reports
        return False


def is_dataset(source: Source, task: str | None) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    path = source.path
    if not isinstance(path, Path) or source.is_here or not path.is_dir():  # remote datasets cannot be read anyway
        return False
    return ((path / INFO).is_file() and any(path.glob("*.arrow"))) or (path / SPLITS).is_file()


_WRITE = lazy("evenhand.formats.arrow_write:write")
PARQUET = Format(
    "parquet",
    "Parquet: one sentence or text per row, with tags or spans",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_parquet"))),
    writers={
        "spans": Writer(Capabilities(tags=True, stacks=True), file=_WRITE),
        "tags": Writer(Capabilities(columns=False, comments=False), file=_WRITE),
    },
    suffixes=(".parquet", ".pq"),
    detection=Detection(certain=partial(_is_table, (".parquet", ".pq"), b"PAR1")),
    contents=Contents(has_columns=True),
)
ARROW = replace(
    PARQUET,
    name="arrow",
    summary="Arrow IPC files, also called Feather, and streams; the same columns",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_ipc"))),
    suffixes=(".arrow", ".feather", ".ipc"),
    detection=Detection(certain=partial(_is_table, (".arrow", ".feather", ".ipc", ".arrows"), b"ARROW1")),
)
HUGGINGFACE = Format(
    "huggingface",
    "a Hugging Face dataset as save_to_disk writes it",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_huggingface"))),
    detection=Detection(certain=is_dataset),
    contents=Contents(has_columns=True),
    objects=ObjectSupport(
        "dataset",
        tuple(f"datasets.{kind}" for kind in ("Dataset", "DatasetDict", "IterableDataset", "IterableDatasetDict")),
        lazy("evenhand.formats.arrow:read_object"),
    ),
)


# Files


RecordBatches = Callable[[Any, Sequence[str], int], tuple[Any, Iterator[Any]]]
"""Takes an open file; returns its schema, and record batches with some columns, of about a number of bytes."""
_WRITE_AGAIN = "write it again"
_NAME_TAGS = "give its names in the metadata, as datasets writes a list of ClassLabel, or write tags as strings"
_FEATURES = b"huggingface"
"""The metadata key under which `datasets` stores the features of columns."""


def _read_file(
    form: Format,
    what: str,
    record_batches: RecordBatches,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
    *,
    mapped: bool = False,
) -> Iterator[Annotation]:
    """A file in batches of whole rows; `what` it should be is for messages, `mapped` files are mapped into memory."""
    from evenhand.formats.arrow_tables import ArrowTable, read_table

    _check_pyarrow(source, f"{form.name.capitalize()} files")
    is_broken = partial(_broken, source, f"is not {what}, or a broken one")

    @contextmanager
    def opened(columns: Sequence[str] = (), size: int = 0) -> Iterator[tuple[Any, Iterator[Any]]]:
        with is_broken(), _random_access(source, mapped=mapped) as file:
            yield record_batches(file, columns, size)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        with opened(columns, size) as (_, unchecked):
            yield from _checked(unchecked)

    with opened() as (schema, _):
        features = partial(_features, source, schema)
    table = ArrowTable("the file", schema, features, "the metadata of the schema", _NAME_TAGS, batches, is_broken)
    return read_table(form.name, table, source, settings, vocabulary, columns)


def _check_pyarrow(source: Source, what: str) -> None:
    try:
        arrow.load()
    except SettingError:
        finding = f"{what} take pyarrow, which is not installed"
        raise source.error(None, finding, "run: pip install evenhand[arrow]") from None


@contextmanager
def _broken(source: Source, finding: str, remedy: str = _WRITE_AGAIN) -> Iterator[None]:
    """Turn errors of Arrow into errors of the file."""
    try:
        yield
    except arrow.ArrowNotImplementedError as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise source.error(None, f"pyarrow cannot read what is in it ({reason})", remedy) from None
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise source.error(None, finding, remedy) from None


@contextmanager
def _random_access(source: Source, *, mapped: bool) -> Iterator[Any]:
    """A file opened by Arrow; compressed and remote files are read into memory."""
    if not source.is_plain:
        yield arrow.BufferReader(source.read_whole())
        return
    if not source.size:
        raise source.error(None, "the file is empty", "check how it was written")
    with arrow.memory_map(str(source.path)) if mapped else arrow.OSFile(str(source.path)) as opened:
        yield opened


def _checked(batches: Iterator[Any]) -> Iterator[Any]:
    """Record batches with valid offsets, lengths and codes; Arrow's error at the first invalid one.

    Slices of invalid batches crash the process, or read the memory of others.
    """
    for batch in batches:
        batch.validate()
        for column in batch.columns:
            column.view(without_characters(column.type)).validate(full=True)
        yield batch


def _features(source: Source, schema: Any) -> dict[str, Any]:
    try:
        metadata = msgspec.json.decode((schema.metadata or {}).get(_FEATURES, b"{}"), type=dict[str, Any])
        return msgspec.convert(metadata.get("info", {}), dict[str, Any]).get("features") or {}
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError):
        raise source.error(None, "the metadata of the schema is broken", _WRITE_AGAIN) from None


# Arrow IPC: files (also called Feather) and streams


_STREAM_END = b"\xff\xff\xff\xff\0\0\0\0"
"""The end of a complete stream; Arrow reads a stream without it and reports nothing."""
_FILE_MARK = b"ARROW1"


def _ipc_batches(opened: Any, columns: Sequence[str] = (), size: int = 0) -> tuple[Any, Iterator[Any]]:
    """The schema of a stream or an IPC file, and its record batches with some columns, of any size."""
    if opened.read_at(len(_FILE_MARK), 0) == _FILE_MARK:
        reader = arrow.ipc.open_file(opened)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        if opened.read_at(len(_STREAM_END), max(opened.size() - len(_STREAM_END), 0)) != _STREAM_END:
            raise arrow.ArrowInvalid("the end is missing")
        opened.seek(0)
        reader = arrow.ipc.open_stream(opened)
        batches = iter(reader)
    return reader.schema, (batch.select(list(columns)) for batch in batches)


read_ipc = partial(_read_file, ARROW, "an Arrow file or stream", _ipc_batches, mapped=True)


# Parquet


_BUFFER = 1 << 16
"""The number of bytes of a column that are read at a time."""
_VALUE_SIZE = 8
"""The number of bytes of a value in addition to those in the metadata."""
_GROUPS = 16
"""The number of row groups that show how long rows are."""
_PROBE = 64
"""The number of rows that show it."""


def _parquet_batches(opened: Any, columns: Sequence[str], size: int) -> tuple[Any, Iterator[Any]]:
    return _parquet_file(opened).schema_arrow, _parquet_columns(opened, list(columns), size)


def _parquet_file(opened: Any, coded: Sequence[str] = ()) -> Any:
    """A file in which the strings of some columns stay coded by their dictionaries."""
    open_file = import_module("pyarrow.parquet").ParquetFile
    return open_file(opened, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=list(coded))


def _parquet_columns(opened: Any, columns: list[str], size: int) -> Iterator[Any]:
    """The record batches of some columns.

    Strings with dictionaries in the file stay coded by them, which is faster and takes less memory. But Arrow cannot
    read lists of them across two dictionaries. So row groups are read one by one, and those that also have other pages
    are read without dictionaries.
    """
    plain = _parquet_file(opened)
    chunks = _chunks(plain, columns)
    rows = _row_count(size, *_size_in_metadata(plain, chunks))
    is_small = plain.num_row_groups * rows > 2 * plain.metadata.num_rows
    items = [field.type.value_type for field in plain.schema_arrow if is_list(field.type)]
    if is_small and not any(map(arrow.types.is_dictionary, items)):  # dictionaries are not worth it
        yield from _iter_batches(plain, columns, _row_count(size, *_size_of_first_rows(plain, columns)))
        return
    coded = _parquet_file(opened, _coded_columns(plain, chunks))
    for group in range(plain.num_row_groups):
        done = 0
        try:
            for batch in _iter_batches(coded, columns, rows, [group]):
                yield batch
                done += batch.num_rows
        except arrow.ArrowNotImplementedError:
            for batch in _iter_batches(plain, columns, rows, [group]):
                skipped = min(done, batch.num_rows)
                done -= skipped
                yield batch.slice(skipped)


def _iter_batches(file: Any, columns: list[str], rows: int, groups: list[int] | None = None) -> Iterator[Any]:
    batches: Iterator[Any] = file.iter_batches(rows, row_groups=groups, columns=columns, use_threads=False)
    return batches


def _row_count(size: int, rows: int, bytes_of_rows: int) -> int:
    """The number of rows that take about `size` bytes, if `rows` take `bytes_of_rows`."""
    return min(max(size * rows // max(bytes_of_rows, 1), 1), MAX_ROWS)


def _size_in_metadata(file: Any, chunks: list[dict[int, Any]]) -> tuple[int, int]:
    """The number of rows of the first row groups, and of their bytes while strings are coded."""
    read = [chunk for group in chunks for chunk in group.values()]
    rows = sum(file.metadata.row_group(number).num_rows for number in range(len(chunks)))
    return rows, sum(chunk.total_uncompressed_size + _VALUE_SIZE * chunk.num_values for chunk in read)


def _size_of_first_rows(file: Any, columns: list[str]) -> tuple[int, int]:
    """The same for the first rows themselves, because sizes in the metadata leave out repeated values."""
    first = next(_iter_batches(file, columns, _PROBE), None)
    return (MAX_ROWS, 0) if first is None else (first.num_rows, sum(map(size_of, first.columns)))


def _chunks(file: Any, columns: list[str]) -> list[dict[int, Any]]:
    """The metadata of some columns in each of the first row groups, by their indices in the schema.

    A row of each group is read first: that raises an error for broken metadata, which would crash the process.
    """
    paths = [file.schema.column(index).path for index in range(len(file.schema))]
    indices = [index for index, path in enumerate(paths) if path.partition(".")[0] in columns]
    chunks = []
    for number in range(min(file.num_row_groups, _GROUPS)):
        next(_iter_batches(file, columns, 1, [number]), None)
        group = file.metadata.row_group(number)
        chunks.append({index: group.column(index) for index in indices})
    return chunks


def _coded_columns(file: Any, chunks: list[dict[int, Any]]) -> list[str]:
    """The columns of strings that have dictionaries, by the first row group."""
    return [
        file.schema.column(index).path
        for index, chunk in (chunks[0] if chunks else {}).items()
        if chunk.has_dictionary_page and file.schema.column(index).logical_type.type == "STRING"
    ]


read_parquet = partial(_read_file, PARQUET, "a Parquet file", _parquet_batches)


# Hugging Face datasets


_STATE = "state.json"
_SAVE_AGAIN = "save the dataset again with save_to_disk"
_CAST = "cast it to a list of ClassLabel with names"


class DataFile(TypedDict):
    filename: str


def read_huggingface(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The dataset in batches of whole rows: the record batches in which it was saved, or parts of these."""
    from evenhand.formats.arrow_tables import ArrowTable, read_table

    _check_pyarrow(source, "datasets on disk")
    files = _dataset_files(source)
    schemas = []
    for file in files:
        with _open_dataset_file(source, file) as (schema, _):
            schemas.append(schema)
    if not all(schema.equals(schemas[0]) for schema in schemas):
        raise source.error(None, "the Arrow files have different columns", _SAVE_AGAIN)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        for file in files:
            with _open_dataset_file(source, file, columns) as (_, unchecked):
                yield from _checked(unchecked)

    def features() -> dict[str, Any]:
        return _json_value(source, INFO, "features", dict[str, Any] | None) or {}

    is_broken = partial(_broken, source, "its Arrow files are broken", _SAVE_AGAIN)
    mend = f"{_CAST}, and save the dataset again"
    table = ArrowTable("the dataset", schemas[0], features, INFO, mend, batches, is_broken)
    return read_table(HUGGINGFACE.name, table, source, settings, vocabulary, columns)


def read_object(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """A dataset in memory, or mapped into it, in batches of whole rows; selected rows keep their order."""
    from evenhand.formats.arrow_tables import ArrowTable, read_table

    types = type_names(value)
    if not types.isdisjoint(("datasets.DatasetDict", "datasets.IterableDatasetDict")):
        remedy = f"give one of them: dataset[{str(next(iter(value), 'test'))!r}]"
        raise source.error(None, f"has splits ({', '.join(map(str, value))})", remedy)
    if "datasets.IterableDataset" in types:
        raise source.error(None, "is a stream, which can be read only once", "load it without streaming=True")
    _check_pyarrow(source, "datasets")

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        rows = value.with_format("arrow").select_columns(list(columns))
        return _checked(batch for part in rows.iter(MAX_ROWS) for batch in part.combine_chunks().to_batches())

    is_broken = partial(_broken, source, "its rows cannot be read", "make the dataset again")
    schema, features = value.features.arrow_schema, value.features.to_dict
    table = ArrowTable("the dataset", schema, features, "its feature", _CAST, batches, is_broken)
    return read_table(HUGGINGFACE.name, table, source, settings, vocabulary, columns)


def _dataset_files(source: Source) -> list[Path]:
    """The files with the rows, in their order; others in the folder are left over from work on the dataset."""
    if not source.path.is_dir():
        raise source.error(None, "there is no such folder", "check the path")
    if (source.path / SPLITS).is_file():
        splits = ", ".join(_json_value(source, SPLITS, "splits", list[str]))
        raise source.error(None, f"is a folder of splits ({splits})", "name the folder of one of them")
    if _json_value(source, _STATE, "_indices_data_files", list[Any] | None):
        raise source.error(None, "the rows are chosen by a file of indices", _SAVE_AGAIN)
    files = [source.path / file["filename"] for file in _json_value(source, _STATE, "_data_files", list[DataFile])]
    if not files:
        raise source.error(None, "the dataset has no rows", "check how it was saved")
    return files


def _json_value(source: Source, name: str, key: str, kind: Any) -> Any:
    try:
        contents = msgspec.json.decode((source.path / name).read_bytes(), type=dict[str, Any])
        return msgspec.convert(contents.get(key), kind)
    except OSError:
        raise source.error(None, f"there is no {name} in this folder", _SAVE_AGAIN) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise source.error(None, f"{name} is broken", _SAVE_AGAIN) from None


@contextmanager
def _open_dataset_file(source: Source, file: Path, columns: Sequence[str] = ()) -> Iterator[tuple[Any, Any]]:
    """The schema of one of the files, and its record batches; errors name the file."""
    if not names_a_file(file):
        raise source.error(None, f"there is no {file.name} in this folder", _SAVE_AGAIN)
    finding = f"{file.name} is not an Arrow stream, or a broken one"
    with _broken(source, finding, _SAVE_AGAIN), arrow.memory_map(str(file)) as opened:
        yield _ipc_batches(opened, columns)
