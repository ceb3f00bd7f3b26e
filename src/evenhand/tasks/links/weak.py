"""Weak match of links: right if a link with the same identifier shares a token.

A gold link and a system link with the same identifier that share at least one token are a hit, whatever their bounds:
`overlap` with the identifier as label. `weak_links` looks at links that are not NIL, `weak_all` at all, where all that
are NIL are equal. One link may hit or be hit by several:

- recall R = `gold_hits` / `gold`, precision P = `system_hits` / `system`.

With `@n`, one of the first n identifiers of the system's link is enough.

Source: Cornolti et al. 2013 (weak annotation match).
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import concatenate
from evenhand.tally import Tally
from evenhand.tasks.links.documents import tally_documents
from evenhand.tasks.links.kinds import HIT_KINDS, by_document
from evenhand.tasks.links.linked import Linked
from evenhand.tasks.links.question import Question
from evenhand.tasks.spans.pairs import AllPairs


def count(question: Question, model: str, depth: int = 1) -> Tally:
    """The links of each side that hit one of the other, and the others."""
    gold, system = question.gold, question.system
    if model == "weak_links":
        gold, system = gold.take(~gold.is_nil), system.take(~system.is_nil)
    gold_hit, system_hit = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(system), dtype=np.bool_)
    for some in AllPairs(gold.spans, system.spans):
        same = (gold.answer[some.left][:, None] == system.same[some.right, :depth]).any(axis=1)
        gold_hit[some.left[same]] = True
        system_hit[some.right[same]] = True
    judge = model if depth == 1 else f"{model}@{depth}"
    _add_documents(question, judge, (gold, system), (gold.take(gold_hit), system.take(system_hit)))
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


def _add_documents(question: Question, judge: str, sides: tuple[Linked, Linked], hits: tuple[Linked, Linked]) -> None:
    (gold, system), (gold_hits, system_hits) = (
        tuple(question.per_document(side.spans.scope) for side in both) for both in (sides, hits)
    )
    counted = question.per_document(question.gold.spans.scope) > 0
    means = tally_documents(system_hits, system, gold_hits, gold, (counted, counted, counted), question.groups)
    question.more[by_document(judge)] = means
