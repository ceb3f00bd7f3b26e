"""Map strings to integer codes. Equal strings get equal codes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Words
from evenhand.dataclass import dataclass
from evenhand.limits import LABEL, long_label
from evenhand.text.tokens import Tokens, masks, windows

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)
_FREE = 2**64 - 256
"""No word of text: its first byte is NUL, which text does not have."""


@dataclass(frozen=True)
class Mostly:
    """A column of codes in which most rows have the same one, as in many files most tags are `O`."""

    size: int
    common: int
    rows: Ints
    """The rows that may have another code, in their order."""
    codes: Ints
    """Theirs."""

    @staticmethod
    def of(column: Ints) -> Mostly:
        """A column of which nobody knows whether a code is common: all rows are kept where none is."""
        counts = np.bincount(column)
        common = int(counts.argmax()) if len(counts) else 0
        if 2 * counts.max(initial=0) <= len(column):
            return Mostly(len(column), common, np.arange(len(column)), column)
        rows = np.flatnonzero(column != common)
        return Mostly(len(column), common, rows, column[rows])

    def column(self) -> Ints:
        """The code of every row."""
        found = np.full(self.size, self.common)
        found[self.rows] = self.codes
        return found

    @staticmethod
    def concatenate(parts: Sequence[Mostly]) -> Mostly:
        """Columns behind each other that have the same common code."""
        before = np.cumsum([0, *(part.size for part in parts)])
        rows = [part.rows + shift for part, shift in zip(parts, before, strict=False)]
        codes = np.concatenate([part.codes for part in parts])
        return Mostly(int(before[-1]), parts[0].common, np.concatenate(rows), codes)

    def slice(self, begin: int, end: int) -> Mostly:
        first, last = np.searchsorted(self.rows, (begin, end)).tolist()
        return Mostly(end - begin, self.common, self.rows[first:last] - begin, self.codes[first:last])


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

    def mostly(self, data: bytes, start: Ints, end: Ints) -> tuple[Mostly, list[int]]:
        """The same, with the codes of those cells only that are not the common one."""
        if not self._common_byte:
            some, learned = self(data, start[:_SAMPLE], end[:_SAMPLE])
            if not self._common_byte or len(some) == len(start):
                codes, new = self(data, start, end)
                return Mostly.of(codes), learned + new
            found, new = self.mostly(data, start, end)
            return found, learned + new
        lengths, text = end - start, np.frombuffer(data, dtype=np.uint8)
        rows = np.flatnonzero((text.take(start) != self._common_byte) | (lengths != 1))
        codes, new = self._cells(self._keys(data, start.take(rows), lengths.take(rows)))
        return Mostly(len(start), self._common_code, rows, codes), rows[new].tolist()

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


class Coder:
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
