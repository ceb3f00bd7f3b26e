"""Match models of spans."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evenhand.scores.match_model import MatchModel, Sum, plus
from evenhand.scores.weights import ERRORS, PRESETS, Weights
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.tallies import SPAN_KINDS
from evenhand.tasks.spans.verdicts import KINDS

BOUNDARY_KINDS = ("BES", "BEL", "BEO")
SEMEVAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "strict": {"COR": ("exact_same",), "INC": ("exact_other", "overlap_same", "overlap_other")},
    "exact": {"COR": ("exact_same", "exact_other"), "INC": ("overlap_same", "overlap_other")},
    "partial": {"COR": ("exact_same", "exact_other"), "PAR": ("overlap_same", "overlap_other")},
    "type": {"COR": ("exact_same", "overlap_same"), "INC": ("exact_other", "overlap_other")},
}
"""What pairs count for under each of the SemEval-2013 measures."""


def span_model(name: str, settings: ScoreSettings, weights: Weights) -> MatchModel:
    if name in ("fair", "weighted"):
        return _fair(name, settings, weights if name == "weighted" else PRESETS["fair"])
    if name.startswith("semeval-"):
        return _semeval(name, settings)
    return _BUILDERS[name](name, settings)


def _exact(name: str, settings: ScoreSettings) -> MatchModel:
    return _of_outcomes(name, "exact", {kind: {kind: 1.0} for kind in ("TP", "FP", "FN")}, settings)


def _of_outcomes(name: str, judge: str, counts: Mapping[str, Sum], settings: ScoreSettings) -> MatchModel:
    """A model that counts TP, FP and FN."""
    tp, fp, fn = counts["TP"], counts["FP"], counts["FN"]
    return MatchModel(name, judge, counts, tp, plus(tp, fp), tp, plus(tp, fn), beta=settings.beta)


def _fair(name: str, settings: ScoreSettings, weights: Weights) -> MatchModel:
    parts = {kind: {part: 1.0 for part in SPAN_KINDS if part.partition(".")[0] == kind} for kind in KINDS}
    tp, fp, fn = (
        {part: weights[kind][place] for kind in KINDS for part in parts[kind] if weights[kind][place]}
        for place in range(3)
    )
    order = ("TP", *ERRORS, "FN", "FP")
    shown = {kind: parts[kind] for kind in order} | {"BE": plus(*(parts[kind] for kind in BOUNDARY_KINDS))}
    return MatchModel(name, "fair", shown, tp, plus(tp, fp), tp, plus(tp, fn), focus=settings.focus, beta=settings.beta)


def _units(name: str, settings: ScoreSettings) -> MatchModel:
    parts = {"token": 1.0} if name == "t" else {"token": 1.0, "separator": settings.separator_weight}

    def sum_of(*kinds: str) -> Sum:
        return {f"{part}.{kind}": weight for part, weight in parts.items() for kind in kinds}

    present = {kind: sum_of(kind) for kind in ("TP", "FP", "FN")}
    absent = plus(sum_of("units"), *({part: -n for part, n in each.items()} for each in present.values()))
    tp, fp, fn = (sum_of(kind, f"{kind}+") for kind in ("TP", "FP", "FN"))
    shown = {"TP": tp, "FP": fp, "FN": fn, "TN": absent, "close": {"close": 1.0}, "missed": {"missed": 1.0}}
    return MatchModel(
        name,
        "units",
        shown,
        tp,
        plus(tp, fp),
        tp,
        plus(tp, fn),
        contingency=present | {"TN": absent},
        headline="macro",
        beta=settings.beta,
    )


def _hits(name: str, settings: ScoreSettings) -> MatchModel:
    gold, system = {"gold_hits": 1.0, "gold_others": 1.0}, {"system_hits": 1.0, "system_others": 1.0}
    shown: dict[str, Sum] = {"gold_hits": {"gold_hits": 1.0}, "gold": gold}
    shown |= {"system_hits": {"system_hits": 1.0}, "system": system}
    return MatchModel(name, name, shown, shown["system_hits"], system, shown["gold_hits"], gold, beta=settings.beta)


def _semeval(name: str, settings: ScoreSettings) -> MatchModel:
    pairs = SEMEVAL[name.removeprefix("semeval-")]
    kinds = {kind: dict.fromkeys(pairs.get(kind, ()), 1.0) for kind in ("COR", "INC", "PAR")}
    kinds |= {"MIS": {"missing": 1.0}, "SPU": {"spurious": 1.0}}
    right = plus(kinds["COR"], dict.fromkeys(kinds["PAR"], 0.5))
    paired = plus(kinds["COR"], kinds["INC"], kinds["PAR"])
    actual, possible = plus(paired, kinds["SPU"]), plus(paired, kinds["MIS"])
    return MatchModel(name, "semeval", kinds, right, actual, right, possible, beta=settings.beta)


def _accuracy(name: str, settings: ScoreSettings) -> MatchModel:
    right, tokens = {"correct": 1.0}, {"correct": 1.0, "wrong": 1.0}
    counts = {"correct": right, "tokens": tokens}
    return MatchModel(name, name, counts, right, tokens, right, tokens, beta=settings.beta)


_BUILDERS: dict[str, Callable[[str, ScoreSettings], MatchModel]] = {
    "exact": _exact,
    "ts": _units,
    "t": _units,
    "overlap": _hits,
    "contain": _hits,
    "constrained": _hits,
    "iou": _hits,
    "accuracy": _accuracy,
}
