"""Where systems fail: units with their attributes, and the slices in which errors are significantly more frequent.

The units are all units of the gold standard, and the units that only a system has. With `--units gold`, only the first
are used; with `--units system`, the units that the system has, correct or not. A unit is wrong if the compared measure
counts it as an error. Attributes are those of [slices](#slices) and the label of the unit: in the gold standard or, if
only a system has the unit, in the system's output. The [search](#search-for-slices) tests their values and pairs.

The *points* of a slice are what the score would gain if all errors in it were corrected, as in [what to fix
first](#what-to-fix-first). For two systems, they are the points of the second minus those of the first.

Slices are not causes. Attributes correlate: strings that are not in the training data are rare and long. If slices of
both are listed, the data do not show which one matters.

Sources: Liu et al. 2021 for errors by attributes; this project for the search.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.comparison.slices import Slicing, binned, notes_on_metadata
from evenhand.comparison.training import Units
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.pipeline.inputs import Input
from evenhand.scoring.measure import Formula
from evenhand.scoring.tally import Tally
from evenhand.statistics.slice_search import (
    ListedSlice,
    Membership,
    SearchSettings,
    SliceTests,
    membership,
    search,
    without_shadows,
)
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.tables import recoverable
from evenhand.tasks.task import Task
from evenhand.tasks.units import Locations, Predictions

UnitSide = Literal["all", "gold", "system"]
JOINT = " & "
"""Between the two values of a slice: `seen=new & label=MISC`."""
_COLUMNS = ("unit", "document", "sentence", "kind", "wrong", "present")
"""Columns of units that are collected unchanged."""


@dataclass(frozen=True)
class AttributedUnits:
    """Units with their attributes: columns of units, or of systems and units."""

    unit: Ints
    """(units): the number of the unit in the run."""
    document: Ints
    sentence: Ints
    """(units): numbered over the whole run."""
    codes: Mapping[str, Ints]
    """By attribute, (units): the code of its value."""
    values: Mapping[str, Sequence[str]]
    """By attribute: its values by code."""
    bins: Mapping[str, Ints]
    """By attribute except the label: the code of the value of each raw value (`AttributeCollector.raw`)."""
    kind: Ints
    """(systems, units): the error type as an index of `kinds`."""
    wrong: Bools
    """(systems, units)."""
    present: Bools
    """(systems, units): whether the unit counts for the system; a unit that only others have does not."""
    kinds: tuple[str, ...]
    notes: tuple[str, ...]
    """How values were put into bins, and attributes that the gold standard does not have."""

    def name(self, parts: Sequence[tuple[int, int]]) -> str:
        """The name of a slice: `label=ORG`, `seen=new & label=MISC`."""
        return JOINT.join(f"{attribute}={value}" for attribute, value in self.parts(parts))

    def parts(self, parts: Sequence[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        """The attributes of a slice and their values by name."""
        attributes = list(self.codes)
        return tuple((attributes[number], self.values[attributes[number]][value]) for number, value in parts)

    def of(self, rows: Ints) -> AttributedUnits:
        """Some of the units."""
        columns = {name: getattr(self, name)[..., rows] for name in _COLUMNS}
        return replace(self, codes={name: codes[rows] for name, codes in self.codes.items()}, **columns)


class AttributeCollector:
    """Collects units with their attributes, part by part: an observer of evaluations."""

    def __init__(
        self,
        task: Task,
        by: str,
        slicings: Sequence[Slicing],
        optional: Collection[str],
        labels: StringIndex[str],
        side: UnitSide,
        gold: Input,
    ) -> None:
        """`optional` slicings are left out if the gold standard does not have what they need."""
        self._gold = gold
        self._task, self._by, self._labels, self._side = task, by, labels, side
        self._slicings, self._optional = list(slicings), optional
        self._names = {slicing.name: StringIndex[str]() for slicing in slicings}
        self._parts: list[dict[str, Ints | Bools]] = []
        self._codes: dict[str, list[Ints]] = {slicing.name: [] for slicing in slicings}
        self._before = 0
        self._kinds: tuple[str, ...] = ()
        self._left_out: list[str] = []

    def __call__(self, evaluation: Evaluation) -> None:
        answers, locations = evaluation.answers(self._by), evaluation.locations
        self._kinds = answers.kinds
        present = answers.kind < len(answers.kinds)  # the others do not count: TN of spans
        rows = np.flatnonzero(self._is_of_side(answers) & present.any(axis=0))
        for slicing in list(self._slicings):
            codes = self._codes_of(slicing, answers, locations)
            if codes is not None:
                self._codes[slicing.name].append(codes[rows])
        has_place = answers.sentence[rows] >= 0
        document = np.append(locations.document_of, -1)[np.where(has_place, answers.sentence[rows], -1)]
        self._parts.append(
            {
                "unit": rows + self._before,
                "document": document,
                "sentence": np.where(has_place, locations.before + answers.sentence[rows], -1),
                "start": answers.start[rows],
                "end": answers.end[rows],
                "label": answers.label[rows],
                "is_extra": answers.is_surplus[rows],
                "kind": np.where(present, answers.kind, -1)[:, rows],
                "wrong": (present & ~answers.right)[:, rows],
                "present": present[:, rows],
            }
        )
        self._before += len(answers)

    def _is_of_side(self, answers: Predictions) -> Bools:
        if self._side == "all":
            return np.ones(len(answers), dtype=np.bool_)
        if answers.absent is None:
            unit = self._task.unit_of(self._by)
            raise SettingError(f"units is {self._side!r}, but both sides have the same {unit}s. Remove it.")
        if self._side == "gold":
            return ~answers.is_surplus
        return np.asarray((answers.predicted >= 0).any(axis=0))

    def _codes_of(self, slicing: Slicing, answers: Predictions, locations: Locations) -> Ints | None:
        """The codes of an attribute; None if it is left out, which the first part decides."""
        try:
            return slicing.of_units(answers, locations, self._names[slicing.name])
        except SettingError:
            if slicing.name not in self._optional or self._parts:
                raise
            self._slicings.remove(slicing)
            self._left_out.append(slicing.name)
            return None

    def raw(self, units: Units, locations: Locations) -> list[Ints]:
        """The raw values of other units, one row per attribute that is not left out."""
        return [slicing.of_units(units, locations, self._names[slicing.name]) for slicing in self._slicings]

    def finish(self) -> AttributedUnits:
        """All units, with values in bins."""
        columns: dict[str, Any] = {
            name: np.concatenate([part[name] for part in self._parts], axis=-1) for name in self._parts[0]
        }
        # In the order of the text, so sums do not depend on where parts end.
        order = np.lexsort(tuple(columns[name] for name in ("label", "is_extra", "end", "start", "sentence")))
        columns = {name: column[..., order] for name, column in columns.items()}
        gold = np.flatnonzero(~columns["is_extra"])
        codes, values, bins = dict[str, Ints](), dict[str, Sequence[str]](), dict[str, Ints]()
        notes = notes_on_metadata(self._slicings, self._gold)
        for slicing in self._slicings:
            of_unit, names = np.concatenate(self._codes[slicing.name])[order], self._names[slicing.name].values
            slices, code_of, note = binned(slicing, names, np.bincount(of_unit[gold], minlength=len(names)))
            codes[slicing.name], values[slicing.name], bins[slicing.name] = code_of[of_unit], slices, code_of
            notes += [] if note is None else [note]
        label = self._task.display.label
        codes[label], values[label] = columns["label"], self._labels.values
        if self._left_out:
            notes.append(f"not searched because the gold standard has no words: {', '.join(self._left_out)}.")
        chosen = {name: columns[name] for name in _COLUMNS}
        return AttributedUnits(codes=codes, values=values, bins=bins, kinds=self._kinds, notes=tuple(notes), **chosen)


@dataclass(frozen=True)
class SliceFindings:
    """The result of a search: all slices with their tests, and the list without shadows."""

    units: AttributedUnits
    error: Values
    """(units): e."""
    members: Membership
    names: tuple[str, ...]
    """Of slices."""
    tests: SliceTests
    listed: Sequence[ListedSlice]
    settings: SearchSettings

    def wrong(self) -> dict[str, Ints]:
        """By slice: the numbers in the run of its units with an error or, of two systems, with a difference."""
        entries = np.flatnonzero(self.error[self.members.unit])
        slices, units = self.members.slice[entries], self.members.unit[entries]
        order = np.lexsort((units, slices))
        edges = np.searchsorted(slices[order], np.arange(1, self.members.slices))
        return dict(zip(self.names, np.split(self.units.unit[units[order]], edges), strict=True)) if self.names else {}

    def rates(self, system: int) -> tuple[Values, Values]:
        """By slice: the error rate of a system, and its standard error.

        With n_s units and r wrong ones, the error is sqrt(sum_d(sum of its units in s of (e - r / n_s))²)) / n_s.
        """
        members, wrong = self.members, self.units.wrong[system]
        size = np.maximum(self.tests.units, 1)
        rate = np.bincount(members.slice, wrong[members.unit], members.slices) / size
        pairs, pair = np.unique(members.document[members.unit] * members.slices + members.slice, return_inverse=True)
        residual = np.bincount(pair, wrong[members.unit] - rate[members.slice], len(pairs))
        squares = np.bincount(pairs % max(1, members.slices), residual**2, members.slices)
        return rate, np.sqrt(squares) / size

    def recoverable(self, task: Task, model: Formula, tally: Tally, system: int) -> Values | None:
        """By slice: how far the score of a system would rise without its errors; None for means of other scores."""
        rows, size = self.members.unit, len(self.units.kinds)
        counted = np.flatnonzero(self.units.wrong[system, rows])
        cell = self.members.slice[counted] * size + self.units.kind[system, rows[counted]]
        counts = np.bincount(cell, minlength=self.members.slices * size).reshape(self.members.slices, size)
        return recoverable(task, model, tally, self.units.kinds, counts)


def find_slices(
    units: AttributedUnits, systems: Sequence[int], settings: SearchSettings, *, by_sentence: bool = False
) -> SliceFindings:
    """Search the slices of one system or, for the differences of the second from the first, of two."""
    units = units.of(np.flatnonzero(units.present[list(systems)].any(axis=0)))
    *before, after = units.wrong[list(systems)].astype(np.float64)
    error = after - sum(before)
    members = membership(list(units.codes.values()), units.sentence if by_sentence else units.document)
    tests = search(members, error, settings)
    listed = without_shadows(members, error, tests, settings)
    return SliceFindings(units, error, members, tuple(map(units.name, members.parts)), tests, listed, settings)
