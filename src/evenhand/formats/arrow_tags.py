"""Lists of tokens and of their tags from Arrow tables, a list a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.arrow_layout import Annotated
from evenhand.formats.arrow_lists import Lists, distinct, integers, used_ones
from evenhand.formats.arrow_rows import Rows
from evenhand.formats.parsing.tag_reader import Coded
from evenhand.text.codes import Mostly
from evenhand.text.corpus import Corpus

_SAMPLE = 1 << 9
"""How many tags are looked at to see which one is common."""


@dataclass(frozen=True)
class TagList:
    """The distinct tags of some tokens, and for each token the place of its tag among them."""

    distinct: list[str]
    place: Ints

    def codes(self, codes: dict[str, int]) -> Ints:
        """The tags by the codes of the whole file, which new ones join."""
        return self._of_distinct(codes)[self.place]

    def _of_distinct(self, codes: dict[str, int]) -> Ints:
        return ints([codes.setdefault(tag, len(codes)) for tag in self.distinct])

    def coded(self, codes: dict[str, int], corpus: Corpus) -> Coded:
        """The same, with those that are new."""
        known = len(codes)
        of_distinct, size = self._of_distinct(codes), len(self.place)
        new = list(codes)[known:]
        common = int(np.bincount(self.place[:_SAMPLE], minlength=1).argmax())
        rows = np.flatnonzero(self.place != common)
        if 2 * len(rows) > size or not size:
            return Coded(new, Mostly.of(of_distinct[self.place]), corpus)
        return Coded(new, Mostly(size, int(of_distinct[common]), rows, of_distinct[self.place[rows]]), corpus)


def check_tags(rows: Rows, tokens: Lists, tags: Lists, annotated: Annotated) -> None:
    """Report rows that have not one good tag a token."""
    rows.report_nulls(tags.has_null, annotated.column)
    lengths, theirs = tokens.lengths, tags.lengths
    for row in rows.left(lengths != theirs):
        finding = f"the number of tokens in this row is {lengths[row]}, that of tags is {theirs[row]}"
        rows.report(row, finding, "give every token one tag")
    if annotated.names is None:
        return
    number = integers(tags.values)
    if not len(number) or (number.min() >= 0 and number.max() < len(annotated.names)):
        return
    wrong = (number < 0) | (number >= len(annotated.names))
    for row in rows.left(tags.marked(wrong)):
        within = slice(*tags.bounds[row : row + 2].tolist())
        found, last = number[within][wrong[within]][0], len(annotated.names) - 1
        finding = f"found the tag number {found} where the names of {annotated.column!r} are for 0 to {last}"
        rows.report(row, finding, "give every token a tag (-1 and -100 stand for none)")


def tags_of(values: Any, names: tuple[str, ...] | None) -> TagList:
    """Tags that were checked."""
    if names is None:
        return TagList(*distinct(values))
    used, place = used_ones(integers(values), len(names))
    return TagList([names[each] for each in used.tolist()], place)
