"""The counts of a measure at every threshold of confidence, for one system in a part.

A matching window (a sentence, otherwise a document) changes only at the confidences of its own units. Each of its
prefixes, the units with at least a confidence, is written as a window of a virtual text, which the measure's scorer
counts at once. The differences of consecutive prefixes are the changes of the curve
(`statistics.precision_recall.Changes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from evenhand.arrays import Bools, Ints, Values, empty, ranges
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.measure import Formula, MeanOf, Measure
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.unit_rows import UnitRows

_TOGETHER = 1 << 18
"""Number of units and windows of a virtual text."""


class ScoredUnits(Protocol):
    """The units of a system: their windows, labels and confidences."""

    @property
    def scope(self) -> Ints: ...
    @property
    def label(self) -> Ints: ...
    @property
    def score(self) -> Values | None: ...
    def __len__(self) -> int: ...


class Thresholded(Protocol):
    """Gold and system side by side, with confidences."""

    @property
    def scored(self) -> ScoredUnits: ...
    @property
    def windows(self) -> Ints:
        """The group of each window."""

    def copies(self, source: Ints, rows: Ints, copy: Ints) -> Any: ...


@dataclass(frozen=True)
class PartChanges:
    """The changes of counts in a part."""

    score: Values
    group: Ints
    change: Values
    """(events, columns)"""
    label_score: Values
    label: Ints
    label_change: Values
    """The same by label, for events that change the counts of a label."""
    base_group: Ints
    base: Values
    """The counts of windows without any unit of the system, and their groups."""
    label_base: Values
    """The same summed over all windows, by label."""
    unit_score: Values
    unit_label: Ints
    unit_group: Ints
    hit: Bools | None
    """Which units are correct when all are kept; None if the measure does not count these units."""


_EVENTS = ("score", "group", "change", "label_score", "label", "label_change")


def check_curve(measure: Measure, formula: Formula, settings: ScoreSettings) -> None:
    """Refuse measures without a precision-recall curve."""
    scorer = measure.scorer
    if formula.has_ratios_only or isinstance(formula.divided, MeanOf):
        reason = "has no precision and recall of all units"
    elif scorer.needs or (scorer.count is None and not formula.is_accuracy) or measure.name in settings.functions:
        reason = "depends on more than the units of a sentence or document"
    else:
        return
    raise SettingError(f"The measure {measure.name} {reason}, so it has no curve; use --match exact or fair.")


def threshold_changes(pair: Thresholded, measure: Measure, formula: Formula, labels: Sequence[str]) -> PartChanges:
    """The changes of a part; every unit of the system must have a confidence."""
    units, columns, windows = pair.scored, formula.columns(), len(pair.windows)
    score = np.zeros(len(units)) if units.score is None else units.score
    count, list_units = measure.scorer.count, measure.scorer.units
    assert count is not None
    without: Tally = count(pair.copies(np.arange(windows), empty(), empty()))
    label_base = without.total().by_group(1, columns, labels)[0]
    order = np.argsort(-score, kind="stable")
    hit = None
    if list_units is not None:
        # Of equal units, the one with the highest confidence is correct.
        rows: UnitRows = list_units(pair.copies(np.arange(windows), order, units.scope[order]))
        sorted_hits = rows.hits(formula, len(units))
        if sorted_hits is not None:
            hit = np.empty(len(units), dtype=np.bool_)
            hit[order] = sorted_hits
    group = pair.windows[units.scope]
    by_event: tuple[Any, ...]
    if measure.scorer.is_independent and hit is not None:
        change = np.stack((hit, np.ones(len(units)), np.zeros(len(units))), axis=-1).astype(np.float64)
        by_event = score, group, change, score, units.label, change
    else:
        parts = list(_changes_of_windows(pair, score, count, columns, labels))
        by_event = tuple(np.concatenate(column) for column in zip(*parts, strict=True)) if parts else _nothing(columns)
    return PartChanges(
        **dict(zip(_EVENTS, by_event, strict=True)),
        base_group=pair.windows,
        base=without.by_group(windows, columns)[:, 0],
        label_base=label_base,
        unit_score=score,
        unit_label=units.label,
        unit_group=group,
        hit=hit,
    )


def changes_of_rows(rows: UnitRows, groups: Ints, labels: Sequence[str]) -> PartChanges:
    """The changes of units that do not depend on each other, such as tags, given as rows of errors.

    Units have one label on each side; `groups` has the group of each sentence.
    """
    answered = np.flatnonzero(rows.predicted >= 0)
    score = np.zeros(len(answered)) if rows.score is None else rows.score[answered]
    hit, label, group = ~rows.is_error[answered], rows.predicted[answered], groups[rows.sentence[answered]]
    change = np.stack((hit, np.ones(len(answered)), np.zeros(len(answered))), axis=-1).astype(np.float64)
    of_gold = np.flatnonzero(~rows.is_extra)
    base_group, size = np.unique(groups[rows.sentence[of_gold]], return_counts=True)
    of_label = np.bincount(rows.gold_label[of_gold], minlength=len(labels))
    base, label_base = np.zeros((len(size), 3)), np.zeros((len(of_label), 3))
    base[:, 2], label_base[:, 2] = size, of_label
    events: tuple[Any, ...] = (score, group, change, score, label, change)
    return PartChanges(
        **dict(zip(_EVENTS, events, strict=True)),
        base_group=base_group,
        base=base,
        label_base=label_base,
        unit_score=score,
        unit_label=label,
        unit_group=group,
        hit=hit,
    )


def _nothing(columns: Sequence[object]) -> tuple[Any, ...]:
    none = np.zeros((0, len(columns)))
    return np.zeros(0), empty(), none, np.zeros(0), empty(), none


def _changes_of_windows(
    pair: Thresholded, score: Values, count: Any, columns: Any, labels: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """The events of windows, many windows at a time."""
    units = pair.scored
    order = np.lexsort((-score, units.scope))
    window, ordered = units.scope[order], score[order]
    begins = np.append(True, window[1:] != window[:-1])[: len(order)]
    is_step = begins | np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
    number = np.cumsum(begins) - 1  # of the window, among those with units
    first_step = np.cumsum(is_step)[begins] if len(order) else empty()
    step = np.cumsum(is_step) - first_step[number]  # from 0
    steps = np.bincount(number, is_step).astype(np.int64) if len(order) else empty()
    copies = steps[number] - step  # the prefixes that contain a unit
    cost = np.cumsum(np.bincount(number, copies) + steps + 1) if len(order) else np.zeros(0)
    width = max(1, len(labels))
    batch = (cost * max(1, width // 16)) // _TOGETHER
    for chosen in np.unique(batch):
        windows = np.flatnonzero(batch == chosen)
        rows = np.flatnonzero((number >= windows[0]) & (number <= windows[-1]))
        size = steps[windows] + 1
        first = np.cumsum(size) - size
        source = np.repeat(window[np.flatnonzero(begins)[windows]], size)
        copy = ranges(first[number[rows] - windows[0]] + step[rows] + 1, copies[rows])
        repeated = np.repeat(order[rows], copies[rows])
        in_order = np.lexsort((repeated, copy))  # the order of the file decides on ties
        tally: Tally = count(pair.copies(source, repeated[in_order], copy[in_order]))
        total = int(size.sum())
        after = np.delete(np.arange(total), first)
        here = rows[is_step[rows]]
        threshold, group = ordered[here], pair.windows[window[here]]
        table = tally.by_group(total, columns)[:, 0]
        by_label = tally.by_group(total, columns, labels)
        changed = by_label[after] - by_label[after - 1]
        event, label = np.nonzero(changed.any(axis=-1))
        yield threshold, group, table[after] - table[after - 1], threshold[event], label, changed[event, label]
