"""Values: what must not be seen, however often the text has it. A value is a document, a label and words in lower case.

Values are told apart within documents, and a document may go on in the next portion. So the values of the last document
of each portion are remembered, and those of others are let go.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, empty
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.value_keys import Keys
from evenhand.text.tokens import Tokens

_NO_LABEL = -1


@dataclass(frozen=True)
class PortionValues:
    """The values of gold spans in a portion as numbers, and documents with gold spans likewise."""

    number: Ints
    """The number of every span's document and, behind these, of its value where words are known."""
    row: Ints
    """The spans that these numbers are of."""
    label: Ints
    """The label of each number; -1 for documents."""
    before: int
    """How many numbers were met before this portion, which are the lowest."""
    kept: Ints
    """The numbers that may be met again, as they are counted from the next portion on."""
    has_words: bool

    def first(self, places: Ints) -> tuple[Ints, Ints, Ints]:
        """The different numbers at some places, with the first span of each: number, label and row."""
        place = np.full(len(self.label), -1)
        place[self.number[places[::-1]]] = places[::-1]
        number = np.flatnonzero(place >= 0)
        return number, self.label[number], self.row[place[number]]


class GoldValues:
    """Numbers the values of a gold standard, portion by portion."""

    def __init__(self) -> None:
        self._known = Keys.of(empty(), empty(), Tokens.of([]))

    def take(self, documents: Ints, labels: Ints, words: Tokens | None, last: int) -> PortionValues:
        """Those of the next portion, given the document, label and words of its spans; `last` is its last document."""
        met = distinct(documents)
        keys = self._known.plus(Keys.of(met, np.full(len(met), _NO_LABEL), Tokens.of([""] * len(met))))
        if words is not None:
            keys = keys.plus(Keys.of(documents, labels, words))
        before, known = len(self._known), len(self._known) + len(met)
        numbers, first = keys.numbered()
        number = np.concatenate((numbers[before:known][np.searchsorted(met, documents)], numbers[known:]))
        row = np.tile(np.arange(len(documents)), 1 if words is None else 2)
        kept = np.flatnonzero(keys.document[first] == last)
        self._known = keys.take(first[kept])
        return PortionValues(number, row, keys.label[first], before, kept, words is not None)


class SystemValues:
    """What a system exposes of the values, portion by portion."""

    here: PortionValues

    def __init__(self) -> None:
        self._exposed: Ints = empty()
        """The numbers that were exposed before this portion."""

    def enter(self, values: PortionValues) -> None:
        """Go on to the next portion."""
        self.here = values

    def first_met(self) -> tuple[Ints, Ints]:
        """Label and first span of all values and documents that no earlier portion has."""
        here = self.here
        _, label, row = here.first(np.flatnonzero(here.number >= here.before))
        return label, row

    def first_exposed(self, is_exposed: Bools) -> tuple[Ints, Ints]:
        """Label and first exposed span of those that were safe until now; `is_exposed` is known of every span."""
        here = self.here
        was_exposed = np.zeros(len(here.label), dtype=np.bool_)
        was_exposed[self._exposed] = True
        number, label, row = here.first(np.flatnonzero(is_exposed[here.row] & ~was_exposed[here.number]))
        was_exposed[number] = True
        self._exposed = np.flatnonzero(was_exposed[here.kept])
        return label, row


class Values:
    """The values of a gold standard, and what every system exposes of them."""

    def __init__(self, systems: Iterable[str]) -> None:
        self.gold, self.systems = GoldValues(), {name: SystemValues() for name in systems}

    def enter(self, values: PortionValues) -> None:
        """Go on to the next portion with all systems."""
        for each in self.systems.values():
            each.enter(values)
