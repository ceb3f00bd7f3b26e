"""Units with their positions and sentences, for `--show` and for the error browser of a page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Count, Ints, Values, empty, ints, pack
from evenhand.comparison.differences import CLASSES, difference_class
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.settings import Atoms
from evenhand.tasks.unit_rows import Places
from evenhand.tasks.units import Locations, Predictions, SentenceView, tokens_of

if TYPE_CHECKING:
    from evenhand.comparison.counts import ComparisonCounts


Objects = npt.NDArray[np.object_]
SHOWN = (*CLASSES, "unsolved", "solved_once")
"""Kinds of units that can be requested: differences of a pair, or units that no system, or only one, has right."""


class Sentence(NamedTuple):
    """A sentence of a page: its tokens, its position, and the annotation of every side."""

    tokens: tuple[str, ...]
    source: str
    number: int
    document: str
    sides: list[Any]
    pieces: tuple[int, ...] = ()
    """Starts of tokens that are pieces of a text, which is cut where words and spans begin and end."""
    links: Sequence[Any] = ()
    """The links between spans of every side, if links are drawn."""
    has_words: bool = True
    """Whether the file has words; otherwise tokens are their numbers."""


@dataclass(frozen=True)
class CollectedUnits:
    """Units as columns, and tables with one row per system."""

    sentence: Ints
    """Index of each unit's sentence in its collection."""
    start: Ints
    end: Ints
    label: Ints
    surplus: Bools
    classes: Ints
    answers: Ints
    partners: Ints
    """Bounds of the span that a span was matched with."""
    antecedents: Objects
    """The closest antecedents of a mention, in the key and under every system; empty if there is none."""
    line: Ints
    """-1 where files have no lines."""
    nowhere: Objects
    """Their words, where the text does not have them; else None."""
    offsets: Ints
    """Start and end of each unit as users see them (`Places.positions`), one row each; -1 without a position."""
    slices: Ints
    """The value of each unit in every slicing, one row each."""
    scores: Values
    """The confidence of each system's unit, NaN without one."""

    def __len__(self) -> int:
        return len(self.sentence)

    def take(self, rows: Ints) -> CollectedUnits:
        return CollectedUnits(*(column[..., rows] for column in vars(self).values()))

    @staticmethod
    def concatenate(parts: Sequence[CollectedUnits]) -> CollectedUnits:
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return CollectedUnits(*(np.concatenate(column, axis=-1) for column in columns))


@dataclass
class Collection:
    """The data of an error browser: units, their sentences, and their classes."""

    limit: int
    total: int = 0
    positions: Atoms = "tokens"
    """What the offsets of units count."""
    sentences: list[Sentence] = field(default_factory=list)
    classes: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """Numbers of classes: error type, gold label and system label."""
    _parts: list[CollectedUnits] = field(default_factory=list)
    _is_plain: list[Bools] = field(default_factory=list)
    """Which units of each part all systems have right."""
    _wrong: int = 0
    _right: int = 0
    """Numbers of units of both kinds so far."""
    _numbers: dict[int, int] = field(default_factory=dict)
    """Indices in `sentences`, by the number of the sentence in the file."""

    @property
    def included(self) -> int:
        return min(self.limit, self._wrong + self._right)

    def units(self) -> CollectedUnits:
        """The units in the page, in the order of the text."""
        whole, is_plain = CollectedUnits.concatenate(self._parts), np.concatenate(self._is_plain)
        rows = np.concatenate((np.flatnonzero(~is_plain), np.flatnonzero(is_plain)))[: self.limit]
        number = ints([sentence.number for sentence in self.sentences])[whole.sentence[rows]]
        return whole.take(rows[np.lexsort((whole.end[rows], whole.start[rows], number))])

    def add(self, predictions: Predictions, locations: Locations, drawn: SentenceView, slices: Ints) -> None:
        """Collect the units of a part; `drawn` has the annotation of their sentences, `slices` a row per slicing."""
        is_plain = predictions.right.all(axis=0) & (predictions.answer == predictions.answer[:1]).all(axis=0)
        self.total += len(is_plain)
        wrong = np.flatnonzero(~is_plain)[: self.limit - self._wrong]
        self._wrong += len(wrong)
        right = np.flatnonzero(is_plain)[: max(0, self.limit - self._wrong - self._right)]
        self._right += len(right)
        units = np.sort(np.concatenate((wrong, right)))
        collected = self._units(predictions, locations, drawn, units, slices[:, units])
        self._parts.append(self._in_pieces(collected))
        self._is_plain.append(is_plain[units])

    def _units(
        self, predictions: Predictions, locations: Locations, drawn: SentenceView, units: Ints, slices: Ints
    ) -> CollectedUnits:
        sentence, start, end = predictions.sentence[units], predictions.start[units], predictions.end[units]
        is_unplaced, positions = locations.is_unplaced(start), locations.positions(sentence, start, end)
        self.positions = positions.of
        texts, antecedents = (np.full(len(units), None, dtype=np.object_) for _ in range(2))
        for row in np.flatnonzero(is_unplaced).tolist():
            texts[row] = locations.unplaced_text(int(start[row]))
        for row, unit in enumerate(units.tolist() if predictions.gold_antecedent is not None else ()):
            antecedents[row] = predictions.antecedents(locations, unit)
        return CollectedUnits(
            self._drawn(sentence, locations, drawn),
            np.where(is_unplaced, 0, start),
            np.where(is_unplaced, 0, end),
            predictions.label[units],
            predictions.is_surplus[units],
            self._classes(predictions, units),
            _numbered(predictions.answer[:, units]),
            predictions.partner[:, units],
            antecedents,
            locations.line_numbers(sentence, start),
            texts,
            np.stack((positions.start, positions.end)),
            slices,
            np.full(predictions.answer[:, units].shape, np.nan)
            if predictions.score is None
            else predictions.score[:, units],
        )

    def _in_pieces(self, units: CollectedUnits) -> CollectedUnits:
        """The same units with positions in pieces, if sentences are cut into pieces."""
        pieces = [self.sentences[index].pieces for index in units.sentence.tolist()]
        if not any(pieces):
            return units
        start, end = (ints(list(map(piece, pieces, column.tolist()))) for column in (units.start, units.end))
        partners = [list(map(_moved, pieces, row)) for row in units.partners.tolist()]
        return replace(units, start=start, end=end, partners=ints(partners))

    def _classes(self, predictions: Predictions, units: Ints) -> Ints:
        """The class numbers of some units under each system; new classes are numbered unit by unit."""
        tables = (predictions.kind, predictions.gold_label, predictions.predicted)
        kind, gold, predicted = (table[:, units].T.ravel() for table in tables)
        key, _ = pack((kind, empty()), (gold, empty()), (predicted, empty()))
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        for index in np.argsort(first).tolist():
            row = first[index]
            code = int(kind[row]), int(gold[row]), int(predicted[row])
            number[index] = self.classes.setdefault(code, len(self.classes))
        return number[which].reshape(len(units), len(predictions.kind)).T

    def _drawn(self, sentence: Ints, locations: Locations, drawn: SentenceView) -> Ints:
        """The index of each sentence in `sentences`; new sentences are appended."""
        distinct, which = np.unique(sentence, return_inverse=True)
        indices = []
        for scope in distinct.tolist():
            number = locations.number(scope)
            index = self._numbers.setdefault(number, len(self.sentences))
            if index == len(self.sentences):
                self.sentences.append(sentence_of(scope, number, locations, drawn.sides(scope), drawn.links(scope)))
            indices.append(index)
        return ints(indices)[which]


def _numbered(answer: Ints) -> Ints:
    """Number the distinct answers to each unit, from 0 for the first system's."""
    numbers, distinct = np.empty_like(answer), np.zeros(answer.shape[1], dtype=np.int64)
    for row, answers in enumerate(answer):
        numbers[row] = distinct
        for before in range(row):
            same = answer[before] == answers
            numbers[row, same] = numbers[before, same]
        distinct += numbers[row] == distinct
    return numbers


def sentence_of(
    sentence: int, number: int, locations: Locations, sides: list[Any], links: Sequence[Any] = ()
) -> Sentence:
    """A sentence with the annotation of all sides; a text is cut into pieces where words and spans begin and end."""
    document = locations.document(int(locations.document_of[sentence]))
    corpus, row = locations.corpus(sentence)
    if corpus.atoms == "tokens" or corpus.tokens is None:
        tokens, has_words = tuple(tokens_of(corpus, row)), corpus.tokens is not None
        return Sentence(tokens, corpus.source, number, document, sides, (), links, has_words)
    edges = {edge for side in sides for _, start, end, *gaps in side for edge in (start, end, *_ends(gaps))}
    pieces, texts = locations.pieces(sentence, edges)
    moved = [
        tuple(
            (label, piece(pieces, start), piece(pieces, end), *_pieces_of(pieces, gaps))
            for label, start, end, *gaps in side
        )
        for side in sides
    ]
    return Sentence(tuple(texts), corpus.source, number, document, moved, tuple(pieces), links)


def piece(pieces: Sequence[int], position: int) -> int:
    """The index of the piece at a position, if the text is in pieces."""
    return bisect_left(pieces, position) if pieces else position


def _ends(gaps: Sequence[int]) -> list[int]:
    """Starts and ends of the runs of positions that a span leaves out."""
    return sorted(set(gaps) ^ {gap + 1 for gap in gaps})


def _pieces_of(pieces: Sequence[int], gaps: Sequence[int]) -> list[int]:
    """The pieces that contain some positions."""
    return list(dict.fromkeys(bisect_right(pieces, gap) - 1 for gap in gaps)) if gaps else []


def _moved(pieces: Sequence[int], bounds: int) -> int:
    if not pieces or bounds < 0:
        return bounds
    return piece(pieces, bounds >> 32) << 32 | piece(pieces, bounds & 0xFFFFFFFF)


class Unit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A unit: its location, its gold label, and every system's prediction. Fields are in the order of the JSON."""

    kind: str
    before: str | None = msgspec.field(name="from")
    """The first system of a pair, and `after` the second, for differences."""
    after: str | None = msgspec.field(name="to")
    place: str
    """File and line."""
    document: Count
    document_name: str | None = None
    sentence: Count
    start: Count | None
    """Start, from 0: in characters of the input text, or in tokens of the sentence (see `positions`)."""
    end: Count | None
    """End, exclusive. Both are None for a language model's answer that is not in the text."""
    positions: str
    """The unit of `start` and `end`: characters or tokens."""
    token_start: Count | None = None
    """The first token in the sentence, if the gold standard has tokens."""
    token_end: Count | None = None
    parts: tuple[tuple[Count, Count], ...] | None = None
    """For a unit with gaps: start and end of each part, in `positions`."""
    text_place: str | None = None
    """File and line of the text that `start` and `end` refer to, if it is a system's and not the gold standard's."""
    words: str | None
    """The unit as it is in the text; the parts of a unit with gaps are joined by spaces."""
    gold: str
    gold_head: str | None = None
    """For trees: the head, or `root`."""
    gold_antecedent: str | None = None
    """For mentions: the closest antecedent in the key."""
    answers: dict[str, str]
    """Tags; error types with labels; for trees, relations with heads; for mentions, error types with antecedents."""
    text: str | None

    @property
    def pair(self) -> tuple[str, str] | None:
        return None if self.before is None or self.after is None else (self.before, self.after)

    def to_dict(self) -> dict[str, Any]:
        saved: dict[str, Any] = msgspec.to_builtins(self)
        return saved


@dataclass
class UnitSearch:
    """The kind of units to list, and the units of this kind so far."""

    kind: str
    pairs: Sequence[tuple[int, int]] = ()
    limit: int | None = None
    units: list[Unit] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.kind not in SHOWN:
            remedy = f"choose one of {', '.join(SHOWN)}"
            raise SettingError(unknown(f"Unknown kind of unit {self.kind!r}", self.kind, SHOWN, remedy))

    def add(self, answers: Predictions, locations: Locations, counts: ComparisonCounts) -> None:
        """Add the units of a part; `counts` has the answers in words."""
        for pair, units in self._rows(answers):
            order = np.lexsort((answers.end[units], answers.start[units], answers.sentence[units]))
            units = units[order][: None if self.limit is None else max(0, self.limit - len(self.units))]
            self.units += unit_details(self.kind, pair, units, answers, locations, counts)

    def _rows(self, answers: Predictions) -> Iterator[tuple[tuple[int, int] | None, Ints]]:
        if self.kind in CLASSES:
            for a, b in self.pairs:
                is_of_class = difference_class(answers.right[a], answers.right[b]) == CLASSES.index(self.kind)
                yield (a, b), np.flatnonzero((answers.answer[a] != answers.answer[b]) & is_of_class)
        else:
            yield None, np.flatnonzero(answers.right.sum(axis=0) == (0 if self.kind == "unsolved" else 1))


@dataclass
class ChosenUnits:
    """Units that are chosen by their numbers in the run, and their details so far."""

    kind: str
    numbers: Ints
    """In ascending order, from 0."""
    pair: tuple[int, int] | None = None
    units: dict[int, Unit] = field(default_factory=dict)
    """By number."""
    _before: int = 0

    def add(self, answers: Predictions, locations: Locations, counts: ComparisonCounts) -> None:
        """Add the units of a part."""
        first, last = np.searchsorted(self.numbers, (self._before, self._before + len(answers))).tolist()
        rows = self.numbers[first:last] - self._before
        details = unit_details(self.kind, self.pair, rows, answers, locations, counts)
        self.units |= zip(self.numbers[first:last].tolist(), details, strict=True)
        self._before += len(answers)


def unit_details(
    kind: str,
    pair: tuple[int, int] | None,
    units: Ints,
    answers: Predictions,
    locations: Locations,
    counts: ComparisonCounts,
) -> Iterator[Unit]:
    """The details of some units; `counts` has the answers in words."""
    systems = counts.systems
    before, after = (None, None) if pair is None else (systems[pair[0]], systems[pair[1]])
    sentences, starts, ends = answers.sentence[units], answers.start[units], answers.end[units]
    positions = locations.positions(sentences, starts, ends)
    places = Places.of(sentences, starts, ends, None if answers.shape is None else answers.shape[units])
    rows = zip(
        *(column.tolist() for column in (units, sentences, starts, ends)),
        locations.of_tokens(sentences, starts),
        locations.strings(places, answers.shapes),
        positions.rows(),
        strict=True,
    )
    for unit, sentence, start, end, location, string, (first, stop, token, last_token) in rows:
        document, gaps = int(locations.document_of[sentence]), answers.gaps(unit)
        parts = locations.parts(sentence, start, end, gaps) if gaps else None
        gold, gold_head = counts.gold(answers, locations, unit)
        yield Unit(
            kind=kind,
            before=before,
            after=after,
            place=location,
            document=document + 1,
            document_name=locations.name(document),
            sentence=locations.number(sentence),
            start=first,
            end=stop,
            positions=positions.of,
            token_start=token,
            token_end=last_token,
            parts=None if parts is None else tuple(parts),
            text_place=locations.text_location(sentence, start),
            words=string,
            gold=gold,
            gold_head=gold_head,
            gold_antecedent=counts.antecedent(answers, locations, unit),
            answers={name: counts.answer(answers, locations, row, unit) for row, name in enumerate(systems)},
            text=locations.text(sentence),
        )
