"""Constituents: the brackets of phrase structure trees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from evenhand.data.names import LAYER
from evenhand.parameters import Allowed, CommandLine, Conversion, Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import Breakdown, Formula, Measure, PrecisionRecall, Ratio, Scorer, WeightedCounts, plus
from evenhand.settings import ScoreSettings
from evenhand.tasks.constituents.rules import COLLINS, Rules, parse
from evenhand.tasks.spans.task import KINDS as SPAN_KINDS
from evenhand.tasks.task import (
    ComparisonSpec,
    Confusion,
    Display,
    ErrorTypes,
    EvaluationSpec,
    Example,
    GoldProfile,
    InputSpec,
    MeasureSelection,
    SettingRules,
    Task,
)

# == tasks/constituents/kinds.py: The verdicts on brackets, and the kinds of counts.


ERRORS = ("LE", "BES", "BEL")
"""Wrong brackets that were matched with one of the other side."""
BRACKET_KINDS = ("TP", *(f"{kind}.{side}" for kind in ERRORS for side in ("gold", "system")), "FN", "FP")
"""An error counts once for the label of the gold standard and once for that of the system."""
CLASS_KINDS = (*SPAN_KINDS, "TN", "unscored")
"""In a comparison, surplus of one system is TN under the others; brackets of sentences left out are unscored."""
UNSCORED = CLASS_KINDS.index("unscored")
SENTENCE_KINDS = ("valid", "error", "skip", "failed", "complete", "crossings", "no_crossing", "two_or_less")
TAG_KINDS = ("right", "wrong")
SHORT = "-short"
"""How names of judges and models end that look at short sentences only."""
ALL = "-all"
"""How names of judges and models end, before `-short`, that count sentences with errors as wrong."""
LEFT_OUT = "left out"
"""The tally of sentences that are left out, with their reasons."""
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "too narrow",
    "BEL": "too wide",
    "FN": "missing",
    "FP": "spurious",
}
"""What errors are called."""


def counts_errors(name: str) -> bool:
    """Whether a judge or a model counts sentences with errors as wrong, by its name."""
    return name.removesuffix(SHORT).endswith(ALL)


# == tasks/constituents/models.py: Match models of constituents.


_SENTENCE_JUDGE = "sentences"
WRONG, SKIP = "wrong", "skip"
"""What sentences with errors count as: wrong, or nothing, as in EVALB."""
_TP, _FN, _FP = ({kind: 1.0} for kind in ("TP", "FN", "FP"))
_OF_GOLD, _OF_SYSTEM = ({f"{kind}.{side}": 1.0 for kind in ERRORS} for side in ("gold", "system"))
_SENTENCES: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in ("valid", "error", "skip")}


def labeled(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {
        "TP": _TP,
        **{kind: {f"{kind}.gold": 1.0} for kind in ERRORS},
        "FN": _FN,
        "FP": _FP,
    }
    divided = PrecisionRecall.of_pairs(_TP, plus(_TP, _OF_SYSTEM, _FP), plus(_TP, _OF_GOLD, _FN))
    extra_scores = lazy("evenhand.tasks.constituents.parseval:with_confusion")
    scorer = _judge_of("brackets", name)
    return Formula(name, scorer, counts, divided, beta=settings.beta, extra_scores=extra_scores)


def _unlabeled(name: str, settings: ScoreSettings) -> Formula:
    """Brackets with the right words: labels that differ do not matter."""
    matched, correct = plus(_TP, {"LE.gold": 1.0}), plus(_TP, {"LE.system": 1.0})
    missed = plus(_FN, {kind: 1.0 for kind in _OF_GOLD if kind != "LE.gold"})
    spurious = plus(_FP, {kind: 1.0 for kind in _OF_SYSTEM if kind != "LE.system"})
    counts: dict[str, WeightedCounts] = {"TP": matched, "FN": missed, "FP": spurious}
    divided = PrecisionRecall(correct, plus(correct, spurious), matched, plus(matched, missed))
    extra_scores = lazy("evenhand.tasks.constituents.parseval:with_undefined")
    scorer = _judge_of("brackets", name)
    return Formula(name, scorer, counts, divided, beta=settings.beta, extra_scores=extra_scores)


def _complete(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {**_SENTENCES, "complete": {"complete": 1.0}}
    return _share_of_sentences(name, settings, counts, "complete", "evenhand.tasks.constituents.parseval:with_left_out")


def _crossing(name: str, settings: ScoreSettings) -> Formula:
    shown = ("valid", "crossings", "no_crossing", "two_or_less")
    return _share_of_sentences(
        name,
        settings,
        {kind: {kind: 1.0} for kind in shown},
        "no_crossing",
        "evenhand.tasks.constituents.parseval:with_undefined",
    )


def _share_of_sentences(
    name: str, settings: ScoreSettings, counts: dict[str, WeightedCounts], right: str, extra_scores: str
) -> Formula:
    part, whole = {right: 1.0}, {"valid": 1.0}
    if counts_errors(name):
        whole, counts = {"valid": 1.0, "failed": 1.0}, {"failed": {"failed": 1.0}, **counts}
    ratios = _shares(counts, whole)
    return Formula(
        *(name, _judge_of("sentences", name), counts, PrecisionRecall.of_pairs(part, whole, whole)),
        headline="accuracy",
        beta=settings.beta,
        ratios=ratios,
        breakdown=Breakdown("overall", known={ratio.name: ratio.denominator for ratio in ratios}),
        extra_scores=lazy(extra_scores),
    )


def _shares(counts: dict[str, WeightedCounts], whole: WeightedCounts) -> tuple[Ratio, ...]:
    """The shares of counts that are not the headline."""
    definitions = {"two_or_less": "sentences with two crossing brackets at most."}
    ratios = [
        Ratio(f"{name}_share", counts[name], whole, definition)
        for name, definition in definitions.items()
        if name in counts
    ]
    if "error" in counts:
        sentences = {"valid": 1.0, "failed": 1.0}
        ratios.append(Ratio("valid_share", counts["valid"], sentences, "sentences without an error."))
    return tuple(ratios)


def _tagging(name: str, settings: ScoreSettings) -> Formula:
    right, words = {"right": 1.0}, {"right": 1.0, "wrong": 1.0}
    return Formula(
        *(name, _judge_of("tagging", name), {"words": words, "right": right}),
        PrecisionRecall.of_pairs(right, words, words),
        headline="accuracy",
        beta=settings.beta,
        breakdown=Breakdown("labels"),
        extra_scores=lazy("evenhand.tasks.constituents.parseval:with_undefined"),
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
        "evenhand.tasks.constituents.parseval:count",
        "evenhand.tasks.constituents.parseval",
        ("evalb", "parseval", "lf"),
        "Brackets with the right words and label.",
    ),
    "unlabeled": (
        _unlabeled,
        "brackets",
        "evenhand.tasks.constituents.parseval:count",
        "evenhand.tasks.constituents.parseval",
        ("uf",),
        "Brackets with the right words.",
    ),
    "complete": (
        _complete,
        "sentences",
        "evenhand.tasks.constituents.parseval:count_crossing",
        "evenhand.tasks.constituents.parseval.count_crossing",
        ("complete match",),
        "Sentences with all brackets right.",
    ),
    "crossing": (
        _crossing,
        "sentences",
        "evenhand.tasks.constituents.parseval:count_crossing",
        "evenhand.tasks.constituents.parseval.count_crossing",
        ("no crossing",),
        "Sentences without a crossing bracket.",
    ),
    "tagging": (
        _tagging,
        "tagging",
        "evenhand.tasks.constituents.parseval:count_tagging",
        "evenhand.tasks.constituents.parseval.count_tagging",
        ("tagging accuracy",),
        "Words with the right tag.",
    ),
}


def _model(name: str, *, short: bool, with_all: bool) -> Measure:
    arithmetic, judge, address, definition, aliases, summary = _DECLARED[name]
    end = (ALL if with_all else "") + (SHORT if short else "")
    told = summary[:-1] + (" (short sentences)" if short else "") + (", errors as wrong" if with_all else "")
    count: Any = lazy(address)
    choices = {"short": short} | ({} if judge == _SENTENCE_JUDGE else {"counts_errors": with_all})
    own = name + end
    return Measure(
        *(own, LAYER, Scorer(_judge_of(judge, own), partial(count, **choices)), arithmetic, definition),
        aliases=tuple(alias + end for alias in aliases),
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


# == tasks/constituents/task.py (primary)


def _adjust(values: dict[str, Any], content: GoldProfile) -> None:
    """The length of short sentences is that of the parameter file unless it is given."""
    if values["cutoff"] is None:
        values["cutoff"] = values["prm"].cutoff


PARAMETERS = (
    Parameter(
        "prm",
        "text",
        COLLINS,
        "Parameters of EVALB: collins, none, or a .prm file, which is read as it is [collins].",
        conversion=Conversion(parse=parse, stored=Rules, spell=str),
        cli=CommandLine(metavar="collins|none|FILE"),
    ),
    Parameter(
        "cutoff",
        "whole",
        None,
        "Words up to which a sentence is short [CUTOFF_LEN of --prm, 40].",
        allowed=Allowed(least=0, optional=True),
    ),
    Parameter(
        "errors",
        "text",
        WRONG,
        "Sentences with errors in rank, compare, gate and report: count them as wrong, or skip them as EVALB does.",
        allowed=Allowed(choices=(WRONG, SKIP)),
        cli=CommandLine(metavar="wrong|skip"),
    ),
)

TASK = Task(
    name=LAYER,
    title="constituents: phrase structure trees",
    unit="bracket",
    example=Example(
        "constituents", "gold.mrg", ("chunks.mrg", "pcfg.mrg", "neural.mrg"), options="--task constituents"
    ),
    measures=MODELS,
    selection=MeasureSelection(
        scored=lambda content: (*EVALB, *EVALB_SHORT, *map(with_errors, (*EVALB, *EVALB_SHORT))),
        ranked=lambda content: EVALB,
        compared=("labeled", with_errors("labeled")),
        reported=("labeled", with_errors("labeled")),
        tested=lambda by, content: tuple(dict.fromkeys((by, without_errors(by)))),
        resolve=decided_by,
        leaves_out=leaves_out,
    ),
    parameters=PARAMETERS,
    input=InputSpec(alignments=("strict",), detects=lambda annotation: LAYER in annotation.layers),
    rules=SettingRules(
        signature=(
            "align",
            "gold",
            "system",
            "functions",
            "prm",
            "cutoff",
            "errors",
            "map",
            "labels",
            "exclude",
            "macro",
            "beta",
        ),
        resolve=_adjust,
        notes=lazy("evenhand.tasks.constituents.tables:setting_notes"),
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.constituents.evaluation:ConstituentPassage"),
        notes=lazy("evenhand.tasks.constituents.tables:notes"),
        is_perfect=lazy("evenhand.tasks.constituents.tables:is_perfect"),
    ),
    error_types=ErrorTypes(
        all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",), unscored=("unscored",)
    ),
    comparison=ComparisonSpec(
        unit_scorers=("brackets", "brackets-all"),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        answer_text=lazy("evenhand.tasks.constituents.evaluation:answer_in_words"),
    ),
    display=Display(
        summary=lazy("evenhand.tasks.constituents.tables:summary"),
        details=lazy("evenhand.tasks.constituents.tables:details"),
        listing=lazy("evenhand.tasks.constituents.tables:listing"),
        errors=lazy("evenhand.tasks.constituents.tables:error_bars"),
        confusion=Confusion(
            (with_errors("labeled"), "labeled"),
            caption="Errors only: wrong bounds on the diagonal, wrong labels beside it.",
            one_sided=("FN", "FP"),
        ),
        remarks={"moved": "verdict, but other bounds"},
        shows_error_types=True,
        drawing="brackets",
    ),
)
