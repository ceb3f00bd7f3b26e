"""The figures of pairs of systems: differences, tests and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial

from evenhand.api.significance import Resampling, Testing
from evenhand.comparison.counts import ComparisonCounts
from evenhand.comparison.differences import PairCounts
from evenhand.comparison.units import Unit
from evenhand.pipeline.groups import resampled_groups
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.result.pairs import Differences, Pair, Transition
from evenhand.result.result import Gold
from evenhand.scores.match_model import MatchModel
from evenhand.settings import Resampled
from evenhand.statistics.significance import mcnemar
from evenhand.tally import Tally
from evenhand.tasks.registry import model

UnitsOf = Callable[[str, tuple[int, int]], list[Unit]]


@dataclass(frozen=True)
class ComparedRun:
    """What a run added up, and what was compared on the way."""

    gold_name: str
    run: Run
    counts: ComparisonCounts
    prepared: Prepared
    of: Resampled | None = None
    """What is to be resampled, if a user says so."""

    @property
    def by(self) -> str:
        return self.counts.by

    @property
    def model(self) -> MatchModel:
        return self.prepared.task.compared(self.by, self.prepared.settings)

    @property
    def further(self) -> list[MatchModel]:
        """The scores whose differences are tested each for itself, where a comparison has several."""
        settings = self.prepared.settings
        models = [model(settings.task, name).prepare(settings) for name in settings.match]
        return models if len(models) > 1 else []

    def figures(self) -> Gold:
        """The gold standard in figures: of the units that all systems have, where only these are compared."""
        side = self.counts.gold_count if self.prepared.task.compares_shared else None
        return self.run.figures(self.gold_name, side)

    @property
    def tallies(self) -> dict[str, Tally]:
        """The counts of each system, by group."""
        return self.tallies_of(self.model)

    def tallies_of(self, model: MatchModel) -> dict[str, Tally]:
        return {name: found[model.judge] for name, found in self._tallies.items()}

    @cached_property
    def _tallies(self) -> dict[str, dict[str, Tally]]:
        """All counts, by what is resampled."""
        tallies = self.run.tallies
        if self.prepared.task.compares_shared:
            tallies = {name: {"shared": tally} for name, tally in self.counts.shared_tallies().items()}
        return self.run.by_document(tallies) if self.groups[0] == "documents" else tallies

    @cached_property
    def groups(self) -> tuple[Resampled, int]:
        """What is resampled, and how many of them there are."""
        return resampled_groups(self.of, self.prepared.settings.task, self.run.documents, self.run.sentences)


class Pairs:
    """Every pair with its differences, test and interval."""

    def __init__(self, found: ComparedRun, resampling: Resampling, scores: Mapping[str, float], units: UnitsOf) -> None:
        self._found, self._scores, self._units = found, scores, units
        self._shown = cache(found.counts.shown)
        self._testing = Testing(found.model, found.tallies, found.groups[1], resampling)
        self._further = [
            Testing(model, found.tallies_of(model), found.groups[1], resampling) for model in found.further
        ]

    def __call__(self) -> dict[tuple[str, str], Pair]:
        counted, names = self._found.counts.differences.finish(), self._found.counts.systems
        pairs = {pair: (names[pair[0]], names[pair[1]]) for pair in counted}
        tested = self._testing(list(pairs.values()))
        further = {testing.model.name: testing(list(pairs.values())) for testing in self._further}
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
                self._scores[after] - self._scores[before],
                {name: self._class(name, pair, counts) for name in counts.transitions},
                changed.significance,
                self._mcnemar(counts) if changed.significance is not None else None,
                changed.interval,
                {name: each[before, after] for name, each in further.items()},
            )
        return found

    def _mcnemar(self, counts: PairCounts) -> float | None:
        """Where differences are right or wrong; corrections and new errors are the discordant ones."""
        if not self._found.prepared.task.compares_shared:
            return None
        return mcnemar(counts.counts["new_error"], counts.counts["correction"])

    def _class(self, name: str, pair: tuple[int, int], counts: PairCounts) -> Differences:
        comparing, found, size = self._found.counts, counts.transitions[name], counts.counts[name]
        different = counts.different
        rows = [
            Transition(
                "" if each.gold < 0 else comparing.labels[each.gold],
                self._shown(each.before),
                self._shown(each.after),
                each.change,
                count,
                count / size,
                count / different,
            )
            for each, count in found.items()
        ]
        rows.sort(key=lambda row: (-row.count, row.gold, row.before, row.after, row.change))
        share = size / different if different else 0.0
        return Differences(name, size, share, rows, partial(self._units, name, pair))
