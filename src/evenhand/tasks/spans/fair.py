"""Fair evaluation: every span counts once, and errors have kinds.

| verdict | the pair                                                               |
| ------- | ---------------------------------------------------------------------- |
| TP      | equal label, bounds and tokens                                         |
| LE      | equal bounds, different labels                                         |
| BES     | equal labels, other bounds: the system's span lies inside the gold one |
| BEL     | equal labels, other bounds: the system's span contains the gold one    |
| BEO     | equal labels, other bounds: the two cross                              |
| LBE     | different labels, overlapping but not equal bounds                     |
| FN, FP  | a gold span, a system span without any of these                        |

BE = BES + BEL + BEO. *Matching* goes as follows, within each scope:

1. TP: each gold span in input order takes the first equal system span that is free.
2. LE: each gold span left, in input order, takes the first free system span with equal bounds and another label. Spans
   matched so far take no further part.
3. What is left is ordered by last - first token, ties as in the input.
4. BE, in three passes over pairs with equal labels that overlap and whose bounds are not equal. Each match uses up the
   tokens that the two share, on both sides at once.
   1. Each gold span takes the most similar free system span.
   2. Each gold span still free takes the most similar system span that was matched in these passes and shares a token
      that is not used up.
   3. Each system span still free takes the most similar gold span, in the same way.
5. LBE: the same three passes for pairs with different labels; used tokens and matched spans carry over.
6. Gold spans left over are FN, system spans FP.

*Most similar*: most shared tokens, then fewest tokens of the candidate alone, then the shorter candidate, by
last - first token, then the order of the list (in passes 2 and 3: of matching). Tokens that are used up do not count.
Ties follow the order of the file: by first token, then by level.

So max(n, m) <= TP + errors <= n + m for n gold and m system spans. Spans with equal label and bounds, but other tokens
(gaps), are no pair.

*Edges*: BE and LBE by the boundary that agrees: left, right or none (`edges` in the JSON).

*Focus*: by label, everything but FP counts for the gold label (`--focus target`); with `--focus system`, LE and LBE
count for the system's label. FP always count for the system's.

*Confusion matrix*: errors by gold label (rows) and system label (columns): LE and LBE off the diagonal, BE on it, FN in
the column and FP in the row of the empty label.

Source: Ortmann 2022, section 2.1 with footnote 2 (kinds and edges) and section 3 with Algorithm 2 (matching, focus,
confusion). Where the paper leaves a choice open, the counts are those of its reference implementation.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints, pack
from evenhand.tasks.spans.exact import equal_spans
from evenhand.tasks.spans.kinds import FN, FP, LBE, LE, TP
from evenhand.tasks.spans.stars import FreeSpans, match_stars
from evenhand.tasks.spans.verdicts import Matching, Verdicts
from evenhand.tasks.spans.walk import walk
from evenhand.text.layers import Spans


def fair(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> Verdicts:
    """The verdict on every span; `equal` are the rows of equal spans, where they are known already."""
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    _labeling_errors(matching)
    _overlaps(matching)
    return matching.verdicts()


def _labeling_errors(matching: Matching) -> None:
    """Match what is left and has equal bounds but another label."""
    gold, system = matching.gold, matching.system
    free_gold, free_system = np.flatnonzero(matching.gold_kind == FN), np.flatnonzero(matching.system_kind == FP)
    left, right = gold.take(free_gold), system.take(free_system)
    keys, other_keys = pack((left.scope, right.scope), (left.start, right.start), (left.end, right.end))
    order = np.argsort(other_keys, kind="stable")
    first = np.searchsorted(other_keys[order], keys, side="left")
    behind = np.searchsorted(other_keys[order], keys, side="right")
    candidates = np.flatnonzero(behind > first)
    candidates = candidates[np.argsort(first[candidates], kind="stable")]

    # Without gaps, spans with the same label and bounds are TP by now, so that the first goes with the first and so on.
    odd = _with_gaps(first[candidates], behind[candidates], left.shape[candidates], right.shape[order])
    plain = candidates[~odd]
    place = first[plain] + np.arange(len(plain)) - np.searchsorted(first[plain], first[plain])
    fits = place < behind[plain]
    matching.pair(free_gold[plain[fits]], free_system[order[place[fits]]], LE)

    # With gaps, each gold span in turn takes the first one with another label.
    taken: set[int] = set()
    for row in candidates[odd].tolist():
        for other in order[first[row] : behind[row]].tolist():
            if other not in taken and left.label[row] != right.label[other]:
                taken.add(other)
                matching.pair(free_gold[[row]], free_system[[other]], LE)
                break


def _with_gaps(first: Ints, behind: Ints, shape: Ints, other_shape: Ints) -> Bools:
    """Which spans have the bounds of one with gaps; those of the other side with their bounds are first to behind."""
    before = np.append(0, np.cumsum(other_shape != 0))
    found: Bools = (before[behind] > before[first]) | np.isin(first, first[shape != 0])
    return found


def _overlaps(matching: Matching) -> None:
    """Match what is left and overlaps: BE and LBE.

    Nothing overlaps across a gap, so that what is left falls into components of overlapping spans. Those of one gold
    and one system span are pairs, those of one side alone FN or FP, and `match_stars` takes those with one span on one
    side: all of them at once. The others are the few hard cases, which `walk` matches pass by pass.
    """
    gold, system = matching.gold, matching.system
    free_gold, free_system = _components(matching)
    single = (free_gold.count == 1) & (free_system.count == 1)
    left, right = (side.rows[single[side.component]] for side in (free_gold, free_system))
    comparable = matching.overlap(left, right)
    left, right = left[comparable], right[comparable]
    same_label = gold.label[left] == system.label[right]
    matching.pair(left, right, np.where(same_label, matching.boundary_kind(left, right), LBE), step=1)

    both = (free_gold.count > 0) & (free_system.count > 0)
    hard = both & ~single & ~match_stars(matching, free_gold, free_system)
    if hard.any():
        walk(matching, *(side.rows[hard[side.component]] for side in (free_gold, free_system)))


def _components(matching: Matching) -> tuple[FreeSpans, FreeSpans]:
    """Sweep over the free spans of both sides; components are numbered from left to right."""
    gold, system = matching.gold, matching.system
    free_gold, free_system = np.flatnonzero(matching.gold_kind == FN), np.flatnonzero(matching.system_kind == FP)
    scope = np.concatenate((gold.scope[free_gold], system.scope[free_system]))
    end = np.concatenate((gold.end[free_gold], system.end[free_system]))
    width = int(end.max(initial=0)) + 1
    start = np.concatenate((gold.start[free_gold], system.start[free_system])) + scope * width
    end += scope * width
    order = np.argsort(start, kind="stable")
    reach = np.maximum.accumulate(end[order])
    component = np.empty(len(order), dtype=np.int64)
    component[order] = np.cumsum(np.append(0, start[order][1:] >= reach[:-1])[: len(order)])
    count = int(component.max(initial=-1)) + 1

    def by_component(rows: Ints, component: Ints) -> FreeSpans:
        """In this order, the n-th gold span of a list of pairs belongs to the n-th system span."""
        order = np.argsort(component, kind="stable")
        return FreeSpans(rows[order], component[order], np.bincount(component, minlength=count))

    return by_component(free_gold, component[: len(free_gold)]), by_component(free_system, component[len(free_gold) :])
