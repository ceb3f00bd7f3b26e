"""Last tokens: a span is right if the other side has one with its label that ends on the same token.

- recall R = `gold_hits` / `gold`, precision P = `system_hits` / `system`
- With `--last-token-tolerance n` the ends may be n tokens apart.
- `last-token-rates` has other scores: hit_rate = `gold_hits` / `gold`, miss_rate = 1 - hit_rate.

Source: this package; the head of an English noun phrase is usually its last token.
"""

from __future__ import annotations

import numpy as np

from evenhand.plugins import (
    Allowed,
    Effect,
    Formula,
    Hits,
    Measure,
    Parameter,
    Ratio,
    Scorer,
    ScoreSettings,
    SpanPair,
    Spans,
    Tally,
    count_hits,
    ratios_only,
    tally_hits,
)


def count(pair: SpanPair) -> Tally:
    tolerance = pair.settings["last_token_tolerance"]
    gold, system = pair.gold, pair.system
    hits = Hits(_hit(gold, system, tolerance), _hit(system, gold, tolerance))
    return tally_hits(hits, *pair.original, pair.groups)


def _hit(spans: Spans, others: Spans, tolerance: int) -> np.ndarray:
    """Which spans have a counterpart on the other side."""
    ends: set[tuple[int, int, int]] = set()
    for scope, label, end in zip(others.scope.tolist(), others.label.tolist(), others.end.tolist(), strict=True):
        ends |= {(scope, label, end + shift) for shift in range(-tolerance, tolerance + 1)}
    rows = zip(spans.scope.tolist(), spans.label.tolist(), spans.end.tolist(), strict=True)
    return np.array([row in ends for row in rows], dtype=np.bool_)


def rates(name: str, settings: ScoreSettings) -> Formula:
    """Shares of gold spans, in place of precision, recall and F1."""
    hits, misses = {"gold_hits": 1.0}, {"gold_others": 1.0}
    both = hits | misses
    hit_rate = Ratio("hit_rate", hits, both, "gold spans that are hit.")
    miss_rate = Ratio("miss_rate", misses, both, "gold spans that are missed.", is_best_low=True)
    return ratios_only(name, "last-token", {"gold_hits": hits, "gold": both}, (hit_rate, miss_rate))


MODEL = Measure(
    name="last-token",
    task="spans",
    scorer=Scorer("last-token", count),
    formula=count_hits,
    definition="evenhand_example.last_token",
    aliases=("head",),
    parameters=(
        Parameter(
            "last_token_tolerance",
            "whole",
            0,
            "Number of tokens that the ends of two spans may be apart in last-token.",
            allowed=Allowed(least=0),
            effect=Effect(compares=False),
        ),
    ),
)
RATES = Measure(
    name="last-token-rates",
    task="spans",
    scorer=MODEL.scorer,
    formula=rates,
    definition=MODEL.definition,
    parameters=MODEL.parameters,
)
