"""Vocabularies of labels and shapes, and exact integer codes for strings: equal strings get equal codes."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from evenhand.arrays import Bools, Ints, Words, ints, windows
from evenhand.data.tokens import Tokens, masks
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL, counted, long_label, nearest

T = TypeVar("T", bound=Hashable)
MAX_LISTED = 5
"""Number of names that a message lists."""
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)
_FREE = 2**64 - 256
"""Not a word of text: its first byte is NUL, which text does not contain."""
_LONG = 1 << 10
"""Cells up to this number of bytes are never too long."""
_SAMPLE = 1 << 9
"""Number of cells examined to find a common one."""


@dataclass(frozen=True)
class SparseCodes:
    """A column of codes in which most rows have the same code; in many files most tags are `O`."""

    size: int
    common: int
    rows: Ints
    """The rows that may have another code, in ascending order."""
    codes: Ints

    @staticmethod
    def of(column: Ints) -> SparseCodes:
        """Return a column in sparse form; all rows are kept if no code is common."""
        counts = np.bincount(column)
        common = int(counts.argmax()) if len(counts) else 0
        if 2 * counts.max(initial=0) <= len(column):
            return SparseCodes(len(column), common, np.arange(len(column)), column)
        rows = np.flatnonzero(column != common)
        return SparseCodes(len(column), common, rows, column[rows])

    def column(self) -> Ints:
        column = np.full(self.size, self.common)
        column[self.rows] = self.codes
        return column

    @staticmethod
    def concatenate(parts: Sequence[SparseCodes]) -> SparseCodes:
        """Concatenate columns with the same common code."""
        before = np.cumsum([0, *(part.size for part in parts)])
        rows = [part.rows + shift for part, shift in zip(parts, before, strict=False)]
        codes = np.concatenate([part.codes for part in parts])
        return SparseCodes(int(before[-1]), parts[0].common, np.concatenate(rows), codes)

    def slice(self, begin: int, end: int) -> SparseCodes:
        first, last = np.searchsorted(self.rows, (begin, end)).tolist()
        return SparseCodes(end - begin, self.common, self.rows[first:last] - begin, self.codes[first:last])


class NewCodes(dict[str, int]):
    """Codes of strings; a new string gets the next code."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


class WordCodes:
    """Codes of 64-bit words, from a hash table that looks up whole arrays.

    A new word goes to the first free one of its three slots. Words without a slot are looked up in a dictionary, so
    codes are exact, and the table only saves time.
    """

    def __init__(self) -> None:
        self._codes: dict[int, int] = {}
        self._resize(12)

    def __call__(self, words: Words) -> tuple[Ints, list[int]]:
        """Return the code of each word, and the first row of each new code."""
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
        """Fill in the codes of `rows` from the dictionary; new words get the next codes in order of occurrence."""
        distinct, first, inverse = np.unique(words[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)
        known, code_of = len(self._codes), np.empty(len(distinct), dtype=np.int64)
        new: list[int] = []
        for index, word, row in zip(order.tolist(), distinct[order].tolist(), rows[first[order]].tolist(), strict=True):
            code = code_of[index] = self._codes.setdefault(word, len(self._codes))
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
        """Put words with consecutive codes into free slots."""
        slots = zip(*(self._slots(words, multiplier).tolist() for multiplier in _MULTIPLIERS), strict=True)
        for code, (word, choice) in enumerate(zip(words.tolist(), slots, strict=True), first_code):
            free = next((slot for slot in choice if self._keys[slot] == _FREE), None)
            if free is not None:
                self._keys[free], self._values[free] = word, code

    def _slots(self, words: Words, multiplier: int) -> Ints:
        return ((words * np.uint64(multiplier)) >> self._shift).view(np.int64)


class CellCodes:
    """Codes of cells of text.

    A cell of up to eight bytes is one word. For longer cells, the code of the bytes so far and the code of the next
    eight bytes make a new word, whose lowest byte is 0, unlike any word of text. One common cell of a single byte (in
    many files `O`) is recognised by that byte.
    """

    def __init__(self) -> None:
        self._cells = WordCodes()
        self._common_byte, self._common_code = 0, 0

    @cached_property
    def _links(self) -> WordCodes:
        """Pieces of longer cells; many files have none."""
        return WordCodes()

    def __call__(self, data: bytes, start: Ints, end: Ints, first: Words | None = None) -> tuple[Ints, list[int]]:
        """Return the code of each cell, and the first row of each new code.

        `first` are the windows of the cells' first bytes, if known.
        """
        if self._common_byte and first is None:
            sparse, new = self.mostly(data, start, end)
            return sparse.column(), new
        lengths = end - start
        codes, new = self._cells(self._keys(data, start, lengths, first))
        common = next((row for row in new if lengths[row] == 1), None)
        if common is not None:
            self._common_byte, self._common_code = data[start[common]], int(codes[common])
        return codes, new

    def mostly(self, data: bytes, start: Ints, end: Ints) -> tuple[SparseCodes, list[int]]:
        """Return the same as a sparse column."""
        if not self._common_byte:
            some, learned = self(data, start[:_SAMPLE], end[:_SAMPLE])
            if not self._common_byte or len(some) == len(start):
                codes, new = self(data, start, end)
                return SparseCodes.of(codes), learned + new
            sparse, new = self.mostly(data, start, end)
            return sparse, learned + new
        lengths, text = end - start, np.frombuffer(data, dtype=np.uint8)
        rows = np.flatnonzero((text.take(start) != self._common_byte) | (lengths != 1))
        codes, new = self._cells(self._keys(data, start.take(rows), lengths.take(rows)))
        return SparseCodes(len(start), self._common_code, rows, codes), rows[new].tolist()

    def _keys(self, data: bytes, start: Ints, lengths: Ints, first: Words | None = None) -> Words:
        """Return one word per cell; words are equal if the cells are."""
        words = windows(data)
        keys = (words[start] if first is None else first) & masks(lengths)
        rows, done = np.flatnonzero(lengths > 8), 8
        while len(rows):
            if done > _LONG and done > LABEL.value:
                offset = int(start[rows[0]])
                raise long_label(data[offset : offset + done].decode(errors="ignore"), offset)
            so_far = self._links(keys[rows])[0].astype(np.uint64) + np.uint64(1)
            link = self._links(words[start[rows] + done] & masks(lengths[rows] - done))[0].astype(np.uint64)
            keys[rows] = (so_far << np.uint64(36)) | (link << np.uint64(8))
            done += 8
            rows = rows[lengths[rows] > done]
        return keys


class StringCoder:
    """Codes of the strings of one column, and the strings by code. Files that share a coder have the same codes."""

    def __init__(self, spell: Callable[[str], str] = str) -> None:
        """`spell` normalises a new string."""
        self.names: list[str] = []
        self._spell = spell
        self._codes = CellCodes()

    def __call__(self, cells: Tokens) -> Ints:
        code, new = self._codes(cells.data, cells.start, cells.end)
        self.names += [self._spell(cells[row]) for row in new]
        return code

    def among(self, code: Ints, names: Collection[str]) -> Bools:
        """Return which codes belong to one of these names."""
        return np.isin(code, [known for known, name in enumerate(self.names) if name in names])


class StringIndex(Generic[T]):
    """A growing table of distinct values; the code of a value is its index in `values`."""

    def __init__(self, values: Iterable[T] = ()) -> None:
        self.values: list[T] = []
        self._codes: dict[T, int] = {}
        for value in values:
            self.code(value)

    def code(self, value: T) -> int:
        """Return the code of `value`, which is added if it is new."""
        code = self._codes.get(value)
        if code is None:
            code = self._codes[value] = len(self.values)
            self.values.append(value)
        return code

    def codes(self, values: Sequence[T]) -> Ints:
        """Return the codes of values with many repetitions."""
        known = {value: self.code(value) for value in dict.fromkeys(values)}
        return ints([known[value] for value in values])

    def find(self, value: T) -> int | None:
        """Return the code of `value`, or None if it has none."""
        return self._codes.get(value)

    def into(self, other: StringIndex[T]) -> Ints:
        """Return, for each code of this table, the code of the same value in `other`."""
        return ints([other.code(value) for value in self.values])

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, code: int) -> T:
        return self.values[code]


class NameIndex:
    """Codes of the names of documents, of which large files have many: 45 bytes per name, a dictionary takes 150."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("q", [0])
        self._slots = array("i", [-1]) * 64
        """A hash table of codes, at most half full; -1 is free."""

    def code(self, name: str) -> int:
        """Return the code of a name, which is added if it is new."""
        text = name.encode(errors="surrogatepass")
        slot = self._slot(text)
        code = self._slots[slot]
        if code >= 0:
            return code
        code = self._slots[slot] = len(self)
        self._text += text
        self._ends.append(len(self._text))
        if 2 * len(self) > len(self._slots):
            self._slots = array("i", [-1]) * (2 * len(self._slots))
            for known in range(len(self)):
                self._slots[self._slot(self._bytes(known))] = known
        return code

    def find(self, name: str) -> int:
        """Return the code of a name, or -1 if it has none."""
        return self._slots[self._slot(name.encode(errors="surrogatepass"))]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, code: int) -> str:
        return self._bytes(code).decode(errors="surrogatepass")

    def _bytes(self, code: int) -> bytes:
        return bytes(self._text[self._ends[code] : self._ends[code + 1]])

    def _slot(self, text: bytes) -> int:
        """The slot of a name, or the free one that it gets."""
        last = len(self._slots) - 1
        slot = hash(text) & last
        while self._slots[slot] >= 0 and self._bytes(self._slots[slot]) != text:
            slot = (slot + 1) & last
        return slot


class NameTable:
    """A positive number for each name. Tables with the same index share the names."""

    def __init__(self, index: NameIndex) -> None:
        self._index = index
        self._numbers = array("q")
        """By code; 0 for names of other tables."""
        self._size = 0

    def add(self, name: str, number: int) -> int:
        """Add a name with a number and return 0, or return the number that the name has already."""
        code = self._index.code(name)
        self._numbers.extend([0] * (code + 1 - len(self._numbers)))
        if self._numbers[code]:
            return self._numbers[code]
        self._numbers[code] = number
        self._size += 1
        return 0

    def __len__(self) -> int:
        return self._size

    def number(self, code: int) -> int:
        """Return the number of the name with this code; 0 if it has none."""
        return self._numbers[code] if 0 <= code < len(self._numbers) else 0


class Labels(StringIndex[str]):
    """Names of labels; none is longer than the limit."""

    def code(self, value: str) -> int:
        if len(value) > LABEL.value and self.find(value) is None:
            raise long_label(value)
        return super().code(value)


class Vocabulary:
    """Codes of one run: label names, strings of columns, shapes of discontinuous spans, and extras.

    A shape is the tuple of the tokens that a span leaves out, counted from its first token; code 0 means no gaps.
    Negative numbers are tokens of the span that the text lacks. Extras are additional data of spans; code 0 means none.
    `documents` are the names of the documents of all sides.
    """

    def __init__(self) -> None:
        self.labels: StringIndex[str] = Labels()
        self.shapes: StringIndex[tuple[int, ...]] = StringIndex([()])
        self.extras: StringIndex[Hashable] = StringIndex([()])
        self.columns: defaultdict[str, StringCoder] = defaultdict(StringCoder)
        self.documents = NameIndex()

    def labels_of(self, coder: StringCoder, code: Ints) -> Ints:
        """Convert codes of a coder to label codes; only names that occur become labels."""
        used, index = np.unique(code, return_inverse=True)
        return ints([self.labels.code(coder.names[known]) for known in used.tolist()])[index]


def foreign_labels(labels: Mapping[str, int], gold: Mapping[str, int]) -> tuple[str, str] | None:
    """Return a finding and a remedy if there are labels and none of them occurs in the gold standard."""
    if not labels or not gold or not labels.keys().isdisjoint(gold):
        return None
    system_names, gold_names = (list_names([repr(label) for label in sorted(side)]) for side in (labels, gold))
    near = [(label, other) for label in sorted(labels) if (other := nearest(label, list(gold))) is not None]
    pairs = list_names([f"{label!r} to {other!r}" for label, other in near])
    hint = f"; the nearest are {pairs}" if near else ""
    old, new = near[0] if near else ("OLD", "NEW")
    remedy = f"rename them with --map system:{old}={new}, or choose another --column"
    return f"none of its labels ({system_names}) occurs in the gold standard ({gold_names}){hint}", remedy


_LONGEST_TITLE = 80
"""Maximum length of names in a title."""


def names_or_number(names: Sequence[str], noun: str) -> str:
    """Return names for a title if they are few and short, otherwise their number."""
    listed = ", ".join(names)
    return listed if len(names) < 6 and len(listed) <= _LONGEST_TITLE else counted(len(names), noun)


def list_names(names: Sequence[str]) -> str:
    """Return the first names and the number of others."""
    more = len(names) - MAX_LISTED
    text = ", ".join(name or "(no name)" for name in names[:MAX_LISTED])
    return f"{text} and {more:,} more" if more > 0 else text
