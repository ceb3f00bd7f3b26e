"""Pair the rows and columns of a table of weights: the largest sum, and of all largest sums the first pairing.

Each row and column has at most one partner, and only positive cells are pairs. Of all pairings with the largest sum,
the lexicographically first one is chosen: each row in turn takes the first possible column, and none only if it must.

The sum is found row by row, by shortest augmenting paths with prices for rows and columns. A cell is *tight* if its
weight is the sum of both prices. All best pairings consist of tight cells, and leave out only rows and columns with the
price 0, so the first one is found by exchanging partners along paths of tight cells.

Sources: Kuhn 1955; Jonker and Volgenant 1987 for shortest augmenting paths.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints

Weights = npt.NDArray[np.int64]
"""A table of whole numbers; the type is `object` if sums may exceed 64 bits."""
_FAR = 1 << 62


def best_pairs(weights: Weights) -> list[tuple[int, int]]:
    """The first pairing with the largest sum, in the order of rows."""
    rows, columns = weights.shape
    if rows == 1 or columns == 1:
        best = int(weights.argmax())
        return [divmod(best, columns)] if weights.flat[best] > 0 else []
    partner, row_price, column_price = _best(weights)
    tight = (row_price[:, None] + column_price[None, :] == weights) & (weights > 0)
    return _first(tight, partner, row_price == 0, column_price == 0)


def _best(weights: Weights) -> tuple[list[int], Weights, Weights]:
    """The column of each row in a best pairing, or -1, and the prices of rows and columns."""
    rows, columns = weights.shape
    row_price, column_price = weights.max(axis=1).clip(min=0), np.zeros(columns, dtype=weights.dtype)
    partner, holder = [-1] * rows, np.full(columns, -1)
    for row in range(rows):
        if row_price[row] > 0:
            free = np.flatnonzero((weights[row] == row_price[row]) & (holder < 0))
            if len(free):
                partner[row], holder[free[0]] = int(free[0]), row
    far = _FAR if weights.dtype != object else int(weights.sum()) + 1
    for row in range(rows):
        if partner[row] < 0 and row_price[row] > 0:
            _augment(row, weights, row_price, column_price, partner, holder, far)
    return partner, row_price, column_price


def _augment(
    start: int, weights: Weights, row_price: Weights, column_price: Weights, partner: list[int], holder: Ints, far: int
) -> None:
    """Find the best place for a row, and exchange partners along the shortest path to it."""
    columns = weights.shape[1]
    distance = np.full(columns, far, dtype=weights.dtype)
    before, is_done = np.full(columns, -1), np.zeros(columns, dtype=np.bool_)
    scanned_rows, scanned_columns = [(start, 0)], list[tuple[int, int]]()
    row, length, left_out, shortest = start, 0, start, row_price[start]
    while True:
        reduced = column_price - weights[row] + (row_price[row] + length)
        is_nearer = (reduced < distance) & (weights[row] > 0) & ~is_done
        distance[is_nearer] = reduced[is_nearer]
        before[is_nearer] = row
        if length + row_price[row] < shortest:
            left_out, shortest = row, length + row_price[row]
        open_distance = np.where(is_done, far, distance)
        length = open_distance.min()
        if length >= min(shortest, far):
            column, length = -1, shortest
            break
        ties = np.flatnonzero(open_distance == length)
        free = ties[holder[ties] < 0]
        column = int(free[0] if len(free) else ties[0])
        if len(free):
            break
        is_done[column] = True
        row = int(holder[column])
        scanned_columns.append((column, length))
        scanned_rows.append((row, length))
    for row, scanned in scanned_rows:
        row_price[row] -= length - scanned
    for scanned_column, scanned in scanned_columns:
        column_price[scanned_column] += length - scanned
    if column < 0:  # a row on the path is left out, and its column passes on
        column, partner[left_out] = partner[left_out], -1
        if left_out == start:
            return
    while True:
        row = int(before[column])
        following, partner[row], holder[column] = partner[row], column, row
        if row == start:
            return
        column = following


def _first(tight: Bools, partner: list[int], row_may_leave: Bools, column_may_leave: Bools) -> list[tuple[int, int]]:
    """The first of all best pairings, given one of them; rows and columns with the price 0 may be left out."""
    exchange = _Exchange(tight, partner, row_may_leave, column_may_leave)
    for row in range(len(partner)):
        exchange.fix(row)
    return [(row, column) for row, column in enumerate(partner) if column >= 0]


class _Exchange:
    """Exchanges partners along tight cells. Sets of rows and columns are bits of whole numbers.

    If a row moves from its column to another one, the holder of that one must move, too, and so on. Such a chain ends
    at the column that the first row has left, at a column without holder, or with a row that may be left out. Unless it
    ends at the column that was left, that one must be left out, or be taken by another chain, which begins with a
    row without partner or at a column that may be left out.
    """

    def __init__(self, tight: Bools, partner: list[int], row_may_leave: Bools, column_may_leave: Bools) -> None:
        self._rows, self._columns = (
            [int.from_bytes(bits.tobytes(), "little") for bits in np.packbits(table, axis=1, bitorder="little")]
            for table in (tight, tight.T)
        )
        self._partner, self._holder = partner, [-1] * len(self._columns)
        for row, column in enumerate(partner):
            if column >= 0:
                self._holder[column] = row
        self._row_may_leave = np.flatnonzero(row_may_leave).tolist()
        self._column_may_leave = column_may_leave.tolist()
        self._open_rows, self._open_columns = (1 << len(self._rows)) - 1, (1 << len(self._columns)) - 1

    def fix(self, row: int) -> None:
        """Give a row the first possible column, which it keeps."""
        self._open_rows &= ~(1 << row)
        candidates, current = self._rows[row] & self._open_columns, self._partner[row]
        if candidates and (current < 0 or candidates & ((1 << current) - 1)):
            self._move(row, candidates, current)
        if self._partner[row] >= 0:
            self._open_columns &= ~(1 << self._partner[row])

    def _move(self, row: int, candidates: int, current: int) -> None:
        partner, holder = self._partner, self._holder
        to_current = self._chains([current]) if current >= 0 else {}
        filler = self._filler(current, to_current) if current >= 0 else None
        to_end: dict[int, int] | None = None
        while candidates:
            column = (candidates & -candidates).bit_length() - 1
            candidates &= candidates - 1
            if column == current:
                return
            if column in to_current:
                holder[current] = -1
                self._follow(row, column, to_current)
                return
            if current >= 0 and filler is None:
                continue
            if to_end is None:
                to_end = self._ends()
            if holder[column] < 0 or column in to_end:
                if current >= 0 and filler is not None:
                    holder[current] = -1
                    mover, target = filler
                    if mover >= 0:
                        if partner[mover] >= 0:
                            holder[partner[mover]] = -1
                        self._follow(mover, target, to_current)
                self._follow(row, column, to_end)
                return

    def _chains(self, ends: list[int], rows: int | None = None) -> dict[int, int]:
        """The columns whose holders can move along tight cells to one of the ends, and where each moves."""
        rows = self._open_rows if rows is None else rows
        chains: dict[int, int] = {}
        waiting = list(ends)
        for column in waiting:  # grows while columns are found
            movable = self._columns[column] & rows
            rows &= ~movable
            while movable:
                row = (movable & -movable).bit_length() - 1
                movable &= movable - 1
                if self._partner[row] >= 0:
                    chains[self._partner[row]] = column
                    waiting.append(self._partner[row])
        return chains

    def _ends(self) -> dict[int, int]:
        """The same for columns without holder; -1: the holder is left out."""
        rows, leaving = self._open_rows, dict[int, int]()
        for row in self._row_may_leave:
            if rows >> row & 1 and self._partner[row] >= 0:
                leaving[self._partner[row]] = -1
                rows &= ~(1 << row)
        free = [column for column, row in enumerate(self._holder) if row < 0]
        return self._chains([*leaving, *free], rows) | leaving

    def _filler(self, current: int, to_current: dict[int, int]) -> tuple[int, int] | None:
        """The row that begins a chain to a column that is left, and where it moves; (-1, -1) if none is needed."""
        if self._column_may_leave[current]:
            return -1, -1
        for column in (current, *to_current):
            movable = self._columns[column] & self._open_rows
            while movable:
                row = (movable & -movable).bit_length() - 1
                movable &= movable - 1
                if self._partner[row] < 0:
                    return row, column
        left = next((column for column in to_current if self._column_may_leave[column]), None)
        return None if left is None else (self._holder[left], to_current[left])

    def _follow(self, mover: int, target: int, chains: dict[int, int]) -> None:
        """Move a row to a column, and the following rows of the chain."""
        while target >= 0:
            displaced = self._holder[target]
            self._partner[mover], self._holder[target] = target, mover
            if displaced < 0:
                return
            mover, target = displaced, chains[target]
        self._partner[mover] = -1


def greedy_pairs(size: int, weights_of: Callable[[int], Weights]) -> list[tuple[int, int]]:
    """Pairs by weight, then by row and column; `weights_of` returns a row of the table, which is never held whole."""
    taken: set[int] = set()
    waiting = []
    for row in range(size):
        weights = weights_of(row)
        best = int(weights.argmax())
        if weights[best] > 0:
            waiting.append((-int(weights[best]), row, best))
    heapify(waiting)
    pairs = []
    while waiting:
        _, row, column = waiting[0]
        if column not in taken:
            heappop(waiting)
            taken.add(column)
            pairs.append((row, column))
            continue
        weights = weights_of(row)
        weights[list(taken)] = 0
        best = int(weights.argmax())
        if weights[best] > 0:
            heapreplace(waiting, (-int(weights[best]), row, best))
        else:
            heappop(waiting)
    return sorted(pairs)
