"""Regions of the text where annotators have spans, their disagreements, and the majority vote.

In a document that n annotators have, spans that overlap, transitively, form a *region*. It is agreed if all n have the
same spans there, else a *conflict*, which is decided if more than n/2 have the same spans. The vote accepts the spans,
label and bounds, of more than n/2 annotators. If each position has a code and the vote accepts none, it is the first
annotator's code.
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
"""Start, end and label of a span and, if it has gaps, their starts and ends; for display, the offsets of its parts."""


@dataclass(frozen=True)
class Vote:
    """The number of annotators who must have a span."""

    rule: str | int = MAJORITY

    @staticmethod
    def of(rule: object) -> Vote:
        """Parse the option of a user: majority, unanimous, or a number."""
        text = str(rule)
        if text in (MAJORITY, UNANIMOUS):
            return Vote(text)
        if not text.isdecimal() or not int(text) or isinstance(rule, bool):
            raise SettingError(f"vote is {rule!r}; choose majority, unanimous, or a number from 1.")
        return Vote(int(text))

    def accepts(self, votes: int, annotators: int) -> bool:
        """Whether `votes` of the annotators who have the document are enough; a single annotator decides alone."""
        if annotators == 1:
            return votes == 1
        if isinstance(self.rule, int):
            return votes >= self.rule
        return votes == annotators if self.rule == UNANIMOUS else 2 * votes > annotators


@dataclass(frozen=True)
class Region:
    """A region of the text with the spans of all annotators."""

    document: str
    sentence: int
    """The number of the sentence, from 1: in its document, or in the whole text if documents have no names."""
    start: int
    end: int
    text: str | None
    answers: dict[str, list[Answer]]
    """The spans of each annotator who has the document."""
    accepted: list[Answer]
    positions: str = "tokens"
    """What positions count: characters of the document's text, or tokens of the sentence."""
    token_start: int | None = None
    """The first token in the sentence, if the file has tokens."""
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
        (_, votes), *_ = Counter(tuple(answer) for answer in self.answers.values()).most_common(1)
        return 2 * votes > len(self.answers)

    def to_dict(self) -> dict[str, Any]:
        plain = ("document", "sentence", "start", "end", "positions", "token_start", "token_end", "place", "text")
        return {
            **{name: getattr(self, name) for name in plain},
            "answers": {name: list(map(list, spans)) for name, spans in self.answers.items()},
            "accepted": list(map(list, self.accepted)),
            "decided": self.decided,
        }


class Voting:
    """Votes on the regions of a text, and keeps the conflicts."""

    def __init__(self, names: Sequence[str], vote: Vote, *, settles: bool = False) -> None:
        """With `settles`, the first annotator decides if the vote accepts nothing."""
        self._names, self._vote, self._settles = names, vote, settles
        self._conflicts: list[tuple[int, Region]] = []

    def add(self, text: SharedText) -> None:
        """Collect the conflicts of a part, one by one."""
        self._conflicts += [
            (int(text.documents[scope]), _as_displayed(scope, region, text.locations))
            for scope, region in self._regions(text, _Regions(text))
        ]

    def conflicts(self) -> list[Region]:
        """All conflicts, in the order of the documents."""
        ordered = sorted(self._conflicts, key=lambda conflict: (conflict[0], conflict[1].sentence))
        return [region for _, region in ordered]

    def annotations(self, text: SharedText) -> Iterator[Annotation]:
        """The batches of a part with the spans that the vote accepts."""
        regions, annotators = _Regions(text), len(text.spans)
        accepts_all = [self._settles or self._vote.accepts(number, number) for number in range(annotators + 1)]
        agreed, disputed = regions.agreed(np.array(accepts_all, dtype=np.bool_)), self._regions(text, regions)
        vocabulary = agreed.vocabulary
        rows = [
            (scope, *span[:2], vocabulary.labels.code(span[2]), vocabulary.shapes.code(_shape(span)))
            for scope, region in disputed
            for span in region.accepted
        ]
        scope, start, end, label, shape = ints(rows).reshape(-1, 5).T
        settled = Spans.of(vocabulary, scope, start, end, label, shape=shape)
        spans, first = Spans.concatenate([agreed, settled], [0, 0]), 0
        spans = spans.take(np.lexsort((spans.label, spans.end, spans.start, spans.scope)))
        for batch in text.part.gold:
            end_scope = first + batch.corpus.sentences
            inside = spans.take(slice(*np.searchsorted(spans.scope, (first, end_scope)).tolist()))
            yield Annotation(batch.corpus, {LAYER: replace(inside, scope=inside.scope - first)}, name=ADJUDICATED)
            first = end_scope

    def all_regions(self, text: SharedText) -> Iterator[tuple[int, Region]]:
        """All regions of a part, one by one, and the sentence of each."""
        return self._regions(text, _Regions(text), with_agreed=True)

    def _regions(
        self, text: SharedText, regions: _Regions, *, with_agreed: bool = False
    ) -> Iterator[tuple[int, Region]]:
        """The conflicts of a part, or all regions, and the sentence of each."""
        first = dict(zip(*(column.tolist() for column in np.unique(text.documents, return_index=True)), strict=True))
        for scope, rows in regions.all() if with_agreed else regions.conflicts():
            yield scope, self._region(text, scope, rows, first[int(text.documents[scope])])

    def _region(self, text: SharedText, scope: int, rows: Sequence[tuple[int, Answer]], first: int) -> Region:
        """A region of a document that begins with the sentence `first` of the part."""
        present = np.flatnonzero(text.has[scope]).tolist()
        answers = {self._names[side]: sorted({span for owner, span in rows if owner == side}) for side in present}
        votes = Counter(span for answer in answers.values() for span in answer)
        accepted = sorted(span for span, count in votes.items() if self._vote.accepts(count, len(present)))
        if self._settles and not accepted:
            accepted = next(iter(answers.values()))
        start, end = min(span[0] for _, span in rows), max(span[1] for _, span in rows)
        locations, number = text.locations, int(text.documents[scope])
        words = locations.words(scope, start, end)
        if not text.names:
            return Region(str(number + 1), locations.number(scope), start, end, words, answers, accepted)
        return Region(text.names[number], scope - first + 1, start, end, words, answers, accepted)


def _as_displayed(scope: int, region: Region, locations: Locations) -> Region:
    """A region with the positions that users see; spans with gaps have their parts."""

    def bounds(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        start, end = ints(spans).T
        positions = locations.positions(np.full(len(spans), scope), start, end)
        return list(zip(positions.start.tolist(), positions.end.tolist(), strict=True))

    def displayed(answers: Sequence[Answer]) -> list[Answer]:
        if not answers:
            return []
        return [
            (*edges, answer[2])
            if len(answer) == 3
            else (*edges, answer[2], tuple(bounds(parts_of(*answer[:2], _shape(answer)))))
            for edges, answer in zip(bounds([answer[:2] for answer in answers]), answers, strict=True)
        ]

    whole = locations.positions(ints([scope]), ints([region.start]), ints([region.end]))
    ((start, end, token_start, token_end),) = whole.rows()
    assert start is not None
    assert end is not None
    return replace(
        region,
        start=start,
        end=end,
        answers={name: displayed(answers) for name, answers in region.answers.items()},
        accepted=displayed(region.accepted),
        positions=whole.of,
        token_start=token_start,
        token_end=token_end,
        place=locations.text_location(scope, region.start) or locations.location(scope, region.start),
    )


class _Regions:
    """The regions of a part: agreed ones, where all who have the document have the same spans, and conflicts."""

    def __init__(self, text: SharedText) -> None:
        sides = list(text.spans)
        self._spans = spans = Spans.concatenate(sides, [0] * len(sides))
        self._side = np.repeat(np.arange(len(sides)), list(map(len, sides)))
        order = np.lexsort((spans.end, spans.start, spans.scope))
        region = zeros(len(spans)).copy()
        region[order] = np.cumsum(_begins(spans.scope[order], spans.start[order], spans.end[order])) - 1
        columns = (spans.shape, spans.label, spans.end, spans.start, region)
        self._order = np.lexsort((self._side, *columns))
        self._region, size = region, int(region.max(initial=-1)) + 1
        is_new = self._is_new(columns)
        answers = is_new | self._is_new((self._side,))
        self._voters = zeros(size).copy()
        self._voters[region] = text.has.sum(axis=1)[spans.scope]
        distinct = np.bincount(region[self._order], is_new, minlength=size)
        self._is_agreed = np.bincount(region[self._order], answers, minlength=size) == distinct * self._voters
        self._distinct = self._order[is_new]

    def _is_new(self, columns: Sequence[Ints]) -> Bools:
        """Which rows, in order, differ from the one before."""
        is_new = np.ones(len(self._order), dtype=np.bool_)
        is_new[1:] = np.any([np.diff(column[self._order]) != 0 for column in columns], axis=0)
        return is_new

    def agreed(self, accepted: Bools) -> Spans:
        """The distinct spans of agreed regions; `accepted` is indexed by the number of annotators."""
        chosen = self._is_agreed & accepted[self._voters]
        return self._spans.take(self._distinct[chosen[self._region[self._distinct]]])

    def conflicts(self) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        """The sentence of each conflict, and its spans with the number of the annotator of each."""
        return self._rows(self._order[~self._is_agreed[self._region[self._order]]])

    def all(self) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        """The sentence of each region, and its spans with the number of the annotator of each."""
        return self._rows(self._order)

    def _rows(self, rows: Ints) -> Iterator[tuple[int, list[tuple[int, Answer]]]]:
        begins = np.flatnonzero(np.diff(self._region[rows])) + 1
        for chosen in np.split(rows, begins) if len(rows) else ():
            scope, answers = int(self._spans.scope[chosen[0]]), [_answer(self._spans, row) for row in chosen.tolist()]
            yield scope, list(zip(self._side[chosen].tolist(), answers, strict=True))


def _answer(spans: Spans, row: int) -> Answer:
    start, end, names = int(spans.start[row]), int(spans.end[row]), spans.vocabulary
    label, left_out = names.labels[int(spans.label[row])], names.shapes[int(spans.shape[row])]
    if not left_out:
        return start, end, label
    among = set(left_out)
    starts = [start + position for position in left_out if position - 1 not in among]
    ends = [start + position + 1 for position in left_out if position + 1 not in among]
    return start, end, label, tuple(zip(starts, ends, strict=True))


def _shape(answer: Answer) -> tuple[int, ...]:
    """The positions that a span leaves out, counted from its start."""
    gaps: Gaps = answer[3] if len(answer) > 3 else ()
    return tuple(position - answer[0] for gap in gaps for position in range(*gap))


def _begins(scope: Ints, start: Ints, end: Ints) -> Bools:
    """Which spans begin a region, in the order of the text."""
    width = int(end.max(initial=0)) + 1
    last_end = np.maximum.accumulate(scope * width + end)
    return np.append(True, (scope * width + start)[1:] >= last_end[:-1])[: len(scope)]
