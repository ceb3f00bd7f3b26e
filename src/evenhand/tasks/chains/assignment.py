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

# == tasks/chains/ordered_assignment.py: The assignment of rows to columns with the largest sum, wher


def ordered_assignment(value: Values) -> tuple[Ints, Ints]:
    """The assignment of rows to columns with the largest sum, where the order decides between sums that are equal.

    Rows are matched one by one, each along the cheapest path to a free column, with prices for rows and columns. Cells
    that are 0 count as all others, so that rows without any other take a column, too. Where rows outnumber columns, the
    two change places. Columns are looked at from the last to the first; the last one that was looked at is taken of
    those that are as near as any and free. So this finds what SciPy's `linear_sum_assignment` finds, on which the
    scorer of CorefUD relies. `assignment.best_cells` is faster, and may find another assignment of the same sum.

    Source: Crouse 2016.
    """
    if value.shape[0] > value.shape[1]:
        columns, rows = ordered_assignment(value.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    found = _Assignment(-value)
    for row in range(len(value)):
        found.add(row)
    return np.arange(len(value)), found.column_of


class _Assignment:
    """An assignment with the least cost, row by row; there are as many columns as rows, or more."""

    def __init__(self, cost: Values) -> None:
        rows, columns = cost.shape
        self._cost = np.ascontiguousarray(cost)
        self._row_price, self._column_price = np.zeros(rows), np.zeros(columns)
        self.column_of, self._row_of = np.full(rows, -1), np.full(columns, -1)

    def add(self, row: int) -> None:
        """Match a row, and others anew, along the cheapest path to a free column."""
        columns = self._cost.shape[1]
        distance, came_from = np.full(columns, np.inf), np.full(columns, -1)
        left, here, least = np.arange(columns)[::-1].copy(), row, 0.0
        rows, reached = [row], list[int]()
        while True:
            further = least + self._cost[here, left] - self._row_price[here] - self._column_price[left]
            nearer = further < distance[left]
            distance[left[nearer]], came_from[left[nearer]] = further[nearer], here
            least, place = self._nearest(distance[left], left)
            column = int(left[place])
            reached.append(column)
            if self._row_of[column] < 0:
                break
            here = int(self._row_of[column])
            rows.append(here)
            left[place] = left[-1]
            left = left[:-1]
        self._pay(rows, reached, distance, least)
        self._change(row, column, came_from)

    def _nearest(self, distance: Values, columns: Ints) -> tuple[float, int]:
        """The least distance and its place: the last one with a free column, else the first one."""
        least = distance.min()
        places = np.flatnonzero(distance == least)
        free = places[self._row_of[columns[places]] < 0]
        return float(least), int(free[-1] if len(free) else places[0])

    def _pay(self, rows: list[int], columns: list[int], distance: Values, least: float) -> None:
        """The prices after a path was found."""
        self._row_price[rows[0]] += least
        for other in rows[1:]:
            self._row_price[other] += least - distance[self.column_of[other]]
        self._column_price[columns] -= least - distance[columns]

    def _change(self, first: int, column: int, came_from: Ints) -> None:
        """Match the rows of the path that ends in a column."""
        while True:
            row = int(came_from[column])
            before, self.column_of[row], self._row_of[column] = int(self.column_of[row]), column, row
            if row == first:
                return
            column = before


# == tasks/chains/assignment.py (primary)


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
