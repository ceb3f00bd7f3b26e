"""Predictions of several systems for the same spans, their similarity, and the spans to draw in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import prf
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.matching import SpanMatches
from evenhand.tasks.spans.measures import ANSWER_KINDS, CLASS_KINDS, COVERED, GE, KINDS, STATES, TN, TP
from evenhand.tasks.units import (
    DrawnRows,
    Predictions,
    SetAgreement,
    answer_code,
    occurrences,
    together,
    unit_scores,
)
from evenhand.tasks.units import answer_text as text_of_answer

if TYPE_CHECKING:
    from evenhand.tasks.spans.evaluation import SpanEvaluation


def answer_text(code: int, labels: Sequence[str]) -> str:
    """An error type with the predicted label, if there is one."""
    return text_of_answer(code, labels, ANSWER_KINDS, ("FN", "TN"))


def span_predictions(gold: Spans, systems: Sequence[tuple[Spans, SpanMatches]]) -> Predictions:
    """The error types of several systems for the gold spans and for all surplus spans."""
    surplus = [_surplus(gold, system, matches) for system, matches in systems]
    unit, spans = identified([own.spans for own in surplus])
    size, extra = len(gold), int(unit.max(initial=-1)) + 1
    nothing = answer_code(np.full(extra, TN), np.full(extra, -1))
    count = len(systems)
    shown = np.concatenate((np.zeros((count, size), dtype=np.int64), np.tile(nothing, (count, 1))), axis=1)
    part, gold_label = np.full(shown.shape, -1), np.full(shown.shape, -1)
    gold_label[:, :size] = gold.label
    begin, scored = 0, []
    for row, ((system, matches), own) in enumerate(zip(systems, surplus, strict=True)):
        shown[row, :size], part[row, :size] = _of_gold(size, system, matches)
        units = size + unit[begin : begin + len(own.kind)]
        shown[row, units] = answer_code(own.kind, own.spans.label)
        gold_label[row, units], part[row, units] = own.gold_label, own.bounds
        scored.append((system.score, [(np.arange(size), matches.system[:size]), (units, matches.system[size:])]))
        begin += len(own.kind)
    return Predictions.of_codes(
        shown,
        KINDS,
        (TP, TN),
        TN,
        label=np.concatenate((gold.label, spans.label)),
        is_surplus=np.arange(size + extra) >= size,
        part=part,
        sentence=np.concatenate((gold.scope, spans.scope)),
        start=np.concatenate((gold.start, spans.start)),
        end=np.concatenate((gold.end, spans.end)),
        shape=np.concatenate((gold.shape, spans.into(gold.vocabulary).shape)),
        shapes=gold.vocabulary.shapes.values,
        gold_label=gold_label,
        score=unit_scores(scored, size + extra),
    )


def without_gold_errors(predictions: Predictions) -> Predictions:
    """Only the units that are not an error of the gold standard under any system."""
    assert predictions.verdict is not None
    shared = ~(predictions.verdict == GE).any(axis=0)
    return predictions if shared.all() else predictions.take(shared)


def cover_predictions(gold: Spans, states: Sequence[Ints]) -> Predictions:
    """Gold spans that several systems cover, from the states of the spans under each system."""
    verdict = np.stack(states)
    shape, nothing = verdict.shape, np.full(verdict.shape, -1)
    shown = answer_code(verdict + len(CLASS_KINDS), nothing)
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
        predicted=nothing,
        kinds=STATES,
        verdict=verdict,
    )


def _of_gold(size: int, system: Spans, matches: SpanMatches) -> tuple[Ints, Ints]:
    """The class of each gold span, and the bounds of its partner."""
    kind, partner = matches.kind[:size], matches.system[:size]
    known = partner >= 0
    label, bounds = np.full(size, -1), np.full(size, -1)
    label[known] = system.label[partner[known]]
    bounds[known] = (system.start[partner[known]] << 32) | system.end[partner[known]]
    return answer_code(kind, label), bounds


@dataclass(frozen=True)
class _Surplus:
    spans: Spans
    kind: Ints
    gold_label: Ints
    """The labels of their gold partners, or -1."""
    bounds: Ints


def _surplus(gold: Spans, system: Spans, matches: SpanMatches) -> _Surplus:
    size = len(gold)
    partner = matches.gold[size:]
    bounds = np.append((gold.start << 32) | gold.end, -1)[partner]
    return _Surplus(system.take(matches.system[size:]), matches.kind[size:], np.append(gold.label, -1)[partner], bounds)


def identified(systems: Sequence[Spans]) -> tuple[Ints, Spans]:
    """Number the spans of all systems, equal spans alike. Return these numbers and one span per number."""
    spans = Spans.concatenate(systems, [0] * len(systems))
    system = np.repeat(np.arange(len(systems)), [len(side) for side in systems])
    columns = (spans.scope, spans.start, spans.end, spans.label, spans.shape)
    key, _ = pack(*((column, empty()) for column in columns))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, spans.take(first)


class SpanAgreement(SetAgreement):
    """Similarity of systems; spans are identified by scope, bounds, tokens, label and occurrence."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._solved = self._shared_errors = 0
        """Gold spans that at least one system has, and wrong spans that all systems have."""

    def add(self, evaluation: SpanEvaluation, predictions: Predictions) -> None:
        """Only the few spans that are not in the gold standard have to be identified."""
        gold = evaluation.gold
        systems = [(pair.original[1], pair.equal_original) for pair in evaluation.pairs.values()]
        in_gold = np.zeros((len(systems), len(gold)), dtype=np.bool_)
        for row, (_, equal) in zip(in_gold, systems, strict=True):
            row[equal[0]] = True
        wrong = [side.without(equal[1]) for side, equal in systems]
        identity, different = identified(wrong)
        is_wrong = np.zeros((len(systems), len(different)), dtype=np.bool_)
        is_wrong[np.repeat(np.arange(len(wrong)), [len(side) for side in wrong]), identity] = True
        both_right = together(in_gold)
        self.equal += both_right + together(is_wrong)
        self.size += np.array([len(side) for side, _ in systems])
        self.both_right += both_right
        self._solved += int(np.count_nonzero(in_gold.any(axis=0)))
        self._shared_errors += int(np.count_nonzero(is_wrong.all(axis=0)))

    def bound(self, units: int) -> dict[str, float]:
        bound = prf(self._solved, self._solved + self._shared_errors, self._solved, units)
        return {name: float(getattr(bound, name)) if units else nan for name in ("precision", "recall", "f1")}


def drawn_spans(spans: Spans) -> DrawnRows:
    """Rows of label, start, end and the tokens in gaps."""
    gapped = {row: int(spans.start[row]) for row in np.flatnonzero(spans.shape).tolist()}
    shapes = spans.vocabulary.shapes
    gaps = {row: tuple(start + gap for gap in shapes[int(spans.shape[row])]) for row, start in gapped.items()}
    return DrawnRows(spans.scope, spans.label, spans.start, spans.end, more=gaps)
