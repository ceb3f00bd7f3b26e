"""What tells values apart: a document, a label and words; or a document alone, with the label -1 and no words.

`numbered_one_by_one` says which keys are equal; `numbered` gives the same in less time.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints, Words, ints
from evenhand.dataclass import dataclass
from evenhand.text.tokens import PADDING, Tokens, equal, masks, windows

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
