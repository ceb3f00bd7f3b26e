"""Mentions as brackets in a column: `(12` opens one of chain 12, `12)` closes the one opened last, `(12)` does both.

Several stand in one cell with bars between them or without (`(1|(3`, `3)1)`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from heapq import heappop, heappush

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, empty, others, pack, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import SPACE, numbers
from evenhand.limits import BRACKETS
from evenhand.text.tokens import PADDING

Ranges = list[tuple[int, int]]
"""First and last token of each part of a mention."""
Report = Callable[[int, str, str], None]
"""Takes a token, what was found there, and a remedy."""
_OPEN, _CLOSE, _BAR = b"()|"
_NOTHING = b"-_"
_REMEDY = "write -, or brackets such as (12, 12) or (12), with bars between them"
_UNMATCHED = {
    True: ("opens here that is never closed", "close it"),
    False: ("closes here that was not opened", "open it before"),
}
"""What is wrong with a bracket that opens a mention, or closes one, and the remedy."""
_MOST_SHOWN = 80


def too_long(size: int) -> tuple[str, str]:
    """What is wrong with a cell of so many bytes, and the remedy."""
    return f"the coreference annotation of a word has {size:,} bytes, more than {BRACKETS.value:,}", BRACKETS.remedy


@dataclass(frozen=True)
class Brackets:
    """In the order of the file: at which token a name stands, and whether it opens a mention, closes one, or both."""

    token: Ints
    name: Ints
    """A number that is the same for the same name."""
    opens: Bools
    closes: Bools


def read_cells(data: bytes, start: Ints, end: Ints, report: Report) -> Brackets:
    """The brackets of cells, one a token; a cell that holds anything else is a problem, and left out."""
    text = np.frombuffer(data, dtype=np.uint8)
    first, length = text[start], end - start
    is_nothing = (length == 0) | ((length == 1) & ((first == _NOTHING[0]) | (first == _NOTHING[1])))
    longest = BRACKETS.value
    for row in np.flatnonzero(length > longest).tolist():
        report(row, *too_long(int(length[row])))
    rows = np.flatnonzero(~is_nothing & (length <= longest))
    size = length[rows] + 1  # with the blank behind, which ends the last name
    flat = text[ranges(start[rows], size)]
    cell_of = np.repeat(np.arange(len(rows)), size)
    begin, behind = _names(flat)
    opens, closes = flat[begin - 1] == _OPEN, flat[behind] == _CLOSE
    odd = _odd_cells(flat, cell_of, begin, opens, closes)
    if len(odd):
        for row in odd.tolist():
            cell = data[start[rows[row]] : end[rows[row]]].decode()
            report(int(rows[row]), f"{cell[:_MOST_SHOWN]!r} is no coreference annotation", _REMEDY)
        kept = ~np.isin(cell_of[begin], odd)
        begin, behind, opens, closes = begin[kept], behind[kept], opens[kept], closes[kept]
    return Brackets(rows[cell_of[begin]], _codes(flat, begin, behind), opens, closes)


def _names(flat: Bytes) -> tuple[Ints, Ints]:
    """Where names begin and end: what stands between brackets, bars and blanks."""
    inside = (flat > SPACE) & (flat != _OPEN) & (flat != _CLOSE) & (flat != _BAR)
    edges = np.diff(inside, prepend=False)
    places = np.flatnonzero(edges)  # the text ends with a blank, so that every name ends
    return places[0::2], places[1::2]


def _odd_cells(flat: Bytes, cell_of: Ints, begin: Ints, opens: Bools, closes: Bools) -> Ints:
    """The cells in which some bracket has no name, or some name no bracket, or nothing has a name."""
    cells = int(cell_of[-1]) + 1 if len(cell_of) else 0
    named = cell_of[begin]
    brackets = np.bincount(cell_of[(flat == _OPEN) | (flat == _CLOSE)], minlength=cells)
    with_names = np.bincount(named, opens.astype(np.int64) + closes, minlength=cells)
    is_odd = (brackets != with_names) | (with_names == 0)
    is_odd[named[~(opens | closes)]] = True
    return np.flatnonzero(is_odd)


def _codes(flat: Bytes, begin: Ints, end: Ints) -> Ints:
    """Numbers for names; most names are numbers themselves, told apart from those with zeros before them."""
    value, bad = numbers(flat.tobytes() + PADDING, begin, end)
    if not bad.any():
        return pack((value, empty()), (end - begin, empty()))[0]
    text, known = flat.tobytes(), dict[bytes, int]()
    names = [text[first:behind] for first, behind in zip(begin.tolist(), end.tolist(), strict=True)]
    return np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.int64, count=len(names))


def match(brackets: Brackets, document: Ints, report: Report) -> tuple[Ints, Ints]:
    """The mentions that brackets make: which brackets open them, and which close them.

    They are in the order of their opening brackets. `document` is that of each token; no mention leaves it. What does
    not close, or closes unopened, is a problem, and left out.
    """
    key = chains_of(brackets.name, document[brackets.token])
    alone = brackets.opens & brackets.closes
    rows, singles = np.flatnonzero(~alone), np.flatnonzero(alone)
    first, last = pairs(key[rows], brackets.opens[rows])
    for row in rows[others(len(rows), np.concatenate((first, last)))].tolist():
        what, remedy = _UNMATCHED[bool(brackets.opens[row])]
        report(int(brackets.token[row]), f"a mention {what} in its document", remedy)
    first, last = np.concatenate((singles, rows[first])), np.concatenate((singles, rows[last]))
    order = np.argsort(first)
    return first[order], last[order]


def chains_of(name: Ints, document: Ints) -> Ints:
    """Numbers of chains, which have names of their own in each document."""
    return pack((document, empty()), (name, empty()))[0]


def pairs(key: Ints, opens: Bools) -> tuple[Ints, Ints]:
    """Which brackets of the same key open and close together; those without a counterpart are left out.

    Among the brackets of one key and one depth, each that is closed is followed by the one that closes it.
    """
    order = np.argsort(key, kind="stable")
    step = np.where(opens[order], 1, -1)
    begins = np.flatnonzero(np.diff(key[order], prepend=key[order[:1]] - 1))
    size = np.diff(np.append(begins, len(step)))
    before = np.append(0, np.cumsum(step))
    depth = before[1:] + (step < 0) - np.repeat(before[begins], size)
    low, high = depth.min(initial=1), depth.max(initial=1)
    group = depth - low + np.repeat(np.arange(len(begins)) * (high - low + 1), size)
    by_group = np.argsort(group, kind="stable")
    order = order[by_group]
    first = np.flatnonzero((np.diff(group[by_group]) == 0) & opens[order[:-1]] & ~opens[order[1:]])
    return order[first], order[first + 1]


class MentionParts:
    """Puts parts together, which are given in the order of their opening brackets.

    A part belongs to the last mention of its entity that was begun and misses just this part; else it begins one.
    """

    def __init__(self) -> None:
        self.mentions: list[Ranges] = []
        self._waiting: defaultdict[tuple[Hashable, int], list[int]] = defaultdict(list)
        """By entity and number of parts so far, the mentions (as negative numbers, so that the last is the first)."""

    def add(self, entity: Hashable, number: int, part: tuple[int, int]) -> Ranges | None:
        """Add the part of this number, counted from 1; the mention, if it begins one."""
        waiting = self._waiting[entity, number - 1]
        is_new = not waiting
        mention = len(self.mentions) if is_new else -heappop(waiting)
        if is_new:
            self.mentions.append([])
        self.mentions[mention].append(part)
        heappush(self._waiting[entity, len(self.mentions[mention])], -mention)
        return self.mentions[mention] if is_new else None
