"""Match models of constituents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Measure, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.constituents.kinds import ALL, ERRORS, SHORT, counts_errors
from evenhand.text.constituent_names import LAYER

_HOME = "evenhand.tasks.constituents"
_SENTENCE_JUDGE = "sentences"
WRONG, SKIP = "wrong", "skip"
"""What sentences with errors count as: wrong, or nothing, as in EVALB."""
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
    return _share_of_sentences(name, settings, counts, "complete", f"{_HOME}.score_details:with_left_out")


def _crossing(name: str, settings: ScoreSettings) -> MatchModel:
    shown = ("valid", "crossings", "no_crossing", "two_or_less")
    return _share_of_sentences(
        name, settings, {kind: {kind: 1.0} for kind in shown}, "no_crossing", f"{_HOME}.score_details:with_undefined"
    )


def _share_of_sentences(
    name: str, settings: ScoreSettings, counts: dict[str, Sum], right: str, further: str
) -> MatchModel:
    part, whole = {right: 1.0}, {"valid": 1.0}
    if counts_errors(name):
        whole, counts = {"valid": 1.0, "failed": 1.0}, {"failed": {"failed": 1.0}, **counts}
    measures = _shares(counts, whole)
    return MatchModel(
        *(name, _judge_of("sentences", name), counts, part, whole, part, whole),
        headline="accuracy",
        beta=settings.beta,
        details="overall",
        further=late(further),
        measures=measures,
        known={each.name: each.below for each in measures},
    )


def _shares(counts: dict[str, Sum], whole: Sum) -> tuple[Measure, ...]:
    """The shares of counts that are not the headline."""
    definitions = {"two_or_less": "sentences with two crossing brackets at most."}
    measures = [
        Measure(f"{name}_share", counts[name], whole, definition)
        for name, definition in definitions.items()
        if name in counts
    ]
    if "error" in counts:
        sentences = {"valid": 1.0, "failed": 1.0}
        measures.append(Measure("valid_share", counts["valid"], sentences, "sentences without an error."))
    return tuple(measures)


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
    """The judge of a model; models of short sentences, and of sentences with errors, have judges of their own."""
    counted = ALL if counts_errors(model) and judge != _SENTENCE_JUDGE else ""
    return judge + counted + (SHORT if model.endswith(SHORT) else "")


def with_errors(model: str) -> str:
    """The model that counts sentences with errors as wrong, for one that leaves them out."""
    end = SHORT if model.endswith(SHORT) else ""
    return model if counts_errors(model) else model.removesuffix(SHORT) + ALL + end


def without_errors(model: str) -> str:
    """The model that leaves sentences with errors out, as EVALB does."""
    return model.replace(ALL, "", 1) if counts_errors(model) else model


_DECLARED: dict[str, tuple[Any, str, str, str, tuple[str, ...], str]] = {
    "labeled": (
        labeled,
        "brackets",
        f"{_HOME}.brackets:count",
        f"{_HOME}.brackets",
        ("evalb", "parseval", "lf"),
        "Brackets with the right words and label.",
    ),
    "unlabeled": (
        _unlabeled,
        "brackets",
        f"{_HOME}.brackets:count",
        f"{_HOME}.brackets",
        ("uf",),
        "Brackets with the right words.",
    ),
    "complete": (
        _complete,
        "sentences",
        f"{_HOME}.crossing:count",
        f"{_HOME}.crossing",
        ("complete match",),
        "Sentences with all brackets right.",
    ),
    "crossing": (
        _crossing,
        "sentences",
        f"{_HOME}.crossing:count",
        f"{_HOME}.crossing",
        ("no crossing",),
        "Sentences without a crossing bracket.",
    ),
    "tagging": (
        _tagging,
        "tagging",
        f"{_HOME}.tagging:count",
        f"{_HOME}.tagging",
        ("tagging accuracy",),
        "Words with the right tag.",
    ),
}


def _model(name: str, *, short: bool, with_all: bool) -> Model:
    arithmetic, judge, address, definition, aliases, summary = _DECLARED[name]
    end = (ALL if with_all else "") + (SHORT if short else "")
    told = summary[:-1] + (" (short sentences)" if short else "") + (", errors as wrong" if with_all else "")
    count: Any = late(address)
    choices = {"short": short} | ({} if judge == _SENTENCE_JUDGE else {"counts_errors": with_all})
    own = name + end
    return Model(
        *(own, LAYER, Judge(_judge_of(judge, own), partial(count, **choices)), arithmetic, definition),
        aliases=tuple(each + end for each in aliases),
        family="short" if short and not with_all else None,
        summary=f"{told}.",
        is_variant=with_all,
        counterpart=without_errors(own) if with_all else with_errors(own),
    )


EVALB = tuple(_DECLARED)
EVALB_SHORT = tuple(name + SHORT for name in EVALB)
"""The figures of EVALB's summary, for all sentences and for short ones."""
MODELS = tuple(
    _model(name, short=short, with_all=with_all)
    for with_all in (False, True)
    for short in (False, True)
    for name in EVALB
)


def decided_by(model: str, options: Mapping[str, Any]) -> str:
    """The model that systems are ranked, compared and gated by: sentences with errors are wrong, unless skipped."""
    return model if options.get("errors") == SKIP else with_errors(model)


def leaves_out(model: str, options: Mapping[str, Any]) -> bool:
    """Whether a model is not scored unless it is named."""
    return options.get("errors") == SKIP and counts_errors(model)
