"""Unitizing coefficients: u-alpha, cu-alpha, (k)u-alpha, alpha_U and gamma.

u-alpha, cu-alpha and (k)u-alpha are functions of sums over documents that all annotators (of a pair: both) have,
without overlapping units. alpha_U and gamma are computed from the units themselves, which a `Continuum` collects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.agreement.coefficients import OUTSIDE, AnnotatorSpans, Patterns, defined, ratio
from evenhand.arrays import Bools, Ints, Values, ints, ranges, zeros
from evenhand.dataclass import dataclass
from evenhand.tasks.assignment import best_cells

SQUARES = 2
"""The column of `continuum_rows` to which the squares of the lengths of units are added."""
_ALONE = 1.0
"""The cost of an unaligned unit."""
_REACH = 2**0.5
"""Maximum distance of units that are worth aligning, as a multiple of the sum of their lengths."""


@dataclass(frozen=True)
class Disagreement:
    """The observed and the expected disagreement on the units of one label."""

    observed: float
    expected: float

    @property
    def alpha(self) -> float | None:
        return alpha_u([self])


def alpha_u(disagreements: Iterable[Disagreement]) -> float | None:
    """Krippendorff's alpha_U: agreement on the boundaries of units of one label, on one continuum.

    Each annotator cuts the continuum of L positions into units and gaps; gaps run across documents. m is the number of
    annotators.

        δ²(g, h) = (b_g - b_h)² + (e_g - e_h)²   two units that intersect
        δ²(g, h) = l_g²                          a unit inside a gap; else 0
        D_o = 2 Σ_{i<j} Σ δ² / (m (m - 1) L²)
        D_e = (2/L) Σ_g [(N - 1) (2 l³ - 3 l² + l) / 3 + l² Σ_h max(0, l_h - l + 1)] / (m L (m L - 1) - Σ_g l (l - 1))

    where g runs over the N units of all annotators and h over all gaps. alpha_U of a label is 1 - D_o / D_e; over all
    labels it is 1 - Σ D_o / Σ D_e.

    Source: Krippendorff 1995, 2004.
    """
    pairs = [(disagreement.observed, disagreement.expected) for disagreement in disagreements]
    observed, expected = np.array(pairs).reshape(-1, 2).sum(axis=0)
    return defined(1 - ratio(observed, expected))


def disagreement(annotators: Sequence[AnnotatorSpans], length: int) -> Disagreement:
    """The disagreement on units of one label, which do not overlap, in a continuum of `length` positions."""
    pairs = len(annotators) * (len(annotators) - 1)
    total = sum(_between(one, other) for one, other in combinations(annotators, 2))
    observed = 2 * total / (pairs * float(length) ** 2) if pairs and length else 0.0
    return Disagreement(observed, _expected(annotators, length))


def _between(one: AnnotatorSpans, other: AnnotatorSpans) -> float:
    """Σ δ² of two annotators."""
    first = np.searchsorted(other.end, one.start, side="right")
    count = np.searchsorted(other.start, one.end, side="left") - first
    left, right = np.repeat(np.arange(len(one)), count), ranges(first, count)
    begins, ends = one.start[left] - other.start[right], one.end[left] - other.end[right]
    intersects = np.zeros(len(other), dtype=np.bool_)
    intersects[right] = True
    alone = np.append(one.length[count == 0], other.length[~intersects])
    return float((_squared(begins) + _squared(ends)).sum() + _squared(alone).sum())


def _squared(values: Ints) -> Values:
    return values.astype(np.float64) ** 2


def _expected(annotators: Sequence[AnnotatorSpans], length: int) -> float:
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


def _gaps(units: AnnotatorSpans, length: int) -> Ints:
    """The lengths of gaps: before the first unit, between units and after the last one."""
    return ints(np.append(units.start, length) - np.append(0, units.end))


class Continuum:
    """The units of all annotators by document. Unlike counts, they are all kept."""

    def __init__(self, annotators: int) -> None:
        self._units: list[list[tuple[Ints, AnnotatorSpans]]] = [[] for _ in range(annotators)]
        self._lengths: dict[int, int] = {}

    def add(self, documents: Ints, lengths: Ints, units: Sequence[AnnotatorSpans]) -> None:
        """Add a part: the document and the length of each sentence, and the units of each annotator."""
        first = np.cumsum(lengths) - lengths
        distinct, index = np.unique(documents, return_index=True)
        before = np.array([self._lengths.get(document, 0) for document in distinct.tolist()], dtype=np.int64)
        shift = before - first[index]
        for side, unit in enumerate(units):
            document = documents[np.searchsorted(first, unit.start, side="right") - 1]
            moved = shift[np.searchsorted(distinct, document)]
            self._units[side].append((document, replace(unit, start=unit.start + moved, end=unit.end + moved)))
        sizes = np.bincount(np.searchsorted(distinct, documents), lengths, minlength=len(distinct))
        for document, size in zip(distinct.tolist(), sizes.astype(np.int64).tolist(), strict=True):
            self._lengths[document] = self._lengths.get(document, 0) + size

    def documents(self, one: int, other: int, kept: Bools) -> Iterator[tuple[AnnotatorSpans, AnnotatorSpans, int]]:
        """The units of two annotators, document by document, and the length of each document."""
        sides = [self._by_document(side) for side in (one, other)]
        for document in np.flatnonzero(kept).tolist():
            first, second = (side.get(document, AnnotatorSpans.of([])) for side in sides)
            yield first, second, self._lengths[document]

    def _by_document(self, side: int) -> dict[int, AnnotatorSpans]:
        all_units, document = self._joined(side)
        order = np.lexsort((all_units.end, all_units.start, document))
        ordered, document = all_units.take(order), document[order]
        numbers, first = np.unique(document, return_index=True)
        parts = np.split(np.arange(len(document)), first[1:])
        return {number: ordered.take(rows) for number, rows in zip(numbers.tolist(), parts, strict=False)}

    def labels(self, annotators: Sequence[int], kept: Bools) -> dict[int, Disagreement | int]:
        """The disagreement by label, in the documents that are kept.

        If an annotator's units of the label overlap, it is the number of this annotator instead.
        """
        lengths = zeros(len(kept)).copy()
        lengths[list(self._lengths)] = list(self._lengths.values())
        lengths[~kept] = 0
        begins, size = np.cumsum(lengths) - lengths, int(lengths.sum())
        sides = [self._on_one_text(side, kept, begins) for side in annotators]
        labels: dict[int, Disagreement | int] = {}
        for label in sorted({label for side in sides for label in np.unique(side.label).tolist()}):
            labeled = [side.take(side.label == label) for side in sides]
            stacked = [side for side, units in zip(annotators, labeled, strict=True) if units.overlapping()]
            labels[label] = stacked[0] if stacked else disagreement(labeled, size)
        return labels

    def _on_one_text(self, side: int, kept: Bools, begins: Ints) -> AnnotatorSpans:
        """The units of an annotator, in positions from the beginning of the first document."""
        units, document = self._joined(side)
        rows = np.flatnonzero(kept[document])
        units, moved = units.take(rows), begins[document[rows]]
        order = np.lexsort((units.end + moved, units.start + moved))
        return replace(units, start=units.start + moved, end=units.end + moved).take(order)

    def _joined(self, side: int) -> tuple[AnnotatorSpans, Ints]:
        parts = self._units[side]
        document = np.concatenate([documents for documents, _ in parts])
        start, end, label, first = (
            np.concatenate([getattr(units, name) for _, units in parts]) for name in ("start", "end", "label", "first")
        )
        return AnnotatorSpans(start, end, label, first), document


def disorder(one: AnnotatorSpans, other: AnnotatorSpans) -> float:
    """The disorder of two annotators' units; at least one must exist."""
    units = len(one) + len(other)
    left, right = _near(one, other)
    gain = 2 * _ALONE - dissimilarity(one.take(left), other.take(right))
    worth = gain > 0
    left, right, gain = left[worth], right[worth], gain[worth]
    return float((units * _ALONE - gain[best_cells(left, right, gain)].sum()) / (units / 2))


def dissimilarity(one: AnnotatorSpans, other: AnnotatorSpans) -> Values:
    """d(u, v) of pairs of units."""
    apart = np.abs(one.start - other.start) + np.abs(one.end - other.end)
    values: Values = (apart / (one.length + other.length)) ** 2 + (one.label != other.label)
    return values


def _near(one: AnnotatorSpans, other: AnnotatorSpans) -> tuple[Ints, Ints]:
    """The rows of all pairs close enough to be worth aligning; units are in the order of the text."""
    reach = np.ceil(_REACH * (one.length + other.length.max(initial=0)))
    first = np.searchsorted(other.start, one.start - reach)
    count = np.searchsorted(other.start, one.start + reach, side="right") - first
    return np.repeat(np.arange(len(one)), count), ranges(first, count)


def gamma(
    documents: Iterable[tuple[AnnotatorSpans, AnnotatorSpans, int]], samples: int, seed: Sequence[int]
) -> float | None:
    """Gamma: joint agreement on the positions and labels of units, compared with randomly shifted units.

    The dissimilarity of two units is d(u, v) = ((|b_u - b_v| + |e_u - e_v|) / (l_u + l_v))² + [labels differ]. Units of
    two annotators are aligned one to one, and an unaligned unit costs 1. The disorder is the minimum total cost of an
    alignment, divided by the mean number of units. gamma = 1 - observed disorder / mean disorder of samples.

    A sample has two texts. Each takes one of the two annotators at random and shifts its units by a random number of
    positions; units that then begin after the end of the document continue at its beginning. The two shifts differ by
    at least half the mean length of units. Over several documents, disorders are multiplied by the mean numbers of
    units and added up.

    Source: Mathet, Widlöcher and Métivier 2015, for two annotators.
    """
    observed = expected = 0.0
    has_units = False
    for number, (one, other, length) in enumerate(documents):
        units = (len(one) + len(other)) / 2
        if units:
            has_units = True
            observed += units * disorder(one, other)
            random = np.random.default_rng((*seed, number))
            disorders = [disorder(*_sample(one, other, length, random)) for _ in range(samples)]
            expected += units * float(np.mean(disorders))
    if not has_units or observed > expected == 0:
        return None
    return 1 - observed / expected if observed else 1.0


def _sample(
    one: AnnotatorSpans, other: AnnotatorSpans, length: int, random: np.random.Generator
) -> tuple[AnnotatorSpans, AnnotatorSpans]:
    minimum = min(np.append(one.length, other.length).mean() / 2, (length - 1) / 2)  # a second shift always exists
    while True:
        chosen = [(one, other)[side] for side in random.integers(0, 2, 2).tolist()]
        if any(map(len, chosen)):
            break
    first = int(random.integers(0, length))
    second = int(random.integers(0, length))
    while abs(first - second) < minimum:
        second = int(random.integers(0, length))
    return _moved(chosen[0], first, length), _moved(chosen[1], second, length)


def _moved(units: AnnotatorSpans, by: int, length: int) -> AnnotatorSpans:
    """Shift units, in the order of the text; those after the end of the document continue at its beginning."""
    start = units.start + by
    start = np.where(start >= length, start - length, start)
    return replace(units, start=start, end=start + units.length).take(np.argsort(start, kind="stable"))


def continuum_rows(patterns: Patterns) -> Values:
    """For each pattern Σ_c o_cc, o_φφ, 0 for the squares of lengths, and what it adds to n_c of each code; φ first."""
    frequencies, complete = patterns.frequencies, patterns.raters == patterns.annotators
    equal = frequencies * (frequencies - 1) / max(patterns.annotators - 1, 1)
    columns = (equal.sum(axis=1), equal[:, OUTSIDE], np.zeros(len(patterns)), *frequencies.T)
    rows: Values = np.stack(columns, axis=1) * complete[:, None]
    return rows


def u_alpha_of(sums: Values) -> Values:
    """u-alpha, agreement on units with their labels: 1 - (n - Σ_c o_cc) / (n - Σ_c e_cc).

    o_ck, n_c and n are the coincidences of alpha over all positions, where φ denotes gaps. With s_c = Σ l² over the
    units labelled c, s_φ = n_φ, and s their sum, e_ck = n (n_c n_k - [c = k] s_c) / (n² - s).

    Source: Krippendorff, Mathet, Bouvry and Widlöcher 2016, equations 1 to 6.
    """
    total, all_squares = _sizes(sums)
    expected = ratio(total * ((sums[..., 3:] ** 2).sum(axis=-1) - all_squares), total**2 - all_squares)
    return 1 - ratio(total - sums[..., 0], total - expected)


def u_alpha_binary_of(sums: Values) -> Values:
    """|u-alpha, agreement on units and gaps regardless of labels: 1 - (n_φ - o_φφ) / (Σ_k e_φk - e_φφ).

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


def overlaps(units: AnnotatorSpans, others: Sequence[AnnotatorSpans], rank: Ints, size: int) -> list[Ints]:
    """For each other annotator and each unit, the square of the number of its positions that the other one labels.

    `rank` numbers the `size` labeled positions, so the positions of a unit are consecutive.
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
    annotator, of (its positions that the other labels)²; t = Σ t_c. e*_ck = (n*_c n*_k - [c = k] t_c) / (n* - t/n*).

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
