"""The tags of lists as small integers, in the order in which they occur.

`coded` states it: a dictionary gives each new text the next code. `in_lines` finds the same codes sooner, where there
are many tags. It writes all of them into one text, a line each, and looks only at those that are not `O`; the lines
between two of them are all equally long, so that their places say how many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.text.codes import CellCodes, Mostly, NewCodes
from evenhand.text.list_checks import is_text, refuse_texts
from evenhand.text.tokens import PADDING

COMMON = "O"
"""The tag that most tokens have in most data; where another one is common, all is found as well, but later."""
_MANY = 1 << 13
"""For fewer tags a dictionary is faster."""
_SAMPLE, _FEW = 1 << 12, 1 << 9
"""Where so many tags that are not `O` have more different ones than a few, a dictionary is faster."""
_FIRST = 1 << 8
"""With so many, the first different ones are learned."""


def coded(sentences: Sequence[Sequence[Any]], count: int, what: str, name: str) -> tuple[Ints, list[str]]:
    """A code for each of so many texts, and the texts by code."""
    codes = NewCodes()
    flat = chain.from_iterable(sentences)
    try:
        found = np.fromiter(map(codes.__getitem__, flat), dtype=np.int64, count=count)
    except TypeError:  # what cannot be a key is no text
        refuse_texts(sentences, what, name)
    if not all(map(is_text, codes)):
        refuse_texts(sentences, what, name)
    return found, list(map(str.__str__, codes))


def mostly_coded(sentences: Sequence[Sequence[Any]], count: int, name: str) -> tuple[Mostly, list[str]]:
    """A code for each of so many tags, and the tags by code."""
    found = None if count < _MANY else in_lines(sentences, count)
    if found is not None:
        return found
    code, met = coded(sentences, count, "tag", name)
    return Mostly.of(code), met


def in_lines(sentences: Sequence[Sequence[Any]], count: int) -> tuple[Mostly, list[str]] | None:
    """The same from one text; None where tags are no lines of text, or too many different ones."""
    try:
        lines = "\n".join(map("\n".join, filter(None, sentences)))
        data = f"\n{lines}\n".encode() + PADDING
    except (TypeError, UnicodeEncodeError):
        return None
    text = np.frombuffer(data, dtype=np.uint8, count=len(data) - len(PADDING))
    breaks = text == ord("\n")
    if np.count_nonzero(breaks) != count + 1 or "\0" in lines:  # some have breaks, or NUL, which no cell may have
        return None
    is_common = text == ord(COMMON)
    is_common[1:-1] &= breaks[:-2] & breaks[2:]
    start, end = _edges(breaks[:-1] > is_common[1:], breaks[1:] > is_common[:-1])
    codes, new = CellCodes(), list[int]()
    for some in (_FIRST, _SAMPLE, len(start)):
        if len(new) > _FEW:
            return None
        place, more = codes(data, start[:some], end[:some])
        new += more
    before = np.append(0, end)[:-1] + 1
    rows = np.cumsum((start - before) // 2 + 1) - 1
    names = [data[start[row] : end[row]].decode() for row in new]
    return in_order(count, rows, place, names, rows[new].tolist())


def _edges(begins: Bools, ends: Bools) -> tuple[Ints, Ints]:
    """Where tags begin and end, found in one pass but for empty ones, which do both in one place."""
    if (begins & ends).any():
        return np.flatnonzero(begins) + 1, np.flatnonzero(ends) + 1
    both = np.flatnonzero(begins | ends) + 1
    return both[::2], both[1::2]


def in_order(
    size: int, rows: Ints, place: Ints, names: Sequence[str], first: Sequence[int]
) -> tuple[Mostly, list[str]]:
    """A code for each of so many tags, in the order in which tags occur, and the tags by code.

    Some `rows` have a `place` in a list of `names`, each of which is first met in one of them, or in none, and then
    `first` is `size`. All others have the common tag.
    """
    skipped = np.flatnonzero(rows != np.arange(len(rows)))
    first_common = int(skipped[0]) if len(skipped) else len(rows)
    met = sorted([*zip(first, names, strict=True), (first_common, COMMON)])
    codes = {name: code for code, name in enumerate(dict.fromkeys(name for row, name in met if row < size))}
    code_of = ints([codes.get(name, -1) for name in names])
    return Mostly(size, codes.get(COMMON, 0), rows, code_of[place]), list(codes)
