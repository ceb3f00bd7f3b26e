"""`causes`: the slices in which a system has more errors, or in which two systems differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from evenhand.api.compare import (
    MAX_SEED,
    ComparedRun,
    ComparisonJob,
    ResamplingSettings,
    compared_by,
    compared_options,
    comparison_signature,
    one_measure,
)
from evenhand.api.slices import SliceOptions, TrainingFiles
from evenhand.arrays import Ints, Values, ints
from evenhand.comparison.attributes import ATTRIBUTES
from evenhand.comparison.causes import SliceFindings, UnitSide, find_slices
from evenhand.comparison.slices import SliceRequest, Slices
from evenhand.comparison.units import ChosenUnits, Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import check_choice, check_whole_number, checked_arguments
from evenhand.pipeline.inputs import Input, content_for, known_options, side_of, systems_by_name
from evenhand.results.causes import ALPHA, Causes, FoundSlice, SearchedSlice
from evenhand.settings import Resampled
from evenhand.statistics.power import z_of
from evenhand.statistics.slice_search import FEWEST_DOCUMENTS, Contrast, ListedSlice, SearchSettings
from evenhand.tasks.registry import TASKS
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.keywords import Keywords, MatchFunction

EXAMPLES = 3
EVERY = "all"
"""The name that stands for all attributes of a task."""


@checked_arguments(known_options)
def causes(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    other: Input | None = None,
    *,
    by: str | MatchFunction | None = None,
    units: UnitSide = "all",
    slices: Slices = (),
    only: bool = False,
    worse: bool = False,
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    of: Resampled | None = None,
    seed: int = 0,
    **options: Unpack[Keywords],
) -> Causes:
    """Search for slices in which a system has more errors: `causes(gold, a)`; or two differ: `causes(gold, a, b)`.

    by         the measure that decides which units are wrong, as in `compare`
    units      "all", "gold" (units of the gold standard only: what is missed) or "system" (units of the system only)
    slices     further attributes, columns or tables of metadata, as in `score`; "all" for all attributes [the label,
               length, sentence-length, position, capitals and, with training data, seen]
    only       search only the slices that are named, and labels
    worse      of two systems: only slices in which the second is worse
    train, drop_leaked, vocabulary
               as in `score`
    of         what is resampled: "documents" or "sentences" [documents, or sentences if there is one document]
    seed       of the random numbers

    Other keywords are as in `score`. Returns a `Causes` with `table`, `found` and `units(slice)`.
    """
    check_choice("units", units, get_args(UnitSide))
    sides = systems_by_name(systems if other is None else [side_of(systems), side_of(other)]) or {}
    if len(sides) not in (1, 2):
        raise SettingError(f"Causes are searched for one system, or for the difference between two; got {len(sides)}.")
    if worse and len(sides) == 1:
        raise SettingError("worse needs two systems; remove it.")
    chosen = dict[str, Any](options)
    measure = one_measure(by, chosen)
    seed = check_whole_number("seed", seed, 0, MAX_SEED)
    of_slices = SliceOptions.of(slices, vocabulary, train, drop_leaked)
    content = content_for(side_of(gold), chosen)
    request, optional = searched_slices(TASKS[content.task], of_slices, only=only)
    of_slices = replace(of_slices, request=SliceRequest(tables=request.tables))
    job = ComparisonJob(
        *(side_of(gold), sides, [(0, 1)] if len(sides) == 2 else [], measure),
        ResamplingSettings(of=of, seed=seed).checked(),
        *(compared_options(chosen), of_slices, False, content),
        searched=request,
        optional=optional,
    )
    return searched_run(job, job(side=units), range(len(sides)), units, worse=worse)


def scored_slices(
    gold: Input, by: str | None, options: Mapping[str, Any], slicing: Mapping[str, Any]
) -> dict[str, Any]:
    """Keywords of `score`: the default measure of `causes`, and the slices that it searches."""
    task = TASKS[content_for(side_of(gold), dict(options)).task]
    request, _ = searched_slices(task, SliceOptions.of(**slicing))
    return {**slicing, "slices": request, "match": compared_by(task, by, options)}


def searched_slices(task: Task, options: SliceOptions, *, only: bool = False) -> tuple[SliceRequest, tuple[str, ...]]:
    """The slices to search, and those of them that are searched by default."""
    if not task.comparison.has_causes:
        known = [name for name in TASKS if TASKS[name].comparison.has_causes]
        raise SettingError(f"Causes are searched for {' and '.join(known)}, not for {task.name}.")
    request = options.request
    available = [
        name
        for name in task.comparison.attributes
        if ATTRIBUTES[name].needs in ("", "gold", "train" if options.train else "")
    ]
    names = dict(request.names)
    wants_all = names.pop(EVERY, None) is not None
    if only and not request:
        raise SettingError("only needs slices. Specify some, or remove it.")
    defaults = [
        name
        for name in available
        if not request.has(name) and (wants_all or (not only and ATTRIBUTES[name].is_searched))
    ]
    return SliceRequest({**dict.fromkeys(defaults, ""), **names}, request.tables), tuple(defaults)


def searched_run(
    job: ComparisonJob,
    run: ComparedRun,
    systems: Sequence[int],
    side: UnitSide = "all",
    *,
    worse: bool = False,
    examples: int = EXAMPLES,
) -> Causes:
    """Search the slices of one or two systems of a run whose units have attributes."""
    of, groups = run.groups
    if groups < FEWEST_DOCUMENTS:
        can_take_sentences = of == "documents" and not run.prepared.task.evaluation.by_document
        hint = " Use --of sentences if sentences can be treated as independent." if can_take_sentences else ""
        raise SettingError(f"Expected at least {FEWEST_DOCUMENTS} {of} to search slices, got {groups}.{hint}")
    contrast: Contrast = "rest" if len(systems) == 1 else "zero"
    settings = SearchSettings(contrast, len(systems) == 2 and not worse, ALPHA, run.resampling.seed)
    findings = find_slices(run.units, systems, settings, by_sentence=of == "sentences")
    return _RunSearch(job, run, tuple(systems), findings, side, examples).result()


@dataclass(frozen=True)
class _RunSearch:
    """The search of a run."""

    job: ComparisonJob
    run: ComparedRun
    systems: tuple[int, ...]
    findings: SliceFindings
    side: UnitSide
    examples: int

    def result(self) -> Causes:
        run, task = self.run, self.run.prepared.task
        systems, units = self._names, self.findings.units
        slices, found = self._slices()
        bins = self.job.searched.names
        names = ",".join(f"{name}={bins[name]}" if bins.get(name) else name for name in units.codes)
        settings = f"units:{self.side}|slices:{names}|worse:{int(not self.findings.settings.two_sided)}"
        return Causes(
            gold=run.gold,
            task=task.name,
            by=run.by,
            unit=task.unit_of(run.by),
            systems=systems,
            of=run.groups[0],
            groups=run.groups[1],
            size=len(units.unit),
            wrong={name: int(units.wrong[number].sum()) for name, number in zip(systems, self.systems, strict=True)},
            side=self.side,
            attributes=tuple(units.codes),
            slices=tuple(slices.values()),
            found=found,
            two_sided=self.findings.settings.two_sided,
            seed=run.resampling.seed,
            signature=f"{comparison_signature(run)}|{settings}",
            notes=(*self.job.data.notes, *units.notes),
            read_units=partial(units_of_slice, self.job, self.findings.wrong()),
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.run.counts.systems[number] for number in self.systems)

    def _points(self) -> Values | None:
        """The points of each slice; of two systems, the difference."""
        model, tallies = self.run.model, self.run.tallies_of(self.run.model)
        points = [
            self.findings.recoverable(self.run.prepared.task, model, tallies[name], number)
            for name, number in zip(self._names, self.systems, strict=True)
        ]
        *before, after = points
        if after is None:
            return None
        return after - before[0] if before and before[0] is not None else after

    def _slices(self) -> tuple[dict[int, SearchedSlice], tuple[FoundSlice, ...]]:
        """All slices by number, and the list."""
        findings, points = self.findings, self._points()
        tests, names = findings.tests, findings.names
        detectable, z = tests.detectable(), z_of(1 - 0.95)
        rates = [findings.rates(number) for number in self.systems]
        rows = {}
        for slice in np.flatnonzero(tests.is_searched).tolist():
            in_slice = [(float(rate[slice]), float(z * error[slice])) for rate, error in rates]
            rows[slice] = SearchedSlice(
                names[slice],
                units=int(tests.units[slice]),
                documents=int(tests.documents[slice]),
                inside=float(tests.inside[slice]),
                outside=float(tests.outside[slice]),
                points=None if points is None else float(points[slice]),
                statistic=float(tests.statistic[slice]),
                p=float(tests.p[slice]),
                detectable=None if np.isnan(detectable[slice]) else float(detectable[slice]),
                rates=tuple(rate for rate, _ in in_slice),
                intervals=tuple((max(0.0, rate - room), min(1.0, rate + room)) for rate, room in in_slice),
            )
        chosen = [self._examples(listed) for listed in findings.listed]
        details = _read(self.job, [number for numbers in chosen for number in numbers])
        found = [
            FoundSlice(
                names[listed.slice],
                units=rows[listed.slice].units,
                documents=rows[listed.slice].documents,
                left=len(listed.units),
                inside=listed.inside,
                outside=listed.outside,
                points=rows[listed.slice].points,
                statistic=listed.statistic,
                p=listed.p,
                examples=tuple(details[number] for number in numbers),
                parts=findings.units.parts(findings.members.parts[listed.slice]),
            )
            for listed, numbers in zip(findings.listed, chosen, strict=True)
        ]
        return rows, tuple(found)

    def _examples(self, listed: ListedSlice) -> list[int]:
        """The first errors of a slice that no slice before it has; of different documents, if there are enough."""
        rows, units = listed.units, self.findings.units
        wrong = rows[np.sign(self.findings.error[rows]) == np.sign(listed.statistic)]
        _, first = np.unique(units.document[wrong], return_index=True)
        others = np.setdiff1d(np.arange(len(wrong)), first)
        order = np.concatenate((first, others))[: self.examples]
        numbers: list[int] = units.unit[np.sort(wrong[order])].tolist()
        return numbers


def units_of_slice(job: ComparisonJob, wrong: Mapping[str, Ints], slice: str, limit: int | None) -> list[Unit]:
    """The details of the units of a slice that are wrong; `wrong` has their numbers in the run."""
    numbers = wrong[slice].tolist()[:limit]
    details = _read(job, numbers)
    return [details[number] for number in numbers]


def _read(job: ComparisonJob, numbers: Sequence[int]) -> dict[int, Unit]:
    """The details of units, from a second pass."""
    if not numbers:
        return {}
    chosen = ChosenUnits("error", np.unique(ints(numbers)))
    job(chosen)
    return chosen.units
