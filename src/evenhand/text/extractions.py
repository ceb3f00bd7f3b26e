"""Answers of language models about documents: strings and labels without positions, still to be placed in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

from evenhand.dataclass import dataclass

LAYER = "extractions"
"""The layer that holds them, and the format that they are read in."""
DEEPEST = 100
"""How deep values of an answer may be nested; what lies deeper is malformed."""


class Answer(NamedTuple):
    """An answer: the text that a model wrote, decoded data, or `Calls`."""

    content: object
    label: str | None = None
    """The only label that was asked for, where there is one."""


@dataclass(frozen=True)
class Extractions:
    """The answers about each document: one, or one for every label that was asked for."""

    answers: tuple[tuple[Answer, ...], ...]

    def __len__(self) -> int:
        return len(self.answers)

    def contents(self) -> Iterator[object]:
        """What was written, in its order."""
        return (answer.content for answers in self.answers for answer in answers)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> Extractions:
        """Those of successive batches."""
        return Extractions(tuple(chain.from_iterable(part[name].answers for part in parts)))


OFFSET_LISTS = "offset lists"
"""The layer with spans of texts that are on the other side only."""


@dataclass(frozen=True)
class OffsetLists:
    """Spans with offsets into texts that their file does not have, for each text, and what they quote."""

    spans: tuple[Sequence[Any], ...]
    quotes: tuple[Sequence[Any], ...]
    counting: str | None = None
    """How offsets count, if a user says."""

    def __len__(self) -> int:
        return len(self.spans)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> OffsetLists:
        """Those of successive batches."""
        lists = [part[name] for part in parts]
        spans, quotes = (chain.from_iterable(getattr(each, name) for each in lists) for name in ("spans", "quotes"))
        return OffsetLists(tuple(spans), tuple(quotes), self.counting)


class Calls(tuple[object, ...]):
    """The arguments of the tool calls of one answer, decoded or as JSON: together they are the answer."""


class UnreadableError(TypeError):
    """An object that is neither text nor data; its text is the name of its type."""


def plain_value(value: object, depth: int = 0) -> object:
    """An answer as text, numbers, lists and dictionaries, with a replacement character for halves of surrogate pairs.

    Objects of pydantic (1 and 2), dataclasses, named tuples, attrs, enumerations, arrays and namespaces are read by
    their fields, and messages of APIs that are neither by their attributes. Other objects raise `UnreadableError`.
    Values that are nested deeper than any item stay as they are.
    """
    if isinstance(value, Enum):
        return plain_value(value.value, depth + 1)
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, bool | int | float) or depth > DEEPEST:
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        value = dict(zip(value._fields, value, strict=True))
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(each, depth + 1) for each in value]
    if isinstance(value, Mapping):
        keys = (plain_value(key) if isinstance(key, str) else key for key in value)
        return dict(zip(keys, (plain_value(each, depth + 1) for each in value.values()), strict=True))
    if isinstance(value, _WRITTEN):
        return str(value)
    return plain_value(_fields(value), depth + 1)


def _fields(value: object) -> object:
    """The content of an object: a dictionary of its fields, or a list."""
    kind = type(value)
    if not isinstance(value, type):
        for method in ("model_dump", "tolist"):  # of pydantic, of NumPy
            if callable(getattr(kind, method, None)):
                return getattr(value, method)()
        if callable(getattr(kind, "dict", None)) and hasattr(kind, "__fields__"):  # of pydantic 1
            return value.dict()  # type: ignore[attr-defined]
        if is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in fields(value)}
        if hasattr(kind, "__attrs_attrs__"):
            return {field.name: getattr(value, field.name) for field in kind.__attrs_attrs__}
        if isinstance(value, SimpleNamespace):
            return vars(value)
        if known := {name: getattr(value, name) for name in _ATTRIBUTES if _is_set(value, name)}:
            return known
    raise UnreadableError(kind.__name__ if not isinstance(value, type) else f"class {value.__name__}")


_WRITTEN = (Decimal, Fraction, date, time, UUID, PurePath)
"""Types of values that are read as their text."""
_ATTRIBUTES = (
    *("choices", "message", "messages", "tool_calls", "function_call", "function", "arguments", "args", "input"),
    *("output", "content", "parsed", "role", "type"),
)
"""Attributes of messages, by which objects are read that have no other way to list their fields."""


def _is_set(value: object, name: str) -> bool:
    found = getattr(value, name, None)
    return found is not None and not callable(found)


_ENVELOPES = ("message", "response", "body", "result", "content")
"""Keys of records whose value may be a message."""


def answer_in(value: object) -> object:
    """The answer in a message of an API; other values are answers themselves.

    Of chat completions, the first choice counts, and of a conversation the last message. If a message calls tools,
    their arguments are the answer (`Calls`): `tool_calls` and `function_call` of OpenAI, items `function_call` of its
    responses, blocks `tool_use` of Anthropic, `tool_calls` of LangChain, `functionCall` of Gemini. Otherwise it is what
    was parsed, or the text.
    """
    if isinstance(value, list):
        return _in_blocks(value) if value and all(map(_is_block, value)) else value
    if not isinstance(value, Mapping):
        return value
    for key in ("choices", "candidates", "messages"):
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(isinstance(each, Mapping) for each in inner):
            said = [each for each in inner if each.get("role") in ("assistant", "model", "ai")]
            chosen = (said or inner)[-1] if key == "messages" else inner[0]
            return answer_in(chosen) if "text" not in chosen or "message" in chosen else chosen["text"]
    for key in _ENVELOPES:
        if isinstance(value.get(key), Mapping) and is_message(value[key]):
            return answer_in(value[key])
    calls = value.get("tool_calls") or value.get("function_call")
    if calls is not None and (found := _arguments(calls if isinstance(calls, list) else [calls])):
        return found
    if not is_message(value):
        return value
    if value.get("parsed") is not None:
        return value["parsed"]
    content = next(
        (value[key] for key in ("content", "output", "parts", "refusal") if value.get(key) is not None), None
    )
    return answer_in(content)


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether a record is a message of an API, or holds one."""
    if any(isinstance(value.get(key), list) for key in ("choices", "candidates")) or "tool_calls" in value:
        return True
    if isinstance(value.get("function_call"), Mapping) and "arguments" in value["function_call"]:
        return True
    if any(isinstance(value.get(key), Mapping) and is_message(value[key]) for key in _ENVELOPES):
        return True
    messages = value.get("messages")
    if (
        isinstance(messages, list)
        and messages
        and all(isinstance(each, Mapping) and "role" in each for each in messages)
    ):
        return True
    if isinstance(value.get("role"), str) and ("content" in value or "parts" in value):
        return True
    blocks = next((value[key] for key in ("content", "output", "parts") if isinstance(value.get(key), list)), None)
    return bool(blocks) and all(map(_is_block, blocks or []))


_PAYLOADS = {
    **dict.fromkeys(("text", "output_text", "input_text"), "text"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), ""),
    **dict.fromkeys(("tool_use", "server_tool_use"), "input"),
    **dict.fromkeys(("function_call", "custom_tool_call"), "arguments"),
    "message": "content",
    "refusal": "refusal",
    "tool_call": "args",
    "function": "function",
}
"""Types of blocks of a message, and the key of their content; thoughts have none that counts."""


def _is_block(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "type" not in value and (_called(value) or (isinstance(value.get("text"), str) and len(value) == 1)):
        return True  # a part of Gemini's
    kind = value.get("type")
    return isinstance(kind, str) and kind in _PAYLOADS and (not _PAYLOADS[kind] or _PAYLOADS[kind] in value)


def _in_blocks(blocks: list[Any]) -> object:
    """The arguments of tool calls among blocks, or their text."""
    called = [each for each in blocks if _is_call(each)]
    if called:
        return _arguments(called)
    texts = [answer_in(each[key]) for each in blocks if (key := _PAYLOADS.get(each.get("type", "text"), ""))]
    if len(texts) == 1:
        return texts[0]
    calls = [found for each in texts if isinstance(each, Calls) for found in each]
    return Calls(calls) if calls else "\n".join(each for each in texts if isinstance(each, str))


def _is_call(block: Mapping[str, Any]) -> bool:
    return _called(block) or _PAYLOADS.get(block.get("type", "")) in ("input", "arguments", "args", "function")


def _called(block: Mapping[str, Any]) -> bool:
    """Whether a part of Gemini's calls a function."""
    return any(isinstance(block.get(key), Mapping) for key in ("functionCall", "function_call"))


def _arguments(calls: list[Any]) -> Calls:
    """The arguments of tool calls; those of OpenAI are JSON in a string."""
    found = []
    for call in calls:
        inner = call
        for key in ("function", "functionCall", "function_call"):
            inner = inner[key] if isinstance(inner, Mapping) and isinstance(inner.get(key), Mapping) else inner
        if isinstance(inner, Mapping):
            found += [inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None][:1]
    return Calls(found)
