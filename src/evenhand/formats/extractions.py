"""Extractions: what a language model wrote about each document, as JSON lines or as a folder with a file a document.

A record is `{"id": "107", "output": "…"}`. Its answer is the first of the keys below: a string is the text that the
model wrote, anything else is decoded already. A record may also be, or hold, the message of an API, whose tool calls or
text are the answer (`text.extractions.answer_in`). `label` is the only label that was asked for; records that follow
each other with the same id, each with a label, belong to one document. A file that is not named as JSON lines is one
answer, and its name without the suffix is the id. `grounding` reads answers and locates their strings.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePath
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.names import EXTRACTIONS
from evenhand.data.structures import Answer, Extractions, answer_in, is_message, plain_value
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.format import Contents, Detection, Format, Reader
from evenhand.formats.parsing.json_lines import odd_offsets
from evenhand.formats.source import COMPRESSIONS, Block, Source, is_plainly_utf8
from evenhand.grounding.answers import shape_of
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

ANSWER_KEYS = ("output", "response", "completion", "prediction", "answer", "entities", "extractions")
WRITTEN_KEYS = frozenset(ANSWER_KEYS[:4])
"""Those that no item has."""
_WRITTEN = re.compile(rb'\{.{0,200}?"(output|response|completion|prediction)"\s*:\s*"', re.DOTALL)
_ANNOTATED = ("spans", "tags", "ner_tags", "labels")
"""Keys of records that hold annotations with positions."""
_TEXTS = frozenset(("text", "data", "tokens", "words"))
_VERDICTS = ("accept", "reject", "ignore")
"""What Prodigy writes under `answer`."""


def is_extractions(sample: Block) -> float:
    """1 if the first records have answers, and no annotation with positions; the last of them may be cut off."""
    lines = [line for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    records = [record for record in map(_decoded, lines) if record is not None]
    if not records:
        return float(bool(lines) and _WRITTEN.match(lines[0]) is not None)
    known = [_is_answer(record) for record in records]
    if not all(each is None or each for each in known):
        return 0.0
    return float(any(known) or all(_TEXTS.isdisjoint(record) for record in records))


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_answer(record: dict[str, Any]) -> bool | None:
    """Whether a record has an answer without positions; None where an empty one does not tell."""
    if any(each in record for each in _ANNOTATED):
        return False
    if is_message(record):
        return True
    key = next((key for key in ANSWER_KEYS if key in record), None)
    if key is None:
        return False
    if not all(isinstance(record.get(text, ""), str | list) for text in _TEXTS):  # a table
        return False
    answer = record[key]
    if isinstance(answer, str):
        return answer not in _VERDICTS
    if isinstance(answer, list):
        has_text = not _TEXTS.isdisjoint(record)
        if not answer:
            return None
        is_written = key == ANSWER_KEYS[-1] or (key in WRITTEN_KEYS and not has_text)
        return all(_is_item(item, is_written) for item in answer)
    return answer is None or isinstance(answer, dict)


def _is_item(item: Any, is_written: bool) -> bool:
    """Whether this names a string without a position; what a model wrote may have some, which are not relied on."""
    from evenhand.formats.parsing.json_lines import has_offsets
    from evenhand.grounding.items import TEXT_KEYS  # slow to load

    if isinstance(item, list):
        return sum(isinstance(part, str) for part in item) > 1 and not has_offsets(item)
    if isinstance(item, dict):
        return not has_offsets(item) or (is_written and any(key in item for key in TEXT_KEYS))
    return isinstance(item, str)


FORMAT = Format(
    EXTRACTIONS,
    "answers of a language model, without positions: JSON lines, or a file a document",
    readers={"spans": Reader(lazy("evenhand.formats.extractions:read"))},
    detection=Detection(b"{", confidence=is_extractions),
    contents=Contents(matches_documents=True, traits=frozenset({"answers"})),
)


# == formats/whole_text.py: A file that is one text.


_SHORT = 1 << 12
"""Below so many bytes, to decode them is quicker."""


def whole_text(source: Source) -> str:
    """All of a file; it may be empty (an answer, a document without spans), which the blocks of a file may not."""
    return whole_data(source).decode()


def whole_data(source: Source) -> bytes:
    """The same as bytes in UTF-8, without a byte order mark."""
    data = source.read_whole()
    if data in (b"", BOM_UTF8):
        return b""
    if source.delimiter is None and b"\0" not in data and _is_utf8(data):
        return data.removeprefix(BOM_UTF8)
    blocks = source.blocks(len(data), cut_after="line", of_lines=False)
    text = b"".join(block.data[: block.size] for block in blocks)
    return text if data.endswith(b"\n") else text[:-1]


def _is_utf8(data: bytes) -> bool:
    """Whether this can be decoded; where not, others tell its line."""
    if data.isascii() or (len(data) > _SHORT and data[-1:].isascii() and is_plainly_utf8(data)):
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# == formats/answer_records.py: Read answers of a language model: records of JSON lines, or


_LINES = (".jsonl", ".ndjson", ".jsonlines")
_RECORD = "record"
_REMEDY = 'write a record a document, such as {"id": "107", "output": "…"}'
Record = tuple[str | None, Answer, int]
"""The id, the answer and its line."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The answers in batches of whole documents."""
    shape, has_many = settings.parameters.get("shape"), is_lines(source)
    for records in _documents(source, settings.block_size) if has_many else [[_one_answer(source)]]:
        answers, corpus = _answers(source, records)
        if shape is None and has_many:  # one answer does not tell
            shape = shape_of(answers.contents())
        reading = ReadInfo(EXTRACTIONS, shape=shape)
        yield Annotation(corpus, {EXTRACTIONS: answers}, {"spans": reading}, source.name)


def _documents(source: Source, size: int) -> Iterator[list[Record]]:
    """The records of some whole documents at a time."""
    held: list[Record] = []
    for block in source.blocks(size, cut_after="line"):
        held += _records(source, block)
        complete, held = _without_last_document(held)
        if complete:
            yield complete
    if held:
        yield held


def is_lines(source: Source) -> bool:
    """Whether a file is named as JSON lines, or has no name; else it is one answer."""
    name = PurePath(source.display_name)
    suffixes = [suffix for suffix in name.suffixes if suffix not in COMPRESSIONS]
    return not suffixes or suffixes[-1].lower() in _LINES


def _one_answer(source: Source) -> Record:
    text = whole_text(source)
    if _is_list_of_records(text):
        finding = "the file is a JSON list of records, where it could be one answer only"
        source.report(1, finding, "write JSON lines: a record a line, in a file that ends with .jsonl", _RECORD)
    return source.name, Answer(text), 1


def _is_list_of_records(text: str) -> bool:
    """Whether this is a list of records, not of items."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    is_list = isinstance(found, list) and bool(found)
    return is_list and all(isinstance(each, dict) and not WRITTEN_KEYS.isdisjoint(each) for each in found)


def _records(source: Source, block: Block) -> Iterator[Record]:
    for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
        if not line.strip():
            continue
        try:
            yield _record(_loaded(line), number)
        except (ValueError, RecursionError) as error:
            finding = str(error) if isinstance(error, _RecordError) else "the line is not a JSON object"
            source.report(number, finding, _REMEDY, _RECORD)


class _RecordError(ValueError):
    """A record that is not one of extractions."""


def _loaded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):  # it is stricter than Python, whose half surrogates cannot be kept
        return plain_value(json.loads(line))


def _record(found: Any, line: int) -> Record:
    if not isinstance(found, dict):
        raise _RecordError("the line is not a JSON object")
    key = next((key for key in ANSWER_KEYS if key in found), None)
    if is_message(found):
        content = answer_in(found)
    elif key is not None:
        content = answer_in(found[key])
    else:
        raise _RecordError(f"the record has none of the keys {', '.join(ANSWER_KEYS)}")
    if key is not None and key not in WRITTEN_KEYS and key != ANSWER_KEYS[-1] and isinstance(content, list):
        _check_offsets(content, key)
    own, label = _id(found), found.get("label")
    if own is not None and (isinstance(own, bool) or not isinstance(own, str | int)):
        raise _RecordError(f"the id {own!r} is neither a text nor a whole number")
    if label is not None and not (isinstance(label, str) and label.strip()):
        raise _RecordError(f"the label {label!r} is no text")
    return None if own is None else str(own), Answer(content, label), line


def _id(record: dict[str, Any]) -> Any:
    """The id of the document; the id of a response is not one."""
    if "custom_id" in record:
        return record["custom_id"]
    is_response = is_message(record) and ("object" in record or record.get("type") == "message")
    return None if is_response else record.get("id")


def _check_offsets(items: list[Any], key: str) -> None:
    """Refuse items with offsets that are not understood: the string may occur elsewhere, too."""
    for at, item in enumerate(items):
        if isinstance(item, dict) and (odd := odd_offsets(item)):
            fields = " and ".join(map(repr, odd[:3]))
            what = "looks like an offset" if len(odd) == 1 else "look like offsets"
            raise _RecordError(f"{key}[{at}] has {fields}, which {what}; name offsets start and end, or remove them")


def _without_last_document(records: list[Record]) -> tuple[list[Record], list[Record]]:
    """The records, and those of the last document, as more of it may follow."""
    if not records or records[-1][0] is None:
        return records, []
    last = len(records) - 1
    while last and records[last - 1][0] == records[-1][0]:
        last -= 1
    return records[:last], records[last:]


def _answers(source: Source, records: list[Record]) -> tuple[Extractions, Corpus]:
    """The answers document by document, and the corpus that says which these are."""
    documents = [list(group) for _, group in groupby(enumerate(records), key=lambda row: _document(*row))]
    answers, ids, lines = list[tuple[Answer, ...]](), list[str](), list[int]()
    for document in documents:
        (_, (own, _, line)), *_ = document
        _check_repeated(source, [record for _, record in document])
        answers.append(tuple(answer for _, (_, answer, _) in document))
        ids.append(own or "")
        lines.append(line)
    corpus = Corpus(
        source.display_name,
        len(answers),
        lines=ints(lines),
        documents=np.arange(len(answers)),
        ids=Tokens.of(ids) if any(ids) else None,
    )
    return Extractions(tuple(answers)), corpus


def _document(place: int, record: Record) -> object:
    """What is the same for the records of one document: their id, or their place where they have none."""
    return place if record[0] is None else record[0]


def _check_repeated(source: Source, records: list[Record]) -> None:
    labels = [answer.label for _, answer, _ in records]
    if len(set(labels)) < len(labels) or (len(labels) > 1 and None in labels):
        finding = f"several records have the id {records[-1][0]!r}"
        remedy = "give every document a record, or one for each label that was asked for"
        source.report(records[-1][2], finding, remedy, _RECORD)
