"""Hits among spans of which so many lie on one token that their pairs are not listed.

A span x of one side has a hit if the other side has such a span y with its label. It lies to x in one of four ways:
around it, inside it, across its end, across its begin. For each way, all candidates begin in one window of the text and
end before or behind a bound of x, and the best of them is told by one number:

| y is           | `contain`, `constrained`             | `iou`, with the threshold as a fraction p / q |
| -------------- | ------------------------------------ | --------------------------------------------- |
| around x       | the shortest                         | the shortest                                  |
| inside x       | the longest                          | the longest                                   |
| across its end | the first to end, of those that begin early enough | least q start + p end           |
| across its begin | the last to end, of those that begin late enough | most p start + q end            |

The figures are those of `hits` on listed pairs. Spans with gaps are no part of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import nextafter

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, pack
from evenhand.tasks.spans.nearby import NOTHING, Begun
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Limits:
    """How a span y of the other side may differ from a span x and still be a hit."""

    outside: int
    """How many tokens of y may lie outside of x."""
    lacking: int
    """How many tokens of x may lie outside of y."""

    @property
    def turned(self) -> Limits:
        """The same as seen from the other side."""
        return Limits(self.lacking, self.outside)


class Crowd:
    """The spans x that are asked about, and the spans y of the other side."""

    def __init__(self, asked: Spans, others: Spans) -> None:
        scopes, labels = (asked.scope, others.scope), (asked.label, others.label)
        group, other = pack(scopes, labels)
        groups = distinct(other)
        self._group = np.searchsorted(groups, group)
        known = np.append(groups, -1)[np.minimum(self._group, len(groups))] == group
        self._group = np.where(known, self._group, len(groups))
        self.start, self.end = asked.start, asked.end
        self.others = Begun(np.searchsorted(groups, other), others.start, others.end)

    def overlapping(self) -> Bools:
        """Which x share a token with a y."""
        window = self.others.window(self._group, np.zeros_like(self.start), self.end)
        found: Bools = self.others.least(-self.others.end, window, end_from=self.start + 1) != NOTHING
        return found

    def _around(self) -> Ints:
        """The length of the shortest y around each x."""
        window = self.others.window(self._group, np.zeros_like(self.start), self.start + 1)
        return self.others.least(self.others.end - self.others.start, window, end_from=self.end)

    def _inside(self) -> Ints:
        """The length of the longest y inside each x, or less than nothing."""
        window = self.others.window(self._group, self.start, self.end)
        return -self.others.least(self.others.start - self.others.end, window, end_to=self.end)

    def around(self) -> Bools:
        """Which x have a y around them."""
        found: Bools = self._around() != NOTHING
        return found

    def inside(self) -> Bools:
        """Which x have a y inside them."""
        found: Bools = self._inside() > 0
        return found

    def one_off(self) -> Bools:
        """Which x have a y whose bounds differ by one token in all."""
        found = np.zeros(len(self.start), dtype=np.bool_)
        for later, longer in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            start, end = self.start + later, self.end + longer
            window = self.others.window(self._group, start, start + 1)
            found |= self.others.least(self.others.end, window, end_from=end) == end
        return found

    def within(self, limits: Limits) -> Bools:
        """Which x have a y that shares a token with them and differs by no more than the limits say."""
        length, others = self.end - self.start, self.others
        found = self._around() - length <= limits.outside
        found |= self._inside() >= length - limits.lacking
        late = others.window(self._group, self.start, np.minimum(self.start + limits.lacking + 1, self.end))
        found |= others.least(others.end, late, end_from=self.end) - self.end <= limits.outside
        early = others.window(self._group, self.start - limits.outside, self.start + 1)
        last = -others.least(-others.end, early, end_to=self.end)
        found |= last >= np.maximum(self.end - limits.lacking, self.start + 1)
        return found

    def alike(self, threshold: float) -> Bools:
        """Which x have a y whose shared tokens are at least this share of the tokens of both."""
        length, others = self.end - self.start, self.others
        found = length / self._around() >= threshold
        found |= np.maximum(self._inside(), 0) / length >= threshold
        p, q, spare = _fraction(threshold, int(max(self.end.max(initial=1), others.end.max(initial=1))))
        late = others.window(self._group, self.start, self.end)
        least = others.least(q * others.start + p * others.end, late, end_from=self.end)
        found |= least <= q * self.end + p * self.start - spare
        early = others.window(self._group, np.zeros_like(self.start), self.start + 1)
        least = others.least(-(p * others.start + q * others.end), early, end_to=self.end)
        found |= least <= -(p * self.end + q * self.start) - spare
        return found


def _fraction(threshold: float, largest: int) -> tuple[int, int, int]:
    """p, q and r such that part / whole, rounded, reaches the threshold just where q part >= p whole + r.

    That holds for all whole numbers up to `largest`: what is rounded up to the threshold lies above the middle between
    it and the number below, and no fraction of such numbers lies between that middle and the one closest to it.
    """
    middle = (Fraction(nextafter(threshold, 0.0)) + Fraction(threshold)) / 2
    closest = middle.limit_denominator(largest)
    return closest.numerator, closest.denominator, int(closest < middle)
