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
    comparison_signature,
    compared_options,
    one_measure,
)
from evenhand.api.slices import SliceOptions, TrainingFiles
from evenhand.arrays import Values, ints
from evenhand.comparison.attributes import ATTRIBUTES
from evenhand.comparison.causes import AttributedUnits, SliceFindings, UnitSide, find_slices
from evenhand.comparison.slices import SliceRequest, Slices, notes_on_metadata
from evenhand.comparison.units import ChosenUnits, Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
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
    """Search for slices in which a system has more errors, `causes(gold, a)`, or two systems differ, `causes(gold, a, b)`.

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
        raise SettingError(f"Causes are searched for one system, or for the difference of two; got {len(sides)}.")
    if worse and len(sides) == 1:
        raise SettingError("worse is for two systems; leave it out.")
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
    run = job(side=units)
    assert run.attributes is not None
    contrast: Contrast = "rest" if len(sides) == 1 else "zero"
    search = SearchSettings(contrast, len(sides) == 2 and not worse, ALPHA, seed)
    return _Found(job, run, run.attributes.finish(), search, units).result()


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
        raise SettingError("only needs slices. Name some, or leave it out.")
    defaults = [
        name
        for name in available
        if not request.has(name) and (wants_all or (not only and ATTRIBUTES[name].is_searched))
    ]
    return SliceRequest({**dict.fromkeys(defaults, ""), **names}, request.tables), tuple(defaults)


@dataclass(frozen=True)
class _Found:
    """A run and its units, which are searched."""

    job: ComparisonJob
    run: ComparedRun
    units: AttributedUnits
    settings: SearchSettings
    side: UnitSide

    def result(self) -> Causes:
        run, task = self.run, self.run.prepared.task
        of, groups = run.groups
        if groups < FEWEST_DOCUMENTS:
            can_take_sentences = of == "documents" and not task.evaluation.by_document
            hint = " Use --of sentences if sentences can be treated as independent." if can_take_sentences else ""
            number = counted(groups, of.removesuffix("s"))
            raise SettingError(f"Expected at least {FEWEST_DOCUMENTS} {of} to search slices, got {number}.{hint}")
        systems = tuple(run.counts.systems)
        present, wrong = self.units.present.any(axis=0), self.units.wrong.sum(axis=1).tolist()
        findings = find_slices(self.units, range(len(systems)), self.settings, by_sentence=of == "sentences")
        slices, found = self._slices(findings)
        slicings = run.attributes.slicings if run.attributes is not None else []
        settings = f"units:{self.side}|slices:{','.join(self.units.codes)}|worse:{int(not self.settings.two_sided)}"
        return Causes(
            gold=run.gold,
            task=task.name,
            by=run.by,
            unit=task.unit_of(run.by),
            systems=systems,
            of=of,
            groups=groups,
            size=int(np.count_nonzero(present)),
            wrong=dict(zip(systems, wrong, strict=True)),
            side=self.side,
            attributes=tuple(self.units.codes),
            slices=tuple(slices.values()),
            found=found,
            two_sided=self.settings.two_sided,
            seed=run.resampling.seed,
            signature=f"{comparison_signature(run)}|{settings}",
            notes=(*self.job.data.notes, *notes_on_metadata(slicings, self.job.gold), *self.units.notes),
            read_units=partial(self._units_of, findings),
        )

    def _points(self, findings: SliceFindings) -> Values | None:
        """The points of each slice; of two systems, the difference."""
        model, tallies = self.run.model, self.run.tallies_of(self.run.model)
        points = [
            findings.recoverable(self.run.prepared.task, model, tallies[name], number)
            for number, name in enumerate(self.run.counts.systems)
        ]
        *before, after = points
        if after is None:
            return None
        return after - before[0] if before and before[0] is not None else after

    def _slices(self, findings: SliceFindings) -> tuple[dict[int, SearchedSlice], tuple[FoundSlice, ...]]:
        """All slices by number, and the list."""
        tests, names, points = findings.tests, findings.names, self._points(findings)
        detectable, z = tests.detectable(), z_of(1 - 0.95)
        rates = [findings.rates(number) for number in range(len(self.run.counts.systems))]
        rows = {}
        for slice in np.flatnonzero(tests.is_searched).tolist():
            rows[slice] = SearchedSlice(
                names[slice],
                *(int(column[slice]) for column in (tests.units, tests.documents)),
                *(float(column[slice]) for column in (tests.inside, tests.outside)),
                None if points is None else float(points[slice]),
                *(float(column[slice]) for column in (tests.statistic, tests.p)),
                None if np.isnan(detectable[slice]) else float(detectable[slice]),
                tuple(float(rate[slice]) for rate, _ in rates),
                tuple(
                    (max(0.0, float(rate[slice] - z * error[slice])), min(1.0, float(rate[slice] + z * error[slice])))
                    for rate, error in rates
                ),
            )
        chosen = [self._examples(findings, listed) for listed in findings.listed]
        details = self._read(sorted({number for numbers in chosen for number in numbers}))
        found = [
            FoundSlice(
                *(names[listed.slice], rows[listed.slice].units, rows[listed.slice].documents, len(listed.units)),
                *(listed.inside, listed.outside, rows[listed.slice].points, listed.statistic, listed.p),
                tuple(details[number] for number in numbers),
            )
            for listed, numbers in zip(findings.listed, chosen, strict=True)
        ]
        return rows, tuple(found)

    def _examples(self, findings: SliceFindings, listed: ListedSlice) -> list[int]:
        """The first errors of a slice that no slice before it has; of different documents, if there are enough."""
        rows = listed.units
        sign = np.sign(listed.statistic)
        wrong = rows[np.sign(findings.error[rows]) == sign]
        _, first = np.unique(findings.units.document[wrong], return_index=True)
        others = np.setdiff1d(np.arange(len(wrong)), first)
        order = np.concatenate((first, others))[:EXAMPLES]
        return sorted(findings.units.unit[wrong[order]].tolist())

    def _units_of(self, findings: SliceFindings, name: str, limit: int | None = None) -> list[Unit]:
        numbers = np.sort(findings.wrong(findings.names.index(name))).tolist()[:limit]
        return list(self._read(numbers).values())

    def _read(self, numbers: Sequence[int]) -> dict[int, Unit]:
        """The details of units, from a second pass."""
        if not numbers:
            return {}
        chosen = ChosenUnits("error", ints(numbers))
        self.job(chosen)
        return chosen.units
