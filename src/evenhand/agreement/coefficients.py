"""Chance-corrected agreement over codes: Cohen's and Fleiss' kappa, Krippendorff's alpha, Gwet's AC1.

The *code* of a position (token or character) is its label, as one annotator sets it. A *pattern* is a combination of
codes, one per annotator. Every coefficient is a function of sums over positions, so the sums of documents add up and
can be resampled. `rows` of a `Coefficient` returns what a position of each pattern adds to the sums, and `value`
computes the coefficient from sums, whose last axis has the columns of `rows`. Positions with fewer than two codes add
nothing.

In formulas, r_i is the number of codes of position i, and r_ik the number of codes k among them. A coefficient is
undefined (not a number) where it would be 0/0: if no position has codes of two annotators, or if all codes are equal.
"""

from __future__ import annotations

import math
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
"""The name of `OUTSIDE`."""
_Key = tuple[int, ...]
"""What a code represents; see `Codebook.members`."""


@dataclass(frozen=True)
class Patterns:
    """The distinct patterns of some documents. The number of positions of each pattern is kept separately."""

    codes: Ints
    """(patterns, annotators)."""
    size: int
    """Number of possible codes."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def annotators(self) -> int:
        return int(self.codes.shape[1])

    def only(self, annotators: Sequence[int]) -> Patterns:
        """The patterns of some annotators."""
        return replace(self, codes=self.codes[:, list(annotators)])

    def about(self, contains: Callable[[int], bool]) -> Patterns:
        """The same patterns with binary codes: 1 for the codes for which `contains` holds, 0 for the others."""
        # MISSING is -1, so its new code is the last one.
        binary = ints([*(int(contains(code)) for code in range(self.size)), MISSING])
        return Patterns(binary[self.codes], 2)

    def labeled_by(self, quantifier: str) -> Bools:
        """Which patterns have a label.

        With `any`, at least one annotator must set one; with `every`, every annotator who has the text. `all` selects
        all patterns.
        """
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
        """Which patterns have codes of at least two annotators."""
        return self.raters >= 2

    @cached_property
    def frequencies(self) -> Values:
        """Number of annotators with each code, (patterns, codes): r_ik."""
        pattern, annotator = np.nonzero(self.codes != MISSING)
        cells = pattern * self.size + self.codes[pattern, annotator]
        return np.bincount(cells, minlength=len(self) * self.size).reshape(len(self), self.size).astype(np.float64)


@dataclass(frozen=True)
class AnnotatorSpans:
    """The units of one annotator as columns, in the order of the text.

    A unit is a span, or each part of a span with gaps.
    """

    start: Ints
    """The first position, counted from the beginning of the text."""
    end: Ints
    """The position after the last one."""
    label: Ints
    first: Bools
    """Whether a unit begins its span; later parts of a span with gaps do not."""

    @staticmethod
    def of(spans: Sequence[tuple[int, int, int]]) -> AnnotatorSpans:
        """The units of spans without gaps, (start, end, label), in any order."""
        columns = ints(sorted(spans)).reshape(-1, 3)
        return AnnotatorSpans(columns[:, 0], columns[:, 1], columns[:, 2], np.ones(len(columns), dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> Ints:
        return self.end - self.start

    def take(self, rows: Ints | Bools) -> AnnotatorSpans:
        return AnnotatorSpans(self.start[rows], self.end[rows], self.label[rows], self.first[rows])

    def atoms(self) -> tuple[Ints, Ints]:
        """All positions of all units, and for each the row of its unit."""
        return ranges(self.start, self.length), np.repeat(np.arange(len(self)), self.length)

    def overlapping(self) -> int:
        """Number of units that overlap with another unit."""
        if len(self) < 2:
            return 0
        begins_in_earlier = np.append(False, self.start[1:] < np.maximum.accumulate(self.end)[:-1])
        reaches_next = np.append(self.start[1:] < self.end[:-1], False)
        return int((begins_in_earlier | reaches_next).sum())


def units_of(spans: Spans, first: Ints, size: int) -> AnnotatorSpans:
    """The units of spans in a text of `size` positions; scope i of the spans begins at position `first[i]`."""
    in_text = spans.in_text(first)
    start = in_text.start
    end = np.minimum(in_text.end, size)
    label = in_text.label
    begins = np.ones(len(start), dtype=np.bool_)
    gapped = np.flatnonzero(in_text.shape)
    if len(gapped):
        parts = [(row, begin, stop) for row in gapped.tolist() for begin, stop in _parts(in_text, row)]
        row_of_part, part_start, part_end = ints(parts).reshape(-1, 3).T
        without_gaps = np.flatnonzero(in_text.shape == 0)
        start = np.append(start[without_gaps], part_start)
        end = np.append(end[without_gaps], part_end)
        begins = np.append(begins[without_gaps], np.append(-1, row_of_part[:-1]) != row_of_part)
        label = np.append(label[without_gaps], label[row_of_part])
    order = np.lexsort((end, start))
    units = AnnotatorSpans(start[order], end[order], label[order], begins[order])
    return units if (units.length > 0).all() else units.take(units.length > 0)


def _parts(spans: Spans, row: int) -> list[tuple[int, int]]:
    """Where each part of a span with gaps begins and ends."""
    (atoms,) = spans.take(slice(row, row + 1)).token_sets()
    begins = sorted(atom for atom in atoms if atom - 1 not in atoms)
    ends = sorted(atom + 1 for atom in atoms if atom + 1 not in atoms)
    return list(zip(begins, ends, strict=True))


class OverlapError(ValueError):
    """Spans of one annotator overlap, which the coding cannot represent."""


class Codebook:
    """Assigns codes to positions: the label of the covering span (a set of labels if spans overlap), or its IOB2 tag.

    A position without a span has the code `OUTSIDE`.
    """

    def __init__(self, coding: Coding = "label", outside: str = NO_CODE) -> None:
        """`outside` is the name of the code without a label."""
        self.coding = coding
        self._outside = outside
        self.members: list[_Key] = [()]
        """By code, its labels. In IOB2, B has the label; I has the label and -1."""
        self._codes: dict[_Key, int] = {(): OUTSIDE}
        self.stacked = 0
        """Number of positions with several labels of one annotator."""

    def __len__(self) -> int:
        return len(self.members)

    def code(self, key: _Key) -> int:
        """The code of some labels; a new one if they are new."""
        if key not in self._codes:
            self._codes[key] = len(self.members)
            self.members.append(key)
        return self._codes[key]

    def contains(self, code: int, label: int) -> bool:
        """Whether the labels of a code include a label."""
        return label in self.members[code]

    def names(self, labels: Sequence[str]) -> list[str]:
        """The names of the codes."""
        if self.coding == "iob2":
            tags = [f"{'I' if key[-1] < 0 else 'B'}-{labels[key[0]]}" for key in self.members[1:]]
        else:
            tags = ["|".join(sorted(labels[label] for label in key)) for key in self.members[1:]]
        return [self._outside, *tags]

    def of(self, units: AnnotatorSpans, rank: Ints, size: int) -> Ints:
        """The codes of `size` coded positions; `rank` maps each position of the text to its coded position."""
        position, row = units.atoms()
        coded = rank[position]
        label = units.label[row]
        codes = zeros(size).copy()
        codes[coded] = self._single_codes(label, units, position, row)
        unit_counts = np.bincount(coded, minlength=size)
        if (unit_counts > 1).any():
            self._set_stacked(codes, coded, label, unit_counts > 1)
        return codes

    def _single_codes(self, label: Ints, units: AnnotatorSpans, position: Ints, row: Ints) -> Ints:
        """The code of each position of each unit, regardless of other units; `row` is its unit, `label` its label."""
        if self.coding == "label":
            return self._codes_of(label, False)
        inside = (position > units.start[row]) | ~units.first[row]
        return np.where(inside, self._codes_of(label, True), self._codes_of(label, False))

    def _codes_of(self, labels: Ints, inside: bool) -> Ints:
        """The codes of single labels; in IOB2, of their tags I if `inside`, else B."""
        codes = zeros(int(labels.max(initial=-1)) + 1).copy()
        for label in distinct(labels).tolist():
            codes[label] = self.code((label, -1) if inside else (label,))
        return codes[labels]

    def _set_stacked(self, codes: Ints, coded: Ints, label: Ints, is_stacked: Bools) -> None:
        """Replace the codes of positions in several units by codes of sets of labels.

        A loop over positions, but only overlapping spans have such positions.
        """
        if self.coding == "iob2":
            raise OverlapError
        rows = np.flatnonzero(is_stacked[coded])
        label_sets: dict[int, set[int]] = {}
        for position, code in zip(coded[rows].tolist(), label[rows].tolist(), strict=True):
            label_sets.setdefault(position, set()).add(code)
        for position, labels in label_sets.items():
            codes[position] = self.code(tuple(sorted(labels)))
            self.stacked += len(labels) > 1


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement. Its `rows` and `value` are explained at the top of this module."""

    name: str
    rows: Callable[[Patterns], Values]
    """(patterns, columns)."""
    value: Callable[[Values], Values]
    """From sums, (…, columns), to coefficients, (…)."""

    def of(self, patterns: Patterns, counts: Values) -> float | None:
        """The coefficient, given the number of positions of each pattern; None if it is undefined."""
        return defined(self.value(exact_sums(counts, self.rows(patterns))))


def exact_sums(counts: Values, rows: Values) -> Values:
    """`counts @ rows` without rounding in between, because rounding in matrix products depends on the processor."""
    return np.array([math.fsum(column) for column in (counts[:, None] * rows).T.tolist()])


def defined(value: Values | float) -> float | None:
    """A number, or None for one that is undefined."""
    return None if np.isnan(value) else float(value)


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide; undefined if the denominator is 0."""
    quotient: Values = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def _corrected(observed: Values, expected: Values) -> Values:
    """Correct observed agreement for the agreement expected by chance."""
    return ratio(observed - expected, 1 - expected)


def _agreeing(patterns: Patterns) -> Values:
    """Two columns: the share of equal codes among the pairs of codes of a pattern, and 1. Both are 0 without a pair."""
    pairs = patterns.raters * (patterns.raters - 1.0)
    equal = (patterns.frequencies * (patterns.frequencies - 1)).sum(axis=1)
    share = np.divide(equal, pairs, out=np.zeros(len(patterns)), where=pairs > 0)
    return np.stack((share, patterns.pairable.astype(np.float64)), axis=1)


def _shares(patterns: Patterns) -> Values:
    """The columns of `_agreeing`, and one column per code: its share r_ik / r_i; 0 without a pair."""
    shares = patterns.frequencies / np.maximum(patterns.raters, 1)[:, None]
    return np.concatenate((_agreeing(patterns), shares * patterns.pairable[:, None]), axis=1)


def observed_of(sums: Values) -> Values:
    """Observed agreement: the mean over positions of Σ_k r_ik (r_ik - 1) / (r_i (r_i - 1))."""
    return ratio(sums[..., 0], sums[..., 1])


def _mean_shares(sums: Values) -> Values:
    """p_k, the mean over positions of r_ik / r_i, for each code k."""
    return ratio(sums[..., 2:], sums[..., 1:2])


def fleiss_expected(sums: Values) -> Values:
    """Σ_k p_k², where p_k is the mean over positions of r_ik / r_i."""
    expected: Values = (_mean_shares(sums) ** 2).sum(axis=-1)
    return expected


def fleiss_of(sums: Values) -> Values:
    """Fleiss' kappa: (observed - p_e) / (1 - p_e), where p_e = Σ_k p_k².

    p_k is the mean over positions of r_ik / r_i.

    Source: Fleiss 1971; with missing codes Gwet 2014.
    """
    return _corrected(observed_of(sums), fleiss_expected(sums))


def ac1_expected(sums: Values) -> Values:
    """Σ_k p_k (1 - p_k) / (q - 1), where p_k is the mean over positions of r_ik / r_i, and q codes occur."""
    shares = _mean_shares(sums)
    occurring = (shares > 0).sum(axis=-1)
    return ratio((shares * (1 - shares)).sum(axis=-1), occurring - 1.0)


def ac1_of(sums: Values) -> Values:
    """Gwet's AC1: (observed - p_e) / (1 - p_e), where p_e = Σ_k p_k (1 - p_k) / (q - 1), and q codes occur.

    Source: Gwet 2008.
    """
    return _corrected(observed_of(sums), ac1_expected(sums))


def _coincidences(patterns: Patterns) -> Values:
    """What a position adds to the sums of `alpha_of`: one column for Σ_c o_cc, and one for each n_c, which is r_ic."""
    frequencies = patterns.frequencies
    is_counted = patterns.pairable
    equal = (frequencies * (frequencies - 1)).sum(axis=1)
    equal = np.where(is_counted, equal / np.maximum(patterns.raters - 1, 1), 0)
    return np.concatenate((equal[:, None], frequencies * is_counted[:, None]), axis=1)


def alpha_of(sums: Values) -> Values:
    """Krippendorff's alpha for nominal codes: 1 - (n - 1) (n - Σ_c o_cc) / (n² - Σ_c n_c²).

    o_ck = Σ_i r_ic (r_ik - [c = k]) / (r_i - 1) are the coincidences, n_c = Σ_k o_ck, and n = Σ_c n_c.

    Source: Krippendorff 1980, 2004.
    """
    by_code = sums[..., 1:]
    total = by_code.sum(axis=-1)
    expected = total**2 - (by_code**2).sum(axis=-1)
    return 1 - ratio((total - 1) * (total - sums[..., 0]), expected)


def _margins(patterns: Patterns) -> Values:
    """For two annotators: 1; whether their codes are equal; one column per code of the first, and one of the second.

    A column of a code has whether this is the annotator's code. All columns are 0 unless both have a code.
    """
    both = patterns.pairable
    first = np.where(both, patterns.codes[:, 0], 0)
    second = np.where(both, patterns.codes[:, 1], 0)
    codes = np.arange(patterns.size)
    margins = np.concatenate((first[:, None] == codes, second[:, None] == codes), axis=1)
    equal = patterns.codes[:, 0] == patterns.codes[:, 1]
    return np.concatenate((np.ones((len(both), 1)), equal[:, None], margins), axis=1) * both[:, None]


def kappa_expected(sums: Values) -> Values:
    """Σ_k p_1k p_2k, where p_1k and p_2k are the annotators' shares of code k."""
    first, second = np.split(sums[..., 2:], 2, axis=-1)
    return ratio((first * second).sum(axis=-1), sums[..., 0] ** 2)


def kappa_of(sums: Values) -> Values:
    """Cohen's kappa of two annotators: (p_o - p_e) / (1 - p_e).

    p_o is the share of positions with equal codes, and p_e = Σ_k p_1k p_2k, where p_1k and p_2k are the annotators'
    shares of code k. For more than two annotators, the mean of the defined kappas of all pairs (Light's kappa).

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
