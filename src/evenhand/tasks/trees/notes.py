"""What a reader of scores of trees should know."""

from __future__ import annotations

from evenhand.settings import ScoreSettings
from evenhand.tasks.trees.models import CONLL18


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What settings do not concern the metrics of CoNLL 2018."""
    chooses = settings.labels or settings.exclude or settings["punctuation"].by != "keep" or settings["subtypes"]
    if chooses and any(model in CONLL18 for model in settings.match):
        return ("--labels, --exclude, --punctuation and --subtypes do not concern the metrics of CoNLL 2018.",)
    return ()
