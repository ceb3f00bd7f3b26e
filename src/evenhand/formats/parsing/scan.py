"""Where the sentences, records or documents of a file begin, found by its line ends and marks alone.

This is how a large file is divided among processes: nothing is parsed, so that it takes a small part of the time that
reading takes. A blank line that holds blanks is not seen here, so that some sentences count as one. That does no harm:
places to cut are right in any case, and sides that do not fit together there are not divided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.parsing.chunk import Chunk

_CHUNK = 1 << 18
"""How much is looked at in one go: so little that it stays in the processor's cache."""
_DOCUMENT_START = b"-DOCSTART-"
_NO_TOKENS = (b"#", _DOCUMENT_START)
_LONE_MARK = re.compile(rb"-DOCSTART-[^\n]*\n(?:\r?\n|$)")


@dataclass(frozen=True)
class Unit:
    """What a file consists of, and where one can begin to read."""

    starts: Callable[[Chunk], Ints]
    """Where units begin in a chunk."""
    is_clean: Callable[[bytes, int], bool]
    """Whether reading may begin with the unit at this place of some lines."""
    count: Callable[[Chunk], int] | None = None
    """How many units begin in a chunk, where that is faster to find out."""
    has_names: bool = False
    """Whether the first line of a unit is its name."""
    is_odd: Callable[[bytes], bool] = lambda data: False
    """Whether some lines have what a file must not have: what stands at one place says how to read another."""


@dataclass(frozen=True)
class Cut:
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

    def __init__(self, file: BinaryIO, unit: Unit) -> None:
        self.is_odd = False
        """Whether something was met with which a file cannot be divided."""
        self._file, self._unit = file, unit
        self._room = np.empty(2 * _CHUNK, dtype=np.bool_)
        self._chunk, self._count = Chunk(b"", behind_blank=True), 0
        self._starts: Ints | None = None
        self._place, self._line, self._number = 0, 1, 0

    def behind(self, place: int) -> Cut | None:
        """The first unit that begins at a byte or behind it, if there is one."""
        while True:
            inside = place - self._place
            if inside < len(self._chunk.data):
                which = int(np.searchsorted(self._places(), inside))
                if which < self._count:
                    return self._cut(which)
            if not self._read():
                return None

    def numbered(self, number: int) -> Cut | None:
        """The unit before which so many others stand, if there is one."""
        while number >= self._number + self._count:
            if not self._read():
                return None
        return self._cut(number - self._number)

    def _read(self) -> bool:
        """Go on to the next lines; whether there are any."""
        before, unit = self._chunk, self._unit
        self._place += len(before.data)
        self._line += before.lines
        self._number += self._count
        data = self._file.read(_CHUNK)
        data += self._file.readline()
        # Files that have marks of documents begin with one.
        has_marks = before.has_marks or (self._place == 0 and _DOCUMENT_START in data)
        chunk = self._chunk = Chunk(data, not before.data or before.ends_blank, has_marks, self._room)
        self._starts, self._count = None, 0
        if not data:
            return False
        is_plain = not chunk.has_returns and not has_marks
        self._count = unit.count(chunk) if unit.count is not None and is_plain else len(self._places())
        self.is_odd |= unit.is_odd(data)
        return True

    def _places(self) -> Ints:
        if self._starts is None:
            self._starts = self._unit.starts(self._chunk)
        return self._starts

    def _cut(self, which: int) -> Cut:
        data, start = self._chunk.data, int(self._places()[which])
        line = self._line + self._chunk.lines_before(start)
        text = data[start:].partition(b"\n")[0].strip()
        return Cut(self._place + start, line, self._number + which, self._unit.is_clean(data, start), text)


def _groups(chunk: Chunk) -> Ints:
    """Groups of lines with blank ones between, without marks that stand alone."""
    found = chunk.behind_blank_lines
    found = found[~chunk.is_blank_at(found)]
    if chunk.has_marks:
        found = ints([start for start in found.tolist() if not _LONE_MARK.match(chunk.data, start)])
    return found


def _follows_tokens(data: bytes, start: int) -> bool:
    """Whether the last line before that is not blank has a token, so that no document begins in between."""
    before = data[:start].rstrip()
    last = before[before.rfind(b"\n") + 1 :]
    return bool(last) and not last.startswith(_NO_TOKENS)


def _is_between_rows(data: bytes, start: int) -> bool:
    """Whether there are lines on both sides of a single blank one."""
    before = data[:start].removesuffix(b"\n").removesuffix(b"\r").removesuffix(b"\n").removesuffix(b"\r")
    return bool(before) and not before.endswith(b"\n") and _has_text(data, start)


def _has_text(data: bytes, start: int) -> bool:
    return data[start] not in b"\r\n"


def _marked(mark: bytes) -> Callable[[Chunk], Ints]:
    """Lines that begin with a mark."""

    def starts(chunk: Chunk) -> Ints:
        data, found = b"\n" + chunk.data, []
        place = data.find(b"\n" + mark)
        while place >= 0:
            found.append(place)
            place = data.find(b"\n" + mark, place + 1)
        return ints(found)

    return starts


def _follows_blank(data: bytes, start: int) -> bool:
    return data.endswith((b"\n\n", b"\n\r\n"), 0, start)


def _has_other_entities(data: bytes) -> bool:
    """Whether fields are declared of which the first does not name the entity."""
    return _DECLARATION in data and _OTHER_ENTITIES.search(data) is not None


_DECLARATION = b"# global.Entity ="
_OTHER_ENTITIES = re.compile(_DECLARATION + rb"(?! *(?:eid|GRP)\b)")
_SENTENCES = Unit(_groups, _follows_tokens, lambda chunk: chunk.groups)
_RECORDS = Unit(lambda chunk: chunk.begun_lines, _has_text, lambda chunk: chunk.lines + (chunk.data[-1:] != b"\n"))
UNITS = {
    **dict.fromkeys(("conll", "germeval", "conllu", "conllx", "conll2009"), _SENTENCES),
    # A blank line ends a sentence, even one without spans.
    "spans": Unit(lambda chunk: chunk.behind_blank_lines, _is_between_rows),
    **dict.fromkeys(("jsonl", "coref-jsonl"), _RECORDS),
    "conll2012": Unit(_marked(b"#begin document"), lambda data, start: True, has_names=True),
    "corefud": Unit(_marked(b"# newdoc id"), _follows_blank, has_names=True, is_odd=_has_other_entities),
}
"""The formats that can be divided, and what files of each consist of."""
