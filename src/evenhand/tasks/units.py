"""Units as an error browser shows them: what every system has of each, and the two labels that its verdict is about.

A drawing is what every side has in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.answers import Answers
from evenhand.tasks.places import Places

Row = tuple[int, ...]
Rows = tuple[Row, ...] | tuple[Row | None, ...]
"""Rows of numbers of one side. Tuples, as Python's garbage collector need not scan those again."""


class Drawing(Protocol):
    """The annotation of all sides, of which the gold standard is the first."""

    def sides(self, sentence: int) -> list[Rows]:
        """What each side has in a sentence: rows of numbers."""


@runtime_checkable
class LinkedDrawing(Drawing, Protocol):
    """A drawing of spans that are linked."""

    def links(self, sentence: int) -> list[Rows]:
        """The links of each side in a sentence: rows of label, and the places of both ends among the side's rows."""


@dataclass(frozen=True)
class Units:
    """Some units: a column a unit and, in tables, a row a system. Labels are codes, -1 for none."""

    sentence: Ints
    start: Ints
    end: Ints
    label: Ints
    """The unit's own label: the gold standard's, or that of surplus."""
    surplus: Bools
    """Which units are not in the gold standard."""
    kind: Ints
    gold: Ints
    """The gold label that a verdict counts for."""
    predicted: Ints
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    right: Bools
    partner: Ints
    """Of spans: the bounds (start << 32 | end) of what a unit was matched with; -1 for nothing."""
    shape: Ints | None = None
    """Of spans and mentions: the code of the atoms that each leaves out (0: none), in `shapes`."""
    shapes: Sequence[tuple[int, ...]] = ()
    antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key (the first row) and under each system, by its place here."""

    def gaps(self, rows: Ints) -> dict[int, tuple[int, ...]]:
        """Of some units, by their place among these: the atoms that those with gaps leave out."""
        if self.shape is None:
            return {}
        shape = self.shape[rows]
        return {row: tuple(self.shapes[int(shape[row])]) for row in np.flatnonzero(shape).tolist()}

    def antecedents(self, places: Places, unit: int) -> tuple[str, ...]:
        """Of mentions: the words of their antecedents; empty where there are none."""
        if self.antecedent is None:
            return ()
        return tuple(self._words(places, other) for other in self.antecedent[:, unit].tolist())

    def _words(self, places: Places, unit: int) -> str:
        if unit < 0:
            return ""
        return places.mention(int(self.sentence[unit]), int(self.start[unit]), int(self.end[unit]))


def units_of(answers: Answers, kind: Ints, gold: Ints, predicted: Ints, partner: Ints) -> Units:
    """The units of a comparison, with the kind of verdict of each system and the labels that it is about."""
    return Units(
        answers.sentence,
        answers.start,
        answers.end,
        answers.label,
        answers.is_surplus,
        kind,
        gold,
        predicted,
        answers.answer,
        answers.right,
        partner,
        answers.shape,
        answers.shapes,
    )
