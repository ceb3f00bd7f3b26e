"""The value in the answer of a system: decoded JSON, what a language model wrote, or the arguments of tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.alignment.records import NO_ANSWER
from evenhand.data.structures import Calls
from evenhand.formats.records import json_decoder
from evenhand.grounding.items import READINGS, fenced_blocks, says_nothing, without_thoughts
from evenhand.grounding.json_answers import NOTHING, answered_values, json_value

STATUSES = (*READINGS, "missing")
"""How answers were read; `missing`: there is none."""
TRIPLE = ("subject", "relation", "object")
MALFORMED = "malformed triples"
_TRIPLE_KEYS = (TRIPLE, ("sub", "rel", "obj"), ("head", "type", "tail"), ("s", "p", "o"))
_DECODER = json_decoder()


def value_of(content: object, gold: object, tool: str | None = None) -> tuple[Any, str]:
    """The value of an answer, and its status. A bare scalar is a value only if gold's value is one."""
    if content is NO_ANSWER:
        return None, "missing"
    if isinstance(content, Calls):
        return _called(content, tool)
    if not isinstance(content, str):
        return content, "ok"
    text = without_thoughts(content)
    if says_nothing(text):
        return None, "ok"
    if gold is not None and not isinstance(gold, dict | list):
        blocks = [block for block in fenced_blocks(text) if block.strip()]
        text = (blocks[-1] if blocks else text).strip()
        value = json_value(text, _DECODER)
        return (text if value is NOTHING else plain(value)), "ok"
    values, how = answered_values(text, _DECODER)
    if not values:
        return None, how
    is_one = len(values) == 1
    return plain(values[0] if is_one else values if isinstance(gold, list) else values[-1]), how


def _called(calls: Calls, tool: str | None) -> tuple[Any, str]:
    """The arguments of one call, or of several as a list of records."""
    names = calls.tools or (None,) * len(calls)
    chosen = [arguments for arguments, name in zip(calls, names, strict=True) if tool in (None, name)]
    read = [answered_values(one, _DECODER) if isinstance(one, str) else ([one], "ok") for one in chosen]
    values = [value for decoded, _ in read for value in decoded]
    worst = max((how for _, how in read), key=READINGS.index, default="ok")
    return plain(values[0] if len(values) == 1 else values or None), worst


def plain(value: Any) -> Any:
    """A decoded value with lists in place of tuples and sets, and texts as keys."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    return value


def at_path(value: Any, path: str | None) -> Any:
    """The part of a value under some keys: `result`, `data.items`."""
    for key in path.split(".") if path else ():
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def wrapper_of(value: Any, gold: Any) -> str | None:
    """The only key of an object around the value, if gold does not have it."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((key, inner),) = value.items()
    is_inside = isinstance(inner, dict | list) and isinstance(gold, dict | list) and type(inner) is type(gold)
    return key if is_inside and not (isinstance(gold, dict) and key in gold) else None


def triples(value: Any) -> tuple[list[dict[str, Any]], list[int]]:
    """The triples of a value as records, and the sizes of those that do not have three parts."""
    if value is None:
        return [], []
    members = value if isinstance(value, list) and not _is_triple(value) else [value]
    records, other_sizes = [], []
    for member in members:
        parts = _parts(member)
        if len(parts) == len(TRIPLE):
            records.append(dict(zip(TRIPLE, parts, strict=True)))
        else:
            other_sizes.append(len(parts))
    return records, other_sizes


def _is_triple(value: list[Any]) -> bool:
    return len(value) == len(TRIPLE) and all(isinstance(part, str) and "|" not in part for part in value)


def _parts(member: Any) -> list[Any]:
    if isinstance(member, str):
        return [part.strip() for part in member.split("|")]
    if isinstance(member, dict):
        keys = next((keys for keys in _TRIPLE_KEYS if member.keys() == set(keys)), None)
        return list(member.values()) if keys is None else [member[key] for key in keys]
    return list(member) if isinstance(member, list) else [member]
