"""The records of JSON lines, as Prodigy, doccano and others write them: one JSON object a line.

What a record holds, by its keys:

==============================  ==========================================================================
text, spans                     spans as objects, with characters as offsets (Prodigy; tokens and answer too)
text or data, entities          the same, under the names of newer doccano: start_offset, end_offset; or as lists
text or data, label or labels   spans as lists: [start, end, label] (doccano)
tokens, spans                   spans as objects, with token positions
tokens, tags or ner_tags        a tag a token; also under label or labels
==============================  ==========================================================================

`words` is another name for tokens. With an `id`, a string or a whole number, records are matched by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.bits import equal_to, places
from evenhand.formats.json_spans import Fault, Offset, Span
from evenhand.formats.source import LINE_FEED, Block, Source

T = TypeVar("T")
UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What is raised for JSON that is broken, of other types than expected, or nested too deeply."""
PROBLEM = "record"
"""What a check calls problems of records."""
NUMBERED = (
    "its labels are numbers, as doccano's old JSONL has them, without their names",
    "export the project as JSONL (text label), a file for each user",
)
"""What is wrong with records of old doccano, and what to do."""
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
_NAME = re.compile(r"`(\w+)`")
_NO_FIELD = re.compile(r"Object missing required field `(.+)`")
_PLACE = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_TYPES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a decimal number",
    "bool": "a truth value",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Entity(Span, gc=False):
    """A span as newer doccano writes it."""

    start: Offset = msgspec.field(name="start_offset")
    end: Offset = msgspec.field(name="end_offset")


class Triple(Span, array_like=True, gc=False):
    """A span as a list: start, end, label."""


class Token(msgspec.Struct, gc=False):
    """A token with its place in the text."""

    text: str
    start: Offset
    end: Offset


class Record(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    text: str | None = None
    tokens: list[str | Token] | None = None
    spans: Sequence[Span] | None = None
    answer: str | None = None
    data: Any = None
    entities: list[Entity | tuple[Offset, Offset, str]] | None = None
    label: list[Triple | str] | str | int | float | bool | None = None
    labels: list[Triple | str] | str | int | float | bool | None = None
    tags: Any = None
    ner_tags: Any = None
    words: list[str] | None = None
    id: Any = None
    annotations: Any = None


_DECODER = msgspec.json.Decoder(Record)
decode_line = _DECODER.decode


def decode(source: Source, block: Block) -> tuple[list[Record], Ints]:
    """The records of a block and their lines; a line that is no record is an error."""
    data = memoryview(block.data)[: block.size]
    try:
        records = _DECODER.decode_lines(data)
    except UNREADABLE:
        return _decode_by_line(source, block)
    if not has_a_line_each(records, block):
        return _decode_by_line(source, block)
    return records, np.arange(block.first_line, block.first_line + len(records))


def has_a_line_each(records: Sequence[msgspec.Struct], block: Block) -> bool:
    """Whether each line of a block has one record: the decoder passes over line ends between and within them."""
    text = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    begins = np.append(0, places(equal_to(text[:-1], LINE_FEED)) + 1)
    return len(records) == len(begins) and bool((text[begins] == ord("{")).all())


def _decode_by_line(source: Source, block: Block) -> tuple[list[Record], Ints]:
    found = list(decoded_lines(source, block, decode_line))
    return [record for _, record in found], ints([number for number, _ in found])


def decoded_lines(source: Source, block: Block, decode_line: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """The lines of a block with what they hold; a line that cannot be read is a problem."""
    for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
        if not line.strip():
            continue
        try:
            yield number, decode_line(line)
        except UNREADABLE as error:
            finding, place = explain(error)
            if place is None:
                finding = f"the line is not a JSON object ({finding})"
            remedy = "write one JSON object a line" if place is None else "mend the record"
            source.report(number, finding, remedy, PROBLEM)


def explain(error: Exception) -> tuple[str, str | None]:
    """What is wrong with a JSON value, and at which of its keys; None where it is the value as a whole."""
    matched = _PLACE.fullmatch(str(error))
    assert matched is not None
    message, place = matched.groups()
    if wrong := _WRONG_TYPE.fullmatch(message):
        got = _TYPES.get(wrong[2], wrong[2])
        expected = " or ".join(_TYPES.get(name, name) for name in wrong[1].split(" | ") if name != "null")
        return f"found {got} for {place}, which takes {expected}" if place else f"it is {got}", place
    if missing := _NO_FIELD.fullmatch(message):
        return f"{place or 'it'} has no {missing[1]!r}", place
    message = _NAME.sub(lambda name: _TYPES.get(name[1], name[1]), message.removeprefix("JSON is malformed: "))
    return message[:1].lower() + message[1:] + (f" for {place}" if place else ""), place


def settle(record: Record) -> Fault | None:
    """Bring a record to text and spans, tokens and spans, or tokens and tags; what is wrong with it, or None."""
    if record.tokens is None and record.words is not None:
        record.tokens = list(record.words)
    lists = [each for each in _lists(record) if each is not None]
    spans = next(filter(None, lists), lists[0] if lists else None)
    tags = _tags(record)
    text = record.text if record.text is not None or not isinstance(record.data, str) else record.data
    words = record.tokens is not None and all(isinstance(token, str) for token in record.tokens)
    record.text = None
    if spans and record.spans is not None and not record.spans:
        finding = "the record has an empty list of spans beside another key that lists some"
        return finding, "leave one of the two out"
    if spans is None and tags is not None and words:
        record.tags = tags
    elif text is not None:
        # Prodigy leaves the key out where nothing was marked.
        if spans is None and has_numbers_for_labels(record.annotations):
            return NUMBERED
        if spans is None and record.answer is None:
            finding = "the record has a text but no spans, entities, label or labels"
            return finding, "list its spans under one of these keys"
        record.text, record.spans = text, spans or ()
    elif record.tokens is None:
        return "the record has no text, data, tokens or words", "give a text and spans, or tokens and spans or tags"
    elif not words:
        return "the record has tokens with offsets but no text", "give its text"
    elif record.spans is None:
        return "the record has tokens but no spans, tags or ner_tags", "list its spans or tags under one of these keys"
    return None


def has_numbers_for_labels(annotations: Any) -> bool:
    """Whether these are annotations of old doccano, which does not say what the numbers of labels stand for."""
    listed = annotations if isinstance(annotations, list) else []
    return any(isinstance(each, dict) and isinstance(each.get("label"), int) and "user" in each for each in listed)


def _tags(record: Record) -> list[Any] | None:
    """A tag a token, wherever they are."""
    for each in (record.ner_tags, record.tags):
        if isinstance(each, list):
            return each
    lists = (each for each in (record.label, record.labels) if isinstance(each, list))
    return next((each for each in lists if each and all(isinstance(tag, str) for tag in each)), None)


def _lists(record: Record) -> Iterator[Sequence[Span] | None]:
    """Where the spans of a text can be, the first place first."""
    yield record.spans
    entities = record.entities
    yield None if entities is None else [Triple(*each) if isinstance(each, tuple) else each for each in entities]
    for each in (record.label, record.labels):
        is_spans = isinstance(each, list) and all(isinstance(span, Triple) for span in each)
        yield cast("list[Span]", each) if is_spans else None
