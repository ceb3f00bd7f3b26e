"""Hugging Face datasets on disk, as `save_to_disk` writes them: a row is a sentence with its tokens and their tags.

The tags are in the column that the user names, or in `ner_tags`, or `tags`, or the only other column with lists of
numbers or strings. Numbers are named by the `ClassLabel` in `dataset_info.json`. Every row is a sentence and a document
of its own. Where a message names a place in the folder, it is the number of the row, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.source import Source
from evenhand.formats.tag_reader import Coded, TagReader, recognise_encoding
from evenhand.settings import ColumnName, Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.tokens import PADDING, Tokens

NAME = "huggingface"
TOKENS = "tokens"
TAGS = ("ner_tags", "tags")
_INFO, _STATE, _SPLITS = "dataset_info.json", "state.json", "dataset_dict.json"
_END = b"\xff\xff\xff\xff\0\0\0\0"
"""How a whole stream ends; without it, Arrow reads what is there and says nothing."""
_NO_ROWS = ("the dataset has no rows", "check how it was saved")
_SAVE_AGAIN = "save the dataset again with save_to_disk"


class DataFile(TypedDict):
    filename: str


@dataclass(frozen=True)
class Layout:
    """The column of tags, and the names of its numbers; strings need none."""

    tags: str
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class Rows:
    """The text of a record batch, its distinct tags, and for each token the place of its tag among them."""

    corpus: Corpus
    distinct: list[str]
    place: Ints

    def coded(self, codes: dict[str, int]) -> Coded:
        """The tags by the codes of the whole file, which new ones join."""
        known = len(codes)
        of_place = ints([codes.setdefault(tag, len(codes)) for tag in self.distinct])
        return Coded(list(codes)[known:], of_place[self.place], self.corpus)


def recognise_path(path: Path) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    return ((path / _INFO).is_file() and any(path.glob("*.arrow"))) or (path / _SPLITS).is_file()


def batches(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The dataset in batches of whole rows: the record batches that it was saved in."""
    arrow, files = _arrow(source), _files(source)
    layouts = {_layout(source, arrow, file, columns.get("spans", ())) for file in files}
    if len(layouts) > 1:
        raise source.error(None, "the Arrow files have different columns", _SAVE_AGAIN)
    layout = layouts.pop()
    sample = (rows.coded({}) for rows in _rows(source, arrow, files, layout))
    encoding = settings.encoding or recognise_encoding(sample, layout.names or ())
    reader, codes = TagReader(source, settings, vocabulary, encoding), dict[str, int]()
    for rows in _rows(source, arrow, files, layout):
        tags, spans, reading = reader.read(rows.coded(codes))
        reading = replace(reading, format=NAME, column=layout.tags)
        yield Annotation(rows.corpus, {"spans": spans, "tags": tags}, {"spans": reading}, source.name)


def _arrow(source: Source) -> Any:
    """The module `pyarrow`, which may be absent."""
    try:
        return import_module("pyarrow")
    except ImportError:
        finding = "datasets on disk take pyarrow, which is not installed"
        raise source.error(None, finding, "run: pip install evenhand[arrow]") from None


def _files(source: Source) -> list[Path]:
    """The files with the rows, in their order; others in the folder are left over from work on the dataset."""
    if not source.path.is_dir():
        raise source.error(None, "there is no such folder", "check the path")
    if (source.path / _SPLITS).is_file():
        splits = ", ".join(_described(source, _SPLITS, "splits", list[str]))
        raise source.error(None, f"is a folder of splits ({splits})", "name the folder of one of them")
    if _described(source, _STATE, "_indices_data_files", list[Any] | None):
        raise source.error(None, "the rows are chosen by a file of indices", _SAVE_AGAIN)
    files = [source.path / each["filename"] for each in _described(source, _STATE, "_data_files", list[DataFile])]
    if not files:
        raise source.error(None, *_NO_ROWS)
    return files


def _described(source: Source, name: str, key: str, kind: Any) -> Any:
    """What one of the JSON files of the folder says under a key."""
    try:
        found = msgspec.json.decode((source.path / name).read_bytes(), type=dict[str, Any])
        return msgspec.convert(found.get(key), kind)
    except OSError:
        raise source.error(None, f"there is no {name} in this folder", _SAVE_AGAIN) from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise source.error(None, f"{name} is broken", _SAVE_AGAIN) from None


def _layout(source: Source, arrow: Any, file: Path, wanted: tuple[ColumnName, ...]) -> Layout:
    """Which column has the tags, and how its numbers are named."""
    with _opened(source, arrow, file) as reader:
        items = {field.name: _items(arrow, field.type) for field in reader.schema}
    if items.get(TOKENS) != "strings":
        finding = f"no column {TOKENS!r} with lists of strings is among {', '.join(items)}"
        raise source.error(None, finding, f"rename the column with the tokens to {TOKENS}")
    others = [name for name, item in items.items() if item and name != TOKENS]
    chosen = list(wanted) or [name for name in TAGS if name in items][:1] or others
    if len(chosen) > 1:
        finding = f"several columns could have the tags: {', '.join(map(str, chosen))}"
        raise source.error(None, finding, "name one of them with --column")
    if not chosen or chosen[0] not in others:
        what = f"{chosen[0]!r}" if chosen else "of tags"
        finding = f"no column {what} with lists of numbers or strings is among {', '.join(items)}"
        raise source.error(None, finding, "name the column with the tags with --column")
    tags = str(chosen[0])
    if items[tags] == "strings":
        return Layout(tags, None)
    features = _described(source, _INFO, "features", dict[str, Any] | None) or {}
    names = _class_names(features.get(tags))
    if names is None:
        finding = f"the column {tags!r} has numbers, and {_INFO} has no names for them"
        raise source.error(None, finding, "cast it to a list of ClassLabel with names, and save the dataset again")
    return Layout(tags, names)


def _items(arrow: Any, column: Any) -> str | None:
    """What the lists of a column hold: numbers, strings, or None where it has no lists of these."""
    types = arrow.types
    if not (types.is_list(column) or types.is_large_list(column) or types.is_fixed_size_list(column)):
        return None
    if types.is_integer(column.value_type):
        return "numbers"
    return "strings" if types.is_string(column.value_type) or types.is_large_string(column.value_type) else None


def _class_names(feature: Any) -> tuple[str, ...] | None:
    """The names of a list of ClassLabel, written `{"feature": ..., "_type": "List"}` (or Sequence) or `[...]`."""
    item = feature[0] if isinstance(feature, list) and feature else feature
    item = item.get("feature", item) if isinstance(item, dict) else {}
    names = tuple(map(str, item.get("names") or ())) if item.get("_type") == "ClassLabel" else ()
    # A ClassLabel that was given no names, only their number, is saved with the numbers for names.
    return None if names == tuple(map(str, range(len(names)))) else names


@contextmanager
def _opened(source: Source, arrow: Any, file: Path) -> Iterator[Any]:
    """A reader of the file's record batches; what Arrow finds wrong while it is open is the user's to mend."""
    try:
        with arrow.memory_map(str(file)) as stream:
            if stream.read_at(len(_END), max(stream.size() - len(_END), 0)) != _END:
                raise arrow.ArrowInvalid("the end is missing")
            with arrow.ipc.open_stream(stream) as reader:
                yield reader
    except FileNotFoundError:
        raise source.error(None, f"there is no {file.name} in this folder", _SAVE_AGAIN) from None
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise source.error(None, f"{file.name} is no Arrow stream, or a broken one", _SAVE_AGAIN) from None


def _rows(source: Source, arrow: Any, files: list[Path], layout: Layout) -> Iterator[Rows]:
    """The dataset, record batch by record batch."""
    row = 1
    for file in files:
        with _opened(source, arrow, file) as reader:
            for batch in reader:
                if batch.num_rows:
                    yield _parsed(source, arrow, batch, layout, row)
                    row += batch.num_rows
    if row == 1:
        raise source.error(None, *_NO_ROWS)


def _parsed(source: Source, arrow: Any, batch: Any, layout: Layout, first: int) -> Rows:
    """A record batch whose first row has the number `first`."""
    words, bounds = _lists(source, batch, TOKENS, first)
    tags, others = _lists(source, batch, layout.tags, first)
    lengths, theirs = np.diff(bounds), np.diff(others)
    if (lengths != theirs).any():
        row = int((lengths != theirs).argmax())
        finding = f"the number of tokens in this row is {lengths[row]}, that of tags is {theirs[row]}"
        raise source.error(first + row, finding, "give every token one tag")
    rows = np.arange(batch.num_rows)
    tokens, lines = _tokens(words.cast(arrow.large_string())), np.repeat(rows, lengths)
    corpus = Corpus(source.shown, len(rows), bounds, tokens, lines, first, documents=rows)
    if layout.names is None:
        coded = tags.dictionary_encode()
        return Rows(corpus, coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64))
    number = tags.to_numpy().astype(np.int64)
    wrong = (number < 0) | (number >= len(layout.names))
    if wrong.any():
        token, last = int(wrong.argmax()), len(layout.names) - 1
        finding = f"found the tag number {number[token]} where the names of {layout.tags!r} are for 0 to {last}"
        raise source.error(corpus.line(token), finding, "give every token a tag (-1 and -100 stand for none)")
    used = np.flatnonzero(np.bincount(number))
    return Rows(corpus, [layout.names[each] for each in used.tolist()], np.searchsorted(used, number))


def _lists(source: Source, batch: Any, name: str, first: int) -> tuple[Any, Ints]:
    """The values of a column of lists, one list after the other, and the bounds of the lists."""
    column = batch.column(name)
    column.validate(full=True)
    values, lengths = column.flatten(), column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    bounds = np.append(0, np.cumsum(lengths, dtype=np.int64))
    nulls = column.is_null().to_numpy(zero_copy_only=False).copy()
    nulls[np.searchsorted(bounds, np.flatnonzero(values.is_null()), side="right") - 1] = True
    if nulls.any():
        raise source.error(first + int(nulls.argmax()), f"found a null in the column {name!r}", "fill it in")
    return values, bounds


def _tokens(texts: Any) -> Tokens:
    """The strings of an Arrow array as places in its bytes."""
    if not len(texts):
        return Tokens.of([])
    _, offsets, data = texts.buffers()
    edges = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    first, last = int(edges[0]), int(edges[-1])
    text = bytes(memoryview(data)[first:last]) if last > first else b""
    return Tokens(text + PADDING, edges[:-1] - first, edges[1:] - first)
