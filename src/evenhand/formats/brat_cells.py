"""The lines of brat's `.ann` files as places in their bytes, and the cells of text-bound lines, cut all at once.

Cells end at marks: tabs, blanks, semicolons and line ends. `T1⇥Label 0 5;16 23⇥quoted text` has a tab, a blank, then a
blank and a semicolon in turns, and a tab; whatever stands behind that one is quoted.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.brat import IDENTIFIER
from evenhand.formats.parsing.blocks import numbers
from evenhand.formats.parsing.windows import leading_numbers
from evenhand.text.tokens import PADDING, Tokens, windows

_TAB, _LINE_FEED, _RETURN, _BLANK, _SEMICOLON = b"\t\n\r ;"
_FEWEST_DIGITS = np.array([1 if kind in b"TEAMN" else 0 if kind in b"R*#" else 9 for kind in range(256)])
"""How many digits an identifier has at least that is a short number behind its kind."""
_IDENTIFIER = re.compile(IDENTIFIER)


@dataclass(frozen=True)
class TextBoundCells:
    """The cells of text-bound lines; parts are listed span by span."""

    identifier: Tokens
    label: Tokens
    quoted: Tokens
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Lines:
    """The lines of a file: line i is `data[start[i]:end[i]]`, without returns at its end."""

    data: bytes
    """It ends with a line feed and `PADDING`."""
    start: Ints
    end: Ints
    marks: Ints
    """Where tabs, blanks, semicolons and line feeds are."""
    mark: Bytes
    """Which of these each one is."""
    first: Ints
    """The first mark of each line."""
    behind: Ints
    """The mark that ends each line."""

    @staticmethod
    def of(content: bytes) -> Lines:
        data = b"".join((content, b"\n", PADDING))
        text = np.frombuffer(data, dtype=np.uint8)[: -len(PADDING)]
        is_mark = (text - np.uint8(_TAB)) <= 1  # a tab or a line feed
        is_mark |= text == _BLANK
        is_mark |= text == _SEMICOLON
        marks = np.flatnonzero(is_mark)
        mark = text[marks]
        behind = np.flatnonzero(mark == _LINE_FEED)
        end = marks[behind]
        start, first = (np.append(0, each[:-1] + 1) for each in (end, behind))
        if b"\r" in content:
            end = _without_returns(data, text, start, end)
        return Lines(data, start, end, marks, mark, first, behind)

    @cached_property
    def kind(self) -> Bytes:
        """The first byte of each line; a line feed where there is none."""
        text = np.frombuffer(self.data, dtype=np.uint8)
        return np.where(self.start < self.end, text[self.start], np.uint8(_LINE_FEED))

    def text(self, row: int) -> str:
        return self.data[self.start[row] : self.end[row]].decode()

    def texts(self, rows: Ints) -> list[str]:
        return Tokens(self.data, self.start, self.end).take(rows).texts(0, len(rows))

    @cached_property
    def are_identified(self) -> Bools:
        """Which lines begin with an identifier, and a tab behind it."""
        size = self.marks[self.first] - self.start
        _, digits = leading_numbers(windows(self.data)[self.start + 1])
        found: Bools = (digits == size - 1) & (self.mark[self.first] == _TAB) & (digits >= _FEWEST_DIGITS[self.kind])
        for row in np.flatnonzero(~found & (self.start < self.end)).tolist():  # mostly, none is left
            found[row] = _IDENTIFIER.match(self.text(row)) is not None
        return found

    def text_bounds(self, rows: Ints) -> TextBoundCells | None:
        """The cells of text-bound lines with identifiers; None where a line has other marks before its quotation."""
        tabs = np.flatnonzero(self.mark == _TAB)
        tab = self.first[rows]
        following = np.append(tabs, len(self.mark))[np.searchsorted(tabs, tab, side="right")]
        parts, is_odd = np.divmod(following - tab - 1, 2)
        if (self.mark[tab] != _TAB).any() or is_odd.any() or (parts < 1).any() or (following > self.behind[rows]).any():
            return None
        first = np.append(0, np.cumsum(parts))
        inner = ranges(tab + 1, 2 * parts)
        before_start = np.full(len(inner) // 2, _SEMICOLON, dtype=np.uint8)
        before_start[first[:-1]] = _BLANK
        mark = self.mark[inner]
        number, is_none = _numbers(self.data, self.marks[inner] + 1, self.marks[inner + 1])
        if is_none.any() or (mark[0::2] != before_start).any() or (mark[1::2] != _BLANK).any():
            return None
        identifier = Tokens(self.data, self.start[rows], self.marks[tab])
        label = Tokens(self.data, self.marks[tab] + 1, self.marks[tab + 1])
        quoted = Tokens(self.data, self.marks[following] + 1, self.end[rows])
        return TextBoundCells(identifier, label, quoted, first, number[0::2], number[1::2])


def _without_returns(data: bytes, text: Bytes, start: Ints, end: Ints) -> Ints:
    """Where lines end before the returns that stand at their ends: mostly one, or none."""
    found: Ints = end - ((text[end - 1] == _RETURN) & (end > start))
    for row in np.flatnonzero((text[found - 1] == _RETURN) & (found > start)).tolist():
        found[row] = start[row] + len(data[start[row] : found[row]].rstrip(b"\r"))
    return found


def _numbers(data: bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Cells as whole numbers, and which of them are none; most have up to eight digits."""
    value, digits = leading_numbers(windows(data)[start])
    rows = np.flatnonzero((digits != end - start) | (digits == 0))
    is_none = np.zeros(len(start), dtype=np.bool_)
    value[rows], is_none[rows] = numbers(data, start[rows], end[rows])
    return value, is_none
