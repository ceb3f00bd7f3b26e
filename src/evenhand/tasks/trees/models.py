"""Match models of dependency trees: attachment scores, and the metrics of CoNLL 2018."""

from __future__ import annotations

from dataclasses import replace

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Measure, Sum
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.words.kinds import ENHANCED, RIGHT, TREE_KINDS
from evenhand.tasks.words.models import by_label

_SUMMARIES = {
    "uas": "The share of words with the right head.",
    "ls": "The share of words with the right relation.",
    "las": "The share of words with the right head and relation.",
}
ATTACHMENT = tuple(_SUMMARIES)
OF_WORDS = ("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las")
OF_CONTENT = ("clas", "mlas", "blex")
_METRICS = ("tokens", "sentences", "words", *OF_WORDS, *OF_CONTENT)
_TITLES = {
    "Tokens": "Tokens that cover the same characters.",
    "Sentences": "Sentences that cover the same characters.",
    "Words": "Words that are aligned.",
    "UPOS": "Words with the same universal tag.",
    "XPOS": "Words with the same language-specific tag.",
    "UFeats": "Words with the same universal features.",
    "AllTags": "Words with the same UPOS, XPOS and UFeats.",
    "Lemmas": "Words with the same lemma.",
    "UAS": "Words with the same head.",
    "LAS": "Words with the same head and relation.",
    "CLAS": "As LAS, for words with a content relation.",
    "MLAS": "As CLAS, and UPOS, UFeats and functional children are the same.",
    "BLEX": "As CLAS, and the lemma is the same.",
}
"""What the shared task calls its metrics, and what they count."""
CONLL18 = tuple(f"conll18-{metric}" for metric in _METRICS)
OFFICIAL = ("conll18-las", "conll18-mlas", "conll18-blex")
"""By which the CoNLL 2018 shared task ranked its systems."""


def _enhanced(name: str, settings: ScoreSettings) -> MatchModel:
    found = by_label(name, name, TREE_KINDS, ("right",), settings, confuses=True)
    further = late("evenhand.tasks.trees.enhanced_details:with_details")
    return replace(found, headline="overall", counts={**found.counts, "pairs": {"pairs": 1.0}}, further=further)


def _attachment(name: str, settings: ScoreSettings) -> MatchModel:
    return by_label(name, "trees", TREE_KINDS, RIGHT[name], settings, confuses=name == "ls")


def _conll18(name: str, settings: ScoreSettings) -> MatchModel:
    metric = name.removeprefix("conll18-")
    units = "words" if metric in OF_WORDS else "content" if metric in OF_CONTENT else metric
    correct, gold, system = {f"{metric}.correct": 1.0}, {f"{units}.gold": 1.0}, {f"{units}.system": 1.0}
    aligned: Sum = {}
    if metric in OF_WORDS or metric in OF_CONTENT:
        aligned = {"words.correct" if units == "words" else "content.aligned": 1.0}
    counts = {"correct": correct, "gold": gold, "system": system} | ({"aligned": aligned} if aligned else {})
    return MatchModel(
        *(name, "conll18", counts, correct, system, correct, gold),
        measures=(Measure("aligned_accuracy", correct, aligned, _ALIGNED),) if aligned else (),
        beta=settings.beta,
        details="overall",
    )


_ALIGNED = "The share of aligned words that are right."
_ENHANCED = (
    "Enhanced edges with the right head and label.",
    "Enhanced edges with the right head and label, subtypes aside.",
)
_TREES, _OFFICIAL = Judge("trees"), Judge("conll18")
MODELS = (
    *(
        Model(name, "trees", _TREES, _attachment, "evenhand.tasks.trees.judge", title=name.upper(), summary=summary)
        for name, summary in _SUMMARIES.items()
    ),
    *(
        Model(
            *(name, "trees", _OFFICIAL, _conll18, "evenhand.tasks.trees.conll18"),
            aliases=(name.removeprefix("conll18-"),) if name not in ("conll18-uas", "conll18-las") else (),
            title=title,
            family="conll18",
            summary=f"CoNLL 2018: {summary}",
        )
        for name, (title, summary) in zip(CONLL18, _TITLES.items(), strict=True)
    ),
    *(
        Model(
            *(name, "trees", Judge(name), _enhanced, "evenhand.tasks.trees.enhanced"),
            title=name.upper(),
            family="iwpt",
            summary=summary,
        )
        for name, summary in zip(ENHANCED, _ENHANCED, strict=True)
    ),
)
