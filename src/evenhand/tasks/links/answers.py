"""What several systems say of the same links.

A unit is a link of the gold standard, or one that no verdict on a gold link used up: surplus, which is TN under the
systems that do not have it. What a system says of it is its verdict under `fair`, with its identifier and, where that
is wrong, the right one: `LE.other Q5 for Q90`. Right is TP and TN. Units have the labels of their spans. Tables of
transitions sum over identifiers.

Sources: Tuggener 2017, section 2; Ortmann 2022 for the verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.tasks.answers import Answers
from evenhand.tasks.links import kinds
from evenhand.tasks.links.errors import by_identifier, link_kinds, verdicts
from evenhand.tasks.links.linked import Linked
from evenhand.tasks.links.question import Question
from evenhand.tasks.links.shown import Shown
from evenhand.tasks.spans.answers import answers_on_spans, span_class
from evenhand.tasks.units import Units, units_of
from evenhand.text.corpus import Corpus

_KIND_BITS = 4
_SPAN_KIND = (1 << _KIND_BITS) - 1


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the identifier that the system gave, where it gave one."""
    kind, label = kinds.CLASS_KINDS[code & _SPAN_KIND], (code >> _KIND_BITS) - 1
    return kind if label < 0 else f"{kind} {labels[label]}"


def answers_on_links(gold: Linked, questions: Sequence[Question], corpus: Corpus, shown: Shown) -> Answers:
    """The verdicts of several systems on the gold standard's links and on all surplus."""
    judged = [(by_identifier(each.system), verdicts(each)) for each in questions]
    found = answers_on_spans(by_identifier(gold), judged)
    assert found.gold_label is not None
    said, right = (found.shown >> _KIND_BITS) - 1, found.gold_label
    kind = link_kinds(found.shown & _SPAN_KIND, right, said)
    code = span_class(kind, shown.words(kind, right, said))
    label = np.append(gold.spans.label, _surplus_labels(found, questions, len(gold)))
    sentence, start = corpus.in_sentences(found.sentence, found.start)
    shift = found.start - start
    known = found.part >= 0
    part = np.where(known, ((found.part >> 32) - shift << 32) | ((found.part & 0xFFFFFFFF) - shift), -1)
    return replace(
        found,
        label=label,
        answer=code,
        shown=code,
        part=part,
        sentence=sentence,
        start=start,
        end=found.end - shift,
        gold_label=np.where(right < 0, -1, _labels_of(gold, found, label)),
        kinds=kinds.KINDS,
        verdict=kind,
    )


def _labels_of(gold: Linked, found: Answers, label: Ints) -> Ints:
    """The label that a verdict counts for: that of the unit; of surplus, that of the gold link it overlaps."""
    labels = np.tile(label, (found.systems, 1))
    places = {
        (scope, start, end): row
        for row, (scope, start, end) in enumerate(
            zip(gold.spans.scope.tolist(), gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True)
        )
    }
    scope = found.sentence.tolist()
    assert found.gold_label is not None
    for system, unit in zip(*np.nonzero(found.is_surplus & (found.gold_label >= 0)), strict=True):
        bounds = int(found.part[system, unit])
        row = places.get((scope[unit], bounds >> 32, bounds & 0xFFFFFFFF))
        if row is not None:
            labels[system, unit] = gold.spans.label[row]
    return labels


def _surplus_labels(found: Answers, questions: Sequence[Question], first: int) -> Ints:
    """The labels of the spans that surplus is, of the first system that has it."""
    labels: dict[tuple[int, ...], int] = {}
    for question in reversed(questions):
        side = question.system
        columns = (side.spans.scope, side.spans.start, side.spans.end, side.answer, side.spans.label)
        for *place, label in zip(*(column.tolist() for column in columns), strict=True):
            labels[tuple(place)] = label
    units = (column[first:].tolist() for column in (found.sentence, found.start, found.end, found.label))
    return ints([labels[place] for place in zip(*units, strict=True)])


def link_units(answers: Answers) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & _SPAN_KIND, (answers.shown >> _KIND_BITS) - 1
    assert answers.gold_label is not None
    nothing = kind == kinds.TN
    return units_of(answers, kind, np.where(nothing, -1, answers.gold_label), label, answers.part)
