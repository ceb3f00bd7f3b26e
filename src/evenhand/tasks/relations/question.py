"""One system against the gold standard in one portion: what the judges of relations are asked.

Symmetric types are those that a user names, and in each document those that either side marks. Their ends are put into
a fixed order: by bounds, then by label. *Repeats*, which have the type, bounds and labels of an earlier relation, are
removed; those of the gold standard by its own marks, so that all systems meet the same relations.
"""

from __future__ import annotations

from collections.abc import Sequence
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


class Question:
    """What a judge looks at; what several judges need is worked out once.

    `given` are both sides as they were read, `gold` and `system` the same without repeats.
    """

    def __init__(
        self, gold: Side, kept: Ints, system: Side, documents: Ints, groups: Ints, settings: ScoreSettings
    ) -> None:
        """`kept` are the gold relations that are no repeats; `documents` and `groups` are those of each scope."""
        self.given, self.groups, self.settings = (gold, system), groups, settings
        self.ends = Ends.of(gold.spans, system.spans)
        symmetric = _symmetric(self.given, documents, settings)
        sides = _in_order(self.given, self.ends, symmetric)
        keys = _keys(sides, self.ends)
        rows = kept, _first_of_each(keys[1])
        self.gold, self.system = (side.take(mine) for side, mine in zip(sides, rows, strict=True))
        self.key = keys[0][rows[0]], keys[1][rows[1]]
        """A number for each relation: equal for equal ones, and ordered by head, tail, type and labels."""
        self.symmetric = symmetric[0][rows[0]], symmetric[1][rows[1]]
        self.repeated = len(system) - len(self.system)

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


def without_repeats(side: Side, documents: Ints, settings: ScoreSettings) -> Ints:
    """The relations of a side that repeat no earlier one, by the types that it marks itself."""
    nothing = side.within(np.zeros(len(documents), dtype=np.bool_))
    symmetric = _symmetric((side, nothing), documents, settings)
    ends = Ends.of(side.spans, nothing.spans)
    sides = _in_order((side, nothing), ends, symmetric)
    return _first_of_each(_keys(sides, ends)[0])


def _in_order(sides: tuple[Side, Side], ends: Ends, symmetric: tuple[Bools, Bools]) -> list[Side]:
    """Both sides with the ends of symmetric types in their order."""
    found = []
    for side, bounds, is_symmetric in zip(sides, ends.bounds, symmetric, strict=True):
        name = ends.names[side.spans.label]
        head, tail = bounds[side.head], bounds[side.tail]
        after = (head > tail) | ((head == tail) & (name[side.head] > name[side.tail]))
        found.append(side.swapped(after & is_symmetric))
    return found


def _keys(sides: Sequence[Side], ends: Ends) -> tuple[Ints, Ints]:
    """A number for each relation of both sides."""
    columns = []
    for side, bounds in zip(sides, ends.bounds, strict=True):
        name = ends.names[side.spans.label]
        told = (bounds[side.head], bounds[side.tail], ends.names[side.label])
        columns.append((*told, name[side.head], name[side.tail]))
    return pack(*zip(*columns, strict=True))


def _symmetric(sides: tuple[Side, Side], documents: Ints, settings: ScoreSettings) -> tuple[Bools, Bools]:
    """Which relations of each side have a symmetric type."""
    find = sides[0].spans.vocabulary.labels.find
    named = [code for code in map(find, settings["symmetric"]) if code is not None]
    keys = pack(*zip(*((documents[side.scope], side.label) for side in sides), strict=True))
    marked = np.concatenate([key[side.marked] for key, side in zip(keys, sides, strict=True)])
    gold, system = (np.isin(key, marked) | np.isin(side.label, named) for key, side in zip(keys, sides, strict=True))
    return gold, system


def _first_of_each(key: Ints) -> Ints:
    """The first row with each key, in the order of rows."""
    order = np.argsort(key, kind="stable")
    is_new = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    return np.sort(order[is_new]) if len(key) else empty()
