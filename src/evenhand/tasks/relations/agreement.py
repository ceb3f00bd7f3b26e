"""How alike systems are that extract relations: F1 under strict match, with either one as the key."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.arrays import Values
from evenhand.scores.prf import ratio
from evenhand.tasks.agreement import Agreement
from evenhand.tasks.answers import Answers, together
from evenhand.tasks.relations.answers import identified


class RelationAgreement(Agreement):
    """Relations are told by scope, type, and bounds and labels of their arguments."""

    def add(self, judgement: Any, answers: Answers) -> None:
        sides = [question.system for question in judgement.questions.values()]
        unit, first = identified(sides)
        has = np.zeros((len(sides), len(first)), dtype=np.bool_)
        has[np.repeat(np.arange(len(sides)), [len(side) for side in sides]), unit] = True
        self.equal += together(has)
        self.size += np.array([len(side) for side in sides])
        self.both_right += together(answers.right[:, ~answers.is_surplus])

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])
