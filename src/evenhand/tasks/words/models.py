"""Match models of words: the accuracy of tags, the attachment of words, and the metrics of CoNLL 2018."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.scores.match_model import MatchModel, Sum
from evenhand.settings import ScoreSettings
from evenhand.tasks.tags.judge import TAG_KINDS
from evenhand.tasks.trees.conll18 import OF_CONTENT, OF_WORDS
from evenhand.tasks.trees.judge import RIGHT, TREE_KINDS
from evenhand.tasks.words.verdicts import EXTRA, MISSING


def tag_model(settings: ScoreSettings) -> MatchModel:
    return _by_label("accuracy", "tags", TAG_KINDS, ("right",), settings)


def attachment_model(name: str, settings: ScoreSettings) -> MatchModel:
    """`uas`, `ls` or `las`."""
    return _by_label(name, "trees", TREE_KINDS, RIGHT[name], settings)


def _by_label(name: str, judge: str, kinds: Iterable[str], right: Iterable[str], settings: ScoreSettings) -> MatchModel:
    """A model that counts some verdicts of a judge as right; what labels differ in counts on either side."""

    def on(side: str, chosen: Iterable[str]) -> Sum:
        return {f"{prefix}{kind}": 1.0 for prefix in ("", side) for kind in chosen}

    met, correct = on("gold.", right), on("system.", right)
    wanted, found = {**on("gold.", kinds), MISSING: 1.0}, {**on("system.", kinds), EXTRA: 1.0}
    counts = {"correct": met, "gold": wanted, "system": found}
    return MatchModel(name, judge, counts, correct, found, met, wanted, headline="accuracy", beta=settings.beta)


def conll18_model(name: str, settings: ScoreSettings) -> MatchModel:
    metric = name.removeprefix("conll18-")
    units = "words" if metric in OF_WORDS else "content" if metric in OF_CONTENT else metric
    correct, gold, system = {f"{metric}.correct": 1.0}, {f"{units}.gold": 1.0}, {f"{units}.system": 1.0}
    aligned: Sum = {}
    if metric in OF_WORDS or metric in OF_CONTENT:
        aligned = {"words.correct" if units == "words" else "content.aligned": 1.0}
    counts = {"correct": correct, "gold": gold, "system": system} | ({"aligned": aligned} if aligned else {})
    return MatchModel(name, "conll18", counts, correct, system, correct, gold, aligned=aligned, beta=settings.beta)


def compared_model(name: str) -> MatchModel:
    """What systems are compared by, on words that all of them have: the share of right ones."""
    right, words = {"right": 1.0}, {"right": 1.0, "wrong": 1.0}
    return MatchModel(name, "words", {"correct": right, "gold": words}, right, words, right, words, headline="accuracy")
