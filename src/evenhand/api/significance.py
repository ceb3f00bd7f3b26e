"""Whether systems differ by more than chance: tests and intervals of the differences of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, cmp_to_key, partial
from typing import get_args

import numpy as np

from evenhand.arguments import number_that, shown, whole_number
from evenhand.arrays import Ints, Values, is_ones
from evenhand.comparison.group_tables import GroupTables
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.result.pairs import ScoreChange, Significance
from evenhand.settings import Resampled, choose
from evenhand.statistics.draws import ROUNDING
from evenhand.statistics.group_types import table_types
from evenhand.statistics.intervals import bca, interval, jackknife
from evenhand.statistics.resample import bootstrap
from evenhand.statistics.significance import holm, least_p, randomization, trials_for
from evenhand.tasks.task import Task

MOST_TRIALS = 10_000_000
MOST_RESAMPLES = 1_000_000
"""All of them are kept, for each system."""
MOST_SEED = 2**128 - 1
MOST_BY_DEFAULT = 100_000
"""How many trials a test has at most, unless a user asks for more: 1,250 pairs then take about a minute."""


@dataclass(frozen=True)
class Resampling:
    """How tests and intervals are made."""

    trials: int
    resamples: int
    interval: str
    level: float
    seed: int
    of: Resampled | None
    """What is resampled, if a user says so."""

    @staticmethod
    def checked(
        trials: object = 0,
        resamples: object = 0,
        interval: object = "percentile",
        level: object = 0.95,
        seed: object = 0,
        of: Resampled | None = None,
    ) -> Resampling:
        """From what a user gives; what cannot be is refused."""
        choose("of", of, get_args(Resampled), optional=True)
        if interval not in ("percentile", "bca"):
            raise SettingError(f"interval is {shown(interval)}; choose percentile or bca.")
        return Resampling(
            whole_number("trials", trials, 0, MOST_TRIALS),
            whole_number("resamples", resamples, 0, MOST_RESAMPLES),
            str(interval),
            number_that("level", level, lambda value: 0 < value < 1, "a number between 0 and 1"),
            whole_number("seed", seed, 0, MOST_SEED),
            of,
        )

    def check(self, task: Task) -> None:
        """Refuse to resample what scores of a task are no sums over, before files are read."""
        if task.by_document and self.of == "sentences":
            raise SettingError(f"Scores of {task.name} are no sums over sentences; resample documents.")

    @property
    def is_wanted(self) -> bool:
        """Whether anything is resampled at all."""
        return bool(self.trials or self.resamples)

    def without(self) -> Resampling:
        """The same without tests and intervals."""
        return replace(self, trials=0, resamples=0)

    def may_take_sentences(self, task: Task, of: Resampled, documents: int, sentences: int) -> bool:
        """Whether tests may resample sentences if documents are too few: if the user leaves the choice, and if scores
        are sums over sentences, of which there are more than documents.
        """
        is_open = self.of is None and of == "documents" and not task.by_document
        return is_open and bool(self.trials) and sentences > documents

    def groups(self, task: Task, documents: int, sentences: int) -> tuple[Resampled, int]:
        """What is resampled, and how many of them there are.

        Documents, or sentences where there is one document, unless a user says which. Where counts add up over
        documents only, always these. `too_few` tells whether documents can decide.
        """
        if self.of == "documents" and documents < 2:
            remedy = "leave it out" if task.by_document else "resample sentences"
            raise SettingError(f"of is 'documents', but the gold standard has only one document; {remedy}.")
        of = self.of or ("documents" if documents > 1 or task.by_document else "sentences")
        return of, documents if of == "documents" else sentences


def default_trials(pairs: int) -> int:
    """How many trials each of so many tests has where a user does not say."""
    return min(trials_for(pairs), MOST_BY_DEFAULT)


def too_few(tables: GroupTables, pairs: Sequence[tuple[str, str]], alpha: float) -> int | None:
    """In how many groups two systems differ at most, if that is too few for any p-value below alpha; else None.

    Two systems that differ in n groups have p >= 2 / 2ⁿ, which Holm's correction multiplies by the number of pairs.
    Pairs with equal scores do not matter: no test could tell them apart.
    """
    most, scores = 0, {name: tables.score(name) for name in tables.tables}
    for one, other in pairs:
        if abs(scores[one] - scores[other]) > ROUNDING:
            most = max(most, tables.differing(one, other))
            if len(pairs) * least_p(most) < alpha:
                return None
    return most or None


class Testing:
    """Tests and intervals of the differences between systems under one score.

    Systems are taken by their scores, the lowest first, and pairs from the lower to the higher. So draws do not depend
    on the order in which a user names systems, and a pair the other way round has the mirrored interval.
    """

    def __init__(self, counted: GroupTables, resampling: Resampling) -> None:
        self._counted, self._resampling = counted, resampling
        self._groups, self._columns = int(counted.sizes.sum()), counted.columns
        self._scores = {name: counted.score(name) for name in counted.tables}
        order = sorted(counted.tables, key=cmp_to_key(partial(self._compared, counted.tables)))
        self._tables = {name: counted.tables[name] for name in order}
        self._place = {name: place for place, name in enumerate(order)}

    def _compared(self, tables: Mapping[str, Values], one: str, other: str) -> int:
        """The order of two systems: by their scores or, where these are equal, by the first count that differs."""
        difference = self._scores[one] - self._scores[other]
        if difference == 0:
            apart = np.flatnonzero(tables[one] != tables[other])
            difference = float(tables[one].flat[apart[0]] - tables[other].flat[apart[0]]) if len(apart) else 0.0
        return int(difference > 0) - int(difference < 0)

    @cached_property
    def _types(self) -> tuple[dict[str, Values], Ints]:
        """The counts of each system by type of group, and how many groups there are of each type."""
        first, place = table_types(list(self._tables.values()))
        return {name: table[first] for name, table in self._tables.items()}, _added(self._counted.sizes, place)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        tests = {pair: self._significance(*pair) for pair in pairs} if self._resampling.trials else {}
        corrected = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
        samples = self._samples()
        found = {}
        for before, after in pairs:
            delta, test = self._scores[after] - self._scores[before], tests.get((before, after))
            found[before, after] = ScoreChange(
                delta,
                None if test is None else replace(test, p_holm=corrected[before, after]),
                self._interval(before, after, delta, samples) if samples else None,
            )
        return found

    def _significance(self, before: str, after: str) -> Significance:
        (rows, sizes), setting = self._types, self._resampling
        test = randomization(rows[before], rows[after], sizes, self._counted.statistic, setting.trials, setting.seed)
        name = "permutation" if test.exact else "approximate-randomization"
        return Significance(name, test.p, test.p, test.trials, setting.seed, test.groups, test.least, test.exact)

    def _samples(self) -> dict[str, Values]:
        """The scores of all systems in the same resamples."""
        setting = self._resampling
        if not setting.resamples or self._groups < 2:
            return {}
        rows, sizes = self._types
        sums = bootstrap(np.concatenate(list(rows.values()), axis=1), sizes, setting.resamples, setting.seed)
        return {
            name: self._counted.statistic(sums[:, number * self._columns : (number + 1) * self._columns])
            for number, name in enumerate(self._tables)
        }

    def _interval(self, before: str, after: str, delta: float, samples: Mapping[str, Values]) -> tuple[float, float]:
        if self._place[before] > self._place[after]:
            low, high = self._interval(after, before, -delta, samples)
            return 0.0 - high, 0.0 - low
        values, level = samples[after] - samples[before], self._resampling.level
        if self._resampling.interval == "percentile":
            return interval(values, level)
        both, size = np.concatenate((self._tables[before], self._tables[after]), axis=1), self._columns

        def difference(sums: Values) -> Values:
            return self._counted.statistic(sums[..., size:]) - self._counted.statistic(sums[..., :size])

        groups = self._counted.sizes
        return bca(values, delta, jackknife(both, groups, difference), groups, level)


def _added(sizes: Ints, place: Ints) -> Ints:
    """How many groups there are of each type, from how many each row stands for."""
    return np.bincount(place) if is_ones(sizes) else np.bincount(place, sizes).astype(np.int64)
