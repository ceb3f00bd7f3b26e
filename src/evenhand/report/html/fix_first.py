"""What to fix first, as a page shows it: groups of errors with points to gain, and three examples of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


Key = tuple[str, str, str]


def fixes(report: Report) -> dict[str, list[Fix]]:
    """For every system, the best one first, what it should fix first."""
    met = _met(report)
    return {
        name: [_fix(report, name, group, met[name][group.verdict, group.gold, group.predicted]) for group in groups]
        for name, groups in report.fix_first.items()
    }


def _fix(report: Report, system: str, group: ErrorGroup, met: Met) -> Fix:
    task, units = TASKS[report.task], report.units
    is_complete = units.carried < units.met or met.count == group.count
    href = address(group.query(task, system), report.by) if is_complete else None
    points = f"+{100 * group.recoverable:.2f}"
    return Fix(group.title(task), f"{group.count:,}", points, href, met.examples)


def _met(report: Report) -> Mapping[str, Mapping[Key, Met]]:
    """By system and group, what the page carries of it."""
    found: dict[str, dict[Key, Met]] = {}
    units, space = report.units.units(), " " if report.results.gold.characters is None else ""
    for system, classes in zip(report.results, units.classes, strict=True):
        found[system] = {}
        for group in report.fix_first[system]:
            key = group.verdict, group.gold, group.predicted
            rows = _rows(report, units, classes, key).tolist()
            met = found[system][key] = Met(len(rows))
            for row in rows:
                if len(met.different) == _EXAMPLES:
                    break
                met.add(_example(report.units, row, units, space))
    return found


def _rows(report: Report, units: CollectedUnits, classes: Ints, key: Key) -> Ints:
    """The units of a group, as `tasks.recoverable` forms them; `classes` are those of all units under a system."""
    has_label_answers, (verdict, gold, predicted) = TASKS[report.task].display.has_label_answers, key
    names = {number: _names(report, code) for code, number in report.units.classes.items()}
    if has_label_answers:
        return np.flatnonzero(np.isin(classes, [number for number, each in names.items() if each == key]))
    is_met = np.isin(classes, [number for number, each in names.items() if each[:2] == (verdict, gold)])
    if not gold:
        is_met &= units.label == report.labels.index(predicted)
    return np.flatnonzero(is_met)


def _names(report: Report, code: tuple[int, int, int]) -> Key:
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
