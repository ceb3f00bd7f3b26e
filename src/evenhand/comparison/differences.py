"""Differences: on which units two systems say different things, and what became of them.

For a pair of systems 1 and 2 and N units:

- difference = units with different answers / N.
- A different unit is a *correction* if system 2 is right, a *new error* if system 1 was right, else a *changed error*.
- Every transition (gold, from, to) is reported as a share of its class and as a share of all differences.
- For tags and trees, N is the words of the gold standard, and score(2) - score(1) = (corrections - new errors) / N. A
  word that a system lacks is wrong under it: one that only system 2 lacks is a new error if system 1 has it right.
- For enhanced dependencies, N is the gold edges and the surplus of either system, as for spans.
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
from dataclasses import field
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.answers import Answers, together

CLASSES = ("correction", "new_error", "changed_error")
CHANGES = ("", "head", "relation", "both")
_LABEL_BITS, _SHOWN_BITS = 17, 22
_LACKED = 2
"""By how much answers are raised, as codes of units that a system lacks are negative."""
_LABEL, _SHOWN = (1 << _LABEL_BITS) - 1, (1 << _SHOWN_BITS) - 1
_CHANGE_PLACE = _LABEL_BITS + 2 * _SHOWN_BITS
"""Where a key has its parts: a change, a gold label, and twice an answer and whether it is right."""


class Transition(NamedTuple):
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

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self.pairs = {pair: PairCounts() for pair in pairs}
        self._keys: dict[tuple[int, int], Counter[int]] = {pair: Counter() for pair in pairs}

    def add(self, answers: Answers) -> None:
        is_gold = ~answers.is_surplus
        gold, surplus = int(np.count_nonzero(is_gold)), int(np.count_nonzero(answers.is_surplus))
        absent = None if answers.absent is None else together(answers.absent[:, answers.is_surplus])
        after = ((answers.shown + _LACKED) << 1) | answers.right
        before = ((answers.told + 1) << 2 * _SHOWN_BITS) | (after << _SHOWN_BITS)
        for (a, b), counts in self.pairs.items():
            is_different = answers.answer[a] != answers.answer[b]
            units = np.flatnonzero(is_different)
            keys = before[a][units] | after[b][units]
            if answers.gold_head is not None:
                head, relation = answers.part[a] != answers.part[b], answers.shown[a] != answers.shown[b]
                keys |= (head + 2 * relation)[units] << _CHANGE_PLACE  # their places in `CHANGES`
            else:  # the same answer but other bounds, or another antecedent
                counts.moved += int(np.count_nonzero((answers.part[a] != answers.part[b]) & ~is_different & is_gold))
            found, number = np.unique(keys, return_counts=True)
            self._keys[a, b].update(dict(zip(found.tolist(), number.tolist(), strict=True)))
            counts.units += gold
            if absent is not None:
                counts.units += surplus - int(absent[a, b])

    def finish(self) -> dict[tuple[int, int], PairCounts]:
        """The counts of all pairs, with their transitions."""
        for pair, keys in self._keys.items():
            for key, count in keys.items():
                kind, transition = _decode(key)
                self.pairs[pair].transitions[kind][transition] = count
        return self.pairs


def _decode(key: int) -> tuple[str, Transition]:
    """The class of a difference and what it was: change, gold label, and twice an answer and whether it is right."""
    after, before = key & _SHOWN, key >> _SHOWN_BITS & _SHOWN
    gold = (key >> 2 * _SHOWN_BITS & _LABEL) - 1
    kind = "correction" if after & 1 else "new_error" if before & 1 else "changed_error"
    return kind, Transition(gold, (before >> 1) - _LACKED, (after >> 1) - _LACKED, CHANGES[key >> _CHANGE_PLACE])


def difference_class(before: Bools, after: Bools) -> Ints:
    """The places in `CLASSES` of units that are different, by whether each of the two systems has them right."""
    return np.where(after, 0, np.where(before, 1, 2))
