"""Agreement on units of a continuum: u-alpha, and cu-alpha and (k)u-alpha of two annotators.

All are functions of sums over documents that all annotators (of a pair: both) have, without overlapping units.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.agreement.coefficients import ratio
from evenhand.agreement.patterns import OUTSIDE, Patterns
from evenhand.agreement.units import Units
from evenhand.arrays import Bools, Ints, Values, ints


def continuum_rows(patterns: Patterns) -> Values:
    """For each pattern Σ_c o_cc, o_φφ, 0 for the squares of lengths, and for each code what it adds to n_c; φ first."""
    frequencies, complete = patterns.frequencies, patterns.raters == patterns.annotators
    equal = frequencies * (frequencies - 1) / max(patterns.annotators - 1, 1)
    columns = (equal.sum(axis=1), equal[:, OUTSIDE], np.zeros(len(patterns)), *frequencies.T)
    found: Values = np.stack(columns, axis=1) * complete[:, None]
    return found


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
    found = []
    begin, end = rank[units.start], rank[units.end - 1] + 1
    for other in others:
        labeled = np.zeros(size + 1, dtype=np.int64)
        labeled[rank[other.atoms()[0]] + 1] = 1
        before = np.cumsum(labeled)
        found.append(ints(before[end] - before[begin]) ** 2)
    return found


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
