"""What several systems say of the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, distinct
from evenhand.tasks.answers import Answers
from evenhand.tasks.units import Units
from evenhand.tasks.words.kinds import MISSING, RIGHT, TAG_KINDS, TREE_KINDS
from evenhand.text.word_feed import Aligned


@dataclass(frozen=True)
class WordAnswers:
    """What one system says of words: its alignment, the labels of its words and, of trees, their heads."""

    aligned: Aligned
    label: Ints
    head: Ints | None = None

    @cached_property
    def partner(self) -> Ints:
        """The system's word for each word of the gold standard; -1 where there is none."""
        found = np.full(len(self.aligned.gold), -1)
        found[self.aligned.rows[0]] = self.aligned.rows[1]
        return found


def answers_on_words(
    label: Ints, head: Ints | None, by: str, systems: Sequence[WordAnswers], counted: Bools
) -> Answers:
    """What systems say of the words that count and that all of them have; `label` and `head` are the gold standard's.

    The alignments must all be with the same words of the gold standard.
    """
    words = systems[0].aligned.gold
    partner = np.stack([each.partner for each in systems])
    units = np.flatnonzero((partner >= 0).all(axis=0) & counted)
    shown = np.stack([each.label[row[units]] for each, row in zip(systems, partner, strict=True)])
    gold = label[units]
    part = np.full(shown.shape, -1)
    answer, right_answer = shown, gold
    if head is not None:
        part = _heads(systems, partner, units)
        if by == "uas":
            answer, right_answer = part, head[units]
        elif by == "las":
            answer, right_answer = _both(part, shown), _both(head[units], gold)
    sentence = words.sentence[units]
    start = units - words.bounds[sentence]
    return Answers(
        label=gold,
        is_surplus=np.zeros(len(units), dtype=np.bool_),
        answer=answer,
        shown=shown,
        right=answer == right_answer,
        part=part,
        sentence=sentence,
        start=start,
        end=start + 1,
        gold_head=None if head is None else head[units],
        words=len(words),
        left_out=int(np.count_nonzero(counted)) - len(units),
    )


def _both(head: Ints, relation: Ints) -> Ints:
    return ((head + 2) << 24) | relation


def _heads(systems: Sequence[WordAnswers], partner: Ints, units: Ints) -> Ints:
    """The heads of units under each system: the gold standard's word, -1 for the root, others by their characters."""
    found = np.empty((len(systems), len(units)), dtype=np.int64)
    unknown: list[tuple[int, Ints, Ints]] = []
    for row, each in enumerate(systems):
        assert each.head is not None
        head = each.head[partner[row, units]]
        found[row] = each.aligned.heads_in_gold(head)
        lost = np.flatnonzero(found[row] == -2)
        words = each.aligned.system
        start, end = words.start[head[lost]], words.end[head[lost]]
        unknown.append((row, lost, ((start - words.start[0]) << 20) | np.minimum(end - start, (1 << 20) - 1)))
    spans = distinct(np.concatenate([span for _, _, span in unknown]))
    behind = len(systems[0].aligned.gold)
    for row, lost, span in unknown:
        found[row, lost] = behind + np.searchsorted(spans, span)
    return found


def word_units(label: Ints, head: Ints | None, by: str, systems: Sequence[WordAnswers], counted: Bools) -> Units:
    """What systems have of all words that count; `label` and `head` are the gold standard's."""
    words = systems[0].aligned.gold
    units = np.flatnonzero(counted)
    mine = np.stack([each.partner[units] for each in systems])
    predicted = np.stack([np.append(each.label, -1)[row] for each, row in zip(systems, mine, strict=True)])
    gold = np.broadcast_to(label[units], predicted.shape)
    wrong_label = predicted != gold
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind, answer = wrong_label.astype(np.int64), predicted
    if head is not None:
        heads = np.stack([heads_of(each, row) for each, row in zip(systems, mine, strict=True)])
        kinds, kind = (*TREE_KINDS, MISSING), np.where(heads == head[units], 0, 1) + np.where(wrong_label, 2, 0)
        answer = {"uas": heads, "ls": predicted}.get(by, ((heads + 3) << 24) | (predicted + 1))
    kind = np.where(mine < 0, kinds.index(MISSING), kind)
    right = np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind]
    sentence = words.sentence[units]
    start = units - words.bounds[sentence]
    nothing = np.full(kind.shape, -1)
    surplus = np.zeros(len(units), dtype=np.bool_)
    return Units(sentence, start, start + 1, label[units], surplus, kind, gold, predicted, answer, right, nothing)


def heads_of(system: WordAnswers, words: Ints) -> Ints:
    """The heads of some words of a system (-1: no word) as words of the gold standard: -1 root, -2 none of them."""
    assert system.head is not None
    return np.where(words < 0, -2, system.aligned.heads_in_gold(np.append(system.head, -1)[words]))
