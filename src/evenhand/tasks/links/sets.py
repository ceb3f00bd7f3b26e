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

import numpy as np

from evenhand.arrays import Bools, Ints, concatenate, empty, others, pack
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.links.documents import tally_documents
from evenhand.tasks.links.kinds import SET_KINDS, by_document
from evenhand.tasks.links.linked import Linked
from evenhand.tasks.links.question import Question
from evenhand.tasks.spans.exact import equal_keys


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


def count(question: Question, model: str, depth: int = 1) -> Tally:
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
        free, others_free = free[others(len(free), one)], others_free[others(len(others_free), other)]
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


def tally_pairs(question: Question, gold: Linked, system: Linked, gold_rows: Ints, system_rows: Ints) -> Tally:
    """Pairs are TP, other links of the system FP, other links of the gold standard FN.

    FN are the links of the gold standard without TP, so that one that is right twice makes an FN less.
    """
    times = np.bincount(gold_rows, minlength=len(gold))
    missed, spurious = np.flatnonzero(times != 1), others(len(system), system_rows)
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


def _add_documents(question: Question, judge: str, gold: Linked, system: Linked, gold_rows: Ints) -> None:
    """The scores of each document, over those in which the gold standard has a link."""
    right = question.per_document(gold.spans.scope[gold_rows])
    sizes = question.per_document(system.spans.scope), question.per_document(gold.spans.scope)
    counted = question.per_document(question.gold.spans.scope) > 0
    means = tally_documents(right, sizes[0], right, sizes[1], (counted, counted, counted), question.groups)
    question.more[by_document(judge)] = means
