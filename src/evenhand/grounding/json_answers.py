"""Answers in JSON, or in what models write for JSON: in fences, between sentences, in Python's notation, cut off.

Six steps, each over all fenced blocks from the last and then over the whole answer, before the next step:

1. JSON from the first bracket to the last: `ok`.
2. The same in Python's notation (single quotes, a comma too many): `repaired`.
3. If brackets stay open: up to the last comma outside a string, with the brackets closed: `salvaged`. If there are
   objects, in Python's notation, too; lists are left to step 5, which loses nothing of them.
4. All JSON values from left to right, lists of numbers left out: `ok`, or `salvaged` if a bracket opens no value.
5. The innermost brackets in Python's notation, or bare, `[Ada, PER, 0, 1]`: `salvaged`.
6. `unparsable`.

If an answer has several lists, such as a draft and a final one, the last complete one counts. It is looked for before
step 3; of fenced blocks, the last one that can be read counts anyway. Lists are complete answers: lists of items,
objects with such a list, objects of labels with a label in common. Single items are none, so all of them count.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from evenhand.data.structures import MAX_DEPTH
from evenhand.grounding.items import TEXT_KEYS, How, Item, KnownLabels, ReadAnswer, fenced_blocks, says_nothing

# == grounding/notation.py: Values in JSON or in Python's notation. Whatever a model wri


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
_TOKEN_NOTATION = re.compile(rf"{STRING}|\b(?:null|true|false|None|True|False)\b|,(?=\s*[\]}}])", re.DOTALL)
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
    if "\\" not in text and (value := json_value(_TOKEN_NOTATION.sub(_as_json_notation, text))) is not NOTHING:
        return value
    if any(name in text for name in _TO_PYTHON):
        text = _TOKEN_NOTATION.sub(lambda token: _TO_PYTHON.get(token[0], token[0]), text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "\d" in strings
            return ast.literal_eval(text)
    except _ERRORS:
        return NOTHING


def _as_json_notation(token: re.Match[str]) -> str:
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


# == grounding/values.py: Items in a decoded value: objects with a text and a label, p


WRAPPERS = ("entities", "extractions", "items", "results", "spans", "annotations", "ner", "output", "answer")
"""Keys whose lists and objects hold the items."""
_LABELS = (*("label", "type", "entity_type", "entity_group", "category", "class", "extraction_class", "tag", "entity"),)
"""Keys of an item's label, the first one with a string counts."""
_SPECIAL = frozenset((*TEXT_KEYS, *_LABELS))
_FINAL = re.compile(r"final", re.IGNORECASE)
"""How the key of the last of several lists begins: `{"draft": […], "final": […]}`."""
_PASSED_OVER = ("_attributes", "_index")
"""How keys end that LangExtract adds to an item."""
_Object = Mapping[object, object]


def items_of(values: Iterable[object], labels: KnownLabels, label: str | None, how: How = "ok") -> ReadAnswer:
    """The items of an answer's values, in their order; `label` is that of strings without one."""
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
    """Collects items; an outer label, of the object around a value, wins over the value's own."""

    def __init__(self, labels: KnownLabels, label: str | None) -> None:
        self.labels = labels
        self.label = label
        self.items: list[Item] = []
        self.malformed = 0
        self.respelled = 0
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
        """A pair of a text and a label, among numbers maybe; or values, each for itself."""
        if outer is None and (pair := self.pair(values, is_top=is_top)):
            self.add(*pair)
            return
        for value in values:
            if outer is None and depth < MAX_DEPTH and (item := self.plain_item(value)):
                self.items.append(item)
            else:
                self.read(value, outer, depth + 1)

    def pair(self, values: list[object], *, is_top: bool) -> tuple[str, str] | None:
        """The text and the label of a list of scalars with two strings; at the top, one of them must be known.

        Elsewhere, too, if the answer needs no labels: then unknown strings are texts.
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
        """The short way for the most frequent item: a string and a known label, and nothing else."""
        if type(value) is not dict or len(value) != 2:
            return None
        text, label = value.get("text"), value.get("label")
        if type(text) is not str or type(label) is not str or label not in self.labels.names:
            return None
        return Item(text, label) if text and not text.isspace() else None

    def read_object(self, value: _Object, outer: str | None, depth: int, *, is_top: bool) -> None:
        """A wrapper of items, an item, or labels with their strings."""
        text_key = next((key for key in TEXT_KEYS if _is_scalar(value.get(key))), None)
        own = next((name for key in _LABELS if key != text_key and (name := _filled(value.get(key)))), None)
        known = outer or (own if self.is_known(own) else None)
        texts = [value[key] for key in TEXT_KEYS if _is_nested(value.get(key))]
        final = [key for key in value if isinstance(key, str) and _FINAL.match(key) and _is_nested(value[key])]
        if final and not any(map(self.is_known, value)):
            self.has_several = self.has_several or sum(isinstance(each, list) for each in value.values()) > 1
            self.read(value[final[-1]], known, depth + 1, is_top=is_top)
            return
        for key in WRAPPERS:
            if _is_nested(value.get(key)) and not self.is_known(key):
                self.read(value[key], known, depth + 1, is_top=is_top)
                return
        if text_key and known:
            self.add(value[text_key], known, value.get("start"), value.get("end"))
        elif _SPECIAL.isdisjoint(value) or any(map(self.is_known, value)) or (texts and not text_key and not own):
            self.read_mapping(value, outer, depth)
        elif text_key or not texts:
            text = value[text_key] if text_key else None
            self.add(text, own or self.label, value.get("start"), value.get("end"))
        else:
            self.read(texts[0], outer or own, depth + 1)

    def read_mapping(self, value: _Object, outer: str | None, depth: int) -> None:
        """Labels with a string, a list or items each; or strings with a label each, if only these are known."""
        for key, content in value.items():
            if not isinstance(key, str):
                self.malformed += 1
            elif key.endswith(_PASSED_OVER) or _is_void(content):
                continue
            elif outer is None and not self.is_known(key) and (own := self.known_in(content)):
                for label in own:
                    self.add(key, label)
            else:
                self.read(content, outer or key, depth + 1)

    def is_known(self, name: object) -> bool:
        return isinstance(name, str) and self.labels.find(name) is not None

    def known_in(self, content: object) -> list[str]:
        """The labels that a value consists of, if all of it is known labels."""
        parts = content if isinstance(content, list) else [content]
        known = [part for part in parts if isinstance(part, str) and self.is_known(part)]
        return known if len(known) == len(parts) else []

    def add(self, text: object, label: str | None, start: object = None, end: object = None) -> None:
        string = _string(text)
        if label is None or not label.strip() or not string.strip():
            self.malformed += 1
            return
        found = self.labels.find(label)
        self.respelled += found is not None and found != label
        offsets = (start, end) if type(start) is int and type(end) is int else (None, None)
        self.items.append(Item(string, found or label, *offsets))


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple | set | frozenset)


def _filled(value: object) -> str | None:
    """A string that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def _is_scalar(value: object) -> bool:
    """Whether this is a string or a number; `true` and `false` are neither a text nor an offset."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_void(content: object) -> bool:
    """Whether a label has no string: null, an empty string, or `none`."""
    return content is None or (isinstance(content, str) and (not content.strip() or says_nothing(content)))


def _string(value: object) -> str:
    """A string or number as a text; nothing for other values."""
    if isinstance(value, str):
        return value
    if not _is_scalar(value) or value != value:  # NaN
        return ""
    try:
        return str(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""


# == grounding/bare_lists.py: Lists without quotes, or with wrong ones: `[Ada, PER, 0, 1]`


MOST_BRACKETS = 100_000
"""How many brackets of an answer are looked at."""
_INNERMOST = re.compile(r"\[[^\[\]{}]*+\]|\{[^\[\]{}]*+\}")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_AROUND = " \t\r\n'\"‘’‚“”„`"
"""What may stand around a string: blanks and quotes, paired or not."""


def bare_values(text: str, labels: KnownLabels) -> Iterator[object]:
    """The values of the innermost brackets: in Python's notation, or a string, a known label and numbers."""
    for _, match in zip(range(MOST_BRACKETS), _INNERMOST.finditer(text), strict=False):
        has_strings = "'" in match[0] or '"' in match[0]
        value = python_value(match[0]) if has_strings else NOTHING
        if value is NOTHING:
            value = _pair(match[0][1:-1], labels)
        if value is not NOTHING:
            yield value


def _pair(content: str, labels: KnownLabels) -> object:
    """The string and the label, if there is one known label, and only numbers behind it."""
    parts = [part.strip(_AROUND) for part in content.split(",")]
    known = [place for place, part in enumerate(parts) if labels.find(part) is not None]
    if len(known) != 1 or not all(map(_NUMBER.fullmatch, parts[known[0] + 1 :])):
        return NOTHING
    text = ",".join(content.split(",")[: known[0]]).strip(_AROUND)
    return [text, parts[known[0]]] if text else NOTHING


# == grounding/json_answers.py (primary)


MOST_FAILURES = 1_000
"""How many brackets may open no JSON value before step 4 ends."""
MOST_WORK = 10_000_000
"""How many characters may be read for these brackets in vain."""
_MOST_LITERALS, _LONGEST_LITERAL = 20, 100_000
"""How many brackets of an answer may open no JSON while lists are looked for, and how long those in Python's notation
may be."""
_OPENING = re.compile(r"[\[{]")
_TOKEN = re.compile(rf"{STRING}|[\[\]{{}},]", re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}
_Values = tuple[list[object], How]
_Step = Callable[[str], _Values | None]


def read_json(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of an answer in JSON."""
    if says_nothing(answer):
        return ReadAnswer()
    blocks = [block for block in (*reversed(fenced_blocks(answer)), answer) if _OPENING.search(block)]
    last_of_several = partial(_last_of_several, labels, label)
    innermost = partial(_innermost, labels)
    steps: tuple[_Step, ...] = (_as_json, _as_python, last_of_several, _cut_off, _json_values, innermost)
    for step in steps:
        for block in blocks:
            if values := step(block):
                found = items_of(values[0], labels, label, values[1])
                has_several = step is last_of_several or _has_another(answer, block, values[0], labels, label)
                return replace(found, has_several=True) if has_several else found
    return ReadAnswer(how="unparsable")


def _last_of_several(labels: KnownLabels, label: str | None, block: str) -> _Values | None:
    """The last complete list of a block with several, or with one and items of another that is cut off."""
    values = list(_values_in(block))
    complete = [at for at, (value, _) in enumerate(values) if _is_complete(value, labels, label)]
    if not complete or len(values) < 2:
        return None
    last = values[complete[-1]]
    if len(complete) == 1 and not any(_is_item(value) for at, (value, _) in enumerate(values) if at != complete[0]):
        return None
    if isinstance(last[0], dict) and not _is_wrapper(last[0]) and _have_different_labels(values, complete):
        return None
    return [last[0]], last[1]


def _have_different_labels(values: Sequence[tuple[object, How]], complete: Sequence[int]) -> bool:
    """Whether objects of labels follow each other that have no label in common: each is a part of the answer."""
    keys = [key for at in complete if isinstance(found := values[at][0], dict) for key in found]
    return len(set(keys)) == len(keys) and all(isinstance(values[at][0], dict) for at in complete)


def _has_another(answer: str, block: str, values: Sequence[object], labels: KnownLabels, label: str | None) -> bool:
    """Whether a fenced block with a complete list is not the only one in its answer."""
    if block is answer or len(values) != 1 or not _is_complete(values[0], labels, label):
        return False
    others = [each for each in fenced_blocks(answer) if each != block]
    outside = "".join(answer.split("```")[0::2])
    return any(_is_complete(value, labels, label) for each in (*others, outside) for value, _ in _values_in(each))


def _values_in(block: str) -> Iterator[tuple[object, How]]:
    """The outermost values in JSON or in Python's notation, from left to right.

    Values with a comma between them are parts of one list whose brackets do not pair, so there are none.
    """
    failures = work = last = 0
    bracket = _OPENING.search(block)
    while bracket and failures < _MOST_LITERALS and work < MOST_WORK:
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
    """The end of the brackets that open here; 0 if they stay open, or have very much between them."""
    stack: list[str] = []
    for match in _TOKEN.finditer(block, start, start + _LONGEST_LITERAL):
        token = match[0]
        if token in _CLOSING:
            stack.append(token)
        elif stack and token == _CLOSING[stack[-1]]:
            stack.pop()
            if not stack:
                return match.end()
    return 0


def _is_complete(value: object, labels: KnownLabels, label: str | None) -> bool:
    """Whether a value is an answer by itself, not an item of one."""
    if isinstance(value, list):
        return not value or label is not None or any(isinstance(each, list | tuple | dict) for each in value)
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
    return isinstance(value, list | tuple) and sum(isinstance(each, str) for each in value) > 1


def _bracketed(block: str) -> str:
    """What stands from the first bracket to the last."""
    first = _OPENING.search(block)
    return block[first.start() : max(block.rfind("]"), block.rfind("}")) + 1] if first else ""


def _as_json(block: str) -> _Values | None:
    value = json_value(_bracketed(block))
    return None if value is NOTHING else ([value], "ok")


def _as_python(block: str) -> _Values | None:
    text = _bracketed(block)
    if _open_brackets(text):  # which Python would read to the end, slowly
        return None
    value = python_value(text)
    return None if value is NOTHING else ([value], "repaired")


def _cut_off(block: str) -> _Values | None:
    first = _OPENING.search(block)
    text = block[first.start() :] if first else ""
    if not _open_brackets(text):
        return None
    commas = [match.start() for match in _TOKEN.finditer(text) if match[0] == ","]
    if not commas:
        return None
    text = text[: commas[-1]]
    text += "".join(_CLOSING[bracket] for bracket in reversed(_open_brackets(text)))
    value = json_value(text)
    if value is NOTHING and "{" in text:
        value = python_value(text)
    return None if value is NOTHING else ([value], "salvaged")


def _open_brackets(text: str) -> list[str]:
    """The brackets that stay open, from the outermost; those in strings do not count."""
    stack: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _CLOSING:
            stack.append(token)
        elif stack and token == _CLOSING[stack[-1]]:
            stack.pop()
    return stack


def _json_values(block: str) -> _Values | None:
    values: list[object] = []
    failures = work = 0
    bracket = _OPENING.search(block)
    while bracket and failures < MOST_FAILURES and work < MOST_WORK:
        value, end = json_value_at(block, bracket.start())
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
    return isinstance(value, list) and bool(value) and all(isinstance(each, int | float) for each in value)
