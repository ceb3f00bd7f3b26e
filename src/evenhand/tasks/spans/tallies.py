"""The counts of what judges say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, concatenate, ones, zeros
from evenhand.tally import Tally, tally_table
from evenhand.tasks.spans.kinds import EDGES, SPAN_KINDS
from evenhand.tasks.spans.overlap import Hits
from evenhand.tasks.spans.semeval import PAIR_KINDS, Paired
from evenhand.tasks.spans.token_separator import UNIT_KINDS, Units
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.text.layers import Spans

HIT_KINDS = ("gold_hits", "gold_others", "system_hits", "system_others")
ACCURACY_KINDS = ("correct", "wrong")


def tally_spans(verdicts: Verdicts, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """The counts of a judge's verdicts on spans; `groups` is the group of each scope, without it there is one."""
    kind = verdicts.kind * len(EDGES) + verdicts.edge
    return _tally_pairs(SPAN_KINDS, kind, verdicts.gold, verdicts.system, gold, system, groups)


def tally_rest(
    equal: Ints, verdicts: Verdicts, others: tuple[Ints, Ints], gold: Spans, system: Spans, groups: Ints
) -> Tally:
    """The counts of equal spans, which are many: in a total, one count a label; and of verdicts on the `others`."""
    labels, right = gold.vocabulary.labels.values, SPAN_KINDS.index("TP")
    if groups.any():
        label, group, count = gold.label[equal], groups[gold.scope[equal]], ones(len(equal))
    else:
        counted = np.bincount(gold.label[equal], minlength=1)
        label = np.flatnonzero(counted)
        group, count = np.zeros_like(label), counted[label]
    every = np.arange(len(labels))
    cell = Tally.cell_of(labels, SPAN_KINDS, every, every, right).take(label)
    gold_row, system_row = np.append(others[0], -1)[verdicts.gold], np.append(others[1], -1)[verdicts.system]
    rest, gold_label, system_label = _groups_and_labels(gold_row, system_row, gold, system, groups)
    kind = verdicts.kind * len(EDGES) + verdicts.edge
    return Tally.of_cells(
        labels,
        SPAN_KINDS,
        np.concatenate((group, rest)),
        np.concatenate((cell, Tally.cell_of(labels, SPAN_KINDS, gold_label, system_label, kind))),
        concatenate((count, ones(len(kind)))),
    )


def _groups_and_labels(
    gold_row: Ints, system_row: Ints, gold: Spans, system: Spans, groups: Ints
) -> tuple[Ints, Ints, Ints]:
    """The group, the gold label and the system label of each unit: a gold span, a system span (-1: none), or both."""
    scope = np.where(gold_row >= 0, np.append(gold.scope, 0)[gold_row], np.append(system.scope, 0)[system_row])
    return groups[scope], np.append(gold.label, -1)[gold_row], np.append(system.label, -1)[system_row]


def tally_semeval(paired: Paired, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """The counts of the pairs that SemEval's measures count."""
    return _tally_pairs(PAIR_KINDS, paired.kind, paired.gold, paired.system, gold, system, groups)


def _tally_pairs(
    kinds: Sequence[str],
    kind: Ints,
    gold_row: Ints,
    system_row: Ints,
    gold: Spans,
    system: Spans,
    groups: Ints | None,
) -> Tally:
    """One unit a row: a gold span, a system span (-1 for none), or both."""
    if groups is None:
        groups = zeros(int(max(gold.scope.max(initial=0), system.scope.max(initial=0))) + 1)
    columns = _groups_and_labels(gold_row, system_row, gold, system, groups)
    return Tally.of(gold.vocabulary.labels.values, kinds, *columns, kind)


def tally_hits(hits: Hits, gold: Spans, system: Spans, groups: Ints) -> Tally:
    """The spans of each side that hit one of the other, and the others."""
    nothing, no_gold = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        gold.vocabulary.labels.values,
        HIT_KINDS,
        np.concatenate((groups[gold.scope], groups[system.scope])),
        np.concatenate((gold.label, no_gold)),
        np.concatenate((nothing, system.label)),
        np.concatenate((np.where(hits.gold, 0, 1), np.where(hits.system, 2, 3))),
    )


def tally_units(units: Units, labels: Sequence[str], groups: Ints) -> Tally:
    """The counts of tokens and separators; those that belong to no label (how many there are) have none."""
    nothing = np.full(len(units.scope), -1)
    return Tally.of(labels, UNIT_KINDS, groups[units.scope], units.label, nothing, units.kind, units.count)


def tally_accuracy(correct: Ints, lengths: Ints, groups: Ints) -> Tally:
    """How many tokens of each scope have the right tag, and how many have not."""
    return tally_table(ACCURACY_KINDS, np.stack((correct, lengths - correct), axis=1), groups)
