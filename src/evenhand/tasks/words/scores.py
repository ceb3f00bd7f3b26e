"""What only scores of words have: sentences that are fully correct, tables by distance, which labels are confused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore, Sentences
from evenhand.scores.row import Row, score_row
from evenhand.tally import Tally
from evenhand.tasks.words.kinds import EXTRA, MISSING


def with_confusion(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score that looks at labels, with sentences, distances and wrong labels; missing words are under ""."""
    confusion = tallies[score.model.judge].confusion(_is_confused)
    return replace(with_sentences(score, tallies), confusion=confusion)


def _is_confused(kind: str) -> bool:
    return kind.startswith("gold.") or kind in (MISSING, EXTRA)


def with_sentences(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with the sentences that are fully correct, and by distance where distances were counted."""
    distances = _distances(score.model, tallies["distances"]) if "distances" in tallies else {}
    whole = tallies.get("sentences")
    sentences = None if whole is None or score.name not in whole.kinds else _sentences(score.model, whole)
    return replace(score, sentences=sentences, distances=distances)


def _sentences(model: MatchModel, tally: Tally) -> Sentences:
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    return Sentences(int(counts[model.name]), int(counts["sentences"]))


def _distances(model: MatchModel, tally: Tally) -> dict[str, Row]:
    rows = tally.by_label().rows
    return {name: score_row(model, tally, rows[name]) for name in tally.labels if name in rows}
