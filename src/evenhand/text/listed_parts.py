"""The parts of spans as a file lists them, in characters of their sentence, spaces and all.

Scores that count the offsets of a file as they stand need them: `0 7;7 8` is not `0 8` there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass

Parts = tuple[tuple[int, int], ...]
"""Starts and ends, in the order of the text."""


@dataclass(frozen=True)
class _Batch:
    """The spans of one batch; offsets count from the begin of `text`."""

    text: str
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints
    begin: Ints
    """Where the sentence of each span begins in the text."""

    def of(self, row: int) -> Parts:
        low, high = self.first[row : row + 2].tolist()
        begin = int(self.begin[row])
        parts = sorted(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))
        if len(parts) == 1:
            parts = list(self._words(*parts[0]))
        return tuple((start - begin, end - begin) for start, end in parts)

    def _words(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        """A part cut at every blank."""
        blanks = [at for at in range(start, end) if self.text[at] == " "]
        pieces = pairwise([start - 1, *blanks, end])
        return [(before + 1, behind) for before, behind in pieces if before + 1 < behind]


class ListedParts:
    """The parts of the spans of one annotation, by their rows."""

    def __init__(self, batches: Sequence[_Batch]) -> None:
        self._batches = batches
        self._first = list(accumulate((len(each.begin) for each in batches), initial=0))

    @staticmethod
    def of(text: str, first: Ints, start: Ints, end: Ints, begin: Ints) -> ListedParts:
        """Parts of spans in a text: `first` says where those of each span begin, `begin` where its sentence does."""
        return ListedParts([_Batch(text, first, start, end, begin)])

    @staticmethod
    def join(parts: Sequence[ListedParts]) -> ListedParts:
        return ListedParts([batch for each in parts for batch in each._batches])

    def __getitem__(self, row: int) -> Parts:
        """The parts of a span; what is listed as one part is cut at every blank."""
        batch = bisect_right(self._first, row) - 1
        return self._batches[batch].of(row - self._first[batch])
