"""Components of overlapping spans with a single span on one side: what the passes of fair evaluation come to there.

Where the spans of the other side are apart from each other, none uses up tokens of another, so that every one of them
is matched with the single span: as BE where labels are equal, else as LBE. Only the order remains to be said, which is
that of the passes: a single gold span takes the most similar system span first, and the others follow in pass 3; a
single system span is taken by the shortest gold span first, and the others follow in pass 2. Equal labels come first
in both.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.kinds import LBE
from evenhand.tasks.spans.verdicts import Matching


@dataclass(frozen=True)
class FreeSpans:
    """The free spans of one side, with the component of overlapping spans that each is in; by component."""

    rows: Ints
    component: Ints
    count: Ints
    """How many of them each component has."""


def match_stars(matching: Matching, gold: FreeSpans, system: FreeSpans) -> Bools:
    """Match the components with a single span on one side, where the others are apart; which components these are."""
    done = np.zeros(len(gold.count), dtype=np.bool_)
    for one, many, step in ((gold, system, 3), (system, gold, 2)):
        chosen = (one.count == 1) & (many.count > 1)
        single = np.full(len(chosen), -1)
        single[one.component] = one.rows
        places = np.flatnonzero(chosen[many.component])
        component = many.component[places]
        pairs = single[component], many.rows[places]
        left, right = pairs if one is gold else pairs[::-1]
        chosen &= ~_with_odd_ones(matching, component, left, right, len(chosen), step)
        _match(matching, component, left, right, chosen, step)
        done |= chosen
    return done


def _with_odd_ones(matching: Matching, component: Ints, left: Ints, right: Ints, count: int, step: int) -> Bools:
    """Which components have spans with gaps, pairs with equal bounds, or overlaps within their larger side."""
    gold, system = matching.gold, matching.system
    odd = (gold.shape[left] != 0) | (system.shape[right] != 0)
    odd |= (gold.start[left] == system.start[right]) & (gold.end[left] == system.end[right])
    start, end = (gold.start[left], gold.end[left]) if step == 2 else (system.start[right], system.end[right])
    order = np.lexsort((start, component))
    meets = (component[order][1:] == component[order][:-1]) & (start[order][1:] < end[order][:-1])
    found = np.zeros(count, dtype=np.bool_)
    found[component[odd]] = True
    found[component[order][1:][meets]] = True
    return found


def _match(matching: Matching, component: Ints, left: Ints, right: Ints, chosen: Bools, step: int) -> None:
    """Match the spans of the chosen components: the first pair of each in pass 1, the others in the pass `step`."""
    gold, system = matching.gold, matching.system
    rows = np.flatnonzero(chosen[component])
    component, left, right = component[rows], left[rows], right[rows]
    same = gold.label[left] == system.label[right]
    if step == 3:
        length = system.end[right] - system.start[right]
        shared = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
        keys: tuple[Ints, ...] = (right, length, length - shared, -shared)
    else:
        keys = (left, gold.end[left] - gold.start[left])
    order = np.lexsort((*keys, ~same, component))
    component, left, right = component[order], left[order], right[order]
    kind = np.where(same[order], matching.boundary_kind(left, right), LBE)
    first = np.append(True, component[1:] != component[:-1])[: len(component)]
    matching.pair(left[first], right[first], kind[first], step=1)
    matching.pair(left[~first], right[~first], kind[~first], step=step)
