"""The oracle: how far systems together could get, if somebody always chose the right one.

A unit is solved if one system at least is right. For all units, and for those of each gold label:

- each system's score = units it has right / units; the *upper bound* = units solved / units.
- *gain*: the upper bound minus the score of the system that is best overall; *gain over best*: minus the score of the
  one that is best on the label.
- Sentences are fully correct if all their units are right, under one system or, for the bound, under any.
- For spans, the bounds of precision and F1 under exact match: TP = gold spans that one system at least has, FP = wrong
  spans that every system has.
- For mentions, units with labels are those with an antecedent in the key, so that scores are recall under ARCS.
- *Difficulty*: how many systems have each unit right, 0 to all. Surplus is right under the systems without it.

Source: Tuggener 2017, section 3 (Tables 9 to 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.answers import Answers


@dataclass(frozen=True)
class Bound:
    """How many units there are, how many each system has right, and how many one at least."""

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
    """Counts what systems solve, portion by portion; only units of the gold standard have labels here."""

    def __init__(self, systems: int) -> None:
        self._systems = systems
        self._labels: dict[int, Ints] = {}
        self._sentences = np.zeros(systems + 2, dtype=np.int64)
        self._difficulty = np.zeros(systems + 1, dtype=np.int64)

    def add(self, answers: Answers) -> None:
        right = answers.right
        self._difficulty += np.bincount(right[:, answers.counted].sum(axis=0), minlength=self._systems + 1)
        mine = np.flatnonzero(~answers.is_surplus)
        self._add_labels(answers.label[mine], right[:, mine])
        self._add_sentences(answers)

    def _add_labels(self, label: Ints, right: np.ndarray) -> None:
        size = int(label.max(initial=-1)) + 1
        rows = [np.bincount(label, minlength=size)]
        rows += [np.bincount(label[row], minlength=size) for row in right]
        rows.append(np.bincount(label[right.any(axis=0)], minlength=size))
        table = np.stack(rows)
        for code in np.flatnonzero(table[0]).tolist():
            self._labels[code] = self._labels.get(code, 0) + table[:, code]

    def _add_sentences(self, answers: Answers) -> None:
        size = int(answers.sentence.max(initial=-1)) + 1
        has = np.zeros(size, dtype=np.bool_)
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
        """How many units so many systems have right."""
        return dict(enumerate(self._difficulty.tolist()))


def _bound(row: Ints) -> Bound:
    units, *right, solved = row.tolist()
    return Bound(units, tuple(right), solved)
