"""Sensitive values for leakage: the different triples of document, label and words in lower case.

Values are distinguished within documents, so a part must contain whole documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words, distinct, ints, ranges, windows
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, Tokens, equal, masks
from evenhand.dataclass import dataclass
from evenhand.tasks.evaluation import Part
from evenhand.tasks.units import Locations

_NO_LABEL = -1
_FIRST_WIDE = 0x80
"""The first byte that is not ASCII."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ALL = (1 << 64) - 1
_TRIES = 8
"""Number of hash tables to try before keys are compared one by one."""
_LONG = 256
"""Longer words, in bytes, are hashed one by one, so one long span does not slow down all others."""
Numbered = tuple[Ints, Ints]
"""The number of every key, in order of first appearance, and the first row of each number."""


@dataclass(frozen=True)
class PartValues:
    """The values of gold spans in a part as numbers; documents with gold spans have numbers, too."""

    number: Ints
    """The number of the document of every span, followed by the number of its value if words are known."""
    row: Ints
    """The spans of these numbers."""
    label: Ints
    """The label of each number; -1 for documents."""
    has_words: bool

    def first(self, is_chosen: Bools) -> tuple[Ints, Ints]:
        """The label of the different values and documents of some spans, and the first of these spans."""
        indices = np.flatnonzero(is_chosen[self.row])
        index = np.full(len(self.label), -1)
        index[self.number[indices[::-1]]] = indices[::-1]
        number = np.flatnonzero(index >= 0)
        return self.label[number], self.row[index[number]]


def part_values(part: Part, gold: Spans) -> PartValues:
    """The values of the gold spans of a part; without words there are documents only."""
    documents, words = part.documents[gold.scope], words_in_lower_case(part.gold, gold, part.locations())
    seen = distinct(documents)
    keys = Keys.of(seen, np.full(len(seen), _NO_LABEL), Tokens.of([""] * len(seen)))
    if words is not None:
        keys = keys.plus(Keys.of(documents, gold.label, words))
    numbers, first = keys.numbered()
    number = np.concatenate((numbers[: len(seen)][np.searchsorted(seen, documents)], numbers[len(seen) :]))
    row = np.tile(np.arange(len(documents)), 1 if words is None else 2)
    return PartValues(number, row, keys.label[first], words is not None)


@dataclass(frozen=True)
class Keys:
    """A document, a label and words per row."""

    document: Ints
    label: Ints
    words: Tokens
    mixed: Words
    """A hash of each key."""

    @staticmethod
    def of(document: Ints, label: Ints, words: Tokens) -> Keys:
        mixed = _mixed(_mixed(document.astype(np.uint64)) ^ label.astype(np.uint64))
        return Keys(document, label, words, _mixed_with(mixed, words))

    def __len__(self) -> int:
        return len(self.document)

    def plus(self, other: Keys) -> Keys:
        columns = ((self.document, other.document), (self.label, other.label))
        document, label = map(np.concatenate, columns)
        words = Tokens.concatenate([self.words, other.words])
        return Keys(document, label, words, np.concatenate((self.mixed, other.mixed)))

    def numbered(self) -> Numbered:
        """Number equal keys alike, by hash tables.

        The first key in a slot keeps it. All keys equal to this one get its number, and the others try another table.
        """
        bits = len(self).bit_length() + 1
        holder = np.empty(1 << bits, dtype=np.int32)
        first, rows, mixed = np.arange(len(self)), np.arange(len(self)), self.mixed
        for _ in range(_TRIES):
            slot = mixed[rows] >> np.uint64(64 - bits)
            holder[slot[::-1]] = rows[::-1]
            first[rows] = holder[slot]
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
        are_equal: Bools = rows == others
        unsure = np.flatnonzero((self.mixed[rows] == self.mixed[others]) & ~are_equal)
        one, two = rows[unsure], others[unsure]
        are_equal[unsure] = equal(self.words.take(one), self.words.take(two))
        are_equal[unsure] &= (self.document[one] == self.document[two]) & (self.label[one] == self.label[two])
        return are_equal


def _mixed_with(mixed: Words, words: Tokens) -> Words:
    """Hashes that include words, eight bytes at a time."""
    lengths, view = words.lengths, windows(words.data)
    for row in np.flatnonzero(lengths > _LONG).tolist():
        mixed[row] ^= np.uint64(hash(words[row]) & _ALL)
    rows = np.flatnonzero((lengths > 0) & (lengths <= _LONG))
    offset, left = words.start[rows], lengths[rows]
    while len(rows):
        mixed[rows] = _mixed(mixed[rows] ^ (view[offset] & masks(left)))
        is_longer = left > 8
        rows, offset, left = rows[is_longer], offset[is_longer] + 8, left[is_longer] - 8
    return _mixed(mixed)


def _mixed(numbers: Words) -> Words:
    """Hash numbers: every bit of the result depends on many bits."""
    mixed: Words = numbers * _FACTOR
    mixed ^= mixed >> _HALF
    return mixed


def words_in_lower_case(batches: Sequence[Annotation], spans: Spans, locations: Locations) -> Tokens | None:
    """The words of spans sorted by sentence, over several batches; None if a file has no words."""
    if any(batch.corpus.tokens is None or batch.corpus.bounds is None for batch in batches):
        return None
    first = np.cumsum([0, *(batch.corpus.sentences for batch in batches)])
    bounds = np.searchsorted(spans.scope, first).tolist()
    parts = []
    for (begin, end), sentences, batch in zip(pairwise(bounds), first.tolist(), batches, strict=False):
        rows = slice(begin, end)
        parts.append(
            _lowered(*_written(batch.corpus, spans.scope[rows] - sentences, spans.start[rows], spans.end[rows]))
        )
    gapped = np.flatnonzero(spans.shape)
    without_gaps = [words_without_gaps(spans, row, locations).lower() for row in gapped.tolist()]
    return _replaced(Tokens.concatenate(parts), gapped, Tokens.of(without_gaps))


def words_without_gaps(spans: Spans, row: int, locations: Locations) -> str:
    """The words of a span without those in its gaps."""
    (tokens,) = spans.take(slice(row, row + 1)).token_sets()
    scope = int(spans.scope[row])
    return " ".join(locations.words(scope, token, token + 1) or "" for token in sorted(tokens))


def _written(corpus: Corpus, scope: Ints, start: Ints, end: Ints) -> tuple[Bytes, Ints, Ints]:
    """The text of spans as bytes, with the begin and end of each span.

    Tokens are joined by blanks; characters are the text from the first to the last one.
    """
    tokens = corpus.tokens
    assert tokens is not None
    assert corpus.bounds is not None
    first, last = corpus.bounds[scope] + start, corpus.bounds[scope] + end - 1
    if corpus.atoms == "characters":
        text, edges = Tokens(tokens.data, tokens.start[first], tokens.end[last]).spaced()
        return text, edges[:-1], edges[1:] - 1
    text, edges = tokens.take(ranges(first, end - start)).spaced()
    bounds = np.append(0, np.cumsum(end - start))
    return text, edges[bounds[:-1]], edges[bounds[1:]] - 1


def _lowered(text: Bytes, start: Ints, end: Ints) -> Tokens:
    """Words in lower case. Non-ASCII letters are treated separately: they may change length or depend on context."""
    text += ((text - np.uint8(ord("A"))) < 26).view(np.uint8) << np.uint8(5)
    words = Tokens(text.tobytes() + PADDING, start, end)
    rows = np.flatnonzero(np.maximum.reduceat(text, start) >= _FIRST_WIDE) if len(start) else start
    return _replaced(words, rows, _lowered_together(words.take(rows)))


def _lowered_together(words: Tokens) -> Tokens:
    """Words in lower case. A NUL separates them because some letters depend on their neighbours."""
    text, edges = words.spaced()
    text[edges[1:] - 1] = 0
    lowered = text.tobytes().decode().lower().encode()
    ends = np.flatnonzero(np.frombuffer(lowered, dtype=np.uint8) == 0)
    if len(ends) != len(words):  # a word contains a NUL
        return Tokens.of([words[row].lower() for row in range(len(words))])
    return Tokens(lowered + PADDING, np.append(0, ends[:-1] + 1)[: len(words)], ends)


def _replaced(words: Tokens, rows: Ints, others: Tokens) -> Tokens:
    """The words with other words in some rows."""
    if not len(rows):
        return words
    joined = Tokens.concatenate([words, others])
    start, end = joined.start[: len(words)], joined.end[: len(words)]
    start[rows], end[rows] = joined.start[len(words) :], joined.end[len(words) :]
    return Tokens(joined.data, start, end)
