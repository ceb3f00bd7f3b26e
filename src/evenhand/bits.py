"""Columns of bits, one for each byte of a text: 64 of them are one number, and are asked and counted together."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words
from evenhand.dataclass import dataclass

_BELOW = np.array([(1 << bit) - 1 for bit in range(64)], dtype=np.uint64)
"""For each bit of a word, those below it."""
_OCTET_ONE = np.uint8(1)


def bits(marks: Bools) -> Words:
    """Marks as bits, the first one lowest, with at least one 0 behind the last."""
    packed = np.packbits(marks, bitorder="little")
    padded = np.zeros((len(marks) // 64 + 1) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8")


def places(words: Words) -> Ints:
    """Where the bits are: a few dozen in a thousand at most, or it takes long."""
    octets = words.view(np.uint8)
    first = np.flatnonzero(octets != 0)
    octet = octets[first]
    first <<= 3
    found: Ints = first + _zeros_below(octet)
    rest = octet & (octet - _OCTET_ONE)
    if not rest.any():
        return found
    counts = np.bitwise_count(octet)
    found, more = np.repeat(found, counts), np.flatnonzero(rest != 0)
    at = (np.cumsum(counts, dtype=np.int64) - counts)[more]
    while len(more):
        first, octet = first[more], rest[more]
        at += 1
        found[at] = first + _zeros_below(octet)
        rest = octet & (octet - _OCTET_ONE)
        more = np.flatnonzero(rest != 0)
        at = at[more]
    return found


def _zeros_below(octet: Bytes) -> Bytes:
    """How many zeros stand below the lowest bit."""
    return np.bitwise_count(~octet & (octet - _OCTET_ONE))


@dataclass(frozen=True)
class Rank:
    """How many bits stand before a place, and the way back."""

    words: Words
    before: Ints
    """How many stand before each word, and in all."""

    @staticmethod
    def of(words: Words) -> Rank:
        before = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum(np.bitwise_count(words), out=before[1:])
        return Rank(words, before)

    def __call__(self, place: Ints) -> Ints:
        word = place >> 6
        found: Ints = self.before[word] + np.bitwise_count(self.words[word] & _BELOW[place & 63])
        return found
