"""What is computed of counts: every statistic is a function of sums over documents, so that it can be resampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

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
from evenhand.agreement.counts import Counts, distinct_rows, reversed_judge, stacked_judge
from evenhand.agreement.unitizing import (
    SQUARES,
    continuum_rows,
    cu_alpha_of,
    ku_alpha_of,
    shared_rows,
    u_alpha_binary_of,
    u_alpha_of,
)
from evenhand.arrays import Bools, Values
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, MeanOf

QUANTIFIERS = ("all", "any", "every")
JOINT = (OBSERVED, FLEISS, ALPHA, AC1)
"""The coefficients of any number of annotators at once."""


@dataclass(frozen=True)
class Statistic:
    """Sums by document, (documents, columns), and what they give: (…, columns) to (…)."""

    table: Values
    value: Callable[[Values], Values]

    def total(self) -> float | None:
        """The value of all documents together; None where it is undefined."""
        return defined(self.value(self.table.sum(axis=0)))

    def by_document(self) -> list[float | None]:
        return [defined(each) for each in self.value(self.table)]


def mean_of(statistics: Sequence[Statistic]) -> Statistic:
    """The mean of those that are defined."""
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
        """`patterns` takes the place of those that were counted, row by row: binary codes."""
        self._counts, self._annotators = counts, annotators
        self._given = counts.patterns if patterns is None else patterns
        mine = self._given.only(annotators)
        self._place, first = distinct_rows(mine.codes)
        self.patterns = Patterns(mine.codes[first], mine.size)
        self.totals = np.bincount(self._place, counts.total(), minlength=len(first)).astype(np.float64)
        """How often each pattern occurs."""

    def coefficient(self, coefficient: Coefficient, quantifier: str = "all") -> float | None:
        """A coefficient over the atoms that a quantifier leaves."""
        return coefficient.of(self.patterns, self.totals * self.patterns.labeled_by(quantifier))

    def kappa(self, quantifier: str = "all") -> float | None:
        """Cohen's kappa of a pair; of more annotators the mean of pairs, each over its own atoms."""
        if len(self._annotators) == 2:
            return self.coefficient(KAPPA, quantifier)
        found = [pair.coefficient(KAPPA, quantifier) for pair in self._pairs()]
        return defined(mean_defined(np.array([np.nan if each is None else each for each in found])))

    def by_document(self, coefficient: Coefficient, quantifier: str = "all") -> Statistic:
        """The same as a statistic of documents."""
        rows = coefficient.rows(self.patterns) * self.patterns.labeled_by(quantifier)[:, None]
        return Statistic(self.sums(rows), coefficient.value)

    def sums(self, rows: Values) -> Values:
        """The sums of rows, one a pattern, over the atoms of each document."""
        return self._counts.by_document(rows[self._place])

    def kappa_by_document(self, quantifier: str = "all") -> Statistic:
        pairs = [self] if len(self._annotators) == 2 else self._pairs()
        return mean_of([pair.by_document(KAPPA, quantifier) for pair in pairs])

    def _pairs(self) -> list[Statistics]:
        return [Statistics(self._counts, pair, self._given) for pair in self._counts.pairs]

    def atoms(self, quantifier: str) -> int:
        """How many atoms are counted."""
        return int(self.totals[self.patterns.labeled_by(quantifier) & self.patterns.pairable].sum())

    @property
    def common(self) -> Bools:
        """The documents that all of these annotators have."""
        found: Bools = np.all(self._counts.has[:, list(self._annotators)], axis=1)
        return found

    @property
    def is_shared(self) -> bool:
        """Whether two of these annotators have a document in common."""
        return bool((self._counts.has[:, list(self._annotators)].sum(axis=1) > 1).any())

    def _continuum(self) -> Values:
        """What u-alpha is computed of, in the documents that all have."""
        table = self.sums(continuum_rows(self.patterns))
        codes = max(int(self._counts.squares.code.max(initial=0)) + 1, 1)
        for side in self._annotators:
            table[:, SQUARES] += self._counts.squares.table(side, self._counts.documents, codes).sum(axis=1)
        table[~self.common] = 0
        return table

    def u_alphas(self) -> tuple[Statistic, Statistic]:
        """u-alpha, and |u-alpha."""
        table = self._continuum()
        return Statistic(table, u_alpha_of), Statistic(table, u_alpha_binary_of)


def f1_of(sums: Values) -> Values:
    """F1 from right, found, wanted and met; undefined where neither side has any."""
    right, found, wanted, met = (sums[..., place] for place in range(4))
    precision, recall = (ratio(*both) for both in ((right, found), (met, wanted)))
    precision, recall = np.nan_to_num(precision), np.nan_to_num(recall)
    values = np.nan_to_num(ratio(2 * precision * recall, precision + recall))
    return np.where(found + wanted > 0, values, np.nan)


def pair_f1(counts: Counts, pair: int, model: Formula, label: str | None = None) -> Statistic:
    """F1 of a pair of annotators; the mean of both directions where these may differ, and of parts."""
    if isinstance(model.divided, MeanOf):
        return mean_of([pair_f1(counts, pair, part, label) for part in model.divided.parts])
    sums = [model.divided.correct, model.divided.predicted, model.divided.expected, model.divided.matched]
    labels = None if label is None else [label]

    def table(judge: str) -> Values:
        """Right, found, wanted and met, by document."""
        tally = counts.tallies.get((pair, judge))
        return (
            np.zeros((counts.documents, 4)) if tally is None else tally.by_group(counts.documents, sums, labels)[:, 0]
        )

    forward, backward = table(model.scorer), table(reversed_judge(model.scorer))
    if (pair, stacked_judge(model.scorer)) in counts.tallies:  # all other portions are the same both ways
        backward = backward + (forward - table(stacked_judge(model.scorer)))[:, ::-1]
    elif (pair, reversed_judge(model.scorer)) not in counts.tallies:
        return Statistic(forward, f1_of)
    return mean_of([Statistic(each, f1_of) for each in (forward, backward)])


def equal_codes(counts: Counts, pair: int) -> Statistic:
    """The share of atoms to which both annotators of a pair give the same code: their accuracy, whoever is right."""
    return Statistics(counts, counts.pairs[pair]).by_document(OBSERVED)


def code_f1(counts: Counts, pair: int, code: int) -> Statistic:
    """F1 of one code of a pair: atoms to which both give it, and those to which either does."""
    statistics = Statistics(counts, counts.pairs[pair])
    one, other = (statistics.patterns.codes == code).T * statistics.patterns.pairable
    rows = np.stack((one & other, other, one, one & other), axis=1).astype(np.float64)
    return Statistic(statistics.sums(rows), f1_of)


# == agreement/shared_units.py: What two annotators both take for units: cu-alpha and (k)u-a


def cu_alphas(counts: Counts, book: Codebook, pair: int) -> tuple[float | None, dict[int, float | None]]:
    """cu-alpha of a pair, and (k)u-alpha by the code of the label, of those that either annotator uses."""
    labels = sorted({label for key in book.members for label in key if label >= 0})
    if not labels:
        return None, {}
    found = Statistics(counts, counts.pairs[pair], _by_label(counts.patterns, book, labels))
    sums = found.totals @ shared_rows(found.patterns)
    width = max(labels) + 1
    crossing = counts.crossing.table(pair, counts.documents, width)[found.common].sum(axis=0)
    sums[2 * len(labels) :] += crossing[labels]
    values = ku_alpha_of(sums)
    used = np.bincount(found.patterns.codes[found.totals > 0].ravel() + 1, minlength=len(labels) + 2)[2:] > 0
    met = [(label, value) for label, value, is_used in zip(labels, values, used, strict=True) if is_used]
    return defined(cu_alpha_of(sums)), {label: defined(value) for label, value in met}


def _by_label(patterns: Patterns, book: Codebook, labels: list[int]) -> Patterns:
    """Patterns whose codes are places of labels, from 1, whatever the coding; no atom has two labels."""
    place = {label: at for at, label in enumerate(labels, 1)}
    new = np.array([*(place[key[0]] if key else 0 for key in book.members), -1])
    return Patterns(new[patterns.codes], len(labels) + 1)
