"""Which bytes of a text begin a character, and which one that is no space."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints

_SEPARATORS = [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]
"""The spaces beside the blank that Unicode calls space separators (category Zs)."""
_WIDE_SPACES = [0x85, *_SEPARATORS, 0x2028, 0x2029]
"""The spaces beyond ASCII: these and the ends of lines."""
_IS_ATOM = bytes(byte >= 0xC0 or (byte < 0x80 and not chr(byte).isspace()) for byte in range(256))
"""Which bytes begin a character that is no space, wide spaces aside."""
_MAYBE_WIDE = bytes(byte in {chr(code).encode()[0] for code in _WIDE_SPACES} for byte in range(256))
"""Which bytes can begin a wide space."""


def is_ascii(text: Bytes) -> bool:
    return not len(text) or int(text.max()) < 128


def begins_character(text: Bytes) -> Bools:
    """Which bytes begin a character."""
    begins: Bools = (text & 0xC0) != 0x80
    return begins


def begins_atom(text: Bytes, *, has_controls: bool = True) -> Bools:
    """Which bytes begin a character that is no space; without `has_controls`, blanks and line ends are the spaces."""
    plain = is_ascii(text)
    # Control characters that are no spaces are atoms, but rare.
    if plain and not (has_controls and _has_control_atoms(text)):
        return text > ord(" ")
    kept = np.frombuffer(text.tobytes().translate(_IS_ATOM), dtype=np.bool_)
    if plain:
        return kept
    kept = kept.copy()
    kept[_wide(text, _WIDE_SPACES)] = False
    return kept


def _has_control_atoms(text: Bytes) -> bool:
    """Whether there are control characters that are no spaces."""
    if not len(text) or int(text.min()) >= ord(" "):
        return False
    return bool((text < ord("\t")).any() or ((text - np.uint8(14)) < np.uint8(14)).any())


def _wide(text: Bytes, spaces: list[int]) -> Ints:
    """Where some wide spaces begin, which are characters of two or three bytes."""
    start = np.flatnonzero(np.frombuffer(text.tobytes().translate(_MAYBE_WIDE), dtype=np.bool_))
    last = len(text) - 1
    lead, second, third = (text[np.minimum(start + at, last)].astype(np.int64) for at in range(3))
    two = ((lead & 0x1F) << 6) | (second & 0x3F)
    codes = np.where(lead >= 0xE0, ((lead & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F), two)
    return start[np.isin(codes, spaces)]


def in_separator(text: Bytes) -> Bools:
    """Which bytes belong to a space separator (category Zs): the blank, and some characters of two or three bytes."""
    found: Bools = text == ord(" ")
    if not is_ascii(text):
        lead = _wide(text, _SEPARATORS)
        found[lead] = found[lead + 1] = True
        found[lead[text[lead] >= 0xE0] + 2] = True
    return found
