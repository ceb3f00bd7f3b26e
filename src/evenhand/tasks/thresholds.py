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


OVERALL = -1
"""The label of changes and counts of all labels together."""


@dataclass(frozen=True)
class PartChanges:
    """The changes of counts in a part, overall and by label."""

    score: Values
    group: Ints
    label: Ints
    """`OVERALL` or a label whose counts change."""
    change: Values
    """(events, columns)"""
    base_group: Ints
    base_label: Ints
    base: Values
    """The counts without any unit of the system, (rows, columns); rows of one group and label mean their sum."""
    unit_score: Values
    unit_label: Ints
    unit_group: Ints
    hit: Bools | None
    """Which units are correct when all are kept; None if the measure does not count these units."""


Events = tuple[Values, Ints, Ints, Values]
"""Score, group, label and change."""


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
    if measure.scorer.is_independent and hit is not None:
        parts = [_changes_of_units(score, group, units.label, hit)]
    else:
        parts = list(_changes_of_windows(pair, score, count, columns, labels))
    if not parts:
        parts = [(np.zeros(0), empty(), empty(), np.zeros((0, len(columns))))]
    (base_window, _, base), (window, label, of_label) = without.weighed(columns), without.weighed(columns, labels)
    known = label >= 0
    base_window = np.append(base_window, window[known])
    base_label = np.append(np.full(len(without), OVERALL), label[known])
    base = np.concatenate((base, of_label[:, known]), axis=-1).T
    score_of, group_of, label_of, change = (np.concatenate(column) for column in zip(*parts, strict=True))
    events: Events = score_of, group_of, label_of, change
    return PartChanges(*events, pair.windows[base_window], base_label, base, score, units.label, group, hit)


def changes_of_rows(rows: UnitRows, groups: Ints, labels: Sequence[str]) -> PartChanges:
    """The changes of units that do not depend on each other, such as tags, given as rows of errors.

    Units have one label on each side; `groups` has the group of each sentence.
    """
    answered = np.flatnonzero(rows.predicted >= 0)
    score = np.zeros(len(answered)) if rows.score is None else rows.score[answered]
    hit, label, group = ~rows.is_error[answered], rows.predicted[answered], groups[rows.sentence[answered]]
    of_gold = np.flatnonzero(~rows.is_extra)
    width, gold_group = len(labels) + 1, groups[rows.sentence[of_gold]] * (len(labels) + 1)
    keys, size = np.unique(np.concatenate((gold_group, gold_group + rows.gold_label[of_gold] + 1)), return_counts=True)
    base_group, base_label = np.divmod(keys, width)
    base = np.stack((np.zeros(len(keys)), np.zeros(len(keys)), size), axis=-1).astype(np.float64)
    events = _changes_of_units(score, group, label, hit)
    return PartChanges(*events, base_group, base_label + OVERALL, base, score, label, group, hit)


def _changes_of_units(score: Values, group: Ints, label: Ints, hit: Bools) -> Events:
    """The events of units that do not depend on each other."""
    change = np.stack((hit, np.ones(len(hit)), np.zeros(len(hit))), axis=-1).astype(np.float64)
    return np.tile(score, 2), np.tile(group, 2), np.append(np.full(len(label), OVERALL), label), np.tile(change, (2, 1))


def _changes_of_windows(
    pair: Thresholded, score: Values, count: Any, columns: Any, labels: Sequence[str]
) -> Iterator[Events]:
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
        rows = np.append(np.arange(len(after)), event)
        labels_of = np.append(np.full(len(after), OVERALL), label)
        change = np.concatenate((table[after] - table[after - 1], changed[event, label]))
        yield threshold[rows], group[rows], labels_of, change
