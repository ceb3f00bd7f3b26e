"""Strict and boundaries: a relation is right if the other side has the same one.

Relations are sets in each scope. Under `strict`, two are the same if their types, and the bounds and labels of both
arguments, are equal; under `boundaries`, if their types and the bounds of both arguments are. With the relations G of
the gold standard and S of the system:

- TP = |S ∩ G|, FP = |S − G|, FN = |G − S|, summed over scopes, overall and by type
- precision = TP / (TP + FP), recall = TP / (TP + FN)

*Bounds* are the tokens of a span, or its characters that are no spaces: gaps count, and parts that only spaces separate
are one. The ends of a symmetric type (`--symmetric`, and types of brat's `*` lines) stand in a fixed order, by bounds
and then by label. *Repeats*, with the type, bounds and labels of an earlier relation, are removed on each side. The
scope of a relation is that of its head.

`strict` is what SpERT calls "with NEC" and Taillé et al. call Strict; `boundaries` is SpERT's "without NEC" and Taillé
et al.'s Boundaries. `dygie` is `boundaries` as DyGIE++ counts: of several relations between the same head and the same
tail, each side keeps the last one of its file, and directions are as written. Macro averages are over the types of the
gold standard; SpERT takes those of either side.

Sources: Taillé et al. 2020; Eberts and Ulges 2020; Wadden et al. 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.matching import RelationMatches, Side, verdicts_of
from evenhand.tasks.relations.task import FN, FP, TP
from evenhand.tasks.spans.matching import equal_keys
from evenhand.tasks.spans.overlap import HIT_KINDS

if TYPE_CHECKING:
    from evenhand.tasks.relations.evaluation import RelationPair

# == tasks/relations/relaxed.py: Relaxed: a relation is hit if the other side has one of its


def count_relaxed(question: RelationPair) -> Tally:
    """Relaxed: a relation is hit if the other side has one of its type whose arguments overlap and have its labels.

    A gold relation is hit if a system relation has its type, and each argument shares a token (or a character) with the
    corresponding one and has its label; either way round if the type is symmetric.

    - recall = `gold_hits` / `gold`, precision = `system_hits` / `system`

    Source: Taillé et al. 2020 (one token of the right type makes an argument right).
    """
    found = question.candidates
    hits = np.flatnonzero(found.same_type & found.corresponds & found.same_labels)
    gold, system = question.gold, question.system
    gold_kind, system_kind = np.full(len(gold), 1), np.full(len(system), 3)
    gold_kind[found.gold[hits]], system_kind[found.system[hits]] = 0, 2
    nothing, no_gold = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        gold.spans.vocabulary.labels.values,
        HIT_KINDS,
        np.concatenate((question.groups[gold.scope], question.groups[system.scope])),
        np.concatenate((gold.label, no_gold)),
        np.concatenate((nothing, system.label)),
        np.concatenate((gold_kind, system_kind)),
    )


# == tasks/relations/strict.py (primary)


def strict(question: RelationPair) -> RelationMatches:
    """TP for equal relations, FN for the other gold ones, FP for the other system ones."""
    return _equal(*question.key)


def count_strict(question: RelationPair) -> Tally:
    return strict(question).tally(question.gold, question.system, question.groups)


def count_boundaries(question: RelationPair) -> Tally:
    """The same on sets of relations without labels of arguments."""
    return _count_bounds(question, question.gold, question.system)


def count_dygie(question: RelationPair) -> Tally:
    """The same on the last relation of each head and tail."""
    sides = [side.take(_last(bounds, side)) for side, bounds in zip(question.given, question.ends.bounds, strict=True)]
    return _count_bounds(question, *sides)


def _last(bounds: Ints, side: Side) -> Ints:
    """The last relation of each head and tail."""
    key, _ = pack((bounds[side.head], empty()), (bounds[side.tail], empty()))
    return np.sort(len(key) - 1 - np.unique(key[::-1], return_index=True)[1])


def _count_bounds(question: RelationPair, gold: Side, system: Side) -> Tally:
    columns = [
        (bounds[side.head], bounds[side.tail], side.label)
        for side, bounds in zip((gold, system), question.ends.bounds, strict=True)
    ]
    keys = pack(*zip(*columns, strict=True))
    rows = [np.unique(key, return_index=True)[1] for key in keys]
    found = _equal(keys[0][rows[0]], keys[1][rows[1]])
    return found.tally(gold.take(rows[0]), system.take(rows[1]), question.groups)


def _equal(gold: Ints, system: Ints) -> RelationMatches:
    pairs = equal_keys(gold, system)
    right = np.full(len(pairs[0]), TP)
    return verdicts_of(pairs, right, np.full(len(gold), FN), np.full(len(system), FP))
