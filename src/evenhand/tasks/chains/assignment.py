"""The assignment of rows to columns with the largest sum, where few cells are above 0.

A cell that is at least the sum of the second best ones of its row and its column is in some best assignment: whoever
has the two others instead can change to it without a loss. Such cells are taken for all rows at once, and again in what
is left. What remains after that is solved row by row, by shortest paths with prices for rows and columns.

Source: Kuhn 1955; Edmonds and Karp 1972 for shortest paths with prices.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from evenhand.arrays import Bools, Ints, Values

_ROUNDS = 4
"""How often safe cells are looked for; few are found later."""


def best_cells(row: Ints, column: Ints, value: Values) -> Ints:
    """The cells of a best assignment, which has every row and column once at most."""
    chosen = []
    left = np.arange(len(row))
    for _ in range(_ROUNDS):
        if not len(left):
            break
        safe = left[_safe(row[left], column[left], value[left])]
        if not len(safe):
            break
        chosen.append(safe)
        left = left[~(np.isin(row[left], row[safe]) | np.isin(column[left], column[safe]))]
    if len(left):
        cells = zip(row[left].tolist(), column[left].tolist(), value[left].tolist(), strict=True)
        chosen.append(left[_Matching(list(cells)).cells()])
    return np.concatenate(chosen) if chosen else left


def _safe(row: Ints, column: Ints, value: Values) -> Bools:
    """Cells of a best assignment, of different rows and columns."""
    safe: Bools = value >= _rival(row, value) + _rival(column, value)
    # Cells of one row that are both safe are equal, with nothing else in their columns (or the other way round).
    for line in (row, column):
        places = np.flatnonzero(safe)
        _, first = np.unique(line[places], return_index=True)
        safe[:] = False
        safe[places[first]] = True
    return safe


def _rival(line: Ints, value: Values) -> Values:
    """For each cell the largest other one in its line; 0 where there is none."""
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


class _Matching:
    """A best assignment, row by row.

    Every row and column has a price of 0 or more; the prices of a cell's row and column together are at least its
    value, and equal to it where the cell is taken. What is not matched has price 0 at the end, so nothing is better.
    """

    def __init__(self, cells: list[tuple[int, int, float]]) -> None:
        self._cells: defaultdict[int, list[tuple[int, float, int]]] = defaultdict(list)
        for number, (row, column, value) in enumerate(cells):
            self._cells[row].append((column, value, number))
        self._row_price = {row: max(value for _, value, _ in found) for row, found in self._cells.items()}
        self._column_price: defaultdict[int, float] = defaultdict(float)
        self._row_of: dict[int, int] = {}
        """The row that each column is matched with."""
        self._match_of: dict[int, tuple[int, int]] = {}
        """The column and the cell that each row is matched by."""

    def cells(self) -> list[int]:
        for row in self._cells:
            self._add(row)
        return sorted(cell for _, cell in self._match_of.values())

    def _add(self, row: int) -> None:
        """Match a row, and others anew, along the cheapest path to a free column, or to a row that is left out."""
        rows, columns = {row: 0.0}, dict[int, float]()
        came_from: dict[int, tuple[int, int]] = {}
        heap: list[tuple[float, int]] = []
        cost, here = 0.0, row
        least, last = self._row_price[row], (row, -1)
        while True:
            for column, value, cell in self._cells[here]:
                # Below 0 is rounding, which must not make a path shorter than a part of it.
                further = cost + max(0.0, self._row_price[here] + self._column_price[column] - value)
                if further < columns.get(column, least):
                    columns[column], came_from[column] = further, (here, cell)
                    heappush(heap, (further, column))
            cost, column = _nearest(heap, columns)
            if cost >= least:
                break
            if column not in self._row_of:
                least, last = cost, (-1, column)
                break
            here = self._row_of[column]
            rows[here] = cost
            if cost + self._row_price[here] < least:
                least, last = cost + self._row_price[here], (here, -1)
        for reached, distance in rows.items():
            self._row_price[reached] -= max(0.0, least - distance)
        for reached, distance in columns.items():
            self._column_price[reached] += max(0.0, least - distance)
        self._change(row, *last, came_from)

    def _change(self, first: int, row: int, column: int, came_from: dict[int, tuple[int, int]]) -> None:
        """Match the rows of a path, which ends in a row that is left out, or in a column."""
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
    """The next column by its cost, which must be that of the table; infinitely far where there is none."""
    while heap:
        cost, column = heappop(heap)
        if columns[column] == cost:
            return cost, column
    return float("inf"), -1
