"""What only scores of words have: sentences that are fully correct, tables by distance, which labels are confused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore, Row, Sentences, score_row
from evenhand.tally import Tally
from evenhand.tasks.trees.judge import DISTANCES
from evenhand.tasks.words.verdicts import EXTRA, MISSING

_CONFUSING = ("accuracy", "ls")
"""The models under which labels are confused; the others look at heads too."""


def with_words(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score of tags or trees with all that follows from the tallies of words."""
    model = score.model
    if model.judge not in ("tags", "trees"):
        return score
    return replace(
        score,
        sentences=_sentences(model, tallies["sentences"]),
        distances=_distances(model, tallies["distances"]) if model.judge == "trees" else {},
        confusion=_confusion(tallies[model.judge]) if model.name in _CONFUSING else None,
    )


def _sentences(model: MatchModel, tally: Tally) -> Sentences:
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    return Sentences(int(counts[model.name]), int(counts["sentences"]))


def _distances(model: MatchModel, tally: Tally) -> dict[str, Row]:
    rows = tally.by_label().rows
    return {name: score_row(model, tally, rows[name]) for name in DISTANCES if name in rows}


def _confusion(tally: Tally) -> dict[str, dict[str, float]]:
    """Wrong labels by gold and system label; missing words under "", extra ones in the row ""."""
    found: dict[str, dict[str, float]] = {}
    for (_, gold, system, kind), count in sorted(tally.cells().items()):
        if kind.startswith("gold.") or kind in (MISSING, EXTRA):
            row = found.setdefault(gold, {})
            row[system] = row.get(system, 0) + count
    return found
