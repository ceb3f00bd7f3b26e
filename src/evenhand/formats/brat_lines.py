"""The lines of brat's `.ann` files: text-bound ones as columns, and others as they stand for those who want them.

The cells of all lines are cut at once where all lines are as they should be. Lines with tabs in their quotations, and
all that is wrong, are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.brat import IDENTIFIER
from evenhand.formats.source import LINE_FEED, Source

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
TEXT_BOUND = re.compile(rf"(T\S*)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_TEXT_BOUNDS = re.compile(rf"(?:T[A-Za-z]*[0-9]\S*\t\S+ {_OFFSETS}(?:;{_OFFSETS})*\t[^\t\n]*(?:\n|$))*")
"""Text-bound lines, without tabs in their quotations."""
_IDENTIFIED = re.compile(rf"(?:{IDENTIFIER}[^\n]*(?:\n|$))*")
"""Lines that begin with identifiers."""
_ODD_LABEL = re.compile(r"\n[^\s;]*;")
"""A label with the sign that stands between the parts of a span."""


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
    unwanted: Mapping[str, list[int]]
    """The numbers of lines that nobody wants, by their kinds."""
    _lines: Sequence[str]
    _numbers: Mapping[str, list[int]]
    """The numbers of lines that somebody wants, by their first characters."""

    @property
    def skipped(self) -> dict[str, int]:
        """How many lines there are of every kind that nobody wants."""
        return {kind: len(numbers) for kind, numbers in self.unwanted.items()}

    def skipped_in(self, sizes: Sequence[int]) -> list[dict[str, int]]:
        """The same for each of several files that make up these lines and have so many of them."""
        found: list[dict[str, int]] = [{} for _ in sizes]
        for kind, numbers in self.unwanted.items():
            files = np.searchsorted(np.cumsum(sizes), ints(numbers) - 1, side="right")
            for file, count in Counter(files.tolist()).items():
                found[file][kind] = count
        return found

    def of_kind(self, kind: str) -> tuple[list[int], list[str]]:
        """The numbers and texts of the lines that begin so."""
        numbers = self._numbers[kind]
        return numbers, [self._lines[number - 1] for number in numbers]

    @cached_property
    def others(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """Numbered lines of the kinds that somebody wants, by their first characters."""
        return {kind: list(zip(*self.of_kind(kind), strict=True)) for kind in self._numbers}


def standoff(source: Source, content: str, wanted: Collection[str] = (), *, takes_empty: bool = False) -> Standoff:
    """The lines of a file; `wanted` are first characters of lines without spans that are kept, the others count.

    With `takes_empty`, one of several parts may cover nothing.
    """
    if "\r" in content:
        content = re.sub(r"\r+$", "", content, flags=re.MULTILINE)
    lines, numbers = content.split("\n"), _by_kind(content)
    for kind, mine in numbers.items():
        if kind not in ("T", "R"):  # which are many, and checked when they are read
            _check_identifiers(source, mine, lines)
    if "R" not in wanted:
        _check_identifiers(source, numbers["R"], lines)
    unwanted: dict[str, list[int]] = {}
    for kind, name in OTHER_KINDS.items():
        if kind not in wanted and numbers[kind]:
            unwanted[name] = unwanted.get(name, []) + numbers[kind]
    spans = _spans(source, numbers["T"], lines, takes_empty=takes_empty)
    return Standoff(spans, unwanted, lines, {kind: numbers[kind] for kind in wanted})


def _by_kind(content: str) -> dict[str, list[int]]:
    """The numbers of lines by their first characters, as far as these are known; all others under the empty one."""
    data = np.frombuffer(content.encode() + b"\n", dtype=np.uint8)
    first = data[np.append(0, np.flatnonzero(data == LINE_FEED)[:-1] + 1)]
    known = ("T", *OTHER_KINDS)
    found = {kind: (np.flatnonzero(first == ord(kind)) + 1).tolist() for kind in known}
    found[""] = (np.flatnonzero(~np.isin(first, [ord(kind) for kind in (*known, "\n")])) + 1).tolist()
    return found


def _check_identifiers(source: Source, numbers: Sequence[int], lines: Sequence[str]) -> None:
    """Refuse lines that begin with no identifier, unless they are blank."""
    mine = [lines[number - 1] for number in numbers]
    if _IDENTIFIED.fullmatch("\n".join(mine)):
        return
    for number, line in zip(numbers, mine, strict=True):
        if line.strip() and not re.match(IDENTIFIER, line):
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(number, f"{line!r} is no annotation of brat", remedy)


def _spans(source: Source, numbers: list[int], lines: list[str], *, takes_empty: bool) -> TextBounds:
    """The text-bound lines, which have these numbers, as columns."""
    mine = [lines[number - 1] for number in numbers]
    cells = _cells_of_all(mine)
    if cells is None:  # a quotation may have tabs, or a line is wrong
        _check_identifiers(source, numbers, lines)
        cells = [cell for number, line in zip(numbers, mine, strict=True) for cell in _cells(source, number, line)]
    text = "\n".join(cells[1::3])
    if _ODD_LABEL.search(f"\n{text}") if ";" in text else False:
        labels = [each.partition(" ")[0] for each in cells[1::3]]
        parts = [f"; {part}" for each in cells[1::3] for part in each.partition(" ")[2].split(";")]
        sizes = [1 + each.partition(" ")[2].count(";") for each in cells[1::3]]
        triples = " ".join(parts).split()
        first = list(accumulate(sizes, initial=0))
    else:
        triples = text.replace(";", " ; ").split()
        begins = [at for at, name in enumerate(triples[0::3]) if name != ";"]
        labels, first = [triples[3 * at] for at in begins], [*begins, len(triples) // 3]
    start, end = (ints(list(map(int, triples[at::3]))) for at in (1, 2))
    found = TextBounds(numbers, cells[0::3], labels, cells[2::3], ints(first), start, end)
    _check(source, found, takes_empty=takes_empty)
    return found


def _cells_of_all(lines: list[str]) -> list[str] | None:
    """Identifier, label with offsets, and quotation of every line, if all lines have just these."""
    text = "\n".join(lines)
    if not lines or _TEXT_BOUNDS.fullmatch(text) is None:
        return None if lines else []
    return text.replace("\n", "\t").split("\t")


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
    order = by_place(row_of, found.start)
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


def by_place(span: Ints, start: Ints) -> Ints:
    """The order of parts by their places, where they are in the order of their spans. Mostly they are in it already."""
    if ((span[1:] == span[:-1]) & (start[1:] < start[:-1])).any():
        return np.lexsort((start, span))
    return np.arange(len(span))
