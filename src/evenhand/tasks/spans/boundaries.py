"""Which pairs can be boundary errors, and of which kind."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.spans.kinds import BEL, BEO, BES
from evenhand.text.layers import Spans


def overlap(gold: Spans, system: Spans, left: Ints, right: Ints) -> Bools:
    """Which pairs of rows, each within one scope, overlap without having equal bounds."""
    start, end = gold.start[left], gold.end[left]
    other_start, other_end = system.start[right], system.end[right]
    found: Bools = (start < other_end) & (other_start < end) & ((start != other_start) | (end != other_end))
    return found


def boundary_kind(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """BES where the system's span lies inside the gold span, BEL where it contains it, BEO where they cross.

    `left` and `right` are the rows of the pairs; the original bounds decide (Ortmann 2022, section 2.1).
    """
    start, end = system.start[right] - gold.start[left], system.end[right] - gold.end[left]
    return np.where((start >= 0) & (end <= 0), BES, np.where((start <= 0) & (end >= 0), BEL, BEO))
