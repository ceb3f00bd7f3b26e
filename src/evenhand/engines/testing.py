"""Whether systems differ by more than chance: tests and intervals of the differences of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints, Values, empty, ones, pack
from evenhand.problems import SettingError
from evenhand.result.pairs import ScoreChange, Significance
from evenhand.scores.match_model import MatchModel
from evenhand.scores.spans import headlines
from evenhand.statistics.intervals import bca, interval, jackknife
from evenhand.statistics.resample import bootstrap
from evenhand.statistics.significance import holm, randomization
from evenhand.tally import Tally

_PARTS = 4
"""Counts are multiples of one over this, whatever the weights of fair evaluation."""


@dataclass(frozen=True)
class Resampling:
    """How tests and intervals are made."""

    trials: int
    resamples: int
    interval: str
    level: float
    seed: int

    def __post_init__(self) -> None:
        if self.trials < 0 or self.resamples < 0 or not 0 < self.level < 1:
            raise SettingError("Trials and resamples must be 0 or more, and the level between 0 and 1.")
        if self.interval not in ("percentile", "bca"):
            raise SettingError(f"interval is {self.interval!r}; choose percentile or bca.")
        if self.seed < 0:
            raise SettingError(f"The seed is {self.seed}; it must be 0 or more.")


class Testing:
    """Tests and intervals of the differences between systems under one score."""

    def __init__(self, model: MatchModel, tallies: Mapping[str, Tally], groups: int, resampling: Resampling) -> None:
        self.model, self._groups, self._resampling = model, groups, resampling
        self._columns = len(model.divided())
        self._tables = {name: self._table(tally) for name, tally in tallies.items()}

    def _table(self, tally: Tally) -> Values:
        """What the score divides, by group."""
        return tally.by_group(self._groups, self.model.divided()).reshape(self._groups, self._columns)

    def _statistic(self, sums: Values) -> Values:
        return headlines(self.model, sums[..., None, :])

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        tests = {pair: self._significance(*pair) for pair in pairs} if self._resampling.trials else {}
        corrected = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
        samples = self._samples()
        values = {name: float(self._statistic(table.sum(axis=0))) for name, table in self._tables.items()}
        found = {}
        for before, after in pairs:
            delta, test = values[after] - values[before], tests.get((before, after))
            found[before, after] = ScoreChange(
                delta,
                None if test is None else replace(test, p_holm=corrected[before, after]),
                self._interval(before, after, delta, samples) if samples else None,
            )
        return found

    def _significance(self, before: str, after: str) -> Significance:
        rows, sizes = _swapped(self._tables[before], self._tables[after])
        setting = self._resampling
        test = randomization(*rows, sizes, self._statistic, setting.trials, setting.seed)
        name = "permutation" if test.exact else "approximate-randomization"
        return Significance(name, test.p, test.p, test.trials, setting.seed, test.groups, test.least, test.exact)

    def _samples(self) -> dict[str, Values]:
        """The scores of all systems in the same resamples; groups with equal counts are one type."""
        setting = self._resampling
        if not setting.resamples or self._groups < 2:
            return {}
        counts = np.concatenate(list(self._tables.values()), axis=1)
        first, sizes = _types(counts)
        sums = bootstrap(counts[first], sizes, setting.resamples, setting.seed)
        return {
            name: self._statistic(sums[:, number * self._columns : (number + 1) * self._columns])
            for number, name in enumerate(self._tables)
        }

    def _interval(self, before: str, after: str, delta: float, samples: Mapping[str, Values]) -> tuple[float, float]:
        values, level = samples[after] - samples[before], self._resampling.level
        if self._resampling.interval == "percentile":
            low, high = interval(values, level)
            return float(low), float(high)
        both, size = np.concatenate((self._tables[before], self._tables[after]), axis=1), self._columns

        def difference(sums: Values) -> Values:
            return self._statistic(sums[..., size:]) - self._statistic(sums[..., :size])

        groups = ones(len(both))
        low, high = bca(values, delta, jackknife(both, groups, difference), groups, level)
        return float(low), float(high)


def _swapped(a: Values, b: Values) -> tuple[tuple[Values, Values], Ints]:
    """Types of groups for a test of two systems, whose counts by group these are.

    Only sums matter, so that groups with the same difference are one type: what both sides have is moved to a group of
    its own, in which they are equal.
    """
    more = b - a
    differ = np.flatnonzero(more.any(axis=1))
    first, sizes = _types(more[differ])
    shared = a.sum(axis=0, keepdims=True)
    types = more[differ[first]]
    rows = np.concatenate((np.zeros_like(types), shared)), np.concatenate((types, shared))
    return rows, np.append(sizes, 1)


def _types(rows: Values) -> tuple[Ints, Ints]:
    """The first of the rows that are equal, and how many there are of each."""
    scaled = _PARTS * rows
    whole = np.round(scaled)
    if (whole != scaled).any():  # shares of chains, which only documents have, and so few rows
        _, first, sizes = np.unique(rows, axis=0, return_index=True, return_counts=True)
        return first, sizes
    key, _ = pack(*((column, empty()) for column in whole.astype(np.int64).T))
    _, first, sizes = np.unique(key, return_index=True, return_counts=True)
    return first, sizes
