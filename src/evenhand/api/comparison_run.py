"""A comparison that is prepared and run: its settings, the pass over all files, and what that adds up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

from evenhand.api.significance import Resampling, too_few
from evenhand.comparison.collection import Collection as UnitCollection
from evenhand.comparison.counts import ComparisonCounts, Sought
from evenhand.comparison.group_tables import GroupTables
from evenhand.comparison.slices import SLICES
from evenhand.comparison.units import Unit, Wanted
from evenhand.dataclass import dataclass
from evenhand.pipeline.inputs import Input, name_of
from evenhand.pipeline.options import Prepared, content_for, prepare
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Work
from evenhand.problems import SettingError
from evenhand.result.result import Gold
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import headline
from evenhand.settings import Resampled, column_names
from evenhand.suggestion import unknown
from evenhand.tally import Tally
from evenhand.tasks.registry import TASKS, all_parameters, model, name_among
from evenhand.tasks.task import Content, Task
from evenhand.text.annotation import extra_layer
from evenhand.text.labels import Vocabulary


@dataclass(frozen=True)
class ComparedRun:
    """What a run added up, and what was compared on the way."""

    gold_name: str
    run: Run
    counts: ComparisonCounts
    prepared: Prepared
    resampling: Resampling
    few_documents: int | None = None
    """In how many documents two systems differ at most, if these are too few to decide and sentences are resampled."""

    @property
    def by(self) -> str:
        return self.counts.by

    @property
    def model(self) -> MatchModel:
        return model(self.prepared.task.name, self.by).prepare(self.prepared.settings)

    @cached_property
    def further(self) -> list[MatchModel]:
        """The scores whose differences are tested separately, where a comparison has several."""
        other = model(self.prepared.task.name, self.by).counterpart
        models = [each for each in self.prepared.models if each.name != other or self._differs(each)]
        return models if len(models) > 1 else []

    def _differs(self, other: MatchModel) -> bool:
        """Whether another model gives a system another score than the one that systems are compared by."""
        labels = list(self.figures().labels)
        scores = (
            [headline(each, tallies[each.judge], labels) for each in (self.model, other)]
            for tallies in self.run.tallies.values()
        )
        return any(one != two and not (isnan(one) and isnan(two)) for one, two in scores)

    def figures(self) -> Gold:
        """The gold standard in figures: of the units of the score that systems are compared by."""
        side = self.counts.gold_count if self.by in self.prepared.task.other_units else None
        return self.run.figures(self.gold_name, side)

    def tallies_of(self, model: MatchModel) -> dict[str, Tally]:
        """The counts of each system, by what is resampled."""
        return {name: found[model.judge] for name, found in self._tallies.items()}

    @cached_property
    def _tallies(self) -> dict[str, dict[str, Tally]]:
        tallies = self.run.tallies
        return self.run.by_document(tallies) if self.groups[0] == "documents" else tallies

    @cached_property
    def groups(self) -> tuple[Resampled, int]:
        """What is resampled, and how many of them there are."""
        return self.resampling.groups(self.prepared.task, *self._sizes)

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.run.documents, self.run.sentences

    @property
    def has_groups(self) -> bool:
        """Whether there is anything to resample: several groups, and a unit of the gold standard."""
        return self.groups[1] > 1 and bool(self.figures().units)

    def settled(self, pairs: Sequence[tuple[int, int]], alpha: float) -> ComparedRun:
        """The same with what is resampled in the end.

        Nothing if there is one group or no gold unit; sentences if documents are too few for any p-value below alpha.
        """
        if not self.has_groups:
            return replace(self, resampling=self.resampling.without())
        if self.resampling.may_take_sentences(self.prepared.task, self.groups[0], *self._sizes):
            tables = GroupTables.of(self.model, self.tallies_of(self.model), self.groups[1])
            names = self.counts.systems
            few = too_few(tables, [(names[one], names[other]) for one, other in pairs], alpha)
            if few is not None:
                return replace(self, resampling=replace(self.resampling, of="sentences"), few_documents=few)
        return self


def compared_by(task: Task, given: str | None, options: Mapping[str, Any]) -> str:
    """The score that systems are compared by: the one that is named or the task's first one, under the options."""
    found = name_among(task.name, given or task.compared_by[0], task.compared_by)
    if found is None:
        remedy = f"choose one of {', '.join(task.compared_by)} for {task.name}"
        raise SettingError(unknown(f"by is {given!r}", str(given), task.compared_by, remedy))
    return task.decided_by(found, options)


NOT_COMPARED = ("match", "groups", "jobs", "engine")
"""Keywords of `score` that have no place where systems are compared."""


def without_effect() -> list[str]:
    """Options of `score` that change nothing that is compared."""
    parameters = [each for each in all_parameters().values() if not each.compares]
    return [*NOT_COMPARED, *(name for each in parameters for name in (each.name, *each.former))]


def compared_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those that change nothing that is compared."""
    others = without_effect()
    return {name: value for name, value in options.items() if name not in others}


@dataclass
class ComparisonRun:
    """A comparison that can be run more than once: for its counts, and for the units behind them."""

    gold: Input
    systems: Mapping[str, Input]
    pairs: Sequence[tuple[int, int]]
    """The numbers of systems that are compared with each other."""
    by: str | None
    resampling: Resampling
    options: Mapping[str, Any]
    slices: tuple[str, ...] = ()
    vocabulary: Collection[str] | None = None
    content: Content | None = None
    """What the gold standard is, if that is known."""

    def __post_init__(self) -> None:
        _check_effect(self.options)
        content = self.content or content_for(self.gold, self.options)
        task = TASKS[content.task]
        self.resampling.check(task)
        self.by = compared_by(task, self.by, self.options)
        for name in self.slices:
            others = [each.name for each in TASKS.values() if name in each.slices]
            if others and task.name not in others:
                raise SettingError(f"The slice {name!r} is for {others[0]}; leave it out.")
        known = (*SLICES, *task.slices)
        columns = column_names([name for name in self.slices if name not in known])
        chosen = {**self.options, "match": task.compared_models(self.by, content)}
        prepared = prepare(self.gold, self.systems, chosen, content)
        gold = replace(prepared.read_as["gold"], extra=columns)
        self.prepared = replace(prepared, read_as={**prepared.read_as, "gold": gold})
        self.slices = tuple(dict.fromkeys((*self.slices, *task.default_slices(content))))

    def __call__(
        self,
        wanted: Wanted | None = None,
        collection: UnitCollection | None = None,
        scored: Prepared | None = None,
    ) -> ComparedRun:
        """One pass; `scored` are the settings of scores that come from it, too, with their totals."""
        compared, vocabulary, by = self.prepared, Vocabulary(), str(self.by)
        task, systems = compared.task, list(self.systems)
        sought = Sought(self.slices, self.vocabulary, wanted, collection)
        counts = ComparisonCounts(task, compared.settings, by, systems, self.pairs, vocabulary.labels, sought)
        models = compared.settings.match
        work = Work(self.gold, self.systems, compared, models, "finest")
        if scored is not None:
            models = tuple(dict.fromkeys((*scored.settings.match, *models)))
            prepared = replace(scored, settings=replace(scored.settings, match=models))
            work = replace(work, prepared=prepared, models=models, with_totals=True)
        layers = (*self.slices, *map(extra_layer, compared.read_as["gold"].extra))
        run = work.run([counts], vocabulary, layers)
        return ComparedRun(name_of(self.gold), run, counts, compared, self.resampling)

    def units(self, kind: str, pair: tuple[int, int]) -> list[Unit]:
        """A second pass, for the units of one class of one pair."""
        wanted = Wanted(kind, [pair])
        self(wanted)
        return wanted.found

    def page(self, path: str | Path | None) -> str:
        """A report on the same systems, which is loaded late as it compares them itself."""
        from evenhand.api.report import report

        return report(self.gold, self.systems, by=self.by, **asdict(self.resampling), **self.options).to_html(path)


def _check_effect(options: Mapping[str, Any]) -> None:
    """Refuse options that change nothing that is compared."""
    parameters = all_parameters()
    for name in without_effect():
        value = options.get(name)
        default = parameters[name].default if name in parameters else None
        if value is not None and value is not False and value not in ("", (), [], default):
            raise SettingError(f"{name} does nothing in a comparison; leave it out.")
