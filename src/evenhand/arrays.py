"""The array types that every room uses, and index tricks that NumPy has no name for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from evenhand.dataclass import dataclass

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Values = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.number[Any]]

_ZERO, _ONE = np.int64(0).tobytes(), np.int64(1).tobytes()
Number = TypeVar("Number", bound=np.number[Any])


def ints(values: npt.ArrayLike) -> Ints:
    """`values` as a column of integers, without a copy where they are one already."""
    return np.asarray(values, dtype=np.int64)


def empty() -> Ints:
    return np.zeros(0, dtype=np.int64)


def zeros(size: int) -> Ints:
    """A column of zeros that takes no room; it cannot be written to."""
    return np.ndarray((size,), np.int64, _ZERO, strides=(0,))


def ones(size: int) -> Ints:
    """A column of ones that takes no room; it cannot be written to."""
    return np.ndarray((size,), np.int64, _ONE, strides=(0,))


def is_ones(column: Numbers) -> bool:
    """Whether this is a column of ones that takes no room."""
    return column.strides == (0,) and bool((column[:1] == 1).all())


def concatenate(columns: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    """Columns behind each other; equal numbers that take no room remain such."""
    first = columns[0]
    if all(column.strides == (0,) and column.dtype == first.dtype for column in columns):
        numbers = {column[0] for column in columns if len(column)}
        if len(numbers) <= 1:
            return np.broadcast_to(np.array(list(numbers) or 0, dtype=first.dtype), sum(map(len, columns)))
    return np.concatenate(columns)


def taken(column: npt.NDArray[Number], rows: Ints | slice) -> npt.NDArray[Number]:
    """Some rows of a column; equal numbers that take no room remain such."""
    if isinstance(rows, slice):
        return column[rows]
    return column[: len(rows)] if column.strides == (0,) and len(rows) <= len(column) else column.take(rows)


def distinct(values: Ints) -> Ints:
    """The values that occur, in their order. `np.unique` loads masked arrays first, which takes longer than a start."""
    ordered = np.sort(values)
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    found: Ints = ordered[is_new]
    return found


def others(size: int, rows: Ints) -> Ints:
    """Those of so many rows that are not among these."""
    left = np.ones(size, dtype=np.bool_)
    left[rows] = False
    return np.flatnonzero(left)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """The numbers of all ranges [start, start + length), one range after the other."""
    skipped = np.cumsum(lengths) - lengths
    numbers: Ints = np.arange(lengths.sum(), dtype=np.int64) + np.repeat(starts - skipped, lengths)
    return numbers


def equal_pairs(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """All pairs of a row of `left` and a row of `right` with the same number."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], left)
    size = np.searchsorted(right[order], left, side="right") - first
    return np.repeat(np.arange(len(left)), size), order[ranges(first, size)]


def pack(*columns: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """One integer key a row for two tables with the same columns: keys are equal just where all columns are.

    A column is its two sides. Keys sort as the columns do, the first one first. Where the product of the value
    ranges would overflow, what has been packed so far is replaced by its rank.
    """
    left, right = (np.zeros(len(side), dtype=np.int64) for side in columns[0])
    size = 1
    for a, b in columns:
        low = min(int(a.min(initial=0)), int(b.min(initial=0)))
        width = max(int(a.max(initial=0)), int(b.max(initial=0))) - low + 1
        if width == 1:
            continue
        if size * width >= 2**63:
            ranked = np.unique(np.concatenate((left, right)), return_inverse=True)[1].astype(np.int64)
            left, right = ranked[: len(left)], ranked[len(left) :]
            size = len(ranked) + 1
        if low:
            a, b = a - low, b - low
        left, right = (left * width + a, right * width + b) if size > 1 else (a.astype(np.int64), b.astype(np.int64))
        size *= width
    return left, right


# == bits.py: Columns of bits, one for each byte of a text: 64 of them are


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
    places: Ints = first + _zeros_below(octet)
    rest = octet & (octet - _OCTET_ONE)
    if not rest.any():
        return places
    counts = np.bitwise_count(octet)
    places, more = np.repeat(places, counts), np.flatnonzero(rest != 0)
    at = (np.cumsum(counts, dtype=np.int64) - counts)[more]
    while len(more):
        first, octet = first[more], rest[more]
        at += 1
        places[at] = first + _zeros_below(octet)
        rest = octet & (octet - _OCTET_ONE)
        more = np.flatnonzero(rest != 0)
        at = at[more]
    return places


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


# == ranges.py: Numbers within bounds, as types: who reads a saved result ch


MOST = 1 + 1e-9
"""The largest share, and what rounding may add to it."""
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=MOST)]
"""A score, or a part of a whole."""
Difference = Annotated[float, Meta(ge=-MOST, le=MOST)]
"""Of two shares; also what a correlation is."""
