"""Array types, index helpers, and packed columns of bits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
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
Number = TypeVar("Number", bound=np.number[Any])

MOST = 1 + 1e-9
"""The largest share, with a tolerance for rounding."""
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=MOST)]
"""A score or a part of a whole, checked when a saved result is read."""
Difference = Annotated[float, Meta(ge=-MOST, le=MOST)]
"""The difference of two shares, or a correlation."""

_ZERO, _ONE = np.int64(0).tobytes(), np.int64(1).tobytes()
_BELOW = np.array([(1 << bit) - 1 for bit in range(64)], dtype=np.uint64)
"""For each bit of a word, the mask of the bits below it."""
_OCTET_ONE, _WORD_ONE = np.uint8(1), np.uint64(1)
_STEP = 1 << 17
"""Bytes examined at a time, so they stay in the processor's cache."""
_SPARSE = 4
"""Bits are listed one by one if at most one octet in this many has a bit."""
_AROUND = b"\xff" * 16
"""Set bits around the bits to search, so every search ends."""
_BEFORE = 8 * len(_AROUND)


def ints(values: npt.ArrayLike) -> Ints:
    """Return `values` as a column of integers, without a copy if they are one already."""
    return np.asarray(values, dtype=np.int64)


def empty() -> Ints:
    return np.zeros(0, dtype=np.int64)


def zeros(size: int) -> Ints:
    """Return a read-only column of zeros that takes no memory."""
    return np.ndarray((size,), np.int64, _ZERO, strides=(0,))


def ones(size: int) -> Ints:
    """Return a read-only column of ones that takes no memory."""
    return np.ndarray((size,), np.int64, _ONE, strides=(0,))


def is_ones(column: Numbers) -> bool:
    """Whether this is a column from `ones`."""
    return column.strides == (0,) and bool((column[:1] == 1).all())


def concatenate(columns: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    """Concatenate columns; constant columns that take no memory stay such."""
    first = columns[0]
    if all(column.strides == (0,) and column.dtype == first.dtype for column in columns):
        numbers = {column[0] for column in columns if len(column)}
        if len(numbers) <= 1:
            return np.broadcast_to(np.array(list(numbers) or 0, dtype=first.dtype), sum(map(len, columns)))
    return np.concatenate(columns)


def take(column: npt.NDArray[Number], rows: Ints | slice) -> npt.NDArray[Number]:
    """Return some rows of a column; constant columns that take no memory stay such."""
    if isinstance(rows, slice):
        return column[rows]
    return column[: len(rows)] if column.strides == (0,) and len(rows) <= len(column) else column.take(rows)


def distinct(values: Ints) -> Ints:
    """Return the sorted distinct values. `np.unique` would load masked arrays, which takes longer than start-up."""
    ordered = np.sort(values)
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.asarray(ordered[is_new])


def complement(size: int, rows: Ints) -> Ints:
    """Return the numbers below `size` that are not among `rows`."""
    left = np.ones(size, dtype=np.bool_)
    left[rows] = False
    return np.flatnonzero(left)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers of all ranges [start, start + length), one range after the other."""
    skipped = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(lengths.sum(), dtype=np.int64) + np.repeat(starts - skipped, lengths))


def equal_pairs(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of a row of `left` and a row of `right` with the same number."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], left)
    size = np.searchsorted(right[order], left, side="right") - first
    return np.repeat(np.arange(len(left)), size), order[ranges(first, size)]


def pack(*columns: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return one integer key per row for two tables with the same columns: keys are equal where all columns are.

    Each argument holds one column of both tables. Keys sort like the columns, the first one first. If the product of
    the value ranges overflows, the keys packed so far are replaced by their ranks.
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


def windows(data: bytes) -> Words:
    """Return the eight bytes from each position of `data` as one number; `data` must have eight bytes of padding."""
    return np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))


# Packed bits: one bit per byte of a text, 64 in a word, the first one lowest. At least one unset bit follows the last.


def bits_where(text: Bytes, predicate: Callable[[Bytes], Bools]) -> Words:
    """Return the bits of the bytes for which the predicate, called with a part of the text at a time, is true."""
    octets = np.zeros((len(text) // 64 + 1) * 8, dtype=np.uint8)
    for begin in range(0, len(text), _STEP):
        packed = np.packbits(predicate(text[begin : begin + _STEP]), bitorder="little")
        octets[begin // 8 :][: len(packed)] = packed
    return octets.view("<u8")


def bits_equal(text: Bytes, byte: int) -> Words:
    """Return the bits of the bytes equal to `byte`."""
    return bits_where(text, lambda part: part == byte)


def bits_at(positions: Ints, size: int) -> Words:
    """Return `size` bits, set at these positions."""
    octets = np.zeros((size // 64 + 1) * 8, dtype=np.uint8)
    np.bitwise_or.at(octets, positions >> 3, _OCTET_ONE << (positions & 7).astype(np.uint8))
    return octets.view("<u8")


def bits_ahead(words: Words, distance: int) -> Words:
    """Return which positions have a set bit `distance` (1 to 63) positions later."""
    ahead = words >> np.uint64(distance)
    ahead[:-1] |= words[1:] << np.uint64(64 - distance)
    return ahead


def bit_changes(words: Words) -> Words:
    """Return which bits differ from the bit before them; an unset bit precedes the first one."""
    changes = words << _WORD_ONE
    changes[1:] |= words[:-1] >> np.uint64(63)
    changes ^= words
    return changes


def bit_parity(words: Words) -> Words:
    """Return at which positions the number of set bits, up to and including the position, is odd."""
    odd = words ^ (words << _WORD_ONE)
    for step in (2, 4, 8, 16, 32):
        odd ^= odd << np.uint64(step)
    last = odd >> np.uint64(63)
    odd ^= -(np.bitwise_xor.accumulate(last) ^ last)
    return odd


def count_bits(words: Words) -> int:
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def bit_positions(words: Words) -> Ints:
    """Return the positions of the set bits."""
    octets = words.view(np.uint8)
    if count_bits(words) > len(octets) // _SPARSE:
        return np.flatnonzero(np.unpackbits(octets, bitorder="little").view(np.bool_))
    first = np.flatnonzero(octets != 0)
    octet = octets[first]
    first <<= 3
    positions: Ints = first + _zeros_below(octet)
    remainder = octet & (octet - _OCTET_ONE)
    if not remainder.any():
        return positions
    counts = np.bitwise_count(octet)
    positions, more = np.repeat(positions, counts), np.flatnonzero(remainder != 0)
    index = (np.cumsum(counts, dtype=np.int64) - counts)[more]
    while len(more):
        first, octet = first[more], remainder[more]
        index += 1
        positions[index] = first + _zeros_below(octet)
        remainder = octet & (octet - _OCTET_ONE)
        more = np.flatnonzero(remainder != 0)
        index = index[more]
    return positions


def _zeros_below(octet: Bytes) -> Bytes:
    """Return the number of zeros below the lowest set bit."""
    return np.bitwise_count(~octet & (octet - _OCTET_ONE))


@dataclass(frozen=True)
class BitRank:
    """Number of set bits before a position."""

    words: Words
    before: Ints
    """Number of set bits before each word, and in total."""

    @staticmethod
    def of(words: Words) -> BitRank:
        before = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum(np.bitwise_count(words), out=before[1:])
        return BitRank(words, before)

    def __call__(self, positions: Ints) -> Ints:
        word = positions >> 6
        return np.asarray(self.before[word] + np.bitwise_count(self.words[word] & _BELOW[positions & 63]))


class BitSearch:
    """Search for set bits after or before positions; the positions around the text count as set."""

    def __init__(self, words: Words) -> None:
        self._octets = _AROUND + words.tobytes() + _AROUND

    def following(self, positions: Ints, numbers: Collection[int]) -> dict[int, Ints]:
        """Return, for each number n from 0, the n-th set bit at or after each position."""
        results, words = {}, windows(self._octets)
        bit = positions + _BEFORE
        word = words[bit >> 3] >> (bit & 7).astype(np.uint64)
        for number in range(max(numbers, default=-1) + 1):
            if not word.all():
                rows = np.flatnonzero(word == 0)
                octet = self._nonzero[np.searchsorted(self._nonzero[:-8], (bit[rows] >> 3) + 8)]
                bit[rows], word[rows] = octet << 3, words[octet]
            below = word - _WORD_ONE
            if number in numbers:
                results[number] = bit + np.bitwise_count(below & ~word) - _BEFORE
            word &= below
        return results

    def preceding(self, positions: Ints) -> Ints:
        """Return the last set bit before each position."""
        words = windows(self._octets)
        bit = positions + (_BEFORE - 1)
        first = (bit >> 3) - 7
        word = words[first] << (~bit & 7).astype(np.uint64)
        if not word.all():
            rows = np.flatnonzero(word == 0)
            octet = self._nonzero[np.searchsorted(self._nonzero, first[rows]) - 1]
            bit[rows], word[rows] = (octet << 3) + 7, words[octet - 7]
        for shift in (1, 2, 4, 8, 16, 32):
            word |= word >> np.uint64(shift)
        return np.asarray(bit + np.bitwise_count(word) - (_BEFORE + 64))

    @cached_property
    def _nonzero(self) -> Ints:
        return np.flatnonzero(np.frombuffer(self._octets, dtype=np.uint8))
