"""Compare the rows of units with the counts of a score."""

from __future__ import annotations

from collections import Counter

import evenhand as eh
from evenhand.scoring.scores import MeasureScore

RIGHT = {"complete": "complete", "crossing": "no_crossing"}
"""The error type of correct sentences."""


def check_counts(result: eh.Result, match: str) -> None:
    """The rows of each error type are as many as the score counts, and errors are the units that are not correct."""
    score, units, errors = result[match], result.units(match), result.errors(match)
    check_types(score, units)
    wrong = set(errors["type"])
    assert len(errors) == sum(kind in wrong for kind in units["type"])
    if "correct" in score.overall.counts:
        assert len(units) - len(errors) == score.overall.counts["correct"]


def check_types(score: MeasureScore, units: eh.Table) -> None:
    counts = {kind: count for kind, count in score.overall.counts.items() if count}
    of = Counter(units["type"])
    sides = Counter(zip(units["side"], units["type"], strict=True))
    base = score.name.removesuffix("-short").removesuffix("-all")
    if "gold_hits" in score.overall.counts:
        assert sides["gold", "hit"] == counts.get("gold_hits", 0)
        assert sides["gold", "hit"] + sides["gold", "missed"] == counts.get("gold", 0)
        assert sides["system", "hit"] == counts.get("system_hits", 0)
        assert sides["system", "hit"] + sides["system", "spurious"] == counts.get("system", 0)
    elif {"correct", "gold", "system"} <= set(score.overall.counts):
        assert len(units) - of["extra"] == counts.get("gold", 0)
        assert len(units) - of["missing"] == counts.get("system", 0)
    elif {"common", "key", "response"} <= set(score.overall.counts):
        assert of["common"] == counts.get("common", 0)
        assert of["common"] + of["missing"] == counts.get("key", 0)
        assert of["common"] + of["spurious"] == counts.get("response", 0)
    elif base in RIGHT:
        assert of[RIGHT[base]] == counts.get(RIGHT[base], 0)
        assert len(units) == counts.get("valid", 0) + counts.get("failed", 0)
    elif base == "tagging":
        assert (of["right"], len(units)) == (counts.get("right", 0), counts.get("words", 0))
    elif base == "accuracy":
        assert (of["correct"], len(units)) == (counts.get("correct", 0), counts.get("tokens", 0))
    elif base in ("exact", "relaxed") and "system" in counts:  # records
        assert len(units) - of["FP"] - of["RP"] - of["HP"] == counts["gold"]
    else:
        names = {"leak": ("covered", "partial", "exposed"), "ts": ("TP", "FP", "FN"), "t": ("TP", "FP", "FN")}
        others = {"BE", "split", "merged", "moved"}  # a sum, and parts of RE
        expected = {kind: counts.get(kind, 0) for kind in names.get(base, tuple(counts)) if kind not in others}
        assert of == Counter({kind: count for kind, count in expected.items() if count})
