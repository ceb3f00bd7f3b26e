"""Places where annotators have spans, what each of them says there, and what a vote makes of it.

In a document that n annotators have, spans that overlap, transitively, make a *place*. It is agreed if all n have the
same spans there, else a *conflict*, which is decided if more than n/2 have the same spans. The vote accepts the spans,
label and bounds, that more than n/2 annotators have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.agreement.annotators import SharedText
from evenhand.agreement.documents import LAYER
from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.layers import Spans

MAJORITY, UNANIMOUS = "majority", "unanimous"
ADJUDICATED = "adjudicated"
Answer = tuple[int, int, str]
"""Start, end and label of a span."""


@dataclass(frozen=True)
class Vote:
    """How many annotators must have a span."""

    rule: str | int = MAJORITY

    @staticmethod
    def of(given: object) -> Vote:
        """From what a user gives: majority, unanimous, or a number."""
        text = str(given)
        if text in (MAJORITY, UNANIMOUS):
            return Vote(text)
        if not text.isdecimal() or not int(text) or isinstance(given, bool):
            raise SettingError(f"vote is {given!r}; choose majority, unanimous, or a number from 1.")
        return Vote(int(text))

    def accepts(self, votes: int, annotators: int) -> bool:
        """Whether so many votes of the annotators who have the document are enough."""
        if isinstance(self.rule, int):
            return votes >= self.rule
        return votes == annotators if self.rule == UNANIMOUS else 2 * votes > annotators


@dataclass(frozen=True)
class Place:
    """What annotators say of one stretch of text."""

    document: str
    sentence: int
    """The number of the sentence, from 1: in its document, or over all where documents have no names."""
    start: int
    end: int
    text: str | None
    answers: dict[str, list[Answer]]
    """By annotator, of those who have the document."""
    accepted: list[Answer]

    @property
    def is_conflict(self) -> bool:
        return len({tuple(each) for each in self.answers.values()}) > 1

    @property
    def decided(self) -> bool:
        """Whether more than half of the annotators have the same spans."""
        (_, most), *_ = Counter(tuple(each) for each in self.answers.values()).most_common(1)
        return 2 * most > len(self.answers)

    def to_dict(self) -> dict[str, Any]:
        """In the form of its JSON."""
        return {
            "document": self.document,
            "sentence": self.sentence,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "answers": {name: [list(each) for each in found] for name, found in self.answers.items()},
            "accepted": [list(each) for each in self.accepted],
            "decided": self.decided,
        }


class Voting:
    """Goes through the places of portions, and keeps the conflicts."""

    def __init__(self, names: Sequence[str], vote: Vote) -> None:
        self._names, self._vote = names, vote
        self._conflicts: list[tuple[int, Place]] = []
        self.accepted = 0
        """How many spans the vote accepts."""

    def add(self, text: SharedText) -> None:
        """Look at a portion. This is a loop over its places."""
        for scope, rows in _places(text.spans):
            found = self._place(text, scope, rows)
            self.accepted += len(found.accepted)
            if found.is_conflict:
                self._conflicts.append((int(text.documents[scope]), found))

    def annotations(self, text: SharedText) -> Iterator[Annotation]:
        """The batches of a portion with the spans that the vote accepts."""
        found = [
            (scope, *span) for scope, rows in _places(text.spans) for span in self._place(text, scope, rows).accepted
        ]
        vocabulary, gaps = text.spans[0].vocabulary, _gaps(text.spans)
        columns = [(scope, start, end, vocabulary.labels.code(label)) for scope, start, end, label in found]
        scope, start, end, label = ints(columns).reshape(-1, 4).T
        spans = Spans.of(vocabulary, scope, start, end, label, shape=ints([gaps.get(span, 0) for span in found]))
        first = 0
        for batch in text.portion.batches:
            behind = first + batch.corpus.sentences
            mine = spans.take(np.flatnonzero((scope >= first) & (scope < behind)))
            yield Annotation(batch.corpus, {LAYER: replace(mine, scope=mine.scope - first)}, name=ADJUDICATED)
            first = behind

    def conflicts(self) -> list[Place]:
        """All conflicts, in the order of the documents."""
        return [place for _, place in sorted(self._conflicts, key=lambda each: (each[0], each[1].sentence))]

    def _place(self, text: SharedText, scope: int, rows: Sequence[tuple[int, Answer]]) -> Place:
        there = np.flatnonzero(text.has[scope]).tolist()
        answers = {self._names[side]: sorted({span for at, span in rows if at == side}) for side in there}
        votes = Counter(span for each in answers.values() for span in each)
        accepted = sorted(span for span, count in votes.items() if self._vote.accepts(count, len(there)))
        start, end = min(span[0] for _, span in rows), max(span[1] for _, span in rows)
        places, number = text.portion.places, int(text.documents[scope])
        words = places.words(scope, start, end)
        if not text.names:
            return Place(str(number + 1), places.number(scope), start, end, words, answers, accepted)
        sentence = scope - int(np.flatnonzero(text.documents == number)[0]) + 1
        return Place(text.names[number], sentence, start, end, words, answers, accepted)


def _places(sides: Sequence[Spans]) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
    """The scope of each place, and its spans with the number of the annotator of each."""
    scope, start, end = (np.concatenate([getattr(side, name) for side in sides]) for name in ("scope", "start", "end"))
    side_of = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    labels = [label for side in sides for label, *_ in side.rows()]
    order = np.lexsort((end, start, scope))
    begins = _begins(scope[order], start[order], end[order])
    for rows in np.split(order, begins[1:]) if len(order) else ():
        found = [(int(side_of[row]), (int(start[row]), int(end[row]), labels[row])) for row in rows.tolist()]
        yield int(scope[rows[0]]), found


def _gaps(sides: Sequence[Spans]) -> dict[tuple[int, int, int, str], int]:
    """The shapes of spans with gaps."""
    found = {}
    for side in sides:
        gapped = side.take(np.flatnonzero(side.shape))
        for (label, scope, start, end), shape in zip(gapped.rows(), gapped.shape.tolist(), strict=True):
            found[scope, start, end, label] = shape
    return found


def _begins(scope: Ints, start: Ints, end: Ints) -> Ints:
    """Where places begin among spans in the order of the text."""
    width = int(end.max(initial=0)) + 1
    behind = np.maximum.accumulate(scope * width + end)
    return np.flatnonzero(np.append(True, (scope * width + start)[1:] >= behind[:-1])[: len(scope)])
