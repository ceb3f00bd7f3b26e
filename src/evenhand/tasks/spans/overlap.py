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

from collections.abc import Iterable

import numpy as np

from evenhand.arrays import Bools
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.tasks.spans.pairs import Pairs, sizes
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
    pairs: Iterable[Pairs],
    *,
    spurious: int = 1,
    missing: int = 1,
    threshold: float = 0.5,
) -> Hits:
    """The hits among `pairs`, which are all pairs that share a token.

    `spurious` (k1) and `missing` (k2) are the bounds of constrained overlap, `threshold` is that of iou.
    """
    if model not in HIT_MODELS:
        raise SettingError(f"{model!r} does not say when a span is a hit; name one of {', '.join(HIT_MODELS)}.")
    gold_sizes, system_sizes = sizes(gold), sizes(system)
    found = Hits(np.zeros(len(gold), dtype=np.bool_), np.zeros(len(system), dtype=np.bool_))
    for some in pairs:
        same = some.take(gold.label[some.left] == system.label[some.right])
        gold_size, spurious_tokens = gold_sizes[same.left], system_sizes[same.right] - same.shared
        missing_tokens = gold_size - same.shared
        if model == "overlap":
            is_hit = same.shared >= 1
        elif model == "contain":
            is_hit = missing_tokens == 0
        elif model == "constrained":
            is_hit = (spurious_tokens <= spurious) & (missing_tokens <= missing)
        else:
            is_hit = same.shared / (gold_size + spurious_tokens) >= threshold
        found.gold[same.left[is_hit]] = True
        found.system[same.right[is_hit]] = True
    return found
