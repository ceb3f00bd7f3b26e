"""Chance-corrected agreement over codes: Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1.

Every coefficient is a function of sums over positions (tokens or characters), so counts of documents add up and can be
resampled. `rows` returns what one position of each pattern adds to the sums; `value` computes the coefficient from
sums, whose last axis has the columns of `rows`. Positions with fewer than two codes add nothing. r_i is the number of
codes of position i, and r_ik the number of codes k among them. A coefficient is undefined (not a number) where it would
be 0/0: without positions that two annotators have, or with only one code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from evenhand.arrays import Bools, Ints, Values, distinct, ints, ranges, zeros
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass

MISSING = -1
"""The code of an annotator who does not have the text."""
OUTSIDE = 0
"""The code of a position without a label."""
Coding = Literal["label", "iob2"]
CODINGS = get_args(Coding)
NO_CODE = "O"
_Key = tuple[int, ...]


@dataclass(frozen=True)
class Patterns:
    """Distinct combinations of codes, (patterns, annotators). Their frequencies are counted separately, and add up."""

    codes: Ints
    size: int
    """Number of possible codes."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def annotators(self) -> int:
        return int(self.codes.shape[1])

    def only(self, annotators: Sequence[int]) -> Patterns:
        """The codes of some annotators."""
        return replace(self, codes=self.codes[:, list(annotators)])

    def about(self, contains: Callable[[int], bool]) -> Patterns:
        """Binary codes: whether `contains` holds for each code."""
        new = ints([*(int(contains(code)) for code in range(self.size)), MISSING])
        return Patterns(new[self.codes], 2)

    def labeled_by(self, quantifier: str) -> Bools:
        """Which patterns have labels by `any` or by `every` annotator who has the text; `all` takes every pattern."""
        labeled: Bools = np.ones(len(self), dtype=np.bool_)
        if quantifier == "any":
            labeled = np.any(self.codes > OUTSIDE, axis=1)
        elif quantifier == "every":
            labeled = np.all(self.codes != OUTSIDE, axis=1)
        return labeled

    @cached_property
    def raters(self) -> Ints:
        """Number of annotators with a code: r_i."""
        return ints((self.codes != MISSING).sum(axis=1))

    @property
    def pairable(self) -> Bools:
        return self.raters >= 2

    @cached_property
    def frequencies(self) -> Values:
        """Number of annotators with each code, (patterns, codes): r_ik."""
        row, annotator = np.nonzero(self.codes != MISSING)
        counted = np.bincount(row * self.size + self.codes[row, annotator], minlength=len(self) * self.size)
        return counted.reshape(len(self), self.size).astype(np.float64)


@dataclass(frozen=True)
class AnnotatorSpans:
    """The spans of one annotator as columns: [start, end) from the beginning of the text, and the label's code."""

    start: Ints
    end: Ints
    label: Ints
    first: Bools
    """Whether a unit begins its span; later parts of a span with gaps do not."""

    @staticmethod
    def of(units: Sequence[tuple[int, int, int]]) -> AnnotatorSpans:
        """Units from (start, end, label), in the order of the text."""
        columns = ints(sorted(units)).reshape(-1, 3)
        return AnnotatorSpans(columns[:, 0], columns[:, 1], columns[:, 2], np.ones(len(columns), dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> Ints:
        return self.end - self.start

    def take(self, rows: Ints | Bools) -> AnnotatorSpans:
        return AnnotatorSpans(self.start[rows], self.end[rows], self.label[rows], self.first[rows])

    def atoms(self) -> tuple[Ints, Ints]:
        """All positions of all units, and the row of the unit of each."""
        return ranges(self.start, self.length), np.repeat(np.arange(len(self)), self.length)

    def overlapping(self) -> int:
        """Number of units that overlap with another one; units are in the order of the text."""
        if len(self) < 2:
            return 0
        inside = np.append(False, self.start[1:] < np.maximum.accumulate(self.end)[:-1])
        ahead = np.append(self.start[1:] < self.end[:-1], False)
        return int((inside | ahead).sum())


def units_of(spans: Spans, first: Ints, size: int) -> AnnotatorSpans:
    """The units of spans, in the order of a text of `size` positions; scopes begin at the positions `first`."""
    whole = spans.in_text(first)
    start, end, label = whole.start, np.minimum(whole.end, size), whole.label
    begins = np.ones(len(start), dtype=np.bool_)
    gapped = np.flatnonzero(whole.shape)
    if len(gapped):
        rows = [(row, index, part) for row in gapped.tolist() for index, part in enumerate(_parts(whole, row))]
        parts = [(*part, int(label[row]), index == 0) for row, index, part in rows]
        kept = np.flatnonzero(whole.shape == 0)
        more = ints([part[:3] for part in parts]).reshape(-1, 3)
        start, end, label = (np.append(old[kept], new) for old, new in zip((start, end, label), more.T, strict=True))
        begins = np.append(begins[kept], np.array([part[3] for part in parts], dtype=np.bool_))
    order = np.lexsort((end, start))
    units = AnnotatorSpans(start[order], end[order], label[order], begins[order])
    return units if (units.length > 0).all() else units.take(units.length > 0)


def _parts(spans: Spans, row: int) -> list[tuple[int, int]]:
    (atoms,) = spans.take(slice(row, row + 1)).token_sets()
    begins = sorted(atom for atom in atoms if atom - 1 not in atoms)
    ends = sorted(atom + 1 for atom in atoms if atom + 1 not in atoms)
    return list(zip(begins, ends, strict=True))


class OverlapError(ValueError):
    """Spans of one annotator overlap, which the coding cannot represent."""


class Codebook:
    """Codes of positions: the covering label (a set of labels if spans overlap), or its IOB2 tag, else O."""

    def __init__(self, coding: Coding = "label", outside: str = NO_CODE) -> None:
        """`outside` is the name of the code without a label."""
        self.coding, self._outside = coding, outside
        self.members: list[_Key] = [()]
        """The labels of each code; in IOB2, B has the label, and I has the label and -1."""
        self._codes: dict[_Key, int] = {(): OUTSIDE}
        self.stacked = 0
        """Number of positions with several labels of one annotator."""

    def __len__(self) -> int:
        return len(self.members)

    def code(self, key: _Key) -> int:
        if key not in self._codes:
            self._codes[key] = len(self.members)
            self.members.append(key)
        return self._codes[key]

    def contains(self, code: int, label: int) -> bool:
        """Whether a code is a label, or a set that contains it."""
        return label in self.members[code]

    def names(self, labels: Sequence[str]) -> list[str]:
        """The names of the codes."""
        if self.coding == "iob2":
            tags = [f"{'I' if key[-1] < 0 else 'B'}-{labels[key[0]]}" for key in self.members[1:]]
        else:
            tags = ["|".join(sorted(labels[label] for label in key)) for key in self.members[1:]]
        return [self._outside, *tags]

    def of(self, units: AnnotatorSpans, rank: Ints, size: int) -> Ints:
        """The codes of `size` positions; `rank` maps positions of the text to these."""
        position, row = units.atoms()
        index, label = rank[position], units.label[row]
        codes = zeros(size).copy()
        codes[index] = self._single_codes(label, units, position, row)
        covered = np.bincount(index, minlength=size)
        if (covered > 1).any():
            self._stack(index, label, covered > 1, codes)
        return codes

    def _single_codes(self, label: Ints, units: AnnotatorSpans, position: Ints, row: Ints) -> Ints:
        """The code of each position of each unit, ignoring other units."""
        if self.coding == "label":
            return self._codes_of(label, False)
        inside = (position > units.start[row]) | ~units.first[row]
        return np.where(inside, self._codes_of(label, True), self._codes_of(label, False))

    def _codes_of(self, labels: Ints, inside: bool) -> Ints:
        codes = zeros(int(labels.max(initial=-1)) + 1).copy()
        for label in distinct(labels).tolist():
            codes[label] = self.code((label, -1) if inside else (label,))
        return codes[labels]

    def _stack(self, index: Ints, label: Ints, several: Bools, codes: Ints) -> None:
        """Set the codes of positions in several units. Loops over sets of labels, which only overlapping spans have."""
        if self.coding == "iob2":
            raise OverlapError
        chosen = np.flatnonzero(several[index])
        sets: dict[int, set[int]] = {}
        for position, code in zip(index[chosen].tolist(), label[chosen].tolist(), strict=True):
            sets.setdefault(position, set()).add(code)
        for position, labels in sets.items():
            codes[position] = self.code(tuple(sorted(labels)))
            self.stacked += len(labels) > 1


@dataclass(frozen=True)
class Coefficient:
    """A coefficient: what each pattern adds to its sums, and its value of sums."""

    name: str
    rows: Callable[[Patterns], Values]
    value: Callable[[Values], Values]

    def of(self, patterns: Patterns, counts: Values) -> float | None:
        """The coefficient of patterns with these frequencies; None if it is undefined."""
        return defined(self.value(counts @ self.rows(patterns)))


def defined(value: Values | float) -> float | None:
    """A number, or None for one that is undefined."""
    return None if np.isnan(value) else float(value)


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide; undefined if the denominator is 0."""
    quotient: Values = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def _corrected(observed: Values, expected: Values) -> Values:
    return ratio(observed - expected, 1 - expected)


def _agreeing(patterns: Patterns) -> Values:
    """For each pattern the share of equal pairs of codes, and 1; 0 and 0 if it has only one code."""
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
    """For two annotators: 1, whether their codes are equal, and the codes of both, for positions that both have."""
    both = patterns.pairable
    first, second = (np.where(both, patterns.codes[:, side], 0) for side in (0, 1))
    names = np.arange(patterns.size)
    margins = np.concatenate((first[:, None] == names, second[:, None] == names), axis=1)
    equal = patterns.codes[:, 0] == patterns.codes[:, 1]
    return np.concatenate((np.ones((len(both), 1)), equal[:, None], margins), axis=1) * both[:, None]


def kappa_expected(sums: Values) -> Values:
    """Σ_k p_1k p_2k, where p_1k and p_2k are the annotators' shares of code k."""
    first, second = np.split(sums[..., 2:], 2, axis=-1)
    return ratio((first * second).sum(axis=-1), sums[..., 0] ** 2)


def kappa_of(sums: Values) -> Values:
    """Cohen's kappa of two annotators: (p_o - p_e) / (1 - p_e), p_o the share of equal codes, p_e = Σ_k p_1k p_2k.

    For more than two annotators, the mean of the defined kappas of all pairs (Light's kappa).

    Source: Cohen 1960; Light 1971.
    """
    return _corrected(ratio(sums[..., 1], sums[..., 0]), kappa_expected(sums))


OBSERVED = Coefficient("observed", _agreeing, observed_of)
KAPPA = Coefficient("kappa", _margins, kappa_of)
"""For two annotators."""
FLEISS = Coefficient("fleiss", _shares, fleiss_of)
ALPHA = Coefficient("alpha", _coincidences, alpha_of)
AC1 = Coefficient("ac1", _shares, ac1_of)


def mean_defined(values: Values) -> Values:
    """The mean of the defined values over the first axis; undefined if there are none."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0).sum(axis=0), known.sum(axis=0).astype(np.float64))
