"""Set measures of links: gold standard and system are compared as sets of keys.

In each document, with the links of either side as a set of keys: TP = |system ∩ gold|, FP = |system - gold|,
FN = |gold - system|.

| model             | neleval                     | key                 | only    |
| ----------------- | --------------------------- | ------------------- | ------- |
| `mentions`        | strong_mention_match        | bounds              |         |
| `typed_mentions`  | strong_typed_mention_match  | bounds, label       |         |
| `linked_mentions` | strong_linked_mention_match | bounds              | not NIL |
| `links` (InKB)    | strong_link_match           | bounds, identifier  | not NIL |
| `nil`             | strong_nil_match            | bounds              | NIL     |
| `all`             | strong_all_match            | bounds, identifier  |         |
| `typed_links`     | strong_typed_link_match     | as `links`, label   | not NIL |
| `typed_nil`       | strong_typed_nil_match      | as `nil`, label     | NIL     |
| `typed_all`       | strong_typed_all_match      | as `all`, label     |         |
| `entities`        | entity_match                | identifier          | not NIL |

The identifier is the first one of a list, and all that are NIL are equal. Each side is filtered separately. Spans
without a link are ignored, even in `mentions`. Keys that a side repeats count once; an entity counts for the label of
its first mention.

The recall of `links` is the KB accuracy of TAC, the recall of `nil` its NIL accuracy.

*Ranks*: in `links@n`, `all@n` and the like, a link of the system is right if one of its first n identifiers is the gold
identifier. Ranks are compared from the first to the nth, each among the links that are not right yet.

Sources: Hachey et al. 2014, with the measures of neleval 3.1.1; Ji et al. 2010 for the accuracies of TAC.
"""

# The literal definition, which the tests compare with, is in tests/slow_links.py.

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Bools, Ints, Values, complement, concatenate, empty, pack
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import prf_of_rows
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import HIT_KINDS, Tally, tally_by_hit, tally_table
from evenhand.tasks.links.matching import Linked, LinkPair, link_units
from evenhand.tasks.links.task import SET_KINDS, by_document
from evenhand.tasks.spans.matching import AllPairs, equal_keys
from evenhand.tasks.unit_rows import UnitRows

MEASURES = ("precision", "recall", "f1")
_MEAN_KINDS = tuple(f"{measure}.{part}" for measure in MEASURES for part in ("sum", "squares", "documents"))


@dataclass(frozen=True)
class LinkKey:
    """The part of a link that a measure compares."""

    only: str = "all"
    """`all`, `linked` or `nil`."""
    has_bounds: bool = True
    has_label: bool = False
    has_identifier: bool = False


KEYS = {
    "mentions": LinkKey(),
    "typed_mentions": LinkKey(has_label=True),
    "linked_mentions": LinkKey("linked"),
    "links": LinkKey("linked", has_identifier=True),
    "nil": LinkKey("nil"),
    "all": LinkKey(has_identifier=True),
    "typed_links": LinkKey("linked", has_identifier=True, has_label=True),
    "typed_nil": LinkKey("nil", has_label=True),
    "typed_all": LinkKey(has_identifier=True, has_label=True),
    "entities": LinkKey("linked", has_bounds=False, has_identifier=True),
}


def count(pair: LinkPair, model: str, depth: int = 1) -> Tally:
    """Counts of a set measure that looks at the first `depth` identifiers of each link."""
    key = KEYS[model]
    gold, system = (_distinct(side.take(_chosen(side, key.only)), key) for side in (pair.gold, pair.system))
    gold_rows, system_rows = match_keys(gold, system, key, depth)
    correct = pair.per_document(gold.spans.scope[gold_rows])
    sizes = pair.per_document(system.spans.scope), pair.per_document(gold.spans.scope)
    pair.extra_tallies[by_document(model, depth)] = _tally_gold_documents(pair, correct, sizes[0], correct, sizes[1])
    return tally_pairs(pair, gold, system, gold_rows, system_rows)


def units(pair: LinkPair, model: str, depth: int = 1) -> UnitRows:
    """The links, or entities, that a set measure counts."""
    key = KEYS[model]
    gold, system = (_distinct(side.take(_chosen(side, key.only)), key) for side in (pair.gold, pair.system))
    return units_of_pairs(gold, system, *match_keys(gold, system, key, depth))


def units_of_pairs(gold: Linked, system: Linked, gold_rows: Ints, system_rows: Ints) -> UnitRows:
    """Pairs are TP, other links FP and FN. A gold link that is right several times has several rows."""
    missed, spurious = complement(len(gold), gold_rows), complement(len(system), system_rows)
    no_gold, no_system = np.full(len(spurious), -1), np.full(len(missed), -1)
    kind = np.repeat(np.arange(3), (len(gold_rows), len(spurious), len(missed)))
    rows = concatenate([gold_rows, no_gold, missed]), concatenate([system_rows, spurious, no_system])
    return link_units(SET_KINDS, kind, *rows, gold, system)


def match_keys(gold: Linked, system: Linked, key: LinkKey, depth: int) -> tuple[Ints, Ints]:
    """The rows that are right, one to one, rank by rank."""
    gold_free, free = np.arange(len(gold)), np.arange(len(system))
    gold_rows, system_rows = [empty()], [empty()]
    for rank in range(min(depth, system.same.shape[1]) if key.has_identifier else 1):
        left, right = gold.take(gold_free), system.take(free)
        ranked = np.flatnonzero(right.same[:, rank] >= 0)
        one, other = equal_keys(*_keys(left, right.take(ranked), key, rank))
        other = ranked[other]
        gold_rows.append(gold_free[one])
        system_rows.append(free[other])
        gold_free, free = gold_free[complement(len(gold_free), one)], free[complement(len(free), other)]
    return np.concatenate(gold_rows), np.concatenate(system_rows)


def _chosen(side: Linked, only: str) -> Bools:
    if only == "all":
        return np.ones(len(side), dtype=np.bool_)
    return side.is_nil if only == "nil" else ~side.is_nil


def _distinct(side: Linked, key: LinkKey) -> Linked:
    keys, _ = _keys(side, side.take(empty()), key, 0)
    _, first = np.unique(keys, return_index=True)
    return side if len(first) == len(side) else side.take(np.sort(first))


def _keys(left: Linked, right: Linked, key: LinkKey, rank: int) -> tuple[Ints, Ints]:
    """The keys of both sides as numbers; the right side is compared by its identifier of this rank."""
    one, other = left.spans, right.spans
    columns = [(one.scope, other.scope)]
    if key.has_bounds:
        columns += [(one.start, other.start), (one.end, other.end), (one.shape, other.shape)]
    if key.has_label:
        columns.append((one.label, other.label))
    if key.has_identifier:
        columns.append((left.answer, right.same[:, rank]))
    return pack(*columns)


def tally_pairs(pair: LinkPair, gold: Linked, system: Linked, gold_rows: Ints, system_rows: Ints) -> Tally:
    """Pairs are TP, other links of the system FP, other links of the gold standard FN.

    FN = links of the gold standard - TP, so a gold link that is right twice reduces the number of FN.
    """
    times = np.bincount(gold_rows, minlength=len(gold))
    missed, spurious = np.flatnonzero(times != 1), complement(len(system), system_rows)
    names, label_of = pair.types
    one, other = gold.spans, system.spans
    no_gold, no_system = np.full(len(spurious), -1), np.full(len(missed), -1)
    gold_label = concatenate([label_of[one.label[gold_rows]], no_gold, label_of[one.label[missed]]])
    system_label = concatenate([label_of[other.label[system_rows]], label_of[other.label[spurious]], no_system])
    scope = concatenate([one.scope[gold_rows], other.scope[spurious], one.scope[missed]])
    kind = np.repeat(np.arange(3), (len(gold_rows), len(spurious), len(missed)))
    number = np.ones(len(kind), dtype=np.int64)
    number[len(kind) - len(missed) :] = 1 - times[missed]
    return Tally.of(names, SET_KINDS, pair.groups[scope], gold_label, system_label, kind, number)


def count_weak(pair: LinkPair, model: str, depth: int = 1) -> Tally:
    """Weak match of links: right if a link with the same identifier shares a token.

    A gold link and a system link with the same identifier that share at least one token are a hit, regardless of their
    bounds: `overlap` with the identifier as label. `weak_links` looks at links that are not NIL, `weak_all` at all; all
    that are NIL are equal. One link may hit or be hit by several:

    - recall R = `gold_hits` / `gold`, precision P = `system_hits` / `system`.

    With `@n`, one of the first n identifiers of the system's link is enough.

    Source: Cornolti et al. 2013 (weak annotation match).
    """
    gold, system = _weak_sides(pair, model)
    gold_partner, system_partner = _weak_partners(gold, system, depth)
    gold_hit, system_hit = gold_partner >= 0, system_partner >= 0
    gold_scope, scope = gold.spans.scope, system.spans.scope
    by_side = (scope[system_hit], scope, gold_scope[gold_hit], gold_scope)
    pair.extra_tallies[by_document(model, depth)] = _tally_gold_documents(pair, *map(pair.per_document, by_side))
    names, label_of = pair.types
    sides = ((gold.spans, gold_hit), (system.spans, system_hit))
    return tally_by_hit(names, *((pair.groups[spans.scope], label_of[spans.label], hit) for spans, hit in sides))


def _weak_sides(pair: LinkPair, model: str) -> tuple[Linked, Linked]:
    if model != "weak_links":
        return pair.gold, pair.system
    return pair.gold.take(~pair.gold.is_nil), pair.system.take(~pair.system.is_nil)


def _weak_partners(gold: Linked, system: Linked, depth: int) -> tuple[Ints, Ints]:
    """For each link of either side one that it hits, or -1."""
    gold_partner, system_partner = np.full(len(gold), -1), np.full(len(system), -1)
    for pairs in AllPairs(gold.spans, system.spans):
        same = (gold.answer[pairs.left][:, None] == system.same[pairs.right, :depth]).any(axis=1)
        gold_partner[pairs.left[same]] = pairs.right[same]
        system_partner[pairs.right[same]] = pairs.left[same]
    return gold_partner, system_partner


def weak_units(pair: LinkPair, model: str, depth: int = 1) -> UnitRows:
    gold, system = _weak_sides(pair, model)
    partners = _weak_partners(gold, system, depth)
    rows = np.append(np.arange(len(gold)), partners[1]), np.append(partners[0], np.arange(len(system)))
    kind = np.append(np.where(partners[0] >= 0, 0, 1), np.where(partners[1] >= 0, 2, 3))
    return link_units(HIT_KINDS, kind, *rows, gold, system, np.arange(len(kind)) >= len(gold))


def _tally_gold_documents(pair: LinkPair, correct: Ints, predicted: Ints, matched: Ints, expected: Ints) -> Tally:
    """The scores of the documents in which the gold standard has a link."""
    counted = pair.per_document(pair.gold.spans.scope) > 0
    return tally_documents(correct, predicted, matched, expected, (counted, counted, counted), pair.groups)


def tally_documents(
    correct: Ints, predicted: Ints, matched: Ints, expected: Ints, counted: tuple[Bools, Bools, Bools], groups: Ints
) -> Tally:
    """Means over documents of precision, recall and F1.

    neleval's macro average is over the documents in which the gold standard has a link, NIL included. HIPE's
    `macro_doc` takes the precision of documents where the system has links, the recall of those where the gold standard
    has some, and the F1 of those where both have; and it has the standard deviation of each, of the population. Any 0/0
    is 0.

    Sources: neleval 3.1.1 (`--by-doc`); HIPE-scorer (Ehrmann et al. 2022).
    """
    sums = np.stack((correct, predicted, matched, expected)).astype(np.float64)
    scores = prf_of_rows(sums[0], sums[1], sums[2], sums[3], beta=1.0)
    columns: list[Values] = []
    for score, is_counted in zip(scores[:3], counted, strict=True):
        value = np.where(is_counted, score, 0.0)
        columns += [value, value**2, is_counted.astype(np.float64)]
    return tally_table(_MEAN_KINDS, np.stack(columns, axis=1), groups)


def with_documents(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the means over documents."""
    tally = tallies.get(by_document(score.model.scorer))
    if tally is None:
        return score
    sums = dict.fromkeys(_MEAN_KINDS, 0.0)
    for (*_, kind), count in tally.total().cells().items():
        sums[kind] += count
    return score.adding("documents", {measure: _mean_and_deviation(sums, measure) for measure in MEASURES})


def _mean_and_deviation(sums: Mapping[str, float], measure: str) -> dict[str, float | None]:
    total, squares, documents = (sums[f"{measure}.{part}"] for part in ("sum", "squares", "documents"))
    if not documents:
        return {"mean": None, "deviation": None, "documents": 0}
    mean = total / documents
    deviation = float(np.sqrt(max(0.0, squares / documents - mean**2)))
    return {"mean": mean, "deviation": deviation, "documents": int(documents)}
