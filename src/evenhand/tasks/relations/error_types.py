"""Fair evaluation of relations: each counts once, and an error is the fault of the entities, the relation, or both.

A gold relation and a system relation can be a pair if their arguments overlap pairwise, straight (head with head, tail
with tail) or crossed (head with tail, tail with head). Of such a pair,

- the *relation* is right (same type, straight; either way if symmetric), has the wrong *direction* (same type, crossed)
  or the wrong *type* (another type, either way);
- the *arguments* are right (bounds and labels equal), have a wrong *label* (bounds equal, a label differs), wrong
  *bounds* (labels equal, bounds differ), or *both*.

| verdict | the pair                                                        | fault of |
| ------- | --------------------------------------------------------------- | -------- |
| TP      | relation and arguments right                                    |          |
| AL      | relation right, a label of an argument wrong                    | entities |
| AB      | relation right, bounds of an argument wrong                     | entities |
| ALB     | relation right, labels and bounds of arguments wrong            | entities |
| DE      | wrong direction, arguments right                                | relation |
| TE      | wrong type, arguments right                                     | relation |
| XE      | wrong direction or type, and arguments not right                | both     |
| AM      | a gold relation without a pair, an end overlaps no system span  | entities |
| FN      | any other gold relation without a pair                          | relation |
| AS      | a system relation without a pair, an end overlaps no gold span  | entities |
| FP      | any other system relation without a pair                        | relation |

*Pairing* goes verdict by verdict, in the order TP, AL, DE, TE, AB, ALB, XE. Pairs of free relations with this verdict
(of two orientations the one with the earlier verdict, then with more shared, then with fewer other characters) are
sorted by the characters that both arguments share, most first; then by the characters of either side that are not
shared, fewest first; then by the keys of the two relations, the smaller key first; and taken in turn. The key of a
relation is (head bounds, tail bounds, type, head label, tail label), bounds as sorted lists. So neither the order of
lines matters, nor which side is gold. Where tokens are the atoms, read tokens for characters.

With E = AL + AB + ALB + DE + TE + XE:

- precision = TP / (TP + E/2 + AS + FP), recall = TP / (TP + E/2 + AM + FN)

By type, AS and FP count for the system's type, all others for the gold type. *Confusion matrix*: errors by gold type
(rows) and system type (columns): TE and XE of another type off the diagonal, the other pairs on it, AM and FN in the
column, AS and FP in the row of the empty label.

Source: this project, after Ortmann 2022, which has such verdicts for spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.matching import Candidates, RelationMatches, verdicts_of
from evenhand.tasks.relations.task import AB, AL, ALB, AM, AS, DE, FN, FP, IN_ORDER, TE, TP, XE
from evenhand.tasks.spans.matching import equal_keys, taken

if TYPE_CHECKING:
    from evenhand.tasks.relations.evaluation import RelationPair

_RANK = np.argsort(ints(IN_ORDER))
"""When each verdict has its turn."""


def count_fair(question: RelationPair) -> Tally:
    return question.fair.tally(question.gold, question.system, question.groups)


def fair(question: RelationPair) -> RelationMatches:
    """The verdict on every relation."""
    equal = equal_keys(*question.key)
    free = [np.ones(len(side), dtype=np.bool_) for side in (question.gold, question.system)]
    for mine, rows in zip(free, equal, strict=True):
        mine[rows] = False
    found = question.candidates
    found = found.take(free[0][found.gold] & free[1][found.system])
    kind = _kinds(found)
    order = _in_turn(found, kind, question.key)
    found, kind = found.take(order), kind[order]
    rows = taken(found.gold, found.system)
    gold, system = np.concatenate((equal[0], found.gold[rows])), np.concatenate((equal[1], found.system[rows]))
    kinds = np.concatenate((np.full(len(equal[0]), TP), kind[rows]))
    return verdicts_of((gold, system), kinds, *_unpaired(question))


def _kinds(found: Candidates) -> Ints:
    """The verdict on each pair that is not equal."""
    bounds, labels = found.same_bounds, found.same_labels
    arguments = np.where(bounds & labels, TP, np.where(bounds, AL, np.where(labels, AB, ALB)))
    relation = np.where(found.same_type, DE, TE)
    wrong = np.where(bounds & labels, relation, XE)
    return np.where(found.same_type & found.corresponds, arguments, wrong)


def _in_turn(found: Candidates, kind: Ints, keys: tuple[Ints, Ints]) -> Ints:
    """The order in which pairs are taken; of two orientations of one pair, the second comes too late."""
    one, other = keys[0][found.gold], keys[1][found.system]
    columns = (_RANK[kind], -found.shared, found.others, np.minimum(one, other), np.maximum(one, other))
    return np.lexsort(columns[::-1])


def _unpaired(question: RelationPair) -> tuple[Ints, Ints]:
    """What relations are that have no pair."""
    sides = (question.gold, question.system)
    kinds = []
    for side, met, (one_sided, other) in zip(sides, question.pairs.overlapped(), ((AM, FN), (AS, FP)), strict=True):
        kinds.append(np.where(met[side.head] & met[side.tail], other, one_sided))
    return kinds[0], kinds[1]


# == tasks/relations/fair_details.py: What follows from fair verdicts on relations beside the scor


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with its confusion matrix: all errors, those of one side only under the empty label."""
    return replace(score, confusion=tallies[score.model.scorer].total().confusion(lambda kind: kind != "TP"))
