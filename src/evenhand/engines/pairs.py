"""The figures of pairs of systems: differences, tests and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evenhand.arrays import Ints, Values, empty, ones, pack
from evenhand.comparison.comparing import Comparing
from evenhand.comparison.differences import PairCounts
from evenhand.comparison.units import Unit
from evenhand.engines.options import Prepared
from evenhand.engines.serial import Run
from evenhand.problems import SettingError
from evenhand.result.comparison import Differences, Pair, Significance, Transition
from evenhand.scores.match_model import MatchModel
from evenhand.scores.models import match_model
from evenhand.scores.spans import headlines
from evenhand.scores.word_models import compared_model
from evenhand.statistics.intervals import bca, interval, jackknife
from evenhand.statistics.resample import bootstrap
from evenhand.statistics.significance import holm, mcnemar, randomization
from evenhand.tally import Tally

_PARTS = 4
"""Counts are multiples of one over this, whatever the weights of fair evaluation."""
UnitsOf = Callable[[str, tuple[int, int]], list[Unit]]


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


@dataclass(frozen=True)
class Compared:
    """What a run added up."""

    gold_name: str
    run: Run
    comparing: Comparing
    prepared: Prepared
    by: str
    left_out: int = 0
    paired: Mapping[str, Values] = field(default_factory=dict)
    """Of chains: the scores of each response with each other as the key."""

    @property
    def model(self) -> MatchModel:
        settings = self.prepared.settings
        return match_model(self.by, settings) if settings.task in ("spans", "chains") else compared_model(self.by)

    @property
    def tallies(self) -> dict[str, Tally]:
        """The counts of each system, by group."""
        return {name: found[self.model.judge] for name, found in self.run.tallies.items()}

    @property
    def groups(self) -> tuple[str, int]:
        """What is resampled, and how many of them there are."""
        run = self.run
        of_documents = run.documents > 1 or self.prepared.settings.task == "chains"
        return ("documents", run.documents) if of_documents else ("sentences", run.sentences)


class Pairs:
    """Every pair with its differences, test and interval."""

    def __init__(self, found: Compared, resampling: Resampling, scores: Mapping[str, float], units: UnitsOf) -> None:
        self._found, self._resampling, self._scores, self._units = found, resampling, scores, units
        self._model, self._groups = found.model, found.groups[1]
        self._columns = len(self._model.divided())
        self._tables = {name: self._table(tally) for name, tally in found.tallies.items()}

    def _table(self, tally: Tally) -> Values:
        """What the score divides, by group."""
        return tally.by_group(self._groups, self._model.divided()).reshape(self._groups, self._columns)

    def _statistic(self, sums: Values) -> Values:
        return headlines(self._model, sums[..., None, :])

    def __call__(self) -> dict[tuple[str, str], Pair]:
        counted, names = self._found.comparing.differences.finish(), self._found.comparing.systems
        tests = self._tests(list(counted)) if self._resampling.trials else {}
        samples = self._samples()
        found = {}
        for pair, counts in counted.items():
            before, after = names[pair[0]], names[pair[1]]
            delta = self._scores[after] - self._scores[before]
            found[before, after] = Pair(
                before,
                after,
                counts.units,
                counts.different,
                counts.moved,
                delta,
                {name: self._class(name, pair, counts) for name in counts.transitions},
                tests.get(pair),
                self._mcnemar(counts) if tests else None,
                self._interval(before, after, delta, samples) if samples else None,
            )
        return found

    def _tests(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Significance]:
        names = self._found.comparing.systems
        tests = {pair: self._significance(names[pair[0]], names[pair[1]]) for pair in pairs}
        corrected = holm([test.p for test in tests.values()])
        return {pair: replace(test, p_holm=p) for (pair, test), p in zip(tests.items(), corrected, strict=True)}

    def _mcnemar(self, counts: PairCounts) -> float | None:
        """Of words, whose differences are right or wrong; corrections and new errors are the discordant ones."""
        if self._found.comparing.task in ("spans", "chains"):
            return None
        return mcnemar(counts.counts["new_error"], counts.counts["correction"])

    def _class(self, name: str, pair: tuple[int, int], counts: PairCounts) -> Differences:
        comparing, found, size = self._found.comparing, counts.transitions[name], counts.counts[name]
        rows = [
            Transition(
                "" if each.gold < 0 else comparing.labels[each.gold],
                comparing.shown(each.before),
                comparing.shown(each.after),
                each.change,
                count,
                count / size,
                count / counts.different,
            )
            for each, count in found.items()
        ]
        rows.sort(key=lambda row: (-row.count, row.gold, row.before, row.after, row.change))
        share = size / counts.different if counts.different else 0.0
        return Differences(name, size, share, rows, lambda: self._units(name, pair))

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
    columns = np.round(_PARTS * rows).astype(np.int64).T
    key, _ = pack(*((column, empty()) for column in columns))
    _, first, sizes = np.unique(key, return_index=True, return_counts=True)
    return first, sizes
