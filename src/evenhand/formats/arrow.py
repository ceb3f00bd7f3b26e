"""Tables of Arrow's: Parquet files, Arrow files and streams, and Hugging Face datasets on disk.

See `arrow_layout` for their columns. The code that reads and writes them, and the library that it takes, are loaded
when a file needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import EvenhandError, SettingError
from evenhand.formats.arrow_columns import MOST_ROWS, arrow, is_list, size_of, without_characters
from evenhand.formats.arrow_tables import ArrowTableLayout, read_table
from evenhand.formats.format import Capabilities, Contents, Detection, Format, ObjectSupport, Reader, Writer
from evenhand.formats.paths import INFO, SPLITS, names_a_file
from evenhand.formats.registry import type_names
from evenhand.formats.source import Source
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

_TASKS = ("spans", "tags")


def _is_table(suffixes: tuple[str, ...], mark: bytes, source: Source, task: str | None) -> bool:
    """Whether a file has a name of the format or, on this machine, begins with bytes that no text begins with."""
    path = source.path
    if source.suffix in suffixes:
        return not (isinstance(path, Path) and path.is_dir())
    if not isinstance(path, Path):
        return False
    try:
        return source.head.data.startswith(mark)
    except (EvenhandError, OSError, EOFError):  # a folder, or whoever reads it finds the words
        return False


def is_dataset(source: Source, task: str | None) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    path = source.path
    if not isinstance(path, Path) or source.is_here or not path.is_dir():  # what is elsewhere cannot be read anyway
        return False
    return ((path / INFO).is_file() and any(path.glob("*.arrow"))) or (path / SPLITS).is_file()


_WRITE = lazy("evenhand.formats.arrow_write:write")
PARQUET = Format(
    "parquet",
    "Parquet: a row a sentence or text, with tags or spans",
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
    readers=dict.fromkeys(_TASKS, Reader(lazy("evenhand.formats.arrow:read"))),
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


# == formats/arrow_files.py: Files with a table of Arrow's: how they are opened and check


Read = Callable[[Any, Sequence[str], int], tuple[Any, Iterator[Any]]]
"""Takes an open file, and gives its schema and record batches with some columns, of about so many bytes."""
_WRITE_AGAIN = "write it again"
_MEND = "give its names in the metadata, as datasets writes a list of ClassLabel, or write tags as strings"
_FEATURES = b"huggingface"
"""Under what `datasets` keeps the features of columns."""


def read_file(
    form: Format,
    what: str,
    record_batches: Read,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
    *,
    mapped: bool = False,
) -> Iterator[Annotation]:
    """A file in batches of whole rows; `what` says what it should be, `mapped` whether it is mapped into memory."""
    check_pyarrow(source, f"{form.name.capitalize()} files")
    is_broken = partial(broken, source, f"is no {what}, or a broken one")

    @contextmanager
    def opened(columns: Sequence[str] = (), size: int = 0) -> Iterator[tuple[Any, Iterator[Any]]]:
        with is_broken(), _random_access(source, mapped=mapped) as file:
            yield record_batches(file, columns, size)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        with opened(columns, size) as (_, found):
            yield from checked(found)

    with opened() as (schema, _):
        features = partial(_features, source, schema)
    table = ArrowTableLayout("the file", schema, features, "the metadata of the schema", _MEND, batches, is_broken)
    return read_table(form.name, table, source, settings, vocabulary, columns)


def check_pyarrow(source: Source, what: str) -> None:
    """Raise an error where pyarrow is absent, which `what` take."""
    try:
        arrow.load()
    except SettingError:
        finding = f"{what} take pyarrow, which is not installed"
        raise source.error(None, finding, "run: pip install evenhand[arrow]") from None


@contextmanager
def broken(source: Source, finding: str, remedy: str = _WRITE_AGAIN) -> Iterator[None]:
    """What Arrow finds wrong here is the user's to mend."""
    try:
        yield
    except arrow.ArrowNotImplementedError as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise source.error(None, f"pyarrow cannot read what is in it ({reason})", remedy) from None
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise source.error(None, finding, remedy) from None


@contextmanager
def _random_access(source: Source, *, mapped: bool) -> Iterator[Any]:
    """A file as Arrow opens it; one that is compressed, or is not on this machine's disk, is held in memory."""
    if not source.is_plain:
        yield arrow.BufferReader(source.read_whole())
        return
    if not source.size:
        raise source.error(None, "the file is empty", "check how it was written")
    with arrow.memory_map(str(source.path)) if mapped else arrow.OSFile(str(source.path)) as opened:
        yield opened


def checked(batches: Iterator[Any]) -> Iterator[Any]:
    """Record batches whose offsets, lengths and codes fit; Arrow's error at the first one where they do not.

    Slices of other ones end the process, or read what is not theirs.
    """
    for batch in batches:
        batch.validate()
        for column in batch.columns:
            column.view(without_characters(column.type)).validate(full=True)
        yield batch


def _features(source: Source, schema: Any) -> dict[str, Any]:
    """What the metadata of a schema says about columns, where `datasets` wrote it."""
    try:
        found = msgspec.json.decode((schema.metadata or {}).get(_FEATURES, b"{}"), type=dict[str, Any])
        return msgspec.convert(found.get("info", {}), dict[str, Any]).get("features") or {}
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError):
        raise source.error(None, "the metadata of the schema is broken", _WRITE_AGAIN) from None


# == formats/arrow_ipc.py: Arrow IPC: files (also called Feather) and streams as record


END = b"\xff\xff\xff\xff\0\0\0\0"
"""How a whole stream ends; without it, Arrow reads what is there and says nothing."""
FILE_MARK = b"ARROW1"


def record_batches(opened: Any, columns: Sequence[str] = (), size: int = 0) -> tuple[Any, Iterator[Any]]:
    """The schema of a stream or an IPC file, and its record batches with some columns, of whatever size they are."""
    if opened.read_at(len(FILE_MARK), 0) == FILE_MARK:
        reader = arrow.ipc.open_file(opened)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        if opened.read_at(len(END), max(opened.size() - len(END), 0)) != END:
            raise arrow.ArrowInvalid("the end is missing")
        opened.seek(0)
        reader = arrow.ipc.open_stream(opened)
        batches = iter(reader)
    return reader.schema, (batch.select(list(columns)) for batch in batches)


read = partial(read_file, ARROW, "Arrow file or stream", record_batches, mapped=True)


# == formats/parquet.py: Parquet files, read some rows at a time, whatever the row gr


_BUFFER = 1 << 16
"""How many bytes of a column are read at a time."""
_PLACE = 8
"""How many bytes a value takes beside those that the metadata tells."""
_GROUPS = 16
"""How many row groups show how long rows are."""
_PROBE = 64
"""And how many rows."""


def record_batches_parquet(opened: Any, columns: Sequence[str], size: int) -> tuple[Any, Iterator[Any]]:
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
    batches: Iterator[Any] = file.iter_batches(rows, row_groups=groups, columns=columns, use_threads=False)
    return batches


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
    chunks = []
    for number in range(min(file.num_row_groups, _GROUPS)):
        next(_batches(file, columns, 1, [number]), None)
        group = file.metadata.row_group(number)
        chunks.append({place: group.column(place) for place in places})
    return chunks


def _coded(file: Any, chunks: list[dict[int, Any]]) -> list[str]:
    """The columns of strings that have dictionaries, by the first row group."""
    return [
        file.schema.column(place).path
        for place, chunk in (chunks[0] if chunks else {}).items()
        if chunk.has_dictionary_page and file.schema.column(place).logical_type.type == "STRING"
    ]


read_parquet = partial(read_file, PARQUET, "Parquet file", record_batches_parquet)


# == formats/huggingface.py: Hugging Face datasets: in memory, or on disk as `save_to_dis


_STATE = "state.json"
_SAVE_AGAIN = "save the dataset again with save_to_disk"
_CAST = "cast it to a list of ClassLabel with names"


class DataFile(TypedDict):
    filename: str


def read_huggingface(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The dataset in batches of whole rows: the record batches that it was saved in, or parts of these."""
    check_pyarrow(source, "datasets on disk")
    files = _files(source)
    schemas = []
    for file in files:
        with _opened(source, file) as (schema, _):
            schemas.append(schema)
    if not all(schema.equals(schemas[0]) for schema in schemas):
        raise source.error(None, "the Arrow files have different columns", _SAVE_AGAIN)

    def selected(columns: Sequence[str], size: int) -> Iterator[Any]:
        for file in files:
            with _opened(source, file, columns) as (_, batches):
                yield from checked(batches)

    mend = f"{_CAST}, and save the dataset again"
    features = partial(_described, source, INFO, "features", dict[str, Any] | None)
    is_broken = partial(broken, source, "its Arrow files are broken", _SAVE_AGAIN)
    table = ArrowTableLayout("the dataset", schemas[0], lambda: features() or {}, INFO, mend, selected, is_broken)
    return read_table(HUGGINGFACE.name, table, source, settings, vocabulary, columns)


def read_object(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """A dataset in memory, or mapped into it, in batches of whole rows; those that were chosen, in their order."""
    types = type_names(value)
    if not types.isdisjoint(("datasets.DatasetDict", "datasets.IterableDatasetDict")):
        remedy = f"give one of them: dataset[{str(next(iter(value), 'test'))!r}]"
        raise source.error(None, f"has splits ({', '.join(map(str, value))})", remedy)
    if "datasets.IterableDataset" in types:
        raise source.error(None, "is a stream, which can be read only once", "load it without streaming=True")
    check_pyarrow(source, "datasets")

    def selected(columns: Sequence[str], size: int) -> Iterator[Any]:
        rows = value.with_format("arrow").select_columns(list(columns))
        return checked(batch for part in rows.iter(MOST_ROWS) for batch in part.combine_chunks().to_batches())

    is_broken = partial(broken, source, "its rows cannot be read", "make the dataset again")
    features = value.features
    table = ArrowTableLayout(
        "the dataset", features.arrow_schema, features.to_dict, "its feature", _CAST, selected, is_broken
    )
    return read_table(HUGGINGFACE.name, table, source, settings, vocabulary, columns)


def _files(source: Source) -> list[Path]:
    """The files with the rows, in their order; others in the folder are left over from work on the dataset."""
    if not source.path.is_dir():
        raise source.error(None, "there is no such folder", "check the path")
    if (source.path / SPLITS).is_file():
        splits = ", ".join(_described(source, SPLITS, "splits", list[str]))
        raise source.error(None, f"is a folder of splits ({splits})", "name the folder of one of them")
    if _described(source, _STATE, "_indices_data_files", list[Any] | None):
        raise source.error(None, "the rows are chosen by a file of indices", _SAVE_AGAIN)
    files = [source.path / each["filename"] for each in _described(source, _STATE, "_data_files", list[DataFile])]
    if not files:
        raise source.error(None, "the dataset has no rows", "check how it was saved")
    return files


def _described(source: Source, name: str, key: str, kind: Any) -> Any:
    """What one of the JSON files of the folder says under a key."""
    try:
        found = msgspec.json.decode((source.path / name).read_bytes(), type=dict[str, Any])
        return msgspec.convert(found.get(key), kind)
    except OSError:
        raise source.error(None, f"there is no {name} in this folder", _SAVE_AGAIN) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise source.error(None, f"{name} is broken", _SAVE_AGAIN) from None


@contextmanager
def _opened(source: Source, file: Path, columns: Sequence[str] = ()) -> Iterator[tuple[Any, Any]]:
    """The schema of one of the files, and its record batches; what is wrong with it names the file."""
    if not names_a_file(file):
        raise source.error(None, f"there is no {file.name} in this folder", _SAVE_AGAIN)
    finding = f"{file.name} is no Arrow stream, or a broken one"
    with broken(source, finding, _SAVE_AGAIN), arrow.memory_map(str(file)) as opened:
        yield record_batches(opened, columns)
