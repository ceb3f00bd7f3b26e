"""Arrow tables: Parquet files, Arrow files and streams, and Hugging Face datasets on disk or in memory.

This file declares the formats, opens them, and reads columns as NumPy arrays; `arrow_tables` makes annotations of them.
pyarrow is loaded when a file needs it. Lists are concatenated, strings become byte offsets; no object is made for a
row, a token or a span. Lists may be large, of a fixed size or views; strings may be large, views or coded by a
dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.data.tokens import PADDING, CodedTokens, TokenCodes, Tokens, is_ascii
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.format import Capabilities, Contents, Detection, Format, ObjectSupport, Reader, Writer, type_names
from evenhand.formats.paths import INFO, SPLITS, names_a_file
from evenhand.formats.source import Source
from evenhand.registry import lazy

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.settings import Columns, ReadSettings


class _Library:
    """The module `pyarrow`, which may be missing; it is loaded on first use."""

    def load(self) -> Any:
        """Load the module, or raise an error, before work that needs it."""
        try:
            return import_module("pyarrow")
        except ImportError:
            raise SettingError("This needs pyarrow, which is not installed; run: pip install evenhand[arrow]") from None

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = getattr(self.load(), name)
        return value


arrow: Any = _Library()

_TASKS = ("spans", "tags")


def _detection(*suffixes: str, magic: bytes) -> Detection:
    def is_table(source: Source, task: str | None) -> bool:
        return source.suffix in suffixes and not (isinstance(source.path, Path) and source.path.is_dir())

    return Detection(suffixes=suffixes, certain=is_table, magic=magic)


def is_dataset(source: Source, task: str | None) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    path = Path(source.path)
    return ((path / INFO).is_file() and any(path.glob("*.arrow"))) or (path / SPLITS).is_file()


_WRITE = lazy("evenhand.formats.arrow_write:write")
PARQUET = Format(
    "parquet",
    "Parquet: one sentence or text per row, with tags or spans",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_parquet"))),
    writers={
        "spans": Writer(Capabilities(tags=True, stacks=True, scores=True), file=_WRITE),
        "tags": Writer(Capabilities(columns=False, comments=False), file=_WRITE),
    },
    suffixes=(".parquet", ".pq"),
    detection=_detection(".parquet", ".pq", magic=b"PAR1"),
    contents=Contents(has_columns=True, has_scores=True),
)
ARROW = replace(
    PARQUET,
    name="arrow",
    summary="Arrow IPC files, also called Feather, and streams; the same columns",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_ipc"))),
    suffixes=(".arrow", ".feather", ".ipc"),
    detection=_detection(".arrow", ".feather", ".ipc", ".arrows", magic=b"ARROW1"),
    objects=ObjectSupport(
        "frame",
        ("pandas.DataFrame", "polars.DataFrame", "polars.LazyFrame", "pyarrow.Table", "pyarrow.RecordBatch"),
        lazy("evenhand.formats.frames:read_object"),
        interface="__arrow_c_stream__",
    ),
)
HUGGINGFACE = Format(
    "huggingface",
    "a Hugging Face dataset as save_to_disk writes it",
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read_huggingface"))),
    detection=Detection(is_folder=True, certain=is_dataset),
    contents=Contents(has_columns=True, has_scores=True),
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
_NAME_TAGS = "store its names in the metadata, as datasets does for a list of ClassLabel, or write tags as strings"
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

    check_pyarrow(source, f"{form.name.capitalize()} files")
    is_broken = partial(_broken, source, f"is not {what}, or is broken")

    @contextmanager
    def open_batches(columns: Sequence[str] = (), size: int = 0) -> Iterator[tuple[Any, Iterator[Any]]]:
        with is_broken(), _random_access(source, mapped=mapped) as file:
            yield record_batches(file, columns, size)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        with open_batches(columns, size) as (_, unchecked):
            yield from checked_batches(unchecked)

    with open_batches() as (schema, _):
        features = partial(features_of, source, schema)
        is_flat = not any(is_list(field.type) for field in schema)
    if is_flat:
        from evenhand.formats.frames import read_flat

        with is_broken():
            whole = arrow.Table.from_batches(list(batches(schema.names, settings.block_size)), schema)
        return read_flat(dict(zip(schema.names, whole.columns, strict=True)), source, settings, vocabulary, columns)
    table = ArrowTable("the file", schema, features, "the metadata of the schema", _NAME_TAGS, batches, is_broken)
    return read_table(form.name, table, source, settings, vocabulary, columns)


def check_pyarrow(source: Source, what: str) -> None:
    try:
        arrow.load()
    except SettingError:
        finding = f"{what} need pyarrow, which is not installed"
        raise source.error(None, finding, "run: pip install evenhand[arrow]") from None


@contextmanager
def _broken(source: Source, finding: str, remedy: str = _WRITE_AGAIN) -> Iterator[None]:
    """Turn errors of Arrow into errors of the file."""
    try:
        yield
    except arrow.ArrowNotImplementedError as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise source.error(None, f"pyarrow cannot read its content ({reason})", remedy) from None
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


def checked_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Record batches with valid offsets, lengths and codes; Arrow's error at the first invalid one.

    Slices of invalid batches crash the process, or read the memory of others.
    """
    for batch in batches:
        batch.validate()
        for column in batch.columns:
            column.view(without_characters(column.type)).validate(full=True)
        yield batch


def features_of(source: Source, schema: Any) -> dict[str, Any]:
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

    check_pyarrow(source, "datasets on disk")
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
                yield from checked_batches(unchecked)

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
        remedy = f"pass one of them: dataset[{str(next(iter(value), 'test'))!r}]"
        raise source.error(None, f"has splits ({', '.join(map(str, value))})", remedy)
    if "datasets.IterableDataset" in types:
        raise source.error(None, "is a stream, which can be read only once", "load it without streaming=True")
    check_pyarrow(source, "datasets")

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        rows = value.with_format("arrow").select_columns(list(columns))
        return checked_batches(batch for part in rows.iter(MAX_ROWS) for batch in part.combine_chunks().to_batches())

    is_broken = partial(_broken, source, "its rows cannot be read", "create the dataset again")
    schema, features = value.features.arrow_schema, value.features.to_dict
    table = ArrowTable("the dataset", schema, features, "its feature", _CAST, batches, is_broken)
    return read_table(HUGGINGFACE.name, table, source, settings, vocabulary, columns)


def _dataset_files(source: Source) -> list[Path]:
    """The files with the rows, in their order; others in the folder are left over from work on the dataset."""
    if not source.path.is_dir():
        raise source.error(None, "there is no such folder", "check the path")
    if (source.path / SPLITS).is_file():
        splits = ", ".join(_json_value(source, SPLITS, "splits", list[str]))
        raise source.error(None, f"is a folder of splits ({splits})", "specify the folder of one split")
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
    finding = f"{file.name} is not an Arrow stream, or is broken"
    with _broken(source, finding, _SAVE_AGAIN), arrow.memory_map(str(file)) as opened:
        yield _ipc_batches(opened, columns)


# Columns


_LISTS = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
_STRINGS = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}
"""Types of strings, and types of bytes with the same layout."""
_LARGE_DICTIONARY = 1 << 20
"""The maximum size of a dictionary that is kept with tokens; the default maximum in Parquet files."""


@dataclass(frozen=True)
class Lists:
    """A column of lists: the concatenated values, the bounds of lists, and which rows have a null."""

    values: Any
    bounds: Ints
    has_null: Bools

    @property
    def lengths(self) -> Ints:
        return np.diff(self.bounds)

    def rows(self, index: Ints) -> Ints:
        """The rows of the values at some indices."""
        return np.searchsorted(self.bounds, index, side="right") - 1

    def marked(self, wrong: Bools) -> Bools:
        """Which rows have a wrong value."""
        marked = np.zeros(len(self.bounds) - 1, dtype=np.bool_)
        marked[self.rows(np.flatnonzero(wrong))] = True
        return marked


def is_list(column: Any) -> bool:
    return any(_is(name, column) for name in _LISTS)


def is_string(column: Any) -> bool:
    column = _without_dictionary(column)
    return any(_is(name, column) for name in _STRINGS)


def is_integer(column: Any) -> bool:
    return bool(arrow.types.is_integer(_without_dictionary(column)))


def without_characters(column: Any) -> Any:
    """A type with bytes instead of strings, to validate the layout separately from UTF-8."""
    for name, bare in _STRINGS.items():
        if _is(name, column):
            return getattr(arrow, bare)()
    if arrow.types.is_dictionary(column):
        return arrow.dictionary(column.index_type, without_characters(column.value_type), column.ordered)
    if arrow.types.is_struct(column):
        return arrow.struct([field.with_type(without_characters(field.type)) for field in column])
    if arrow.types.is_fixed_size_list(column):
        return arrow.list_(without_characters(column.value_type), column.list_size)
    for name, of_items in (("list", "list_"), ("large_list", "large_list")):
        if _is(name, column):
            return getattr(arrow, of_items)(without_characters(column.value_type))
    return column


def _without_dictionary(column: Any) -> Any:
    return column.value_type if arrow.types.is_dictionary(column) else column


def _is(name: str, column: Any) -> bool:
    """Whether a type has this name, which older versions of pyarrow may not have."""
    predicate = getattr(arrow.types, f"is_{name}", None)
    return predicate is not None and bool(predicate(column))


def lists(column: Any) -> Lists:
    """The lists of a column, with plain strings and numbers; Arrow's error if its buffers are invalid."""
    column.validate()  # a full validation would check all lists that the slice is taken from
    lengths, values = integers(column.value_lengths()), column.flatten()
    bounds = np.append(0, np.cumsum(lengths))
    if (len(lengths) and lengths.min() < 0) or bounds[-1] != len(values):
        raise arrow.ArrowInvalid("lists overlap")
    lists = Lists(plain(values), bounds, nulls(column))
    if lists.values.null_count:
        lists.has_null[lists.rows(np.flatnonzero(nulls(lists.values)))] = True
    return lists


def nulls(values: Any) -> Bools:
    """Which values are null."""
    if not values.null_count:
        return np.zeros(len(values), dtype=np.bool_)
    return np.array(values.is_null(), dtype=np.bool_)


def plain(values: Any) -> Any:
    """UTF-8 strings with long offsets, or coded by a dictionary without nulls; other types without a dictionary."""
    if arrow.types.is_dictionary(values.type):
        if not is_string(values.type) or values.dictionary.null_count:
            values.validate(full=True)
            return plain(values.dictionary_decode())
        known = integers(values.indices.drop_null())
        if len(known) and not (known.min() >= 0 and known.max() < len(values.dictionary)):
            raise arrow.ArrowInvalid("the dictionary has no such entry")
        return arrow.DictionaryArray.from_arrays(values.indices, plain(values.dictionary), safe=False)
    if not is_string(values.type):
        return values
    if _is("string_view", values.type):
        values.validate(full=True)
    values = values.cast(arrow.large_string())
    if not _is_ascii(values):
        values.validate(full=True)
    return values


def validate(column: Any) -> None:
    """Raise Arrow's error if the strings of these rows are broken."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    values.validate(full=True)


def _is_ascii(texts: Any) -> bool:
    """Whether strings are ASCII with valid offsets, which saves validating them one by one."""
    texts.validate()
    edges, data = _edges(texts), texts.buffers()[2]
    if len(edges) < 2 or edges[-1] == edges[0]:
        return True
    used = np.frombuffer(data, dtype=np.uint8)[edges[0] : edges[-1]]
    return bool((edges[1:] >= edges[:-1]).all()) and is_ascii(used)


def _edges(texts: Any) -> Ints:
    """The starts of strings with long offsets in their bytes, and the end of the last one."""
    offsets = texts.buffers()[1]
    if offsets is None or not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1, offset=8 * texts.offset)


def integers(values: Any) -> Ints:
    """Whole numbers, 0 for null."""
    return _integers(values).astype(np.int64, copy=False)


def _integers(values: Any) -> TokenCodes:
    """The same in their own integer type."""
    numbers: TokenCodes = (values.fill_null(0) if values.null_count else values).to_numpy(zero_copy_only=False)
    return numbers


def distinct(values: Any) -> tuple[list[str], Ints]:
    """The distinct plain strings, and the index of each string among them."""
    coded = values.dictionary_encode()  # which keeps a dictionary, possibly of many more rows
    used, index = used_codes(integers(coded.indices), len(coded.dictionary))
    return coded.dictionary.take(used).to_pylist(), index


def used_codes(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The codes below `size` that occur, and the index of each code among them."""
    counts = np.bincount(codes, minlength=size)
    used = np.flatnonzero(counts)
    return used, codes if len(used) == size else (np.cumsum(counts > 0) - 1)[codes]


def tokens_of(texts: Any) -> Tokens:
    """Plain strings as tokens in their bytes, or in the bytes of their dictionary."""
    if hasattr(texts, "dictionary"):
        if texts.dictionary.nbytes > _LARGE_DICTIONARY:
            return tokens_of(texts.dictionary_decode())
        return CodedTokens(tokens_of(texts.dictionary), _integers(texts.indices))
    edges, data = _edges(texts), texts.buffers()[2]
    first, last = int(edges[0]), int(edges[-1])
    text = memoryview(data)[first:last] if last > first else b""
    return Tokens(b"".join((text, PADDING)), edges[:-1] - first, edges[1:] - first)


def size_of(column: Any) -> int:
    """The approximate size of a plain column in bytes, without what slices share."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_struct(values.type):
        return sum(map(size_of, values.flatten()))
    if arrow.types.is_dictionary(values.type):
        entries = values.dictionary
        return len(values) * (8 + size_of(entries) // max(len(entries), 1))
    if _is("string_view", values.type) and len(values):
        # A view has sixteen bytes; the first four are the length of its string.
        views = np.frombuffer(values.buffers()[1], dtype="<i4", count=4 * len(values), offset=16 * values.offset)
        return 8 * len(values) + int(views[::4].sum(dtype=np.int64))
    return int(values.nbytes)


# Rows in slices


PROBLEM = "row"
"""The type of problems of rows, for `check`."""
MAX_ROWS = 1 << 13
"""The maximum number of rows that are read at a time."""
_SLACK = 2
"""A slice may be larger than requested by this factor before it is halved."""


@dataclass
class ArrowRows:
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
        columns: Lists = self._read(column, lists)
        return columns

    def plain(self, column: str) -> Any:
        """A column of strings or numbers, plain."""
        return self._read(column, plain)

    def _read(self, column: str, read: Callable[[Any], Any]) -> Any:
        """The contents of a column; an error at the first row with broken strings."""
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
        """Raise or collect a problem of a row, which is left out."""
        self.bad[row] = True
        self.source.report(int(self.numbers[row]), finding, remedy, PROBLEM)

    def report_nulls(self, marked: Bools, column: str) -> None:
        """Report the marked rows, which have a null in a column."""
        for row in self.unreported(marked):
            self.report(row, f"found a null in the column {column!r}", "fill it in")

    def unreported(self, marked: Bools) -> list[int]:
        """The marked rows without a problem so far."""
        rows: list[int] = np.flatnonzero(marked & ~self.bad).tolist() if marked.any() else []
        return rows

    def good(self) -> ArrowRows:
        """The rows without problems."""
        return ArrowRows(self.source, self.batch.filter(arrow.array(~self.bad)), self.numbers[~self.bad])


def sliced(source: Source, batches: Iterator[Any], size: int) -> Generator[ArrowRows, None, None]:
    """Slices of record batches with whole rows, of about `size` bytes."""
    first = 1
    for batch in batches:
        for begin in range(0, batch.num_rows, MAX_ROWS):
            for part in _halved(batch.slice(begin, MAX_ROWS), _SLACK * size):
                yield ArrowRows(source, part, np.arange(first, first + part.num_rows))
                first += part.num_rows


def _halved(batch: Any, limit: int) -> Iterator[Any]:
    """A record batch, halved until each part is small enough or has a single row."""
    if batch.num_rows <= 1 or sum(size_of(column) for column in batch.columns) <= limit:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half), limit)
    yield from _halved(batch.slice(half), limit)
