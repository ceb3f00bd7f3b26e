"""What follows from fair verdicts beside the scores: which labels are confused, and which boundaries agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.scores.model_score import ModelScore
from evenhand.tally import Tally
from evenhand.tasks.spans.kinds import BOUNDARY_KINDS


def with_details(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with boundary errors by edge, and its confusion matrix: errors but GE, FN under "", FP in the row ""."""
    tally = tallies[score.model.judge].total()
    return replace(score, confusion=tally.confusion(lambda kind: kind not in ("TP", "GE")), edges=_edges(tally))


def _edges(tally: Tally) -> dict[str, dict[str, float]]:
    """BE and LBE by the boundary that agrees (Ortmann 2022, footnote 2)."""
    found = {kind: dict.fromkeys(("left", "right", "none"), 0.0) for kind in ("BE", "LBE")}
    for (*_, kind), count in tally.cells().items():
        base, _, edge = kind.partition(".")
        if base in BOUNDARY_KINDS or base == "LBE":
            found["LBE" if base == "LBE" else "BE"][edge or "none"] += count
    return {kind: {edge: int(count) for edge, count in row.items()} for kind, row in found.items()}
