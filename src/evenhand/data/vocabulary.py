"""Vocabularies: labels and token shapes as small integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from evenhand.arrays import Bools, Ints, Words, ints, windows
from evenhand.data.tokens import Tokens, masks
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL, long_label, nearest

# == text/codes.py: Map strings to integer codes. Equal strings get equal codes.


_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)
_FREE = 2**64 - 256
"""No word of text: its first byte is NUL, which text does not have."""


@dataclass(frozen=True)
class SparseCodes:
    """A column of codes in which most rows have the same one, as in many files most tags are `O`."""

    size: int
    common: int
    rows: Ints
    """The rows that may have another code, in their order."""
    codes: Ints
    """Theirs."""

    @staticmethod
    def of(column: Ints) -> SparseCodes:
        """A column of which nobody knows whether a code is common: all rows are kept where none is."""
        counts = np.bincount(column)
        common = int(counts.argmax()) if len(counts) else 0
        if 2 * counts.max(initial=0) <= len(column):
            return SparseCodes(len(column), common, np.arange(len(column)), column)
        rows = np.flatnonzero(column != common)
        return SparseCodes(len(column), common, rows, column[rows])

    def column(self) -> Ints:
        """The code of every row."""
        found = np.full(self.size, self.common)
        found[self.rows] = self.codes
        return found

    @staticmethod
    def concatenate(parts: Sequence[SparseCodes]) -> SparseCodes:
        """Columns behind each other that have the same common code."""
        before = np.cumsum([0, *(part.size for part in parts)])
        rows = [part.rows + shift for part, shift in zip(parts, before, strict=False)]
        codes = np.concatenate([part.codes for part in parts])
        return SparseCodes(int(before[-1]), parts[0].common, np.concatenate(rows), codes)

    def slice(self, begin: int, end: int) -> SparseCodes:
        first, last = np.searchsorted(self.rows, (begin, end)).tolist()
        return SparseCodes(end - begin, self.common, self.rows[first:last] - begin, self.codes[first:last])


_LONG = 1 << 10
"""Up to how many bytes no cell is too long."""
_SAMPLE = 1 << 9
"""How many cells are looked at to see which one is common."""


class NewCodes(dict[str, int]):
    """Codes by text, where a new text gets the next one."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


class WordCodes:
    """Codes for 64-bit words, by a hash table that answers for whole arrays.

    A word has three slots to be in, the first free one when it is met. What the slots do not answer goes through a
    dictionary, so the codes are exact and the table is only there for speed.
    """

    def __init__(self) -> None:
        self._codes: dict[int, int] = {}
        self._resize(12)

    def __call__(self, words: Words) -> tuple[Ints, list[int]]:
        """The code of each word, and for each new code, in their order, the first row that has it."""
        if not self._codes and len(words):
            first = words[:_SAMPLE]
            codes = np.empty(len(first), dtype=np.int64)
            learned = self._learn(first, np.arange(len(first)), codes)
            if len(first) == len(words):
                return codes, learned
            codes, new = self(words)
            return codes, learned + new
        slots = self._slots(words, _MULTIPLIERS[0])
        codes = self._values.take(slots)
        rows = np.flatnonzero(self._keys.take(slots) != words)
        for multiplier in _MULTIPLIERS[1:]:
            if not len(rows):
                return codes, []
            slots = self._slots(words[rows], multiplier)
            codes[rows] = self._values[slots]
            rows = rows[self._keys[slots] != words[rows]]
        return codes, self._learn(words, rows, codes)

    def _learn(self, words: Words, rows: Ints, codes: Ints) -> list[int]:
        """Fill in the codes of `rows` through the dictionary; new words get the next codes, first come first."""
        distinct, first, inverse = np.unique(words[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)
        known, code_of = len(self._codes), np.empty(len(distinct), dtype=np.int64)
        new: list[int] = []
        for place, word, row in zip(order.tolist(), distinct[order].tolist(), rows[first[order]].tolist(), strict=True):
            code = code_of[place] = self._codes.setdefault(word, len(self._codes))
            if code == known + len(new):
                new.append(row)
        codes[rows] = code_of[inverse]
        if len(self._codes) * 8 > len(self._keys):
            self._resize(len(self._codes).bit_length() + 4)
        else:
            self._insert(words[new], known)
        return new

    def _resize(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._keys = np.full(1 << bits, _FREE, dtype=np.uint64)
        self._values = np.zeros(1 << bits, dtype=np.int64)
        if self._codes:
            self._insert(np.fromiter(self._codes, dtype=np.uint64, count=len(self._codes)), 0)

    def _insert(self, words: Words, first_code: int) -> None:
        """Put words with successive codes into their slots, where these are free."""
        slots = zip(*(self._slots(words, multiplier).tolist() for multiplier in _MULTIPLIERS), strict=True)
        for code, (word, choice) in enumerate(zip(words.tolist(), slots, strict=True), first_code):
            free = next((slot for slot in choice if self._keys[slot] == _FREE), None)
            if free is not None:
                self._keys[free], self._values[free] = word, code

    def _slots(self, words: Words, multiplier: int) -> Ints:
        return ((words * np.uint64(multiplier)) >> self._shift).view(np.int64)


class CellCodes:
    """Codes for cells of text.

    A cell of up to eight bytes is one word. A longer one is a chain: the code of what came so far and the code of the
    next eight bytes make a new word, whose lowest byte is 0, as in no word of text. One cell of a single byte (in
    many files most are `O`) is told by that byte.
    """

    def __init__(self) -> None:
        self._cells = WordCodes()
        self._common_byte, self._common_code = 0, 0

    @cached_property
    def _links(self) -> WordCodes:
        """The pieces of longer cells: many files have none."""
        return WordCodes()

    def __call__(self, data: bytes, start: Ints, end: Ints, first: Words | None = None) -> tuple[Ints, list[int]]:
        """The code of each cell, and for each new code, in their order, the first row that has it.

        `first` are the windows of the cells' first bytes, if these are known.
        """
        if self._common_byte and first is None:
            found, new = self.mostly(data, start, end)
            return found.column(), new
        lengths = end - start
        codes, new = self._cells(self._keys(data, start, lengths, first))
        common = next((row for row in new if lengths[row] == 1), None)
        if common is not None:
            self._common_byte, self._common_code = data[start[common]], int(codes[common])
        return codes, new

    def mostly(self, data: bytes, start: Ints, end: Ints) -> tuple[SparseCodes, list[int]]:
        """The same, with the codes of those cells only that are not the common one."""
        if not self._common_byte:
            some, learned = self(data, start[:_SAMPLE], end[:_SAMPLE])
            if not self._common_byte or len(some) == len(start):
                codes, new = self(data, start, end)
                return SparseCodes.of(codes), learned + new
            found, new = self.mostly(data, start, end)
            return found, learned + new
        lengths, text = end - start, np.frombuffer(data, dtype=np.uint8)
        rows = np.flatnonzero((text.take(start) != self._common_byte) | (lengths != 1))
        codes, new = self._cells(self._keys(data, start.take(rows), lengths.take(rows)))
        return SparseCodes(len(start), self._common_code, rows, codes), rows[new].tolist()

    def _keys(self, data: bytes, start: Ints, lengths: Ints, first: Words | None = None) -> Words:
        """A word for each cell, the same for the same text."""
        words = windows(data)
        keys = (words[start] if first is None else first) & masks(lengths)
        rows, done = np.flatnonzero(lengths > 8), 8
        while len(rows):
            if done > _LONG and done > LABEL.value:
                place = int(start[rows[0]])
                raise long_label(data[place : place + done].decode(errors="ignore"), place)
            so_far = self._links(keys[rows])[0].astype(np.uint64) + np.uint64(1)
            link = self._links(words[start[rows] + done] & masks(lengths[rows] - done))[0].astype(np.uint64)
            keys[rows] = (so_far << np.uint64(36)) | (link << np.uint64(8))
            done += 8
            rows = rows[lengths[rows] > done]
        return keys


class StringCoder:
    """The texts of one column as codes, and the texts behind them; files that share it have the same codes."""

    def __init__(self, spell: Callable[[str], str] = str) -> None:
        """`spell` says what becomes of a text."""
        self.names: list[str] = []
        self._spell = spell
        self._codes = CellCodes()

    def __call__(self, cells: Tokens) -> Ints:
        """The code of each cell."""
        code, new = self._codes(cells.data, cells.start, cells.end)
        self.names += [self._spell(cells[row]) for row in new]
        return code

    def among(self, code: Ints, names: Collection[str]) -> Bools:
        """Which codes stand for one of some names."""
        return np.isin(code, [each for each, name in enumerate(self.names) if name in names])


# == text/labels.py (primary)


T = TypeVar("T", bound=Hashable)


class StringIndex(Generic[T]):
    """A growing table of distinct values; the code of a value is its place in `values`."""

    def __init__(self, values: Iterable[T] = ()) -> None:
        self.values: list[T] = []
        self._codes: dict[T, int] = {}
        for value in values:
            self.code(value)

    def code(self, value: T) -> int:
        """The code of `value`, which is added if it is new."""
        found = self._codes.get(value)
        if found is None:
            found = self._codes[value] = len(self.values)
            self.values.append(value)
        return found

    def codes(self, values: Sequence[T]) -> Ints:
        """The codes of some values, of which most are alike."""
        known = {value: self.code(value) for value in dict.fromkeys(values)}
        return ints([known[value] for value in values])

    def find(self, value: T) -> int | None:
        """The code of `value`, or None where it has none."""
        return self._codes.get(value)

    def into(self, other: StringIndex[T]) -> Ints:
        """For each code of this table, the code of the same value in `other`."""
        return ints([other.code(value) for value in self.values])

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, code: int) -> T:
        return self.values[code]


class Labels(StringIndex[str]):
    """Names of labels, none of which is longer than the limit."""

    def code(self, value: str) -> int:
        if len(value) > LABEL.value and self.find(value) is None:
            raise long_label(value)
        return super().code(value)


class Vocabulary:
    """What one run has met so far: label names, texts of columns, shapes of discontinuous spans, and their extras.

    A shape is the tuple of the tokens that a span leaves out, counted from its first token. Code 0 is the shape
    without gaps, which nearly all spans have. Negative numbers are tokens of the span that the text does not have. What
    a task keeps with a span beside its label is among the extras; code 0 is nothing.
    """

    def __init__(self) -> None:
        self.labels: StringIndex[str] = Labels()
        self.shapes: StringIndex[tuple[int, ...]] = StringIndex([()])
        self.extras: StringIndex[Hashable] = StringIndex([()])
        self.columns: defaultdict[str, StringCoder] = defaultdict(StringCoder)

    def labels_of(self, coder: StringCoder, code: Ints) -> Ints:
        """The label codes for codes of a coder; only names that occur become labels."""
        used, place = np.unique(code, return_inverse=True)
        return ints([self.labels.code(coder.names[each]) for each in used.tolist()])[place]


# == text/label_names.py: What labels of two sides have in common by their names, in w


MOST = 5
"""How many names a sentence lists."""


def foreign_labels(labels: Mapping[str, int], gold: Mapping[str, int]) -> tuple[str, str] | None:
    """A finding and a remedy if none of the labels occurs in the gold standard; None if one does, or there are none."""
    if not labels or not gold or not labels.keys().isdisjoint(gold):
        return None
    mine, theirs = (listed([repr(label) for label in sorted(each)]) for each in (labels, gold))
    near = [(label, other) for label in sorted(labels) if (other := nearest(label, list(gold))) is not None]
    pairs = listed([f"{label!r} to {other!r}" for label, other in near])
    hint = f"; the nearest are {pairs}" if near else ""
    old, new = near[0] if near else ("OLD", "NEW")
    remedy = f"rename them with --map system:{old}={new}, or choose another --column"
    return f"none of its labels ({mine}) occurs in the gold standard ({theirs}){hint}", remedy


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MOST
    shown = ", ".join(name or "(no name)" for name in names[:MOST])
    return f"{shown} and {more:,} more" if more > 0 else shown
