"""The match model of a name, for each task."""

from __future__ import annotations

from evenhand.scores.match_model import MatchModel
from evenhand.scores.weights import PRESETS, Weights
from evenhand.settings import ATTACHMENT, ScoreSettings
from evenhand.tasks.chains.models import chain_model
from evenhand.tasks.spans.models import span_model
from evenhand.tasks.words.models import attachment_model, conll18_model, tag_model


def match_model(name: str, settings: ScoreSettings, weights: Weights = PRESETS["boundaries"]) -> MatchModel:
    """The model of this name; `weights` are those of the model `weighted`."""
    if settings.task == "spans":
        return span_model(name, settings, weights)
    if settings.task == "chains":
        return chain_model(name, settings)
    if settings.task == "tags":
        return tag_model(settings)
    return attachment_model(name, settings) if name in ATTACHMENT else conll18_model(name, settings)
