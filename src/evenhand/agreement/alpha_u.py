"""Krippendorff's alpha_U: agreement on where the units of one label begin and end, on one continuum.

Each annotator cuts the continuum of L atoms into units and gaps; gaps run across documents. m is the number of
annotators.

    δ²(g, h) = (b_g - b_h)² + (e_g - e_h)²   two units that intersect
    δ²(g, h) = l_g²                          a unit inside a gap; else 0
    D_o = 2 Σ_{i<j} Σ δ² / (m (m - 1) L²)
    D_e = (2/L) Σ_g [(N - 1) (2 l³ - 3 l² + l) / 3 + l² Σ_h max(0, l_h - l + 1)] / (m L (m L - 1) - Σ_g l (l - 1))

where g runs over the N units of all annotators and h over all gaps. alpha_U of a label is 1 - D_o / D_e; over all
labels it is 1 - Σ D_o / Σ D_e.

Source: Krippendorff 1995, 2004.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from evenhand.agreement.coefficients import defined, ratio
from evenhand.agreement.units import Units
from evenhand.arrays import Ints, Values, ints, ranges
from evenhand.dataclass import dataclass


@dataclass(frozen=True)
class Disagreement:
    """The observed and the expected disagreement on the units of one label."""

    observed: float
    expected: float

    @property
    def alpha(self) -> float | None:
        return alpha_u([self])


def alpha_u(disagreements: Iterable[Disagreement]) -> float | None:
    """alpha_U over some labels; None where no disagreement is expected."""
    both = np.array([(each.observed, each.expected) for each in disagreements]).reshape(-1, 2).sum(axis=0)
    return defined(1 - ratio(both[0], both[1]))


def disagreement(annotators: Sequence[Units], length: int) -> Disagreement:
    """The disagreement on units of one label, which do not overlap, in a continuum of so many atoms."""
    pairs = len(annotators) * (len(annotators) - 1)
    total = sum(_between(one, other) for one, other in combinations(annotators, 2))
    observed = 2 * total / (pairs * float(length) ** 2) if pairs and length else 0.0
    return Disagreement(observed, _expected(annotators, length))


def _between(one: Units, other: Units) -> float:
    """Σ δ² of two annotators."""
    first = np.searchsorted(other.end, one.start, side="right")
    count = np.searchsorted(other.start, one.end, side="left") - first
    mine, theirs = np.repeat(np.arange(len(one)), count), ranges(first, count)
    begins, ends = one.start[mine] - other.start[theirs], one.end[mine] - other.end[theirs]
    met = np.zeros(len(other), dtype=np.bool_)
    met[theirs] = True
    alone = np.append(one.length[count == 0], other.length[~met])
    return float((_squared(begins) + _squared(ends)).sum() + _squared(alone).sum())


def _squared(values: Ints) -> Values:
    return values.astype(np.float64) ** 2


def _expected(annotators: Sequence[Units], length: int) -> float:
    lengths = np.concatenate([each.length for each in annotators]).astype(np.float64)
    if not len(lengths):
        return 0.0
    gaps = np.sort(np.concatenate([_gaps(each, length) for each in annotators])).astype(np.float64)
    longer = np.searchsorted(gaps, lengths, side="left")
    from_end = np.append(np.cumsum(gaps[::-1])[::-1], 0.0)
    room = from_end[longer] - (len(gaps) - longer) * (lengths - 1)
    crossing = (len(lengths) - 1) * (2 * lengths**3 - 3 * lengths**2 + lengths) / 3
    size = float(len(annotators) * length)
    ways = size * (size - 1) - (lengths * (lengths - 1)).sum()
    return float(2 / length * (crossing + lengths**2 * room).sum() / ways) if ways else 0.0


def _gaps(units: Units, length: int) -> Ints:
    """The lengths of what lies between units, before the first and behind the last one."""
    return ints(np.append(units.start, length) - np.append(0, units.end))
