"""Which places of a document are taken already."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence

from evenhand.grounding.forms import Span


class Occupancy:
    """The spans that items of a document have got."""

    def __init__(self, placed: Iterable[tuple[Span, str]] = ()) -> None:
        self._labeled = set(placed)
        self._spans = {span for span, _ in self._labeled}
        self._starts, self._ends = list[int](), list[int]()
        """The parts of the text that are covered, from the left."""
        for start, end in sorted(self._spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)
        self._tried = dict[tuple[Hashable, ...], int]()

    def add(self, span: Span, label: str) -> None:
        self._spans.add(span)
        self._labeled.add((span, label))
        start, end = span
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def overlaps(self, span: Span) -> bool:
        """Whether a placed span overlaps this one."""
        at = bisect_right(self._ends, span[0])
        return at < len(self._starts) and self._starts[at] < span[1]

    def has(self, span: Span, label: str) -> bool:
        """Whether an item of this label has this span."""
        return (span, label) in self._labeled

    def choose(self, spans: Sequence[Span], label: str, key: Hashable, within: Span | None = None) -> Span | None:
        """The first span that overlaps no placed one; else that equals none; else that equals none of this label.

        What is taken stays taken, so the next search for the same `key`, which names the list of spans, goes on from
        where the last one ended. `within` are the first and last rows of the list that may be chosen.
        """
        first, last = within or (0, len(spans))
        rules: tuple[tuple[Callable[[Span], bool], str | None], ...] = (
            (self.overlaps, None),
            (self._spans.__contains__, None),
            (lambda span: self.has(span, label), label),
        )
        for number, (is_taken, whose) in enumerate(rules):
            place = (key, first, last, number, whose)
            at = self._tried.get(place, first)
            while at < last and is_taken(spans[at]):
                at += 1
            self._tried[place] = at
            if at < last:
                return spans[at]
        return None
