"""JSON lines whose records are all spelled alike, as columns: no object is made for a record or a span.

Tools write each record in the same way: the same keys in the same order, with the same blanks. What differs is in
*holes*: strings and whole numbers. One record of a block shows the literal bytes between the holes, and the whole
block is compared with these, byte by byte, so that what passes is JSON of just this form. A block in which one byte
does not fit is left to the decoder in `json_records`, which knows all spellings.
"""

from __future__ import annotations

import re
from functools import cached_property

import msgspec
import numpy as np

from evenhand.arrays import Bytes, Ints, Words, distinct, empty, ints
from evenhand.bits import count, equal_to, marked, places
from evenhand.formats.parsing.json_spelling import Hole, Piece, Spelling
from evenhand.formats.parsing.json_strings import OddError, StringLists, Strings, demand
from evenhand.formats.parsing.windows import leading_numbers, lengths_to_quote
from evenhand.formats.source import LINE_FEED, Block
from evenhand.text.tokens import PADDING, windows

_QUOTE, _BRACE, _BACKSLASH = ord('"'), ord("{"), ord("\\")
_MINUS, _ZERO, _FIRST_BYTE = np.uint64(ord("-")), np.uint64(ord("0")), np.uint64(255)
_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_NUL = rb"\u0000"
Cells = tuple[Ints, Ints]
"""Where each string of a column begins and ends, without its quotes."""


class Matcher:
    """Compares a block with a spelling: with an `OddError` if its records are not all spelled like this."""

    def __init__(self, block: Block) -> None:
        self.data = block.data
        self.text: Bytes = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
        self.words: Words = windows(block.data)
        self.has_escapes = b"\\" in block.data
        self.backslashes = places(equal_to(self.text, _BACKSLASH)) if self.has_escapes else empty()
        if len(self._standing(_NUL, self.backslashes)):
            raise OddError
        # What is in the named holes.
        self.strings: dict[str, Cells] = {}
        self.windows: dict[str, Words] = {}
        self.counts: dict[str, Ints] = {}
        self.lists: dict[str, StringLists] = {}

    @cached_property
    def all_strings(self) -> Strings:
        return Strings(self.text, self._separator, self.backslashes)

    def fill(self, spelling: Spelling) -> Ints:
        """Fill in the holes of all records; how many spans each has."""
        self._separator = spelling.separator
        begin, at, first = self._places(spelling)
        items = np.diff(first)
        some = np.flatnonzero(items)
        # Where there are spans, the first one tells where the head ends: that saves looking for the end of its text.
        behind = np.full(len(begin), -1)
        behind[some] = at[first[some]]
        tail, _ = self._walk(spelling.head, begin, behind)
        demand(tail[some] == behind[some])
        if not spelling.item:
            demand(tail == np.append(begin[1:], len(self.text)))
            return items
        end, window = self._walk(spelling.item, at)
        self._check_separators(spelling.separator, first[some], at, end, window)
        tail[some] = end[first[some + 1] - 1]
        end, _ = self._walk(spelling.tail, tail)
        demand(end == np.append(begin[1:], len(self.text)))
        return items

    def _places(self, spelling: Spelling) -> tuple[Ints, Ints, Ints]:
        """Where records and spans may begin, and the first span of each record, with their number behind.

        Records begin lines. Objects begin with a brace and a quote, which texts have only at their ends.
        """
        braces = places(equal_to(self.text, _BRACE))
        quoted = self.text[braces + 1] == _QUOTE
        braces = braces if quoted.all() else braces.compress(quoted)
        begins_line = self.text[braces - 1] == LINE_FEED
        record = np.flatnonzero(begins_line)
        begin, at = braces[record], braces.compress(~begins_line)
        if not len(begin) or begin[0] != 0:
            raise OddError
        if not spelling.item:
            return begin, empty(), np.zeros(len(begin) + 1, dtype=np.int64)
        if spelling.has_braces_of_its_own:
            return begin, at, np.append(record, len(braces)) - np.arange(len(record) + 1)
        opening = _literal(spelling.item[0])
        at = self._standing(opening, at) if opening.startswith(b"{") else self._brackets(spelling)
        return begin, at, np.searchsorted(at, np.append(begin, len(self.text)))

    def _brackets(self, spelling: Spelling) -> Ints:
        """Where spans that are lists begin: texts can have brackets, but not with what stands before these."""
        before = (_literal(spelling.head[-1])[-8:], (_literal(spelling.item[-1]) + spelling.separator)[-8:])
        brackets = places(equal_to(self.text, _literal(spelling.item[0])[0]))
        brackets = brackets[brackets >= 8]
        return np.sort(np.concatenate([self._standing(each, brackets - len(each)) + len(each) for each in before]))

    def _standing(self, literal: bytes, at: Ints) -> Ints:
        """The places at which the first eight bytes of a literal stand."""
        return at.compress(self.words[at] & mask_of(literal) == word_of(literal))

    def _walk(self, pieces: tuple[Piece, ...], at: Ints, behind: Ints | None = None) -> tuple[Ints, Words]:
        """Go through rows that begin at these places, and fill in their holes; where they end, and what follows there.

        Literals and holes take turns. `behind` tells the ends of some rows beforehand, and is negative for others.
        """
        for place in range(0, len(pieces) - 1, 2):
            literal, hole, following = _literal(pieces[place]), pieces[place + 1], _literal(pieces[place + 2])
            assert isinstance(hole, Hole)
            window = self._behind(literal, at)
            at = at + len(literal)
            if hole.kind == "list":
                self.lists[hole.name] = found = self.all_strings.lists(at)
                at = found.last + 1
            elif hole.kind == "count":
                self.counts[hole.name], at = _count(at, window)
            elif hole.kind == "number":
                begin, at = at, self._number_ends(at, window)
                self.strings[hole.name] = begin, at
            else:
                is_last = place + 3 == len(pieces)
                known = behind - len(following) if is_last and behind is not None else None
                end = self._text_ends(at, known) if hole.name == "text" else self.string_ends(at, window)
                self.windows[hole.name], self.strings[hole.name], at = window, (at, end), end
        closing = _literal(pieces[-1])
        return at + len(closing), self._behind(closing, at)

    def _behind(self, literal: bytes, at: Ints) -> Words:
        """The windows behind a literal, which must stand at these places."""
        size, more = divmod(len(literal), 8)
        count = size + 1 + (more > 0)
        view = np.ndarray((len(self.data) - 8 * count + 1,), dtype=f"V{8 * count}", buffer=self.data, strides=(1,))
        if not len(at):
            return np.zeros(0, dtype=np.uint64)
        if at.max() >= len(view):
            raise OddError
        rows = view[at].view("<u8").reshape(-1, count)
        other = (rows[:, size] ^ word_of(literal[8 * size :])) & mask_of(literal[8 * size :])
        for column in range(size):
            other |= rows[:, column] ^ word_of(literal[8 * column :])
        demand(other == 0)
        if not more:
            return rows[:, size]
        return np.ndarray(len(at), dtype="<u8", buffer=rows, offset=len(literal), strides=(8 * count,)).copy()

    def _number_ends(self, at: Ints, window: Words) -> Ints:
        """The ends of whole numbers, maybe negative, of up to 23 digits."""
        begin: Ints = at + (window & _FIRST_BYTE == _MINUS)
        end, rows = begin.copy(), np.arange(len(begin))
        for _ in range(3):
            _, length = leading_numbers(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
        demand((end == begin + 1) | ((end > begin) & (self.text[begin] != _ZERO)))
        return end

    def string_ends(self, at: Ints, window: Words) -> Ints:
        """The next quotes; `window` is what is at these places."""
        end: Ints = at + lengths_to_quote(window)
        rows = np.flatnonzero(end - at == 8)
        while len(rows):
            length = lengths_to_quote(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
            if len(rows) and end[rows].max() >= len(self.text):
                raise OddError
        return end

    def _text_ends(self, at: Ints, known: Ints | None) -> Ints:
        if known is None:
            return self._searched_ends(at)
        unknown = np.flatnonzero(known < at)
        known[unknown] = self._searched_ends(at[unknown])
        return known

    def _searched_ends(self, at: Ints) -> Ints:
        if not self.has_escapes:
            return ints([self.data.find(b'"', begin) for begin in at.tolist()])
        matches = (_STRING.match(self.data, begin) for begin in at.tolist())
        return ints([match.end() for match in matches if match is not None])

    def _check_separators(self, separator: bytes, first: Ints, at: Ints, end: Ints, window: Words) -> None:
        """Spans that are not the first ones of their records must follow the one before, with a separator between."""
        good = (at[1:] - end[:-1] == len(separator)) & (window[:-1] & mask_of(separator) == word_of(separator))
        good[first[1:] - 1] = True
        demand(good)

    def check_texts(self, spelling: Spelling, items: Ints, quoted: int) -> None:
        """Nothing is in strings that must be escaped: all control characters and quotes are around them.

        `quoted` is the number of quotes that are escaped, or around strings of lists.
        """
        records, spans = len(items), int(items.sum())
        at_ends = records * (2 if _literal((spelling.tail or spelling.head)[-1]).endswith(b"\r\n") else 1)
        around = records * (_quotes(spelling.head) + _quotes(spelling.tail)) + spans * _quotes(spelling.item)
        # Those were seen, so that there are others just if there are more. The two kinds differ from all others here.
        if count(marked(self.text, lambda some: some ^ np.uint8(2) <= _QUOTE ^ 2)) != at_ends + around + quoted:
            raise OddError

    def unescaped(self, *columns: Cells) -> tuple[bytes, list[Cells], int]:
        """Data that has strings as they read, where these are in it, and how many quotes are escaped; only in these."""
        if not self.has_escapes:
            return self.data, list(columns), 0
        escapes = self.backslashes
        parts, found, quotes = list[bytes](), list[Cells](), 0
        size, left = len(self.text), len(escapes)
        for start, end in columns:
            row = np.searchsorted(start, escapes, side="right") - 1
            row = row[(row >= 0) & (escapes < np.append(end, -1)[row])]
            rows, left = distinct(row), left - len(row)
            bounds = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
            written = _NUL.join([self.data[first:behind] for first, behind in bounds])
            read, sizes = _unescaped(written, len(rows))
            start, end = start.copy(), end.copy()
            end[rows] = size + np.cumsum(sizes)
            start[rows] = end[rows] - sizes
            size, quotes = size + len(read), quotes + written.count(b'"')
            parts, found = [*parts, read], [*found, (start, end)]
        if left:
            raise OddError
        return b"".join([memoryview(self.data)[: len(self.text)], *parts, PADDING]), found, quotes


def _unescaped(written: bytes, count: int) -> tuple[bytes, Ints]:
    """What so many strings of JSON say, with escaped NULs between, one behind the other, and their lengths."""
    try:
        text: Bytes = np.frombuffer(msgspec.json.decode(b'"' + written + b'"', type=str).encode(), dtype=np.uint8)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise OddError from None
    between = np.flatnonzero(text == 0)
    if len(between) != max(count - 1, 0):
        raise OddError
    edges = np.concatenate(([-1], between, [len(text)]))[: count + 1]
    return text[text != 0].tobytes(), np.diff(edges) - 1


def _count(at: Ints, window: Words) -> tuple[Ints, Ints]:
    """Numbers of up to seven digits, and where they end."""
    value, length = leading_numbers(window)
    demand((length == 1) | ((length > 1) & (length < 8) & (window & _FIRST_BYTE != _ZERO)))
    return value, at + length


def _literal(piece: Piece) -> bytes:
    assert isinstance(piece, bytes)
    return piece


def _quotes(pieces: tuple[Piece, ...]) -> int:
    return sum(piece.count(b'"') for piece in pieces if isinstance(piece, bytes))


def word_of(literal: bytes) -> np.uint64:
    """The first eight bytes of a literal as a window."""
    return np.uint64(int.from_bytes(literal[:8], "little"))


def mask_of(literal: bytes) -> np.uint64:
    """What keeps as many bytes of a window."""
    return np.uint64((1 << 8 * min(len(literal), 8)) - 1)
