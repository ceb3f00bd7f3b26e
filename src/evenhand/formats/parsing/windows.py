"""Numbers and strings within windows of eight bytes, all bytes of a window at once.

The first byte of a text is the lowest one of its window.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Words

Windows = npt.NDArray[np.unsignedinteger[Any]]
"""Windows of any size: their bytes are as many as their type has."""


def leading_numbers(window: Words) -> tuple[Ints, Ints]:
    """The whole number that each window begins with, and how many digits it has there: none to eight."""
    value, length = _numbers(window.astype(np.uint32))
    # Most numbers are short, and half as many bytes take half the time.
    if length.max(initial=0) == 4:
        value, length = _numbers(window)
    return value.astype(np.int64), length.astype(np.int64)


def lengths_to_quote(window: Words) -> Ints:
    """How many bytes of each window stand before its first quote; 8 if it has none."""
    others = window ^ _each(window, ord('"'))
    return _before_first((others - _each(window, 1)) & ~others & _each(window, 0x80)).astype(np.int64)


def _numbers(window: Windows) -> tuple[Windows, Windows]:
    kind, size = window.dtype.type, window.itemsize
    digits = window ^ _each(window, ord("0"))
    # What is added sets the high bit of bytes over nine.
    length = _before_first(((digits + _each(window, 0x76)) | digits) & _each(window, 0x80))
    # Digits move up to the last byte, and zeros in; then neighbours are added up: to pairs, fours, eights.
    value = digits << (kind(8 * size) - (length.astype(kind) << kind(3)))
    step = 1
    while step < size:
        keep = kind(int.from_bytes((b"\xff" * step + bytes(step)) * (size // step // 2), "little"))
        value = (value * kind(10**step) + (value >> kind(8 * step))) & keep
        step *= 2
    return value, length


def _before_first(high_bits: Windows) -> Windows:
    """How many bytes stand before the lowest one whose high bit is set; all of them where none is."""
    below = (high_bits & -high_bits) - high_bits.dtype.type(1)
    counted: Windows = np.bitwise_count(below) >> np.uint8(3)
    return counted


def _each(window: Windows, byte: int) -> np.unsignedinteger[Any]:
    """A window with the same byte everywhere."""
    return window.dtype.type(int.from_bytes(bytes([byte]) * window.itemsize, "little"))
