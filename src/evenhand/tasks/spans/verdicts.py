"""Verdicts: what a judge says of every unit, and what it matched to what."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.kinds import BEL, BEO, BES, FN, FP, LBE, LEFT, RIGHT
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Verdicts:
    """One row a unit: every gold span, in order, then every system span that no gold span's verdict used up.

    `gold` and `system` are rows of the two layers, -1 where a unit has none. `edge` says for boundary errors which
    boundary agrees. `step` is the pass that matched (1, 2 or 3; 0 for equal bounds and for nothing matched).
    """

    kind: Ints
    gold: Ints
    system: Ints
    edge: Ints
    step: Ints

    def __len__(self) -> int:
        return len(self.kind)


class Matching:
    """Verdicts in the making: what each span of the two sides has been matched to."""

    def __init__(self, gold: Spans, system: Spans) -> None:
        self.gold, self.system = gold, system
        self.gold_kind = np.full(len(gold), FN, dtype=np.int64)
        self.gold_partner = np.full(len(gold), -1, dtype=np.int64)
        self.gold_step = np.zeros(len(gold), dtype=np.int64)
        self.system_kind = np.full(len(system), FP, dtype=np.int64)
        self.system_partner = np.full(len(system), -1, dtype=np.int64)
        self.system_step = np.zeros(len(system), dtype=np.int64)

    def pair(self, gold: Ints, system: Ints, kind: Ints | int, step: int = 0) -> None:
        """Match spans with each other; in step 2 the system spans, in step 3 the gold spans have partners already."""
        if step != 3:
            self.gold_kind[gold], self.gold_partner[gold], self.gold_step[gold] = kind, system, step
        if step != 2:
            self.system_kind[system], self.system_partner[system], self.system_step[system] = kind, gold, step

    def overlap(self, gold: Ints, system: Ints) -> Bools:
        """Which pairs of rows, each within one scope, overlap without having equal bounds."""
        start, end = self.gold.start[gold], self.gold.end[gold]
        other_start, other_end = self.system.start[system], self.system.end[system]
        found: Bools = (start < other_end) & (other_start < end) & ((start != other_start) | (end != other_end))
        return found

    def boundary_kind(self, gold: Ints, system: Ints) -> Ints:
        """BES where the system's span lies inside the gold span, BEL where it contains it, BEO where they cross.

        The original bounds decide (Ortmann 2022, section 2.1).
        """
        start, end = self.system.start[system] - self.gold.start[gold], self.system.end[system] - self.gold.end[gold]
        return np.where((start >= 0) & (end <= 0), BES, np.where((start <= 0) & (end >= 0), BEL, BEO))

    def verdicts(self) -> Verdicts:
        """The units: gold spans, then the system spans that are units of their own."""
        surplus = np.flatnonzero((self.system_step == 3) | (self.system_kind == FP))
        kind = np.concatenate((self.gold_kind, self.system_kind[surplus]))
        gold = np.concatenate((np.arange(len(self.gold)), self.system_partner[surplus]))
        system = np.concatenate((self.gold_partner, surplus))
        step = np.concatenate((self.gold_step, self.system_step[surplus]))
        return Verdicts(kind, gold, system, self._edges(kind, gold, system), step)

    def _edges(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        edge = np.zeros(len(kind), dtype=np.int64)
        rows = np.flatnonzero((kind >= BES) & (kind <= LBE))
        left, right = gold[rows], system[rows]
        edge[rows[self.gold.start[left] == self.system.start[right]]] = LEFT
        edge[rows[self.gold.end[left] == self.system.end[right]]] = RIGHT
        return edge
