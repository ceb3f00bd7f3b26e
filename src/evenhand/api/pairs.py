"""The figures of pairs of systems: differences, tests and intervals."""

from __future__ import annotations

from functools import cache, partial
from math import nan

from evenhand.api.comparison_run import ComparedRun, ComparisonRun
from evenhand.api.significance import Testing
from evenhand.comparison.differences import PairCounts
from evenhand.comparison.group_tables import GroupTables
from evenhand.result.pairs import Differences, Pair, ScoreChange, Transition
from evenhand.scores.match_model import MatchModel
from evenhand.statistics.significance import mcnemar


class Pairs:
    """Every pair with its differences, test and interval."""

    def __init__(self, run: ComparisonRun, found: ComparedRun) -> None:
        self._run, self._found = run, found
        self._shown = cache(found.counts.shown)

    def __call__(self) -> dict[tuple[str, str], Pair]:
        counted, names = self._found.counts.differences.finish(), self._found.counts.systems
        pairs = {pair: (names[pair[0]], names[pair[1]]) for pair in counted}
        tested = self._tested(self._found.model, list(pairs.values()))
        further = {model.name: self._tested(model, list(pairs.values())) for model in self._found.further}
        found = {}
        for pair, counts in counted.items():
            before, after = pairs[pair]
            changed = tested[before, after]
            found[before, after] = Pair(
                before,
                after,
                counts.units,
                counts.different,
                counts.moved,
                changed.delta,
                {name: self._class(name, pair, counts) for name in counts.transitions},
                changed.significance,
                self._mcnemar(counts) if changed.significance is not None else None,
                changed.interval,
                {name: each[before, after] for name, each in further.items()},
            )
        return found

    def _tested(self, model: MatchModel, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        found = self._found
        if not found.figures().units:
            return dict.fromkeys(pairs, ScoreChange(nan, None, None))
        counted = GroupTables.of(model, found.tallies_of(model), found.groups[1])
        return Testing(counted, found.resampling)(pairs)

    def _mcnemar(self, counts: PairCounts) -> float | None:
        """Where the score is the share of right units; corrections and new errors are the discordant ones."""
        if self._found.model.headline != "accuracy":
            return None
        return mcnemar(counts.counts["new_error"], counts.counts["correction"])

    def _class(self, name: str, pair: tuple[int, int], counts: PairCounts) -> Differences:
        labels, size, different = self._found.counts.labels, counts.counts[name], counts.different
        rows = [
            Transition(
                "" if each.gold < 0 else labels[each.gold],
                self._shown(each.before),
                self._shown(each.after),
                each.change,
                count,
                count / size,
                count / different,
            )
            for each, count in counts.transitions[name].items()
        ]
        rows.sort(key=lambda row: (-row.count, row.gold, row.before, row.after, row.change))
        share = size / different if different else 0.0
        return Differences(name, size, share, rows, partial(self._run.units, name, pair))
