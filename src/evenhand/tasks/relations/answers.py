"""What several systems say of the same relations.

A unit is a relation of the gold standard, and what a system says of it is its verdict, with the type that the system
gave it. A system's relation that is in no pair is *surplus*, a unit of its own, told by scope, type, and bounds and
labels of its arguments; its verdict is TN under the systems that do not have it as surplus.

Sources: Ortmann 2022 for verdicts on spans, Tuggener 2017 for classes of differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.tasks.answers import Answers
from evenhand.tasks.relations.kinds import CLASS_KINDS, KINDS, TN, TP
from evenhand.tasks.units import Units, units_of

if TYPE_CHECKING:
    from evenhand.tasks.relations.question import Question
    from evenhand.tasks.relations.side import Side

_KIND_BITS = 4


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the type that the system gave, where it gave one."""
    kind, label = CLASS_KINDS[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1
    return kind if label < 0 else f"{kind} {labels[label]}"


def stretch(side: Side) -> tuple[Ints, Ints]:
    """From where to where the arguments of each relation reach, in its head's scope."""
    spans, head, tail = side.spans, side.head, side.tail
    here = spans.scope[head] == spans.scope[tail]
    start = np.where(here, np.minimum(spans.start[head], spans.start[tail]), spans.start[head])
    end = np.where(here, np.maximum(spans.end[head], spans.end[tail]), spans.end[head])
    return start, end


def answers_on_relations(by: str, questions: Sequence[Question]) -> Answers:
    """The verdicts of several systems on the gold standard's relations and on all surplus."""
    gold, judged = questions[0].gold, [each.verdicts(by) for each in questions]
    size = len(gold)
    surplus = [question.system.take(found.system[size:]) for question, found in zip(questions, judged, strict=True)]
    unit, first = identified(surplus)
    shown = np.full((len(judged), size + len(first)), TN)
    part, gold_label = np.full(shown.shape, -1), np.full(shown.shape, -1)
    gold_label[:, :size] = gold.label
    begin = 0
    for row, (question, found, own) in enumerate(zip(questions, judged, surplus, strict=True)):
        partner = found.system[:size]
        start, end = stretch(question.system)
        label = np.append(question.system.label, -1)[partner]
        shown[row, :size] = ((label + 1) << _KIND_BITS) | found.kind[:size]
        part[row, :size] = np.append((start << 32) | end, -1)[partner]
        units = size + unit[begin : begin + len(own)]
        shown[row, units] = ((own.label + 1) << _KIND_BITS) | found.kind[size:]
        begin += len(own)
    kind = shown & ((1 << _KIND_BITS) - 1)
    label, sentence, start, end = (
        np.concatenate((column, np.concatenate(others)[first]))
        for column, *others in zip(*(_places(side) for side in (gold, *surplus)), strict=True)
    )
    return Answers(
        label=label,
        is_surplus=np.arange(len(label)) >= size,
        answer=shown,
        shown=shown,
        right=(kind == TP) | (kind == TN),
        part=part,
        sentence=sentence,
        start=start,
        end=end,
        absent=kind == TN,
        gold_label=gold_label,
        kinds=KINDS,
        verdict=kind,
    )


def ends_of(by: str, question: Question) -> dict[str, Ints]:
    """Where the arguments of the units of one system are in their sentences, and the sentence of the tail."""
    gold, found = question.gold, question.verdicts(by)
    surplus = question.system.take(found.system[len(gold) :])
    _, first = identified([surplus])
    columns = {}
    for end in ("head", "tail"):
        for edge in ("start", "end"):
            mine, theirs = (getattr(side.spans, edge)[getattr(side, end)] for side in (gold, surplus))
            columns[f"{end}_{edge}"] = np.concatenate((mine, theirs[first]))
    mine, theirs = (side.spans.scope[side.tail] for side in (gold, surplus))
    return {**columns, "tail_sentence": np.concatenate((mine, theirs[first]))}


def _places(side: Side) -> tuple[Ints, Ints, Ints, Ints]:
    """Type, scope, start and end of each relation."""
    return side.label, side.scope, *stretch(side)


def identified(sides: Sequence[Side]) -> tuple[Ints, Ints]:
    """A number for each relation of all sides, one side after the other, and the first relation with each number."""
    columns = [np.concatenate(parts) for parts in zip(*map(_columns, sides), strict=True)]
    key, _ = pack(*((column, empty()) for column in columns))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, first


def _columns(side: Side) -> list[Ints]:
    """What tells a relation from others."""
    found, spans = [side.scope, side.label], side.spans
    for end in (side.head, side.tail):
        found += [column[end] for column in (spans.scope, spans.start, spans.end, spans.shape, spans.label)]
    return found


def relation_units(answers: Answers) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & ((1 << _KIND_BITS) - 1), (answers.shown >> _KIND_BITS) - 1
    assert answers.gold_label is not None
    return units_of(answers, kind, answers.gold_label, label, answers.part)
