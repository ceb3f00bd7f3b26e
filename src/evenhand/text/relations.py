"""Relations: typed, directed links between spans, as columns.

A relation has a type, a head and a tail; both ends are spans of the same annotation, so that they have labels and
bounds. The ends of a *symmetric* type are interchangeable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.dataclass import dataclass
from evenhand.text.labels import Vocabulary
from evenhand.text.listed_parts import ListedParts

LAYER = "relations"
"""What the layer is called; its spans are the layer `spans` beside it."""


@dataclass(frozen=True)
class Relations:
    """Relations in the order of their file: columns of equal length."""

    vocabulary: Vocabulary
    label: Ints
    """The type, as a code of the vocabulary's labels."""
    head: Ints
    """The row of each head among the spans."""
    tail: Ints
    symmetric: frozenset[str] = frozenset()
    """The types whose ends a file marks as interchangeable."""
    parts: ListedParts | None = field(default=None, compare=False, repr=False)
    """The parts of spans as the file lists them, where it counts characters."""

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Ints) -> Relations:
        return replace(self, label=self.label[rows], head=self.head[rows], tail=self.tail[rows])

    def into(self, vocabulary: Vocabulary) -> Relations:
        """The same relations with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        label = self.vocabulary.labels.into(vocabulary.labels)[self.label] if len(self) else self.label
        return replace(self, vocabulary=vocabulary, label=label)

    def rows(self) -> list[tuple[str, int, int]]:
        """(type, head, tail) of every relation, in plain Python."""
        names = self.vocabulary.labels.values
        columns = zip(self.label.tolist(), self.head.tolist(), self.tail.tolist(), strict=True)
        return [(names[label], head, tail) for label, head, tail in columns]

    @staticmethod
    def join(name: str, parts: Sequence[Mapping[str, Any]]) -> Relations:
        """The relations of successive batches, given the layers of each; heads and tails count through all spans."""
        first = parts[0][name].vocabulary
        found = [layers[name].into(first) for layers in parts]
        before = np.cumsum([0, *(len(layers["spans"]) for layers in parts)]).tolist()
        listed = [each.parts for each in found if each.parts is not None]
        return Relations(
            first,
            np.concatenate([each.label for each in found]),
            np.concatenate([each.head + shift for each, shift in zip(found, before, strict=False)]),
            np.concatenate([each.tail + shift for each, shift in zip(found, before, strict=False)]),
            frozenset().union(*(each.symmetric for each in found)),
            ListedParts.join(listed) if len(listed) == len(found) else None,
        )

    @staticmethod
    def none(vocabulary: Vocabulary) -> Relations:
        return Relations(vocabulary, empty(), empty(), empty())
