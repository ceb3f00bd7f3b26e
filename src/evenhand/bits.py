"""Columns of bits, one for each byte of a text: 64 of them are one number, and are asked and counted together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words
from evenhand.dataclass import dataclass

_BELOW = np.array([(1 << bit) - 1 for bit in range(64)], dtype=np.uint64)
"""For each bit of a word, those below it."""
_OCTET_ONE = np.uint8(1)
_STEP = 1 << 17
"""How many bytes are looked at together."""
_FEW = 4
"""There are few bits where at most one octet in so many has one: then they are looked for one by one."""


def marked(text: Bytes, mark: Callable[[Bytes], Bools]) -> Words:
    """A bit for each byte that `mark` is true of, the first one lowest, with at least one 0 behind the last.

    It sees some bytes at a time, which stay in the processor's cache.
    """
    found = np.zeros((len(text) // 64 + 1) * 8, dtype=np.uint8)
    for begin in range(0, len(text), _STEP):
        packed = np.packbits(mark(text[begin : begin + _STEP]), bitorder="little")
        found[begin // 8 :][: len(packed)] = packed
    return found.view("<u8")


def equal_to(text: Bytes, byte: int) -> Words:
    """The bits of the bytes that are this one."""
    return marked(text, lambda some: some == byte)


def at_places(found: Ints, size: int) -> Words:
    """Bits at some places of a column of so many."""
    octets = np.zeros((size // 64 + 1) * 8, dtype=np.uint8)
    np.bitwise_or.at(octets, found >> 3, _OCTET_ONE << (found & 7).astype(np.uint8))
    return octets.view("<u8")


def count(words: Words) -> int:
    """How many bits there are."""
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def places(words: Words) -> Ints:
    """Where the bits are."""
    octets = words.view(np.uint8)
    if count(words) > len(octets) // _FEW:
        return np.flatnonzero(np.unpackbits(octets, bitorder="little").view(np.bool_))
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


def next_places(words: Words, at: Ints) -> Ints:
    """Where the next bit is from each place on, of which there must be one."""
    word = at >> 6
    found = words[word] & ~_BELOW[at & 63]
    rows, filled = np.flatnonzero(found == 0), np.flatnonzero(words)
    word[rows] = filled[np.searchsorted(filled, word[rows], side="right")]
    found[rows] = words[word[rows]]
    places: Ints = (word << 6) + np.bitwise_count((found & -found) - np.uint64(1))
    return places


def behind(words: Words, count: int) -> Words:
    """Which places have a bit so many places behind them, from 1 to 63."""
    found = words >> np.uint64(count)
    found[:-1] |= words[1:] << np.uint64(64 - count)
    return found


def parity(words: Words) -> Words:
    """At which places the number of bits up to there is odd, that of the place itself included."""
    found = words ^ (words << np.uint64(1))
    for step in (2, 4, 8, 16, 32):
        found ^= found << np.uint64(step)
    odd = found >> np.uint64(63)
    found ^= -(np.bitwise_xor.accumulate(odd) ^ odd)
    return found


def _zeros_below(octet: Bytes) -> Bytes:
    """How many zeros stand below the lowest bit."""
    return np.bitwise_count(~octet & (octet - _OCTET_ONE))


@dataclass(frozen=True)
class Rank:
    """How many bits stand before a place."""

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
