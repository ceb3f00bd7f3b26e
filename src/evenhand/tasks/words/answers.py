"""What several systems say of the same words, or of other units with a label each.

A unit is a word of the gold standard that counts. A system without a counterpart for it has it wrong, as in its score:
its answer is `missing`. Edges of enhanced dependencies that only systems have are *surplus*, units of their own. They
are identified by word, head, label and occurrence, and are `absent` under the systems that do not have them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, distinct, empty, pack
from evenhand.tasks.answers import ABSENT_CODE, MISSING_CODE, Answers, occurrences
from evenhand.tasks.units import Units, units_of
from evenhand.tasks.words.kinds import EXTRA, MISSING, RIGHT, TAG_KINDS, TREE_KINDS
from evenhand.tasks.words.verdicts import JudgedUnits


def answers_on_words(by: str, systems: Sequence[JudgedUnits]) -> Answers:
    """What systems say of the words of the gold standard that count, or of its edges and all surplus."""
    first = systems[0]
    units = np.flatnonzero(first.counted)
    gold, part, head = first.gold[units], np.full((len(systems), len(units)), -1), None
    shown = np.stack([each.predicted[units] for each in systems])
    is_missing = np.stack([each.partner[units] < 0 for each in systems])
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind = np.where(shown == gold, 0, 1)
    answer = shown
    if first.heads is not None:
        kinds, head = (*TREE_KINDS, MISSING, EXTRA), first.heads.gold[units]
        part = _heads(systems, units)
        kind = np.where(part == head, 0, 1) + 2 * kind
        answer = {"uas": part, "ls": shown}.get(by, _both(part, shown))
    kind = np.where(is_missing, kinds.index(MISSING), kind)
    found = Answers(
        label=gold,
        is_surplus=np.zeros(len(units), dtype=np.bool_),
        answer=answer,
        shown=np.where(is_missing, MISSING_CODE, shown),
        right=np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind],
        part=part,
        sentence=first.sentence[units],
        start=first.start[units],
        end=first.end[units],
        gold_head=head,
        words=len(first.gold) if first.heads is None else len(first.heads.aligned.gold),
        kinds=kinds,
        verdict=kind,
        missing=is_missing,
    )
    return found if first.word is None else _with_surplus(found, systems)


def _both(head: Ints, relation: Ints) -> Ints:
    return ((head + 3) << 24) | (relation + 1)


def _heads(systems: Sequence[JudgedUnits], units: Ints) -> Ints:
    """The heads of units under each system: the gold standard's word, -1 for the root, others by their characters.

    Units that a system does not have get -2.
    """
    found = np.empty((len(systems), len(units)), dtype=np.int64)
    for row, (each, number) in enumerate(zip(systems, _numbers(systems), strict=True)):
        assert each.heads is not None
        partner = each.partner[units]
        found[row] = np.where(partner < 0, -2, number[np.append(each.heads.system, -1)[partner]])
    return found


def _numbers(systems: Sequence[JudgedUnits]) -> list[Ints]:
    """Of every system, what its words are called: the gold standard's word or, where it has none, a number of the
    characters; -1 after them is the root.
    """
    found, lost, characters = [], [], []
    for each in systems:
        assert each.heads is not None
        aligned = each.heads.aligned
        words, number = aligned.system, np.full(len(aligned.system) + 1, -1)
        number[aligned.rows[1]] = aligned.rows[0]
        lost.append(np.flatnonzero(number[:-1] < 0))
        start, end = words.start[lost[-1]], words.end[lost[-1]]
        begin = words.start[0] if len(words.start) else 0
        characters.append(((start - begin) << 20) | np.minimum(end - start, (1 << 20) - 1))
        found.append(number)
    if any(map(len, lost)):
        spans, first = distinct(np.concatenate(characters)), systems[0].heads
        assert first is not None
        for number, words_lost, span in zip(found, lost, characters, strict=True):
            number[words_lost] = len(first.aligned.gold) + np.searchsorted(spans, span)
    return found


def _with_surplus(found: Answers, systems: Sequence[JudgedUnits]) -> Answers:
    """The same with the edges that only systems have."""
    extra = [np.flatnonzero(each.is_extra) for each in systems]
    columns = []
    for each, rows, number in zip(systems, extra, _numbers(systems), strict=True):
        assert each.heads is not None
        assert each.word is not None
        head, word = number[each.heads.system[rows]], number[each.word[rows]]
        columns.append((each.system_sentence[rows], word, head, each.system[rows], *each.place_of_extra(rows)))
    sentence, word, head, label, start, end = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    system = np.repeat(np.arange(len(systems)), list(map(len, extra)))
    key, _ = pack(*((column, empty()) for column in (sentence, word, head, label)))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    size, shape = len(found), (len(systems), len(first))
    has = np.zeros(shape, dtype=np.bool_)
    has[system, unit] = True
    heads = np.full(shape, -2)
    heads[system, unit] = head
    labels = np.where(has, label[first], ABSENT_CODE)

    def widened(table: Ints, more: Ints) -> Ints:
        return np.concatenate((table, more), axis=1)

    assert found.gold_head is not None
    assert found.verdict is not None
    assert found.missing is not None
    nothing = np.zeros_like(has)
    return Answers(
        label=np.append(found.label, label[first]),
        is_surplus=np.arange(size + len(first)) >= size,
        answer=widened(found.answer, _both(heads, np.where(has, label[first], -1))),
        shown=widened(found.shown, labels),
        right=np.concatenate((found.right, ~has), axis=1),
        part=widened(found.part, heads),
        sentence=np.append(found.sentence, sentence[first]),
        start=np.append(found.start, start[first]),
        end=np.append(found.end, end[first]),
        gold_head=np.append(found.gold_head, np.full(len(first), -2)),
        absent=np.concatenate((np.zeros_like(found.right), ~has), axis=1),
        words=found.words,
        kinds=found.kinds,
        verdict=widened(found.verdict, np.where(has, found.kinds.index(EXTRA), len(found.kinds))),
        missing=np.concatenate((found.missing, nothing), axis=1),
    )


def word_units(by: str, systems: Sequence[JudgedUnits]) -> Units:
    """The same units as an error browser shows them; edges with their heads as places in the sentence."""
    found, first = answers_on_words(by, systems), systems[0]
    predicted = np.where(found.shown < 0, -1, found.shown)
    gold = np.broadcast_to(np.where(found.is_surplus, -1, found.label), predicted.shape)
    partner = np.full(predicted.shape, -1)
    if first.word is not None and first.heads is not None:
        begin = first.heads.aligned.gold.bounds[found.sentence]
        head = np.where(found.part < found.words, found.part, -2)
        partner = np.where(head < 0, head, (head - begin << 32) | (head - begin + 1))
    return units_of(found, found.kind, gold, predicted, partner)
