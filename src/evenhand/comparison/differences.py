"""Differences between two systems, and the oracle of several systems.

For a pair of systems 1 and 2 and N units:

- difference = units with different answers / N.
- A different unit is a *correction* if system 2 is right, a *new error* if system 1 was right, else a *changed error*.
- Every transition (gold, from, to) is reported as a share of its class and as a share of all differences.
- For tags and trees, N is the words of the gold standard, and score(2) - score(1) = (corrections - new errors) / N. A
  word that a system lacks is wrong under it: one that only system 2 lacks is a new error if system 1 has it right.
- For enhanced dependencies, N is the gold edges and the surplus of either system, as for spans.
- For trees, what changed: the head, the relation, or both.
- For spans, N is the gold spans and the surplus of either system. Right is TP and TN, so corrections are transitions to
  TP or TN, and new errors are transitions from TP or TN: corrections - new errors = errors(1) - errors(2). A unit of
  the same class that was matched with other bounds is not a difference, but is counted as *moved*.
- For mentions, the same with the error types of ARCS: N is all mentions that are not tn under both, and corrections -
  new errors = (tp(2) - fp(2)) - (tp(1) - fp(1)). The only changed errors are wl to fn and fn to wl; *moved* are
  mentions with the same error type but another closest antecedent.

Source: Tuggener 2017, section 2 (eq. 1, Algorithm 1, Tables 3 to 8); for spans, the same with the error types of
Ortmann 2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import nan
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.units import Predictions, together

CLASSES = ("correction", "new_error", "changed_error")
CHANGES = ("", "head", "relation", "both")
_LABEL_BITS, _SHOWN_BITS = 17, 22
_LACKED = 2
"""Added to answers because codes of units that a system lacks are negative."""
_LABEL, _SHOWN = (1 << _LABEL_BITS) - 1, (1 << _SHOWN_BITS) - 1
_CHANGE_BIT = _LABEL_BITS + 2 * _SHOWN_BITS
"""Position of the change in a key, which packs a change, a gold label, and twice an answer and whether it is right."""


class CodedTransition(NamedTuple):
    """A unit under two systems: codes of the gold label (-1: surplus) and of the two answers."""

    gold: int
    before: int
    after: int
    change: str
    """What changed in a tree."""


@dataclass
class PairCounts:
    """The differences of two systems."""

    units: int = 0
    moved: int = 0
    transitions: Mapping[str, Counter[CodedTransition]] = field(
        default_factory=lambda: {name: Counter() for name in CLASSES}
    )

    @property
    def counts(self) -> dict[str, int]:
        return {name: transitions.total() for name, transitions in self.transitions.items()}

    @property
    def different(self) -> int:
        return sum(self.counts.values())


class DifferenceCounter:
    """Counts the differences of pairs of systems, part by part."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self.pairs = {pair: PairCounts() for pair in pairs}
        self._keys: dict[tuple[int, int], Counter[int]] = {pair: Counter() for pair in pairs}

    def add(self, answers: Predictions) -> None:
        is_gold = ~answers.is_surplus
        gold, surplus = int(np.count_nonzero(is_gold)), int(np.count_nonzero(answers.is_surplus))
        absent = None if answers.absent is None else together(answers.absent[:, answers.is_surplus])
        after = ((answers.shown + _LACKED) << 1) | answers.right
        before = ((answers.displayed_label + 1) << 2 * _SHOWN_BITS) | (after << _SHOWN_BITS)
        for (a, b), counts in self.pairs.items():
            is_different = answers.answer[a] != answers.answer[b]
            units = np.flatnonzero(is_different)
            keys = before[a][units] | after[b][units]
            if answers.gold_head is not None:
                head, relation = answers.part[a] != answers.part[b], answers.shown[a] != answers.shown[b]
                keys |= (head + 2 * relation)[units] << _CHANGE_BIT  # an index of `CHANGES`
            else:  # the same answer but other bounds, or another antecedent
                counts.moved += int(np.count_nonzero((answers.part[a] != answers.part[b]) & ~is_different & is_gold))
            distinct, number = np.unique(keys, return_counts=True)
            self._keys[a, b].update(dict(zip(distinct.tolist(), number.tolist(), strict=True)))
            counts.units += gold
            if absent is not None:
                counts.units += surplus - int(absent[a, b])

    def finish(self) -> dict[tuple[int, int], PairCounts]:
        """Return the counts of all pairs, with their transitions."""
        for pair, keys in self._keys.items():
            for key, count in keys.items():
                kind, transition = _decode(key)
                self.pairs[pair].transitions[kind][transition] = count
        return self.pairs


def _decode(key: int) -> tuple[str, CodedTransition]:
    after, before = key & _SHOWN, key >> _SHOWN_BITS & _SHOWN
    gold = (key >> 2 * _SHOWN_BITS & _LABEL) - 1
    kind = "correction" if after & 1 else "new_error" if before & 1 else "changed_error"
    return kind, CodedTransition(gold, (before >> 1) - _LACKED, (after >> 1) - _LACKED, CHANGES[key >> _CHANGE_BIT])


def difference_class(before: Bools, after: Bools) -> Ints:
    """Indices in `CLASSES` of different units, by whether each of the two systems has them right."""
    return np.where(after, 0, np.where(before, 1, 2))


@dataclass(frozen=True)
class Bound:
    """Oracle upper bound: the score if a correct system were chosen for every unit.

    A unit is solved if at least one system is right. For all units, and for the units of each gold label:

    - each system's score = units it has right / units; the *upper bound* = units solved / units.
    - *gain*: the upper bound minus the score of the system that is best overall; *gain over best*: minus the score of
      the one that is best on the label.
    - Sentences are fully correct if all their units are right, under one system or, for the bound, under any.
    - For spans, the bounds of precision and F1 under exact match: TP = gold spans that at least one system has, FP =
      wrong spans that every system has.
    - For mentions, only those with an antecedent in the key have labels, so scores are recall under ARCS.
    - *Difficulty*: the number of systems that have each unit right. Surplus is right under the systems without it.

    Source: Tuggener 2017, section 3 (Tables 9 to 11).
    """

    units: int
    right: tuple[int, ...]
    solved: int

    @property
    def scores(self) -> list[float]:
        return [_share(right, self.units) for right in self.right]

    @property
    def upper_bound(self) -> float:
        return _share(self.solved, self.units)

    def gain(self, best: int) -> float:
        """Over the system with this number."""
        return self.upper_bound - self.scores[best]

    @property
    def gain_over_best(self) -> float:
        return self.upper_bound - max(self.scores)


def _share(part: int, whole: int) -> float:
    """NaN without units: the score of such a gold standard is undefined."""
    return part / whole if whole else nan


class Oracle:
    """Counts the units that systems solve, part by part; only gold units have labels here."""

    def __init__(self, systems: int) -> None:
        self._systems = systems
        self._labels: dict[int, Ints] = {}
        self._sentences = np.zeros(systems + 2, dtype=np.int64)
        self._difficulty = np.zeros(systems + 1, dtype=np.int64)

    def add(self, answers: Predictions) -> None:
        self._difficulty += np.bincount(answers.right[:, answers.counted].sum(axis=0), minlength=self._systems + 1)
        gold = np.flatnonzero(~answers.is_surplus)
        self._add_labels(answers.label[gold], answers.right[:, gold])
        self._add_sentences(answers)

    def _add_labels(self, label: Ints, right: np.ndarray) -> None:
        size = int(label.max(initial=-1)) + 1
        labels = (label, *(label[row] for row in (*right, right.any(axis=0))))
        table = np.stack([np.bincount(codes, minlength=size) for codes in labels])
        for code in np.flatnonzero(table[0]).tolist():
            self._labels[code] = self._labels.get(code, 0) + table[:, code]

    def _add_sentences(self, answers: Predictions) -> None:
        has = np.zeros(int(answers.sentence.max(initial=-1)) + 1, dtype=np.bool_)
        has[answers.sentence[answers.counted]] = True
        rows = [has]
        for right in (*answers.right, answers.right.any(axis=0)):
            whole = has.copy()
            whole[answers.sentence[~right]] = False
            rows.append(whole)
        self._sentences += np.array([np.count_nonzero(row) for row in rows])

    def overall(self) -> Bound:
        return _bound(sum(self._labels.values(), np.zeros(self._systems + 2, dtype=np.int64)))

    def labels(self, names: Sequence[str]) -> dict[str, Bound]:
        """By gold label, the most frequent first."""
        order = sorted(self._labels, key=lambda code: (-int(self._labels[code][0]), names[code]))
        return {names[code]: _bound(self._labels[code]) for code in order}

    def sentences(self) -> Bound:
        return _bound(self._sentences)

    def difficulty(self) -> dict[int, int]:
        """Number of units by the number of systems that have them right."""
        return dict(enumerate(self._difficulty.tolist()))


def _bound(row: Ints) -> Bound:
    units, *right, solved = row.tolist()
    return Bound(units, tuple(right), solved)
