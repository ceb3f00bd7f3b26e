"""What follows from fair verdicts on relations beside the scores: which types are confused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.scores.model_score import ModelScore
from evenhand.tally import Tally


def with_confusion(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with its confusion matrix: all errors, those of one side only under the empty label."""
    return replace(score, confusion=tallies[score.model.judge].total().confusion(lambda kind: kind != "TP"))
