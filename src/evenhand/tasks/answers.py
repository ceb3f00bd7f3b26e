"""What several systems say of the same units: the common ground of all comparisons.

Tags and trees: a unit is a word of the gold standard that all systems have. What a system says of it is its tag; its
head and relation (`las`), its head (`uas`) or its relation (`ls`). A head for which the gold standard has no word is
told by the characters it covers, so that a system never differs from itself.

Spans: a unit is a span of the gold standard, and what a system says of it is its verdict, with the label that the
system gave it. A system's span that no gold span's verdict used up is *surplus*, a unit of its own, told by sentence,
bounds, tokens, label and occurrence; its verdict is TN under the systems that do not have it as surplus.

Sources: Tuggener 2017, section 2 (Algorithm 1), for tags and trees; Ortmann 2022 for the verdicts on spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, empty, pack
from evenhand.statistics.draws import ONE_THREAD
from evenhand.tasks.spans.verdicts import FN, KINDS, TP, Verdicts
from evenhand.text.layers import Spans
from evenhand.text.word_feed import Aligned

TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
_KIND_BITS = 4


@dataclass(frozen=True)
class Answers:
    """Some units: a column a unit and, in tables, a row a system."""

    label: Ints
    """The gold label; of surplus, its own."""
    is_surplus: Bools
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    shown: Ints
    """What is shown of it: the code of a tag or relation, or of a class of verdict and label."""
    right: Bools
    part: Ints
    """What may differ behind the same answer or make up a part of it: head, bounds of the span, or antecedent."""
    sentence: Ints
    start: Ints
    """The unit's place in its sentence, in tokens."""
    end: Ints
    gold_head: Ints | None = None
    """Of trees: the gold standard's heads; heads are places among its words, -1 for the root."""
    absent: Bools | None = None
    """Where there is surplus: which units are not surplus under which system."""
    gold_label: Ints | None = None
    """Of spans: the gold label that each verdict counts for, -1 for none; surplus has that of the span it overlaps."""
    gold_antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key, by its place among the units; -1 for none."""
    words: int = 0
    """Of trees: how many words of the gold standard there are; heads from there on are other tokens."""

    def __len__(self) -> int:
        return len(self.label)

    @property
    def systems(self) -> int:
        return len(self.answer)

    @cached_property
    def told(self) -> Ints:
        """The gold label; -1 for surplus, but mentions have a type in any case."""
        return self.label if self.gold_antecedent is not None else np.where(self.is_surplus, -1, self.label)

    @property
    def counted(self) -> Ints:
        """The units that are there under some system, or in the gold standard."""
        here = ~self.is_surplus if self.absent is None else ~self.is_surplus | ~self.absent.all(axis=0)
        return np.flatnonzero(here)


def span_class(kind: Ints, label: Ints) -> Ints:
    """The class of a verdict and a label (-1: none), as one number."""
    coded: Ints = ((label + 1) << _KIND_BITS) | kind
    return coded


def class_of(code: int) -> tuple[str, int]:
    """The verdict and the label of a class."""
    return CLASS_KINDS[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1


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
        absent=kind == TN,
        gold_label=gold_label,
    )


def _of_gold(size: int, system: Spans, verdicts: Verdicts) -> tuple[Ints, Ints]:
    """The class of each gold span, and the bounds of the span it was matched with."""
    kind, partner = verdicts.kind[:size], verdicts.system[:size]
    known = partner >= 0
    label, bounds = np.full(size, -1), np.full(size, -1)
    label[known] = system.label[partner[known]]
    bounds[known] = (system.start[partner[known]] << 32) | system.end[partner[known]]
    return span_class(np.where(known, kind, FN), label), bounds


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
    key, _ = pack((key, empty()), (_occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, spans.take(first)


def _occurrences(key: Ints, system: Ints) -> Ints:
    """How many equal spans of the same system stand before each."""
    key, _ = pack((key, empty()), (system, empty()))
    order = np.argsort(key, kind="stable")
    begins = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    place = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
    return occurrence


def together(marks: Bools) -> Ints:
    """For every two rows, in how many columns both have a mark.

    A product of matrices, in pieces that are left to one thread; their sums are exact in single precision.
    """
    step = max(1, ONE_THREAD // max(1, len(marks)) ** 2)
    found = np.zeros((len(marks), len(marks)), dtype=np.int64)
    for start in range(0, marks.shape[1], step):
        piece = marks[:, start : start + step].astype(np.float32)
        found += (piece @ piece.T).astype(np.int64)
    return found


@dataclass(frozen=True)
class WordAnswers:
    """What one system says of words: its alignment, the labels of its words and, of trees, their heads."""

    aligned: Aligned
    label: Ints
    head: Ints | None = None


def answers_on_words(
    label: Ints, head: Ints | None, by: str, systems: Sequence[WordAnswers], counted: Bools
) -> Answers:
    """What systems say of the words that count and that all of them have; `label` and `head` are the gold standard's.

    The alignments must all be with the same words of the gold standard.
    """
    words = systems[0].aligned.gold
    partner = np.stack([partners(each.aligned) for each in systems])
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
    )


def _both(head: Ints, relation: Ints) -> Ints:
    return ((head + 2) << 24) | relation


def partners(aligned: Aligned) -> Ints:
    """The system's word for each word of the gold standard; -1 where there is none."""
    found = np.full(len(aligned.gold), -1)
    found[aligned.rows[0]] = aligned.rows[1]
    return found


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
