"""What is counted of agreement, by document: rows that add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.agreement.patterns import Patterns
from evenhand.arrays import Bools, Ints, Values, empty, ints, ones
from evenhand.dataclass import dataclass
from evenhand.tally import Tally

_MOST = 1 << 16
"""How many rows wait until they are added up."""


@dataclass(frozen=True)
class Rows:
    """Sparse counts: a document, who or what, a code, and a number."""

    document: Ints
    key: Ints
    code: Ints
    count: Ints

    def table(self, key: int, documents: int, codes: int) -> Values:
        """The counts of one key, (documents, codes)."""
        mine = self.key == key
        cell = self.document[mine] * codes + self.code[mine]
        found = np.bincount(cell, self.count[mine], minlength=documents * codes)
        return found.reshape(documents, codes).astype(np.float64)


def reversed_judge(judge: str) -> str:
    """What the verdicts of a judge are called where the second annotator of a pair is the key."""
    return f"{judge} reversed"


def stacked_judge(judge: str) -> str:
    """What the verdicts of a judge are called on portions in which spans of an annotator overlap."""
    return f"{judge} of overlapping spans"


class Sums:
    """Rows that are added up."""

    def __init__(self) -> None:
        self._parts: list[tuple[Ints, Ints, Ints, Ints]] = []
        self._waiting = 0

    def add(self, document: Ints, key: Ints, code: Ints, count: Ints) -> None:
        self._parts.append((document, key, code, count))
        self._waiting += len(document)
        if self._waiting > _MOST:
            self._add_up()

    def _add_up(self) -> None:
        columns = [np.concatenate(each) for each in zip(*self._parts, strict=True)]
        codes, keys = int(columns[2].max(initial=0)) + 1, int(columns[1].max(initial=0)) + 1
        cell, place = np.unique((columns[0] * keys + columns[1]) * codes + columns[2], return_inverse=True)
        count = np.bincount(place, columns[3], minlength=len(cell))
        key, code = np.divmod(cell, codes)
        self._parts = [(key // keys, key % keys, code, ints(count))]
        self._waiting = 0

    def finish(self) -> Rows:
        if not self._parts:
            return Rows(empty(), empty(), empty(), empty())
        self._add_up()
        return Rows(*self._parts[0])


class PatternCounts:
    """Patterns that are met, and how often each occurs in which document."""

    def __init__(self, annotators: int) -> None:
        self._annotators = annotators
        self._numbers: dict[bytes, int] = {}
        self._sums = Sums()

    def add(self, document: Ints, codes: Ints, count: Ints | None = None) -> None:
        """Add atoms, a row each, or rows that stand for `count` of them."""
        if not len(codes):
            return
        place, first = distinct_rows(codes)
        rows = [each.tobytes() for each in codes[first].astype(np.int64)]
        number = ints([self._numbers.setdefault(row, len(self._numbers)) for row in rows])[place]
        self._sums.add(document, np.zeros_like(number), number, ones(len(number)) if count is None else count)

    def finish(self, size: int) -> tuple[Patterns, Rows]:
        """All patterns, of so many codes, and the counts of each by document."""
        table = np.frombuffer(b"".join(self._numbers), dtype=np.int64).reshape(-1, self._annotators)
        return Patterns(table, size), self._sums.finish()


def distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """The number of the distinct row that each row is, and the first row of each."""
    base = int(codes.max(initial=0)) + 2
    key, limit = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if limit > 2**62 // base:  # numbers would not hold more annotators
            key = np.unique(key, return_inverse=True)[1]
            limit = int(key.max()) + 1
        key, limit = key * base + column + 1, limit * base
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return place, first


@dataclass(frozen=True)
class Counts:
    """All that is counted of some annotators."""

    names: tuple[str, ...]
    pairs: Sequence[tuple[int, int]]
    has: Bools
    """Who has which documents, (documents, annotators)."""
    patterns: Patterns
    pattern_rows: Rows
    squares: Rows
    """Σ l² by document, annotator and label."""
    crossing: Rows
    """Σ (atoms of a unit that the other one labels)² by document, pair and label."""
    tallies: Mapping[tuple[int, str], Tally]
    """By pair and judge, also with the second annotator as the key (`reversed_judge`); groups are documents.

    Where portions without overlapping spans are not judged in reverse, those with such are there for themselves, too
    (`stacked_judge`).
    """
    overlapping: Ints
    """How many units of each annotator share atoms with another one."""
    units: Ints
    labels: Sequence[Mapping[str, int]]

    @staticmethod
    def without_codes(
        names: tuple[str, ...],
        pairs: Sequence[tuple[int, int]],
        has: Bools,
        tallies: Mapping[tuple[int, str], Tally],
        units: Ints,
        labels: Sequence[Mapping[str, int]],
    ) -> Counts:
        """Counts of annotators whose atoms have no codes."""
        nothing = Rows(empty(), empty(), empty(), empty())
        patterns = Patterns(ints([]).reshape(0, len(names)), 1)
        overlapping = np.zeros_like(units)
        return Counts(names, pairs, has, patterns, nothing, nothing, nothing, tallies, overlapping, units, labels)

    @property
    def documents(self) -> int:
        return len(self.has)

    def by_document(self, weights: Values) -> Values:
        """The sums of `weights`, a row a pattern, over the atoms of each document, (documents, columns)."""
        rows = self.pattern_rows
        columns = [np.bincount(rows.document, column[rows.code] * rows.count, self.documents) for column in weights.T]
        return np.stack(columns, axis=1)

    def total(self) -> Values:
        """How often each pattern occurs."""
        rows = self.pattern_rows
        return np.bincount(rows.code, rows.count, minlength=len(self.patterns)).astype(np.float64)
