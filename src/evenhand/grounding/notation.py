"""Values in JSON or in Python's notation. Whatever a model writes gives a value or `NOTHING`, never an error."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Final

NOTHING: Final = object()
"""What is returned where there is no value; None is one."""
_ERRORS = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)
"""What parsers raise: integers of more than 4,300 digits, deep nesting and lists as keys included."""
_CONSTANTS = {"null": "None", "true": "True", "false": "False"}
STRING = r""""[^"\\]*+(?:\\.?[^"\\]*+)*+"?|'[^'\\]*+(?:\\.?[^'\\]*+)*+'?"""
"""A string in either kind of quotes, which may lack its end."""
_CONSTANT = re.compile(rf"{STRING}|\b(null|true|false)\b", re.DOTALL)
"""A string, which is passed over, or a constant of JSON."""


def json_value(text: str) -> object:
    """The value of a text in JSON; strings may hold line breaks."""
    try:
        return DECODER.decode(text)
    except _ERRORS:
        return NOTHING


def python_value(text: str) -> object:
    """The value of a literal in Python's notation, where `null`, `true` and `false` may stand as in JSON."""
    if any(name in text for name in _CONSTANTS):
        text = _CONSTANT.sub(lambda match: _CONSTANTS[match[1]] if match[1] else match[0], text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "\d" in strings
            return ast.literal_eval(text)
    except _ERRORS:
        return NOTHING


def json_value_at(text: str, start: int) -> tuple[object, int]:
    """The JSON value that begins here and where it ends; or `NOTHING` and where reading stopped."""
    try:
        return DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return NOTHING, error.pos
    except _ERRORS:
        return NOTHING, len(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; values of a key that stands there several times become one list, so that none is lost."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    several: dict[str, list[object]] = {key: [] for key in found}
    for key, value in pairs:
        several[key].append(value)
    return {key: values[0] if len(values) == 1 else _joined(values) for key, values in several.items()}


def _joined(values: list[object]) -> list[object]:
    return [part for value in values for part in (value if isinstance(value, list) else [value])]


DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object)
