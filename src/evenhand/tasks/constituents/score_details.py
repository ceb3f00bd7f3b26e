"""What follows from the counts of constituents beside the scores: confused labels, sentences that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import nan

from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import Row
from evenhand.tally import Tally
from evenhand.tasks.constituents.kinds import LEFT_OUT


def with_undefined(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score whose figures are no numbers where there is nothing to divide by."""
    whole = {**score.model.found, **score.model.wanted}
    if whole.keys() & tallies[score.model.judge].kinds_met:
        return score
    return replace(score, overall=Row(nan, nan, nan, nan, score.overall.counts, score.overall.more))


def with_confusion(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with the brackets that are not right by both labels: FN under "", FP in the row ""."""
    kinds = ("LE.gold", "BES.gold", "BEL.gold", "FN", "FP")
    confusion = tallies[score.model.judge].confusion(lambda kind: kind in kinds)
    return replace(with_undefined(score, tallies), confusion=confusion)


def with_left_out(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with the sentences that are left out, and why."""
    tally = tallies.get(LEFT_OUT)
    cells = () if tally is None else tally.total().cells()
    left_out = {place: f"{kind}: {reason}" for _, place, reason, kind in cells}
    return with_undefined(score, tallies).adding("left_out", left_out)
