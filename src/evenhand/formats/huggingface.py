"""Hugging Face datasets: in memory, or on disk as `save_to_disk` writes them, a folder of Arrow streams.

See `arrow_layout` for the columns. Numbers are named by the `ClassLabel` of the features, which a folder has in
`dataset_info.json`. Where a message names a place in the dataset, it is the number of the row, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from evenhand.formats.adoption import type_names
from evenhand.formats.arrow import HUGGINGFACE, INFO, SPLITS, arrow
from evenhand.formats.arrow_files import broken, check_pyarrow, checked
from evenhand.formats.arrow_ipc import record_batches
from evenhand.formats.arrow_layout import Table
from evenhand.formats.arrow_rows import MOST_ROWS
from evenhand.formats.arrow_tables import read_table
from evenhand.formats.short_text import names_a_file
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

_STATE = "state.json"
_SAVE_AGAIN = "save the dataset again with save_to_disk"
_CAST = "cast it to a list of ClassLabel with names"


class DataFile(TypedDict):
    filename: str


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
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
    table = Table("the dataset", schemas[0], lambda: features() or {}, INFO, mend, selected, is_broken)
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
    table = Table("the dataset", features.arrow_schema, features.to_dict, "its feature", _CAST, selected, is_broken)
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
