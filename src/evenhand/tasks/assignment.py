"""Assignment of rows to columns with the largest sum of cells (maximum-weight bipartite matching).

`best_cells` is for tables in which few cells exceed 0. A cell that is at least the sum of the second best cells of its
row and of its column is in some best assignment: an assignment with two others in their place does not lose if they are
exchanged for it. Such safe cells are taken for all rows at once, and again in the remaining table. The last remainder
is solved row by row, by shortest paths with prices for rows and columns.

`ordered_assignment` and `first_pairs` are for dense tables. The former resolves ties as SciPy's `linear_sum_assignment`
does, the latter returns the first best pairing.

Sources: Kuhn 1955; Edmonds and Karp 1972 for shortest paths with prices; Crouse 2016 for dense tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, Values

AnyValues = npt.NDArray[Any]
"""Floats, or whole numbers, which may be objects of any size."""
_ROUNDS = 4
"""Rounds of the search for safe cells; later rounds find few."""


def best_cells(row: Ints, column: Ints, value: Values) -> Ints:
    """The cells of a best assignment, which has every row and column at most once."""
    chosen = []
    remaining = np.arange(len(row))
    for _ in range(_ROUNDS):
        if not len(remaining):
            break
        safe = remaining[_safe(row[remaining], column[remaining], value[remaining])]
        if not len(safe):
            break
        chosen.append(safe)
        remaining = remaining[~(np.isin(row[remaining], row[safe]) | np.isin(column[remaining], column[safe]))]
    if len(remaining):
        cells = zip(*(cells[remaining].tolist() for cells in (row, column, value)), strict=True)
        chosen.append(remaining[_SparseAssignment(list(cells)).cells()])
    return np.concatenate(chosen) if chosen else remaining


def _safe(row: Ints, column: Ints, value: Values) -> Bools:
    """Cells of a best assignment, of different rows and columns."""
    safe: Bools = value >= _rival(row, value) + _rival(column, value)
    # Two safe cells of one row are equal and alone in their columns (and the same with rows and columns swapped).
    for line in (row, column):
        cells = np.flatnonzero(safe)
        _, first = np.unique(line[cells], return_index=True)
        safe[:] = False
        safe[cells[first]] = True
    return safe


def _rival(line: Ints, value: Values) -> Values:
    """The largest other cell in the line of each cell, or 0."""
    order = np.lexsort((-value, line))
    begins = np.ones(len(line), dtype=np.bool_)
    begins[1:] = line[order[1:]] != line[order[:-1]]
    first = np.flatnonzero(begins)
    size = np.diff(np.append(first, len(line)))
    second = np.where(size > 1, value[order[np.minimum(first + 1, len(line) - 1)]], 0.0)
    rival = np.empty_like(value)
    rival[order] = np.repeat(value[order[first]], size)
    rival[order[first]] = second
    return rival


class _SparseAssignment:
    """A best assignment of a sparse table, row by row.

    Every row and column has a price of at least 0. The prices of a cell's row and column add up to at least its value,
    and to exactly its value if the cell is taken. Unmatched rows and columns have the price 0 at the end, so no other
    assignment is better.
    """

    def __init__(self, cells: list[tuple[int, int, float]]) -> None:
        self._cells: defaultdict[int, list[tuple[int, float, int]]] = defaultdict(list)
        for number, (row, column, value) in enumerate(cells):
            self._cells[row].append((column, value, number))
        self._row_price = {row: max(value for _, value, _ in cells) for row, cells in self._cells.items()}
        self._column_price: defaultdict[int, float] = defaultdict(float)
        self._row_of: dict[int, int] = {}
        self._match_of: dict[int, tuple[int, int]] = {}
        """The column and the cell of each matched row."""

    def cells(self) -> list[int]:
        for row in self._cells:
            self._add(row)
        return sorted(cell for _, cell in self._match_of.values())

    def _add(self, row: int) -> None:
        """Match a row, and rematch others, along the cheapest path to a free column, or to a row that is given up."""
        rows, columns = {row: 0.0}, dict[int, float]()
        came_from: dict[int, tuple[int, int]] = {}
        heap: list[tuple[float, int]] = []
        cost, here = 0.0, row
        best, end = self._row_price[row], (row, -1)
        while True:
            for column, value, cell in self._cells[here]:
                # Below 0 is rounding, which must not make a path shorter than a part of it.
                further = cost + max(0.0, self._row_price[here] + self._column_price[column] - value)
                if further < columns.get(column, best):
                    columns[column], came_from[column] = further, (here, cell)
                    heappush(heap, (further, column))
            cost, column = _nearest(heap, columns)
            if cost >= best:
                break
            if column not in self._row_of:
                best, end = cost, (-1, column)
                break
            here = self._row_of[column]
            rows[here] = cost
            if cost + self._row_price[here] < best:
                best, end = cost + self._row_price[here], (here, -1)
        for reached, distance in rows.items():
            self._row_price[reached] -= max(0.0, best - distance)
        for reached, distance in columns.items():
            self._column_price[reached] += max(0.0, best - distance)
        self._rematch(row, *end, came_from)

    def _rematch(self, first: int, row: int, column: int, came_from: dict[int, tuple[int, int]]) -> None:
        """Match the rows of a path that ends in a row that is given up, or in a column."""
        if column < 0:
            if row == first:
                return
            column, _ = self._match_of.pop(row)
        while True:
            row, cell = came_from[column]
            before, _ = self._match_of.get(row, (-1, -1))
            self._match_of[row], self._row_of[column] = (column, cell), row
            if row == first:
                return
            column = before


def _nearest(heap: list[tuple[float, int]], columns: dict[int, float]) -> tuple[float, int]:
    """The next column by its cost, skipping outdated entries; infinitely far if there is none."""
    while heap:
        cost, column = heappop(heap)
        if columns[column] == cost:
            return cost, column
    return float("inf"), -1


def ordered_assignment(value: Values) -> tuple[Ints, Ints]:
    """The assignment with the largest sum; among equal sums, the order of rows and columns decides.

    Rows are matched one by one, each along the cheapest path to a free column, with prices for rows and columns. Cells
    that are 0 count, too, so rows without any other cell take a column. If rows outnumber columns, the two are swapped.
    Columns are visited from the last to the first; among the nearest ones, the free column that was visited last is
    taken. This finds the assignment of SciPy's `linear_sum_assignment`, which the scorer of CorefUD relies on.
    `best_cells` is faster, and may find another assignment of the same sum.
    """
    if value.shape[0] > value.shape[1]:
        columns, rows = ordered_assignment(value.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    assignment = _DenseAssignment(-value)
    for row in range(len(value)):
        assignment.add(row)
    return np.arange(len(value)), assignment.column_of


def first_pairs(value: AnyValues) -> list[tuple[int, int]]:
    """The pairs of the largest sum in which every row in turn has the first possible column, and none only if it must.

    Only positive cells are pairs. A cell is *tight* if its value is the sum of the prices of its row and its column.
    All best pairings consist of tight cells, and leave out only rows and columns with the price 0. So the first one is
    found from any best one, by exchanging partners along paths of tight cells.
    """
    rows, columns = value.shape
    if rows == 1 or columns == 1:
        best = int(value.argmax())
        return [divmod(best, columns)] if value.flat[best] > 0 else []
    column_of, row_price, column_price = _priced(value) if rows <= columns else _priced(value.T)
    if rows > columns:
        row_price, column_price = column_price, row_price
        pairs = [(row, column) for column, row in enumerate(column_of)]
    else:
        pairs = list(enumerate(column_of))
    tight = (row_price[:, None] + column_price == value) & (value > 0)
    exchange = _Exchange([pair for pair in pairs if value[pair] > 0], tight, row_price == 0, column_price == 0)
    return [(row, column) for row in range(rows) if (column := exchange.fix(row)) >= 0]


def _priced(value: AnyValues) -> tuple[list[int], AnyValues, AnyValues]:
    """The columns of a best assignment, and prices of 0 or more for rows and columns; columns are not fewer."""
    assignment = _DenseAssignment(-value)
    unmatched = assignment.start()
    for row in unmatched:
        assignment.add(row)
    shift = assignment.column_price.max()  # of all columns, one is free
    return assignment.column_of.tolist(), -assignment.row_price - shift, shift - assignment.column_price


class _DenseAssignment:
    """An assignment with the least cost, row by row; columns are not fewer than rows.

    Costs are floats, or whole numbers, which may be objects of any size.
    """

    def __init__(self, cost: AnyValues) -> None:
        rows, columns = cost.shape
        self._cost = np.ascontiguousarray(cost)
        self._far = 1 << 62 if cost.dtype.kind == "i" else np.inf
        self.row_price, self.column_price = np.zeros(rows, cost.dtype), np.zeros(columns, cost.dtype)
        self.column_of, self._row_of = np.full(rows, -1), np.full(columns, -1)

    def start(self) -> list[int]:
        """Give rows their cheapest column, as long as it is free; return the other rows."""
        self.row_price = self._cost.min(axis=1)
        for row, price in enumerate(self.row_price):
            free = np.flatnonzero((self._cost[row] == price) & (self._row_of < 0))
            if len(free):
                self.column_of[row], self._row_of[free[0]] = free[0], row
        unmatched: list[int] = np.flatnonzero(self.column_of < 0).tolist()
        return unmatched

    def add(self, row: int) -> None:
        """Match a row, and rematch others, along the cheapest path to a free column."""
        columns = self._cost.shape[1]
        distance, came_from = np.full(columns, self._far, self._cost.dtype), np.full(columns, -1)
        unvisited, here, least = np.arange(columns)[::-1].copy(), row, 0
        rows, reached = [row], list[int]()
        while True:
            further = self._cost[here, unvisited] - self.column_price[unvisited] + (least - self.row_price[here])
            nearer = further < distance[unvisited]
            distance[unvisited[nearer]], came_from[unvisited[nearer]] = further[nearer], here
            least, index = self._nearest(distance[unvisited], unvisited)
            column = int(unvisited[index])
            reached.append(column)
            if self._row_of[column] < 0:
                break
            here = int(self._row_of[column])
            rows.append(here)
            unvisited[index] = unvisited[-1]
            unvisited = unvisited[:-1]
        self.row_price[row] += least
        for other in rows[1:]:
            self.row_price[other] += least - distance[self.column_of[other]]
        self.column_price[reached] -= least - distance[reached]
        here = -1
        while here != row:
            here = int(came_from[column])
            before, self.column_of[here], self._row_of[column] = int(self.column_of[here]), column, here
            column = before

    def _nearest(self, distance: AnyValues, columns: Ints) -> tuple[Any, int]:
        """The least distance and its index: the last one with a free column, else the first one."""
        least = distance.min()
        indices = np.flatnonzero(distance == least)
        free = indices[self._row_of[columns[indices]] < 0]
        return least, int(free[-1] if len(free) else indices[0])


_OUT = -1
"""In place of the partner of rows and columns without one."""


class _Exchange:
    """Exchanges partners along tight cells. Sets of rows and columns are bits of whole numbers."""

    def __init__(self, pairs: list[tuple[int, int]], tight: Bools, row_leaves: Bools, column_leaves: Bools) -> None:
        self._rows, self._columns = (
            [int.from_bytes(bits.tobytes(), "little") for bits in np.packbits(table, axis=1, bitorder="little")]
            for table in (tight, tight.T)
        )
        self._leaving = sum(1 << row for row in np.flatnonzero(row_leaves).tolist())
        self._column_leaves = column_leaves.tolist()
        self._column_of, self._row_of = [_OUT] * len(self._rows), [_OUT] * len(self._columns)
        for row, column in pairs:
            self._column_of[row], self._row_of[column] = column, row
        self._open_rows, self._open_columns = (1 << len(self._rows)) - 1, (1 << len(self._columns)) - 1

    def fix(self, row: int) -> int:
        """Give a row the first possible column, which it keeps; return it."""
        self._open_rows &= ~(1 << row)
        current = self._column_of[row]
        earlier = self._rows[row] & self._open_columns & ((1 << current) - 1 if current >= 0 else -1)
        if earlier:
            following, mover = self._chains(current)
            column = next((column for column in _bits(earlier) if column in following), current)
            self._move(row, column, current, following, mover)
        if self._column_of[row] >= 0:
            self._open_columns &= ~(1 << self._column_of[row])
        return self._column_of[row]

    def _chains(self, end: int) -> tuple[dict[int, int], int]:
        """The columns that can be vacated if rows move towards the end, and the next column of each.

        A row of price 0 may move out, and a column of price 0 may be left empty; a row or a column that is out takes
        their place. Also return the row that comes in from outside, if there is one.
        """
        rows, following, mover, waiting = self._open_rows, dict[int, int](), _OUT, [end]
        for column in waiting:  # grows while columns are found
            movable = rows & (self._leaving if column == _OUT else self._columns[column])
            rows &= ~movable
            if column == _OUT:
                vacated = [(other, _OUT) for other, row in enumerate(self._row_of) if row == _OUT]
            else:
                vacated = [(_OUT, _OUT)] if self._column_leaves[column] else []
            vacated += [(self._column_of[row], row) for row in _bits(movable)]
            for other, row in vacated:
                if other not in following and other != end:
                    following[other] = column
                    waiting.append(other)
                    mover = row if other == _OUT else mover
        return following, mover

    def _move(self, row: int, column: int, end: int, following: dict[int, int], mover: int) -> None:
        """Move a row to a column, and the rows of the chain that begins there."""
        while True:
            displaced = mover if column == _OUT else self._row_of[column]
            if row != _OUT:
                self._column_of[row] = column
            if column != _OUT:
                self._row_of[column] = row
            if column == end:
                return
            row, column = displaced, following[column]


def _bits(number: int) -> Iterator[int]:
    """The positions of the bits of a whole number."""
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1
