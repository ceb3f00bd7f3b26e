"""JSON lists of records: `[{"text": …, "spans": …}, …]`, each record as in JSON lines, a document of its own.

The file is one JSON value, so that it is read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from evenhand.arrays import Ints, ints
from evenhand.formats.json_formats import JSON
from evenhand.formats.json_records import PROBLEM, UNREADABLE, decode_line, explain
from evenhand.formats.parsing.record_reader import Decoded, RecordReader, accepted
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

T = TypeVar("T")
_BATCH = 1 << 13
"""How many records are read together."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    blocks = source.blocks(settings.block_size, cut_behind="line")
    data = b"".join(block.data[: block.size] for block in blocks)
    values = _values(source, data)
    lines = _lines(data, values)

    def decoded() -> Iterator[Decoded]:
        for first in range(0, len(values), _BATCH):
            yield _decoded(source, values[first : first + _BATCH], lines[first : first + _BATCH])

    records = RecordReader(JSON.name, source, settings, vocabulary, decoded)
    return accepted(source, map(records.take, decoded()))


def _values(source: Source, data: bytes) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except UNREADABLE as error:
        finding = f"the file is no JSON list of records ({explain(error)[0]})"
        raise source.error(None, finding, "mend it, or write one record a line", PROBLEM) from None


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


def _decoded(source: Source, values: list[msgspec.Raw], lines: Ints) -> Decoded:
    """The records among some values, and their lines; a value that is no record is a problem."""
    found = list(_records(source, values, lines, decode_line))
    return [record for _, record in found], ints([line for line, _ in found])


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
