"""Whether bytes are UTF-8, without making a text of them."""

from __future__ import annotations

import numpy as np

_NO_FIRST, _RARE = (b"\xc0", b"\xc1"), (b"\xe0", b"\xed")
"""Bytes that begin no character, and those of three bytes behind which only some bytes may follow."""
_TWO, _THREE, _FOUR = 0xC0, 0xE0, 0xF0
"""From which byte on characters have so many bytes."""
_LAST_TO_FOLLOW = -0x41
"""The last of the bytes that follow a first one, as a number with a sign; they are the least ones."""


def is_plainly_utf8(data: bytes) -> bool:
    """Whether bytes that end with ASCII are UTF-8, with characters of up to three bytes.

    All bytes are looked at together: a byte follows if, and only if, the one before begins a character, or the one
    before that a character of three. False says nothing: some characters are left to a decoder.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    largest = int(text.max())
    if largest >= _FOUR or any(each in data for each in (_NO_FIRST if largest < _THREE else _NO_FIRST + _RARE)):
        return False
    follows, wanted = text.view(np.int8) <= _LAST_TO_FOLLOW, text[:-1] >= _TWO
    if largest >= _THREE:
        wanted[1:] |= text[:-2] >= _THREE
    wanted ^= follows[1:]
    return not (follows[0] or wanted.any())
