"""Marked bytes of a text as bits, so that one number tells the marks among sixty bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.bits import marked
from evenhand.dataclass import dataclass
from evenhand.text.tokens import windows

_ONE, _LAST = np.uint64(1), np.uint64(63)
_AROUND = b"\xff" * 16
"""All places before the text and behind it are marked, so that every search ends."""
_BEFORE = 8 * len(_AROUND)


@dataclass(frozen=True)
class Marks:
    """Which bytes are marked; one or the other place before the text and behind it counts as marked."""

    octets: bytes
    """A bit for each byte, that of the first one lowest."""

    @staticmethod
    def of(text: Bytes, is_marked: Callable[[Bytes], Bools]) -> Marks:
        return Marks(_AROUND + marked(text, is_marked).tobytes() + _AROUND)

    @staticmethod
    def of_changes(text: Bytes, is_of_kind: Callable[[Bytes], Bools]) -> Marks:
        """The bytes with which those of a kind begin, or others behind them."""
        words = marked(text, is_of_kind)
        changes = words << _ONE
        changes[1:] |= words[:-1] >> _LAST
        changes ^= words
        return Marks(_AROUND + changes.tobytes() + _AROUND)

    def following(self, place: Ints, numbers: Collection[int]) -> dict[int, Ints]:
        """The marked places from each of these on that have these numbers, counted from 0."""
        found, words = {}, windows(self.octets)
        bit = place + _BEFORE
        word = words[bit >> 3] >> (bit & 7).astype(np.uint64)
        for number in range(max(numbers, default=-1) + 1):
            if not word.all():
                rows = np.flatnonzero(word == 0)
                octet = self._full[np.searchsorted(self._full[:-8], (bit[rows] >> 3) + 8)]
                bit[rows], word[rows] = octet << 3, words[octet]
            below = word - _ONE
            if number in numbers:
                found[number] = bit + np.bitwise_count(below & ~word) - _BEFORE
            word &= below
        return found

    def before(self, place: Ints) -> Ints:
        """The last marked place before each of these."""
        words = windows(self.octets)
        bit = place + (_BEFORE - 1)
        first = (bit >> 3) - 7
        word = words[first] << (~bit & 7).astype(np.uint64)
        if not word.all():
            rows = np.flatnonzero(word == 0)
            octet = self._full[np.searchsorted(self._full, first[rows]) - 1]
            bit[rows], word[rows] = (octet << 3) + 7, words[octet - 7]
        for shift in (1, 2, 4, 8, 16, 32):
            word |= word >> np.uint64(shift)
        found: Ints = bit + np.bitwise_count(word) - (_BEFORE + 64)
        return found

    @cached_property
    def _full(self) -> Ints:
        """The octets with marks."""
        return np.flatnonzero(np.frombuffer(self.octets, dtype=np.uint8))
