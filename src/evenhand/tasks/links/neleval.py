"""Sets of links: what gold standard and system have in common, by the part of a link that a model looks at.

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

The identifier is the first one of a list, and all that are NIL are equal. Each side is filtered by itself. Spans
without a link take no part, not even in `mentions`. Keys that a side repeats count once; an entity counts for the label
of its first mention.

The recall of `links` is the KB accuracy of TAC, that of `nil` the NIL accuracy.

*Ranks*: in `links@n`, `all@n` and the like, a link of the system is right if one of its first n identifiers is that of
the gold standard. Ranks are gone through from the first to the nth; a link that is right takes no further part.

Sources: Hachey et al. 2014, with the measures of neleval 3.1.1; Ji et al. 2010 for the accuracies of TAC.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Bools, Ints, Values, complement, concatenate, empty, pack
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import prf_of_rows
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.links.matching import Linked, LinkPair
from evenhand.tasks.links.task import HIT_KINDS, SET_KINDS, by_document
from evenhand.tasks.spans.matching import AllPairs, equal_keys

# == tasks/links/documents.py: Means over documents: precision, recall and F1 of each docum


MEASURES = ("precision", "recall", "f1")
_KINDS = tuple(f"{measure}.{part}" for measure in MEASURES for part in ("sum", "squares", "documents"))


def tally_documents(
    right: Ints, found: Ints, met: Ints, wanted: Ints, counted: tuple[Bools, Bools, Bools], groups: Ints
) -> Tally:
    """Means over documents: precision, recall and F1 of each document for itself, and the mean of each.

    neleval's macro average is over the documents in which the gold standard has a link, NIL included. HIPE's
    `macro_doc` takes the precision of documents where the system has links, the recall of those where the gold standard
    has some, and the F1 of those where both have; and it has the standard deviation of each, of the population. Any 0/0
    is 0.

    Sources: neleval 3.1.1 (`--by-doc`); HIPE-scorer (Ehrmann et al. 2022).
    """
    right_sum, found_sum, met_sum, wanted_sum = (each.astype(np.float64) for each in (right, found, met, wanted))
    scores = prf_of_rows(right_sum, found_sum, met_sum, wanted_sum, beta=1.0)
    columns: list[Values] = []
    for score, is_counted in zip(scores[:3], counted, strict=True):
        value = np.where(is_counted, score, 0.0)
        columns += [value, value**2, is_counted.astype(np.float64)]
    return tally_table(_KINDS, np.stack(columns, axis=1), groups)


def with_documents(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with its means over documents."""
    tally = tallies.get(by_document(score.model.scorer))
    if tally is None:
        return score
    sums = dict.fromkeys(_KINDS, 0.0)
    for (*_, kind), count in tally.total().cells().items():
        sums[kind] += count
    return score.adding("documents", {measure: _spread(sums, measure) for measure in MEASURES})


def _spread(sums: Mapping[str, float], measure: str) -> dict[str, float | None]:
    """The mean and the standard deviation over documents; None where no document has a score."""
    total, squares, documents = (sums[f"{measure}.{part}"] for part in ("sum", "squares", "documents"))
    if not documents:
        return {"mean": None, "deviation": None, "documents": 0}
    mean = total / documents
    deviation = float(np.sqrt(max(0.0, squares / documents - mean**2)))
    return {"mean": mean, "deviation": deviation, "documents": int(documents)}


# == tasks/links/sets.py (primary)


@dataclass(frozen=True)
class SetModel:
    """What a model looks at."""

    only: str = "all"
    """`all`, `linked` or `nil`."""
    has_bounds: bool = True
    has_label: bool = False
    has_identifier: bool = False


SET_MODELS = {
    "mentions": SetModel(),
    "typed_mentions": SetModel(has_label=True),
    "linked_mentions": SetModel("linked"),
    "links": SetModel("linked", has_identifier=True),
    "nil": SetModel("nil"),
    "all": SetModel(has_identifier=True),
    "typed_links": SetModel("linked", has_identifier=True, has_label=True),
    "typed_nil": SetModel("nil", has_label=True),
    "typed_all": SetModel(has_identifier=True, has_label=True),
    "entities": SetModel("linked", has_bounds=False, has_identifier=True),
}


def count(question: LinkPair, model: str, depth: int = 1) -> Tally:
    """The counts of a model that looks at so many identifiers of each link."""
    kind = SET_MODELS[model]
    gold, system = (_distinct(side.take(_chosen(side, kind.only)), kind) for side in (question.gold, question.system))
    gold_rows, system_rows = pairs(gold, system, kind, depth)
    judge = model if depth == 1 else f"{model}@{depth}"
    _add_documents(question, judge, gold, system, gold_rows)
    return tally_pairs(question, gold, system, gold_rows, system_rows)


def pairs(gold: Linked, system: Linked, kind: SetModel, depth: int) -> tuple[Ints, Ints]:
    """The rows that are right, one to one, rank by rank."""
    free, others_free = np.arange(len(gold)), np.arange(len(system))
    found: tuple[list[Ints], list[Ints]] = ([empty()], [empty()])
    for rank in range(min(depth, system.same.shape[1]) if kind.has_identifier else 1):
        left, right = gold.take(free), system.take(others_free)
        ranked = np.flatnonzero(right.same[:, rank] >= 0)
        one, other = equal_keys(*_keys(left, right.take(ranked), kind, rank))
        other = ranked[other]
        found[0].append(free[one])
        found[1].append(others_free[other])
        free, others_free = free[complement(len(free), one)], others_free[complement(len(others_free), other)]
    return np.concatenate(found[0]), np.concatenate(found[1])


def _chosen(side: Linked, only: str) -> Bools:
    if only == "all":
        return np.ones(len(side), dtype=np.bool_)
    return side.is_nil if only == "nil" else ~side.is_nil


def _distinct(side: Linked, kind: SetModel) -> Linked:
    """A side without repeats."""
    key, _ = _keys(side, side.take(empty()), kind, 0)
    _, first = np.unique(key, return_index=True)
    return side if len(first) == len(side) else side.take(np.sort(first))


def _keys(left: Linked, right: Linked, kind: SetModel, rank: int) -> tuple[Ints, Ints]:
    """What links are compared by, as one number each; the identifier of the right side is that of a rank."""
    one, other = left.spans, right.spans
    columns = [(one.scope, other.scope)]
    if kind.has_bounds:
        columns += [(one.start, other.start), (one.end, other.end), (one.shape, other.shape)]
    if kind.has_label:
        columns.append((one.label, other.label))
    if kind.has_identifier:
        columns.append((left.answer, right.same[:, rank]))
    return pack(*columns)


def tally_pairs(question: LinkPair, gold: Linked, system: Linked, gold_rows: Ints, system_rows: Ints) -> Tally:
    """Pairs are TP, other links of the system FP, other links of the gold standard FN.

    FN are the links of the gold standard without TP, so that one that is right twice makes an FN less.
    """
    times = np.bincount(gold_rows, minlength=len(gold))
    missed, spurious = np.flatnonzero(times != 1), complement(len(system), system_rows)
    names, place = question.types
    one, other = gold.spans, system.spans
    nothing = np.full(len(spurious), -1), np.full(len(missed), -1)
    gold_label = concatenate([place[one.label[gold_rows]], nothing[0], place[one.label[missed]]])
    system_label = concatenate([place[other.label[system_rows]], place[other.label[spurious]], nothing[1]])
    scope = concatenate([one.scope[gold_rows], other.scope[spurious], one.scope[missed]])
    kind = np.repeat(np.arange(3), (len(gold_rows), len(spurious), len(missed)))
    number = np.ones(len(kind), dtype=np.int64)
    number[len(kind) - len(missed) :] = 1 - times[missed]
    return Tally.of(names, SET_KINDS, question.groups[scope], gold_label, system_label, kind, number)


def _add_documents(question: LinkPair, judge: str, gold: Linked, system: Linked, gold_rows: Ints) -> None:
    """The scores of each document, over those in which the gold standard has a link."""
    right = question.per_document(gold.spans.scope[gold_rows])
    sizes = question.per_document(system.spans.scope), question.per_document(gold.spans.scope)
    counted = question.per_document(question.gold.spans.scope) > 0
    means = tally_documents(right, sizes[0], right, sizes[1], (counted, counted, counted), question.groups)
    question.more[by_document(judge)] = means


# == tasks/links/weak.py: Weak match of links: right if a link with the same identifie


def count_weak(question: LinkPair, model: str, depth: int = 1) -> Tally:
    """Weak match of links: right if a link with the same identifier shares a token.

    A gold link and a system link with the same identifier that share at least one token are a hit, whatever their
    bounds: `overlap` with the identifier as label. `weak_links` looks at links that are not NIL, `weak_all` at all,
    where all that are NIL are equal. One link may hit or be hit by several:

    - recall R = `gold_hits` / `gold`, precision P = `system_hits` / `system`.

    With `@n`, one of the first n identifiers of the system's link is enough.

    Source: Cornolti et al. 2013 (weak annotation match).
    """
    gold, system = question.gold, question.system
    if model == "weak_links":
        gold, system = gold.take(~gold.is_nil), system.take(~system.is_nil)
    gold_hit, system_hit = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(system), dtype=np.bool_)
    for some in AllPairs(gold.spans, system.spans):
        same = (gold.answer[some.left][:, None] == system.same[some.right, :depth]).any(axis=1)
        gold_hit[some.left[same]] = True
        system_hit[some.right[same]] = True
    judge = model if depth == 1 else f"{model}@{depth}"
    _add_documents_weak(question, judge, (gold, system), (gold.take(gold_hit), system.take(system_hit)))
    names, place = question.types
    nothing = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        names,
        HIT_KINDS,
        question.groups[concatenate([gold.spans.scope, system.spans.scope])],
        concatenate([place[gold.spans.label], nothing[1]]),
        concatenate([nothing[0], place[system.spans.label]]),
        concatenate([np.where(gold_hit, 0, 1), np.where(system_hit, 2, 3)]),
    )


def _add_documents_weak(
    question: LinkPair, judge: str, sides: tuple[Linked, Linked], hits: tuple[Linked, Linked]
) -> None:
    (gold, system), (gold_hits, system_hits) = (
        tuple(question.per_document(side.spans.scope) for side in both) for both in (sides, hits)
    )
    counted = question.per_document(question.gold.spans.scope) > 0
    means = tally_documents(system_hits, system, gold_hits, gold, (counted, counted, counted), question.groups)
    question.more[by_document(judge)] = means
