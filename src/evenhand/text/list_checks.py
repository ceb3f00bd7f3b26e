"""What plain Python lists must be, before an annotation is made of them; what they are not is told in one sentence.

Checks look at types and distinct values, not at every tag; only where something is wrong is its place looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NoReturn

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.limits import GAPS
from evenhand.problems import InputError, SettingError

MOST_TOKENS = 2**31 - 1
"""The last position that a span, a mention or a head may have, and the most tokens of a sentence."""


def check_name(name: object) -> None:
    """Refuse what cannot be shown as the name of an annotation."""
    if not is_text(name) or not str(name).strip():
        raise SettingError(f"name is {shown(name)}; give a text that can be read.")


def listed(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Any]:
    """The members of anything that has some in order (with `sets`, in any order); texts and mappings are none."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    wrong = (str, bytes, bytearray, Mapping) if sets else (str, bytes, bytearray, Mapping, Set)
    if isinstance(value, wrong) or not isinstance(value, Iterable):
        raise InputError(name, None, f"{what} is {shown(value)}, which is no list", remedy)
    return value if isinstance(value, list) else list(value)


def lists(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Sequence[Any]]:
    """A list of lists, such as one a sentence; `what` are its members, counted from 1 in messages."""
    outer = listed(value, "the argument", name, remedy, sets=sets)
    if {list, tuple}.issuperset(map(type, outer)):
        return outer
    return [
        inner if type(inner) in (list, tuple) else listed(inner, f"{what} {number}", name, remedy, sets=sets)
        for number, inner in enumerate(outer, 1)
    ]


def is_text(value: object) -> bool:
    """Whether this is a text without halves of characters, which no file can hold."""
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value))


def refuse_texts(sentences: Sequence[Sequence[Any]], what: str, name: str, where: str = "sentence") -> NoReturn:
    """The error for the first value that is no text; `where` says what the lists are."""
    number, value = next((at, each) for at, inner in enumerate(sentences, 1) for each in inner if not is_text(each))
    remedy = "mend how it was decoded" if isinstance(value, str) else "give texts only"
    if what == "tag" and isinstance(value, int | np.integer) and not isinstance(value, bool):
        remedy = 'give texts, or say what the ids stand for: eh.tags(ids, names=["O", "B-PER", …])'
    raise InputError(name, None, f"{where} {number} has the {what} {shown(value)}, which is no text", remedy)


def numbers(values: Sequence[Any], what: str, name: str, remedy: str) -> Ints:
    """Whole numbers as a column: Python's or NumPy's, but no truth values, and none beyond `MOST_TOKENS`."""
    for kind in set(map(type, values)):
        if kind is bool or not issubclass(kind, int | np.integer):
            value = next(each for each in values if type(each) is kind)
            raise InputError(name, None, f"{what} {shown(value)} is no whole number", remedy)
    for value in (min(values, default=0), max(values, default=0)):
        if not -MOST_TOKENS <= value <= MOST_TOKENS:
            raise InputError(name, None, f"{what} {shown(value)} is beyond {MOST_TOKENS:,}", remedy)
    return ints(values)


def gaps_of(span: Sequence[Any], begin: int, behind: int, first: int, name: str) -> tuple[int, ...]:
    """The tokens that a span with a list of tokens leaves out, counted from its first one.

    As in files, the list has each token once, the first and the last among them, and none outside.
    """
    remedy = "list the span's tokens, each once, from the first to the last"
    tokens = numbers(listed(span[3], "the list of tokens", name, remedy, sets=True), "the token", name, remedy) - first
    inside = set(tokens.tolist())
    if len(inside) < len(tokens) or not {begin, behind - 1} <= inside or min(inside) < begin or max(inside) >= behind:
        finding = (
            f"the tokens {shown(span[3])} of the span {shown(tuple(span[:3]))} do not run from its first to its last"
        )
        raise InputError(name, None, finding, remedy)
    if behind - begin - len(inside) > GAPS.value:
        finding = f"the span {shown(tuple(span[:3]))} leaves out more than {GAPS.value:,} tokens"
        raise InputError(name, None, finding, GAPS.remedy)
    return tuple(at - begin for at in range(begin, behind) if at not in inside)
