"""The array types that every room uses, and index tricks that NumPy has no name for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

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
