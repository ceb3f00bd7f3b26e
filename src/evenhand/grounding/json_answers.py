"""Answers in JSON and in similar notations: in fences, between sentences, in Python's notation, cut off.

There are six steps. Each is tried on all fenced blocks, from the last, and then on the whole answer, before the next:

1. JSON from the first bracket to the last: `ok`.
2. The same in Python's notation (single quotes, trailing commas): `repaired`.
3. If brackets are not closed: the text up to the last comma outside a string, with the brackets closed: `salvaged`. If
   there are objects, also in Python's notation; lists are left to step 5, which loses nothing of them.
4. All JSON values from left to right, except lists of numbers: `ok`, or `salvaged` if a bracket does not open a value.
5. The innermost brackets in Python's notation, or without quotes, `[Ada, PER, 0, 1]`: `salvaged`.
6. `unparsable`.

If an answer has several lists, such as a draft and a final one, the last complete one counts. It is searched before
step 3; among fenced blocks, the last readable one counts anyway. Complete answers are lists of items, objects with such
a list, and objects of labels with a label in common. Single items are not complete answers, so all of them count.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from evenhand.data.layers import score_keys
from evenhand.data.structures import MAX_DEPTH
from evenhand.grounding.items import TEXT_KEYS, How, Item, KnownLabels, ReadAnswer, fenced_blocks, says_nothing

NOTHING: Final = object()
"""The result of a failed parse; None is a value."""
MAX_FAILURES = 1_000
"""Number of brackets that open no JSON value after which step 4 ends."""
MAX_WORK = 10_000_000
"""Number of characters read for such brackets after which step 4 ends."""
MAX_BRACKETS = 100_000
"""Number of innermost brackets that are read."""
_MAX_LITERALS, _MAX_LITERAL = 20, 100_000
"""While searching lists: number of brackets that open no JSON, and length of a value in Python's notation."""
WRAPPERS = ("entities", "extractions", "items", "results", "spans", "annotations", "ner", "output", "answer")
"""Keys whose lists and objects hold the items."""
_LABELS = ("label", "type", "entity_type", "entity_group", "category", "class", "extraction_class", "tag", "entity")
"""Keys of an item's label, by priority."""
_SPECIAL = frozenset((*TEXT_KEYS, *_LABELS))
_FINAL = re.compile(r"final", re.IGNORECASE)
"""The beginning of the key of the last of several lists: `{"draft": […], "final": […]}`."""
_IGNORED_SUFFIXES = ("_attributes", "_index")
"""Suffixes of keys that LangExtract adds to an item."""
_OPENING = re.compile(r"[\[{]")
_CLOSING = {"[": "]", "{": "}"}
_INNERMOST = re.compile(r"\[[^\[\]{}]*+\]|\{[^\[\]{}]*+\}")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_AROUND = " \t\r\n'\"‘’‚“”„`"
"""Blanks and quotes, paired or not, that may surround a string."""
_Object = Mapping[object, object]
_Values = tuple[list[object], How]
_Steps = tuple[Callable[[str], _Values | None], ...]
_ERRORS = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)
"""Errors of parsers, including integers of more than 4,300 digits, deep nesting and lists as keys."""
_LONG = 600
"""Number of digits from which Python may refuse to convert an integer; its limit is at least 640."""
_TO_PYTHON = {"null": "None", "true": "True", "false": "False"}
_TO_JSON = {python: name for name, python in _TO_PYTHON.items()}
STRING = r""""[^"\\]*+(?:\\.?[^"\\]*+)*+"?|'[^'\\]*+(?:\\.?[^'\\]*+)*+'?"""
"""A string in either kind of quotes, which may be unclosed."""
_TOKEN = re.compile(rf"{STRING}|[\[\]{{}},]", re.DOTALL)
_PYTHON_TOKEN = re.compile(rf"{STRING}|\b(?:null|true|false|None|True|False)\b|,(?=\s*[\]}}])", re.DOTALL)
"""Tokens that differ between JSON and Python: strings, constants, and trailing commas."""


def json_value(text: str, decoder: json.JSONDecoder | None = None) -> object:
    """Return the value of JSON text, whose strings may contain line breaks; `NOTHING` if it is not JSON."""
    try:
        return (decoder or DECODER).decode(text)
    except _ERRORS:
        return NOTHING


def python_value(text: str, decoder: json.JSONDecoder | None = None) -> object:
    """Return the value of a literal in Python's notation, which may contain `null`, `true` and `false`.

    Literals without escapes are converted to JSON, which is five times as fast; Python parses the others.
    """
    if "\\" not in text and (value := json_value(_PYTHON_TOKEN.sub(_to_json_token, text), decoder)) is not NOTHING:
        return value
    if any(name in text for name in _TO_PYTHON):
        text = _PYTHON_TOKEN.sub(lambda token: _TO_PYTHON.get(token[0], token[0]), text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "\d" in strings
            return ast.literal_eval(text)
    except _ERRORS:
        return NOTHING


def _to_json_token(token: re.Match[str]) -> str:
    """Convert a token from Python's notation to JSON; a trailing comma is dropped."""
    written = token[0]
    if written[0] == "'" and written[-1] == "'" and len(written) > 1:
        return '"' + written[1:-1].replace('"', '\\"') + '"'
    return "" if written == "," else _TO_JSON.get(written, written)


def json_value_at(text: str, start: int, decoder: json.JSONDecoder | None = None) -> tuple[object, int]:
    """Return the JSON value that begins here and its end, or `NOTHING` and the position of the error."""
    try:
        return (decoder or DECODER).raw_decode(text, start)
    except json.JSONDecodeError as error:
        return NOTHING, error.pos
    except _ERRORS:
        return NOTHING, len(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; the values of a repeated key become one list."""
    values = dict(pairs)
    if len(values) == len(pairs):
        return values
    by_key: dict[str, list[object]] = {key: [] for key in values}
    for key, value in pairs:
        by_key[key].append(value)
    for key, parts in by_key.items():
        members = [part for value in parts for part in (value if isinstance(value, list) else [value])]
        values[key] = parts[0] if len(parts) == 1 else members
    return values


DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_object, parse_int=lambda digits: int(digits) if len(digits) < _LONG else digits
)


def items_of(values: Iterable[object], labels: KnownLabels, label: str | None, how: How = "ok") -> ReadAnswer:
    """Return the items of an answer's values in order; `label` is the label of strings without one."""
    collector = _Collector(labels, label)
    for value in values:
        collector.read(value, None, 0, is_top=True)
    return ReadAnswer(
        tuple(collector.items),
        how,
        collector.malformed,
        respelled=collector.respelled,
        has_several=collector.has_several,
    )


class _Collector:
    """Collects items; an outer label, of the object around a value, overrides the value's own label."""

    def __init__(self, labels: KnownLabels, label: str | None) -> None:
        self.labels, self.label = labels, label
        self.items: list[Item] = []
        self.malformed = self.respelled = 0
        self.has_several = False

    def read(self, value: object, outer: str | None, depth: int, *, is_top: bool = False) -> None:
        if depth > MAX_DEPTH:
            self.malformed += 1
        elif isinstance(value, Mapping):
            self.read_object(value, outer, depth, is_top=is_top)
        elif isinstance(value, list | tuple | set | frozenset):
            self.read_list(list(value), outer, depth, is_top=is_top)
        else:
            self.add(value, outer or self.label)

    def read_list(self, values: list[object], outer: str | None, depth: int, *, is_top: bool) -> None:
        """Read a pair of a text and a label, possibly with numbers; or separate values."""
        if outer is None and (pair := self.pair(values, is_top=is_top)):
            self.add(*pair)
            return
        for value in values:
            if outer is None and depth < MAX_DEPTH and (item := self.plain_item(value)):
                self.items.append(item)
            else:
                self.read(value, outer, depth + 1)

    def pair(self, values: list[object], *, is_top: bool) -> tuple[str, str] | None:
        """Return the text and the label of a list of scalars with two strings.

        One of the strings must be a known label at the top level, or if the answer needs no labels: then unknown
        strings are texts.
        """
        strings = [value for value in values if isinstance(value, str)]
        if len(strings) != 2 or not all(value is None or _is_scalar(value) for value in values):
            return None
        first, second = strings
        is_turned = self.is_known(first) and not self.is_known(second)
        if not self.is_known(first) and not self.is_known(second) and (is_top or self.label):
            return None
        return (second, first) if is_turned else (first, second)

    def plain_item(self, value: object) -> Item | None:
        """Fast path for the most frequent item: a string and a known label, and nothing else."""
        if type(value) is not dict or len(value) != 2:
            return None
        text, label = value.get("text"), value.get("label")
        if type(text) is not str or type(label) is not str or label not in self.labels.names:
            return None
        return Item(text, label) if text and not text.isspace() else None

    def read_object(self, value: _Object, outer: str | None, depth: int, *, is_top: bool) -> None:
        """Read a wrapper of items, an item, or labels with their strings."""
        text_key = next((key for key in TEXT_KEYS if _is_scalar(value.get(key))), None)
        own = next((name for key in _LABELS if key != text_key and (name := _filled(value.get(key)))), None)
        known = outer or (own if self.is_known(own) else None)
        texts = [value[key] for key in TEXT_KEYS if _is_nested(value.get(key))]
        final = [key for key in value if isinstance(key, str) and _FINAL.match(key) and _is_nested(value[key])]
        if final and not any(map(self.is_known, value)):
            self.has_several = self.has_several or sum(isinstance(member, list) for member in value.values()) > 1
            self.read(value[final[-1]], known, depth + 1, is_top=is_top)
            return
        for key in WRAPPERS:
            if _is_nested(value.get(key)) and not self.is_known(key):
                self.read(value[key], known, depth + 1, is_top=is_top)
                return
        if text_key and known:
            self.add(value[text_key], known, value.get("start"), value.get("end"), _score(value))
        elif _SPECIAL.isdisjoint(value) or any(map(self.is_known, value)) or (texts and not text_key and not own):
            self.read_mapping(value, outer, depth)
        elif text_key or not texts:
            string = value[text_key] if text_key else None
            self.add(string, own or self.label, value.get("start"), value.get("end"), _score(value))
        else:
            self.read(texts[0], outer or own, depth + 1)

    def read_mapping(self, value: _Object, outer: str | None, depth: int) -> None:
        """Read labels with their strings or items; or strings with their labels, if only these are known."""
        for key, content in value.items():
            if not isinstance(key, str):
                self.malformed += 1
            elif key.endswith(_IGNORED_SUFFIXES) or _is_void(content):
                continue
            elif outer is None and not self.is_known(key) and (known := self.known_in(content)):
                for label in known:
                    self.add(key, label)
            else:
                self.read(content, outer or key, depth + 1)

    def is_known(self, name: object) -> bool:
        return isinstance(name, str) and self.labels.find(name) is not None

    def known_in(self, content: object) -> list[str]:
        """Return the labels in a value that consists only of known labels."""
        parts = content if isinstance(content, list) else [content]
        known = [part for part in parts if isinstance(part, str) and self.is_known(part)]
        return known if len(known) == len(parts) else []

    def add(
        self, text: object, label: str | None, start: object = None, end: object = None, score: float | None = None
    ) -> None:
        string = _string(text)
        if label is None or not label.strip() or not string.strip():
            self.malformed += 1
            return
        known = self.labels.find(label)
        self.respelled += known is not None and known != label
        first, last = (start, end) if type(start) is int and type(end) is int else (None, None)
        self.items.append(Item(string, known or label, first, last, score))


def _score(value: _Object) -> float | None:
    """The confidence of an item: a finite number under one of the usual names."""
    values = [value[key] for key in score_keys(key for key in value if isinstance(key, str))]
    numbers = (number for number in values if isinstance(number, int | float) and not isinstance(number, bool))
    return next((float(number) for number in numbers if abs(number) <= sys.float_info.max), None)


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple | set | frozenset)


def _filled(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _is_scalar(value: object) -> bool:
    """Whether this is a string or a number; `true` and `false` are neither a text nor an offset."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_void(content: object) -> bool:
    """Whether a label has no string: null, an empty string, or `none`."""
    return content is None or (isinstance(content, str) and (not content.strip() or says_nothing(content)))


def _string(value: object) -> str:
    """Return a string or number as text, and "" for other values."""
    if isinstance(value, str):
        return value
    if not _is_scalar(value) or value != value:  # NaN
        return ""
    try:
        return str(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""


def bare_values(text: str, labels: KnownLabels) -> Iterator[object]:
    """Yield values of innermost brackets: in Python's notation, or an unquoted string, a known label and numbers."""
    for match in islice(_INNERMOST.finditer(text), MAX_BRACKETS):
        value = python_value(match[0]) if "'" in match[0] or '"' in match[0] else NOTHING
        if value is NOTHING:
            value = _pair(match[0][1:-1], labels)
        if value is not NOTHING:
            yield value


def _pair(content: str, labels: KnownLabels) -> object:
    """Return the string and the label, if there is one known label with only numbers after it."""
    parts = [part.strip(_AROUND) for part in content.split(",")]
    known = [index for index, part in enumerate(parts) if labels.find(part) is not None]
    if len(known) != 1 or not all(map(_NUMBER.fullmatch, parts[known[0] + 1 :])):
        return NOTHING
    text = ",".join(content.split(",")[: known[0]]).strip(_AROUND)
    return [text, parts[known[0]]] if text else NOTHING


def read_json(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """Return the items of an answer in JSON, by the steps above."""
    if says_nothing(answer):
        return ReadAnswer()
    blocks = [block for block in (*reversed(fenced_blocks(answer)), answer) if _OPENING.search(block)]
    last_of_several = partial(_last_of_several, labels, label)
    innermost = partial(_innermost, labels)
    steps: _Steps = (_as_json, _as_python, last_of_several, _cut_off, _json_values, innermost)
    for step in steps:
        for block in blocks:
            if values := step(block):
                read = items_of(values[0], labels, label, values[1])
                has_several = step is last_of_several or _has_another(answer, block, values[0], labels, label)
                return replace(read, has_several=True) if has_several else read
    return ReadAnswer(how="unparsable")


def answered_values(answer: str, decoder: json.JSONDecoder) -> _Values:
    """Return the values of an answer in JSON by steps 1 to 4, for a reader that knows no labels."""
    blocks = [*reversed(fenced_blocks(answer)), answer]
    for step in (_as_json, _as_python, _cut_off, _json_values):
        for block in blocks:
            if values := step(block, decoder):
                return values
    return [], "unparsable"


def _last_of_several(labels: KnownLabels, label: str | None, block: str) -> _Values | None:
    """Return the last complete list of a block with several, or with one and items of another that is cut off."""
    values = list(_values_in(block))
    complete = [row for row, (value, _) in enumerate(values) if _is_complete(value, labels, label)]
    if not complete or len(values) < 2:
        return None
    last = values[complete[-1]]
    if len(complete) == 1 and not any(_is_item(value) for row, (value, _) in enumerate(values) if row != complete[0]):
        return None
    if isinstance(last[0], dict) and not _is_wrapper(last[0]) and _have_different_labels(values, complete):
        return None
    return [last[0]], last[1]


def _have_different_labels(values: Sequence[tuple[object, How]], complete: Sequence[int]) -> bool:
    """Whether all are objects of labels without a common label, so each is a part of the answer."""
    objects = [value for row in complete if isinstance(value := values[row][0], dict)]
    keys = [key for value in objects for key in value]
    return len(set(keys)) == len(keys) and len(objects) == len(complete)


def _has_another(answer: str, block: str, values: Sequence[object], labels: KnownLabels, label: str | None) -> bool:
    """Whether a fenced block with a complete list is not the only one in its answer."""
    if block is answer or len(values) != 1 or not _is_complete(values[0], labels, label):
        return False
    others = [other for other in fenced_blocks(answer) if other != block]
    outside = "".join(answer.split("```")[0::2])
    return any(_is_complete(value, labels, label) for other in (*others, outside) for value, _ in _values_in(other))


def _values_in(block: str) -> Iterator[tuple[object, How]]:
    """Yield the outermost values in JSON or in Python's notation, from left to right.

    A comma between values means that they are parts of one list with unpaired brackets; nothing follows it.
    """
    failures = work = last = 0
    bracket = _OPENING.search(block)
    while bracket and failures < _MAX_LITERALS and work < MAX_WORK:
        value, end = json_value_at(block, bracket.start())
        how: How = "ok"
        if value is NOTHING:
            failures += 1
            work += end - bracket.start()
            end = _closing(block, bracket.start())
            value, how = python_value(block[bracket.start() : end]) if end else NOTHING, "repaired"
        if value is NOTHING:
            end = bracket.end()
        elif not _is_numbers(value):
            if last and block[last : bracket.start()].strip() == ",":
                return
            yield value, how
            last = end
        bracket = _OPENING.search(block, end)


def _closing(block: str, start: int) -> int:
    """Return the end of the bracket that opens here; 0 if it is not closed, or too far away."""
    stack: list[str] = []
    for match in _TOKEN.finditer(block, start, start + _MAX_LITERAL):
        token = match[0]
        if token in _CLOSING:
            stack.append(token)
        elif stack and token == _CLOSING[stack[-1]]:
            stack.pop()
            if not stack:
                return match.end()
    return 0


def _is_complete(value: object, labels: KnownLabels, label: str | None) -> bool:
    """Whether a value is a complete answer, not an item."""
    if isinstance(value, list):
        return not value or label is not None or any(isinstance(member, list | tuple | dict) for member in value)
    if isinstance(value, dict):
        return _is_wrapper(value) or (
            bool(value) and all(isinstance(key, str) and labels.find(key) is not None for key in value)
        )
    return False


def _is_wrapper(value: dict[object, object]) -> bool:
    return any(isinstance(value.get(key), list | dict) for key in WRAPPERS)


def _is_item(value: object) -> bool:
    """Whether a value is one item: an object with a text, or a pair."""
    if isinstance(value, dict):
        return any(key in value for key in TEXT_KEYS)
    return isinstance(value, list | tuple) and sum(isinstance(member, str) for member in value) > 1


def _bracketed(block: str) -> str:
    first = _OPENING.search(block)
    return block[first.start() : max(block.rfind("]"), block.rfind("}")) + 1] if first else ""


def _as_json(block: str, decoder: json.JSONDecoder | None = None) -> _Values | None:
    value = json_value(_bracketed(block), decoder)
    return None if value is NOTHING else ([value], "ok")


def _as_python(block: str, decoder: json.JSONDecoder | None = None) -> _Values | None:
    text = _bracketed(block)
    if _open_brackets(text):  # Python would read it to the end, slowly
        return None
    value = python_value(text, decoder)
    return None if value is NOTHING else ([value], "repaired")


def _cut_off(block: str, decoder: json.JSONDecoder | None = None) -> _Values | None:
    first = _OPENING.search(block)
    text = block[first.start() :] if first else ""
    if not _open_brackets(text):
        return None
    commas = [match.start() for match in _TOKEN.finditer(text) if match[0] == ","]
    if not commas:
        return None
    text = text[: commas[-1]]
    text += "".join(_CLOSING[bracket] for bracket in reversed(_open_brackets(text)))
    value = json_value(text, decoder)
    if value is NOTHING and "{" in text:
        value = python_value(text, decoder)
    return None if value is NOTHING else ([value], "salvaged")


def _open_brackets(text: str) -> list[str]:
    """Return the unclosed brackets outside strings, from the outermost."""
    stack: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _CLOSING:
            stack.append(token)
        elif stack and token == _CLOSING[stack[-1]]:
            stack.pop()
    return stack


def _json_values(block: str, decoder: json.JSONDecoder | None = None) -> _Values | None:
    values: list[object] = []
    failures = work = 0
    bracket = _OPENING.search(block)
    while bracket and failures < MAX_FAILURES and work < MAX_WORK:
        value, end = json_value_at(block, bracket.start(), decoder)
        if value is NOTHING:
            failures += 1
            work += end - bracket.start()
            end = bracket.end()
        elif not _is_numbers(value):
            values.append(value)
        bracket = _OPENING.search(block, end)
    return (values, "salvaged" if failures else "ok") if values else None


def _innermost(labels: KnownLabels, block: str) -> _Values | None:
    values = [value for value in bare_values(block, labels) if not _is_numbers(value)]
    return (values, "salvaged") if values else None


def _is_numbers(value: object) -> bool:
    """Whether this is a list of numbers, such as a reference in a sentence: [1]."""
    return isinstance(value, list) and bool(value) and all(isinstance(member, int | float) for member in value)
