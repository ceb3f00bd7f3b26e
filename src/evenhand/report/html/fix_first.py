"""What to fix first, as a page shows it: groups of errors with points to gain, and three examples of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.collection import CollectedUnits, Collection
from evenhand.dataclass import dataclass
from evenhand.report.html.links import address
from evenhand.result.report import Report
from evenhand.tasks.recoverable import ErrorGroup
from evenhand.tasks.registry import TASKS

_EXAMPLES = 3
_BEFORE, _AFTER, _MOST_WORDS = 18, 6, 8
"""How many characters before the unit an example has, and how many tokens after it and of it."""


@dataclass(frozen=True)
class Example:
    """A unit in its context: `unit` is its number in the page."""

    unit: int
    before: str
    words: str
    after: str


@dataclass(frozen=True)
class Fix:
    """A group of errors of one system."""

    title: str
    count: str
    points: str
    href: str | None
    examples: Sequence[Example]


@dataclass
class Met:
    """The units of a group that the page carries: how many, and the first ones, with and without other words."""

    count: int = 0
    different: dict[str, Example] = field(default_factory=dict)
    others: list[Example] = field(default_factory=list)

    def add(self, example: Example) -> None:
        if example.words not in self.different:
            self.different[example.words] = example
        elif len(self.others) < _EXAMPLES:
            self.others.append(example)

    @property
    def examples(self) -> list[Example]:
        """Three, with different words if that can be."""
        return [*self.different.values(), *self.others][:_EXAMPLES]


def fixes(report: Report) -> dict[str, list[Fix]]:
    """For every system, the best one first, what it should fix first."""
    units = report.units.units()
    classes = dict(zip(report.results, units.classes, strict=True))
    return {
        name: [_fix(report, name, group, _met(report, group, units, classes[name])) for group in groups]
        for name, groups in report.fix_first.items()
    }


def _fix(report: Report, system: str, group: ErrorGroup, met: Met) -> Fix:
    task, units = TASKS[report.task], report.units
    is_complete = units.carried < units.met or met.count == group.count
    href = address(group.query(task, system), report.by) if is_complete else None
    points = f"+{100 * group.recoverable:.2f}"
    return Fix(group.title(task), f"{group.count:,}", points, href, met.examples)


def _met(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Met:
    """What the page carries of a group; `classes` are those of all units under its system."""
    rows, space = _rows(report, group, units, classes), " " if report.results.gold.characters is None else ""
    met = Met(len(rows))
    for row in rows.tolist():
        if len(met.different) == _EXAMPLES:
            break
        met.add(_example(report.units, row, units, space))
    return met


def _rows(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Ints:
    """The units of a group, as `tasks.recoverable` forms them."""
    task, wanted = TASKS[report.task], (group.verdict, group.gold, group.predicted)
    names = {number: _names(report, code) for code, number in report.units.classes.items()}
    size = 3 if task.display.has_label_answers else 2
    is_met = np.isin(classes, [number for number, each in names.items() if each[:size] == wanted[:size]])
    if size == 2 and not group.gold:
        is_met &= np.isin(units.label, [code for code, name in enumerate(report.labels) if name == group.predicted])
    return np.flatnonzero(is_met)


def _names(report: Report, code: tuple[int, int, int]) -> tuple[str, str, str]:
    """The verdict and both labels of a class of units."""
    kind, gold, predicted = code
    labels = [report.labels[label] if label >= 0 else "" for label in (gold, predicted)]
    return TASKS[report.task].kinds[kind], labels[0], labels[1]


def _example(collection: Collection, unit: int, units: CollectedUnits, space: str) -> Example:
    tokens = collection.sentences[units.sentence[unit]].tokens
    start, end = int(units.start[unit]), int(units.end[unit])
    words = list(tokens[start:end])
    if len(words) > _MOST_WORDS:
        words[_MOST_WORDS // 2 : -(_MOST_WORDS // 2)] = ["…"]
    first = start
    while first and len(space.join(tokens[first - 1 : start])) <= _BEFORE:
        first -= 1
    before, after = tokens[first:start], tokens[end : end + _AFTER]
    return Example(unit, space.join(before), units.nowhere[unit] or space.join(words), space.join(after))
