"""Places where annotators have spans, what each of them says there, and what a vote makes of it.

In a document that n annotators have, spans that overlap, transitively, make a *place*. It is agreed if all n have the
same spans there, else a *conflict*, which is decided if more than n/2 have the same spans. The vote accepts the spans,
label and bounds, that more than n/2 annotators have. Where each atom has a code and the vote accepts none, that of the
first annotator stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.agreement.annotators import LAYER, SharedText
from evenhand.arrays import Bools, Ints, ints, zeros
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.units import Locations, parts_of

MAJORITY, UNANIMOUS = "majority", "unanimous"
ADJUDICATED = "adjudicated"
Gaps = tuple[tuple[int, int], ...]
Answer = tuple[int, int, str] | tuple[int, int, str, Gaps]
"""Start, end and label of a span and, if it has gaps, where these start and end; of shown places, where parts do."""


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
        """Whether so many votes of the annotators who have the document are enough; one who is alone decides."""
        if annotators == 1:
            return votes == 1
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
    positions: str = "tokens"
    """What positions count: characters of the document's text, or tokens of the sentence."""
    token_start: int | None = None
    """The first token in the sentence, where the file has tokens."""
    token_end: int | None = None
    place: str = ""
    """File and line of the text."""

    @property
    def is_conflict(self) -> bool:
        return len(set(map(tuple, self.answers.values()))) > 1

    @property
    def state(self) -> str:
        """undecided, decided or agreed."""
        return "agreed" if not self.is_conflict else "decided" if self.decided else "undecided"

    @property
    def decided(self) -> bool:
        """Whether more than half of the annotators have the same spans."""
        (_, most), *_ = Counter(tuple(answer) for answer in self.answers.values()).most_common(1)
        return 2 * most > len(self.answers)

    def to_dict(self) -> dict[str, Any]:
        """In the form of its JSON."""
        return {
            "document": self.document,
            "sentence": self.sentence,
            "start": self.start,
            "end": self.end,
            "positions": self.positions,
            "token_start": self.token_start,
            "token_end": self.token_end,
            "place": self.place,
            "text": self.text,
            "answers": {name: [list(each) for each in found] for name, found in self.answers.items()},
            "accepted": [list(each) for each in self.accepted],
            "decided": self.decided,
        }


class Voting:
    """Goes through the places of portions, and keeps the conflicts."""

    def __init__(self, names: Sequence[str], vote: Vote, *, settles: bool = False) -> None:
        """With `settles`, what the first annotator has stands where the vote accepts nothing."""
        self._names, self._vote, self._settles = names, vote, settles
        self._conflicts: list[tuple[int, Place]] = []

    def add(self, text: SharedText) -> None:
        """Look at a portion. This is a loop over its conflicts."""
        self._conflicts += [
            (int(text.documents[scope]), _as_shown(scope, place, text.portion.places))
            for scope, place in self._disputed(text, _Places(text))
        ]

    def conflicts(self) -> list[Place]:
        """All conflicts, in the order of the documents."""
        return [place for _, place in sorted(self._conflicts, key=lambda each: (each[0], each[1].sentence))]

    def annotations(self, text: SharedText) -> Iterator[Annotation]:
        """The batches of a portion with the spans that the vote accepts."""
        places = _Places(text)
        agreed, disputed = places.agreed(self._accepts_all(len(text.spans))), self._disputed(text, places)
        vocabulary = agreed.vocabulary
        found = [
            (scope, *span[:2], vocabulary.labels.code(span[2]), vocabulary.shapes.code(_shape(span)))
            for scope, place in disputed
            for span in place.accepted
        ]
        scope, start, end, label, shape = ints(found).reshape(-1, 5).T
        settled = Spans.of(vocabulary, scope, start, end, label, shape=shape)
        spans, first = Spans.concatenate([agreed, settled], [0, 0]), 0
        spans = spans.take(np.lexsort((spans.label, spans.end, spans.start, spans.scope)))
        for batch in text.portion.batches:
            behind = first + batch.corpus.sentences
            mine = spans.take(slice(*np.searchsorted(spans.scope, (first, behind)).tolist()))
            yield Annotation(batch.corpus, {LAYER: replace(mine, scope=mine.scope - first)}, name=ADJUDICATED)
            first = behind

    def _accepts_all(self, annotators: int) -> Bools:
        """Whether the vote accepts what all have, by how many have the document."""
        accepted = (self._settles or self._vote.accepts(number, number) for number in range(annotators + 1))
        return np.array(list(accepted), dtype=np.bool_)

    def all_places(self, text: SharedText) -> Iterator[tuple[int, Place]]:
        """All places of a portion, and the sentence of each. This is a loop over all of them."""
        return self._disputed(text, _Places(text), with_agreed=True)

    def _disputed(self, text: SharedText, places: _Places, *, with_agreed: bool = False) -> Iterator[tuple[int, Place]]:
        """The conflicts of a portion, or all places, and the sentence of each."""
        first = dict(zip(*(column.tolist() for column in np.unique(text.documents, return_index=True)), strict=True))
        for scope, rows in places.all() if with_agreed else places.conflicts():
            yield scope, self._place(text, scope, rows, first[int(text.documents[scope])])

    def _place(self, text: SharedText, scope: int, rows: Sequence[tuple[int, Answer]], first: int) -> Place:
        """A conflict, in a document that begins with the sentence `first` of the portion."""
        there = np.flatnonzero(text.has[scope]).tolist()
        answers = {self._names[side]: sorted({span for at, span in rows if at == side}) for side in there}
        votes = Counter(span for answer in answers.values() for span in answer)
        accepted = sorted(span for span, count in votes.items() if self._vote.accepts(count, len(there)))
        if self._settles and not accepted:
            accepted = next(iter(answers.values()))
        start, end = min(span[0] for _, span in rows), max(span[1] for _, span in rows)
        places, number = text.portion.places, int(text.documents[scope])
        words = places.words(scope, start, end)
        if not text.names:
            return Place(str(number + 1), places.number(scope), start, end, words, answers, accepted)
        return Place(text.names[number], scope - first + 1, start, end, words, answers, accepted)


def _as_shown(scope: int, place: Place, places: Locations) -> Place:
    """A place in positions as users see them; spans with gaps have their parts."""

    def bounds(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        start, end = ints(spans).T
        found = places.positions(np.full(len(spans), scope), start, end)
        return list(zip(found.start.tolist(), found.end.tolist(), strict=True))

    def shown(answers: Sequence[Answer]) -> list[Answer]:
        if not answers:
            return []
        found = bounds([answer[:2] for answer in answers])
        return [
            (*edges, answer[2])
            if len(answer) == 3
            else (*edges, answer[2], tuple(bounds(parts_of(*answer[:2], _shape(answer)))))
            for edges, answer in zip(found, answers, strict=True)
        ]

    whole = places.positions(ints([scope]), ints([place.start]), ints([place.end]))
    ((start, end, token_start, token_end),) = whole.rows()
    assert start is not None
    assert end is not None
    return replace(
        place,
        start=start,
        end=end,
        answers={name: shown(answers) for name, answers in place.answers.items()},
        accepted=shown(place.accepted),
        positions=whole.of,
        token_start=token_start,
        token_end=token_end,
        place=places.text_place(scope, place.start) or places.place(scope, place.start),
    )


class _Places:
    """The places of a portion: those where all who have the document have the same spans, and all others."""

    def __init__(self, text: SharedText) -> None:
        sides = text.spans
        self._spans = Spans.concatenate(list(sides), [0] * len(sides))
        self._side = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
        spans = self._spans
        order = np.lexsort((spans.end, spans.start, spans.scope))
        place = zeros(len(spans)).copy()
        place[order] = np.cumsum(_begins(spans.scope[order], spans.start[order], spans.end[order])) - 1
        columns = (spans.shape, spans.label, spans.end, spans.start, place)
        self._order = np.lexsort((self._side, *columns))
        self._place, size = place, int(place.max(initial=-1)) + 1
        is_new = self._is_new(columns)
        answers = is_new | self._is_new((self._side,))
        self._voters = zeros(size).copy()
        self._voters[place] = text.has.sum(axis=1)[spans.scope]
        distinct = np.bincount(place[self._order], is_new, minlength=size)
        self._is_agreed = np.bincount(place[self._order], answers, minlength=size) == distinct * self._voters
        self._distinct = self._order[is_new]

    def _is_new(self, columns: Sequence[Ints]) -> Bools:
        """Which rows, in order, differ from the one before."""
        found = np.ones(len(self._order), dtype=np.bool_)
        found[1:] = np.any([np.diff(column[self._order]) != 0 for column in columns], axis=0)
        return found

    def agreed(self, accepted: Bools) -> Spans:
        """The spans that all have, each once, where that is `accepted` of so many annotators."""
        chosen = self._is_agreed & accepted[self._voters]
        return self._spans.take(self._distinct[chosen[self._place[self._distinct]]])

    def conflicts(self) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        """The sentence of each conflict, and its spans with the number of the annotator of each."""
        return self._rows(self._order[~self._is_agreed[self._place[self._order]]])

    def all(self) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        """The same of all places."""
        return self._rows(self._order)

    def _rows(self, rows: Ints) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        """The same of some rows, place by place."""
        begins = np.flatnonzero(np.diff(self._place[rows])) + 1
        for mine in np.split(rows, begins) if len(rows) else ():
            scope, answers = int(self._spans.scope[mine[0]]), [_answer(self._spans, row) for row in mine.tolist()]
            yield scope, list(zip(self._side[mine].tolist(), answers, strict=True))


def _answer(spans: Spans, row: int) -> Answer:
    """One span."""
    start, end, names = int(spans.start[row]), int(spans.end[row]), spans.vocabulary
    label, left_out = names.labels[int(spans.label[row])], names.shapes[int(spans.shape[row])]
    if not left_out:
        return start, end, label
    among = set(left_out)
    first = [start + atom for atom in left_out if atom - 1 not in among]
    behind = [start + atom + 1 for atom in left_out if atom + 1 not in among]
    return start, end, label, tuple(zip(first, behind, strict=True))


def _shape(answer: Answer) -> tuple[int, ...]:
    """The atoms that a span leaves out, counted from its start."""
    gaps: Gaps = answer[3] if len(answer) > 3 else ()
    return tuple(atom - answer[0] for gap in gaps for atom in range(*gap))


def _begins(scope: Ints, start: Ints, end: Ints) -> Bools:
    """Which spans begin a place, in the order of the text."""
    width = int(end.max(initial=0)) + 1
    behind = np.maximum.accumulate(scope * width + end)
    begins: Bools = np.append(True, (scope * width + start)[1:] >= behind[:-1])[: len(scope)]
    return begins
