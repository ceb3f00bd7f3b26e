"""Clusters of significance: systems that are not significantly worse than the best of their group share a letter.

Systems are taken by their scores under the first match model, the best first; equal scores by name. The first one opens
cluster A. Each further system is compared with the best system of the cluster that is open. With p the p-value of that
difference (approximate randomization), corrected for all n (n - 1) / 2 pairs of the n systems (Holm), the system joins
the cluster if p >= alpha. Otherwise it opens the next cluster, and is the best of that one. alpha is 1 - level: 0.05
unless another level is chosen.

So the best system of a cluster is significantly better than the best one of the next. Two other systems need not differ
significantly because their letters differ, nor be equally good because they share one.

Sources: Holm 1979 for the correction; Freitag et al. 2023 (WMT23 Metrics Shared Task) for clusters that are found
on the way down from the best system. They compare a system with all of the open cluster, Evenhand with its best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from evenhand.dataclass import dataclass
from evenhand.ranges import Count, Share


@dataclass(frozen=True)
class Placement:
    """The cluster of a system, and the comparison that put it there."""

    cluster: str
    """A letter; after Z come AA, AB and so on."""
    against: str | None
    """The best system of the cluster that was open; None for the best of all."""
    p_holm: Share | None
    """Of the difference from that system, corrected for the number of pairs."""


@dataclass(frozen=True)
class Clusters:
    """All systems with their clusters, and how these were made."""

    model: str
    """The match model whose scores were compared."""
    alpha: Share
    trials: Count
    systems: Mapping[str, Placement]

    def __getitem__(self, system: str) -> str:
        return self.systems[system].cluster


def placements(order: Sequence[str], p_values: Mapping[tuple[str, str], float], alpha: float) -> dict[str, Placement]:
    """The cluster of every system; `order` is from the best to the worst, and so is every pair with its p-value."""
    best, number = order[0], 0
    found = {best: Placement(_letters(number), None, None)}
    for system in order[1:]:
        against, p = best, p_values[best, system]
        if p < alpha:
            best, number = system, number + 1
        found[system] = Placement(_letters(number), against, p)
    return found


def _letters(number: int) -> str:
    """A to Z, AA to ZZ, and so on."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letters(before - 1) if before else "") + ascii_uppercase[last]
