"""Spans of one side by where they begin, and what is asked of them: the best one in a window of the text.

Where thousands of spans lie on one token, their pairs cannot be listed. Whether a span has a partner can be said
without a list: of the spans that begin in some window and end behind (or before) some place, one that is best in a
single number tells. These are found for all questions at once, by blocks of 1, 2, 4, … neighbouring spans: a window is
made of at most two blocks of each size, and within a block spans are sorted by their ends. So n questions of n spans
take n log² n steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Ints

NOTHING = np.iinfo(np.int64).max
"""What a question without an answer gets."""


@dataclass(frozen=True)
class Window:
    """For each question the first row that is asked for, and the one behind the last."""

    low: Ints
    high: Ints


class Begun:
    """Spans by group (scope and label) and start."""

    def __init__(self, group: Ints, start: Ints, end: Ints) -> None:
        self._width = int(end.max(initial=0)) + 2
        order = np.argsort(group * self._width + start, kind="stable")
        self._place = (group * self._width + start)[order]
        self.start, self.end = start[order], end[order]

    def window(self, group: Ints, begin: Ints, behind: Ints) -> Window:
        """The spans of a group that start in [begin, behind)."""
        last = self._width - 1
        low = np.searchsorted(self._place, group * self._width + np.clip(begin, 0, last))
        high = np.searchsorted(self._place, group * self._width + np.clip(behind, 0, last))
        return Window(low, np.maximum(low, high))

    def least(self, value: Ints, window: Window, *, end_from: Ints | None = None, end_to: Ints | None = None) -> Ints:
        """The least value among the spans of each window that end at `end_from` or later (`end_to` or earlier)."""
        if end_from is not None:
            return _least(self.end, value, window, end_from)
        assert end_to is not None
        high = self._width
        return _least(high - self.end, value, window, high - end_to)


def _least(end: Ints, value: Ints, window: Window, bound: Ints) -> Ints:
    """For each window the least value among the rows whose `end` is the bound or more."""
    found = np.full(len(bound), NOTHING)
    low, high = window.low, window.high
    size = 1 << max(len(end) - 1, 1).bit_length()
    end = np.append(end, np.full(size - len(end), -1)).reshape(-1, 1)
    value = np.append(value, np.full(size - len(value), NOTHING)).reshape(-1, 1)
    bound = np.clip(bound, 0, int(end.max(initial=0)) + 1)
    while (low < high).any():
        block = _Blocks(end, value)
        for rows, at in ((low % 2 == 1, low), (high % 2 == 1, high - 1)):
            asked = np.flatnonzero(rows & (low < high))
            found[asked] = np.minimum(found[asked], block.least(at[asked], bound[asked]))
        low, high = (low + 1) // 2, high // 2
        if len(end) == 1:
            break
        end, value = end.reshape(-1, end.shape[1] * 2), value.reshape(-1, value.shape[1] * 2)
        order = np.argsort(end, axis=1, kind="stable")
        end, value = np.take_along_axis(end, order, axis=1), np.take_along_axis(value, order, axis=1)
    return found


class _Blocks:
    """Blocks of equal size whose rows are sorted by `end`."""

    def __init__(self, end: Ints, value: Ints) -> None:
        self._size, self._width = end.shape[1], int(end.max(initial=0)) + 2
        self._key = (end + 1 + np.arange(len(end))[:, None] * (self._width + 1)).ravel()
        self._rest = np.minimum.accumulate(value[:, ::-1], axis=1)[:, ::-1].ravel()

    def least(self, block: Ints, bound: Ints) -> Ints:
        """The least value of a block among rows whose end is the bound or more."""
        place = np.searchsorted(self._key, bound + 1 + block * (self._width + 1))
        inside = place < (block + 1) * self._size
        return np.where(inside, self._rest[np.minimum(place, len(self._rest) - 1)], NOTHING)
