"""The counts of a comparison: accumulated while the files are evaluated, and by group for tests and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, Numbers, Values, is_ones, ones
from evenhand.comparison.causes import AttributeCollector
from evenhand.comparison.differences import DifferenceCounter, Oracle
from evenhand.comparison.slices import Slicing, binned
from evenhand.comparison.units import ChosenUnits, UnitSearch
from evenhand.comparison.units import Collection as UnitCollection
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import divided_table, headlines
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.statistics.bootstrap import GroupCounts, Statistic, group_types
from evenhand.tasks.evaluation import Evaluation, SideSummary
from evenhand.tasks.task import Task
from evenhand.tasks.units import ABSENT_CODE, MISSING_CODE, Locations, Predictions, SystemAgreement
from evenhand.tasks.words.measures import ABSENT, MISSING

if TYPE_CHECKING:
    from evenhand.statistics.power import InfluenceSpread

_MAX_LABELS = 2**17 - 2
_LACKED = {MISSING_CODE: MISSING, ABSENT_CODE: ABSENT}


@dataclass(frozen=True)
class GroupTables:
    """By system a table (groups, columns); equal groups may share a row. The statistic is the score of sums."""

    tables: Mapping[str, Values]
    sizes: Ints
    """Number of groups per row."""
    statistic: Statistic

    @staticmethod
    def of(model: Formula, tallies: Mapping[str, Tally], groups: int, labels: Sequence[str] = ()) -> GroupTables:
        """The counts of tallies; a macro average has columns for every label of the gold standard."""
        sizes = ones(groups)
        if model.headline == "macro":  # there are many columns, so only types of groups get a row
            kinds = {kind for counts in model.columns() for kind in counts}
            first, type_of = group_types([GroupCounts.of_tally(tally, kinds) for tally in tallies.values()], groups)
            sizes, groups = np.bincount(type_of), len(first)
            tallies = {name: tally.choose(first) for name, tally in tallies.items()}
        tables = {name: divided_table(model, tally, labels, groups) for name, tally in tallies.items()}
        shape = next(iter(tables.values())).shape[1:]
        flat = {name: table.reshape(groups, shape[0] * shape[1]) for name, table in tables.items()}
        return GroupTables(flat, sizes, lambda sums: headlines(model, sums.reshape(*sums.shape[:-1], *shape)))

    @staticmethod
    def joined(parts: Sequence[GroupTables]) -> GroupTables:
        """Several data sets as one, each with separate columns; the score is the mean of their scores."""
        ends = np.cumsum([part.columns for part in parts])
        rows = np.cumsum([0, *(len(part.sizes) for part in parts)])

        def statistic(sums: Values) -> Values:
            columns = np.split(sums, ends[:-1], axis=-1)
            scores = [part.statistic(column) for part, column in zip(parts, columns, strict=True)]
            mean: Values = np.mean(scores, axis=0)
            return mean

        tables = {name: np.zeros((rows[-1], ends[-1])) for name in parts[0].tables}
        for part, row, end in zip(parts, rows, ends, strict=False):
            for name, table in part.tables.items():
                tables[name][row : row + len(table), end - part.columns : end] = table
        return GroupTables(tables, np.concatenate([part.sizes for part in parts]), statistic)

    @property
    def columns(self) -> int:
        return len(next(iter(self.tables.values())).T)

    def differing(self, one: str, other: str) -> int:
        """Number of groups in which the counts of two systems differ."""
        return int(self.sizes[(self.tables[one] != self.tables[other]).any(axis=1)].sum())

    def score(self, system: str) -> float:
        """The score of all groups."""
        table = self.tables[system]
        return float(self.statistic(table.sum(axis=0) if is_ones(self.sizes) else self.sizes @ table))

    @property
    def groups(self) -> int:
        return int(self.sizes.sum())

    def influence(self, system: str) -> Values:
        """How far each group moves the score of a system (`statistics.power.influences`)."""
        from evenhand.statistics.power import influences  # loaded if a difference is not significant

        return influences(self.tables[system], self.sizes, self.statistic)

    def spread(self, lower: str, higher: str) -> InfluenceSpread:
        """How far each group moves the difference of two systems."""
        from evenhand.statistics.power import InfluenceSpread

        return InfluenceSpread.of(self.influence(higher) - self.influence(lower), self.sizes)


@dataclass(frozen=True)
class Extras:
    """What a comparison collects in addition to its counts."""

    slicings: Sequence[Slicing] = ()
    search: UnitSearch | ChosenUnits | None = None
    collection: UnitCollection | None = None
    attributes: AttributeCollector | None = None
    """It collects units before the comparison does, and its attributes are those of collected units, too."""


class ComparisonCounts:
    """Accumulates the counts of a comparison: an observer of evaluations."""

    def __init__(
        self,
        task: Task,
        settings: ScoreSettings,
        by: str,
        systems: Sequence[str],
        pairs: Sequence[tuple[int, int]],
        labels: StringIndex[str],
        extras: Extras,
    ) -> None:
        self.task, self.by, self.systems, self.labels = task, by, tuple(systems), labels
        self.differences, self.oracle = DifferenceCounter(pairs), Oracle(len(systems))
        self.agreement: SystemAgreement = (task.comparison.similarity or SystemAgreement)(self.systems, by, settings)
        self.extras = extras
        self._slice_names: dict[str, StringIndex[str]] = {slicing.name: StringIndex() for slicing in extras.slicings}
        self._sliced: dict[str, list[list[Tally]]] = {
            slicing.name: [[] for _ in range(len(systems) + 1)] for slicing in extras.slicings
        }
        """By slicing, the gold units, then the units of each system; slices are groups."""
        self.slice_notes: list[str] = []
        self.gold_count = SideSummary()
        """The gold standard's units, if they are not the units of the task."""
        self.left_out = 0
        """Number of units that count but are not scored for all systems."""
        self.lost = 0
        """Number of gold units that at least one system lacks."""
        self._units, self._right = 0, np.zeros(len(systems), dtype=np.int64)
        """Number of gold units that all systems have, and how many of these each system has right."""

    def __call__(self, evaluation: Evaluation) -> None:
        if len(self.labels) > _MAX_LABELS:
            raise SettingError(
                f"There are {len(self.labels):,} labels, more than can be compared; map some to one label."
            )
        answers, locations = evaluation.answers(self.by), evaluation.locations
        self.differences.add(answers)
        self.oracle.add(answers)
        self.agreement.add(evaluation, answers)
        self.left_out += answers.left_out
        if self.by in self.task.other_units:
            self.gold_count.add(answers.label[~answers.is_surplus], self.labels.values)
        elif answers.missing is not None:
            has_all = ~answers.missing.any(axis=0)
            self.lost += int(np.count_nonzero(~has_all))
            self._units += int(np.count_nonzero(has_all))
            self._right += np.count_nonzero(answers.right & has_all, axis=1)
        for slicing in self.extras.slicings:
            of_unit = slicing.of_units(answers, locations, self._slice_names[slicing.name])
            self._add_slice(slicing.name, of_unit, answers)
        if self.extras.search is not None:
            self.extras.search.add(answers, locations, self)
        if self.extras.collection is not None:
            units, names = evaluation.units(self.by), self._slice_names
            slices = [slicing.of_units(units, locations, names[slicing.name]) for slicing in self.extras.slicings]
            slices += self.extras.attributes.raw(units, locations) if self.extras.attributes is not None else []
            of_units = np.array(slices, dtype=np.int64).reshape(len(slices), len(units))
            self.extras.collection.add(units, locations, evaluation.drawing(self.by), of_units)

    def on_shared(self) -> tuple[int, dict[str, float]] | None:
        """Number of units that all systems have, and each system's score on these; None if no system lacks a unit."""
        if not self.lost:
            return None
        shares = (self._right / self._units).tolist() if self._units else [0.0] * len(self.systems)
        return self._units, dict(zip(self.systems, shares, strict=True))

    def _add_slice(self, name: str, of_unit: Ints, answers: Predictions) -> None:
        gold = np.flatnonzero(~answers.is_surplus)
        self._sliced[name][0].append(_tally(("gold",), of_unit[gold], np.zeros_like(gold)))
        for row, tallies in enumerate(self._sliced[name][1:]):
            kind = answers.kind[row]
            units = answers.counted[kind[answers.counted] < len(answers.kinds)]  # TN of spans is not counted
            tallies.append(_tally(answers.kinds, of_unit[units], kind[units]))

    def bins(self, slicing: Slicing) -> tuple[Numbers, list[str], Ints, str | None]:
        """The gold units of each value of a slicing, and its slices, as `binned` returns them."""
        gold, values = Tally.merge(self._sliced[slicing.name][0]), self._slice_names[slicing.name].values
        units = np.bincount(gold.group, gold.count, minlength=len(values))
        return units, *binned(slicing, values, units)

    def slices(self) -> Mapping[str, tuple[Mapping[str, int], Mapping[str, Tally]]]:
        """By slicing, the gold units of each slice, and each system's tally with slices as labels.

        Optional slicings are only of scores.
        """
        sliced = {}
        self.slice_notes = []
        for slicing in self.extras.slicings:
            if slicing.is_optional:
                continue
            tallies = map(Tally.merge, self._sliced[slicing.name][1:])
            units, names, code_of, note = self.bins(slicing)
            sums = np.bincount(code_of, units, minlength=len(names)).astype(np.int64).tolist()
            labeled = [_with_labels(tally.regroup(code_of), names) for tally in tallies]
            self.slice_notes += [] if note is None else [note]
            sliced[slicing.name] = dict(zip(names, sums, strict=True)), dict(zip(self.systems, labeled, strict=True))
        return sliced

    def gold(self, answers: Predictions, locations: Locations, unit: int) -> tuple[str, str | None]:
        """The gold label of a unit, empty for surplus, and the head of a word in a tree."""
        code, heads = int(answers.displayed_label[unit]), answers.gold_head
        if code < 0:
            return "", None
        return self.labels[code], None if heads is None else _head(answers, locations, int(heads[unit]))

    def antecedent(self, answers: Predictions, locations: Locations, unit: int) -> str | None:
        """The closest antecedent of a mention in the key."""
        antecedents = answers.gold_antecedent
        return None if antecedents is None else _mention(answers, locations, int(antecedents[unit]))

    def answer(self, answers: Predictions, locations: Locations, system: int, unit: int) -> str:
        """The answer of a system in words; with the head of a word in a tree, and the antecedent of a mention."""
        code = int(answers.shown[system, unit])
        label = self.answer_texts([code])[code]
        if answers.gold_antecedent is not None:
            antecedent = _mention(answers, locations, int(answers.part[system, unit]))
            return label if antecedent is None else f"{label} to {antecedent}"
        if answers.gold_head is None or answers.shown[system, unit] < 0:
            return label
        head = _head(answers, locations, int(answers.part[system, unit]))
        return label if label == head == "root" else f"{label} of {head}"

    def answer_texts(self, codes: Iterable[int]) -> dict[int, str]:
        """Answers of systems in words, by code."""
        answer_text, labels = self.task.comparison.answer_text, self.labels.values
        return {code: _LACKED[code] if code < 0 else answer_text(code, labels) for code in codes}


def _tally(kinds: tuple[str, ...], group: Ints, kind: Ints) -> Tally:
    """Units without labels by group."""
    nothing = np.full(len(group), -1)
    return Tally.of((), kinds, group, nothing, nothing, kind)


def _with_labels(tally: Tally, names: Sequence[str]) -> Tally:
    """The same counts with the names of groups as labels, in one group."""
    group = np.zeros(len(tally), dtype=np.int64)
    return Tally.of(names, tally.kinds, group, tally.group, np.full(len(tally), -1), tally.kind, tally.count)


def _mention(answers: Predictions, locations: Locations, unit: int) -> str | None:
    """The words of a mention, or its position if the file has no words."""
    if unit < 0:
        return None
    return locations.mention(int(answers.sentence[unit]), int(answers.start[unit]), int(answers.end[unit]))


def _head(answers: Predictions, locations: Locations, head: int) -> str:
    if head < 0:
        return "root"
    return locations.word(head) if head < answers.words else "another token"
