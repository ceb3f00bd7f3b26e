"""Mutations: what goes wrong with files, from a flipped byte to half of another file behind the first half of this."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

PIECES = [
    *(
        b"\t",
        b"\n",
        b"\n\n",
        b" ",
        b"\r\n",
        b"\r",
        b"|",
        b"(",
        b")",
        b"#",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b"'",
    ),
    *(b"O", b"B-", b"I-", b"_", b"-", b"*", b"=", b"\0", b"\xff", b"\xc3", b"\\", b"\\u0000", b"\\ud800"),
    *(each.encode() for each in ("\ufeff", "😀", "\u0301", "\u00a0", "\u2028", "\u202e", "ß", "\x1b[31m", "\x85")),
    *(b"0", b"-1", b"1", b"2", b"999", b"9" * 20, b"1e999", b"0.5", b"NaN", b"-0", b"2147483648", b"9" * 400),
    *(b"null", b"true", b"[]", b"{}", b'""', b" " * 300, b"(" * 300, b"x" * 3000, b"\t" * 200, b"[" * 2000),
    *(b"-DOCSTART-", b"#begin document", b"#end document", b"# newdoc id = ", b"# global.columns =", b"# text = "),
    *(b"(0)", b"(0", b"0)", b"1-2", b"2.1", b"Entity=(e1", b"<html>", b"PAR1", b"ARROW1", b"\x1f\x8b", b"BZh9", b"PK"),
]
_NUMBER = re.compile(rb"\d+")
_CELL = re.compile(rb"[^\t\n ]+")


def mutate(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """The content after some mutations; `others` are contents of other files."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice(MUTATIONS)(random, content, others)
    return content


def _bytes(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """Some bytes become others."""
    changed = bytearray(content or b"x")
    for _ in range(random.choice((1, 1, 2, 8))):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _bit(random: Random, content: bytes, others: list[bytes]) -> bytes:
    changed = bytearray(content or b"x")
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _piece(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A piece is put in, or takes the place of some bytes."""
    place = random.randrange(len(content) + 1)
    return content[:place] + random.choice(PIECES) + content[place + random.choice((0, 0, 1, 3, 6)) :]


def _truncation(random: Random, content: bytes, others: list[bytes]) -> bytes:
    place = random.randrange(len(content) + 1)
    return content[:place] if random.random() < 0.8 else content[place:]


def _lines(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A line is deleted, repeated, moved, or turned around."""
    lines = content.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[to:to] = [lines[at]] * random.choice((1, 1, 2, 50))
    elif kind == 2:
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines[at] = lines[at][::-1]
    return b"\n".join(lines)


def _cells(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A cell becomes a piece, or another cell, or nothing."""
    cells = list(_CELL.finditer(content))
    if not cells:
        return _piece(random, content, others)
    cell = random.choice(cells)
    new = random.choice((random.choice(PIECES), random.choice(cells)[0], b"", cell[0] * 2))
    return content[: cell.start()] + new + content[cell.end() :]


def _numbers(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A number becomes an odd one."""
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return _piece(random, content, others)
    number = random.choice(numbers)
    odd = (b"0", b"-1", b"1", b"7", b"99", b"1000000", b"1000000000", b"4294967296", b"9" * 19, b"9" * 5000, b"1.5")
    return content[: number.start()] + random.choice(odd) + content[number.end() :]


def _column(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A column is left out, repeated, or put before the others, in all lines."""
    separator = random.choice((b"\t", b"\t", b" ", b","))
    at, kind = random.randrange(5), random.randrange(3)
    rows = [line.split(separator) for line in content.split(b"\n")]
    for cells in rows:
        if at < len(cells) and len(cells) > 1:
            cells[at:at] = [[], [cells[at]], [cells[-1]]][kind]
            if kind == 0:
                del cells[at]
    return b"\n".join(separator.join(cells) for cells in rows)


def _other(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """The beginning of this file and the end of another one."""
    other = random.choice(others)
    begin, end = random.randrange(len(content) + 1), random.randrange(len(other) + 1)
    return content[:begin] + other[end:] if random.random() < 0.5 else content + other


def _json(random: Random, content: bytes, others: list[bytes]) -> bytes:
    """A value somewhere in a JSON text becomes another one, or a key another name."""
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    whole = content[:1] == b"["
    try:
        value = json.loads(content if whole else lines[at])
    except (ValueError, RecursionError):
        return _cells(random, content, others)
    changed = json.dumps(_changed(random, value), ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    return changed if whole else b"\n".join([*lines[:at], changed, *lines[at + 1 :]])


_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 3, 2**31, 2**63, 2**70, 0.5, 1e300, "", "x", "PER", " ", "\u00a0", "\0", "\t", "😀"),
    *([], {}, [[]], [0, 1], ["x"], [None], {"x": 1}, "x" * 2000, [0] * 50),
)


def _changed(random: Random, value: Any) -> Any:
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        kind = random.randrange(6)
        if kind == 0:
            return {other: item for other, item in value.items() if other != key}
        if kind == 1:
            new = random.choice((random.choice(list(value)), key.upper(), "text", "spans", "labels", "tokens", ""))
            return {new if other == key else other: item for other, item in value.items()}
        return {**value, key: _changed(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        kind = random.randrange(6)
        if kind == 0:
            return [*value[:at], *value[at + 1 :]]
        if kind == 1:
            return [*value[:at], value[at], *value[at:]]
        return [*value[:at], _changed(random, value[at]), *value[at + 1 :]]
    return random.choice(_VALUES)


MUTATIONS: tuple[Callable[[Random, bytes, list[bytes]], bytes], ...] = (
    *(_bytes, _bit, _piece, _truncation, _lines, _lines, _cells, _cells, _numbers, _column, _other, _json),
)
