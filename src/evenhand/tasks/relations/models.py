"""Match models of relations."""

from __future__ import annotations

from evenhand.parameters import Parameter
from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.relations.kinds import KINDS, PAIRED

_HOME = "evenhand.tasks.relations"
_COUNTED = {"both": "AB", "entities": "A", "relations": "B"}
"""What eHealth-KD counts: entities (A), relations (B) or both."""


def _exact(name: str, settings: ScoreSettings) -> MatchModel:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN")}
    tp, fp, fn = counts.values()
    return MatchModel(name, name, counts, tp, plus(tp, fp), tp, plus(tp, fn), beta=settings.beta)


def _relaxed(name: str, settings: ScoreSettings) -> MatchModel:
    gold, system = {"gold_hits": 1.0, "gold_others": 1.0}, {"system_hits": 1.0, "system_others": 1.0}
    shown: dict[str, Sum] = {"gold_hits": {"gold_hits": 1.0}, "gold": gold}
    shown |= {"system_hits": {"system_hits": 1.0}, "system": system}
    return MatchModel(name, name, shown, shown["system_hits"], system, shown["gold_hits"], gold, beta=settings.beta)


def _fair(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {kind: {kind: 1.0} for kind in KINDS}
    right = counts["TP"]
    errors = dict.fromkeys(PAIRED, 0.5)
    found, wanted = plus(right, errors, {"AS": 1.0, "FP": 1.0}), plus(right, errors, {"AM": 1.0, "FN": 1.0})
    further = late(f"{_HOME}.fair_details:with_confusion")
    return MatchModel(name, name, counts, right, found, right, wanted, beta=settings.beta, further=further)


def _ehealthkd(name: str, settings: ScoreSettings) -> MatchModel:
    kinds = ("correct", "incorrect", "partial", "spurious", "missing")
    exist = [f"{kind}_{of}" for of in "AB" for kind in kinds if of == "A" or kind in ("correct", "spurious", "missing")]
    counted = _COUNTED[settings["ehealthkd_counts"]]

    def total(kind: str, weight: float = 1.0) -> Sum:
        return {f"{kind}_{of}": weight for of in counted if f"{kind}_{of}" in exist}

    correct, incorrect, partial, spurious, missing = map(total, kinds)
    right, paired = plus(correct, total("partial", 0.5)), plus(correct, partial, incorrect)
    shown: dict[str, Sum] = {kind: {kind: 1.0} for kind in exist}
    return MatchModel(
        name, name, shown, right, plus(paired, spurious), right, plus(paired, missing), beta=settings.beta
    )


MODELS = (
    Model(
        "strict",
        "relations",
        Judge("strict", late(f"{_HOME}.strict:count_strict")),
        _exact,
        f"{_HOME}.strict",
        ("exact", "with NEC", "rel+"),
        summary="Type, bounds and labels of both arguments are equal.",
    ),
    Model(
        "boundaries",
        "relations",
        Judge("boundaries", late(f"{_HOME}.strict:count_boundaries")),
        _exact,
        f"{_HOME}.strict",
        ("without NEC", "rel"),
        summary="Type and bounds of both arguments are equal, whatever their labels.",
    ),
    Model(
        "dygie",
        "relations",
        Judge("dygie", late(f"{_HOME}.strict:count_dygie")),
        _exact,
        f"{_HOME}.strict",
        ("DyGIE++",),
        title="DyGIE++",
        summary="As boundaries, with one type for each head and tail, the last of the file.",
    ),
    Model(
        "relaxed",
        "relations",
        Judge("relaxed", late(f"{_HOME}.relaxed:count_relaxed")),
        _relaxed,
        f"{_HOME}.relaxed",
        ("overlap",),
        summary="Type and labels are equal, and both arguments overlap.",
    ),
    Model(
        "fair",
        "relations",
        Judge("fair", late(f"{_HOME}.fair:count_fair")),
        _fair,
        f"{_HOME}.fair",
        summary="Each relation counts once; kinds of errors tell whose fault they are.",
    ),
    Model(
        "ehealthkd",
        "relations",
        Judge("ehealthkd", late(f"{_HOME}.ehealthkd:count_ehealthkd")),
        _ehealthkd,
        f"{_HOME}.ehealthkd",
        ("eHealth-KD 2020",),
        parameters=(
            Parameter(
                "ehealthkd_counts",
                "text",
                "both",
                "What is counted: both (scenarios 1 and 4), entities (2) or relations (3).",
                choices=("both", "entities", "relations"),
                compares=False,
            ),
        ),
        title="eHealth-KD",
        summary="Entities and relations in one number, as eHealth-KD 2020 counts them.",
    ),
)
