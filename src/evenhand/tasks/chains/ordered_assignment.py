"""The assignment of rows to columns with the largest sum, where the order decides between sums that are equal.

Rows are matched one by one, each along the cheapest path to a free column, with prices for rows and columns. Cells that
are 0 count as all others, so that rows without any other take a column, too. Where rows outnumber columns, the two
change places. Columns are looked at from the last to the first; the last one that was looked at is taken of those that
are as near as any and free. So this finds what SciPy's `linear_sum_assignment` finds, on which the scorer of CorefUD
relies. `assignment.best_cells` is faster, and may find another assignment of the same sum.

Source: Crouse 2016.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, Values


def ordered_assignment(value: Values) -> tuple[Ints, Ints]:
    """The rows and columns of the best assignment of a whole matrix, in the order of rows."""
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
