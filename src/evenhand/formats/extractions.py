"""Extractions: what a language model wrote about each document, as JSON lines or as a folder with a file a document.

A record is `{"id": "107", "output": "…"}`. Its answer is the first of the keys below: a string is what the model wrote,
anything else is decoded already. `label` is the only label that was asked for; records that follow each other with the
same id, each with a label, belong to one document. A file that is not named as JSON lines is one answer, and its name
without the suffix is the id. What answers look like, and how strings get their places, is up to `grounding`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import PurePath
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.formats.format import Format
from evenhand.formats.source import COMPRESSIONS, Block, Source
from evenhand.formats.whole_text import whole_text
from evenhand.grounding.answers import shape_of
from evenhand.grounding.values import TEXT_KEYS
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.extractions import LAYER, Answer, Extractions, whole_characters
from evenhand.text.labels import Vocabulary
from evenhand.text.tokens import Tokens

ANSWER_KEYS = ("output", "response", "completion", "prediction", "answer", "entities", "extractions")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_WRITTEN = re.compile(rb'\{.{0,200}?"(output|response|completion|prediction)"\s*:\s*"', re.DOTALL)
_ANNOTATED = ("spans", "tags", "ner_tags", "labels")
"""Keys of records that hold annotations with positions."""
_TEXTS = {"text", "data", "tokens", "words"}
_VERDICTS = ("accept", "reject", "ignore")
"""What Prodigy writes under `answer`."""
_OFFSETS = {"start_offset", "end_offset"}
_SAMPLE = 20
"""How many answers tell their shape."""
_RECORD = "record"
_REMEDY = 'write a record a document, such as {"id": "107", "output": "…"}'
Record = tuple[str | None, Answer, int]
"""The id, the answer and its line."""


def is_extractions(sample: Block) -> float:
    """1 if the first records have answers, and no annotation with positions; the last of them may be cut off."""
    lines = [line for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    records = [record for record in map(_decoded, lines) if record is not None]
    if not records:
        return float(bool(lines) and _WRITTEN.match(lines[0]) is not None)
    known = [_is_answer(record) for record in records]
    if not all(each is None or each for each in known):
        return 0.0
    return float(any(known))


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_answer(record: dict[str, Any]) -> bool | None:
    """Whether a record has an answer without positions; None where an empty one does not tell."""
    key = next((key for key in ANSWER_KEYS if key in record), None)
    if key is None or any(each in record for each in _ANNOTATED):
        return False
    answer = record[key]
    if isinstance(answer, str):
        return answer not in _VERDICTS
    if isinstance(answer, list):
        return all(map(_is_item, answer)) if answer else (None if _TEXTS & record.keys() else True)
    return answer is None or isinstance(answer, dict)


def _is_item(item: Any) -> bool:
    """Whether this names a string, and has not only positions."""
    if isinstance(item, list):
        return sum(isinstance(part, str) for part in item) > 1
    if isinstance(item, dict):
        return not _OFFSETS & item.keys() and ("start" not in item or any(key in item for key in TEXT_KEYS))
    return isinstance(item, str)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The answers in batches of whole documents."""
    shape, has_many = settings.parameters.get("shape"), is_lines(source)
    for records in _documents(source, settings.block_size) if has_many else [[_one_answer(source)]]:
        answers, corpus = _answers(source, records)
        if shape is None and has_many:  # one answer does not tell
            shape = shape_of(list(islice(answers.contents(), _SAMPLE)))
        reading = Reading(FORMAT.name, shape=shape)
        yield Annotation(corpus, {LAYER: answers}, {"spans": reading}, source.name)


def _documents(source: Source, size: int) -> Iterator[list[Record]]:
    """The records of some whole documents at a time."""
    held: list[Record] = []
    for block in source.blocks(size, cut_behind="line"):
        held += _records(source, block)
        complete, held = _without_last_document(held)
        if complete:
            yield complete
    if held:
        yield held


def is_lines(source: Source) -> bool:
    """Whether a file is named as JSON lines, or has no name; else it is one answer."""
    name = PurePath(source.shown)
    suffixes = [suffix for suffix in name.suffixes if suffix not in COMPRESSIONS]
    return not suffixes or suffixes[-1].lower() in _LINES


def _one_answer(source: Source) -> Record:
    return source.name, Answer(whole_text(source)), 1


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
        return whole_characters(json.loads(line))


def _record(found: Any, line: int) -> Record:
    if not isinstance(found, dict):
        raise _RecordError("the line is not a JSON object")
    key = next((key for key in ANSWER_KEYS if key in found), None)
    if key is None:
        raise _RecordError(f"the record has none of the keys {', '.join(ANSWER_KEYS)}")
    own, label = found.get("id"), found.get("label")
    if own is not None and (isinstance(own, bool) or not isinstance(own, str | int)):
        raise _RecordError(f"the id {own!r} is neither a text nor a whole number")
    if label is not None and not (isinstance(label, str) and label.strip()):
        raise _RecordError(f"the label {label!r} is no text")
    return None if own is None else str(own), Answer(found[key], label), line


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
        source.shown,
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


FORMAT = Format(
    LAYER,
    "answers of a language model, without positions: JSON lines, or a file a document",
    tasks=("spans",),
    read=read,
    begins=b"{",
    recognise=is_extractions,
    own_traits=frozenset({"answers"}),
    matches_documents=True,
)
