"""Strict and boundaries: a relation is right if the other side has the same one.

Relations are sets in each scope. Under `strict`, two are the same if their types, and the bounds and labels of both
arguments, are equal; under `boundaries`, if their types and the bounds of both arguments are. With the relations G of
the gold standard and S of the system:

- TP = |S ∩ G|, FP = |S − G|, FN = |G − S|, summed over scopes, overall and by type
- precision = TP / (TP + FP), recall = TP / (TP + FN)

*Bounds* are the tokens of a span, or its characters other than spaces: gaps count, and parts that only spaces separate
are one. The ends of a symmetric type (`--symmetric`, and types of brat's `*` lines) are put in a fixed order, by bounds
and then by label. *Repeats*, with the type, bounds and labels of an earlier relation, are removed on each side. The
scope of a relation is its head's.

`strict` is what SpERT calls "with NEC" and Taillé et al. call Strict; `boundaries` is SpERT's "without NEC" and Taillé
et al.'s Boundaries. `dygie` is `boundaries` as DyGIE++ counts: of several relations between the same head and the same
tail, each side keeps the last one of its file, and directions are as written. Macro averages are over the types of the
gold standard; SpERT's are over the types of either side.

Sources: Taillé et al. 2020; Eberts and Ulges 2020; Wadden et al. 2019.
"""

# The literal definitions, which the tests compare with, are in tests/slow_relations.py.

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, empty, pack
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.matching import RelationMatches, RelationPair, Side
from evenhand.tasks.relations.task import FN, FP, TP
from evenhand.tasks.spans.matching import equal_keys
from evenhand.tasks.spans.overlap import HIT_KINDS


def match_strict(pair: RelationPair) -> RelationMatches:
    """TP for equal relations, FN for the other gold ones, FP for the other system ones."""
    return _match_keys(*pair.key)


def _match_keys(gold: Ints, system: Ints) -> RelationMatches:
    pairs = equal_keys(gold, system)
    return RelationMatches.of(pairs, np.full(len(pairs[0]), TP), np.full(len(gold), FN), np.full(len(system), FP))


def count_strict(pair: RelationPair) -> Tally:
    return pair.cached(match_strict).tally(pair.gold, pair.system, pair.groups)


def count_boundaries(pair: RelationPair) -> Tally:
    """The same on sets of relations without labels of arguments."""
    return _count_bounds(pair, pair.gold, pair.system)


def count_dygie(pair: RelationPair) -> Tally:
    """The same on the last relation of each head and tail."""
    gold, system = (side.take(_last(bounds, side)) for side, bounds in zip(pair.given, pair.ends.bounds, strict=True))
    return _count_bounds(pair, gold, system)


def _last(bounds: Ints, side: Side) -> Ints:
    key, _ = pack((bounds[side.head], empty()), (bounds[side.tail], empty()))
    return np.sort(len(key) - 1 - np.unique(key[::-1], return_index=True)[1])


def _count_bounds(pair: RelationPair, gold: Side, system: Side) -> Tally:
    columns = [
        (bounds[side.head], bounds[side.tail], side.label)
        for side, bounds in zip((gold, system), pair.ends.bounds, strict=True)
    ]
    keys = pack(*zip(*columns, strict=True))
    rows = [np.unique(key, return_index=True)[1] for key in keys]
    matches = _match_keys(keys[0][rows[0]], keys[1][rows[1]])
    return matches.tally(gold.take(rows[0]), system.take(rows[1]), pair.groups)


def count_relaxed(pair: RelationPair) -> Tally:
    """Relaxed: a relation is hit if the other side has one of its type whose arguments overlap and have its labels.

    A gold relation is hit if a system relation has its type, and each argument shares a token (or a character) with the
    corresponding one and has its label; either way round if the type is symmetric.

    - recall = `gold_hits` / `gold`, precision = `system_hits` / `system`

    Source: Taillé et al. 2020 (one token of the right type makes an argument right).
    """
    candidates = pair.candidates
    hits = np.flatnonzero(candidates.same_type & candidates.corresponds & candidates.same_labels)
    gold, system = pair.gold, pair.system
    gold_kind, system_kind = np.full(len(gold), 1), np.full(len(system), 3)
    gold_kind[candidates.gold[hits]], system_kind[candidates.system[hits]] = 0, 2
    no_system, no_gold = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        gold.spans.vocabulary.labels.values,
        HIT_KINDS,
        np.concatenate((pair.groups[gold.scope], pair.groups[system.scope])),
        np.concatenate((gold.label, no_gold)),
        np.concatenate((no_system, system.label)),
        np.concatenate((gold_kind, system_kind)),
    )
