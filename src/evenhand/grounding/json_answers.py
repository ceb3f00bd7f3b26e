"""Answers in JSON, or in what models write for JSON: in fences, between sentences, in Python's notation, cut off.

Six steps, each over all fenced blocks from the last and then over the whole answer, before the next step:

1. JSON from the first bracket to the last: `ok`.
2. The same in Python's notation (single quotes, a comma too many): `repaired`.
3. If brackets stay open: up to the last comma outside a string, with the brackets closed: `salvaged`. If there are
   objects, in Python's notation, too; lists are left to step 5, which loses nothing of them.
4. All JSON values from left to right, lists of numbers left out: `ok`, or `salvaged` if a bracket opens no value.
5. The innermost brackets in Python's notation, or bare, `[Ada, PER, 0, 1]`: `salvaged`.
6. `unparsable`.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from evenhand.grounding.bare_lists import bare_values
from evenhand.grounding.fences import fenced_blocks
from evenhand.grounding.items import How, ReadAnswer
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.notation import NOTHING, STRING, json_value, json_value_at, python_value
from evenhand.grounding.phrases import says_nothing
from evenhand.grounding.values import items_of

MOST_FAILURES = 1_000
"""How many brackets may open no JSON value before step 4 ends."""
MOST_WORK = 10_000_000
"""How many characters may be read for these brackets in vain."""
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
    steps: tuple[_Step, ...] = (_as_json, _as_python, _cut_off, _json_values, partial(_innermost, labels))
    for step in steps:
        for block in blocks:
            if values := step(block):
                return items_of(values[0], labels, label, values[1])
    return ReadAnswer(how="unparsable")


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
