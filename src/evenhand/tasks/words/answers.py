"""What several systems say of the same words, or of other units with a label each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, distinct
from evenhand.tasks.answers import Answers
from evenhand.tasks.units import Units
from evenhand.tasks.words.kinds import ENHANCED, MISSING, RIGHT, TAG_KINDS, TREE_KINDS
from evenhand.tasks.words.verdicts import JudgedUnits


def answers_on_words(by: str, systems: Sequence[JudgedUnits]) -> Answers:
    """What systems say of the words that count and that all of them have."""
    first = systems[0]
    partner = np.stack([each.partner for each in systems])
    units = np.flatnonzero((partner >= 0).all(axis=0) & first.counted)
    shown = np.stack([each.system[row[units]] for each, row in zip(systems, partner, strict=True)])
    gold, head = first.gold[units], None
    part = np.full(shown.shape, -1)
    answer, right_answer = shown, gold
    if first.heads is not None:
        head, part = first.heads.gold[units], _heads(systems, units)
        if by == "uas":
            answer, right_answer = part, head
        elif by != "ls":
            answer, right_answer = _both(part, shown), _both(head, gold)
    return Answers(
        label=gold,
        is_surplus=np.zeros(len(units), dtype=np.bool_),
        answer=answer,
        shown=shown,
        right=answer == right_answer,
        part=part,
        sentence=first.sentence[units],
        start=first.start[units],
        end=first.end[units],
        gold_head=head,
        words=len(first.gold) if first.heads is None else len(first.heads.aligned.gold),
        left_out=int(np.count_nonzero(first.counted)) - len(units),
    )


def _both(head: Ints, relation: Ints) -> Ints:
    return ((head + 3) << 24) | (relation + 1)


def _heads(systems: Sequence[JudgedUnits], units: Ints) -> Ints:
    """The heads of units under each system: the gold standard's word, -1 for the root, others by their characters.

    Units that a system does not have get -2.
    """
    found = np.empty((len(systems), len(units)), dtype=np.int64)
    unknown: list[tuple[int, Ints, Ints]] = []
    for row, each in enumerate(systems):
        assert each.heads is not None
        partner, aligned = each.partner[units], each.heads.aligned
        head = np.append(each.heads.system, -1)[partner]
        found[row] = each.heads.in_gold(partner)
        lost = np.flatnonzero((found[row] == -2) & (partner >= 0))
        words = aligned.system
        start, end = words.start[head[lost]], words.end[head[lost]]
        unknown.append((row, lost, ((start - words.start[0]) << 20) | np.minimum(end - start, (1 << 20) - 1)))
    spans = distinct(np.concatenate([span for _, _, span in unknown]))
    first = systems[0].heads
    assert first is not None
    behind = len(first.aligned.gold)
    for row, lost, span in unknown:
        found[row, lost] = behind + np.searchsorted(spans, span)
    return found


def word_units(by: str, systems: Sequence[JudgedUnits]) -> Units:
    """What systems have of all words of the gold standard that count."""
    first = systems[0]
    units = np.flatnonzero(first.counted)
    partner = np.stack([each.partner[units] for each in systems])
    predicted = np.stack([each.predicted[units] for each in systems])
    label = first.gold[units]
    gold = np.broadcast_to(label, predicted.shape)
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind, answer = np.where(predicted == gold, 0, 1), predicted
    if first.heads is not None:
        heads = np.stack([each.heads.in_gold(row) for each, row in zip(systems, partner, strict=True) if each.heads])
        kinds, kind = (*TREE_KINDS, MISSING), np.where(heads == first.heads.gold[units], 0, 1) + 2 * kind
        told_apart = _heads(systems, units)
        answer = {"uas": told_apart, "ls": predicted}.get(by, _both(told_apart, predicted))
    kind = np.where(partner < 0, kinds.index(MISSING), kind)
    right = np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind]
    places = (first.sentence[units], first.start[units], first.end[units])
    partner, surplus = np.full(kind.shape, -1), np.zeros(len(units), dtype=np.bool_)
    if first.heads is not None and by in ENHANCED:
        begin = first.heads.aligned.gold.bounds[first.sentence[units]]
        partner = np.where(heads < 0, heads, (heads - begin << 32) | (heads - begin + 1))
    return Units(*places, label, surplus, kind, gold, predicted, answer, right, partner)
