"""Match models of constituents."""

from __future__ import annotations

from functools import partial
from typing import Any

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.constituents.kinds import ERRORS, SHORT

_HOME = "evenhand.tasks.constituents"
_TP, _FN, _FP = ({kind: 1.0} for kind in ("TP", "FN", "FP"))
_OF_GOLD, _OF_SYSTEM = ({f"{kind}.{side}": 1.0 for kind in ERRORS} for side in ("gold", "system"))
_SENTENCES: dict[str, Sum] = {kind: {kind: 1.0} for kind in ("valid", "error", "skip")}


def labeled(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {"TP": _TP, **{kind: {f"{kind}.gold": 1.0} for kind in ERRORS}, "FN": _FN, "FP": _FP}
    sums = (_TP, plus(_TP, _OF_SYSTEM, _FP), _TP, plus(_TP, _OF_GOLD, _FN))
    further = late(f"{_HOME}.score_details:with_confusion")
    return MatchModel(name, _judge_of("brackets", name), counts, *sums, beta=settings.beta, further=further)


def _unlabeled(name: str, settings: ScoreSettings) -> MatchModel:
    """Brackets with the right words: labels that differ do not matter."""
    met, right = plus(_TP, {"LE.gold": 1.0}), plus(_TP, {"LE.system": 1.0})
    missed = plus(_FN, {kind: 1.0 for kind in _OF_GOLD if kind != "LE.gold"})
    spurious = plus(_FP, {kind: 1.0 for kind in _OF_SYSTEM if kind != "LE.system"})
    counts: dict[str, Sum] = {"TP": met, "FN": missed, "FP": spurious}
    sums = (right, plus(right, spurious), met, plus(met, missed))
    further = late(f"{_HOME}.score_details:with_undefined")
    return MatchModel(name, _judge_of("brackets", name), counts, *sums, beta=settings.beta, further=further)


def _complete(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {**_SENTENCES, "complete": {"complete": 1.0}}
    return _share_of_sentences(name, settings, counts, "complete", "with_left_out")


def _crossing(name: str, settings: ScoreSettings) -> MatchModel:
    shown = ("valid", "crossings", "no_crossing", "two_or_less")
    return _share_of_sentences(name, settings, {kind: {kind: 1.0} for kind in shown}, "no_crossing", "with_undefined")


def _share_of_sentences(
    name: str, settings: ScoreSettings, counts: dict[str, Sum], right: str, further: str
) -> MatchModel:
    part, whole = {right: 1.0}, {"valid": 1.0}
    return MatchModel(
        *(name, _judge_of("sentences", name), counts, part, whole, part, whole),
        headline="accuracy",
        beta=settings.beta,
        details="overall",
        further=late(f"{_HOME}.score_details:{further}"),
    )


def _tagging(name: str, settings: ScoreSettings) -> MatchModel:
    right, words = {"right": 1.0}, {"right": 1.0, "wrong": 1.0}
    return MatchModel(
        *(name, _judge_of("tagging", name), {"words": words, "right": right}, right, words, right, words),
        headline="accuracy",
        beta=settings.beta,
        details="labels",
        further=late(f"{_HOME}.score_details:with_undefined"),
    )


def _judge_of(judge: str, model: str) -> str:
    """The judge of a model; models of short sentences have judges of their own."""
    return judge + SHORT if model.endswith(SHORT) else judge


_DECLARED: dict[str, tuple[Any, str, str, tuple[str, ...], str]] = {
    "labeled": (
        labeled,
        "brackets",
        "brackets",
        ("evalb", "parseval", "lf"),
        "Brackets with the right words and label.",
    ),
    "unlabeled": (_unlabeled, "brackets", "brackets", ("uf",), "Brackets with the right words."),
    "complete": (_complete, "sentences", "crossing", ("complete match",), "Sentences all of whose brackets are right."),
    "crossing": (_crossing, "sentences", "crossing", ("no crossing",), "Sentences without a crossing bracket."),
    "tagging": (_tagging, "tagging", "tagging", ("tagging accuracy",), "Words with the right tag."),
}


def _models(name: str, short: bool) -> Model:
    arithmetic, judge, home, aliases, summary = _DECLARED[name]
    end, told = (SHORT, f"{summary[:-1]}, in short sentences.") if short else ("", summary)
    count: Any = late(f"{_HOME}.{home}:count")
    return Model(
        *(name + end, "constituents", Judge(judge + end, partial(count, short=short)), arithmetic, f"{_HOME}.{home}"),
        aliases=tuple(each + end for each in aliases),
        family="short" if short else None,
        summary=told,
    )


ALL = tuple(_DECLARED)
CUT = tuple(name + SHORT for name in ALL)
MODELS = (*(_models(name, short=False) for name in ALL), *(_models(name, short=True) for name in ALL))
