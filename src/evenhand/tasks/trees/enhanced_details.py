"""What follows from the counts of enhanced edges beside the scores: means over their labels, and which are confused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import averages
from evenhand.tally import Tally
from evenhand.tasks.words.kinds import EXTRA, MISSING


def with_details(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with the means over the labels of enhanced edges, which are not those of the words."""
    support = {label: int(row["gold"]) for label, row in score.labels.items()}
    confusion = tallies[score.model.judge].confusion(lambda kind: kind.startswith("gold.") or kind in (MISSING, EXTRA))
    macro, weighted = averages(score.labels, support)
    return replace(score, macro=macro, support=weighted, confusion=confusion)
