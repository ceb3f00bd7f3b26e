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

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from evenhand.grounding.bare_lists import bare_values
from evenhand.grounding.fences import fenced_blocks
from evenhand.grounding.items import TEXT_KEYS, How, ReadAnswer
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.notation import NOTHING, STRING, json_value, json_value_at, python_value
from evenhand.grounding.phrases import says_nothing
from evenhand.grounding.values import WRAPPERS, items_of

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
