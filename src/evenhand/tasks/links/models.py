"""Match models of entity links."""

from __future__ import annotations

from functools import partial
from typing import Any

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.links.kinds import KINDS

_HOME = "evenhand.tasks.links"
_SETS = {
    "mentions": ("strong_mention_match", "Bounds of links."),
    "typed_mentions": ("strong_typed_mention_match", "Bounds and labels of links."),
    "linked_mentions": ("strong_linked_mention_match", "Bounds of links that are not NIL."),
    "links": ("strong_link_match", "Bounds and identifiers of links that are not NIL: InKB."),
    "nil": ("strong_nil_match", "Bounds of links that are NIL."),
    "all": ("strong_all_match", "Bounds and identifiers of all links."),
    "typed_links": ("strong_typed_link_match", "Bounds, identifiers and labels of links that are not NIL."),
    "typed_nil": ("strong_typed_nil_match", "Bounds and labels of links that are NIL."),
    "typed_all": ("strong_typed_all_match", "Bounds, identifiers and labels of all links."),
    "entities": ("entity_match", "Identifiers in each document that are not NIL."),
}
_RANKED = ("links", "all", "typed_links", "typed_all", "entities")
_WEAK = {
    "weak_links": "As links, with any overlap of bounds.",
    "weak_all": "As all, with any overlap of bounds.",
}
_HIPE = {
    "hipe-strict": "HIPE: bounds, spelling and identifier are right.",
    "hipe-fuzzy": "HIPE: the first overlapping link has the right identifier.",
}


def _set_model(name: str, settings: ScoreSettings) -> MatchModel:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN")}
    tp, fp, fn = counts.values()
    sums = (tp, plus(tp, fp), tp, plus(tp, fn))
    further = late(f"{_HOME}.documents:with_documents")
    return MatchModel(name, name, counts, *sums, beta=settings.beta, further=further)


def _weak(name: str, settings: ScoreSettings) -> MatchModel:
    gold, system = {"gold_hits": 1.0, "gold_others": 1.0}, {"system_hits": 1.0, "system_others": 1.0}
    shown: dict[str, Sum] = {"gold_hits": {"gold_hits": 1.0}, "gold": gold}
    shown |= {"system_hits": {"system_hits": 1.0}, "system": system}
    sums = (shown["system_hits"], system, shown["gold_hits"], gold)
    further = late(f"{_HOME}.documents:with_documents")
    return MatchModel(name, name, shown, *sums, beta=settings.beta, further=further)


def fair_model(name: str, settings: ScoreSettings) -> MatchModel:
    shown: dict[str, Sum] = {kind: {kind: 1.0} for kind in KINDS}
    errors = {kind: 0.5 for kind in KINDS if kind not in ("TP", "FN", "FP")}
    tp = shown["TP"]
    sums = (tp, plus(tp, errors, shown["FP"]), tp, plus(tp, errors, shown["FN"]))
    return MatchModel(name, "fair", shown, *sums, beta=settings.beta, further=late(f"{_HOME}.errors:with_details"))


def _declared(
    name: str, address: str, definition: str, arithmetic: Any, summary: str, *aliases: str, **more: Any
) -> Model:
    count: Any = late(address)
    judge = Judge(name, partial(count, model=name))
    return Model(name, "links", judge, arithmetic, definition, aliases, summary=summary, **more)


MODELS = (
    Model(
        "fair",
        "links",
        Judge("fair", late(f"{_HOME}.errors:count")),
        fair_model,
        f"{_HOME}.errors",
        ("kinds",),
        summary="Each link counts once; errors of identifier and of bounds have kinds.",
    ),
    *(
        _declared(name, f"{_HOME}.sets:count", f"{_HOME}.sets", _set_model, summary, alias, is_ranked=name in _RANKED)
        for name, (alias, summary) in _SETS.items()
    ),
    *(
        _declared(name, f"{_HOME}.weak:count", f"{_HOME}.weak", _weak, summary, is_ranked=True)
        for name, summary in _WEAK.items()
    ),
    *(
        _declared(name, f"{_HOME}.hipe:count", f"{_HOME}.hipe", _set_model, summary, family="hipe", is_ranked=True)
        for name, summary in _HIPE.items()
    ),
)
