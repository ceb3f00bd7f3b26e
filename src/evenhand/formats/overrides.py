"""Files of overrides: JSON lines, each with a correction of one span of a gold standard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any, TypeGuard

import msgspec

from evenhand.data.overrides import (
    BOUNDS,
    LABEL,
    MISSING,
    POSITIONS,
    RIGHT,
    STATUSES,
    UNCLEAR,
    VERDICTS,
    LabeledBounds,
    Override,
    Overrides,
)
from evenhand.errors import LABEL as LABEL_LIMIT
from evenhand.errors import InputError, long_label, reason_of
from evenhand.formats.paths import decode_utf8, read_small_data
from evenhand.formats.storage import to_path

_PARTS = ("start", "end", "label")
_NEEDED = {LABEL: ("label",), BOUNDS: ("start", "end"), MISSING: _PARTS}
"""The verdicts with a `to`, and what it must name: one of the bounds, or all."""
_LARGEST = 1 << 31
"""More than the sentences of any file and the tokens of any sentence."""
Fail = Callable[[str, str], InputError]
"""Makes the error of a line, given the finding and the remedy."""
_EXAMPLE = '{"sentence": 12, "start": 3, "end": 5, "label": "ORG", "verdict": "spurious"}'


def read_overrides(path: str | PathLike[str]) -> Overrides:
    """Read and check all lines of a file. Whether they fit a gold standard is checked when they are applied."""
    file = to_path(path)
    data = read_small_data(file, "file of overrides")
    lines = enumerate(decode_utf8(data, file).split("\n"), 1)
    overrides = [_parse(str(file), number, line) for number, line in lines if line.strip()]
    from hashlib import sha256  # rare

    return Overrides(file.name, sha256(data).hexdigest(), overrides)


def to_lines(overrides: Iterable[Override]) -> str:
    """The contents of a file with these overrides, with all of their keys."""
    return "".join(json.dumps(override.record, ensure_ascii=False) + "\n" for override in overrides)


def _parse(source: str, number: int, line: str) -> Override:
    fail = partial(InputError, source, number)
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise fail(f"is not JSON ({reason_of(error)})", f"write one object per line: {_EXAMPLE}") from None
    if not isinstance(record, dict):
        raise fail("is not an object", f"write one: {_EXAMPLE}")
    verdict = record.get("verdict")
    if verdict not in VERDICTS:
        raise fail(f"the verdict is {verdict!r}", f"choose one of {', '.join(VERDICTS)}")
    positions = record.get("positions")
    if positions is not None and positions not in POSITIONS:
        raise fail(f"positions is {positions!r}", f"choose one of {', '.join(POSITIONS)}, or remove it")
    status, voters = record.get("status"), record.get("voters", [])
    if status is not None and status not in STATUSES:
        raise fail(f"the status is {status!r}", f"choose one of {', '.join(STATUSES)}, or remove it")
    if not isinstance(voters, list) or not all(isinstance(voter, str) for voter in voters):
        raise fail(f"voters is {voters!r}", "use a list of names of systems, or remove it")
    if status is not None and verdict in (RIGHT, UNCLEAR):
        span, to = _reviewed(record, fail)
    else:
        span = None if verdict == MISSING else _bounds(record, "the gold span", fail)
        to = _target(record, verdict, fail)
    return Override(source, number, verdict, *_location(record, fail), span, to, record, positions)


def _reviewed(record: Mapping[str, Any], fail: Fail) -> tuple[LabeledBounds | None, dict[str, Any]]:
    """The gold span of a proposal that is not accepted; if the proposal adds a span, no gold span and this span."""
    if any(part in record for part in _PARTS):
        return _bounds(record, "the gold span", fail), {}
    return None, _target(record, MISSING, fail)


def _location(record: Mapping[str, Any], fail: Fail) -> tuple[int | None, str | int | None]:
    """The sentence and the document; one of them is required."""
    sentence, document = record.get("sentence"), record.get("document")
    if sentence is not None and not _is_number(sentence, 1):
        raise fail(f"sentence is {sentence!r}", "use its number in the file, from 1")
    if document is not None and not isinstance(document, str) and not _is_number(document, 1):
        raise fail(f"document is {document!r}", "use its name, or its number in the file, from 1")
    if sentence is None and document is None:
        raise fail(
            "has neither a sentence nor a document",
            "add the number of the sentence, or the name or number of the document",
        )
    return sentence, document


def _target(record: Mapping[str, Any], verdict: str, fail: Fail) -> dict[str, Any]:
    """The contents of `to`; empty if the verdict has none."""
    to = record.get("to")
    needed = _NEEDED.get(verdict)
    if needed is None:
        if to is not None:
            raise fail(f"has `to`, which {verdict!r} does not use", "remove it")
        return {}
    if not isinstance(to, dict):
        raise fail(f"has the verdict {verdict!r} but no `to`", "add `to` with the correct span")
    unknown = [key for key in to if key not in _PARTS]
    if unknown:
        raise fail(f"`to` has {unknown[0]!r}", f"use only {', '.join(_PARTS)} there, and write other keys next to it")
    if not any(part in to for part in needed):
        raise fail(f"has the verdict {verdict!r}, but `to` lacks {' or '.join(needed)}", "add it there")
    _bounds(to if verdict == MISSING else {**record, **to}, "`to`", fail)
    return to


def _bounds(record: Mapping[str, Any], what: str, fail: Fail) -> LabeledBounds:
    start, end, label = (record.get(part) for part in _PARTS)
    if not _is_number(start, 0) or not _is_number(end, 0) or start >= end:
        finding = f"start and end of {what} are {start!r} and {end!r}"
        raise fail(finding, "count from 0, with the end exclusive, in tokens or characters")
    if not isinstance(label, str) or not label:
        raise fail(f"the label of {what} is {label!r}", "write its name")
    if len(label) > LABEL_LIMIT.value:
        error = long_label(label)
        raise fail(error.finding, error.remedy)
    return LabeledBounds(start, end, label)


def _is_number(value: Any, minimum: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and minimum <= value < _LARGEST
