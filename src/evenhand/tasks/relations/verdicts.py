"""Verdicts on relations: what a judge says of each, and what it paired."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, others
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.relations.kinds import KINDS
from evenhand.tasks.relations.side import Side


@dataclass(frozen=True)
class Verdicts:
    """One row a unit: every gold relation, in order, then every system relation without a partner.

    `gold` and `system` are rows of the two sides, -1 where a unit has none.
    """

    kind: Ints
    gold: Ints
    system: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def tally(self, gold: Side, system: Side, groups: Ints) -> Tally:
        """The counts by type; `groups` is the group of each scope."""
        scope = np.where(self.gold >= 0, np.append(gold.scope, 0)[self.gold], np.append(system.scope, 0)[self.system])
        types = np.append(gold.label, -1)[self.gold], np.append(system.label, -1)[self.system]
        return Tally.of(gold.spans.vocabulary.labels.values, KINDS, groups[scope], *types, self.kind)


def verdicts_of(pairs: tuple[Ints, Ints], kind: Ints, missing: Ints, surplus: Ints) -> Verdicts:
    """The units of pairs with their kinds; relations that are left have the kinds `missing` and `surplus`."""
    left, right = pairs
    partner, kinds = np.full(len(missing), -1), missing.copy()
    partner[left], kinds[left] = right, kind
    free = others(len(surplus), right)
    return Verdicts(
        np.concatenate((kinds, surplus[free])),
        np.concatenate((np.arange(len(missing)), np.full(len(free), -1))),
        np.concatenate((partner, free)),
    )
