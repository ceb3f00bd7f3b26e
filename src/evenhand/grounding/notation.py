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
_LONG = 600
"""Digits of an integer that Python may refuse to convert: a user can set its limit to 640, and no lower."""
_TO_PYTHON = {"null": "None", "true": "True", "false": "False"}
_TO_JSON = {python: name for name, python in _TO_PYTHON.items()}
STRING = r""""[^"\\]*+(?:\\.?[^"\\]*+)*+"?|'[^'\\]*+(?:\\.?[^'\\]*+)*+'?"""
"""A string in either kind of quotes, which may lack its end."""
_TOKEN = re.compile(rf"{STRING}|\b(?:null|true|false|None|True|False)\b|,(?=\s*[\]}}])", re.DOTALL)
"""What JSON and Python write in different ways: strings, constants, and a comma too many."""


def json_value(text: str) -> object:
    """The value of a text in JSON; strings may hold line breaks."""
    try:
        return DECODER.decode(text)
    except _ERRORS:
        return NOTHING


def python_value(text: str) -> object:
    """The value of a literal in Python's notation, where `null`, `true` and `false` may stand as in JSON.

    Literals without escapes become JSON first, which is five times as fast; the others are left to Python.
    """
    if "\\" not in text and (value := json_value(_TOKEN.sub(_as_json, text))) is not NOTHING:
        return value
    if any(name in text for name in _TO_PYTHON):
        text = _TOKEN.sub(lambda token: _TO_PYTHON.get(token[0], token[0]), text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "\d" in strings
            return ast.literal_eval(text)
    except _ERRORS:
        return NOTHING


def _as_json(token: re.Match[str]) -> str:
    """A token of Python's notation as JSON; a comma too many is left out."""
    written = token[0]
    if written[0] == "'" and written[-1] == "'" and len(written) > 1:
        return '"' + written[1:-1].replace('"', '\\"') + '"'
    return "" if written == "," else _TO_JSON.get(written, written)


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


def _integer(digits: str) -> int | str:
    """An integer; as it stands where it is longer than Python converts."""
    return int(digits) if len(digits) < _LONG else digits


DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object, parse_int=_integer)
