"""Where the sentences, records or documents of a file begin, found by its line ends and marks alone.

This is how a large file is divided among processes: nothing is parsed, so that it takes a small part of the time that
reading takes. A blank line that holds blanks is not seen here, so that some sentences count as one. That does no harm:
places to cut are right in any case, and sides that do not fit together there are not divided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import BinaryIO

import numpy as np

from evenhand.arrays import Bools, Ints, empty, ints
from evenhand.dataclass import dataclass
from evenhand.formats.source import LINE_FEED
from evenhand.settings import ReadSettings

_BLOCK = 1 << 18
"""How much is looked at in one go: so little that it stays in the processor's cache."""
_CARRIAGE_RETURN = 13
_DOCUMENT_START = b"-DOCSTART-"
_NO_TOKENS = (b"#", _DOCUMENT_START)
_LONE_MARK = re.compile(rb"-DOCSTART-[^\n]*\n(?:\r?\n|$)")


def _no_room() -> Bools:
    return np.empty(0, dtype=np.bool_)


@dataclass(frozen=True)
class ScanBlock:
    """Some lines of a file, of which only the ends are looked at."""

    data: bytes
    behind_blank: bool
    """Whether the line before is blank, or there is none."""
    has_marks: bool = False
    """Whether documents may begin with marks, which not all sides need have."""
    room: Bools = field(default_factory=_no_room)
    """Room to work in: to use the same for all blocks saves the system's time."""

    @cached_property
    def ends_blank(self) -> bool:
        return self.data in (b"\n", b"\r\n") or self.data.endswith((b"\n\n", b"\n\r\n"))

    @cached_property
    def _ends(self) -> Bools:
        """Which bytes end lines, with those of two bytes before: a line ends there, and a blank one maybe."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        size = len(text) + 2
        found = self.room[:size] if size <= len(self.room) else np.empty(size, dtype=np.bool_)
        found[0], found[1] = self.behind_blank, True
        np.equal(text, LINE_FEED, out=found[2:])
        return found

    @cached_property
    def lines(self) -> int:
        """How many lines there are; what stands behind the last end is none."""
        return self.lines_before(len(self.data))

    def lines_before(self, place: int) -> int:
        return int(np.count_nonzero(self._ends[2 : place + 2]))

    @property
    def begun_lines(self) -> Ints:
        """Where lines begin."""
        return np.flatnonzero(self._ends[1:-1])

    @property
    def behind_blank_lines(self) -> Ints:
        """Where lines begin that stand behind a blank one, blank ones among them."""
        ends = self._ends
        lines = np.flatnonzero(ends[:-2] & ends[1:-1])
        if b"\r" in self.data:
            is_return = np.frombuffer(self.data, dtype=np.uint8)[:-2] == _CARRIAGE_RETURN
            returns = np.flatnonzero(ends[1:-3] & is_return & ends[3:-1]) + 2
            lines = np.sort(np.concatenate((lines, returns)))
        return lines

    def is_blank_at(self, places: Ints) -> Bools:
        """Whether the lines that begin at these places are blank."""
        byte = np.frombuffer(self.data, dtype=np.uint8)[places]
        found: Bools = (byte == LINE_FEED) | (byte == _CARRIAGE_RETURN)
        return found


def _columns_named(settings: ReadSettings) -> int:
    return len(settings.columns)


@dataclass(frozen=True)
class Partitioning:
    """How a file is divided: what units it consists of, and where one can begin to read."""

    starts: Callable[[ScanBlock], Ints]
    """Where units begin in a block."""
    is_clean: Callable[[bytes, int], bool]
    """Whether reading may begin with the unit at this place of some lines."""
    has_names: bool = False
    """Whether the first line of a unit is its name."""
    is_odd: Callable[[bytes], bool] = lambda data: False
    """Whether some lines have what a file must not have: what stands at one place says how to read another."""
    kind: Callable[[bytes], object] = lambda line: None
    """Of which kind a unit is, by its first line; all of a file must be of one."""
    columns: Callable[[ReadSettings], int] = _columns_named
    """How many columns of tags are read; several are levels of nesting."""


@dataclass(frozen=True)
class CutPoint:
    """A place at which a unit begins."""

    place: int
    line: int
    number: int
    """How many units stand before."""
    is_clean: bool
    """Whether reading may begin here."""
    text: bytes = b""
    """The first line."""


class Scan:
    """Goes through a file once, from the first byte to the last."""

    def __init__(self, file: BinaryIO, division: Partitioning) -> None:
        self.is_odd = False
        """Whether something was met with which a file cannot be divided."""
        self._file, self._division = file, division
        self._room = np.empty(2 * _BLOCK, dtype=np.bool_)
        self._block, self._starts = ScanBlock(b"", behind_blank=True), empty()
        self._place, self._line, self._number = 0, 1, 0

    def behind(self, place: int) -> CutPoint | None:
        """The first unit that begins at a byte or behind it, if there is one."""
        while True:
            inside = place - self._place
            if inside < len(self._block.data):
                which = int(np.searchsorted(self._starts, inside))
                if which < len(self._starts):
                    return self._cut(which)
            if not self._read():
                return None

    def numbered(self, number: int) -> CutPoint | None:
        """The unit before which so many others stand, if there is one."""
        while number >= self._number + len(self._starts):
            if not self._read():
                return None
        return self._cut(number - self._number)

    def _read(self) -> bool:
        """Go on to the next lines; whether there are any."""
        before = self._block
        self._place += len(before.data)
        self._line += before.lines
        self._number += len(self._starts)
        data = self._file.read(_BLOCK)
        data += self._file.readline()
        # Files that have marks of documents begin with one.
        has_marks = before.has_marks or (self._place == 0 and _DOCUMENT_START in data)
        self._block = ScanBlock(data, not before.data or before.ends_blank, has_marks, self._room)
        self._starts = self._division.starts(self._block) if data else empty()
        self.is_odd |= self._division.is_odd(data)
        return bool(data)

    def _cut(self, which: int) -> CutPoint:
        data, start = self._block.data, int(self._starts[which])
        line = self._line + self._block.lines_before(start)
        text = data[start:].partition(b"\n")[0].strip()
        return CutPoint(self._place + start, line, self._number + which, self._division.is_clean(data, start), text)


def _groups(block: ScanBlock) -> Ints:
    """Groups of lines with blank ones between, without marks that stand alone."""
    groups = block.behind_blank_lines
    groups = groups[~block.is_blank_at(groups)]
    if block.has_marks:
        groups = ints([start for start in groups.tolist() if not _LONE_MARK.match(block.data, start)])
    return groups


def _follows_tokens(data: bytes, start: int) -> bool:
    """Whether the last line before that is not blank has a token, so that no document begins in between."""
    before = data[:start].rstrip()
    last = before[before.rfind(b"\n") + 1 :]
    return bool(last) and not last.startswith(_NO_TOKENS)


def has_text(data: bytes, start: int) -> bool:
    return data[start] not in b"\r\n"


def marked(mark: bytes) -> Callable[[ScanBlock], Ints]:
    """Lines that begin with a mark."""

    def starts(block: ScanBlock) -> Ints:
        data, found = b"\n" + block.data, []
        place = data.find(b"\n" + mark)
        while place >= 0:
            found.append(place)
            place = data.find(b"\n" + mark, place + 1)
        return ints(found)

    return starts


SENTENCES = Partitioning(_groups, _follows_tokens)
"""Sentences with blank lines between, a token a line."""


def records(kind: Callable[[bytes], object]) -> Partitioning:
    """A record a line; `kind` says of which kind one is."""
    return Partitioning(lambda block: block.begun_lines, has_text, kind=kind)
