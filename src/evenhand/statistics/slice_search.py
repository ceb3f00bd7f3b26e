"""Search for slices in which a system is worse, or in which two systems differ.

A unit u has the error e_u: 1 if it is wrong, else 0; for systems A and B, e_u = e_u(B) - e_u(A). A *slice* s is a value
of an attribute, or a pair of values of two attributes. It is searched if at least 20 units are inside, at least 20 are
outside, and its units are in at least 8 documents. With N units of mean error ē, n_s of which are inside, document d
contributes

- against the rest: u_ds = sum over its units of (e - ē) ([in s] / n_s - [not in s] / (N - n_s)), which adds up to the
  difference of the error rates inside and outside;
- against 0: u_ds = sum over its units in s of e / n_s, which adds up to the difference of the systems inside.

One system is compared with the rest, one-sided: slices with more errors. Two systems are compared with 0, two-sided.
Their difference inside is not compared with that outside. If one of two systems is better everywhere, such a test found
slices in up to 24 % of simulations, because rare differences of one sign make T skewed.

T_s = sum_d(u_ds) / sqrt(sum_d(u_ds²)) is robust against errors that cluster in documents. 0 if all u_ds are 0.

**max-T.** Each of 999 trials flips the signs of random documents, with the same signs for all slices. The slices are
ordered by T, and those up to slice s have been rejected before it is tested:
p_s = (1 + number of trials with max(T* of the slices not yet rejected) >= T_s) / 1000, and at least the p of the slice
before it. The probability of any false slice among those with p <= alpha is at most about alpha. One-sided tests take
T, two-sided ones |T|.

**Shadows.** Slices that overlap a bad one are worse, too. The list therefore takes the rejected slice with the largest
T, removes its units, searches the others again, and goes on while a slice is significant there that was rejected in the
first search; it has at most 10 slices. Each is a rejection of the first search, so its error rate holds.

**Detectable difference.** The test of slice s is significant if T_s exceeds c, the quantile 1 - alpha of the maxima
of the trials. With D documents, se = sqrt(sum_d(u_ds²)) and se0 = sqrt(se² + delta² / D), its power is
Phi((delta - c se0) / se), as in [Power](statistics.md#power). The detectable difference has a power of 80 %; there is
none if c² >= D.

Sources: Westfall and Young 1993 for step-down tests of the maximum; Romano and Wolf 2005 for their validity under
dependence; Canay et al. 2017 for sign flips of clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from statistics import NormalDist
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values, empty
from evenhand.dataclass import dataclass
from evenhand.statistics.bootstrap import Seed, add_up, stream

FEWEST_UNITS, FEWEST_DOCUMENTS = 20, 8
"""The minimum number of units inside and outside a slice, and of documents with units inside."""
FLIPS = 999
MOST_LISTED = 10
POWER = 0.8
_CELLS = 2**23
"""Maximum number of contributions (documents times slices) that are in memory at a time."""
_ROUNDING = 1e-6
"""Maxima up to this much below T, in relation to it, count as equal: products are in single precision."""
_NOTHING = 1e-24
"""Sums of squares up to this are rounding errors."""
Contrast = Literal["rest", "zero"]
"""What the error rate of a slice is compared with."""


@dataclass(frozen=True)
class SearchSettings:
    """What the search tests, and at which level."""

    contrast: Contrast = "rest"
    two_sided: bool = False
    alpha: float = 0.05
    seed: Seed = 0


Parts = tuple[tuple[int, int], ...]
"""The attributes of a slice and their values: one, or two."""


@dataclass(frozen=True)
class Membership:
    """Which units are in which slices: sparse entries, sorted by document."""

    parts: tuple[Parts, ...]
    """By slice."""
    slice: Ints
    unit: Ints
    """The slice and the unit of each entry."""
    document: Ints
    """(units): documents are numbered from 0."""

    @property
    def slices(self) -> int:
        return len(self.parts)

    @cached_property
    def documents(self) -> int:
        """The number of documents."""
        return int(self.document.max(initial=-1)) + 1

    def units(self, slice: int) -> Ints:
        """The units of a slice."""
        return np.sort(self.unit[self.slice == slice])

    def without(self, units: Bools) -> Membership:
        """The same slices without some units."""
        kept = ~units[self.unit]
        return replace(self, slice=self.slice[kept], unit=self.unit[kept])

    def counts(self) -> tuple[Ints, Ints]:
        """By slice: the number of its units, and of their documents."""
        pairs = np.unique(self.document[self.unit] * self.slices + self.slice)
        inside = np.bincount(self.slice, minlength=self.slices)
        return inside, np.bincount(pairs % max(1, self.slices), minlength=self.slices)

    def blocks(self) -> Iterator[tuple[int, int, Ints, Ints]]:
        """Consecutive documents, first and end, whose contributions fit into memory; slices and units of entries."""
        step = max(1, _CELLS // max(1, self.slices))
        document = self.document[self.unit]
        for first in range(0, self.documents, step):
            last = min(first + step, self.documents)
            begin, end = np.searchsorted(document, (first, last)).tolist()
            yield first, last, self.slice[begin:end], self.unit[begin:end]


def membership(attributes: Sequence[Ints], document: Ints) -> Membership:
    """All values of attributes, and all pairs of values of two attributes, with enough units and documents.

    `attributes` has the codes of the value of each unit; -1 for none. Single values precede pairs.
    """
    _, document = np.unique(document, return_inverse=True)
    parts, slices, units = list[Parts](), [empty()], [empty()]
    singles = [_large_enough(codes, document) for codes in attributes]
    for number, (values, of_unit) in enumerate(singles):
        units.append(np.flatnonzero(of_unit >= 0))
        slices.append(of_unit[units[-1]] + len(parts))
        parts += [((number, value),) for value in values.tolist()]
    for one, other in combinations(range(len(singles)), 2):
        (ones, of_one), (others, of_other) = singles[one], singles[other]
        code = np.where((of_one < 0) | (of_other < 0), -1, of_one * len(others) + of_other)
        pairs, of_unit = _large_enough(code, document)
        units.append(np.flatnonzero(of_unit >= 0))
        slices.append(of_unit[units[-1]] + len(parts))
        both = ones[pairs // max(1, len(others))].tolist(), others[pairs % max(1, len(others))].tolist()
        parts += [((one, first), (other, second)) for first, second in zip(*both, strict=True)]
    entries = np.concatenate(units)
    order = np.argsort(document[entries], kind="stable")
    return Membership(tuple(parts), np.concatenate(slices)[order], entries[order], document)


def _large_enough(codes: Ints, document: Ints) -> tuple[Ints, Ints]:
    """The codes with enough units inside, outside and documents, and for each unit the index of its code, or -1."""
    values, index = np.unique(codes, return_inverse=True)
    units = np.bincount(index)
    documents = np.bincount(np.unique(document * len(values) + index) % max(1, len(values)))
    kept = np.flatnonzero(_is_searched(units, documents, len(codes)) & (values >= 0))
    number = np.full(len(values), -1)
    number[kept] = np.arange(len(kept))
    return values[kept], number[index]


def _is_searched(units: Ints, documents: Ints, total: int) -> Bools:
    return (units >= FEWEST_UNITS) & (total - units >= FEWEST_UNITS) & (documents >= FEWEST_DOCUMENTS)


@dataclass(frozen=True)
class SliceTests:
    """The tests of all slices on some units: columns by slice."""

    is_searched: Bools
    units: Ints
    documents: Ints
    inside: Values
    """The mean error of the units inside; for two systems, the mean of its difference."""
    outside: Values
    statistic: Values
    """T."""
    error: Values
    """The standard error of what T tests: the root of the sum of squares of the documents' contributions."""
    p: Values
    """Adjusted; 1 for slices that are not searched."""
    critical: float
    """The quantile 1 - alpha of the maxima of the trials."""
    total_documents: int
    """Number of documents with units."""

    def detectable(self, power: float = POWER) -> Values:
        """By slice: the smallest difference whose test has this power; NaN if there is none."""
        quantile = NormalDist().inv_cdf(power)
        # Phi((delta - c se0) / se) = power is a quadratic equation in delta.
        slope = 1 - self.critical**2 / max(1, self.total_documents)
        if slope <= 0 or not np.isfinite(self.critical):
            return np.full(len(self.error), np.nan)
        root = np.sqrt(quantile**2 - slope * (quantile**2 - self.critical**2))
        delta: Values = self.error * (quantile + root) / slope
        return np.where(self.error > 0, delta, np.nan)


def search(members: Membership, error: Values, settings: SearchSettings, without: Bools | None = None) -> SliceTests:
    """Test all slices. `error` has e of each unit; units that `without` marks are left out."""
    present = np.ones(len(error), dtype=np.bool_) if without is None else ~without
    members = members if without is None else members.without(without)
    units, documents = members.counts()
    total, outside = int(present.sum()), int(present.sum()) - units
    mean = float(error[present].mean()) if total and settings.contrast == "rest" else 0.0
    centred = np.where(present, error - mean, 0.0)
    sums, squares, trials = _contributions(members, centred, units, outside, settings)
    is_searched = _is_searched(units, documents, total) & (squares > _NOTHING)
    searched = np.flatnonzero(is_searched)
    spread = np.sqrt(squares[searched])
    drawn, observed = trials[:, searched] / spread, sums[searched] / spread
    if settings.two_sided:
        p, critical = _adjusted(np.abs(drawn), np.abs(observed), settings.alpha)
    else:
        p, critical = _adjusted(drawn, observed, settings.alpha)
    statistic, standard_error, adjusted = np.zeros(members.slices), np.zeros(members.slices), np.ones(members.slices)
    statistic[searched], standard_error[searched], adjusted[searched] = observed, spread, p
    of_slice = np.bincount(members.slice, error[members.unit], members.slices).astype(np.float64)
    rest: Values = np.full(members.slices, error[present].sum()) - of_slice
    return SliceTests(
        is_searched,
        units,
        documents,
        _ratio(of_slice, units),
        _ratio(rest, outside),
        statistic,
        standard_error,
        adjusted,
        critical,
        len(np.unique(members.document[present])),
    )


def _ratio(sums: Values, sizes: Ints) -> Values:
    shares: Values = np.divide(sums, sizes, out=np.zeros(len(sums)), where=sizes > 0)
    return shares


def _contributions(
    members: Membership, centred: Values, units: Ints, outside: Ints, settings: SearchSettings
) -> tuple[Values, Values, Values]:
    """By slice: the sums of u_ds and of their squares over documents, and the sums of each trial, (flips, slices)."""
    sums, squares = np.zeros(members.slices), np.zeros(members.slices)
    trials = np.zeros((FLIPS, members.slices), dtype=np.float32)
    of_document = np.bincount(members.document, centred, members.documents)
    inside, beside = 1 / np.maximum(units, 1), 1 / np.maximum(outside, 1)
    for number, (first, last, slices, unit) in enumerate(members.blocks()):
        cell = (members.document[unit] - first) * members.slices + slices
        size = (last - first) * members.slices
        within = np.bincount(cell, centred[unit], size).reshape(last - first, members.slices)
        moved = within * inside
        if settings.contrast == "rest":
            moved -= (of_document[first:last, None] - within) * beside
        sums += moved.sum(axis=0)
        squares += (moved**2).sum(axis=0)
        signs = stream(settings.seed, number).integers(0, 2, (FLIPS, last - first), dtype=np.int8)
        trials += add_up((2 * signs - 1).astype(np.float32), moved.astype(np.float32))
    return sums, squares, trials.astype(np.float64)


def _adjusted(trials: Values, statistic: Values, alpha: float) -> tuple[Values, float]:
    """The step-down p of each slice, and the critical value of the first step."""
    if not len(statistic):
        return np.zeros(0), np.inf
    order = np.argsort(-statistic, kind="stable")
    highest = np.maximum.accumulate(trials[:, order[::-1]], axis=1)[:, ::-1]  # of a slice and all below it
    limit = statistic[order] - _ROUNDING * np.abs(statistic[order])
    p = (1 + np.count_nonzero(highest >= limit, axis=0)) / (FLIPS + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p)
    allowed = int(alpha * (FLIPS + 1))
    return adjusted, float(np.sort(highest[:, 0])[-max(1, allowed)])


@dataclass(frozen=True)
class ListedSlice:
    """A slice of the list: its number, its test, and its figures among the units that are left."""

    slice: int
    units: Ints
    """Its units that no slice before it in the list has."""
    inside: float
    outside: float
    statistic: float
    p: float


def without_shadows(
    members: Membership, error: Values, first: SliceTests, settings: SearchSettings, most: int = MOST_LISTED
) -> list[ListedSlice]:
    """The rejected slices without shadows; `first` are the tests of all units."""
    is_rejected = first.p <= settings.alpha
    taken = np.zeros(len(error), dtype=np.bool_)
    listed, tests = list[ListedSlice](), first
    while len(listed) < most:
        size = np.abs(tests.statistic) if settings.two_sided else tests.statistic
        candidates = np.flatnonzero(is_rejected & (tests.p <= settings.alpha))
        if not len(candidates):
            break
        best = int(candidates[np.argmax(size[candidates])])
        units = members.units(best)
        figures = (float(column[best]) for column in (tests.inside, tests.outside, tests.statistic, tests.p))
        listed.append(ListedSlice(best, units[~taken[units]], *figures))
        taken[units] = True
        tests = search(members, error, settings, taken)
    return listed
