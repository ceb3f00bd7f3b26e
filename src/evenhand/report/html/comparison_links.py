"""Which units stand behind the tables of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.report.html.links import units
from evenhand.report.tables import Table
from evenhand.result.comparison import Comparison
from evenhand.result.pairs import Pair

_CHANGES = {"corrected": "correction", "new errors": "new_error", "changed": "changed_error"}
Hrefs = Sequence[Sequence[str | None]]


def summary_links(comparison: Comparison, table: Table) -> Hrefs | None:
    """The tables of scores and pairs, the oracle, and how many systems are right."""
    names = [column.name for column in table.columns]
    if names[:2] == ["from", "to"]:
        return [[_of_pair(str(row[0]), str(row[1]), name) for name in names] for row in table.rows]
    if table.title == "oracle":
        return [[_of_oracle(comparison, str(row[0]), name) for name in names] for row in table.rows]
    if names[0] == "systems right":
        return [[units(solved=str(row[0]))] * len(row) for row in table.rows]
    if names[0] == "key":
        return [[units(from_=str(row[0]), to=str(row[1]), different=1)] * len(row) for row in table.rows]
    return None


def _of_pair(before: str, after: str, column: str) -> str:
    change = _CHANGES.get(column)
    return units(from_=before, to=after, change=change) if change else units(from_=before, to=after, different=1)


def _of_oracle(comparison: Comparison, row: str, column: str) -> str | None:
    if row == "sentences":
        return None
    label = None if row == "overall" else row
    if column in comparison.systems:
        return units(system=column, right=1, of="gold", gold=label, shared=1)
    if column == "bound":
        return units(of="gold", gold=label, solved="some")
    return units(of="gold", gold=label, shared=1)


def pair_links(comparison: Comparison, pair: Pair, place: int, table: Table) -> Hrefs | None:
    """Transitions of each class, and labels; the tables of a pair follow each other, without classes that are empty."""
    classes = [each for each in pair.classes.values() if each.count]
    if place >= len(classes):
        return [
            [_of_label(comparison, pair, str(row[0]), column.name) for column in table.columns] for row in table.rows
        ]
    change = classes[place].name
    if comparison.task == "chains":
        return _of_chains(pair, change, table)
    found: list[list[str | None]] = []
    for each, row in zip(classes[place].transitions, table.rows, strict=False):
        href = units(
            from_=pair.before,
            to=pair.after,
            change=change,
            gold=each.gold,
            before=each.before,
            after=each.after,
            what=each.change or None,
        )
        found.append([href] * len(row))
    return found


def _of_label(comparison: Comparison, pair: Pair, label: str, column: str) -> str | None:
    """The units of a label, of which the other columns are about those that two systems treat differently."""
    if column == "units":
        return None if comparison.task == "chains" else units(of="gold", gold=label, shared=1)
    return units(from_=pair.before, to=pair.after, different=1, label=label)


def _of_chains(pair: Pair, change: str, table: Table) -> Hrefs:
    """Transitions of verdicts, whose last columns are types of mentions."""
    names = [column.name for column in table.columns]
    return [
        [
            units(
                from_=pair.before,
                to=pair.after,
                change=change,
                before=str(row[0]),
                after=str(row[1]),
                gold=name if place > 4 else None,
            )
            for place, name in enumerate(names)
        ]
        for row in table.rows
    ]
