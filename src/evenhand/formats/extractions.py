"""Extractions: answers of a language model about documents, as JSON lines or as a folder with one file per document.

A record is `{"id": "107", "output": "…"}`. Its answer is under the first of `ANSWER_KEYS`: a string is the text of the
model, anything else is already decoded. A record may also be, or contain, the message of an API, whose tool calls or
text are the answer (`answer_in`). `label` is the only requested label; consecutive records with the same id, each
with a label, belong to one document. A file without a suffix of JSON lines is one answer, and its name without the
suffix is the id. `grounding` parses answers and locates their strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import PurePath
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Answer, Extractions, answer_in, is_message, plain_value
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.jsonl import ANSWER_KEYS, WRITTEN_KEYS
from evenhand.formats.parsing.json_records import UNREADABLE, numbered_lines
from evenhand.formats.parsing.json_spans import odd_offsets
from evenhand.formats.source import COMPRESSIONS, Block, Source, whole_text
from evenhand.settings import EXTRACTIONS, Columns, ReadSettings

_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_PROBLEM = "record"
_REMEDY = 'write one record per document, such as {"id": "107", "output": "…"}'
Record = tuple[str | None, Answer, int]
"""The id, the answer and its line."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The answers in batches of whole documents."""
    shape, has_lines = settings.parameters.get("shape"), is_lines(source)
    for records in _documents(source, settings.block_size) if has_lines else [[_one_answer(source)]]:
        answers, corpus = _answers(source, records)
        if shape is None and has_lines:  # a single answer does not show it
            from evenhand.grounding.answers import shape_of  # slow to load

            shape = shape_of(answers.contents())
        reading = ReadInfo(EXTRACTIONS, shape=shape)
        yield Annotation(corpus, {EXTRACTIONS: answers}, {"spans": reading}, source.name)


def is_lines(source: Source) -> bool:
    """Whether a file has a suffix of JSON lines or none; otherwise it is one answer."""
    name = PurePath(source.display_name)
    suffixes = [suffix for suffix in name.suffixes if suffix not in COMPRESSIONS]
    return not suffixes or suffixes[-1].lower() in _LINE_SUFFIXES


def _one_answer(source: Source) -> Record:
    text = whole_text(source)
    value: Any = None
    with suppress(*UNREADABLE):
        value = msgspec.json.decode(text)
    is_list = isinstance(value, list) and bool(value)
    if is_list and all(isinstance(item, dict) and not WRITTEN_KEYS.isdisjoint(item) for item in value):
        finding = "the file is a JSON list of records, but may contain only one answer"
        source.report(1, finding, "write JSON lines: one record per line, in a file that ends with .jsonl", _PROBLEM)
    return source.name, Answer(text), 1


def _documents(source: Source, size: int) -> Iterator[list[Record]]:
    """The records of some whole documents at a time; the last document of a block may continue in the next one."""
    waiting: list[Record] = []
    for block in source.blocks(size, cut_after="line"):
        waiting += _records(source, block)
        last = len(waiting)
        if waiting and waiting[-1][0] is not None:
            last -= 1
            while last and waiting[last - 1][0] == waiting[-1][0]:
                last -= 1
        if last:
            yield waiting[:last]
        waiting = waiting[last:]
    if waiting:
        yield waiting


def _records(source: Source, block: Block) -> Iterator[Record]:
    for number, line in numbered_lines(block):
        try:
            yield _record(_decode(line), number)
        except (ValueError, RecursionError) as error:
            finding = str(error) if isinstance(error, _RecordError) else "the line is not a JSON object"
            source.report(number, finding, _REMEDY, _PROBLEM)


class _RecordError(ValueError):
    """A record without a valid answer."""


def _decode(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except UNREADABLE:  # it is stricter than Python, whose half surrogates cannot be kept
        return plain_value(json.loads(line))


def _record(value: Any, line: int) -> Record:
    if not isinstance(value, dict):
        raise _RecordError("the line is not a JSON object")
    key = next((key for key in ANSWER_KEYS if key in value), None)
    if is_message(value):
        content = answer_in(value)
    elif key is not None:
        content = answer_in(value[key])
    else:
        raise _RecordError(f"the record has none of the keys {', '.join(ANSWER_KEYS)}")
    if key is not None and key not in WRITTEN_KEYS and key != ANSWER_KEYS[-1] and isinstance(content, list):
        _check_offsets(content, key)
    identifier, label = _id(value), value.get("label")
    if identifier is not None and (isinstance(identifier, bool) or not isinstance(identifier, str | int)):
        raise _RecordError(f"the id {identifier!r} is neither a string nor a whole number")
    if label is not None and not (isinstance(label, str) and label.strip()):
        raise _RecordError(f"the label {label!r} is not a string")
    return None if identifier is None else str(identifier), Answer(content, label), line


def _id(record: dict[str, Any]) -> Any:
    """The id of the document; the id of a response is not one."""
    if "custom_id" in record:
        return record["custom_id"]
    is_response = is_message(record) and ("object" in record or record.get("type") == "message")
    return None if is_response else record.get("id")


def _check_offsets(items: list[Any], key: str) -> None:
    """Refuse items with offsets that cannot be read, because the string may also occur elsewhere."""
    for at, item in enumerate(items):
        if isinstance(item, dict) and (odd := odd_offsets(item)):
            fields = " and ".join(map(repr, odd[:3]))
            what = "looks like an offset" if len(odd) == 1 else "look like offsets"
            raise _RecordError(
                f"{key}[{at}] has {fields}, which {what}; name the offsets start and end, or remove them"
            )


def _answers(source: Source, records: list[Record]) -> tuple[Extractions, Corpus]:
    """The answers by document, and a corpus with the ids of the documents."""
    answers, ids, lines = list[tuple[Answer, ...]](), list[str](), list[int]()
    # Consecutive records with one id are a document; a record without an id is one, too.
    for _, rows in groupby(enumerate(records), key=lambda row: row[0] if row[1][0] is None else row[1][0]):
        document = [record for _, record in rows]
        labels = [answer.label for _, answer, _ in document]
        if len(set(labels)) < len(labels) or (len(labels) > 1 and None in labels):
            finding = f"several records have the id {document[-1][0]!r}"
            remedy = "give every document one record, or one for each requested label"
            source.report(document[-1][2], finding, remedy, _PROBLEM)
        answers.append(tuple(answer for _, answer, _ in document))
        ids.append(document[0][0] or "")
        lines.append(document[0][2])
    corpus = Corpus(
        source.display_name,
        len(answers),
        lines=ints(lines),
        documents=np.arange(len(answers)),
        ids=Tokens.of(ids) if any(ids) else None,
    )
    return Extractions(tuple(answers)), corpus
