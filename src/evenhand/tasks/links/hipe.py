"""The linking scores of HIPE: strict and fuzzy bounds, and the right identifier among the first n candidates.

In each document, for each link of the system from left to right:

1. If a gold link has equal bounds, its identifier is among the first n, and the tokens are spelled alike, this is a TP
   of `hipe-strict` and of `hipe-fuzzy`, and the gold link is used.
2. Otherwise the first gold link is used that has equal bounds and another identifier than the first candidate, or that
   overlaps and is not used yet; this is a TP of `hipe-fuzzy` if its identifier is among the first n.

FP = links of the system - TP, FN = links of the gold standard - TP. `hipe-strict@3` looks at three candidates, without
a number at one. NIL is an identifier like others. *Relaxed* scores are those with `--same-ids` and `--nil-labels TIME`.

HIPE-scorer compares the spelling of tokens, so a link in a file with other quotation marks is wrong under strict
bounds; a note has the number of such pairs. `all` has no such rule. Fuzzy bounds take the first overlap, not the best
one; `weak_all` ignores the order.

Source: Ehrmann et al. 2022, as HIPE-scorer counts.
"""

# The literal definition, which the tests compare with, is in tests/slow_links.py.

from __future__ import annotations

from collections import defaultdict

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.links.matching import Linked, LinkPair
from evenhand.tasks.links.neleval import tally_documents, tally_pairs, units_of_pairs
from evenhand.tasks.links.task import by_document
from evenhand.tasks.spans.matching import AllPairs
from evenhand.tasks.unit_rows import UnitRows


@dataclass(frozen=True)
class HipeMatches:
    """The pairs of gold and system links that are right."""

    strict: tuple[Ints, Ints]
    fuzzy: tuple[Ints, Ints]
    respelled: int
    """The number of pairs that are wrong under strict bounds only because of their spelling."""


def count(pair: LinkPair, model: str, depth: int = 1) -> Tally:
    matches = pair.cached(match_hipe, depth)
    gold_rows, system_rows = matches.strict if model == "hipe-strict" else matches.fuzzy
    gold, system = pair.gold, pair.system
    # One gold link can be right for several links of the system, each of which is a TP.
    correct = pair.per_document(system.spans.scope[system_rows])
    predicted, expected = pair.per_document(system.spans.scope), pair.per_document(gold.spans.scope)
    counted = (predicted > 0, expected > 0, (predicted > 0) & (expected > 0))
    means = tally_documents(correct, predicted, correct, expected, counted, pair.groups)
    pair.extra_tallies[by_document(model, depth)] = means
    return tally_pairs(pair, gold, system, gold_rows, system_rows)


def units(pair: LinkPair, model: str, depth: int = 1) -> UnitRows:
    matches = pair.cached(match_hipe, depth)
    return units_of_pairs(pair.gold, pair.system, *(matches.strict if model == "hipe-strict" else matches.fuzzy))


def match_hipe(pair: LinkPair, depth: int) -> HipeMatches:
    """Match links from left to right. This is a loop because each gold link is used only once."""
    gold, system, overlapping = pair.gold, pair.system, pair.cached(_overlapping)
    used = [False] * len(gold)
    strict, fuzzy, respelled = list[tuple[int, int]](), list[tuple[int, int]](), 0
    expected, spelled = gold.ranked[:, 0].tolist(), gold.spelling.tolist()
    bounds = list(zip(gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True))
    order = _from_left(system)
    columns = (system.spans.start, system.spans.end, system.spelling, system.ranked[:, :depth])
    rows = zip(order.tolist(), *(column[order].tolist() for column in columns), strict=True)
    for row, start, end, spelling, candidates in rows:
        equal = [at for at in overlapping[row] if bounds[at] == (start, end)]
        right = [at for at in equal if expected[at] in candidates]
        alike = next((at for at in right if spelled[at] == spelling), None)
        if alike is not None:
            used[alike] = True
            strict.append((alike, row))
            fuzzy.append((alike, row))
            continue
        respelled += bool(right)
        free = (at for at in overlapping[row] if not used[at] or (at in equal and expected[at] != candidates[0]))
        first = next(free, None)
        if first is not None:
            used[first] = True
            if expected[first] in candidates:
                fuzzy.append((first, row))
    return HipeMatches(_columns(strict), _columns(fuzzy), respelled)


def _overlapping(pair: LinkPair) -> defaultdict[int, list[int]]:
    """For each link of the system the gold links that share a token, from left to right."""
    overlapping: defaultdict[int, list[int]] = defaultdict(list)
    order = _from_left(pair.gold)
    for pairs in AllPairs(pair.gold.spans.take(order), pair.system.spans):
        for at, row in zip(order[pairs.left].tolist(), pairs.right.tolist(), strict=True):
            overlapping[row].append(at)
    return overlapping


def _from_left(side: Linked) -> Ints:
    return np.lexsort((side.spans.end, side.spans.start, side.spans.scope))


def _columns(pairs: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    table = ints(pairs).reshape(-1, 2)
    return table[:, 0], table[:, 1]
