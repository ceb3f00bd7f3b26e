"""Match models of spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.parameters import Parameter
from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.scores.weights import ERRORS, GOLD_ERROR, PRESETS, Weights, parse_weights
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.kinds import BOUNDARY_KINDS, KINDS, SPAN_KINDS
from evenhand.tasks.spans.override_parameters import as_kind

_HOME = "evenhand.tasks.spans"
SEMEVAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "strict": {"COR": ("exact_same",), "INC": ("exact_other", "overlap_same", "overlap_other")},
    "exact": {"COR": ("exact_same", "exact_other"), "INC": ("overlap_same", "overlap_other")},
    "partial": {"COR": ("exact_same", "exact_other"), "PAR": ("overlap_same", "overlap_other")},
    "type": {"COR": ("exact_same", "overlap_same"), "INC": ("exact_other", "overlap_other")},
}
"""What pairs count for under each of the SemEval-2013 measures."""
_PARTS: Mapping[str, Sum] = {
    kind: {part: 1.0 for part in SPAN_KINDS if part.partition(".")[0] == kind} for kind in (*KINDS, GOLD_ERROR)
}
"""The kinds of fair verdicts that are told apart by the boundary that agrees, as sums."""


def _exact(name: str, settings: ScoreSettings) -> MatchModel:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN", *_gold_errors(settings))}
    tp, fp, fn = (counts[kind] for kind in ("TP", "FP", "FN"))
    return MatchModel(name, "exact", counts, tp, plus(tp, fp), tp, plus(tp, fn), beta=settings.beta)


def exact_counts(name: str, settings: ScoreSettings) -> MatchModel:
    """TP, FP and FN of a judge that has the model's name."""
    return replace(_exact(name, settings), judge=name)


def _fair(name: str, settings: ScoreSettings) -> MatchModel:
    return _mixed(name, settings, PRESETS["fair"])


def _weighted(name: str, settings: ScoreSettings) -> MatchModel:
    return _mixed(name, settings, settings["weights"])


def _mixed(name: str, settings: ScoreSettings, weights: Weights) -> MatchModel:
    """Fair verdicts as mixtures of TP, FP and FN."""
    mixtures = [(part, weights[kind]) for kind, parts in _PARTS.items() for part in parts]
    tp, fp, fn = ({part: mixture[place] for part, mixture in mixtures if mixture[place]} for place in range(3))
    order = ("TP", *ERRORS, "FN", "FP", *_gold_errors(settings))
    shown = {kind: _PARTS[kind] for kind in order} | {"BE": plus(*(_PARTS[kind] for kind in BOUNDARY_KINDS))}
    sums = (tp, plus(tp, fp), tp, plus(tp, fn))
    further = late(f"{_HOME}.fair_details:with_details")
    return MatchModel(name, "fair", shown, *sums, focus=settings["focus"], beta=settings.beta, further=further)


def _gold_errors(settings: ScoreSettings) -> tuple[str, ...]:
    """The kind of errors of the gold standard, where these are one."""
    return (GOLD_ERROR,) if as_kind(settings) else ()


def _units(name: str, settings: ScoreSettings) -> MatchModel:
    parts = {"token": 1.0} if name == "t" else {"token": 1.0, "separator": settings["separator_weight"]}

    def sum_of(*kinds: str) -> Sum:
        return {f"{part}.{kind}": weight for part, weight in parts.items() for kind in kinds}

    present = {kind: sum_of(kind) for kind in ("TP", "FP", "FN")}
    absent = plus(sum_of("units"), *({part: -n for part, n in each.items()} for each in present.values()))
    tp, fp, fn = (sum_of(kind, f"{kind}+") for kind in ("TP", "FP", "FN"))
    shown = {"TP": tp, "FP": fp, "FN": fn, "TN": absent, "close": {"close": 1.0}, "missed": {"missed": 1.0}}
    return MatchModel(
        *(name, "units", shown, tp, plus(tp, fp), tp, plus(tp, fn)),
        contingency=present | {"TN": absent},
        headline="macro",
        beta=settings.beta,
        text="text",
        beside="near",
    )


def hit_model(name: str, settings: ScoreSettings) -> MatchModel:
    """A model that counts spans of either side that have a hit on the other one; its judge has its own name."""
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
    return MatchModel(name, name, counts, right, tokens, right, tokens, beta=settings.beta, details="accuracy")


def _judge(name: str, beside: Judge | None = None, *, takes_tags: bool = False, takes_strings: bool = False) -> Judge:
    count = late(f"{_HOME}.judges:{name.replace('-', '_')}")
    return Judge(name, count, takes_tags, beside, takes_strings)


_FAIR, _UNITS, _SEMEVAL = _judge("fair"), _judge("units", _judge("near")), _judge("semeval")
_SEMEVAL_SUMMARIES = {
    "strict": "SemEval-2013: bounds and label of paired spans are equal.",
    "exact": "SemEval-2013: bounds of paired spans are equal, whatever their labels.",
    "partial": "SemEval-2013: as semeval-exact, with half a point for overlap.",
    "type": "SemEval-2013: labels of paired spans are equal, if they overlap.",
}
WEIGHTS = Parameter(
    "weights",
    "text",
    PRESETS["boundaries"],
    "Weights of errors: fair, lenient, boundaries, as-fp, as-fn, a formula such as 'LE = 0.5 FP + 0.5 FN, "
    "BE = 0.5 TP + 0.25 FP + 0.25 FN', or a file with one [boundaries]. Adds the model.",
    metavar="NAME|FORMULA|FILE",
    parse=parse_weights,
    stored=Weights,
    optional=True,
    compares=False,
    adds_model=True,
    file_of="formula of weights",
)
SEPARATOR_WEIGHT = Parameter(
    "separator_weight",
    "number",
    1.0,
    "Weight of a separator; a token weighs 1.",
    least=0,
    spell=lambda weight: f"{weight:g}",
    key="separators",
    compares=False,
)
TOKEN_WEIGHT = Parameter(
    "token_weight",
    "column",
    None,
    "Column of GOLD, by number or name, with the weight of each token.",
    metavar="COLUMN",
    spell=lambda column: "none" if column is None else f"column-{column}",
    key="token-weights",
    optional=True,
    compares=False,
)
SPURIOUS, MISSING = (
    Parameter(
        f"constrained_{kind}",
        "whole",
        1,
        f"Number of {kind} tokens that are allowed.",
        least=0,
        former=(kind,),
        key=kind,
        compares=False,
    )
    for kind in ("spurious", "missing")
)
IOU = Parameter(
    "iou",
    "number",
    0.5,
    "Least intersection over union of two spans that match.",
    above=0,
    most=1,
    spell=lambda share: f"{share:g}",
    compares=False,
)
MODELS = (
    Model(
        "exact",
        "spans",
        _judge("exact"),
        _exact,
        f"{_HOME}.exact",
        ("strict", "conlleval", "seqeval"),
        summary="A span is right if bounds and label are.",
    ),
    Model(
        "fair",
        "spans",
        _FAIR,
        _fair,
        f"{_HOME}.fair",
        ("faireval",),
        summary="Each span counts once; errors of label and of bounds have kinds.",
    ),
    Model(
        "weighted",
        "spans",
        _FAIR,
        _weighted,
        "evenhand.scores.weights",
        parameters=(WEIGHTS,),
        summary="Errors of fair evaluation weigh as TP, FP and FN, as --weights says.",
    ),
    Model(
        *("ts", "spans", _UNITS, _units, f"{_HOME}.token_separator"),
        aliases=("token separator", "token & separator", "tokens and separators"),
        parameters=(SEPARATOR_WEIGHT, TOKEN_WEIGHT),
        summary="Tokens in spans, and separators between tokens of one span.",
    ),
    Model(
        "t",
        "spans",
        _UNITS,
        _units,
        f"{_HOME}.token_separator",
        ("token", "tokens"),
        parameters=(TOKEN_WEIGHT,),
        summary="Tokens in spans.",
    ),
    Model(
        "overlap",
        "spans",
        _judge("overlap"),
        hit_model,
        f"{_HOME}.overlap",
        summary="A span with the right label shares a token.",
    ),
    Model(
        "contain",
        "spans",
        _judge("contain"),
        hit_model,
        f"{_HOME}.overlap",
        summary="A span with the right label covers the gold span.",
    ),
    Model(
        *("constrained", "spans", _judge("constrained"), hit_model, f"{_HOME}.overlap"),
        parameters=(SPURIOUS, MISSING),
        summary="As overlap, with at most one spurious and one missing token.",
    ),
    Model(
        "iou",
        "spans",
        _judge("iou"),
        hit_model,
        f"{_HOME}.overlap",
        ("jaccard",),
        parameters=(IOU,),
        summary="As overlap, with an intersection over union of at least 0.5.",
    ),
    *(
        Model(f"semeval-{name}", "spans", _SEMEVAL, _semeval, f"{_HOME}.semeval", family="semeval", summary=summary)
        for name, summary in _SEMEVAL_SUMMARIES.items()
    ),
    Model(
        *("accuracy", "spans", _judge("accuracy", takes_tags=True), _accuracy, f"{_HOME}.accuracy"),
        aliases=("acc", "token accuracy"),
        summary="The share of tokens with the right tag, prefix and label.",
    ),
    *(
        Model(
            *(name, "spans", _judge(name, takes_strings=True), exact_counts, f"{_HOME}.string_match"),
            aliases=aliases,
            family="strings",
            summary=summary,
        )
        for name, aliases, summary in (
            ("string-set", ("universalner",), "Strings with labels, each once a text, normalised; no positions."),
            ("string-multiset", ("uie", "string-ent"), "Strings with labels as they stand; no positions."),
        )
    ),
)
