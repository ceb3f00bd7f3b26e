"""Relations between labeled spans."""

from __future__ import annotations

from evenhand.parameters import Allowed, CommandLine, Conversion, Effect, Parameter, split_names
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
from evenhand.tasks.sentences import SENTENCES, refuse_table
from evenhand.tasks.task import (
    ComparisonSpec,
    Confusion,
    Display,
    ErrorTypes,
    EvaluationSpec,
    Example,
    InputSpec,
    MeasureSelection,
    SettingRules,
    Task,
)

# == tasks/relations/kinds.py: The verdicts on relations.


KINDS = ("TP", "AL", "AB", "ALB", "DE", "TE", "XE", "AM", "FN", "AS", "FP")
TP, AL, AB, ALB, DE, TE, XE, AM, FN, AS, FP = range(len(KINDS))
TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
PAIRED = ("AL", "AB", "ALB", "DE", "TE", "XE")
"""Errors of a gold relation and a system relation that are a pair."""
IN_ORDER = (TP, AL, DE, TE, AB, ALB, XE)
"""The verdicts on pairs in the order in which they are given."""
FAULTS = {
    "AL": "entities",
    "AB": "entities",
    "ALB": "entities",
    "AM": "entities",
    "AS": "entities",
    "DE": "relation",
    "TE": "relation",
    "FN": "relation",
    "FP": "relation",
    "XE": "both",
}
"""Whose fault each error is."""
EQUIVALENCE = "same-as"
"""The type whose closure makes classes of entities in eHealth-KD."""
ERROR_NAMES = {
    "AL": "label of an argument",
    "AB": "bounds of an argument",
    "ALB": "labels and bounds of arguments",
    "AM": "argument missing",
    "AS": "argument spurious",
    "DE": "direction",
    "TE": "type",
    "FN": "missing",
    "FP": "spurious",
    "XE": "direction or type, and arguments",
}
"""What errors are called."""


# == tasks/relations/models.py: Match models of relations.


_COUNTED = {"both": "AB", "entities": "A", "relations": "B"}
"""What eHealth-KD counts: entities (A), relations (B) or both."""


def _fair(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in KINDS}
    right = counts["TP"]
    errors = dict.fromkeys(PAIRED, 0.5)
    predicted, expected = plus(right, errors, {"AS": 1.0, "FP": 1.0}), plus(right, errors, {"AM": 1.0, "FN": 1.0})
    divided = PrecisionRecall.of_pairs(right, predicted, expected)
    extra_scores = lazy("evenhand.tasks.relations.error_types:with_confusion")
    return Formula(name, name, counts, divided, beta=settings.beta, extra_scores=extra_scores)


def _ehealthkd(name: str, settings: ScoreSettings) -> Formula:
    kinds = ("correct", "incorrect", "partial", "spurious", "missing")
    exist = [f"{kind}_{of}" for of in "AB" for kind in kinds if of == "A" or kind in ("correct", "spurious", "missing")]
    counted = _COUNTED[settings["ehealthkd_counts"]]

    def total(kind: str, weight: float = 1.0) -> WeightedCounts:
        return {f"{kind}_{of}": weight for of in counted if f"{kind}_{of}" in exist}

    correct, incorrect, partial, spurious, missing = map(total, kinds)
    right, paired = plus(correct, total("partial", 0.5)), plus(correct, partial, incorrect)
    shown: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in exist}
    divided = PrecisionRecall.of_pairs(right, plus(paired, spurious), plus(paired, missing))
    return Formula(name, name, shown, divided, beta=settings.beta)


MODELS = (
    Measure(
        "strict",
        "relations",
        Scorer("strict", lazy("evenhand.tasks.relations.strict:count_strict")),
        count_errors,
        "evenhand.tasks.relations.strict",
        ("exact", "with NEC", "rel+"),
        summary="Type, bounds and labels of both arguments are equal.",
    ),
    Measure(
        "boundaries",
        "relations",
        Scorer("boundaries", lazy("evenhand.tasks.relations.strict:count_boundaries")),
        count_errors,
        "evenhand.tasks.relations.strict",
        ("without NEC", "rel"),
        summary="Type and bounds of both arguments are equal, whatever their labels.",
    ),
    Measure(
        "dygie",
        "relations",
        Scorer("dygie", lazy("evenhand.tasks.relations.strict:count_dygie")),
        count_errors,
        "evenhand.tasks.relations.strict",
        ("DyGIE++",),
        title="DyGIE++",
        summary="As boundaries, with one type for each head and tail, the last of the file.",
    ),
    Measure(
        "relaxed",
        "relations",
        Scorer("relaxed", lazy("evenhand.tasks.relations.strict:count_relaxed")),
        count_hits,
        "evenhand.tasks.relations.strict.count_relaxed",
        ("overlap",),
        summary="Type and labels are equal, and both arguments overlap.",
    ),
    Measure(
        "fair",
        "relations",
        Scorer("fair", lazy("evenhand.tasks.relations.error_types:count_fair")),
        _fair,
        "evenhand.tasks.relations.error_types",
        summary="Each relation counts once; kinds of errors tell whose fault they are.",
    ),
    Measure(
        "ehealthkd",
        "relations",
        Scorer("ehealthkd", lazy("evenhand.tasks.relations.ehealthkd:count_ehealthkd")),
        _ehealthkd,
        "evenhand.tasks.relations.ehealthkd",
        ("eHealth-KD 2020",),
        parameters=(
            Parameter(
                "ehealthkd_counts",
                "text",
                "both",
                "What is counted: both (scenarios 1 and 4), entities (2) or relations (3).",
                allowed=Allowed(choices=("both", "entities", "relations")),
                effect=Effect(compares=False),
            ),
        ),
        title="eHealth-KD",
        summary="Entities and relations in one number, as eHealth-KD 2020 counts them.",
    ),
)


# == tasks/relations/task.py (primary)


PARAMETERS = (
    Parameter(
        "symmetric",
        "names",
        (),
        "Types whose ends are interchangeable, beside those of brat's * lines.",
        conversion=Conversion(
            parse=split_names, stored=tuple[str, ...], spell=lambda types: "+".join(sorted(types)) or "marked"
        ),
        cli=CommandLine(metavar="TYPE,..."),
    ),
    Parameter(
        "unannotated",
        "text",
        "keep",
        "Sentences without gold spans: count what systems have there (keep), or leave them out (skip).",
        allowed=Allowed(choices=("keep", "skip")),
    ),
    SENTENCES,
    Parameter(
        "newlines",
        "text",
        "two",
        "Characters that CRLF counts in offsets of brat: two, or one.",
        allowed=Allowed(choices=("two", "one")),
        effect=Effect(reads=True),
    ),
    Parameter(
        "quotes",
        "text",
        "error",
        "Spans of brat that quote another text than they cover: an error, or a note.",
        allowed=Allowed(choices=("error", "note")),
        effect=Effect(reads=True),
    ),
)

TASK = Task(
    name="relations",
    title="relations between labeled spans",
    unit="relation",
    example=Example("relations", "gold.jsonl", ("rules.jsonl", "pipeline.jsonl", "joint.jsonl")),
    measures=MODELS,
    selection=MeasureSelection(
        scored=lambda content: ("strict", "boundaries", "relaxed", "fair"),
        ranked=lambda content: ("strict", "boundaries", "fair"),
        compared=("fair", "strict"),
        reported=("fair",),
    ),
    parameters=PARAMETERS,
    input=InputSpec(detects=lambda annotation: "relations" in annotation.layers),
    rules=SettingRules(
        signature=(
            *(
                "align",
                "atoms",
                "symmetric",
                "unannotated",
                "gold",
                "system",
                "offsets",
                "sentences",
                "newlines",
                "quotes",
            ),
            *("map", "labels", "exclude", "macro", "beta"),
        ),
        check=refuse_table,
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.relations.evaluation:RelationPassage"),
        notes=lazy("evenhand.tasks.relations.comparison:notes"),
        is_perfect=lazy("evenhand.tasks.relations.comparison:is_perfect"),
    ),
    error_types=ErrorTypes(all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",)),
    comparison=ComparisonSpec(
        unit_scorers=("fair", "strict"),
        unit_columns=(
            ("side", "string"),
            *((f"{end}_{edge}", "int64") for end in ("head", "tail") for edge in ("start", "end")),
            ("tail_sentence", "int64"),
        ),
        answer_text=lazy("evenhand.tasks.relations.comparison:answer_in_words"),
        similarity=lazy("evenhand.tasks.relations.comparison:RelationAgreement"),
    ),
    display=Display(
        details=lazy("evenhand.tasks.relations.comparison:details"),
        errors=lazy("evenhand.tasks.relations.comparison:error_bars"),
        confusion=Confusion(
            ("fair",),
            caption="Errors only: wrong arguments and directions on the diagonal, wrong types beside it.",
            one_sided=("AM, FN", "AS, FP"),
        ),
        remarks={"agreement": "F1 under strict match", "moved": "class, but another relation"},
        label="type",
        shows_error_types=True,
        drawing="links",
    ),
)
