"""What several systems say of the same units: the common ground of all comparisons.

Tags and trees: a unit is a word of the gold standard. What a system says of it is its tag; its head and relation
(`las`), its head (`uas`) or its relation (`ls`). A head for which the gold standard has no word is identified by its
characters, so a system never differs from itself. A word that a system lacks is wrong under it.

Enhanced dependencies (`elas`, `eulas`): a unit is an edge of the gold standard, or one that only systems have.

Spans: a unit is a span of the gold standard, and what a system says of it is its verdict, with the label that the
system gave it. A system's span that no gold span's verdict used up is *surplus*, a unit of its own, told by sentence,
bounds, tokens, label and occurrence; its verdict is TN under the systems that do not have it as surplus.

Sources: Tuggener 2017, section 2 (Algorithm 1), for tags and trees; Ortmann 2022 for the verdicts on spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.dataclass import dataclass
from evenhand.statistics.draws import ONE_THREAD

RIGHT_OR_WRONG = ("right", "wrong")
MISSING_CODE, ABSENT_CODE = -1, -2
"""What is shown of a unit of the gold standard that a system lacks, and of surplus that it does not have."""


@dataclass(frozen=True)
class Answers:
    """Some units: a column a unit and, in tables, a row a system."""

    label: Ints
    """The gold label; of surplus, its own."""
    is_surplus: Bools
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    shown: Ints
    """What is shown of it: the code of a tag or relation, or of a class of verdict and label, or a code as above."""
    right: Bools
    part: Ints
    """What may differ behind the same answer or make up a part of it: head, bounds of the span, or antecedent."""
    sentence: Ints
    start: Ints
    """The unit's place in its sentence, in tokens."""
    end: Ints
    gold_head: Ints | None = None
    """Of trees: the gold standard's heads; heads are places among its words, -1 for the root."""
    absent: Bools | None = None
    """Where there is surplus: which units are not surplus under which system."""
    gold_label: Ints | None = None
    """Of spans: the gold label that each verdict counts for, -1 for none; surplus has that of the span it overlaps."""
    gold_antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key, by its place among the units; -1 for none."""
    words: int = 0
    """Of trees: how many words of the gold standard there are; heads from there on are other tokens."""
    kinds: tuple[str, ...] = RIGHT_OR_WRONG
    """The kinds of verdicts that a match model counts."""
    verdict: Ints | None = None
    """What each system has of every unit, as a place in `kinds` (or behind them, where it does not count)."""
    shape: Ints | None = None
    """Of spans and mentions: the code of the atoms that each leaves out (0: none), in `shapes`."""
    shapes: Sequence[tuple[int, ...]] = ()
    left_out: int = 0
    """How many units of the gold standard are not compared, because not all systems are scored on them."""
    missing: Bools | None = None
    """Of words: which units of the gold standard each system lacks."""

    def __len__(self) -> int:
        return len(self.label)

    def take(self, shared: Bools) -> Answers:
        """Some of the units; those of the gold standard that are not among them are left out."""
        of_units = ("label", "is_surplus", "sentence", "start", "end", "gold_head", "shape")
        of_systems = ("answer", "shown", "right", "part", "absent", "gold_label", "verdict", "missing")
        found = {name: getattr(self, name) for name in (*of_units, *of_systems)}
        taken = {name: column[..., shared] for name, column in found.items() if column is not None}
        return replace(self, **taken, left_out=int(np.count_nonzero(~shared & ~self.is_surplus)))

    def gaps(self, unit: int) -> tuple[int, ...]:
        """The atoms that a unit leaves out, counted from its start."""
        return () if self.shape is None else tuple(self.shapes[int(self.shape[unit])])

    @property
    def systems(self) -> int:
        return len(self.answer)

    @property
    def kind(self) -> Ints:
        """What each system has of every unit: its verdict or, where there is none, whether it is right."""
        return np.where(self.right, 0, 1) if self.verdict is None else self.verdict

    @cached_property
    def told(self) -> Ints:
        """The gold label; -1 for surplus, but mentions have a type in any case."""
        return self.label if self.gold_antecedent is not None else np.where(self.is_surplus, -1, self.label)

    @property
    def counted(self) -> Ints:
        """The units that are there under some system, or in the gold standard."""
        here = ~self.is_surplus if self.absent is None else ~self.is_surplus | ~self.absent.all(axis=0)
        return np.flatnonzero(here)


def occurrences(key: Ints, system: Ints) -> Ints:
    """The number of equal keys of the same system before each."""
    key, _ = pack((key, empty()), (system, empty()))
    order = np.argsort(key, kind="stable")
    begins = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    place = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
    return occurrence


def together(marks: Bools) -> Ints:
    """For every two rows, in how many columns both have a mark.

    A product of matrices, in pieces that are left to one thread; their sums are exact in single precision.
    """
    step = max(1, ONE_THREAD // max(1, len(marks)) ** 2)
    found = np.zeros((len(marks), len(marks)), dtype=np.int64)
    for start in range(0, marks.shape[1], step):
        piece = marks[:, start : start + step].astype(np.float32)
        found += (piece @ piece.T).astype(np.int64)
    return found
