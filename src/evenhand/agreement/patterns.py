"""What annotators say of the same atoms, counted: a *pattern* is a code for each annotator, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints
from evenhand.dataclass import dataclass

MISSING = -1
"""The code of an annotator who does not have an atom."""
OUTSIDE = 0
"""The code of an atom that an annotator has and gives no label."""


@dataclass(frozen=True)
class Patterns:
    """Distinct patterns, (patterns, annotators); how often each occurs is counted elsewhere, and adds up."""

    codes: Ints
    size: int
    """How many codes there may be."""

    @staticmethod
    def of(items: Iterable[Sequence[str | None]], names: Sequence[str]) -> Patterns:
        """Patterns of named codes, a row an item; None is a missing code."""
        place = {name: code for code, name in enumerate(names)}
        rows = [[MISSING if code is None else place[code] for code in item] for item in items]
        width = max(map(len, rows), default=0)
        table = np.full((len(rows), width), MISSING)
        for row, given in enumerate(rows):
            table[row, : len(given)] = given
        return Patterns(table, len(names))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def annotators(self) -> int:
        return int(self.codes.shape[1])

    def only(self, annotators: Sequence[int]) -> Patterns:
        """The codes of some annotators."""
        return replace(self, codes=self.codes[:, list(annotators)])

    def about(self, contains: Callable[[int], bool]) -> Patterns:
        """Binary codes: whether each code is, or contains, what is asked about."""
        new = ints([*(int(contains(code)) for code in range(self.size)), MISSING])
        return Patterns(new[self.codes], 2)

    def labeled_by(self, quantifier: str) -> Bools:
        """Which patterns have labels by `any` or by `every` annotator who has the atom; `all` takes every pattern."""
        found: Bools = np.ones(len(self), dtype=np.bool_)
        if quantifier == "any":
            found = np.any(self.codes > OUTSIDE, axis=1)
        elif quantifier == "every":
            found = np.all(self.codes != OUTSIDE, axis=1)
        return found

    @cached_property
    def raters(self) -> Ints:
        """How many annotators have the atom: r_i."""
        return ints((self.codes != MISSING).sum(axis=1))

    @property
    def pairable(self) -> Bools:
        """Which patterns have two codes at least."""
        return self.raters >= 2

    @cached_property
    def frequencies(self) -> Values:
        """How many annotators give each code, (patterns, codes): r_ik."""
        row, annotator = np.nonzero(self.codes != MISSING)
        key = row * self.size + self.codes[row, annotator]
        counted = np.bincount(key, minlength=len(self) * self.size)
        return counted.reshape(len(self), self.size).astype(np.float64)
