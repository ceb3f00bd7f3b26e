"""Units as an error browser shows them: what every system has of each, and the two labels that its verdict is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.answers import CLASS_KINDS, Answers, WordAnswers, partners
from evenhand.tasks.chains.arcs import ARCS_KINDS
from evenhand.tasks.places import Places
from evenhand.tasks.tags.judge import TAG_KINDS
from evenhand.tasks.trees.judge import RIGHT, TREE_KINDS
from evenhand.tasks.words.verdicts import MISSING

KINDS_OF_TASK = {
    "spans": CLASS_KINDS,
    "tags": (*TAG_KINDS, MISSING),
    "trees": (*TREE_KINDS, MISSING),
    "chains": ARCS_KINDS,
}
"""The verdicts on units of each task."""
RIGHT_KINDS = ("TP", "TN", "right", "tp", "tn")


@dataclass(frozen=True)
class Judged:
    """Some units: a column a unit and, in tables, a row a system. Labels are codes, -1 for none."""

    sentence: Ints
    start: Ints
    end: Ints
    label: Ints
    """The unit's own label: the gold standard's, or that of surplus."""
    surplus: Bools
    """Which units are not in the gold standard."""
    kind: Ints
    gold: Ints
    """The gold label that a verdict counts for."""
    predicted: Ints
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    right: Bools
    partner: Ints
    """Of spans: the bounds (start << 32 | end) of what a unit was matched with; -1 for nothing."""
    antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key (the first row) and under each system, by its place here."""

    def antecedents(self, places: Places, unit: int) -> tuple[str, ...]:
        """Of mentions: the words of their antecedents; empty where there are none."""
        if self.antecedent is None:
            return ()
        return tuple(self._words(places, other) for other in self.antecedent[:, unit].tolist())

    def _words(self, places: Places, unit: int) -> str:
        if unit < 0:
            return ""
        return places.mention(int(self.sentence[unit]), int(self.start[unit]), int(self.end[unit]))


def judged_spans(answers: Answers) -> Judged:
    kind, label = answers.shown & 15, (answers.shown >> 4) - 1
    assert answers.gold_label is not None
    nothing = answers.absent if answers.absent is not None else np.zeros_like(answers.right)
    gold = np.where(nothing, -1, answers.gold_label)
    return _judged(answers, kind, gold, np.where(nothing, -1, label), answers.part)


def judged_mentions(answers: Answers) -> Judged:
    label = np.broadcast_to(answers.label, answers.shown.shape)
    assert answers.gold_antecedent is not None
    nothing = np.full(answers.shown.shape, -1)
    antecedent = np.concatenate((answers.gold_antecedent[None], answers.part))
    return replace(_judged(answers, answers.shown, label, nothing, nothing), antecedent=antecedent)


def _judged(answers: Answers, kind: Ints, gold: Ints, predicted: Ints, partner: Ints) -> Judged:
    return Judged(
        answers.sentence,
        answers.start,
        answers.end,
        answers.label,
        answers.is_surplus,
        kind,
        gold,
        predicted,
        answers.answer,
        answers.right,
        partner,
    )


def judged_words(
    label: Ints, head: Ints | None, by: str, systems: Sequence[WordAnswers], counted: Bools
) -> tuple[Judged, Ints]:
    """What systems have of all words that count, and the partner of each word of the gold standard (-1: missing).

    `label` and `head` are the gold standard's.
    """
    words = systems[0].aligned.gold
    partner = np.stack([partners(each.aligned) for each in systems])
    units = np.flatnonzero(counted)
    mine = partner[:, units]
    predicted = np.stack([np.append(each.label, -1)[row] for each, row in zip(systems, mine, strict=True)])
    gold = np.broadcast_to(label[units], predicted.shape)
    wrong_label = predicted != gold
    kinds, kind, answer = KINDS_OF_TASK["tags"], wrong_label.astype(np.int64), predicted
    if head is not None:
        heads = np.stack([heads_of(each, row) for each, row in zip(systems, mine, strict=True)])
        kinds, kind = KINDS_OF_TASK["trees"], np.where(heads == head[units], 0, 1) + np.where(wrong_label, 2, 0)
        answer = {"uas": heads, "ls": predicted}.get(by, ((heads + 3) << 24) | (predicted + 1))
    kind = np.where(mine < 0, kinds.index(MISSING), kind)
    right = np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind]
    sentence = words.sentence[units]
    start = units - words.bounds[sentence]
    nothing = np.full(kind.shape, -1)
    surplus = np.zeros(len(units), dtype=np.bool_)
    found = Judged(sentence, start, start + 1, label[units], surplus, kind, gold, predicted, answer, right, nothing)
    return found, partner


def heads_of(system: WordAnswers, words: Ints) -> Ints:
    """The heads of some words of a system (-1: no word) as words of the gold standard: -1 root, -2 none of them."""
    assert system.head is not None
    return np.where(words < 0, -2, system.aligned.heads_in_gold(np.append(system.head, -1)[words]))
