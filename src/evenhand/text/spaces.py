"""Which bytes of a text begin a character, and which one that is no space."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words
from evenhand.bits import at_places, marked, places

_SEPARATORS = [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]
"""The spaces beside the blank that Unicode calls space separators (category Zs)."""
_WIDE_SPACES = [0x85, *_SEPARATORS, 0x2028, 0x2029]
"""The spaces beyond ASCII: these and the ends of lines."""
_IS_ATOM = np.array([byte >= 0xC0 or (byte < 0x80 and not chr(byte).isspace()) for byte in range(256)])
"""Which bytes begin a character that is no space, wide spaces aside."""
_MAYBE_WIDE = sorted({chr(code).encode()[0] for code in _WIDE_SPACES})
"""The bytes that can begin a wide space."""
_FIRST_TO_BEGIN = -64
"""Of bytes as signed numbers, all below continue a character."""


def is_ascii(text: Bytes) -> bool:
    return not len(text) or int(text.max()) < 128


def continues_character(text: Bytes) -> Bools:
    """Which bytes do not begin a character."""
    found: Bools = text.view(np.int8) < _FIRST_TO_BEGIN
    return found


def atoms(text: Bytes, *, has_controls: bool = True) -> Words:
    """The bytes that begin a character that is no space; without `has_controls`, blanks and line ends are the spaces.

    A bit stands for each byte.
    """
    # Control characters that are no spaces are atoms, but rare.
    found = marked(text, _IS_ATOM.__getitem__ if has_controls and _has_control_atoms(text) else _is_visible)
    return found if is_ascii(text) else found & ~at_places(_wide(text, _WIDE_SPACES), len(text))


def _is_visible(text: Bytes) -> Bools:
    visible: Bools = text > ord(" ")
    visible &= text.view(np.int8) >= _FIRST_TO_BEGIN
    return visible


def _has_control_atoms(text: Bytes) -> bool:
    """Whether there are control characters that are no spaces."""
    if not len(text) or int(text.min()) >= ord(" "):
        return False
    return bool((text < ord("\t")).any() or ((text - np.uint8(14)) < np.uint8(14)).any())


def _wide(text: Bytes, spaces: list[int]) -> Ints:
    """Where some wide spaces begin, which are characters of two or three bytes."""
    start = places(marked(text, _may_be_wide))
    last = len(text) - 1
    lead, second, third = (text[np.minimum(start + at, last)].astype(np.int64) for at in range(3))
    two = ((lead & 0x1F) << 6) | (second & 0x3F)
    codes = np.where(lead >= 0xE0, ((lead & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F), two)
    return start[np.isin(codes, spaces)]


def _may_be_wide(text: Bytes) -> Bools:
    found: Bools = text == _MAYBE_WIDE[0]
    for byte in _MAYBE_WIDE[1:]:
        found |= text == byte
    return found


def in_separator(text: Bytes) -> Bools:
    """Which bytes belong to a space separator (category Zs): the blank, and some characters of two or three bytes."""
    found: Bools = text == ord(" ")
    if not is_ascii(text):
        lead = _wide(text, _SEPARATORS)
        found[lead] = found[lead + 1] = True
        found[lead[text[lead] >= 0xE0] + 2] = True
    return found
