"""Match models of coreference chains."""

from __future__ import annotations

from dataclasses import replace

from evenhand.scores.match_model import MatchModel, Sum
from evenhand.settings import ARCS, ScoreSettings
from evenhand.tasks.chains.arcs import ARCS_KINDS
from evenhand.tasks.chains.count import MELA

_DIVIDED = {
    "mentions": ("mentions.common", "mentions.common", "mentions"),
    "muc": ("muc.common", "muc.common", "muc"),
    "b_cubed": ("b_cubed.key", "b_cubed.response", "mentions"),
    "ceaf_m": ("ceaf_m.common", "ceaf_m.common", "mentions"),
    "ceaf_e": ("ceaf_e.common", "ceaf_e.common", "chains"),
    "lea": ("lea.key", "lea.response", "mentions"),
}
"""For each score what recall divides, what precision divides, and by what of the key and the response."""
BLANC = ("coreference", "non-coreference")


def chain_model(name: str, settings: ScoreSettings) -> MatchModel:
    if name in ARCS:
        return _arcs(name, settings)
    if name == "blanc":
        halves = tuple(_links(half, settings) for half in BLANC)
        return replace(_mean(name, settings, halves), leaves_out=True)
    if name == "mela":
        return _mean(name, settings, tuple(chain_model(part, settings) for part in MELA))
    recall, precision, units = _DIVIDED[name]
    return _model(name, {recall: 1.0}, {precision: 1.0}, units, settings)


def _links(half: str, settings: ScoreSettings) -> MatchModel:
    common = {f"blanc.{half}.common": 1.0}
    return _model(half, common, common, f"blanc.{half}", settings)


def _model(name: str, met: Sum, right: Sum, units: str, settings: ScoreSettings) -> MatchModel:
    key, response = {f"{units}.key": 1.0}, {f"{units}.response": 1.0}
    common = {"common": met} if met == right else {"common_key": met, "common_response": right}
    counts = {"key": key, "response": response, **common}
    return MatchModel(name, "chains", counts, right, response, met, key, beta=settings.beta)


def _mean(name: str, settings: ScoreSettings, parts: tuple[MatchModel, ...]) -> MatchModel:
    return MatchModel(name, "chains", {}, {}, {}, {}, {}, beta=settings.beta, parts=parts)


def _arcs(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {kind: {kind: 1.0} for kind in ARCS_KINDS}
    right = {"tp": 1.0}
    found, wanted = {"tp": 1.0, "wl": 1.0, "fp": 1.0}, {"tp": 1.0, "wl": 1.0, "fn": 1.0}
    return MatchModel(name, name, counts, right, found, right, wanted, beta=settings.beta)
