"""Files of overrides: JSON lines, each about one span of a gold standard (`text.overrides`).

    {"sentence": 12, "start": 3, "end": 5, "label": "ORG", "verdict": "label", "to": {"label": "LOC"}, "by": "kk"}
    {"document": "a7", "positions": "characters", "verdict": "missing", "to": {"start": 0, "end": 12, "label": "PER"}}

Sentences count from 1 over the file, positions from 0, and ends are exclusive, as `--verdicts` prints them. `positions`
says what they count: `tokens` of the sentence, or `characters` of the text. Without it, as in files of old, they count
tokens or, of texts, characters that are not spaces. Keys that are not known are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from os import PathLike
from typing import Any, TypeGuard

import msgspec

from evenhand.formats.addresses import place
from evenhand.formats.short_text import decoded, short_data
from evenhand.limits import LABEL as LABEL_LIMIT
from evenhand.limits import long_label
from evenhand.problems import InputError
from evenhand.text.overrides import BOUNDS, LABEL, MISSING, POSITIONS, VERDICTS, LabeledBounds, Override, Overrides

_PARTS = ("start", "end", "label")
_NEEDED = {LABEL: ("label",), BOUNDS: ("start", "end"), MISSING: _PARTS}
"""The verdicts that have a `to`, and what it must name: one of the bounds, or all."""
_LARGEST = 1 << 31
"""No file has so many sentences, and no sentence so many tokens."""
_EXAMPLE = '{"sentence": 12, "start": 3, "end": 5, "label": "ORG", "verdict": "spurious"}'


def read_overrides(path: str | PathLike[str]) -> Overrides:
    """All lines of a file, checked one by one; whether they fit a gold standard is checked when they act on it."""
    where = place(path)
    data = short_data(where, "file of overrides")
    lines = [_override(str(where), number, line) for number, line in _numbered(decoded(data, where))]
    return Overrides(where.name, sha256(data).hexdigest(), lines)


def written(lines: Iterable[Override]) -> str:
    """Overrides as the lines of a file, with all of their keys."""
    return "".join(json.dumps(each.record, ensure_ascii=False) + "\n" for each in lines)


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _override(source: str, number: int, line: str) -> Override:
    """One line, or an error that says what is wrong with it."""
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise InputError(source, number, f"is no JSON ({reason})", f"write an object a line: {_EXAMPLE}") from None
    try:
        return _parsed(source, number, record)
    except _WrongError as error:
        raise InputError(source, number, str(error), error.remedy) from None


class _WrongError(Exception):
    """What a record lacks, and what to do."""

    def __init__(self, finding: str, remedy: str) -> None:
        super().__init__(finding)
        self.remedy = remedy


def _parsed(source: str, number: int, record: Any) -> Override:
    if not isinstance(record, dict):
        raise _WrongError("is no object", f"write one: {_EXAMPLE}")
    verdict = record.get("verdict")
    if verdict not in VERDICTS:
        raise _WrongError(f"the verdict is {verdict!r}", f"choose one of {', '.join(VERDICTS)}")
    positions = record.get("positions")
    if positions is not None and positions not in POSITIONS:
        raise _WrongError(f"positions is {positions!r}", f"choose one of {', '.join(POSITIONS)}, or leave it out")
    span = None if verdict == MISSING else _bounds(record, "the gold span")
    return Override(source, number, verdict, *_place(record), span, _target(record, verdict), record, positions)


def _place(record: Mapping[str, Any]) -> tuple[int | None, str | int | None]:
    """The sentence and the document, one of which must be named."""
    sentence, document = record.get("sentence"), record.get("document")
    if sentence is not None and not _is_number(sentence, 1):
        raise _WrongError(f"sentence is {sentence!r}", "give its number in the file, from 1")
    if document is not None and not isinstance(document, str) and not _is_number(document, 1):
        raise _WrongError(f"document is {document!r}", "give its name, or its number in the file, from 1")
    if sentence is None and document is None:
        raise _WrongError("names neither a sentence nor a document", "give its number or, of a document, its name")
    return sentence, document


def _target(record: Mapping[str, Any], verdict: str) -> dict[str, Any]:
    """What `to` names; empty where the verdict has none."""
    to = record.get("to")
    needed = _NEEDED.get(verdict)
    if needed is None:
        if to is not None:
            raise _WrongError(f"has `to`, which {verdict!r} does not take", "leave it out")
        return {}
    if not isinstance(to, dict):
        raise _WrongError(f"has the verdict {verdict!r} and no `to`", "say there what the span should be")
    strange = [key for key in to if key not in _PARTS]
    if strange:
        raise _WrongError(f"`to` has {strange[0]!r}", f"name {', '.join(_PARTS)} there, and other keys beside it")
    if not any(part in to for part in needed):
        raise _WrongError(f"has the verdict {verdict!r}, and `to` does not name {' or '.join(needed)}", "name it there")
    _bounds(to if verdict == MISSING else {**record, **to}, "`to`")
    return to


def _bounds(record: Mapping[str, Any], what: str) -> LabeledBounds:
    """Start, end and label, if they are such."""
    start, end, label = (record.get(part) for part in _PARTS)
    if not _is_number(start, 0) or not _is_number(end, 0) or start >= end:
        finding = f"start and end of {what} are {start!r} and {end!r}"
        raise _WrongError(finding, "count from 0, with the end exclusive, in tokens or characters")
    if not isinstance(label, str) or not label:
        raise _WrongError(f"the label of {what} is {label!r}", "give its name")
    if len(label) > LABEL_LIMIT.value:
        error = long_label(label)
        raise _WrongError(error.finding, error.remedy)
    return LabeledBounds(start, end, label)


def _is_number(value: Any, least: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _LARGEST
