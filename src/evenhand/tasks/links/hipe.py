"""The linking scores of HIPE: strict and fuzzy bounds, and the right identifier among the first n candidates.

In each document, for each link of the system from left to right:

1. If a gold link has equal bounds, its identifier is among the first n, and the tokens are spelled alike, this is a TP
   of `hipe-strict` and of `hipe-fuzzy`, and the gold link is used.
2. Otherwise the first gold link is used that has equal bounds and another identifier than the first candidate, or that
   overlaps and is not used yet; this is a TP of `hipe-fuzzy` if its identifier is among the first n.

FP = links of the system - TP, FN = links of the gold standard - TP. `hipe-strict@3` looks at three candidates; without
a number it is one. NIL is an identifier like others. *Relaxed* scores are those with `--same-ids` and
`--nil-labels TIME`.

HIPE-scorer compares how tokens are spelled, so that a link in a file with other quotation marks is wrong under strict
bounds; a note says how many pairs that cost. `all` has no such rule. Fuzzy bounds take the first overlap, not the best
one; `weak_all` knows no order.

Source: Ehrmann et al. 2022, as HIPE-scorer counts.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.links.matching import Linked, LinkPair
from evenhand.tasks.links.neleval import tally_documents, tally_pairs
from evenhand.tasks.links.task import by_document
from evenhand.tasks.spans.matching import AllPairs

STRICT, FUZZY = "hipe-strict", "hipe-fuzzy"


@dataclass(frozen=True)
class Walked:
    """The pairs of gold and system links that are right."""

    strict: tuple[Ints, Ints]
    fuzzy: tuple[Ints, Ints]
    respelled: int
    """How many pairs are not right under strict bounds only as their tokens are spelled otherwise."""


def count(question: LinkPair, model: str, depth: int = 1) -> Tally:
    walked = walk(question, depth)
    gold_rows, system_rows = walked.strict if model == STRICT else walked.fuzzy
    gold, system = question.gold, question.system
    # One gold link can be right for several links of the system, which then are as many TP.
    right = question.per_document(system.spans.scope[system_rows])
    found, wanted = question.per_document(system.spans.scope), question.per_document(gold.spans.scope)
    counted = (found > 0, wanted > 0, (found > 0) & (wanted > 0))
    judge = model if depth == 1 else f"{model}@{depth}"
    question.more[by_document(judge)] = tally_documents(right, found, right, wanted, counted, question.groups)
    return tally_pairs(question, gold, system, gold_rows, system_rows)


def walk(question: LinkPair, depth: int) -> Walked:
    """The walk over the links of the system, which both models share."""
    key = (walk, depth)
    found = question.kept.get(key)
    if not isinstance(found, Walked):
        near = question.kept.get(_near)
        if not isinstance(near, defaultdict):
            near = question.kept[_near] = _near(question.gold, question.system)
        found = question.kept[key] = _walk(question.gold, question.system, near, depth)
    return found


def _walk(gold: Linked, system: Linked, near: defaultdict[int, list[int]], depth: int) -> Walked:
    """This is a loop, because each gold link that is used rules itself out for later ones."""
    used = [False] * len(gold)
    strict: list[tuple[int, int]] = []
    fuzzy: list[tuple[int, int]] = []
    respelled = 0
    wanted, spelled = gold.ranked[:, 0].tolist(), gold.spelling.tolist()
    bounds = list(zip(gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True))
    order = _from_left(system)
    columns = (system.spans.start, system.spans.end, system.spelling, system.ranked[:, :depth])
    rows = zip(order.tolist(), *(column[order].tolist() for column in columns), strict=True)
    for row, start, end, spelling, candidates in rows:
        equal = [at for at in near[row] if bounds[at] == (start, end)]
        right = [at for at in equal if wanted[at] in candidates]
        alike = next((at for at in right if spelled[at] == spelling), None)
        if alike is not None:
            used[alike] = True
            strict.append((alike, row))
            fuzzy.append((alike, row))
            continue
        respelled += bool(right)
        other = next((at for at in near[row] if not used[at] or (at in equal and wanted[at] != candidates[0])), None)
        if other is not None:
            used[other] = True
            if wanted[other] in candidates:
                fuzzy.append((other, row))
    return Walked(_columns(strict), _columns(fuzzy), respelled)


def _near(gold: Linked, system: Linked) -> defaultdict[int, list[int]]:
    """For each link of the system the gold links that share a token, from left to right."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    order = _from_left(gold)
    for some in AllPairs(gold.spans.take(order), system.spans):
        for at, row in zip(order[some.left].tolist(), some.right.tolist(), strict=True):
            found[row].append(at)
    return found


def _from_left(side: Linked) -> Ints:
    return np.lexsort((side.spans.end, side.spans.start, side.spans.scope))


def _columns(pairs: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    table = ints(pairs).reshape(-1, 2)
    return table[:, 0], table[:, 1]
