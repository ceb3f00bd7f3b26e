"""Chance-corrected agreement over codes: Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1.

Every coefficient is a function of sums over atoms, so that counts of documents add up and can be resampled. `rows`
says what one atom of each pattern adds to the sums; `value` makes the coefficient of sums, whose last axis has the
columns of `rows`. Atoms with fewer than two codes add nothing. r_i is the number of codes of atom i, r_ik how many of
them are k. A coefficient is undefined (not a number) where it would be 0/0: without atoms that two annotators have, or
where there is one code only.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from evenhand.agreement.patterns import Patterns
from evenhand.arrays import Values
from evenhand.dataclass import dataclass


@dataclass(frozen=True)
class Coefficient:
    """How a coefficient is counted and computed."""

    name: str
    rows: Callable[[Patterns], Values]
    value: Callable[[Values], Values]
    expected: Callable[[Values], Values] | None = None
    """The agreement that chance would give, where the coefficient has such a term."""

    def of(self, patterns: Patterns, counts: Values) -> float | None:
        """The coefficient of patterns that occur so often; None where it is undefined."""
        return defined(self.value(counts @ self.rows(patterns)))


def defined(value: Values | float) -> float | None:
    """A number, or None for one that is undefined."""
    return None if np.isnan(value) else float(value)


def ratio(numerator: Values, denominator: Values) -> Values:
    """A fraction, undefined where it divides by nothing."""
    found: Values = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.asarray(denominator) != 0)
    return found


def _corrected(observed: Values, expected: Values) -> Values:
    """The share of the agreement beyond chance that was reached."""
    return ratio(observed - expected, 1 - expected)


def _agreeing(patterns: Patterns) -> Values:
    """For each pattern the share of pairs of codes that are equal, and 1; 0 and 0 where it cannot be paired."""
    pairs = patterns.raters * (patterns.raters - 1.0)
    equal = (patterns.frequencies * (patterns.frequencies - 1)).sum(axis=1)
    share = np.divide(equal, pairs, out=np.zeros(len(patterns)), where=pairs > 0)
    return np.stack((share, patterns.pairable.astype(np.float64)), axis=1)


def _shares(patterns: Patterns) -> Values:
    """The same, and for each code its share r_ik / r_i."""
    shares = patterns.frequencies / np.maximum(patterns.raters, 1)[:, None]
    return np.concatenate((_agreeing(patterns), shares * patterns.pairable[:, None]), axis=1)


def observed_of(sums: Values) -> Values:
    """Observed agreement: the mean over atoms of Σ_k r_ik (r_ik - 1) / (r_i (r_i - 1))."""
    return ratio(sums[..., 0], sums[..., 1])


def _mean_shares(sums: Values) -> Values:
    return ratio(sums[..., 2:], sums[..., 1:2])


def fleiss_expected(sums: Values) -> Values:
    """Σ_k p_k², where p_k is the mean over atoms of r_ik / r_i."""
    expected: Values = (_mean_shares(sums) ** 2).sum(axis=-1)
    return expected


def fleiss_of(sums: Values) -> Values:
    """Fleiss' kappa: (observed - p_e) / (1 - p_e) with p_e = Σ_k p_k², p_k the mean over atoms of r_ik / r_i.

    Source: Fleiss 1971; with missing codes Gwet 2014.
    """
    return _corrected(observed_of(sums), fleiss_expected(sums))


def ac1_expected(sums: Values) -> Values:
    """Σ_k p_k (1 - p_k) / (q - 1) over the q codes that occur."""
    shares = _mean_shares(sums)
    occurring = (shares > 0).sum(axis=-1)
    return ratio((shares * (1 - shares)).sum(axis=-1), occurring - 1.0)


def ac1_of(sums: Values) -> Values:
    """Gwet's AC1: (observed - p_e) / (1 - p_e) with p_e = Σ_k p_k (1 - p_k) / (q - 1), where q codes occur.

    Source: Gwet 2008.
    """
    return _corrected(observed_of(sums), ac1_expected(sums))


def _coincidences(patterns: Patterns) -> Values:
    """For each pattern Σ_c o_cc, and for each code what it adds to n_c: r_ic."""
    frequencies, kept = patterns.frequencies, patterns.pairable
    equal = (frequencies * (frequencies - 1)).sum(axis=1)
    equal = np.where(kept, equal / np.maximum(patterns.raters - 1, 1), 0)
    return np.concatenate((equal[:, None], frequencies * kept[:, None]), axis=1)


def coincidences_of(sums: Values) -> Values:
    """The share of coincidences that match: Σ_c o_cc / n."""
    return ratio(sums[..., 0], sums[..., 1:].sum(axis=-1))


def alpha_of(sums: Values) -> Values:
    """Krippendorff's alpha for nominal codes: 1 - (n - 1) (n - Σ_c o_cc) / (n² - Σ_c n_c²).

    o_ck = Σ_i r_ic (r_ik - [c = k]) / (r_i - 1) are the coincidences, n_c = Σ_k o_ck, and n = Σ_c n_c.

    Source: Krippendorff 1980, 2004.
    """
    codes = sums[..., 1:]
    total = codes.sum(axis=-1)
    expected = total**2 - (codes**2).sum(axis=-1)
    return 1 - ratio((total - 1) * (total - sums[..., 0]), expected)


def _margins(patterns: Patterns) -> Values:
    """For two annotators: 1, whether their codes are equal, and the code of either, for atoms that both have."""
    both = patterns.pairable
    first, second = (np.where(both, patterns.codes[:, side], 0) for side in (0, 1))
    names = np.arange(patterns.size)
    margins = np.concatenate((first[:, None] == names, second[:, None] == names), axis=1)
    equal = patterns.codes[:, 0] == patterns.codes[:, 1]
    found: Values = np.concatenate((np.ones((len(both), 1)), equal[:, None], margins), axis=1) * both[:, None]
    return found


def kappa_expected(sums: Values) -> Values:
    """Σ_k p_1k p_2k, where p_1k and p_2k are the annotators' shares of code k."""
    first, second = np.split(sums[..., 2:], 2, axis=-1)
    return ratio((first * second).sum(axis=-1), sums[..., 0] ** 2)


def kappa_of(sums: Values) -> Values:
    """Cohen's kappa of two annotators: (p_o - p_e) / (1 - p_e), p_o the share of equal codes, p_e = Σ_k p_1k p_2k.

    Of more than two annotators, the mean of the kappas of all pairs that are defined (Light's kappa).

    Source: Cohen 1960; Light 1971.
    """
    return _corrected(ratio(sums[..., 1], sums[..., 0]), kappa_expected(sums))


OBSERVED = Coefficient("observed", _agreeing, observed_of)
KAPPA = Coefficient("kappa", _margins, kappa_of, kappa_expected)
"""Of two annotators; `light` is the mean of pairs."""
FLEISS = Coefficient("fleiss", _shares, fleiss_of, fleiss_expected)
ALPHA = Coefficient("alpha", _coincidences, alpha_of)
AC1 = Coefficient("ac1", _shares, ac1_of, ac1_expected)


def mean_defined(values: Values) -> Values:
    """The mean over the first axis of what is defined; undefined where nothing is."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0).sum(axis=0), known.sum(axis=0).astype(np.float64))


def light(patterns: Patterns, counts: Values) -> float | None:
    """Light's kappa: the mean of Cohen's kappas of all pairs of annotators that are defined."""
    pairs = combinations(range(patterns.annotators), 2)
    kappas = [KAPPA.value(counts @ KAPPA.rows(patterns.only(pair))) for pair in pairs]
    return defined(mean_defined(np.array(kappas))) if kappas else None
