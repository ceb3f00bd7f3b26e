"""The same records written in another way, which can be read as columns."""

from __future__ import annotations

import msgspec
import numpy as np

from evenhand.arrays import Bytes, Ints
from evenhand.bits import equal_to, places
from evenhand.formats.json_records import (
    DOCUMENT_KEYS,
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    has_a_line_each,
    rivals,
    role_of,
)
from evenhand.formats.parsing.json_strings import escapes
from evenhand.formats.source import Block
from evenhand.text.tokens import PADDING

_DIGITS = np.full(256, -(1 << 20))
"""What each byte is worth as a hexadecimal digit; very little where it is none."""
for _value, _digit in enumerate(b"0123456789abcdef"):
    _DIGITS[[_digit, ord(chr(_digit).upper())]] = _value
_HIGH, _LOW = 0xD800 >> 10, 0xDC00 >> 10
"""What the two halves begin with that write a letter for which four digits are too few."""
_FIRST = {2: 0xC0, 3: 0xE0, 4: 0xF0}
"""What the first byte of a letter says of how many it has, in UTF-8."""
_OTHERS = frozenset((*TEXT_KEYS, *TOKEN_KEYS, *DOCUMENT_KEYS, "answer", "id"))
"""The keys that are looked at beside those of layers."""
_DECODER, _ENCODER = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Encoder()


def respelled(block: Block) -> Block | None:
    """Records without what nobody reads, and with their keys in one order; their values are as they were.

    Tools write notes and scores into records, not all of them into every one. What is left is spelled alike more often.
    None where something is not a record, a line does not hold just one, or a key names the layer of one side.
    """
    try:
        records = _DECODER.decode_lines(memoryview(block.data)[: block.size])
    except UNREADABLE:
        return None
    if not has_a_line_each(records, block):
        return None
    kept: dict[tuple[str, ...], list[str]] = {}
    for keys, first in {tuple(record): record for record in reversed(records)}.items():
        if not {"gold", "system"}.isdisjoint(map(role_of, keys)) or _has_rivals(first):
            return None
        kept[keys] = sorted(key for key in keys if key in _OTHERS or role_of(key) is not None)
    lines = _ENCODER.encode_lines([{key: record[key] for key in kept[tuple(record)]} for record in records])
    return Block(lines + PADDING, len(lines), block.first_line)


def _has_rivals(record: dict[str, msgspec.Raw]) -> bool:
    """Whether a record has further layers, under names that do not say it."""
    others = [key for key, value in record.items() if bytes(value)[:1] == b"["]
    if all(key in _OTHERS or role_of(key) for key in others):
        return False
    values = {key: msgspec.json.decode(record[key]) for key in others}
    return any(rivals(values, key) for key in others if role_of(key))


def with_letters(block: Block) -> Block:
    """The block with letters in place of their escapes, if it has nothing but ASCII, as Python's `json` writes it.

    It stays as it is where an escape stands for ASCII or for no letter.
    """
    data = block.data
    if b"\\" not in data or not data.isascii():
        return block
    text: Bytes = np.frombuffer(data, dtype=np.uint8)
    at = escapes(places(equal_to(text[: block.size], ord("\\"))))
    at = at[text[at + 1] == ord("u")]
    if not len(at):
        return block
    code = sum(_DIGITS[text[at + 2 + place]] << (12 - 4 * place) for place in range(4))
    high, low = (np.flatnonzero(code >> 10 == half) for half in (_HIGH, _LOW))
    if code.min() < 0x80 or not np.array_equal(high + 1, low) or (at[low] != at[high] + 6).any():
        return block
    code[high] = 0x10000 + ((code[high] & 0x3FF) << 10) + (code[low] & 0x3FF)
    sizes = 2 + (code >= 0x800) + (code >= 0x10000)
    sizes[low] = 0
    written = _written(text[: block.size].copy(), at, code, sizes)
    return Block(written + PADDING, len(written), block.first_line)


def _written(text: Bytes, at: Ints, code: Ints, sizes: Ints) -> bytes:
    """A text in which escapes at some places are letters of so many bytes, in UTF-8."""
    is_kept = np.ones(len(text), dtype=np.bool_)
    for size in (0, 2, 3, 4):
        rows = np.flatnonzero(sizes == size)
        begin, letter = at[rows], code[rows]
        for place in range(6):
            if place >= size:
                is_kept[begin + place] = False
            else:
                bits = letter >> 6 * (size - 1 - place)
                text[begin + place] = bits & 0x3F | 0x80 if place else bits | _FIRST[size]
    return text[is_kept].tobytes()
