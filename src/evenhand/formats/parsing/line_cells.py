"""The first cells and the last cell of lines, without a look at those between.

Of the many columns of some files few are wanted. The bytes of a line are gone through eight at a time, for all lines at
once. Separators are single tabs, or runs of blanks; control characters are blanks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import SPACE, TAB, trimmed
from evenhand.formats.parsing.windows import before_first
from evenhand.formats.source import LINE_FEED, Block
from evenhand.text.tokens import windows

Cell = tuple[Ints, Ints]
"""Begin and end of a cell, for every line."""
_LOW, _HIGH = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
_EACH = 0x0101010101010101
_CONTROL = bytes(range(SPACE + 1))
_STEPS, _FAR = 64, 1 << 16
"""After how many windows lines are gone through one by one, and how many bytes of one are looked at together then."""


@dataclass(frozen=True)
class LineCells:
    """Some lines of a block, without the blanks at their ends."""

    data: bytes
    line: Ints
    """The number of each line, counted from `first_line`."""
    begin: Ints
    end: Ints
    tabs: bool
    first_line: int

    @staticmethod
    def of(block: Block, *, tabs: bool) -> LineCells:
        text = np.frombuffer(block.data, dtype=np.uint8)
        end = np.flatnonzero(text[: block.size] == LINE_FEED)
        block.has_lines(len(end))
        begin = np.append(0, end[:-1] + 1)
        line = np.arange(len(end))
        first = np.minimum(_next(block.data, begin, _is_text), end)
        begin = np.where(first == end, end, begin) if tabs else first
        end = trimmed(text, begin, end, b" \r" if tabs else _CONTROL)
        return LineCells(block.data, line, begin, end, tabs, block.first_line)

    def __len__(self) -> int:
        return len(self.line)

    @property
    def is_blank(self) -> Bools:
        blank: Bools = self.begin == self.end
        return blank

    @property
    def first_byte(self) -> Bytes:
        return np.frombuffer(self.data, dtype=np.uint8)[self.begin]

    def take(self, rows: Ints | Bools) -> LineCells:
        return replace(self, line=self.line[rows], begin=self.begin[rows], end=self.end[rows])

    def number(self, row: int) -> int:
        """The line's number in its file."""
        return self.first_line + int(self.line[row])

    def texts(self) -> Iterator[str]:
        for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            yield self.data[begin:end].decode()

    def split(self, row: int) -> list[str]:
        """All cells of a line."""
        text = self.data[self.begin[row] : self.end[row]].decode()
        return text.split("\t") if self.tabs else text.split()

    def cells(self, places: Sequence[int]) -> tuple[dict[int, Cell], Ints]:
        """The cells at some places, counted from 0, and where the last of them ends; what is missing is at the end."""
        found: dict[int, Cell] = {}
        start = self.begin
        stop = start
        for place in range(max(places, default=-1) + 1):
            stop = np.minimum(_next(self.data, start, _is_separator if self.tabs else _is_blank), self.end)
            if place in places:
                found[place] = start, stop
            start = stop + 1 if self.tabs else _next(self.data, stop, _is_text)
            start = np.minimum(start, self.end)
        return found, stop

    def last(self, least: int) -> Cell:
        """The last cells; between tabs, empty ones behind the first `least` are passed over."""
        end = self.end
        start = _begin_of_last(self.data, self.begin, end, tabs=self.tabs)
        if not self.tabs:
            return start, end
        for row in np.flatnonzero(start == end).tolist():
            cells = self.split(row)
            while len(cells) > least and not cells[-1]:
                cells.pop()
            end = end.copy() if end is self.end else end
            end[row] = self.begin[row] + len("\t".join(cells).encode())
        return _begin_of_last(self.data, self.begin, end, tabs=True), end


def _is_text(word: Words) -> Words:
    """The high bits of the bytes that are no blanks."""
    found: Words = (((word & _LOW) + np.uint64(_EACH * (127 - SPACE))) | word) & _HIGH
    return found


def _is_blank(word: Words) -> Words:
    return ~_is_text(word) & _HIGH


def _is_separator(word: Words) -> Words:
    """The high bits of the bytes that are tabs or line feeds."""
    return _equals(word, TAB) | _equals(word, LINE_FEED)


def _equals(word: Words, byte: int) -> Words:
    other = word ^ np.uint64(_EACH * byte)
    found: Words = ~(((other & _LOW) + _LOW) | other) & _HIGH
    return found


def _next(data: bytes, place: Ints, is_wanted: Callable[[Words], Words]) -> Ints:
    """The first place from each one on whose byte is wanted; all data ends with blanks."""
    words, limit = windows(data), len(data) - 8
    found, before = _step(words, place, is_wanted)
    rows = np.flatnonzero(before == 8)
    for _ in range(_STEPS):
        if not len(rows):
            return found
        here = found[rows]
        rows, here = rows[here < limit], here[here < limit]
        found[rows], before = _step(words, here, is_wanted)
        rows = rows[before == 8]
    for row in rows.tolist():
        found[row] = _next_far(words, int(found[row]), limit, is_wanted)
    return found


def _next_far(words: Words, place: int, limit: int, is_wanted: Callable[[Words], Words]) -> int:
    """The same for one place, from which it is far: some thousand windows at a time."""
    while place < limit:
        marks = is_wanted(words[place : min(place + _FAR, limit) : 8])
        hits = np.flatnonzero(marks)
        if len(hits):
            return place + 8 * int(hits[0]) + int(before_first(marks[hits[:1]])[0])
        place += 8 * len(marks)
    return place


def _step(words: Words, place: Ints, is_wanted: Callable[[Words], Words]) -> tuple[Ints, Bytes]:
    """The first wanted place in the window of each, or the one behind it, and how many bytes stand before that."""
    before = before_first(is_wanted(words[place]))
    return place + before, before


def _begin_of_last(data: bytes, begin: Ints, end: Ints, *, tabs: bool) -> Ints:
    """Where the last cell of each line begins: behind the last separator, or where the line does."""
    text = np.frombuffer(data, dtype=np.uint8)
    words = windows(data)
    start = end.copy()
    rows, here = np.arange(len(end)), end
    for _ in range(_STEPS):
        if not len(rows):
            break
        near = here < 8  # at the begin of the data there is no window
        for row in rows[near].tolist():
            start[row] = _begin_by_byte(text, int(begin[row]), int(start[row]), tabs=tabs)
        rows, here = rows[~near], here[~near]
        word = words[here - 8]
        marks = _equals(word, TAB) if tabs else _is_blank(word)
        for shift in (8, 16, 32):
            marks |= marks >> np.uint64(shift)
        behind = 8 - np.bitwise_count(marks).astype(np.int64)
        here = here - behind
        start[rows] = here
        more = (behind == 8) & (here > begin[rows])
        rows, here = rows[more], here[more]
    for row in rows.tolist():
        start[row] = _begin_by_byte(text, int(begin[row]), int(start[row]), tabs=tabs)
    return np.maximum(start, begin)


def _begin_by_byte(text: Bytes, begin: int, place: int, *, tabs: bool) -> int:
    """The same for one line: from the end of a cell on, or from within it, some thousand bytes at a time."""
    while place > begin:
        first = max(place - _FAR, begin)
        cell = text[first:place]
        marks = np.flatnonzero(cell == TAB if tabs else cell <= SPACE)
        if len(marks):
            return first + int(marks[-1]) + 1
        place = first
    return place
