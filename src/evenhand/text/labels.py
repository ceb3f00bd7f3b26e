"""Vocabularies: labels and token shapes as small integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.limits import LABEL, long_label
from evenhand.text.codes import Coder

T = TypeVar("T", bound=Hashable)


class Codes(Generic[T]):
    """A growing table of distinct values; the code of a value is its place in `values`."""

    def __init__(self, values: Iterable[T] = ()) -> None:
        self.values: list[T] = []
        self._codes: dict[T, int] = {}
        for value in values:
            self.code(value)

    def code(self, value: T) -> int:
        """The code of `value`, which is added if it is new."""
        found = self._codes.get(value)
        if found is None:
            found = self._codes[value] = len(self.values)
            self.values.append(value)
        return found

    def codes(self, values: Sequence[T]) -> Ints:
        """The codes of some values, of which most are alike."""
        known = {value: self.code(value) for value in dict.fromkeys(values)}
        return ints([known[value] for value in values])

    def find(self, value: T) -> int | None:
        """The code of `value`, or None where it has none."""
        return self._codes.get(value)

    def into(self, other: Codes[T]) -> Ints:
        """For each code of this table, the code of the same value in `other`."""
        return ints([other.code(value) for value in self.values])

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, code: int) -> T:
        return self.values[code]


class Labels(Codes[str]):
    """Names of labels, none of which is longer than the limit."""

    def code(self, value: str) -> int:
        if len(value) > LABEL.value and self.find(value) is None:
            raise long_label(value)
        return super().code(value)


class Vocabulary:
    """What one run has met so far: label names, texts of columns, shapes of discontinuous spans, and their extras.

    A shape is the tuple of the tokens that a span leaves out, counted from its first token. Code 0 is the shape
    without gaps, which nearly all spans have. Negative numbers are tokens of the span that the text does not have. What
    a task keeps with a span beside its label is among the extras; code 0 is nothing.
    """

    def __init__(self) -> None:
        self.labels: Codes[str] = Labels()
        self.shapes: Codes[tuple[int, ...]] = Codes([()])
        self.extras: Codes[Hashable] = Codes([()])
        self.columns: defaultdict[str, Coder] = defaultdict(Coder)

    def labels_of(self, coder: Coder, code: Ints) -> Ints:
        """The label codes for codes of a coder; only names that occur become labels."""
        used, place = np.unique(code, return_inverse=True)
        return ints([self.labels.code(coder.names[each]) for each in used.tolist()])[place]
