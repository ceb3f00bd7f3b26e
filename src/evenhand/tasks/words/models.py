"""The arithmetic of match models that count words."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Sum
from evenhand.settings import ScoreSettings
from evenhand.tasks.words.kinds import EXTRA, MISSING


def by_label(
    name: str,
    judge: str,
    kinds: Iterable[str],
    right: Iterable[str],
    settings: ScoreSettings,
    *,
    confuses: bool,
) -> MatchModel:
    """A model that counts some verdicts of a judge as right; what labels differ in counts on either side.

    `confuses` says whether labels are all that it looks at, so that it has a confusion matrix.
    """

    def on(side: str, chosen: Iterable[str]) -> Sum:
        return {f"{prefix}{kind}": 1.0 for prefix in ("", side) for kind in chosen}

    met, correct = on("gold.", right), on("system.", right)
    wanted, found = {**on("gold.", kinds), MISSING: 1.0}, {**on("system.", kinds), EXTRA: 1.0}
    counts = {"correct": met, "gold": wanted, "system": found}
    further = late(
        "evenhand.tasks.words.scores:with_confusion" if confuses else "evenhand.tasks.words.scores:with_sentences"
    )
    sums = (correct, found, met, wanted)
    return MatchModel(name, judge, counts, *sums, headline="accuracy", beta=settings.beta, further=further)
