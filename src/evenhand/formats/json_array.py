"""JSON files that are one value: a list of records, `[{"text": …, "spans": …}, …]`, or an object that holds some.

Records are those of JSON lines, each one document. An object may be one record, have its records under a key
(`documents` of BioC and of Azure, `ResultList` of Comprehend, `data`, `annotations`, …), or be a table as pandas
writes it, by columns, by rows or split. The value is read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from evenhand.arrays import Ints, ints
from evenhand.formats.json_formats import JSON
from evenhand.formats.json_records import (
    PROBLEM,
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    Raw,
    candidates,
    decode_value,
    expanded,
    explain,
    is_span,
    text_of,
    tokens_of,
)
from evenhand.formats.json_spans import SpanError
from evenhand.formats.parsing.record_reader import Decoded, RecordReader, accepted
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

T = TypeVar("T")
_BATCH = 1 << 13
"""How many records are read together."""
_SAMPLE = 1000
"""How many records show how they are read."""
_WRITE = "mend it, or write one record a line"
_DEEPEST = 3
"""How many objects may be around a list of records."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    blocks = source.blocks(settings.block_size, cut_behind="line")
    data = b"".join(block.data[: block.size] for block in blocks)
    elements, lines = _elements(source, data)

    def decoded() -> Iterator[Decoded]:
        for first in range(0, max(len(elements), 1), _BATCH):
            yield _decoded(source, elements[first : first + _BATCH], lines[first : first + _BATCH])

    def sample() -> Iterator[Raw]:
        for element in islice(elements, _SAMPLE):
            try:
                yield from expanded(element) or ()
            except SpanError:
                continue

    records = RecordReader(JSON.name, source, settings, vocabulary, decoded, sample)
    return accepted(source, map(records.take, decoded()))


def _elements(source: Source, data: bytes) -> tuple[list[Any], list[int]]:
    """The records of a file, and the line that each begins on."""
    try:
        value = decode_value(data)
    except UNREADABLE as error:
        what = "list of records" if data.lstrip()[:1] == b"[" else "object"
        finding = f"the file is no JSON {what} ({explain(error)[0]})"
        raise source.error(None, finding, _WRITE, PROBLEM) from None
    try:
        found = contained(value)
    except SpanError as error:
        raise source.error(None, *error.fault, PROBLEM) from None
    if found is None:
        keys = f" with the keys {', '.join(map(repr, islice(value, 5)))}" if isinstance(value, dict) else ""
        finding = f"found a JSON object{keys}, and no records in it"
        raise source.error(None, finding, "write a list of records with a text or tokens, and spans or tags", PROBLEM)
    path, elements = found
    lines = [1] * len(elements)
    if path is not None:
        values = _list_at(data, path)
        lines = _lines(data, values).tolist() if len(values) == len(elements) else lines
    kept = [at for at, element in enumerate(elements) if element is not None]
    return [elements[at] for at in kept], [lines[at] for at in kept]


Found = tuple[Sequence[str] | None, list[Any]]
"""The keys that lead to a list of records, None where there is no such list, and the records."""


def contained(value: Any, depth: int = 0) -> Found | None:
    """The records of a JSON value; None where it has none."""
    if isinstance(value, list):
        is_one = bool(value) and all(map(is_span, value))
        return (None, [value]) if is_one else ((), value)
    if not isinstance(value, dict):
        return None
    for key in ("errors", "ErrorList"):
        if isinstance(value.get(key), list) and value[key]:
            finding = f"the file reports {len(value[key]):,} errors under {key!r}, so documents are missing"
            raise SpanError(finding, "annotate these documents again, or leave them out of the gold standard")
    if (table := _table(value)) is not None:
        return None, table
    if is_record(value):
        return None, [value]
    return _under_key(value, depth)


def _under_key(value: Raw, depth: int) -> Found | None:
    """The records under a key of an object."""
    lists = {key: each for key, each in value.items() if isinstance(each, list) and _are_records(each)}
    if len(lists) > 1:
        names = ", ".join(map(repr, lists))
        raise SpanError(f"the file has several lists of records: {names}", "write each list into its own file")
    if lists:
        ((key, found),) = lists.items()
        return (key,), sorted(found, key=_index) if all(map(_has_index, found)) else found
    rows = list(value.values())
    if rows and all(isinstance(each, dict) and is_record(each) for each in rows):
        return None, [{"id": key, **each} for key, each in value.items()]
    inner = {key: each for key, each in value.items() if isinstance(each, dict)}
    for key, each in inner.items() if depth < _DEEPEST else ():
        found_inside = contained(each, depth + 1)
        if found_inside is not None and found_inside[1]:
            path, records = found_inside
            return None if path is None else (key, *path), records
    return None


def _has_index(element: Any) -> bool:
    return isinstance(element, dict) and type(element.get("Index")) is int


def _index(element: Raw) -> int:
    """The place of a result of Comprehend among the texts."""
    index: int = element["Index"]
    return index


def is_record(value: Raw) -> bool:
    """Whether an object is a record: it has a text or tokens, or spans with offsets."""
    try:
        has_words = text_of(value)[1] is not None or tokens_of(value)[1] is not None
    except SpanError:
        has_words = False
    layers = candidates(value)
    if has_words and (layers or "answer" in value):
        return True
    if isinstance(value.get("passages"), list) or isinstance(value.get("paragraphs"), list):
        return True
    spans = [key for key, kind in layers.items() if kind == "spans" and any(map(is_span, value[key]))]
    empty = [key for key, kind in layers.items() if kind == "empty" and key.lower() in ("entities", "ents", "spans")]
    return bool(spans or empty)


def _are_records(values: list[Any]) -> bool:
    """Whether a list has records, pairs of a text and its annotations, or lists of spans."""
    some = [each for each in values[:_SAMPLE] if each is not None]
    return bool(some) and all(_is_element(each) for each in some)


def _is_element(value: Any) -> bool:
    if isinstance(value, dict):
        return is_record(value)
    if not isinstance(value, list):
        return False
    is_pair = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    return is_pair or (bool(value) and all(map(is_span, value)))


def _table(value: Raw) -> list[Raw] | None:
    """The rows of a table, as pandas writes it by columns (objects or lists) or split."""
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        rows = [row for row in value["data"] if isinstance(row, list) and len(row) == len(value["columns"])]
        found = [dict(zip(map(str, value["columns"]), row, strict=True)) for row in rows]
        return found if len(rows) == len(value["data"]) and any(map(is_record, found)) else None
    words = next((key for key in (*TEXT_KEYS, *TOKEN_KEYS) if isinstance(value.get(key), dict | list)), None)
    if words is None:
        return None
    if isinstance(value[words], dict):
        names = list(value[words])
        columns: dict[str, Any] = {
            key: each for key, each in value.items() if isinstance(each, dict) and each.keys() == value[words].keys()
        }
        found = [{key: each[name] for key, each in columns.items()} for name in names]
    else:
        size = len(value[words])
        columns = {key: each for key, each in value.items() if isinstance(each, list) and len(each) == size}
        found = [{key: each[at] for key, each in columns.items()} for at in range(size)]
    is_table = bool(found) and all(isinstance(row[words], str | list) for row in found) and all(map(is_record, found))
    return found if is_table else None


def _list_at(data: bytes, path: Sequence[str]) -> list[msgspec.Raw]:
    """The elements of the list that keys lead to, as they are written."""
    raw: bytes | msgspec.Raw = data
    for key in path:
        raw = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[key]
    return msgspec.json.decode(raw, type=list[msgspec.Raw])


def _values(source: Source, data: bytes) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except UNREADABLE as error:
        finding = f"the file is no JSON list of records ({explain(error)[0]})"
        raise source.error(None, finding, _WRITE, PROBLEM) from None


def _lines(data: bytes, values: list[msgspec.Raw]) -> Ints:
    """The line that each value begins on."""
    lines, line, before = [], 1, 0
    for value in values:
        text = bytes(value)
        place = data.index(text, before)
        line += data.count(b"\n", before, place)
        lines.append(line)
        line += text.count(b"\n")
        before = place + len(text)
    return ints(lines)


def _decoded(source: Source, elements: Sequence[Any], lines: Sequence[int]) -> Decoded:
    """The records among some values, and their lines; a value that is not a record is a problem."""
    found, numbers = list[Raw](), list[int]()
    for element, line in zip(elements, lines, strict=True):
        try:
            records = expanded(element)
        except SpanError as error:
            source.report(line, *error.fault, PROBLEM)
            continue
        if records is None:
            finding = f"expected a record, got {'a list' if isinstance(element, list) else repr(element)[:40]}"
            source.report(line, finding, "write an object with a text or tokens, and spans or tags", PROBLEM)
            continue
        found += records
        numbers += [line] * len(records)
    return found, ints(numbers)


def decoded_values(
    source: Source, data: bytes, decode: Callable[[bytes], T], whole: bytes | None = None
) -> Iterator[tuple[int, T]]:
    """The lines and records of a JSON list, which may be a part of a `whole` file."""
    values = _values(source, data)
    return _records(source, values, _lines(data if whole is None else whole, values), decode)


def _records(
    source: Source, values: list[msgspec.Raw], lines: Ints, decode: Callable[[bytes], T]
) -> Iterator[tuple[int, T]]:
    for value, line in zip(values, lines.tolist(), strict=True):
        try:
            yield line, decode(bytes(value))
        except UNREADABLE as error:
            finding, place = explain(error)
            source.report(line, finding if place else f"a record is no JSON object ({finding})", "mend it", PROBLEM)
