"""Lenient match: when a system span with the label of a gold span is a hit, though their bounds may differ.

A gold span g and a system span s are looked at if they have the same label and share at least one token. With their
sizes |g| and |s| in tokens and `shared` tokens, s has |s| - shared spurious tokens and |g| - shared missing ones.

- `overlap`: any such pair is a hit.
- `contain`: missing = 0, so that s covers g; any number of spurious tokens.
- `constrained`: spurious <= k1 and missing <= k2, both 1 unless they are set (`--spurious`, `--missing`).
- `iou`: shared / (|g| + |s| - shared) >= threshold, 0.5 unless it is set (`--iou`); intersection over union.

One span may hit or be hit by several:

- recall R = `gold_hits` / `gold`, the share of gold spans that at least one system span hits
- precision P = `system_hits` / `system`, the share of system spans that hit at least one gold span

The two numerators may differ, so these four numbers are shown, and no TP.

The quotient of iou is compared as it is, rounded once, because a threshold is a rounded number too: 1/3 of the
tokens meet the threshold 1/3, and 11 of 20 meet 0.55, though 0.55 times 20 is above 11 in floating point. No quotient
below such a fraction rounds up to it, as long as union times denominator stays under `2**52`.

Sources: Esuli and Sebastiani 2010, section 3, which takes overlap and contain from Freitag 1997 and constrained
overlap from De Sitter and Daelemans 2003; Jaccard 1912 for iou, as in object detection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints, empty
from evenhand.problems import SettingError
from evenhand.tasks.spans.crowded import Crowd, Limits
from evenhand.tasks.spans.pairs import Pairs, overlapping, sizes
from evenhand.text.layers import Spans

HIT_MODELS = ("overlap", "contain", "constrained", "iou")


@dataclass(frozen=True)
class Hits:
    """Which gold spans are hit by a system span, and which system spans hit a gold span."""

    gold: Bools
    system: Bools


def hits(
    model: str,
    gold: Spans,
    system: Spans,
    pairs: Pairs | None,
    *,
    spurious: int = 1,
    missing: int = 1,
    threshold: float = 0.5,
) -> Hits:
    """The hits among `pairs`, which are all pairs that share a token, or None where these are too many to list.

    `spurious` (k1) and `missing` (k2) are the bounds of constrained overlap, `threshold` is that of iou.
    """
    if model not in HIT_MODELS:
        raise SettingError(f"{model!r} does not say when a span is a hit; name one of {', '.join(HIT_MODELS)}.")
    limits = Limits(spurious, missing)
    if pairs is not None:
        return _listed(model, gold, system, pairs, limits, threshold)
    plain, other_plain = _without_gaps(gold), _without_gaps(system)
    marks = _marked(len(gold), empty()), _marked(len(system), empty())
    mine, theirs = gold.take(plain), system.take(other_plain)
    marks[0][plain] = _crowded(model, Crowd(mine, theirs), limits, threshold, is_gold=True)
    marks[1][other_plain] = _crowded(model, Crowd(theirs, mine), limits.turned, threshold, is_gold=False)
    for rows, others in ((np.flatnonzero(gold.shape), np.arange(len(system))), (plain, np.flatnonzero(system.shape))):
        mine, theirs = gold.take(rows), system.take(others)
        found = _listed(model, mine, theirs, overlapping(mine, theirs), limits, threshold)
        marks[0][rows] |= found.gold
        marks[1][others] |= found.system
    return Hits(*marks)


def _crowded(model: str, crowd: Crowd, limits: Limits, threshold: float, *, is_gold: bool) -> Bools:
    """Which spans without gaps, of the gold standard or of the system, have a hit."""
    if model == "overlap":
        return crowd.overlapping()
    if model == "contain":
        return crowd.around() if is_gold else crowd.inside()
    return crowd.within(limits) if model == "constrained" else crowd.alike(threshold)


def _without_gaps(spans: Spans) -> Ints:
    """The rows of spans without gaps, and with a token."""
    return np.flatnonzero((spans.shape == 0) & (spans.start < spans.end))


def _listed(model: str, gold: Spans, system: Spans, pairs: Pairs, limits: Limits, threshold: float) -> Hits:
    """The hits among pairs."""
    pairs = pairs.take(gold.label[pairs.left] == system.label[pairs.right])
    gold_size, system_size = sizes(gold)[pairs.left], sizes(system)[pairs.right]
    spurious_tokens, missing_tokens = system_size - pairs.shared, gold_size - pairs.shared
    if model == "overlap":
        found = pairs.shared >= 1
    elif model == "contain":
        found = missing_tokens == 0
    elif model == "constrained":
        found = (spurious_tokens <= limits.outside) & (missing_tokens <= limits.lacking)
    else:
        found = pairs.shared / (gold_size + spurious_tokens) >= threshold
    return Hits(_marked(len(gold), pairs.left[found]), _marked(len(system), pairs.right[found]))


def _marked(size: int, rows: Ints) -> Bools:
    marks = np.zeros(size, dtype=np.bool_)
    marks[rows] = True
    return marks
