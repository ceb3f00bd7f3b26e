"""Statistics of agreement: functions of sums over documents, so they can be resampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evenhand.agreement import unitizing
from evenhand.agreement.coefficients import (
    AC1,
    ALPHA,
    FLEISS,
    KAPPA,
    OBSERVED,
    Codebook,
    Coefficient,
    Patterns,
    defined,
    mean_defined,
    ratio,
)
from evenhand.agreement.counts import Counts, distinct_rows, reversed_name, stacked_name
from evenhand.arrays import Bools, Values
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, MeanOf

QUANTIFIERS = ("all", "any", "every")
JOINT = (OBSERVED, FLEISS, ALPHA, AC1)
"""The coefficients of any number of annotators at once."""


@dataclass(frozen=True)
class Statistic:
    """Sums by document, (documents, columns), and the function that maps sums (…, columns) to values (…)."""

    table: Values
    value: Callable[[Values], Values]

    def total(self) -> float | None:
        """The value of all documents together; None if it is undefined."""
        return defined(self.value(self.table.sum(axis=0)))

    def by_document(self) -> list[float | None]:
        return list(map(defined, self.value(self.table)))


def mean_of(statistics: Sequence[Statistic]) -> Statistic:
    """The mean of the defined statistics."""
    bounds = np.cumsum([statistic.table.shape[1] for statistic in statistics])[:-1]

    def value(sums: Values) -> Values:
        parts = np.split(sums, bounds, axis=-1)
        return mean_defined(
            np.stack([statistic.value(part) for statistic, part in zip(statistics, parts, strict=True)])
        )

    return Statistic(np.concatenate([statistic.table for statistic in statistics], axis=1), value)


class Statistics:
    """The statistics of some of the annotators that were counted."""

    def __init__(self, counts: Counts, annotators: Sequence[int], patterns: Patterns | None = None) -> None:
        """`patterns` replaces the counted patterns, row by row: binary codes."""
        self._counts, self._annotators = counts, annotators
        self._all_patterns = counts.patterns if patterns is None else patterns
        chosen = self._all_patterns.only(annotators)
        self._index, first = distinct_rows(chosen.codes)
        self.patterns = Patterns(chosen.codes[first], chosen.size)
        self.totals = np.bincount(self._index, counts.total(), minlength=len(first)).astype(np.float64)
        """The frequency of each pattern."""

    def coefficient(self, coefficient: Coefficient, quantifier: str = "all") -> float | None:
        """A coefficient over the positions that a quantifier selects."""
        return coefficient.of(self.patterns, self.totals * self.patterns.labeled_by(quantifier))

    def kappa(self, quantifier: str = "all") -> float | None:
        """Cohen's kappa of a pair; for more annotators the mean of pairs, each over its positions."""
        if len(self._annotators) == 2:
            return self.coefficient(KAPPA, quantifier)
        kappas = [pair.coefficient(KAPPA, quantifier) for pair in self._pairs()]
        return defined(mean_defined(np.array([np.nan if kappa is None else kappa for kappa in kappas])))

    def by_document(self, coefficient: Coefficient, quantifier: str = "all") -> Statistic:
        """A coefficient as a statistic of documents."""
        rows = coefficient.rows(self.patterns) * self.patterns.labeled_by(quantifier)[:, None]
        return Statistic(self.sums(rows), coefficient.value)

    def sums(self, rows: Values) -> Values:
        """The sums of rows, one per pattern, over the positions of each document."""
        return self._counts.by_document(rows[self._index])

    def kappa_by_document(self, quantifier: str = "all") -> Statistic:
        pairs = [self] if len(self._annotators) == 2 else self._pairs()
        return mean_of([pair.by_document(KAPPA, quantifier) for pair in pairs])

    def _pairs(self) -> list[Statistics]:
        return [Statistics(self._counts, pair, self._all_patterns) for pair in self._counts.pairs]

    def atoms(self, quantifier: str) -> int:
        """Number of positions that are counted."""
        return int(self.totals[self.patterns.labeled_by(quantifier) & self.patterns.pairable].sum())

    @property
    def common(self) -> Bools:
        """The documents that all of these annotators have."""
        common: Bools = np.all(self._counts.has[:, list(self._annotators)], axis=1)
        return common

    @property
    def is_shared(self) -> bool:
        """Whether two of these annotators have a document in common."""
        return bool((self._counts.has[:, list(self._annotators)].sum(axis=1) > 1).any())

    def _continuum(self) -> Values:
        """The sums for u-alpha, in the documents that all have."""
        table = self.sums(unitizing.continuum_rows(self.patterns))
        codes = max(int(self._counts.squares.code.max(initial=0)) + 1, 1)
        for side in self._annotators:
            table[:, unitizing.SQUARES] += self._counts.squares.table(side, self._counts.documents, codes).sum(axis=1)
        table[~self.common] = 0
        return table

    def u_alphas(self) -> tuple[Statistic, Statistic]:
        """u-alpha, and |u-alpha."""
        table = self._continuum()
        return Statistic(table, unitizing.u_alpha_of), Statistic(table, unitizing.u_alpha_binary_of)


def f1_of(sums: Values) -> Values:
    """F1 from correct, predicted, expected and matched; undefined if neither side has any."""
    correct, predicted, expected, matched = (sums[..., column] for column in range(4))
    precision, recall = np.nan_to_num(ratio(correct, predicted)), np.nan_to_num(ratio(matched, expected))
    values = np.nan_to_num(ratio(2 * precision * recall, precision + recall))
    return np.where(predicted + expected > 0, values, np.nan)


def pair_f1(counts: Counts, pair: int, model: Formula, label: str | None = None) -> Statistic:
    """F1 of a pair of annotators; the mean of both directions if these may differ, and of parts."""
    if isinstance(model.divided, MeanOf):
        return mean_of([pair_f1(counts, pair, part, label) for part in model.divided.parts])
    sums = [model.divided.correct, model.divided.predicted, model.divided.expected, model.divided.matched]
    labels = None if label is None else [label]

    def table(scorer: str) -> Values:
        """Correct, predicted, expected and matched, by document."""
        tally = counts.tallies.get((pair, scorer))
        return (
            np.zeros((counts.documents, 4)) if tally is None else tally.by_group(counts.documents, sums, labels)[:, 0]
        )

    stacked, backwards = stacked_name(model.scorer), reversed_name(model.scorer)
    forward, backward = table(model.scorer), table(backwards)
    if (pair, stacked) in counts.tallies:  # all other parts are the same in both directions
        backward = backward + (forward - table(stacked))[:, ::-1]
    elif (pair, backwards) not in counts.tallies:
        return Statistic(forward, f1_of)
    return mean_of([Statistic(forward, f1_of), Statistic(backward, f1_of)])


def equal_codes(counts: Counts, pair: int) -> Statistic:
    """The share of positions with the same code of both annotators of a pair."""
    return Statistics(counts, counts.pairs[pair]).by_document(OBSERVED)


def code_f1(counts: Counts, pair: int, code: int) -> Statistic:
    """F1 of one code of a pair: positions with this code of both annotators, and of either."""
    statistics = Statistics(counts, counts.pairs[pair])
    one, other = (statistics.patterns.codes == code).T * statistics.patterns.pairable
    rows = np.stack((one & other, other, one, one & other), axis=1).astype(np.float64)
    return Statistic(statistics.sums(rows), f1_of)


def cu_alphas(counts: Counts, book: Codebook, pair: int) -> tuple[float | None, dict[int, float | None]]:
    """cu-alpha of a pair, and (k)u-alpha by the code of the label, for labels that either annotator uses."""
    labels = sorted({label for key in book.members for label in key if label >= 0})
    if not labels:
        return None, {}
    statistics = Statistics(counts, counts.pairs[pair], _by_label(counts.patterns, book, labels))
    sums = statistics.totals @ unitizing.shared_rows(statistics.patterns)
    crossing = counts.crossing.table(pair, counts.documents, max(labels) + 1)[statistics.common].sum(axis=0)
    sums[2 * len(labels) :] += crossing[labels]
    used = np.bincount(statistics.patterns.codes[statistics.totals > 0].ravel() + 1, minlength=len(labels) + 2)[2:] > 0
    values = zip(labels, unitizing.ku_alpha_of(sums), used, strict=True)
    by_label = {label: defined(value) for label, value, is_used in values if is_used}
    return defined(unitizing.cu_alpha_of(sums)), by_label


def _by_label(patterns: Patterns, book: Codebook, labels: list[int]) -> Patterns:
    """Patterns whose codes are indices of labels, from 1, in any coding; no position has two labels."""
    index = {label: number for number, label in enumerate(labels, 1)}
    new = np.array([*(index[key[0]] if key else 0 for key in book.members), -1])
    return Patterns(new[patterns.codes], len(labels) + 1)
