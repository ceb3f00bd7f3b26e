"""Fair evaluation of spans: every span counts once (Ortmann 2022, Algorithm 2).

1. TP: equal spans, one to one. LE: equal bounds, another label; each gold span takes the first one left.
2. BE (same label, overlapping), then LBE (another label, overlapping), in three passes each: gold spans with system
   spans that are both free; free gold spans with system spans already matched; free system spans with gold spans
   already matched. A pair uses up the tokens it shares.
3. What is left is FN or FP.

Nothing overlaps across a gap, so the rest after step 1 falls into components of overlapping spans. A component of
one gold and one system span is a pair; one side alone is all FN or all FP; both are done for all of them at once.
The others are the few hard cases, for which `walk` takes the passes literally.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints, pack
from evenhand.judge.boundaries import boundary_kind, overlap
from evenhand.judge.exact import equal_spans
from evenhand.judge.verdicts import FN, FP, LBE, LE, TP, Matching, Verdicts
from evenhand.judge.walk import walk
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
    repeated = _repeated(keys[candidates]) | (behind[candidates] - first[candidates] > 1)

    simple = candidates[~repeated]
    partner = order[first[simple]]
    different = left.label[simple] != right.label[partner]
    matching.pair(free_gold[simple[different]], free_system[partner[different]], LE)

    # Several spans with the same bounds on one side: each gold span in turn takes the first that fits.
    taken: set[int] = set()
    for row in candidates[repeated].tolist():
        for other in order[first[row] : behind[row]].tolist():
            if other not in taken and left.label[row] != right.label[other]:
                taken.add(other)
                matching.pair(free_gold[[row]], free_system[[other]], LE)
                break


def _repeated(keys: Ints) -> Bools:
    """Which keys occur more than once."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse] > 1


@dataclass(frozen=True)
class Components:
    """Free spans of both sides, with the number of the component of overlapping spans that each is in."""

    gold: Ints
    system: Ints
    of_gold: Ints
    of_system: Ints
    gold_count: Ints
    system_count: Ints


def _overlaps(matching: Matching) -> None:
    """Match what is left and overlaps: BE and LBE."""
    gold, system = matching.gold, matching.system
    found = _components(matching)
    single = (found.gold_count == 1) & (found.system_count == 1)
    left, right = found.gold[single[found.of_gold]], found.system[single[found.of_system]]
    comparable = overlap(gold, system, left, right)
    left, right = left[comparable], right[comparable]
    same_label = gold.label[left] == system.label[right]
    matching.pair(left, right, np.where(same_label, boundary_kind(gold, system, left, right), LBE), step=1)

    hard = (found.gold_count > 0) & (found.system_count > 0) & ~single
    if hard.any():
        walk(matching, found.gold[hard[found.of_gold]], found.system[hard[found.of_system]])


def _components(matching: Matching) -> Components:
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
    of_gold, of_system = component[: len(free_gold)], component[len(free_gold) :]
    count = int(component.max(initial=-1)) + 1
    # Within each side by component, so that the n-th gold span of a list of pairs belongs to the n-th system span.
    gold_order, system_order = np.argsort(of_gold, kind="stable"), np.argsort(of_system, kind="stable")
    return Components(
        free_gold[gold_order],
        free_system[system_order],
        of_gold[gold_order],
        of_system[system_order],
        np.bincount(of_gold, minlength=count),
        np.bincount(of_system, minlength=count),
    )
