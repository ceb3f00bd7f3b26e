"""How alike coreference resolvers are: each response as the key for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from evenhand.arrays import Values
from evenhand.scores.model_score import headline
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.agreement import Agreement
from evenhand.tasks.answers import Answers, together
from evenhand.tasks.chains.models import MODELS
from evenhand.tasks.chains.passage import ChainJudgement
from evenhand.tasks.chains.repeats import first_only

PAIRED_BY = ("lea", "mela")
"""The scores of one response with another as the key, beside the one that systems are compared by."""


class ChainAgreement(Agreement):
    """F1 under ARCS, LEA and MELA, with each system as the key for each other; correct answers are verdicts."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._paired: dict[tuple[int, int], dict[str, list[Tally]]] = {
            pair: {"chains": [], by: []} for pair in permutations(range(len(systems)), 2)
        }

    def add(self, judgement: ChainJudgement, answers: Answers) -> None:
        self.both_right += together(answers.right[:, ~answers.is_surplus])
        systems, nothing = list(judgement.systems.values()), np.zeros_like(judgement.groups)
        keys = systems if self.settings["repeats"] == "last" else [first_only(each) for each in systems]
        for (a, b), tallies in self._paired.items():
            for judge, tally in judgement.counts(keys[a], systems[b], PAIRED_BY, (self.by,), nothing).items():
                tallies[judge].append(tally)

    def all_answers(self) -> Values:
        return self.paired()[self.by]

    def paired(self) -> Mapping[str, Values]:
        """By score, that of each response (a column) with each other as the key (a row), and 1 with itself."""
        size = len(self.systems)
        models = [model.prepare(self.settings) for model in MODELS if model.name in (self.by, *PAIRED_BY)]
        models.sort(key=lambda model: model.name != self.by)
        found = {model.name: np.ones((size, size)) for model in models}
        for (a, b), tallies in self._paired.items():
            merged = {judge: Tally.merge(parts) for judge, parts in tallies.items()}
            for model in models:
                found[model.name][a, b] = headline(model, merged[model.judge], ())
        return found
