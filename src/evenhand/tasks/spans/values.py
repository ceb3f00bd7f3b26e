"""Values: what must not be seen, however often the text has it. A value is a document, a label and words in lower case.

Values are told apart within documents, and a document may go on in the next portion. So the values of the last document
of each portion are remembered, and those of others are let go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from evenhand.arrays import Bools, Ints, Words, distinct, empty, ints, windows
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, Tokens, equal, masks
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.strings import LabeledOffsets, UnitTexts

# == tasks/spans/value_keys.py: What tells values apart: a document, a label and words; or a


_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ALL = (1 << 64) - 1
_TRIES = 8
"""In how many tables keys are looked for, before they are looked at one by one."""
_LONG = 256
"""Words of more bytes are looked at one by one, so that a long span does not take long."""
Numbered = tuple[Ints, Ints]
"""The number of every key, first come first, and for each number the first row that has it."""


@dataclass(frozen=True)
class Keys:
    """Keys, one a row."""

    document: Ints
    label: Ints
    words: Tokens
    mixed: Words
    """A number for each key, the same for equal ones."""

    @staticmethod
    def of(document: Ints, label: Ints, words: Tokens) -> Keys:
        mixed = _mixed(_mixed(document.astype(np.uint64)) ^ label.astype(np.uint64))
        return Keys(document, label, words, _mixed_with(mixed, words))

    def __len__(self) -> int:
        return len(self.document)

    def plus(self, other: Keys) -> Keys:
        """These, and others behind them."""
        columns = ((self.document, other.document), (self.label, other.label))
        document, label = map(np.concatenate, columns)
        words = Tokens.concatenate([self.words, other.words])
        return Keys(document, label, words, np.concatenate((self.mixed, other.mixed)))

    def take(self, rows: Ints) -> Keys:
        """Some; their words are copied where most of the text is not theirs."""
        words = self.words.take(rows)
        if 2 * int(words.lengths.sum()) < words.size:
            text, edges = words.spaced()
            words = Tokens(text.tobytes() + PADDING, edges[:-1], edges[1:] - 1)
        return Keys(self.document[rows], self.label[rows], words, self.mixed[rows])

    def numbered(self) -> Numbered:
        """The same by a table with several places for each key: the first of those that want a place has it.

        All keys that are equal to this one get its number, and all others look for another place.
        """
        bits = len(self).bit_length() + 1
        holder = np.empty(1 << bits, dtype=np.int32)
        first, rows, mixed = np.arange(len(self)), np.arange(len(self)), self.mixed
        for _ in range(_TRIES):
            place = mixed[rows] >> np.uint64(64 - bits)
            holder[place[::-1]] = rows[::-1]
            first[rows] = holder[place]
            rows = rows[~self._are_equal(rows, first[rows])]
            if not len(rows):
                is_first = first == np.arange(len(self))
                return (np.cumsum(is_first) - 1)[first], np.flatnonzero(is_first)
            mixed = _mixed(mixed)
        return self.numbered_one_by_one()

    def numbered_one_by_one(self) -> Numbered:
        words = self.words.texts(0, len(self))
        first: dict[tuple[int, int, str], int] = {}
        rows = [
            first.setdefault(key, row)
            for row, key in enumerate(zip(self.document.tolist(), self.label.tolist(), words, strict=True))
        ]
        return np.searchsorted(ints(list(first.values())), ints(rows)), ints(list(first.values()))

    def _are_equal(self, rows: Ints, others: Ints) -> Bools:
        """Which rows have the keys of other rows."""
        found: Bools = rows == others
        left = np.flatnonzero((self.mixed[rows] == self.mixed[others]) & ~found)
        mine, theirs = rows[left], others[left]
        found[left] = equal(self.words.take(mine), self.words.take(theirs))
        found[left] &= (self.document[mine] == self.document[theirs]) & (self.label[mine] == self.label[theirs])
        return found


def _mixed_with(mixed: Words, words: Tokens) -> Words:
    """Numbers that depend on words, too, eight bytes after the other."""
    lengths, view = words.lengths, windows(words.data)
    for row in np.flatnonzero(lengths > _LONG).tolist():
        mixed[row] ^= np.uint64(hash(words[row]) & _ALL)
    rows = np.flatnonzero((lengths > 0) & (lengths <= _LONG))
    place, left = words.start[rows], lengths[rows]
    while len(rows):
        mixed[rows] = _mixed(mixed[rows] ^ (view[place] & masks(left)))
        is_longer = left > 8
        rows, place, left = rows[is_longer], place[is_longer] + 8, left[is_longer] - 8
    return _mixed(mixed)


def _mixed(numbers: Words) -> Words:
    """Other numbers, in which every bit depends on many bits of these."""
    found: Words = numbers * _FACTOR
    found ^= found >> _HALF
    return found


# == tasks/spans/document_spans.py: Spans in whole documents, by offsets of characters, spaces a


@dataclass(frozen=True)
class DocumentSpans:
    """A document, and the different spans of both sides in it: start, end and label. Gaps are not looked at."""

    name: str
    text: str
    scope: int
    """Its first sentence in the portion."""
    gold: frozenset[LabeledOffsets]
    system: frozenset[LabeledOffsets]


class DocumentTexts:
    """The documents of a portion, none of which goes on in another one."""

    def __init__(self, batches: Sequence[Annotation]) -> None:
        self._texts = [UnitTexts(batch.corpus, by_document=True) for batch in batches]
        self._corpora = [batch.corpus for batch in batches]
        self._firsts = np.cumsum([0, *(corpus.sentences for corpus in self._corpora)]).tolist()

    def both(self, gold: Spans, system: Spans) -> list[DocumentSpans]:
        """The spans of both sides, document by document."""
        sides = zip(self._side(gold), self._side(system), strict=True)
        units = [
            (_name(corpus, number), unit.text, first + unit.first)
            for corpus, texts, first in zip(self._corpora, self._texts, self._firsts, strict=False)
            for number, unit in enumerate(texts.units)
        ]
        return [DocumentSpans(*unit, *side) for unit, side in zip(units, sides, strict=True)]

    def _side(self, spans: Spans) -> list[frozenset[LabeledOffsets]]:
        found = []
        for texts, first, corpus in zip(self._texts, self._firsts, self._corpora, strict=False):
            rows = np.flatnonzero((spans.scope >= first) & (spans.scope < first + corpus.sentences))
            mine = spans.take(rows)
            found += texts.offsets(replace(mine, scope=mine.scope - first))
        return [frozenset(each) for each in found]


def _name(corpus: Corpus, number: int) -> str:
    """What a document is called: by its file, where nothing in that says."""
    if corpus.names:
        return corpus.names[number]
    if corpus.ids is not None:
        return corpus.ids[int(corpus.documents[number])]
    return PurePath(corpus.source).stem


# == tasks/spans/values.py (primary)


_NO_LABEL = -1


@dataclass(frozen=True)
class PortionValues:
    """The values of gold spans in a portion as numbers, and documents with gold spans likewise."""

    number: Ints
    """The number of every span's document and, behind these, of its value where words are known."""
    row: Ints
    """The spans that these numbers are of."""
    label: Ints
    """The label of each number; -1 for documents."""
    before: int
    """How many numbers were met before this portion, which are the lowest."""
    kept: Ints
    """The numbers that may be met again, as they are counted from the next portion on."""
    has_words: bool

    def first(self, places: Ints) -> tuple[Ints, Ints, Ints]:
        """The different numbers at some places, with the first span of each: number, label and row."""
        place = np.full(len(self.label), -1)
        place[self.number[places[::-1]]] = places[::-1]
        number = np.flatnonzero(place >= 0)
        return number, self.label[number], self.row[place[number]]


class GoldValues:
    """Numbers the values of a gold standard, portion by portion."""

    def __init__(self) -> None:
        self._known = Keys.of(empty(), empty(), Tokens.of([]))

    def take(self, documents: Ints, labels: Ints, words: Tokens | None, last: int) -> PortionValues:
        """Those of the next portion, given the document, label and words of its spans; `last` is its last document."""
        met = distinct(documents)
        keys = self._known.plus(Keys.of(met, np.full(len(met), _NO_LABEL), Tokens.of([""] * len(met))))
        if words is not None:
            keys = keys.plus(Keys.of(documents, labels, words))
        before, known = len(self._known), len(self._known) + len(met)
        numbers, first = keys.numbered()
        number = np.concatenate((numbers[before:known][np.searchsorted(met, documents)], numbers[known:]))
        row = np.tile(np.arange(len(documents)), 1 if words is None else 2)
        kept = np.flatnonzero(keys.document[first] == last)
        self._known = keys.take(first[kept])
        return PortionValues(number, row, keys.label[first], before, kept, words is not None)


class SystemValues:
    """What a system exposes of the values, portion by portion."""

    here: PortionValues

    def __init__(self) -> None:
        self._exposed: Ints = empty()
        """The numbers that were exposed before this portion."""

    def enter(self, values: PortionValues) -> None:
        """Go on to the next portion."""
        self.here = values

    def first_met(self) -> tuple[Ints, Ints]:
        """Label and first span of all values and documents that no earlier portion has."""
        here = self.here
        _, label, row = here.first(np.flatnonzero(here.number >= here.before))
        return label, row

    def first_exposed(self, is_exposed: Bools) -> tuple[Ints, Ints]:
        """Label and first exposed span of those that were safe until now; `is_exposed` is known of every span."""
        here = self.here
        was_exposed = np.zeros(len(here.label), dtype=np.bool_)
        was_exposed[self._exposed] = True
        number, label, row = here.first(np.flatnonzero(is_exposed[here.row] & ~was_exposed[here.number]))
        was_exposed[number] = True
        self._exposed = np.flatnonzero(was_exposed[here.kept])
        return label, row


class Values:
    """The values of a gold standard, and what every system exposes of them."""

    def __init__(self, systems: Iterable[str]) -> None:
        self.gold, self.systems = GoldValues(), {name: SystemValues() for name in systems}

    def enter(self, values: PortionValues) -> None:
        """Go on to the next portion with all systems."""
        for system in self.systems.values():
            system.enter(values)
