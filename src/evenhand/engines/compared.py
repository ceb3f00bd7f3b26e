"""What a comparison adds up to: scores, differences, tests and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints, Values, empty, ones, pack
from evenhand.comparison.comparing import Comparing
from evenhand.comparison.differences import PairCounts
from evenhand.comparison.ranking import headline
from evenhand.comparison.units import Unit
from evenhand.engines.options import Prepared
from evenhand.engines.serial import Run
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison, Differences, OracleResult, Pair, Significance, Slice, Transition
from evenhand.result.notes import notes_on_comparison, notes_on_settings
from evenhand.result.result import Gold
from evenhand.result.signature import joint_signature, signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.models import match_model
from evenhand.scores.prf import prf
from evenhand.scores.spans import Row, headlines, score_tally
from evenhand.scores.word_models import compared_model
from evenhand.statistics.intervals import bca, interval, jackknife
from evenhand.statistics.resample import bootstrap
from evenhand.statistics.significance import holm, mcnemar, randomization
from evenhand.tally import Tally
from evenhand.text.annotation import Reading

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
    pairs: Sequence[tuple[int, int]]
    left_out: int

    @property
    def model(self) -> MatchModel:
        settings = self.prepared.settings
        return match_model(self.by, settings) if settings.task == "spans" else compared_model(self.by)

    @property
    def tallies(self) -> dict[str, Tally]:
        """The counts of each system, by group."""
        return {name: found[self.model.judge] for name, found in self.run.tallies.items()}

    @property
    def groups(self) -> tuple[str, int]:
        """What is resampled, and how many of them there are."""
        run = self.run
        return ("documents", run.documents) if run.documents > 1 else ("sentences", run.sentences)


def comparison(found: Compared, resampling: Resampling, units: UnitsOf, shown: Sequence[Unit]) -> Comparison:
    """All figures of a comparison."""
    comparing, run, model, tallies = found.comparing, found.run, found.model, found.tallies
    names = comparing.systems
    support = dict(sorted(run.gold.labels.items()))
    scores = {name: headline(model, tally, list(support)) for name, tally in tallies.items()}
    of_spans = comparing.of_spans
    pairs = _Pairs(found, resampling, scores, units)()
    reading = run.gold.reading or Reading()
    tokens, characters = (run.size, None) if run.atoms == "tokens" else (None, run.size)
    units_of_gold = run.gold.labels.total()
    gold = Gold(found.gold_name, run.documents, run.sentences, tokens, characters, units_of_gold, support, reading)
    settings, read_as = found.prepared.settings, found.prepared.read_as["gold"]
    signatures = [
        signature(settings, read_as, found.prepared.weights, run.atoms, reading, side.reading or Reading())
        for side in run.systems.values()
    ]
    kind, _ = found.groups
    parts = [joint_signature(signatures), f"by:{found.by}", f"of:{kind}", f"trials:{resampling.trials}"]
    parts += [f"resamples:{resampling.resamples}", f"interval:{resampling.interval}"]
    parts += [f"level:{resampling.level:g}", f"seed:{resampling.seed}"]
    return Comparison(
        gold=gold,
        task=settings.task,
        by=found.by,
        systems=names,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(found, scores),
        difficulty=comparing.oracle.difficulty(),
        all_answers=comparing.agreement.all_answers(of_spans=of_spans),
        correct_answers=comparing.agreement.correct_answers(),
        labels=_labels(model, tallies, support),
        slices={name: _slices(model, names, *each) for name, each in comparing.slices().items()},
        left_out=found.left_out,
        resampling={**resampling.__dict__, "of": kind},
        signature="|".join(parts),
        notes=(
            *notes_on_settings(settings, comparing.labels.values),
            *notes_on_comparison(gold, found.left_out, pairs, kind),
        ),
        shown_units=tuple(shown),
    )


class _Pairs:
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
        if self._found.comparing.of_spans:
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
        if not setting.resamples:
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


def _oracle(found: Compared, scores: Mapping[str, float]) -> OracleResult:
    oracle, comparing = found.comparing.oracle, found.comparing
    exact = None
    if comparing.of_spans:
        solved, wrong, wanted = (
            comparing.agreement.solved,
            comparing.agreement.shared_errors,
            found.run.gold.labels.total(),
        )
        bound = prf(solved, solved + wrong, solved, wanted)
        exact = {"precision": float(bound.precision), "recall": float(bound.recall), "f1": float(bound.f1)}
    best = max(range(len(scores)), key=lambda number: scores[comparing.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(comparing.labels.values), oracle.sentences(), best, exact)


def _labels(model: MatchModel, tallies: Mapping[str, Tally], support: Mapping[str, int]) -> dict[str, Slice]:
    """The score of every system on every label, the most frequent first."""
    scored = {name: score_tally(model, tally, support).labels for name, tally in tallies.items()}
    labels = dict.fromkeys(label for rows in scored.values() for label in rows)
    order = sorted(labels, key=lambda label: (-support.get(label, 0), label))
    return {
        label: Slice(
            support.get(label, 0),
            {name: _value(model, rows[label]) if label in rows else 0.0 for name, rows in scored.items()},
        )
        for label in order
    }


def _value(model: MatchModel, row: Row) -> float:
    return row.recall if model.headline == "accuracy" else row.f_beta


def _slices(
    model: MatchModel, names: Sequence[str], units: Mapping[str, int], tallies: Sequence[Tally]
) -> dict[str, Slice]:
    """The score of every system on every slice, those first on which scores differ most."""
    scored = {name: score_tally(model, tally, {}).labels for name, tally in zip(names, tallies, strict=True)}
    found = {
        value: Slice(
            units[value], {name: _value(model, rows[value]) if value in rows else 0.0 for name, rows in scored.items()}
        )
        for value in units
        if units[value] or any(value in rows for rows in scored.values())
    }
    spread = {value: max(each.scores.values()) - min(each.scores.values()) for value, each in found.items()}
    return dict(sorted(found.items(), key=lambda item: (-spread[item[0]], item[0])))
