"""Cut points of large files: where sentences, records or documents begin, found by line ends and marks alone.

Large files are divided among processes at these points. Nothing is parsed, so a scan takes a small part of the time of
reading. A line with blanks only is not recognised as blank, so some sentences count as one. This does no harm: cut
points are right in any case, and sides that do not correspond there are not divided.
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
"""Bytes per block: few enough for the processor's cache."""
_CARRIAGE_RETURN = 13
_DOCUMENT_START = b"-DOCSTART-"
_NO_TOKENS = (b"#", _DOCUMENT_START)
_LONE_MARK = re.compile(rb"-DOCSTART-[^\n]*\n(?:\r?\n|$)")


@dataclass(frozen=True)
class ScanBlock:
    """Some lines of a file under scan."""

    data: bytes
    follows_blank: bool
    """Whether the line before is blank, or there is none."""
    has_marks: bool = False
    """Whether documents may begin with marks, which other sides may lack."""
    buffer: Bools = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    """Memory that all blocks share, to save allocations."""

    @cached_property
    def ends_blank(self) -> bool:
        return self.data in (b"\n", b"\r\n") or self.data.endswith((b"\n\n", b"\n\r\n"))

    @cached_property
    def _ends(self) -> Bools:
        """Which bytes end lines, after two bytes that represent the previous line ends."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        size = len(text) + 2
        ends = self.buffer[:size] if size <= len(self.buffer) else np.empty(size, dtype=np.bool_)
        ends[0], ends[1] = self.follows_blank, True
        np.equal(text, LINE_FEED, out=ends[2:])
        return ends

    @cached_property
    def lines(self) -> int:
        """Number of lines; an unterminated last line does not count."""
        return self.lines_before(len(self.data))

    def lines_before(self, offset: int) -> int:
        return int(np.count_nonzero(self._ends[2 : offset + 2]))

    @property
    def line_starts(self) -> Ints:
        return np.flatnonzero(self._ends[1:-1])

    @property
    def starts_after_blank(self) -> Ints:
        """Starts of lines after a blank line; they may be blank, too."""
        ends = self._ends
        lines = np.flatnonzero(ends[:-2] & ends[1:-1])
        if b"\r" in self.data:
            is_return = np.frombuffer(self.data, dtype=np.uint8)[:-2] == _CARRIAGE_RETURN
            lines = np.sort(np.concatenate((lines, np.flatnonzero(ends[1:-3] & is_return & ends[3:-1]) + 2)))
        return lines

    @property
    def groups(self) -> Ints:
        """Starts of groups of lines with blank lines between."""
        starts = self.starts_after_blank
        return starts[~self.is_blank_at(starts)]

    def count_groups(self) -> int:
        """Number of groups. Without carriage returns, no offsets are needed, which takes a third of the time."""
        if b"\r" in self.data:
            return len(self.groups)
        ends = self._ends
        return int(np.count_nonzero(ends[:-2] & ends[1:-1] & ~ends[2:]))

    def is_blank_at(self, starts: Ints) -> Bools:
        """Whether the lines that begin at these offsets are blank."""
        first = np.frombuffer(self.data, dtype=np.uint8)[starts]
        is_blank: Bools = (first == LINE_FEED) | (first == _CARRIAGE_RETURN)
        return is_blank


@dataclass(frozen=True)
class Partitioning:
    """How a file can be cut: the units it consists of, and where reading can begin."""

    starts: Callable[[ScanBlock], Ints]
    """Offsets of units in a block."""
    is_clean: Callable[[bytes, int], bool]
    """Whether reading may begin with the unit at this offset of some lines."""
    has_names: bool = False
    """Whether the first line of a unit is its name."""
    is_odd: Callable[[bytes], bool] = lambda data: False
    """Whether some lines make the file indivisible, because they determine how others are read."""
    kind: Callable[[bytes], object] = lambda line: None
    """The kind of a unit, by its first line; all units of a file must have the same kind."""
    columns: Callable[[ReadSettings], int] = lambda settings: len(settings.columns)
    """Number of columns of tags that are read; several are levels of nesting."""
    count: Callable[[ScanBlock], int] | None = None
    """Number of units in a block, if that is faster than to find their starts; most blocks are only counted."""


@dataclass(frozen=True)
class CutPoint:
    """The beginning of a unit."""

    offset: int
    line: int
    number: int
    """Number of units before it."""
    is_clean: bool
    text: bytes = b""
    """The first line."""


class Scan:
    """One pass over a file, from the first byte to the last."""

    def __init__(self, file: BinaryIO, partitioning: Partitioning) -> None:
        self.is_odd = False
        """Whether the file has turned out to be indivisible."""
        self._file, self._partitioning = file, partitioning
        self._buffer = np.empty(2 * _BLOCK, dtype=np.bool_)
        self._block, self._units = ScanBlock(b"", follows_blank=True), 0
        self._offset, self._line, self._number = 0, 1, 0

    def unit_from(self, offset: int) -> CutPoint | None:
        """Return the first unit that begins at this offset or after it."""
        while True:
            start = offset - self._offset
            if start < len(self._block.data):
                index = int(np.searchsorted(self._starts, start))
                if index < self._units:
                    return self._cut(index)
            if not self._read():
                return None

    def unit(self, number: int) -> CutPoint | None:
        """Return the unit with this number, counted from 0; None if there are fewer."""
        while number >= self._number + self._units:
            if not self._read():
                return None
        return self._cut(number - self._number)

    @cached_property
    def _starts(self) -> Ints:
        """The starts of the units in the current block."""
        return self._partitioning.starts(self._block) if self._block.data else empty()

    def _read(self) -> bool:
        """Read the next block; return whether there is one."""
        before = self._block
        self._offset += len(before.data)
        self._line += before.lines
        self._number += self._units
        data = self._file.read(_BLOCK)
        data += self._file.readline()
        # Files with document marks begin with one.
        has_marks = before.has_marks or (self._offset == 0 and _DOCUMENT_START in data)
        self._block = ScanBlock(data, not before.data or before.ends_blank, has_marks, self._buffer)
        self.__dict__.pop("_starts", None)
        count = self._partitioning.count
        self._units = len(self._starts) if count is None else count(self._block)
        self.is_odd |= self._partitioning.is_odd(data)
        return bool(data)

    def _cut(self, index: int) -> CutPoint:
        data, start = self._block.data, int(self._starts[index])
        line = self._line + self._block.lines_before(start)
        text = data[start:].partition(b"\n")[0].strip()
        is_clean = self._partitioning.is_clean(data, start)
        return CutPoint(self._offset + start, line, self._number + index, is_clean, text)


def _groups(block: ScanBlock) -> Ints:
    """Groups of lines with blank ones between, without isolated document marks."""
    groups = block.groups
    if block.has_marks:
        groups = ints([start for start in groups.tolist() if not _LONE_MARK.match(block.data, start)])
    return groups


def _count_groups(block: ScanBlock) -> int:
    return len(_groups(block)) if block.has_marks else block.count_groups()


def _follows_tokens(data: bytes, start: int) -> bool:
    """Whether the last line before that is not blank has a token, so no document begins in between."""
    before = data[:start].rstrip()
    last = before[before.rfind(b"\n") + 1 :]
    return bool(last) and not last.startswith(_NO_TOKENS)


def has_text(data: bytes, start: int) -> bool:
    return data[start] not in b"\r\n"


def marked(mark: bytes) -> Callable[[ScanBlock], Ints]:
    """Return a function that finds lines with a mark at their beginning."""

    def starts(block: ScanBlock) -> Ints:
        data, offsets = b"\n" + block.data, []
        offset = data.find(b"\n" + mark)
        while offset >= 0:
            offsets.append(offset)
            offset = data.find(b"\n" + mark, offset + 1)
        return ints(offsets)

    return starts


SENTENCES = Partitioning(_groups, _follows_tokens, count=_count_groups)
"""Sentences with one token per line, and blank lines between sentences."""


def records(kind: Callable[[bytes], object]) -> Partitioning:
    """One record per line; `kind` returns the kind of a record."""
    return Partitioning(lambda block: block.line_starts, has_text, kind=kind)
