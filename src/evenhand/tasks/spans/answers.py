"""What several systems say of the same spans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.dataclass import dataclass
from evenhand.tasks.answers import Answers, occurrences
from evenhand.tasks.spans.kinds import ANSWER_KINDS, CLASS_KINDS, COVERED, GE, KINDS, STATES, TN, TP
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.tasks.units import Units, units_of
from evenhand.text.layers import Spans

_KIND_BITS = 4


def span_class(kind: Ints, label: Ints) -> Ints:
    """The class of a verdict and a label (-1: none), as one number."""
    coded: Ints = ((label + 1) << _KIND_BITS) | kind
    return coded


def class_of(code: int) -> tuple[str, int]:
    """The verdict and the label of a class."""
    return ANSWER_KINDS[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the label that the system gave, where it gave one."""
    kind, label = class_of(code)
    return kind if label < 0 or kind in ("FN", "TN") else f"{kind} {labels[label]}"


def answers_on_spans(gold: Spans, judged: Sequence[tuple[Spans, Verdicts]]) -> Answers:
    """The verdicts of several systems on the gold standard's spans and on all surplus."""
    surplus = [_surplus(gold, system, verdicts) for system, verdicts in judged]
    unit, spans = identified([each.spans for each in surplus])
    size, extra = len(gold), int(unit.max(initial=-1)) + 1
    nothing = span_class(np.full(extra, TN), np.full(extra, -1))
    shown = np.concatenate((np.zeros((len(judged), size), dtype=np.int64), np.tile(nothing, (len(judged), 1))), axis=1)
    part, gold_label = np.full(shown.shape, -1), np.full(shown.shape, -1)
    gold_label[:, :size] = gold.label
    begin = 0
    for row, ((system, verdicts), own) in enumerate(zip(judged, surplus, strict=True)):
        shown[row, :size], part[row, :size] = _of_gold(size, system, verdicts)
        units = size + unit[begin : begin + len(own.kind)]
        shown[row, units] = span_class(own.kind, own.spans.label)
        gold_label[row, units], part[row, units] = own.gold_label, own.bounds
        begin += len(own.kind)
    kind = shown & ((1 << _KIND_BITS) - 1)
    return Answers(
        label=np.concatenate((gold.label, spans.label)),
        is_surplus=np.arange(size + extra) >= size,
        answer=shown,
        shown=shown,
        right=(kind == TP) | (kind == TN),
        part=part,
        sentence=np.concatenate((gold.scope, spans.scope)),
        start=np.concatenate((gold.start, spans.start)),
        end=np.concatenate((gold.end, spans.end)),
        shape=np.concatenate((gold.shape, spans.into(gold.vocabulary).shape)),
        shapes=gold.vocabulary.shapes.values,
        absent=kind == TN,
        gold_label=gold_label,
        kinds=KINDS,
        verdict=kind,
    )


def without_gold_errors(answers: Answers) -> Answers:
    """The units that are an error of the gold standard under no system: on the others, nobody is right or wrong."""
    assert answers.verdict is not None
    shared = ~(answers.verdict == GE).any(axis=0)
    return answers if shared.all() else answers.take(shared)


def answers_on_cover(gold: Spans, states: Sequence[Ints]) -> Answers:
    """What several systems cover of the gold standard's spans, given the states of these under each."""
    verdict = np.stack(states)
    shape, nothing = verdict.shape, np.full(verdict.shape, -1)
    shown = span_class(verdict + len(CLASS_KINDS), nothing)
    return Answers(
        label=gold.label,
        is_surplus=np.zeros(len(gold), dtype=np.bool_),
        answer=shown,
        shown=shown,
        right=verdict == COVERED,
        part=nothing,
        sentence=gold.scope,
        start=gold.start,
        end=gold.end,
        shape=gold.shape,
        shapes=gold.vocabulary.shapes.values,
        absent=np.zeros(shape, dtype=np.bool_),
        gold_label=np.broadcast_to(gold.label, shape),
        kinds=STATES,
        verdict=verdict,
    )


def _of_gold(size: int, system: Spans, verdicts: Verdicts) -> tuple[Ints, Ints]:
    """The class of each gold span, and the bounds of the span it was matched with."""
    kind, partner = verdicts.kind[:size], verdicts.system[:size]
    known = partner >= 0
    label, bounds = np.full(size, -1), np.full(size, -1)
    label[known] = system.label[partner[known]]
    bounds[known] = (system.start[partner[known]] << 32) | system.end[partner[known]]
    return span_class(kind, label), bounds


@dataclass(frozen=True)
class _Surplus:
    spans: Spans
    kind: Ints
    gold_label: Ints
    """The label of the gold span that each was matched with, in the end; -1 for none."""
    bounds: Ints


def _surplus(gold: Spans, system: Spans, verdicts: Verdicts) -> _Surplus:
    size = len(gold)
    partner = verdicts.gold[size:]
    bounds = np.append((gold.start << 32) | gold.end, -1)[partner]
    return _Surplus(
        system.take(verdicts.system[size:]), verdicts.kind[size:], np.append(gold.label, -1)[partner], bounds
    )


def identified(systems: Sequence[Spans]) -> tuple[Ints, Spans]:
    """What tells the spans of all systems, one system after the other: a number each; and a span for each number."""
    spans = Spans.concatenate(systems, [0] * len(systems))
    system = np.repeat(np.arange(len(systems)), [len(each) for each in systems])
    columns = (spans.scope, spans.start, spans.end, spans.label, spans.shape)
    key, _ = pack(*((column, empty()) for column in columns))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, spans.take(first)


def span_units(answers: Answers) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & 15, (answers.shown >> 4) - 1
    assert answers.gold_label is not None
    nothing = answers.absent if answers.absent is not None else np.zeros_like(answers.right)
    gold = np.where(nothing, -1, answers.gold_label)
    return units_of(answers, kind, gold, np.where(nothing, -1, label), answers.part)
