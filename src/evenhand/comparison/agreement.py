"""Agreement: how much two systems are alike, whoever is right.

- *All answers*: the score of one system with the other as the key. For tags and trees, units with the same answer / N,
  which is 1 - difference. For spans, F1 under exact match: 2 equal spans / spans of both; it is the same both ways.
  For chains, F1 under ARCS, LEA and MELA, with each system as the key for each other; it is the same both ways, but for
  ARCS_nom and where spans are repeated.
- *Correct answers*: 2 units that both have right / (units that one has right + units that the other has right), over
  the units of the gold standard. For spans, right is TP.

Source: Tuggener 2017, section 1.1 (Tables 1 and 2) and appendix (Table 13). The systems of Table 1 have equally many
correct answers, for which the second formula is the share of these that both have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.scores.prf import ratio
from evenhand.tasks.answers import Answers, identified, together
from evenhand.text.layers import Spans


class Agreement:
    """Counts equal and correct answers of all pairs, portion by portion."""

    def __init__(self, systems: int) -> None:
        self._equal = np.zeros((systems, systems), dtype=np.int64)
        self._both_right = np.zeros((systems, systems), dtype=np.int64)
        self._size = np.zeros(systems, dtype=np.int64)
        self.solved, self.shared_errors = 0, 0
        """Of spans: gold spans that one system at least has, and wrong spans that all have."""

    def add_words(self, answers: Answers) -> None:
        for a in range(answers.systems):
            for b in range(a, answers.systems):
                equal = int(np.count_nonzero(answers.answer[a] == answers.answer[b]))
                self._equal[a, b] += equal
                self._equal[b, a] += equal if a != b else 0
        self._size += len(answers)
        self._both_right += together(answers.right)

    def add_mentions(self, answers: Answers) -> None:
        """Of mentions, only how many both have right; responses are scored against each other elsewhere."""
        self._both_right += together(answers.right[:, ~answers.is_surplus])

    def add_spans(self, gold: Spans, systems: Sequence[tuple[Spans, tuple[Ints, Ints]]]) -> None:
        """Spans are told by scope, bounds, tokens, label and occurrence.

        With each system's spans come the rows of gold spans and of its own that are equal; only the others, which are
        few, have to be told apart.
        """
        in_gold = np.zeros((len(systems), len(gold)), dtype=np.bool_)
        for row, (_, equal) in zip(in_gold, systems, strict=True):
            row[equal[0]] = True
        wrong = [side.without(equal[1]) for side, equal in systems]
        identity, different = identified(wrong)
        is_wrong = np.zeros((len(systems), len(different)), dtype=np.bool_)
        is_wrong[np.repeat(np.arange(len(wrong)), [len(each) for each in wrong]), identity] = True
        both_right = together(in_gold)
        self._equal += both_right + together(is_wrong)
        self._size += np.array([len(side) for side, _ in systems])
        self._both_right += both_right
        self.solved += int(np.count_nonzero(in_gold.any(axis=0)))
        self.shared_errors += int(np.count_nonzero(is_wrong.all(axis=0)))

    def all_answers(self, *, of_spans: bool) -> Values:
        """The score of every system with every other as the key."""
        if of_spans:
            return ratio(2 * self._equal, self._size[:, None] + self._size[None, :])
        return ratio(self._equal, np.broadcast_to(self._size, self._equal.shape))

    def correct_answers(self) -> Values:
        right = np.diag(self._both_right)
        return ratio(2 * self._both_right, right[:, None] + right[None, :])
