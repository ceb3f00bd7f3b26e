"""Metadata of documents or sentences: a table with ids and one column per slice.

A table is a file (CSV, TSV or JSON lines), a data frame, or Python mappings from ids to values. Its ids are in the
column `document` or `sentence`, in one with a similar name, or in the first one. Every other column with texts or
numbers is a slice; fields of JSON objects are named with dots (`meta.source`). An empty cell has no value. An id may
occur again with the same values, as in a table of spans.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import msgspec

from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted, reason_of
from evenhand.formats.csv_table import DELIMITERS
from evenhand.formats.format import wrap_object
from evenhand.formats.source import Source, whole_text
from evenhand.formats.storage import AnyPath
from evenhand.parameters import quote, quote_briefly

_LEVELS: Mapping[Literal["document", "sentence"], tuple[str, ...]] = {
    "document": ("document", "doc_id", "document_id", "doc_key"),
    "sentence": ("sentence", "sentence_id", "sent_id"),
}
IDS = (*_LEVELS["document"], *_LEVELS["sentence"], "id")
"""Names of columns with ids, in order of precedence."""
_JSON = ("{", "[")
_HEADER = "write the names of the columns in the first line, such as document,genre"


@dataclass(frozen=True)
class MetadataTable:
    """The values of slices by id, for the documents or sentences of a gold standard."""

    source: str
    columns: Mapping[str, Mapping[str, str]]
    """By column, the value of each id that has one."""
    ids: tuple[str, ...]
    """All ids, in order."""
    level: Literal["document", "sentence"] | None = None
    """What the ids are of, if the name of their column shows it."""


def read_metadata(path: AnyPath) -> MetadataTable:
    """Read a table of metadata from a file."""
    source = Source(path)
    text = whole_text(source)
    rows = _json_rows(source, text) if text.lstrip().startswith(_JSON) else _csv_rows(source, text)
    return _table(source.display_name, list(rows))


def fields_of(path: AnyPath, field: str) -> MetadataTable | None:
    """The values of one field of the records in a JSON file; None for other files, and if no record has the field.

    Records without ids are numbered from 1, like the documents of a gold standard without names.
    """
    source = Source(path)
    if not source.head.data.lstrip().startswith((b"{", b"[")):
        return None
    rows = list(_json_rows(source, whole_text(source)))
    if not any(field in row for _, row in rows):
        return None
    key = next((name for name in IDS if name != field and all(text_of(row.get(name)) for _, row in rows)), None)
    records = [
        (line, {IDS[0]: number if key is None else row[key], field: row.get(field)})
        for number, (line, row) in enumerate(rows, 1)
    ]
    return replace(_table(f"the field {field!r} of {source.display_name}", records), level=None)


def _csv_rows(source: Source, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines below the header, with their numbers."""
    lines = text.split("\n")
    header = next((line for line in lines if line.strip()), "")
    delimiter = next((mark for mark in ("\t", *DELIMITERS) if mark in header), None)
    if delimiter is None:
        raise source.error(1, "found no tabs, commas or semicolons between names of columns", _HEADER)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names: list[str] = []
    try:
        for cells in reader:
            line, cells = reader.line_num, [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if not names:
                names = cells
                repeated = next((name for name in names if names.count(name) > 1), None)
                if repeated is not None or "" in names:
                    what = "a column without a name" if repeated is None else f"several columns called {repeated!r}"
                    raise source.error(line, f"found {what}", _HEADER)
            elif len(cells) != len(names):
                finding = f"expected {counted(len(names), 'cell')} as in the header, got {len(cells)}"
                raise source.error(line, finding, "fix the line, and quote cells that contain a delimiter")
            else:
                yield line, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise source.error(reader.line_num, f"the line is not CSV ({error})", "check its quotation marks") from None


def _json_rows(source: Source, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines, or of one JSON list, with their lines or numbers."""
    is_list = text.lstrip().startswith("[")
    numbered: Iterable[tuple[int, Any]]
    if is_list:
        values = _decoded(source, 1, text)
        numbered = enumerate(values if isinstance(values, list) else [values], 1)
    else:
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        numbered = ((number, _decoded(source, number, line)) for number, line in lines)
    for number, value in numbered:
        if not isinstance(value, dict):
            raise source.error(number, f"expected an object with fields, got {quote(value)}", "write one per line")
        yield number, dict(_flat(value))


def _decoded(source: Source, line: int, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        finding = f"the line is not JSON ({reason_of(error)})"
        raise source.error(line, finding, "write one object per line") from None


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of an object; fields of nested objects have names with dots. Lists are left out."""
    for name, field in value.items():
        if isinstance(field, dict):
            yield from _flat(field, f"{prefix}{name}.")
        elif not isinstance(field, list):
            yield f"{prefix}{name}", field


def metadata_of(value: object, name: str = "slices") -> MetadataTable:
    """The table of a data frame, or of a mapping from slices to mappings (or Series) from ids to values."""
    if isinstance(value, Mapping):
        by_id: dict[Any, dict[str, Any]] = {}
        for slice_name, values in value.items():
            if not isinstance(slice_name, str) or not slice_name.strip():
                raise SettingError(f"{name} has the name {quote(slice_name)}; the name of a slice must be a string.")
            for key, cell in _items(values, f"{name}[{slice_name!r}]"):
                by_id.setdefault(key, {})[slice_name] = cell
        rows = [(row, {IDS[0]: key, **cells}) for row, (key, cells) in enumerate(by_id.items(), 1)]
        return replace(_table(name, rows, names=list(value)), level=None)
    wrapped = wrap_object(value)
    if wrapped is None:
        given = "pass names, a table, a frame, or a mapping from names to mappings from ids to values"
        raise SettingError(f"{name} is {quote_briefly(value)}; {given}.")
    from evenhand.formats.frames import frame_rows  # loads pyarrow

    return _table(name, list(enumerate(frame_rows(wrapped.value, wrapped.source), 1)))


def _items(values: Any, name: str) -> Iterable[tuple[Any, Any]]:
    """The ids and values of a mapping or a Series of pandas."""
    if not hasattr(values, "items") or isinstance(values, type):
        raise SettingError(f"{name} is {quote_briefly(values)}; pass a mapping (or a Series) from ids to values.")
    pairs: Iterable[tuple[Any, Any]] = values.items()
    return pairs


def _table(source: str, rows: Sequence[tuple[int, Mapping[str, Any]]], names: Sequence[str] = ()) -> MetadataTable:
    """The table of rows; `names` are slices that must be there, even without values."""
    if not rows:
        raise InputError(source, None, "the table has no rows", "write one row per document")
    fields = dict.fromkeys(name for _, row in rows for name in row)
    lowered = {name.lower(): name for name in reversed(fields)}
    key = next((lowered[name] for name in IDS if name in lowered), next(iter(fields)))
    columns: dict[str, dict[str, str]] = {name: {} for name in (*fields, *names) if name != key}
    ids: dict[str, None] = {}
    for line, row in rows:
        identifier = text_of(row.get(key))
        if identifier is None:
            raise InputError(source, line, f"found no id in {key!r}", "add the id of the document")
        ids[identifier] = None
        for name, cell in row.items():
            value = text_of(cell)
            if name != key and value is not None and columns[name].setdefault(identifier, value) != value:
                finding = f"{identifier!r} has the {name} {value!r} here, and {columns[name][identifier]!r} before"
                raise InputError(source, line, finding, "keep one value")
    if not columns:
        raise InputError(source, None, f"the table has only the column {key!r}", "add a column for each slice")
    level = next((level for level in _LEVELS if key.lower() in _LEVELS[level]), None)
    return MetadataTable(source, columns, tuple(ids), level)


def text_of(value: object) -> str | None:
    """A value as the name of a slice; None if it is missing."""
    try:
        if value is None or value != value:  # NaN
            return None
    except TypeError:  # pandas refuses to compare its missing value
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():  # pandas makes floats of whole numbers if some are missing
        return str(int(value))
    return str(value).strip() or None
