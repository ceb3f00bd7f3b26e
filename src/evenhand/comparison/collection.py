"""A collection of units with their sentences for an error browser, as many as it may carry.

Units that some system has wrong, or that systems treat differently, come before those that all have right.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.dataclass import dataclass
from evenhand.tasks.places import Places
from evenhand.tasks.units import Drawing, LinkedDrawing, Units


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is drawn: its tokens, where it is, and what every side has in it."""

    tokens: tuple[str, ...]
    source: str
    number: int
    document: str
    sides: list[Any]
    pieces: tuple[int, ...] = ()
    """Where tokens begin that are pieces of a text, which is cut where words and spans do."""
    links: list[Any] = field(default_factory=list)
    """Of drawings with links: what links every side has between its spans."""


@dataclass(frozen=True, slots=True)
class CollectedUnit:
    """A unit: where it is, its label, and for every system its class, its answer and what it was matched with."""

    sentence: int
    start: int
    end: int
    label: int
    surplus: bool
    """Whether it is not in the gold standard."""
    classes: tuple[int, ...]
    answers: tuple[int, ...]
    partners: tuple[int, ...]
    """Of spans: the bounds of what it was matched with."""
    antecedents: tuple[str, ...]
    """Of mentions: the closest antecedents, in the key and under every system; empty where there is none."""
    line: int | None
    nowhere: str | None = None
    """Its words, where the text does not have them."""


@dataclass
class Collection:
    """What an error browser carries: units, their sentences, and the classes that verdicts fall into."""

    limit: int
    met: int = 0
    """How many units there are."""
    sentences: list[Sentence] = field(default_factory=list)
    classes: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """Numbers of classes: verdict, gold label and system label."""
    _wrong: list[CollectedUnit] = field(default_factory=list)
    _right: list[CollectedUnit] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    """The places in `sentences` of sentences, by their number in the file."""

    @property
    def carried(self) -> int:
        """How many units are carried."""
        return min(self.limit, len(self._wrong) + len(self._right))

    def units(self) -> list[CollectedUnit]:
        """The units that are carried, in the order of the text."""
        room = max(0, self.limit - len(self._wrong))
        return sorted(
            [*self._wrong, *self._right[:room]],
            key=lambda unit: (self.sentences[unit.sentence].number, unit.start, unit.end),
        )

    def add(self, judged: Units, places: Places, drawn: Drawing) -> None:
        """Collect some units; `drawn` has the annotation of their sentences."""
        is_plain = judged.right.all(axis=0) & (judged.answer == judged.answer[:1]).all(axis=0)
        self.met += len(is_plain)
        wrong = np.flatnonzero(~is_plain)[: max(0, self.limit - len(self._wrong))]
        right = np.flatnonzero(is_plain)[: max(0, self.limit - len(self._right))]
        units = np.sort(np.concatenate((wrong, right)))
        for unit, plain in zip(self._units(judged, places, drawn, units), is_plain[units].tolist(), strict=True):
            (self._right if plain else self._wrong).append(unit)

    def _units(self, judged: Units, places: Places, drawn: Drawing, units: Ints) -> Iterator[CollectedUnit]:
        """Some units, in their order; all that can be said of many at once is."""
        single = (judged.sentence, judged.start, judged.end, judged.label, judged.surplus)
        columns = zip(*(column[units].tolist() for column in single), strict=True)
        by_system = (self._classes(judged, units), _told_apart(judged.answer[:, units]), judged.partner[:, units])
        tables = zip(*(zip(*table.tolist(), strict=True) for table in by_system), strict=True)
        lines = places.lines(judged.sentence[units], judged.start[units])
        rows = zip(units.tolist(), columns, tables, lines, strict=True)
        for unit, (sentence, start, end, label, surplus), (classes, answers, partners), line in rows:
            place = self._sentence(sentence, places, drawn)
            pieces = self.sentences[place].pieces
            nowhere = places.nowhere_text(start)
            start, end = (start, end) if nowhere is None else (0, 0)
            yield CollectedUnit(
                place,
                piece(pieces, start),
                piece(pieces, end),
                label,
                surplus,
                classes,
                answers,
                tuple(_moved(pieces, partner) for partner in partners) if pieces else partners,
                judged.antecedents(places, unit),
                line,
                nowhere,
            )

    def _classes(self, judged: Units, units: Ints) -> Ints:
        """The numbers of the classes of some units, under each system; new ones are numbered unit by unit."""
        kind, gold, predicted = (table[:, units].T.ravel() for table in (judged.kind, judged.gold, judged.predicted))
        key, _ = pack((kind, empty()), (gold, empty()), (predicted, empty()))
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        for each in np.argsort(first).tolist():
            row = first[each]
            code = int(kind[row]), int(gold[row]), int(predicted[row])
            number[each] = self.classes.setdefault(code, len(self.classes))
        return number[which].reshape(len(units), len(judged.kind)).T

    def _sentence(self, sentence: int, places: Places, drawn: Drawing) -> int:
        number = places.number(sentence)
        found = self._numbers.get(number)
        if found is None:
            found = self._numbers[number] = len(self.sentences)
            drawing = sentence_of(sentence, number, places, drawn.sides(sentence))
            links = drawn.links(sentence) if isinstance(drawn, LinkedDrawing) else []
            self.sentences.append(replace(drawing, links=links))
        return found


def _told_apart(answer: Ints) -> Ints:
    """Answers as numbers that are the same for the same answer to a unit: 0 is what the first system says."""
    found, different = np.empty_like(answer), np.zeros(answer.shape[1], dtype=np.int64)
    for row, said in enumerate(answer):
        found[row] = different
        for before in range(row):
            same = answer[before] == said
            found[row, same] = found[before, same]
        different += found[row] == different
    return found


def sentence_of(sentence: int, number: int, places: Places, sides: list[Any]) -> Sentence:
    """A sentence with what all sides have in it; a text is cut into pieces where words and spans begin and end."""
    document = places.document(int(places.document_of[sentence]))
    corpus, _ = places.corpus(sentence)
    source = corpus.source
    if corpus.atoms == "tokens" or corpus.tokens is None:
        return Sentence(tuple(places.tokens(sentence)), source, number, document, sides)
    edges = {edge for side in sides for _, start, end, *gaps in side for edge in (start, end, *_ends(gaps))}
    pieces, texts = places.pieces(sentence, edges)
    moved = [
        tuple(
            (label, piece(pieces, start), piece(pieces, end), *_pieces_of(pieces, gaps))
            for label, start, end, *gaps in side
        )
        for side in sides
    ]
    return Sentence(tuple(texts), source, number, document, moved, tuple(pieces))


def piece(pieces: Sequence[int], position: int) -> int:
    """The place of a position among pieces, if the text is in pieces."""
    return bisect_left(pieces, position) if pieces else position


def _ends(gaps: Sequence[int]) -> list[int]:
    """Where runs of positions that a span leaves out begin, and where they have ended."""
    if not gaps:
        return []
    left_out = set(gaps)
    return sorted(left_out ^ {gap + 1 for gap in left_out})


def _pieces_of(pieces: Sequence[int], gaps: Sequence[int]) -> list[int]:
    """The pieces that some positions are in."""
    return list(dict.fromkeys(bisect_right(pieces, gap) - 1 for gap in gaps)) if gaps else []


def _moved(pieces: Sequence[int], bounds: int) -> int:
    if not pieces or bounds < 0:
        return bounds
    return piece(pieces, bounds >> 32) << 32 | piece(pieces, bounds & 0xFFFFFFFF)
