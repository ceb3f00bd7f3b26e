"""Agreement on units of a continuum: u-alpha, and cu-alpha and (k)u-alpha of two annotators.

All are functions of sums over documents that all annotators (of a pair: both) have, without overlapping units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.agreement.coefficients import OUTSIDE, Patterns, Units, defined, ratio
from evenhand.arrays import Bools, Ints, Values, ints, ranges, zeros
from evenhand.dataclass import dataclass
from evenhand.statistics.bootstrap import Seed
from evenhand.tasks.chains.assignment import best_cells

# == agreement/alpha_u.py: Krippendorff's alpha_U: agreement on where the units of one


@dataclass(frozen=True)
class Disagreement:
    """The observed and the expected disagreement on the units of one label."""

    observed: float
    expected: float

    @property
    def alpha(self) -> float | None:
        return alpha_u([self])


def alpha_u(disagreements: Iterable[Disagreement]) -> float | None:
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
    both = (
        np.array([(disagreement.observed, disagreement.expected) for disagreement in disagreements])
        .reshape(-1, 2)
        .sum(axis=0)
    )
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
    lengths = np.concatenate([annotator.length for annotator in annotators]).astype(np.float64)
    if not len(lengths):
        return 0.0
    gaps = np.sort(np.concatenate([_gaps(annotator, length) for annotator in annotators])).astype(np.float64)
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


# == agreement/continuum.py: The units of all annotators, which documents put end to end


class Continuum:
    """Units by document, collected portion by portion; unlike counts, they are all kept."""

    def __init__(self, annotators: int) -> None:
        self._units: list[list[tuple[Ints, Units]]] = [[] for _ in range(annotators)]
        self._lengths: dict[int, int] = {}

    def add(self, documents: Ints, lengths: Ints, units: Sequence[Units]) -> None:
        """Add a portion: the document and the length of each sentence, and the units of each annotator."""
        first = np.cumsum(lengths) - lengths
        found, place = np.unique(documents, return_index=True)
        before = np.array([self._lengths.get(document, 0) for document in found.tolist()], dtype=np.int64)
        shift = before - first[place]
        for side, unit in enumerate(units):
            document = documents[np.searchsorted(first, unit.start, side="right") - 1]
            moved = shift[np.searchsorted(found, document)]
            self._units[side].append((document, replace(unit, start=unit.start + moved, end=unit.end + moved)))
        sizes = np.bincount(np.searchsorted(found, documents), lengths, minlength=len(found))
        for document, size in zip(found.tolist(), sizes.astype(np.int64).tolist(), strict=True):
            self._lengths[document] = self._lengths.get(document, 0) + size

    def documents(self, one: int, other: int, kept: Bools) -> Iterator[tuple[Units, Units, int]]:
        """The units of two annotators, document by document, and how many atoms each has."""
        sides = [self._by_document(side) for side in (one, other)]
        for document in np.flatnonzero(kept).tolist():
            first, second = (side.get(document, Units.of([])) for side in sides)
            yield first, second, self._lengths[document]

    def _by_document(self, side: int) -> dict[int, Units]:
        """The units of an annotator by document, counted from its begin."""
        all_units, document = self._joined(side)
        order = np.lexsort((all_units.end, all_units.start, document))
        ordered, document = all_units.take(order), document[order]
        numbers, first = np.unique(document, return_index=True)
        parts = np.split(np.arange(len(document)), first[1:])
        return {number: ordered.take(rows) for number, rows in zip(numbers.tolist(), parts, strict=False)}

    def labels(self, annotators: Sequence[int], kept: Bools) -> dict[int, Disagreement | int]:
        """By label, the disagreement in the documents that are kept.

        Where an annotator's units of the label overlap, it is the number of this annotator instead.
        """
        lengths = zeros(len(kept)).copy()
        lengths[list(self._lengths)] = list(self._lengths.values())
        lengths[~kept] = 0
        begins, size = np.cumsum(lengths) - lengths, int(lengths.sum())
        sides = [self._on_one_text(side, kept, begins) for side in annotators]
        labels: dict[int, Disagreement | int] = {}
        for label in sorted({label for side in sides for label in np.unique(side.label).tolist()}):
            mine = [side.take(side.label == label) for side in sides]
            stacked = [side for side, each in zip(annotators, mine, strict=True) if each.overlapping()]
            labels[label] = stacked[0] if stacked else disagreement(mine, size)
        return labels

    def _on_one_text(self, side: int, kept: Bools, begins: Ints) -> Units:
        """The units of an annotator, counted from the begin of the first document."""
        units, document = self._joined(side)
        rows = np.flatnonzero(kept[document])
        units, moved = units.take(rows), begins[document[rows]]
        order = np.lexsort((units.end + moved, units.start + moved))
        return replace(units, start=units.start + moved, end=units.end + moved).take(order)

    def _joined(self, side: int) -> tuple[Units, Ints]:
        """All units of an annotator, and the document of each."""
        parts = self._units[side]
        document = np.concatenate([each for each, _ in parts])
        start, end, label, first = (
            np.concatenate([getattr(units, name) for _, units in parts]) for name in ("start", "end", "label", "first")
        )
        return Units(start, end, label, first), document


# == agreement/gamma.py: Gamma: agreement on the places and labels of units at once,


_ALONE = 1.0
"""What a unit costs that is aligned with none."""
_REACH = 2**0.5
"""Up to how many times the sum of their lengths units may be apart and still be worth aligning."""


def disorder(one: Units, other: Units) -> float:
    """The disorder of two annotators' units; there must be some."""
    units = len(one) + len(other)
    left, right = _near(one, other)
    gain = 2 * _ALONE - dissimilarity(one.take(left), other.take(right))
    worth = gain > 0
    left, right, gain = left[worth], right[worth], gain[worth]
    chosen = best_cells(left, right, gain)
    return float((units * _ALONE - gain[chosen].sum()) / (units / 2))


def dissimilarity(one: Units, other: Units) -> Values:
    """d(u, v) of units in pairs."""
    apart = np.abs(one.start - other.start) + np.abs(one.end - other.end)
    found: Values = (apart / (one.length + other.length)) ** 2 + (one.label != other.label)
    return found


def _near(one: Units, other: Units) -> tuple[Ints, Ints]:
    """The rows of all pairs whose places may be worth aligning; units are in the order of the text."""
    reach = np.ceil(_REACH * (one.length + other.length.max(initial=0)))
    first = np.searchsorted(other.start, one.start - reach)
    count = np.searchsorted(other.start, one.start + reach, side="right") - first
    return np.repeat(np.arange(len(one)), count), ranges(first, count)


def gamma(documents: Iterable[tuple[Units, Units, int]], samples: int, seed: Sequence[int]) -> float | None:
    """Gamma: agreement on the places and labels of units at once, against texts whose units are moved at random.

    The dissimilarity of two units is d(u, v) = ((|b_u - b_v| + |e_u - e_v|) / (l_u + l_v))² + [labels differ]. Units of
    two annotators are aligned one to one, and a unit that is left alone costs 1. The disorder is the least total cost
    of an alignment, divided by the mean number of units. gamma = 1 - observed disorder / mean disorder of samples.

    A sample has two texts. Each takes one of the two annotators at random and moves its units by a random whole number
    of atoms; units that then begin behind the end of the document go on at its begin. The two numbers differ by half
    the mean length of units at least. Over several documents, disorders are multiplied by the mean numbers of units and
    added up.

    Source: Mathet, Widlöcher and Métivier 2015, for two annotators.
    """
    observed = expected = 0.0
    found = False
    for number, (one, other, length) in enumerate(documents):
        units = (len(one) + len(other)) / 2
        if units:
            found = True
            observed += units * disorder(one, other)
            expected += units * sampled_disorder(one, other, length, samples, (*seed, number))
    if not found or observed > expected == 0:
        return None
    return 1 - observed / expected if observed else 1.0


def sampled_disorder(one: Units, other: Units, length: int, samples: int, seed: Seed) -> float:
    """The mean disorder of samples of a document with so many atoms."""
    random = np.random.default_rng(seed)
    return float(np.mean([disorder(*_sample(one, other, length, random)) for _ in range(samples)]))


def _sample(one: Units, other: Units, length: int, random: np.random.Generator) -> tuple[Units, Units]:
    """Two texts with units at random places."""
    lengths = np.append(one.length, other.length)
    least = min(lengths.mean() / 2, (length - 1) / 2)  # so that there is always another number
    while True:
        chosen = [(one, other)[side] for side in random.integers(0, 2, 2).tolist()]
        if any(map(len, chosen)):
            break
    first = int(random.integers(0, length))
    second = int(random.integers(0, length))
    while abs(first - second) < least:
        second = int(random.integers(0, length))
    return _moved(chosen[0], first, length), _moved(chosen[1], second, length)


def _moved(units: Units, by: int, length: int) -> Units:
    """Units at other places, in the order of the text; what would begin behind its end goes on at its begin."""
    start = units.start + by
    start = np.where(start >= length, start - length, start)
    order = np.argsort(start, kind="stable")
    moved = replace(units, start=start, end=start + units.length)
    return moved.take(order)


# == agreement/unitizing.py (primary)


def continuum_rows(patterns: Patterns) -> Values:
    """For each pattern Σ_c o_cc, o_φφ, 0 for the squares of lengths, and for each code what it adds to n_c; φ first."""
    frequencies, complete = patterns.frequencies, patterns.raters == patterns.annotators
    equal = frequencies * (frequencies - 1) / max(patterns.annotators - 1, 1)
    columns = (equal.sum(axis=1), equal[:, OUTSIDE], np.zeros(len(patterns)), *frequencies.T)
    rows: Values = np.stack(columns, axis=1) * complete[:, None]
    return rows


SQUARES = 2
"""The column of `continuum_rows` to which the squares of the lengths of units are added."""


def squares(units: Units) -> Ints:
    """l² of each unit."""
    return units.length**2


def u_alpha_of(sums: Values) -> Values:
    """u-alpha, agreement on units with their labels: 1 - (n - Σ_c o_cc) / (n - Σ_c e_cc).

    o_ck, n_c and n are the coincidences of alpha over all atoms, where φ stands for gaps. With s_c = Σ l² over the
    units labelled c, s_φ = n_φ, and s their sum, e_ck = n (n_c n_k - [c = k] s_c) / (n² - s).

    Source: Krippendorff, Mathet, Bouvry and Widlöcher 2016, equations 1 to 6.
    """
    total, all_squares = _sizes(sums)
    expected = ratio(total * ((sums[..., 3:] ** 2).sum(axis=-1) - all_squares), total**2 - all_squares)
    return 1 - ratio(total - sums[..., 0], total - expected)


def u_alpha_binary_of(sums: Values) -> Values:
    """|u-alpha, agreement on what is a unit and what a gap: 1 - (n_φ - o_φφ) / (Σ_k e_φk - e_φφ).

    Source: Krippendorff, Mathet, Bouvry and Widlöcher 2016.
    """
    total, all_squares = _sizes(sums)
    gaps = sums[..., 3]
    return 1 - ratio(gaps - sums[..., 1], ratio(total * gaps * (total - gaps), total**2 - all_squares))


def _sizes(sums: Values) -> tuple[Values, Values]:
    """n and s."""
    return sums[..., 3:].sum(axis=-1), sums[..., SQUARES] + sums[..., 3]


def shared_rows(patterns: Patterns) -> Values:
    """For each pattern of two annotators and each label k: o*_kk and n*_k, and 0 for t_k; only where both label."""
    both: Bools = np.all(patterns.codes > OUTSIDE, axis=1)
    frequencies = patterns.frequencies[:, 1:] * both[:, None]
    return np.concatenate((frequencies * (frequencies - 1), frequencies, np.zeros_like(frequencies)), axis=1)


def overlaps(units: Units, others: Sequence[Units], rank: Ints, size: int) -> list[Ints]:
    """For each other annotator and each unit, the square of how many of its atoms the other one labels.

    `rank` numbers the `size` atoms that anybody labels, so that those of a unit follow each other.
    """
    overlaps = []
    begin, end = rank[units.start], rank[units.end - 1] + 1
    for other in others:
        labeled = np.zeros(size + 1, dtype=np.int64)
        labeled[rank[other.atoms()[0]] + 1] = 1
        before = np.cumsum(labeled)
        overlaps.append(ints(before[end] - before[begin]) ** 2)
    return overlaps


def cu_alpha_of(sums: Values) -> Values:
    """cu-alpha, agreement of two annotators on labels where both see units: 1 - (n* - Σ o*_cc) / (n* - Σ e*_cc).

    o* are the coincidences without gaps, n*_c and n* their sums; t_c is the sum over units labelled c, of either
    annotator, of (atoms of it that the other labels)², and t = Σ t_c. e*_ck = (n*_c n*_k - [c = k] t_c) / (n* - t/n*).

    Source: Krippendorff, Mathet, Bouvry and Widlöcher 2016, equations 10 to 12.
    """
    equal, codes, crossing = np.split(sums, 3, axis=-1)
    total, weight = codes.sum(axis=-1), crossing.sum(axis=-1)
    expected = ratio((codes**2).sum(axis=-1) - weight, total - ratio(weight, total))
    return 1 - ratio(total - equal.sum(axis=-1), total - expected)


def ku_alpha_of(sums: Values) -> Values:
    """(k)u-alpha of each label k: 1 - (e*_k. / n*_k) (n*_k - o*_kk) / (e*_k. - e*_kk), in the terms of cu-alpha.

    Source: Krippendorff, Mathet, Bouvry and Widlöcher 2016, equation 13.
    """
    equal, codes, crossing = np.split(sums, 3, axis=-1)
    total = codes.sum(axis=-1)[..., None]
    scale = total - ratio(crossing.sum(axis=-1)[..., None], total)
    row = ratio(codes * total - crossing, scale)
    others = ratio(codes * (total - codes), scale)
    return 1 - ratio(ratio(row, codes) * (codes - equal), others)
