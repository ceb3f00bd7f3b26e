"""What several systems say of the same spans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, Values, empty, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import prf, ratio
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.matching import SpanMatches
from evenhand.tasks.spans.task import ANSWER_KINDS, CLASS_KINDS, COVERED, GE, KINDS, STATES, TN, TP
from evenhand.tasks.units import Agreement, Predictions, Row, Rows, Units, occurrences, together, units_of

if TYPE_CHECKING:
    from evenhand.tasks.spans.evaluation import SpanJudgement

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


def answers_on_spans(gold: Spans, judged: Sequence[tuple[Spans, SpanMatches]]) -> Predictions:
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
    return Predictions(
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


def without_gold_errors(answers: Predictions) -> Predictions:
    """The units that are an error of the gold standard under no system: on the others, nobody is right or wrong."""
    assert answers.verdict is not None
    shared = ~(answers.verdict == GE).any(axis=0)
    return answers if shared.all() else answers.take(shared)


def answers_on_cover(gold: Spans, states: Sequence[Ints]) -> Predictions:
    """What several systems cover of the gold standard's spans, given the states of these under each."""
    verdict = np.stack(states)
    shape, nothing = verdict.shape, np.full(verdict.shape, -1)
    shown = span_class(verdict + len(CLASS_KINDS), nothing)
    return Predictions(
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


def _of_gold(size: int, system: Spans, verdicts: SpanMatches) -> tuple[Ints, Ints]:
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


def _surplus(gold: Spans, system: Spans, verdicts: SpanMatches) -> _Surplus:
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


def span_units(answers: Predictions) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & 15, (answers.shown >> 4) - 1
    assert answers.gold_label is not None
    nothing = answers.absent if answers.absent is not None else np.zeros_like(answers.right)
    gold = np.where(nothing, -1, answers.gold_label)
    return units_of(answers, kind, gold, np.where(nothing, -1, label), answers.part)


# == tasks/spans/agreement.py: How alike systems are that label spans.


class SpanAgreement(Agreement):
    """Spans are told by scope, bounds, tokens, label and occurrence."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._solved = self._shared_errors = 0
        """Gold spans that one system at least has, and wrong spans that all have."""

    def add(self, judgement: SpanJudgement, answers: Predictions) -> None:
        """Only spans that are not in the gold standard, which are few, have to be told apart."""
        gold = judgement.gold
        systems = [(question.given[1], question.equal_given) for question in judgement.questions.values()]
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


# == tasks/spans/drawing.py: The spans of all sides in a sentence, for a drawing.


_ROOM = 16
"""How many entries for each span a table of all labels and bounds may have."""


class SpanDrawing:
    """Rows of label, start, end, and then the tokens that a span leaves out."""

    def __init__(self, sides: Sequence[Spans]) -> None:
        self._spans = sides

    def sides(self, sentence: int) -> list[Rows]:
        return [rows[bounds[sentence] : bounds[sentence + 1]] for bounds, rows in self._by_scope]

    @cached_property
    def _by_scope(self) -> list[tuple[list[int], tuple[Row, ...]]]:
        """The spans of each side, sentence by sentence: where those of each sentence begin, and the rows."""
        sentences = max((int(side.scope.max(initial=-1)) for side in self._spans), default=-1) + 1
        return [_rows(side.take(np.argsort(side.scope, kind="stable")), sentences) for side in self._spans]


def _rows(side: Spans, sentences: int) -> tuple[list[int], tuple[Row, ...]]:
    """Equal rows are one object: there are few different ones, and a page keeps many."""
    different, number = _different(side)
    few = side.take(different)
    rows: list[Row] = list(zip(few.label.tolist(), few.start.tolist(), few.end.tolist(), strict=True))
    for row in np.flatnonzero(few.shape).tolist():
        rows[row] += tuple(rows[row][1] + gap for gap in side.vocabulary.shapes[int(few.shape[row])])
    bounds = np.append(0, np.cumsum(np.bincount(side.scope, minlength=sentences)))
    return bounds.tolist(), tuple(map(rows.__getitem__, number.tolist()))


def _different(side: Spans) -> tuple[Ints, Ints]:
    """Spans that differ in label, bounds or shape, and for each span which of these it is.

    In texts so long that a table of all bounds takes too much room, each span is one for itself.
    """
    rows = np.arange(len(side))
    key, _ = pack(*((column, empty()) for column in (side.label, side.start, side.end, side.shape)))
    size = int(key.max(initial=0)) + 1
    if size > _ROOM * len(side):
        return rows, rows
    last = np.empty(size, dtype=np.int64)
    last[key] = rows
    same = last[key]
    is_last = same == rows
    return np.flatnonzero(is_last), (np.cumsum(is_last) - 1)[same]
