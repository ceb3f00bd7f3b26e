"""Some lines of a file, of which only the ends are looked at: as bits, so that 64 bytes are counted at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Words
from evenhand.bits import later
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
    def _is_end(self) -> Words:
        """Which bytes end lines; all behind the last one are set."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        size = len(text)
        marks = np.equal(text, LINE_FEED, out=self.room[:size] if size <= len(self.room) else None)
        packed = np.packbits(marks, bitorder="little")
        bits = np.full(-(-size // 64) * 8, 0xFF, dtype=np.uint8)
        bits[: len(packed)] = packed
        if size % 8:
            bits[len(packed) - 1] |= 0xFF << size % 8 & 0xFF
        return bits.view("<u8")

    @cached_property
    def lines(self) -> int:
        """How many lines there are; what stands behind the last end is none."""
        return int(np.bitwise_count(self._is_end).sum()) + len(self.data) - 64 * len(self._is_end)

    @cached_property
    def groups(self) -> int:
        """How many lines that are not blank stand behind blank ones, where lines end with a line feed alone."""
        one = later(self._is_end, first=1)
        two = later(one, first=int(self.behind_blank))
        return int(np.bitwise_count(two & one & ~self._is_end).sum())

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
