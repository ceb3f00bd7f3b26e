"""The lines of brat's `.ann` files: text-bound ones as columns, and others as they stand for those who want them.

All lines are found by one regular expression over the whole file. The few that it does not take apart, such as spans
with several parts, and all that is wrong, are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from evenhand.arrays import Ints, ints
from evenhand.formats.source import Source

OTHER_KINDS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "normalizations",
    "*": "equivalences",
    "#": "notes",
}
"""What the first character of an identifier says of lines that hold no spans; M is an older name for A."""
_OFFSET = "[0-9]{1,18}"
_OFFSETS = f"{_OFFSET} {_OFFSET}"
IDENTIFIER = re.compile(r"(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*\t")
TEXT_BOUND = re.compile(rf"(T\S*)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_LINE = re.compile(rf"^(?:(T[A-Za-z]*[0-9]\S*)\t(\S+) ({_OFFSET}) ({_OFFSET})\t(.*)|(.*))$", re.MULTILINE)
"""Identifier, label, start, end and quotation of a span with one part; or the whole line."""


@dataclass(frozen=True)
class TextBounds:
    """Spans as their lines have them, in the order of the file."""

    line: Sequence[int]
    identifier: Sequence[str]
    label: Sequence[str]
    quoted: Sequence[str]
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints
    """The parts, as they are listed."""

    def __len__(self) -> int:
        return len(self.line)

    def parts(self, row: int) -> list[tuple[int, int]]:
        low, high = self.first[row : row + 2].tolist()
        return list(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))

    def offsets(self, row: int) -> str:
        """The parts as a line lists them."""
        return ";".join(f"{start} {end}" for start, end in self.parts(row))


@dataclass(frozen=True)
class Standoff:
    """What an `.ann` file holds."""

    spans: TextBounds
    others: Mapping[str, Sequence[tuple[int, str]]]
    """Numbered lines of other kinds that somebody wants, by their first characters."""
    skipped: dict[str, int]
    """How many lines there are of every kind that nobody wants."""


def standoff(source: Source, content: str, wanted: Collection[str] = (), *, takes_empty: bool = False) -> Standoff:
    """The lines of a file; `wanted` are first characters of lines without spans that are kept, the others count.

    With `takes_empty`, one of several parts may cover nothing.
    """
    if "\r" in content:
        content = re.sub(r"\r+$", "", content, flags=re.MULTILINE)
    found = _LINE.findall(content)
    others: dict[str, list[tuple[int, str]]] = {kind: [] for kind in wanted}
    skipped, odd = Counter[str](), list[tuple[int, tuple[str, str, str, str, str, str]]]()
    for number, line in enumerate([row[5] for row in found], 1):
        if not line.strip():
            continue
        if not IDENTIFIER.match(line):
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(number, f"{line!r} is no annotation of brat", remedy)
        if line[0] == "T":
            odd.append((number, _parsed(source, number, line)))
        elif line[0] in others:
            others[line[0]].append((number, line))
        else:
            skipped[OTHER_KINDS[line[0]]] += 1
    plain = [(number, row) for number, row in enumerate(found, 1) if row[0]]
    rows = sorted([*plain, *odd]) if odd else plain
    return Standoff(_columns(source, rows, takes_empty=takes_empty), others, dict(skipped))


def _parsed(source: Source, number: int, line: str) -> tuple[str, str, str, str, str, str]:
    """A line as the regular expression has those with one part: all starts, and all ends, with blanks between."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None:
        remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
        raise source.error(number, f"{line!r} has no label, offsets and text", remedy)
    identifier, label, offsets, quoted = match.groups()
    pairs = [pair.split(" ") for pair in offsets.split(";")]
    starts, ends = (" ".join(column) for column in zip(*pairs, strict=True))
    return identifier, label, starts, ends, quoted, ""


def _columns(source: Source, rows: Sequence[tuple[int, tuple[str, ...]]], *, takes_empty: bool) -> TextBounds:
    lines = [number for number, _ in rows]
    identifier, label, starts, ends, quoted, _ = zip(*(row for _, row in rows), strict=True) if rows else [()] * 6
    sizes = [1 + start.count(" ") for start in starts]
    start, end = (ints(list(map(int, " ".join(column).split()))) for column in (starts, ends))
    found = TextBounds(lines, identifier, label, quoted, ints(list(accumulate(sizes, initial=0))), start, end)
    several = [row for row, size in enumerate(sizes) if size > 1]
    wrong = (found.end < found.start if takes_empty else found.end <= found.start).nonzero()[0]
    _check(source, found, several, int(found.first.searchsorted(wrong[0], side="right")) - 1 if len(wrong) else None)
    return found


def _check(source: Source, found: TextBounds, several: Sequence[int], wrong: int | None) -> None:
    """Refuse parts that overlap, of spans that have `several`, and those of a row with a `wrong` part."""
    empty = len(found) if wrong is None else wrong
    for row in several:
        parts = found.parts(row)
        if row < empty and any(after[0] < before[1] for before, after in pairwise(sorted(parts))):
            remedy = "list each character of the span once"
            raise source.error(found.line[row], f"the parts {found.offsets(row)!r} overlap", remedy)
    if empty < len(found):
        finding = f"the offsets {found.offsets(empty)!r} cover nothing"
        raise source.error(found.line[empty], finding, "ends are exclusive, so that each must be above its start")
