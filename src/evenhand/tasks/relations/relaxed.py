"""Relaxed: a relation is hit if the other side has one of its type whose arguments overlap and have its labels.

A gold relation is hit if a system relation has its type, and each argument shares a token (or a character) with the
corresponding one and has its label; either way round if the type is symmetric.

- recall = `gold_hits` / `gold`, precision = `system_hits` / `system`

Source: Taillé et al. 2020 (one token of the right type makes an argument right).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.tally import Tally
from evenhand.tasks.spans.tallies import HIT_KINDS

if TYPE_CHECKING:
    from evenhand.tasks.relations.question import Question


def count_relaxed(question: Question) -> Tally:
    found = question.candidates
    hits = np.flatnonzero(found.same_type & found.corresponds & found.same_labels)
    gold, system = question.gold, question.system
    gold_kind, system_kind = np.full(len(gold), 1), np.full(len(system), 3)
    gold_kind[found.gold[hits]], system_kind[found.system[hits]] = 0, 2
    nothing, no_gold = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        gold.spans.vocabulary.labels.values,
        HIT_KINDS,
        np.concatenate((question.groups[gold.scope], question.groups[system.scope])),
        np.concatenate((gold.label, no_gold)),
        np.concatenate((nothing, system.label)),
        np.concatenate((gold_kind, system_kind)),
    )
