"""Levels: spreading overlapping spans over columns that are flat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.text.layers import Spans


def flat_levels(spans: Spans) -> Spans:
    """The spans with levels on which nothing overlaps: their own if these are so, else outer spans first."""
    if not _overlaps(spans, spans.level).any():
        return spans
    order = _outermost_first(spans)
    level = np.empty(len(spans), dtype=np.int64)
    level[order] = _first_free(spans.take(order))
    return replace(spans, level=level)


def outermost(spans: Spans) -> Ints:
    """The rows of spans that fit into one level: from left to right, the longest at each place."""
    order = _outermost_first(spans)
    return np.sort(order[_first_free(spans.take(order)) == 0])


def is_flat(spans: Spans) -> bool:
    """Whether no two spans overlap."""
    return not _overlaps(spans, np.zeros(len(spans), dtype=np.int64)).any()


def neighbours(spans: Spans) -> int:
    """How many spans begin where another one of their label and level ends."""
    order = np.lexsort((spans.start, spans.level, spans.scope))
    scope, level, label = spans.scope[order], spans.level[order], spans.label[order]
    same = (np.diff(scope) == 0) & (np.diff(level) == 0) & (np.diff(label) == 0)
    return int(np.count_nonzero(same & (spans.start[order][1:] == spans.end[order][:-1])))


def _outermost_first(spans: Spans) -> Ints:
    """By scope, start, and from the longest to the shortest; ties as in the input."""
    return np.lexsort((-spans.end, spans.start, spans.scope))


def _overlaps(spans: Spans, level: Ints) -> Bools:
    """Which spans begin before an earlier one of their scope and level has ended."""
    order = np.lexsort((spans.start, spans.scope, level))
    width = int(spans.end.max(initial=0)) + 1
    block = level[order] * (int(spans.scope.max(initial=0)) + 1) + spans.scope[order]
    start, end = spans.start[order] + block * width, spans.end[order] + block * width
    found = np.zeros(len(spans), dtype=np.bool_)
    found[1:] = start[1:] < np.maximum.accumulate(end)[:-1]
    return found


def _first_free(ordered: Spans) -> Ints:
    """For spans by scope and start, the lowest level that is free where each one begins.

    A loop, because each span's level depends on those before it.
    """
    found, ends, scope_before = [], list[int](), -1
    for scope, start, end in zip(ordered.scope.tolist(), ordered.start.tolist(), ordered.end.tolist(), strict=True):
        if scope != scope_before:
            ends, scope_before = [], scope
        level = next((level for level, behind in enumerate(ends) if behind <= start), len(ends))
        ends[level : level + 1] = [end]
        found.append(level)
    return ints(found)
