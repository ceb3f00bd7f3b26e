"""How alike systems are that label spans."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from evenhand.arrays import Values
from evenhand.scores.prf import prf, ratio
from evenhand.settings import ScoreSettings
from evenhand.tasks.agreement import Agreement
from evenhand.tasks.answers import Answers, together
from evenhand.tasks.spans.answers import identified
from evenhand.tasks.spans.passage import SpanJudgement


class SpanAgreement(Agreement):
    """Spans are told by scope, bounds, tokens, label and occurrence."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._solved = self._shared_errors = 0
        """Gold spans that one system at least has, and wrong spans that all have."""

    def add(self, judgement: SpanJudgement, answers: Answers) -> None:
        """Only spans that are not in the gold standard, which are few, have to be told apart."""
        gold = judgement.gold
        systems = [(each.given[1], each.equal_given) for each in judgement.questions.values()]
        in_gold = np.zeros((len(systems), len(gold)), dtype=np.bool_)
        for row, (_, equal) in zip(in_gold, systems, strict=True):
            row[equal[0]] = True
        wrong = [side.without(equal[1]) for side, equal in systems]
        identity, different = identified(wrong)
        is_wrong = np.zeros((len(systems), len(different)), dtype=np.bool_)
        is_wrong[np.repeat(np.arange(len(wrong)), [len(each) for each in wrong]), identity] = True
        both_right = together(in_gold)
        self.equal += both_right + together(is_wrong)
        self.size += np.array([len(side) for side, _ in systems])
        self.both_right += both_right
        self._solved += int(np.count_nonzero(in_gold.any(axis=0)))
        self._shared_errors += int(np.count_nonzero(is_wrong.all(axis=0)))

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])

    def bound(self, units: int) -> dict[str, float]:
        found = prf(self._solved, self._solved + self._shared_errors, self._solved, units)
        return {name: float(getattr(found, name)) if units else nan for name in ("precision", "recall", "f1")}
