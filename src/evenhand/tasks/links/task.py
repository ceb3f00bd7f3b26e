"""Entity links: mentions of entries of a knowledge base."""

from __future__ import annotations

from functools import partial
from typing import Any

from evenhand.data.names import LINKS, RESPELLED
from evenhand.parameters import CommandLine, Conversion, Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import (
    Formula,
    Measure,
    PrecisionRecall,
    Scorer,
    WeightedCounts,
    count_errors,
    count_hits,
    plus,
)
from evenhand.settings import ScoreSettings
from evenhand.tasks.links.identifiers import SameIds, parse
from evenhand.tasks.task import (
    ComparisonSpec,
    Display,
    ErrorTypes,
    EvaluationSpec,
    Example,
    InputSpec,
    MeasureSelection,
    SettingRules,
    Task,
)

# == tasks/links/kinds.py: The verdicts on links, and the kinds of counts.


KINDS = ("TP", "LE.other", "LE.missed", "LE.over", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, OTHER, MISSED, OVER, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
SET_KINDS = ("TP", "FP", "FN")
HIT_KINDS = ("gold_hits", "gold_others", "system_hits", "system_others")
NO_RANK = "none"
"""Where the right identifier is not among the candidates."""
RANKS = "ranks"
"""The tally of the ranks of right identifiers."""


def by_document(judge: str) -> str:
    """What the tally of a judge's scores by document is called."""
    return f"{judge} by document"


ERROR_NAMES = {
    "LE.other": "another entry",
    "LE.missed": "NIL for an entry",
    "LE.over": "an entry for NIL",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong identifier and boundaries",
    "FN": "missing",
    "FP": "spurious",
}
"""What errors are called."""


# == tasks/links/models.py: Match models of entity links.


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


def _set_model(name: str, settings: ScoreSettings) -> Formula:
    return count_errors(name, settings, extra_scores=lazy("evenhand.tasks.links.neleval:with_documents"))


def _weak(name: str, settings: ScoreSettings) -> Formula:
    return count_hits(name, settings, extra_scores=lazy("evenhand.tasks.links.neleval:with_documents"))


def fair_model(name: str, settings: ScoreSettings) -> Formula:
    shown: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in KINDS}
    errors = {kind: 0.5 for kind in KINDS if kind not in ("TP", "FN", "FP")}
    tp = shown["TP"]
    divided = PrecisionRecall.of_pairs(tp, plus(tp, errors, shown["FP"]), plus(tp, errors, shown["FN"]))
    extra_scores = lazy("evenhand.tasks.links.error_types:with_details")
    return Formula(name, "fair", shown, divided, beta=settings.beta, extra_scores=extra_scores)


def _declared(
    name: str,
    address: str,
    definition: str,
    arithmetic: Any,
    summary: str,
    *aliases: str,
    is_ranked: bool = True,
    **more: Any,
) -> Measure:
    count: Any = lazy(address)
    scorer = Scorer(name, partial(count, model=name), is_ranked=is_ranked)
    return Measure(name, "links", scorer, arithmetic, definition, aliases, summary=summary, **more)


MODELS = (
    Measure(
        "fair",
        "links",
        Scorer("fair", lazy("evenhand.tasks.links.error_types:count")),
        fair_model,
        "evenhand.tasks.links.error_types",
        ("kinds",),
        summary="Each link counts once; errors of identifier and of bounds have kinds.",
    ),
    *(
        _declared(
            name,
            "evenhand.tasks.links.neleval:count",
            "evenhand.tasks.links.neleval",
            _set_model,
            summary,
            alias,
            is_ranked=name in _RANKED,
        )
        for name, (alias, summary) in _SETS.items()
    ),
    *(
        _declared(
            name,
            "evenhand.tasks.links.neleval:count_weak",
            "evenhand.tasks.links.neleval.count_weak",
            _weak,
            summary,
        )
        for name, summary in _WEAK.items()
    ),
    *(
        _declared(
            name,
            "evenhand.tasks.links.hipe:count",
            "evenhand.tasks.links.hipe",
            _set_model,
            summary,
            family="hipe",
        )
        for name, summary in _HIPE.items()
    ),
)


# == tasks/links/task.py (primary)


PARAMETERS = (
    Parameter(
        "same_ids",
        "names",
        (),
        "Table of identifiers and those that they stand for, with a tab between; SIDE is gold or system [both]. "
        "Repeatable.",
        conversion=Conversion(
            parse=parse, stored=tuple[SameIds, ...], spell=lambda tables: ",".join(map(str, tables)) or "none"
        ),
        cli=CommandLine(metavar="[SIDE:]FILE", repeatable=True),
    ),
    Parameter(
        "nil_labels",
        "names",
        (),
        "Labels of system spans whose links are taken as NIL (TIME, for the relaxed scores of HIPE).",
        conversion=Conversion(spell=lambda names: "+".join(names) or "none"),
    ),
)

TASK = Task(
    name="links",
    title="entity links: mentions of entries of a knowledge base",
    unit="link",
    example=Example("links", "gold.jsonl", ("popularity.jsonl", "context.jsonl", "reranker.jsonl")),
    measures=MODELS,
    selection=MeasureSelection(
        scored=lambda content: ("links", "all", "fair"),
        ranked=lambda content: ("links", "nil", "all", "weak_all", "fair"),
        compared=("fair",),
        reported=("fair",),
    ),
    parameters=PARAMETERS,
    input=InputSpec(
        default_alignment=lambda content: "position" if RESPELLED in content.traits else "strict",
        detects=lambda annotation: LINKS in annotation.layers,
        matches_documents=True,
    ),
    rules=SettingRules(
        signature=("align", "atoms", "scope", "gold", "system", "offsets", "map", "labels", "exclude", "macro", "beta"),
        constants={"scope": "document"},
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.links.evaluation:LinkPassage"),
        by_document=True,
        notes=lazy("evenhand.tasks.links.tables:notes"),
        is_perfect=lazy("evenhand.tasks.links.tables:is_perfect"),
    ),
    error_types=ErrorTypes(all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",)),
    comparison=ComparisonSpec(
        unit_scorers=("fair",),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        answer_text=lazy("evenhand.tasks.links.evaluation:answer_in_words"),
    ),
    display=Display(
        details=lazy("evenhand.tasks.links.tables:details"),
        errors=lazy("evenhand.tasks.links.tables:error_bars"),
        confusion=None,
        transitions=lazy("evenhand.tasks.links.tables:transitions"),
        remarks={"moved": "answer, but other bounds"},
        shows_error_types=True,
        has_label_answers=False,
    ),
)
