"""The measures of relations: strict, boundaries, DyGIE++, relaxed and fair."""

# The literal definitions, which the tests compare with, are in tests/slow_relations.py.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, empty, ints, pack
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import HIT_KINDS, Tally, tally_by_hit
from evenhand.tasks.relations.matching import Candidates, RelationMatches, RelationPair, RelationSide, relation_units
from evenhand.tasks.relations.task import AB, AL, ALB, AM, AS, DE, FN, FP, IN_ORDER, TE, TP, XE
from evenhand.tasks.spans.matching import equal_keys, taken
from evenhand.tasks.unit_rows import UnitRows

_RANK = np.argsort(ints(IN_ORDER))
"""The rank of each error type in the order of pairing."""


def match_strict(pair: RelationPair) -> RelationMatches:
    """TP for equal relations, FN for the other gold ones, FP for the other system ones."""
    return _match_keys(*pair.key)


def _match_keys(gold: Ints, system: Ints) -> RelationMatches:
    pairs = equal_keys(gold, system)
    return RelationMatches.of(pairs, np.full(len(pairs[0]), TP), np.full(len(gold), FN), np.full(len(system), FP))


def count_strict(pair: RelationPair) -> Tally:
    """Strict and boundaries: a relation is right if the other side has the same one.

    Relations are sets in each scope. Under `strict`, two are the same if their types, and the bounds and labels of both
    arguments, are equal; under `boundaries`, if their types and the bounds of both arguments are. With the relations G
    of the gold standard and S of the system:

    - TP = |S ∩ G|, FP = |S − G|, FN = |G − S|, summed over scopes, overall and by type
    - precision = TP / (TP + FP), recall = TP / (TP + FN)

    *Bounds* are the tokens of a span, or its characters other than spaces: gaps count, and parts that only spaces
    separate are one. The ends of a symmetric type (`--symmetric`, and types of brat's `*` lines) are put in a fixed
    order, by bounds and then by label. *Repeats*, with the type, bounds and labels of an earlier relation, are removed
    on each side. The scope of a relation is its head's.

    `strict` is what SpERT calls "with NEC" and Taillé et al. call Strict; `boundaries` is SpERT's "without NEC" and
    Taillé et al.'s Boundaries. `dygie` is `boundaries` as DyGIE++ counts: of several relations between the same head
    and the same tail, each side keeps the last one of its file, and directions are as written. Macro averages are over
    the types of the gold standard; SpERT's are over the types of either side.

    Sources: Taillé et al. 2020; Eberts and Ulges 2020; Wadden et al. 2019.
    """
    return pair.cached(match_strict).tally(pair.gold, pair.system, pair.groups)


def strict_units(pair: RelationPair) -> UnitRows:
    return pair.cached(match_strict).rows(pair.gold, pair.system)


def count_boundaries(pair: RelationPair) -> Tally:
    """The same on sets of relations without labels of arguments."""
    matches, gold, system = _match_bounds(pair, pair.gold, pair.system)
    return matches.tally(gold, system, pair.groups)


def boundaries_units(pair: RelationPair) -> UnitRows:
    matches, *sides = _match_bounds(pair, pair.gold, pair.system)
    return matches.rows(*sides)


def count_dygie(pair: RelationPair) -> Tally:
    """The same on the last relation of each head and tail."""
    matches, gold, system = _match_bounds(pair, *_last_relations(pair))
    return matches.tally(gold, system, pair.groups)


def dygie_units(pair: RelationPair) -> UnitRows:
    matches, *sides = _match_bounds(pair, *_last_relations(pair))
    return matches.rows(*sides)


def _last_relations(pair: RelationPair) -> list[RelationSide]:
    return [side.take(_last(bounds, side)) for side, bounds in zip(pair.as_read, pair.ends.bounds, strict=True)]


def _last(bounds: Ints, side: RelationSide) -> Ints:
    key, _ = pack((bounds[side.head], empty()), (bounds[side.tail], empty()))
    return np.sort(len(key) - 1 - np.unique(key[::-1], return_index=True)[1])


def _match_bounds(
    pair: RelationPair, gold: RelationSide, system: RelationSide
) -> tuple[RelationMatches, RelationSide, RelationSide]:
    """Match relations by type and bounds; return the matches and the relations of both sides without repeats."""
    columns = [
        (bounds[side.head], bounds[side.tail], side.label)
        for side, bounds in zip((gold, system), pair.ends.bounds, strict=True)
    ]
    keys = pack(*zip(*columns, strict=True))
    rows = [np.unique(key, return_index=True)[1] for key in keys]
    matches = _match_keys(keys[0][rows[0]], keys[1][rows[1]])
    return matches, gold.take(rows[0]), system.take(rows[1])


def count_relaxed(pair: RelationPair) -> Tally:
    """Relaxed: a relation is hit if the other side has one of its type whose arguments overlap and have its labels.

    A gold relation is hit if a system relation has its type, and each argument shares a token (or a character) with the
    corresponding one and has its label; either way round if the type is symmetric.

    - recall = `gold_hits` / `gold`, precision = `system_hits` / `system`

    Source: Taillé et al. 2020 (one token of the right type makes an argument right).
    """
    sides = (
        (pair.groups[side.scope], side.label, partner >= 0)
        for side, partner in zip((pair.gold, pair.system), _partners(pair), strict=True)
    )
    return tally_by_hit(pair.gold.spans.vocabulary.labels.values, *sides)


def _partners(pair: RelationPair) -> tuple[Ints, Ints]:
    """For each relation of either side one that it hits, or -1."""
    candidates = pair.candidates
    hits = np.flatnonzero(candidates.same_type & candidates.corresponds & candidates.same_labels)
    gold_partner, system_partner = np.full(len(pair.gold), -1), np.full(len(pair.system), -1)
    gold_partner[candidates.gold[hits]] = candidates.system[hits]
    system_partner[candidates.system[hits]] = candidates.gold[hits]
    return gold_partner, system_partner


def relaxed_units(pair: RelationPair) -> UnitRows:
    gold, system = _partners(pair)
    rows = np.append(np.arange(len(gold)), system), np.append(gold, np.arange(len(system)))
    kind = np.append(np.where(gold >= 0, 0, 1), np.where(system >= 0, 2, 3))
    return relation_units(HIT_KINDS, kind, *rows, pair.gold, pair.system, np.arange(len(kind)) >= len(gold))


def count_fair(pair: RelationPair) -> Tally:
    """Fair evaluation of relations: each counts once, and an error is the fault of the entities, the relation, or both.

    A gold relation and a system relation can be a pair if their arguments overlap pairwise, straight (head with head,
    tail with tail) or crossed (head with tail, tail with head). Of such a pair,

    - the *relation* is right (same type, straight; either way if symmetric), has the wrong *direction* (same type,
      crossed) or the wrong *type* (another type, either way);
    - the *arguments* are right (bounds and labels equal), have a wrong *label* (bounds equal, a label differs), wrong
      *bounds* (labels equal, bounds differ), or *both*.

    | error   | the pair                                                        | fault of |
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

    *Pairing* goes by error type, in the order TP, AL, DE, TE, AB, ALB, XE. Pairs of free relations with this error type
    (of two orientations the one with the earlier error type, then with more shared, then with fewer other characters)
    are sorted by the characters that both arguments share, most first; then by the characters of either side that are
    not shared, fewest first; then by the keys of the two relations, the smaller key first; and taken in turn. The key
    of a relation is (head bounds, tail bounds, type, head label, tail label), bounds as sorted lists. So the order of
    lines does not matter, nor which side is gold. Where tokens are the atoms, read tokens for characters.

    With E = AL + AB + ALB + DE + TE + XE:

    - precision = TP / (TP + E/2 + AS + FP), recall = TP / (TP + E/2 + AM + FN)

    By type, AS and FP count for the system's type, all others for the gold type. *Confusion matrix*: errors by gold
    type (rows) and system type (columns): TE and XE of another type off the diagonal, the other pairs on it, AM and FN
    in the column, AS and FP in the row of the empty label.

    Source: this project, after Ortmann 2022, which has such error types for spans.
    """
    return pair.cached(match_fair).tally(pair.gold, pair.system, pair.groups)


def fair_units(pair: RelationPair) -> UnitRows:
    return pair.cached(match_fair).rows(pair.gold, pair.system)


def match_fair(pair: RelationPair) -> RelationMatches:
    """The error type of every relation."""
    equal = equal_keys(*pair.key)
    gold_free, system_free = (np.ones(len(side), dtype=np.bool_) for side in (pair.gold, pair.system))
    gold_free[equal[0]] = system_free[equal[1]] = False
    candidates = pair.candidates
    candidates = candidates.take(gold_free[candidates.gold] & system_free[candidates.system])
    kind = _kinds(candidates)
    order = _pairing_order(candidates, kind, pair.key)
    candidates, kind = candidates.take(order), kind[order]
    rows = taken(candidates.gold, candidates.system)
    gold = np.concatenate((equal[0], candidates.gold[rows]))
    system = np.concatenate((equal[1], candidates.system[rows]))
    kinds = np.concatenate((np.full(len(equal[0]), TP), kind[rows]))
    gold_overlapped, system_overlapped = pair.pairs.overlapped()
    has_arguments = gold_overlapped[pair.gold.head] & gold_overlapped[pair.gold.tail]
    is_found = system_overlapped[pair.system.head] & system_overlapped[pair.system.tail]
    missing, spurious = np.where(has_arguments, FN, AM), np.where(is_found, FP, AS)
    return RelationMatches.of((gold, system), kinds, missing, spurious)


def _kinds(candidates: Candidates) -> Ints:
    """The error type of each pair that is not equal."""
    bounds, labels = candidates.same_bounds, candidates.same_labels
    arguments = np.where(bounds & labels, TP, np.where(bounds, AL, np.where(labels, AB, ALB)))
    wrong = np.where(bounds & labels, np.where(candidates.same_type, DE, TE), XE)
    return np.where(candidates.same_type & candidates.corresponds, arguments, wrong)


def _pairing_order(candidates: Candidates, kind: Ints, keys: tuple[Ints, Ints]) -> Ints:
    """The order of pairing; the worse orientation of a pair comes too late to be taken."""
    one, other = keys[0][candidates.gold], keys[1][candidates.system]
    columns = (_RANK[kind], -candidates.shared, candidates.others, np.minimum(one, other), np.maximum(one, other))
    return np.lexsort(columns[::-1])


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the confusion matrix: all errors, unpaired relations under the empty label."""
    return replace(score, confusion=tallies[score.model.scorer].total().confusion(lambda kind: kind != "TP"))
