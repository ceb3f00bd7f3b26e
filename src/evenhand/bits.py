"""Columns of bits, one for each byte of a text: 64 of them are one number, and are asked and counted together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words

_BELOW = np.array([(1 << bit) - 1 for bit in range(64)], dtype=np.uint64)
"""For each bit of a word, those below it."""
_LAST, _ONE, _OCTET_ONE = np.uint64(63), np.uint64(1), np.uint8(1)
_HALVES = tuple(np.uint64(1 << power) for power in range(6))


def bits(marks: Bools) -> Words:
    """Marks as bits, the first one lowest, with at least one 0 behind the last."""
    packed = np.packbits(marks, bitorder="little")
    padded = np.zeros((len(marks) // 64 + 1) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8")


def later(words: Words, by: int = 1, first: int = 0) -> Words:
    """The bits some places on; `first` are those that come in at the begin."""
    moved: Words = words << np.uint64(by)
    moved[1:] |= words[:-1] >> np.uint64(64 - by)
    moved[0] |= np.uint64(first)
    return moved


def every(words: Words, step: int) -> Words:
    """Of the bits that are set, every second one, or every fourth, eighth ...: `step` is a power of two."""
    while step > 1:
        words = words & ~_odd(words)
        step //= 2
    return words


def _odd(words: Words) -> Words:
    """For each place, whether the bits up to it, itself among them, are odd in number."""
    found = words
    for half in _HALVES:
        found = found ^ (found << half)
    turned = np.bitwise_xor.accumulate(found >> _LAST)
    found[1:] ^= -turned[:-1]
    return found


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


def gaps(words: Words, place: Ints) -> Ints:
    """How many places right before each of these have no bit: 32 at most, and those before the begin have none."""
    word, shift = place >> 6, (place & 63).astype(np.uint64)
    before = np.append(np.uint64(0), words)[word] >> shift
    before |= words[word] << (_LAST - shift) << _ONE
    # Half a word is exact as a floating-point number, whose exponent tells the highest bit; that of 0 is 0.
    exponent = (before >> np.uint64(32)).astype(np.float64).view(np.int64) >> 52
    found: Ints = np.minimum(1023 + 31 - exponent, 32)
    return found


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

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.before[-1])

    def __call__(self, place: Ints) -> Ints:
        word = place >> 6
        found: Ints = self.before[word] + np.bitwise_count(self.words[word] & _BELOW[place & 63])
        return found

    def place(self, rank: int) -> int:
        """Where the bit is that has so many before it."""
        index = int(np.searchsorted(self.before, rank, side="right")) - 1
        word = int(self.words[index])
        for _ in range(rank - int(self.before[index])):
            word &= word - 1
        return 64 * index + (word & -word).bit_length() - 1
