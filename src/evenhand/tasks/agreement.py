"""Agreement: how much two systems are alike, whoever is right.

- *All answers*: the score of one system with the other as the key. For tags and trees, units with the same answer / N,
  which is 1 - difference; two systems that lack a word say the same of it. For spans, F1 under exact match: 2 equal
  spans / spans of both; it is the same both ways. For chains, F1 under ARCS, LEA and MELA, with each system as the key
  for each other; it is the same both ways, but for ARCS_nom and where spans are repeated.
- *Correct answers*: 2 units that both have right / (units that one has right + units that the other has right), over
  the units of the gold standard. For spans, right is TP.

Source: Tuggener 2017, section 1.1 (Tables 1 and 2) and appendix (Table 13). The systems of Table 1 have equally many
correct answers, for which the second formula is the share of these that both have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Values
from evenhand.scores.prf import ratio
from evenhand.settings import ScoreSettings
from evenhand.tasks.answers import Answers, together


class Agreement:
    """Counts equal and correct answers of all pairs, portion by portion; a task may count in its own way."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        self.systems, self.by, self.settings = systems, by, settings
        self.equal = np.zeros((len(systems), len(systems)), dtype=np.int64)
        self.both_right = np.zeros_like(self.equal)
        self.size = np.zeros(len(systems), dtype=np.int64)
        self.units = np.zeros_like(self.equal)

    def add(self, judgement: Any, answers: Answers) -> None:
        """Count the units of a portion; surplus counts for the pairs of which one system has it."""
        absent = np.zeros_like(self.equal)
        if answers.absent is not None:
            absent = together(answers.absent[:, answers.is_surplus])
        for a in range(answers.systems):
            for b in range(a, answers.systems):
                equal = int(np.count_nonzero(answers.answer[a] == answers.answer[b]) - absent[a, b])
                self.equal[a, b] += equal
                self.equal[b, a] += equal if a != b else 0
        self.units += len(answers) - absent
        self.both_right += together(answers.right[:, ~answers.is_surplus])

    def all_answers(self) -> Values:
        """The score of every system with every other as the key."""
        return ratio(self.equal, self.units)

    def correct_answers(self) -> Values:
        right = np.diag(self.both_right)
        return ratio(2 * self.both_right, right[:, None] + right[None, :])

    def paired(self) -> Mapping[str, Values]:
        """Further scores of systems with each other as the key, by name."""
        return {}

    def bound(self, units: int) -> dict[str, float] | None:
        """The precision, recall and F1 of an oracle under exact match, where that is another score."""
        return None
