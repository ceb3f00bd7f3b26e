"""Some lines of a file, of which only the ends are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.formats.source import LINE_FEED

_CARRIAGE_RETURN = 13


def _no_room() -> Bools:
    return np.empty(0, dtype=np.bool_)


@dataclass(frozen=True)
class Chunk:
    """Some lines of a file."""

    data: bytes
    behind_blank: bool
    """Whether the line before is blank, or there is none."""
    has_marks: bool = False
    """Whether documents may begin with marks, which not all sides need have."""
    room: Bools = field(default_factory=_no_room)
    """Room to work in: to use the same for all chunks saves the system's time."""

    @cached_property
    def has_returns(self) -> bool:
        return self.data.find(b"\r") >= 0

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
        return int(np.count_nonzero(self._ends[2:]))

    @cached_property
    def groups(self) -> int:
        """How many lines that are not blank stand behind blank ones, where lines end with a line feed alone."""
        two, one, here = self._ends[:-2], self._ends[1:-1], self._ends[2:]
        return int(np.count_nonzero((two & one) > here))

    def lines_before(self, place: int) -> int:
        return int(np.count_nonzero(np.frombuffer(self.data, dtype=np.uint8, count=place) == LINE_FEED))

    @property
    def behind_blank_lines(self) -> Ints:
        """Where lines begin that stand behind a blank one, blank ones among them."""
        before = b"\n\n" if self.behind_blank else b"x\n"
        text = np.frombuffer(before + self.data, dtype=np.uint8)
        is_end = text == LINE_FEED
        found = np.flatnonzero(is_end[1:] & is_end[:-1]) + 2
        if self.has_returns:
            returns = np.flatnonzero(is_end[:-2] & (text[1:-1] == _CARRIAGE_RETURN) & is_end[2:]) + 3
            found = np.sort(np.concatenate((found, returns)))
        return found[found < len(text)] - len(before)

    @property
    def begun_lines(self) -> Ints:
        """Where lines begin."""
        ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8)[:-1] == LINE_FEED)
        return np.append(0, ends + 1)

    def is_blank_at(self, places: Ints) -> Bools:
        """Whether the lines that begin at these places are blank."""
        byte = np.frombuffer(self.data, dtype=np.uint8)[places]
        found: Bools = (byte == LINE_FEED) | (byte == _CARRIAGE_RETURN)
        return found
