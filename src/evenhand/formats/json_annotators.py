"""Several annotators in one file of JSON lines: a field of each record names who wrote it.

Without a name for the field, it is `annotator`, Prodigy's `_annotator_id` or `_session_id`, or doccano's `username`,
whichever the first record with one of them has. Documents are known by `id`, `doc_id` or `document`, Prodigy's by
`_input_hash`; without any of these, by their texts. Of two answers of one annotator to one document the last counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

import msgspec
import numpy as np

from evenhand.dataclass import dataclass
from evenhand.formats.json_records import NUMBERED, UNREADABLE, Raw, has_numbers_for_labels
from evenhand.formats.source import Block, Source
from evenhand.settings import PickedAnnotator

FIELDS = ("annotator", "_annotator_id", "_session_id", "username")
_IDS = ("id", "doc_id", "document")
_HASH = "_input_hash"
_TEXTS = ("text", "data")
_BLOCK, _SAMPLE = 1 << 20, 1 << 14
AGAIN = "answers that were given again"
_PICK = "give it to evenhand agree alone to compare them, or to another command with --annotator FIELD=NAME"


@dataclass
class AnnotatorLines:
    """The lines of each annotator in a file, and what their documents are known by."""

    key: str
    """The field that names them."""
    documents: dict[str, dict[str, int]] = field(default_factory=dict)
    """By annotator and document, the line of the last answer."""
    repeated: Counter[str] = field(default_factory=Counter)
    """How many answers of each annotator were given again later."""
    nameless: int | None = None
    """The first line that names nobody."""

    def add(self, number: int, record: dict[str, Any]) -> None:
        who = record.get(self.key)
        if not isinstance(who, str | int) or not str(who).strip():
            self.nameless = self.nameless or number
            return
        mine, document = self.documents.setdefault(str(who), {}), _document(record)
        self.repeated[str(who)] += document in mine
        mine[document] = number

    def lines(self, annotator: str) -> dict[int, str]:
        """The lines of an annotator, and the document in each."""
        return {line: document for document, line in self.documents[annotator].items()}


def annotator_lines(source: Source, named: str | None = None) -> AnnotatorLines | None:
    """Who wrote which lines; None where no field says."""
    return _lines_of(_records(source.whole.blocks(_BLOCK, cut_behind="line")), source, named)


def _lines_of(
    records: Iterable[tuple[int, dict[str, Any]]], source: Source, named: str | None = None
) -> AnnotatorLines | None:
    found: AnnotatorLines | None = None
    nameless: int | None = None
    for number, record in records:
        if found is None:
            name = named or next((each for each in FIELDS if each in record), None)
            if name is None and has_numbers_for_labels(record.get("annotations")):
                raise source.error(number, *NUMBERED)
            if name is None:
                nameless = nameless or number
                continue
            found = AnnotatorLines(name, nameless=nameless)
        found.add(number, record)
    return found if found is not None and found.documents else None


def annotators(source: Source, named: str | None = None) -> tuple[str, list[str]] | None:
    """The field that names annotators, and their names, if every record has one."""
    found = annotator_lines(source, named)
    if found is not None and found.nameless is not None:
        remedy = "say who wrote it, or leave it out"
        raise source.error(found.nameless, f"the record names no annotator ({found.key})", remedy)
    return None if found is None else (found.key, list(found.documents))


def picked_lines(source: Source, picked: PickedAnnotator) -> AnnotatorLines:
    """The lines of a file that has the annotator who is picked; else that is an error."""
    found = annotator_lines(source, picked.field)
    if found is None:
        finding = f"no record has the field {picked.field!r}, which is to name its annotator"
        raise source.error(None, finding, "name another field with --annotator FIELD=NAME")
    if picked.name not in found.documents:
        finding = f"there is no annotator {picked.name!r}, only {', '.join(found.documents)}"
        raise source.error(None, finding, "pick one of these")
    return found


def refuse_several(source: Source) -> None:
    """Raise an error for a file with several annotators; of what cannot be read again, its first records tell."""
    sample = source.sample(_SAMPLE)
    if not any(f'"{name}"'.encode() in sample.data[: sample.size] for name in FIELDS):
        return
    found = annotator_lines(source) if source.is_here else _lines_of(_records([sample]), source)
    if found is not None and len(found.documents) > 1:
        names = list(found.documents)
        finding = f"has records of {len(names)} annotators ({found.key}: {', '.join(names[:10])})"
        raise source.error(None, finding, _PICK)


def chosen(records: list[Raw], lines: np.ndarray[Any, Any], kept: dict[int, str]) -> tuple[list[Raw], Any]:
    """The records in some lines, with what their documents are known by as ids."""
    rows = [row for row, line in enumerate(lines.tolist()) if line in kept]
    for row in rows:
        records[row]["id"] = kept[int(lines[row])]
    return [records[row] for row in rows], lines[rows]


def _records(blocks: Iterable[Block]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of blocks with their lines; what cannot be read is left to the reader."""
    for block in blocks:
        for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
            if line.strip():
                try:
                    record = msgspec.json.decode(line)
                except UNREADABLE:
                    continue
                if isinstance(record, dict):
                    yield number, record


def _document(record: dict[str, Any]) -> str:
    keys = (_HASH, *_IDS) if "_task_hash" in record else _IDS
    known = next((record[key] for key in keys if isinstance(record.get(key), str | int)), None)
    if known is None:
        known = next((record[key] for key in _TEXTS if isinstance(record.get(key), str)), None)
    return msgspec.json.encode(record.get("tokens")).decode() if known is None else str(known)
