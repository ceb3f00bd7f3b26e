"""Differences: on which units two systems say different things, and what became of them.

For a pair of systems 1 and 2 and N units:

- difference = units with different answers / N.
- A different unit is a *correction* if system 2 is right, a *new error* if system 1 was right, else a *changed error*.
- Every transition (gold, from, to) is reported as a share of its class and as a share of all differences.
- For tags and trees: score(2) - score(1) = (corrections - new errors) / N.
- For trees, what changed: the head, the relation, or both.
- For spans, N is the gold spans and the surplus of either system. Right is TP and TN, so that corrections are
  transitions to TP or TN, and new errors those from TP or TN: corrections - new errors = errors(1) - errors(2). A unit
  of the same class that was matched with other bounds is no difference, but is counted as *moved*.
- For mentions, the same with the verdicts of ARCS: N is all mentions that are not tn under both, and corrections - new
  errors = (tp(2) - fp(2)) - (tp(1) - fp(1)). The only changed errors are wl to fn and fn to wl; *moved* are mentions
  with the same verdict but another closest antecedent.

Source: Tuggener 2017, section 2 (eq. 1, Algorithm 1, Tables 3 to 8); for spans, the same with the verdicts of Ortmann
2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.comparison.answers import Answers

CLASSES = ("correction", "new_error", "changed_error")
CHANGES = ("", "head", "relation", "both")


@dataclass(frozen=True)
class Transition:
    """What a unit was and became: codes of the gold label (-1: surplus) and of the two systems' answers."""

    gold: int
    before: int
    after: int
    change: str
    """Of trees: what changed."""


@dataclass
class PairCounts:
    """The differences of two systems, added up over portions."""

    units: int = 0
    moved: int = 0
    transitions: Mapping[str, Counter[Transition]] = field(
        default_factory=lambda: {name: Counter() for name in CLASSES}
    )

    @property
    def counts(self) -> dict[str, int]:
        """How many differences of each class there are."""
        return {name: found.total() for name, found in self.transitions.items()}

    @property
    def different(self) -> int:
        return sum(self.counts.values())


class Differences:
    """Counts the differences of some pairs of systems, portion by portion."""

    def __init__(self, pairs: Sequence[tuple[int, int]], *, of_trees: bool) -> None:
        self.pairs = {pair: PairCounts() for pair in pairs}
        self._of_trees = of_trees
        self._keys: dict[tuple[int, int], Counter[int]] = {pair: Counter() for pair in pairs}

    def add(self, answers: Answers) -> None:
        gold = int(np.count_nonzero(~answers.is_surplus))
        for (a, b), counts in self.pairs.items():
            different = np.flatnonzero(answers.answer[a] != answers.answer[b])
            keys = self._encode(answers, a, b, different)
            found, number = np.unique(keys, return_counts=True)
            self._keys[a, b].update(dict(zip(found.tolist(), number.tolist(), strict=True)))
            counts.units += gold
            if answers.absent is not None:
                counts.units += int(np.count_nonzero(~(answers.absent[a] & answers.absent[b]) & answers.is_surplus))
            if not self._of_trees:
                counts.moved += _moved(answers, a, b)

    def _encode(self, answers: Answers, a: int, b: int, units: Ints) -> Ints:
        """Class, change, gold label and both answers of units as one number each."""
        kind = difference_class(answers, a, b)[units]
        change = self._changes(answers, a, b)[units]
        gold = answers.told[units]
        before, after = answers.shown[a][units], answers.shown[b][units]
        keys: Ints = ((((kind << 2) | change) << 17 | (gold + 1)) << 21 | before) << 21 | after
        return keys

    def _changes(self, answers: Answers, a: int, b: int) -> Ints:
        """The places in `CHANGES` of what differs."""
        if not self._of_trees:
            return np.zeros(len(answers), dtype=np.int64)
        head, relation = answers.part[a] != answers.part[b], answers.shown[a] != answers.shown[b]
        changes: Ints = head.astype(np.int64) + 2 * relation
        return changes

    def finish(self) -> dict[tuple[int, int], PairCounts]:
        """The counts of all pairs, with their transitions."""
        for pair, keys in self._keys.items():
            for key, count in keys.items():
                kind, transition = _decode(key)
                self.pairs[pair].transitions[kind][transition] += count
        return self.pairs


def _decode(key: int) -> tuple[str, Transition]:
    after, before = key & (1 << 21) - 1, key >> 21 & (1 << 21) - 1
    gold = (key >> 42 & (1 << 17) - 1) - 1
    return CLASSES[key >> 61], Transition(gold, before, after, CHANGES[key >> 59 & 3])


def difference_class(answers: Answers, a: int, b: int) -> Ints:
    """The place in `CLASSES` of every unit, if it is different."""
    return np.where(answers.right[b], 0, np.where(answers.right[a], 1, 2))


def _moved(answers: Answers, a: int, b: int) -> int:
    """How many units have the same answer but other bounds, or another antecedent."""
    same: Bools = (answers.answer[a] == answers.answer[b]) & (answers.part[a] != answers.part[b])
    return int(np.count_nonzero(same & ~answers.is_surplus))
