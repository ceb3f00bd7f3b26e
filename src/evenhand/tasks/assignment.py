"""Assignment of rows to columns with the largest sum of cells (maximum-weight bipartite matching).

`best_cells` is for tables in which few cells exceed 0. A cell that is at least the sum of the second best cells of its
row and of its column is in some best assignment: an assignment with two others in their place does not lose if they are
exchanged for it. Such safe cells are taken for all rows at once, and again in the remaining table. The last remainder
is solved row by row, by shortest paths with prices for rows and columns.

`ordered_assignment` is for dense tables; it resolves ties as SciPy's `linear_sum_assignment` does.

Sources: Kuhn 1955; Edmonds and Karp 1972 for shortest paths with prices; Crouse 2016 for `ordered_assignment`.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from evenhand.arrays import Bools, Ints, Values

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
    assignment = _OrderedAssignment(-value)
    for row in range(len(value)):
        assignment.add(row)
    return np.arange(len(value)), assignment.column_of


class _OrderedAssignment:
    """An assignment with the least cost, row by row; columns are not fewer than rows."""

    def __init__(self, cost: Values) -> None:
        rows, columns = cost.shape
        self._cost = np.ascontiguousarray(cost)
        self._row_price, self._column_price = np.zeros(rows), np.zeros(columns)
        self.column_of, self._row_of = np.full(rows, -1), np.full(columns, -1)

    def add(self, row: int) -> None:
        """Match a row, and rematch others, along the cheapest path to a free column."""
        columns = self._cost.shape[1]
        distance, came_from = np.full(columns, np.inf), np.full(columns, -1)
        unvisited, here, least = np.arange(columns)[::-1].copy(), row, 0.0
        rows, reached = [row], list[int]()
        while True:
            further = least + self._cost[here, unvisited] - self._row_price[here] - self._column_price[unvisited]
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
        self._row_price[row] += least
        for other in rows[1:]:
            self._row_price[other] += least - distance[self.column_of[other]]
        self._column_price[reached] -= least - distance[reached]
        here = -1
        while here != row:
            here = int(came_from[column])
            before, self.column_of[here], self._row_of[column] = int(self.column_of[here]), column, here
            column = before

    def _nearest(self, distance: Values, columns: Ints) -> tuple[float, int]:
        """The least distance and its index: the last one with a free column, else the first one."""
        least = distance.min()
        indices = np.flatnonzero(distance == least)
        free = indices[self._row_of[columns[indices]] < 0]
        return float(least), int(free[-1] if len(free) else indices[0])
