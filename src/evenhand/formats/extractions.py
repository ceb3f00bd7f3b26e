"""Extractions: what a language model wrote about each document, as JSON lines or as a folder with a file a document.

A record is `{"id": "107", "output": "…"}`. Its answer is the first of the keys below: a string is the text that the
model wrote, anything else is decoded already. A record may also be, or hold, the message of an API, whose tool calls or
text are the answer (`text.extractions.answer_in`). `label` is the only label that was asked for; records that follow
each other with the same id, each with a label, belong to one document. A file that is not named as JSON lines is one
answer, and its name without the suffix is the id. `grounding` reads answers and locates their strings.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from evenhand.formats.format import Format
from evenhand.formats.source import Block
from evenhand.registry import late
from evenhand.text.extractions import LAYER, is_message

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
    if not all(isinstance(record.get(each, ""), str | list) for each in _TEXTS):  # a table
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
    from evenhand.formats.json_spans import has_offsets
    from evenhand.grounding.items import TEXT_KEYS  # slow to load

    if isinstance(item, list):
        return sum(isinstance(part, str) for part in item) > 1 and not has_offsets(item)
    if isinstance(item, dict):
        return not has_offsets(item) or (is_written and any(key in item for key in TEXT_KEYS))
    return isinstance(item, str)


FORMAT = Format(
    LAYER,
    "answers of a language model, without positions: JSON lines, or a file a document",
    tasks=("spans",),
    read=late("evenhand.formats.answer_records:read"),
    begins=b"{",
    recognise=is_extractions,
    own_traits=frozenset({"answers"}),
    matches_documents=True,
)
