"""The lines of brat's `.ann` files: text-bound ones as columns, and others as they stand for those who want them.

Cells of all lines are cut at once where every line has as many; lines with tabs in their quotations, and all that is
wrong, are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

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
_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
IDENTIFIER = re.compile(r"(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*\t")
TEXT_BOUND = re.compile(rf"(T\S*)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_OTHER_LINE = re.compile(rf"^(?!{IDENTIFIER.pattern})(?=.*\S).*", re.MULTILINE)
"""A line that is neither blank nor begins with an identifier."""
_LABELS_AND_OFFSETS = re.compile(rf"(?:\S+ {_OFFSETS}(?:;{_OFFSETS})*(?:\n|$))*")
"""Labels with offsets, one on each line."""


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
    if other := _OTHER_LINE.search(content):
        remedy = "begin each line with an identifier such as T1 and a tab"
        number = content.count("\n", 0, other.start()) + 1
        raise source.error(number, f"{other[0]!r} is no annotation of brat", remedy)
    lines = content.split("\n")
    numbers: dict[str, list[int]] = {kind: [] for kind in ("", "T", *OTHER_KINDS)}
    for number, line in enumerate(lines, 1):
        numbers[line[:1].strip()].append(number)
    others = {kind: [(number, lines[number - 1]) for number in numbers[kind]] for kind in wanted}
    skipped = Counter[str]()
    for kind in OTHER_KINDS:
        if kind not in wanted and numbers[kind]:
            skipped[OTHER_KINDS[kind]] += len(numbers[kind])
    return Standoff(_spans(source, numbers["T"], lines, takes_empty=takes_empty), others, dict(skipped))


def _spans(source: Source, numbers: list[int], lines: list[str], *, takes_empty: bool) -> TextBounds:
    """The text-bound lines, which have these numbers, as columns."""
    mine = [lines[number - 1] for number in numbers]
    if any(line.count("\t") != 2 for line in mine):  # a quotation may have tabs
        cells = [cell for number, line in zip(numbers, mine, strict=True) for cell in _cells(source, number, line)]
    else:
        cells = "\t".join(mine).split("\t") if mine else []
    identifiers, middle, quoted = cells[0::3], cells[1::3], cells[2::3]
    text = "\n".join(middle)
    if middle and _LABELS_AND_OFFSETS.fullmatch(text) is None:
        for number, line in zip(numbers, mine, strict=True):
            _cells(source, number, line)
    pairs = [each.partition(" ") for each in middle]
    offsets = np.fromstring(" ".join([each for _, _, each in pairs]).replace(";", " "), dtype=np.int64, sep=" ")
    sizes = [1 + each.count(";") for each in middle] if ";" in text else [1] * len(middle)
    first, labels = ints(list(accumulate(sizes, initial=0))), [label for label, _, _ in pairs]
    found = TextBounds(numbers, identifiers, labels, quoted, first, offsets[0::2], offsets[1::2])
    _check(source, found, takes_empty=takes_empty)
    return found


def _cells(source: Source, number: int, line: str) -> tuple[str, str, str]:
    """Identifier, label with offsets, and quotation of a line; an error if it has none."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None:
        remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
        raise source.error(number, f"{line!r} has no label, offsets and text", remedy)
    identifier, label, offsets, quoted = match.groups()
    return identifier, f"{label} {offsets}", quoted


def _check(source: Source, found: TextBounds, *, takes_empty: bool) -> None:
    """Refuse parts that cover nothing and parts that overlap, the first one in the file."""
    row_of = np.repeat(np.arange(len(found)), np.diff(found.first))
    order = np.lexsort((found.start, row_of))
    start, end, row = found.start[order], found.end[order], row_of[order]
    empty = end < start if takes_empty else end <= start
    overlapping = np.append((row[1:] == row[:-1]) & (start[1:] < end[:-1]), False)[: len(row)]
    wrong = row[empty | overlapping]
    if not len(wrong):
        return
    at = int(wrong[0])
    if bool(empty[row == at].any()):
        finding = f"the offsets {found.offsets(at)!r} cover nothing"
        raise source.error(found.line[at], finding, "ends are exclusive, so that each must be above its start")
    finding = f"the parts {found.offsets(at)!r} overlap"
    raise source.error(found.line[at], finding, "list each character of the span once")
