"""One system against the gold standard in one portion: what the judges of relations are asked.

Symmetric types are those that a user names, and in each document those that either side marks. Their ends are put into
a fixed order: by bounds, then by label. *Repeats*, which have the type, bounds and labels of an earlier relation, are
removed.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.settings import ScoreSettings
from evenhand.tasks.relations.candidates import Candidates, candidates
from evenhand.tasks.relations.fair import fair
from evenhand.tasks.relations.side import Ends, Side
from evenhand.tasks.relations.span_pairs import SpanPairs
from evenhand.tasks.relations.strict import strict
from evenhand.tasks.relations.verdicts import Verdicts
from evenhand.text.labels import Codes


class Question:
    """What a judge looks at; what several judges need is worked out once.

    `given` are both sides as they were read, `gold` and `system` the same without repeats.
    """

    def __init__(self, gold: Side, system: Side, documents: Ints, groups: Ints, settings: ScoreSettings) -> None:
        """`documents` and `groups` are those of each scope."""
        self.given, self.groups, self.settings = (gold, system), groups, settings
        self.ends = Ends.of(gold.spans, system.spans)
        named = [code for code in map(self._labels.find, settings["symmetric"]) if code is not None]
        self._is_symmetric = _symmetric(self.given, documents, named)
        sides = [self._in_order(side, which) for which, side in enumerate(self.given)]
        keys = self._keys(*sides)
        first = [_first_of_each(key) for key in keys]
        self.gold, self.system = (side.take(rows) for side, rows in zip(sides, first, strict=True))
        self.key = keys[0][first[0]], keys[1][first[1]]
        """A number for each relation: equal for equal ones, and ordered by head, tail, type and labels."""
        self.symmetric = self._is_symmetric[0][first[0]], self._is_symmetric[1][first[1]]
        self.repeated = len(gold) - len(self.gold), len(system) - len(self.system)

    @property
    def _labels(self) -> Codes[str]:
        return self.given[0].spans.vocabulary.labels

    def _in_order(self, side: Side, which: int) -> Side:
        """The side with the ends of symmetric types in their order."""
        bounds, name = self.ends.bounds[which], self.ends.names[side.spans.label]
        head, tail = bounds[side.head], bounds[side.tail]
        after = (head > tail) | ((head == tail) & (name[side.head] > name[side.tail]))
        return side.swapped(after & self._is_symmetric[which])

    def _keys(self, *sides: Side) -> tuple[Ints, Ints]:
        columns = []
        for which, side in enumerate(sides):
            bounds, name = self.ends.bounds[which], self.ends.names[side.spans.label]
            ends = (bounds[side.head], bounds[side.tail], self.ends.names[side.label])
            columns.append((*ends, name[side.head], name[side.tail]))
        return pack(*zip(*columns, strict=True))

    @cached_property
    def pairs(self) -> SpanPairs:
        """All spans of both sides that share a token."""
        return SpanPairs.of(self.gold.spans, self.system.spans)

    @cached_property
    def candidates(self) -> Candidates:
        """All relations of both sides whose arguments overlap pairwise."""
        return candidates(self.gold, self.system, self.pairs, self.ends, self.symmetric)

    @cached_property
    def fair(self) -> Verdicts:
        return fair(self)

    def verdicts(self, judge: str) -> Verdicts:
        """What the judges `fair` and `strict` say of every relation."""
        return self.fair if judge == "fair" else strict(self)


def _symmetric(sides: tuple[Side, Side], documents: Ints, named: list[int]) -> tuple[Bools, Bools]:
    """Which relations of each side have a symmetric type."""
    keys = pack(*zip(*((documents[side.scope], side.label) for side in sides), strict=True))
    marked = np.concatenate([key[side.marked] for key, side in zip(keys, sides, strict=True)])
    gold, system = (np.isin(key, marked) | np.isin(side.label, named) for key, side in zip(keys, sides, strict=True))
    return gold, system


def _first_of_each(key: Ints) -> Ints:
    """The first row with each key, in the order of rows."""
    order = np.argsort(key, kind="stable")
    is_new = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    return np.sort(order[is_new]) if len(key) else empty()
