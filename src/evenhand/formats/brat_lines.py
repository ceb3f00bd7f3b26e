"""The lines of brat's `.ann` files: text-bound ones as columns, and others as they stand for those who want them.

The cells of all lines are cut at once (`brat_cells`) unless one of them is odd: a label has a semicolon, or something
is wrong. Then lines are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from evenhand.arrays import Ints, empty, ints
from evenhand.dataclass import dataclass
from evenhand.formats.brat_cells import Lines, TextBoundCells
from evenhand.formats.source import Source
from evenhand.text.codes import Coder
from evenhand.text.labels import Codes
from evenhand.text.tokens import Tokens

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


@dataclass(frozen=True)
class TextBounds:
    """Spans as their lines have them, in the order of the file."""

    line: Ints
    _identifier: Tokens
    names: Codes[str]
    """The labels."""
    label: Ints
    """Their codes."""
    quoted: Tokens
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints
    """The parts, as they are listed."""

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def identifiers(self) -> list[str]:
        return self._identifier.texts(0, len(self))

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
    unwanted: Mapping[str, Ints]
    """The lines that nobody wants, counted from 0, by their kinds."""
    _lines: Lines
    _wanted: Mapping[str, Ints]
    """The lines that somebody wants, likewise, by their first characters."""

    @property
    def skipped(self) -> dict[str, int]:
        """How many lines there are of every kind that nobody wants."""
        return {kind: len(rows) for kind, rows in self.unwanted.items()}

    def skipped_in(self, sizes: Sequence[int]) -> list[dict[str, int]]:
        """The same for each of several files that make up these lines and have so many of them."""
        found: list[dict[str, int]] = [{} for _ in sizes]
        for kind, rows in self.unwanted.items():
            files = np.searchsorted(np.cumsum(sizes), rows, side="right")
            for file, count in Counter(files.tolist()).items():
                found[file][kind] = count
        return found

    def of_kind(self, kind: str) -> tuple[list[int], list[str]]:
        """The numbers and texts of the lines that begin so."""
        rows = self._wanted[kind]
        return (rows + 1).tolist(), self._lines.texts(rows)

    @cached_property
    def others(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """Numbered lines of the kinds that somebody wants, by their first characters."""
        return {kind: list(zip(*self.of_kind(kind), strict=True)) for kind in self._wanted}


def standoff(source: Source, content: bytes, wanted: Collection[str] = (), *, takes_empty: bool = False) -> Standoff:
    """The lines of a file; `wanted` are first characters of lines without spans that are kept, the others count.

    With `takes_empty`, one of several parts may cover nothing.
    """
    lines = Lines.of(content)
    rows = {kind: np.flatnonzero(lines.kind == ord(kind)) for kind in ("T", *OTHER_KINDS)}
    _check_identifiers(source, lines, besides=rows["R"] if "R" in wanted else empty())
    unwanted: dict[str, Ints] = {}
    for kind, name in OTHER_KINDS.items():
        if kind not in wanted and len(rows[kind]):
            unwanted[name] = np.append(unwanted[name], rows[kind]) if name in unwanted else rows[kind]
    spans = _spans(source, lines, rows["T"])
    _check(source, spans, takes_empty=takes_empty)
    return Standoff(spans, unwanted, lines, {kind: rows[kind] for kind in wanted})


def _check_identifiers(source: Source, lines: Lines, besides: Ints) -> None:
    """Refuse lines that begin with no identifier, unless they are blank or checked when they are read."""
    is_wrong = ~lines.are_identified
    is_wrong[besides] = False
    for row in np.flatnonzero(is_wrong).tolist():
        line = lines.text(row)
        if line.strip():
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(row + 1, f"{line!r} is no annotation of brat", remedy)


def _spans(source: Source, lines: Lines, rows: Ints) -> TextBounds:
    """The text-bound lines as columns."""
    cells = lines.text_bounds(rows)
    if cells is not None:
        coder = Coder()
        code = coder(cells.label)
        if all(name.split() == [name] for name in coder.names):
            return _columns(rows, cells, Codes(coder.names), code)
    cells, labels = _one_by_one(source, lines, rows)
    names: Codes[str] = Codes()
    return _columns(rows, cells, names, names.codes(labels))


def _columns(rows: Ints, cells: TextBoundCells, names: Codes[str], label: Ints) -> TextBounds:
    return TextBounds(rows + 1, cells.identifier, names, label, cells.quoted, cells.first, cells.start, cells.end)


def _one_by_one(source: Source, lines: Lines, rows: Ints) -> tuple[TextBoundCells, list[str]]:
    """The cells of text-bound lines, and their labels as strings; or an error about the first line that is wrong."""
    found = [_matched(source, row, lines.text(row)) for row in rows.tolist()]
    identifiers, labels, offsets, quotations = ([cells[at] for cells in found] for at in range(4))
    parts = [each.split(";") for each in offsets]
    numbers = ints(list(map(int, " ".join(" ".join(each) for each in parts).split())))
    first = ints(list(accumulate(map(len, parts), initial=0)))
    identifier, label, quoted = map(Tokens.of, (identifiers, labels, quotations))
    return TextBoundCells(identifier, label, quoted, first, numbers[0::2], numbers[1::2]), labels


def _matched(source: Source, row: int, line: str) -> tuple[str, ...]:
    """Identifier, label, offsets and quotation of a line; an error if it has none."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None:
        remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
        raise source.error(row + 1, f"{line!r} has no label, offsets and text", remedy)
    return match.groups()


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
        raise source.error(int(found.line[at]), finding, "ends are exclusive, so that each must be above its start")
    finding = f"the parts {found.offsets(at)!r} overlap"
    raise source.error(int(found.line[at]), finding, "list each character of the span once")


def by_place(span: Ints, start: Ints) -> Ints:
    """The order of parts by their places, where they are in the order of their spans. Mostly they are in it already."""
    if ((span[1:] == span[:-1]) & (start[1:] < start[:-1])).any():
        return np.lexsort((start, span))
    return np.arange(len(span))
