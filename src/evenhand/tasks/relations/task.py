"""Relations between labeled spans: declaration of the task, its parameters and its measures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from evenhand.errors import SettingError
from evenhand.parameters import CommandLine, Effect, Parameter, ParameterConversion, split_names
from evenhand.registry import lazy
from evenhand.scoring.measure import (
    Formula,
    Measure,
    PrecisionRecall,
    Scorer,
    WeightedCounts,
    count_errors,
    count_fair,
    count_hits,
    plus,
)
from evenhand.settings import ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.spans.measures import LINES, SENTENCES, TEXT

KINDS = ("TP", "AL", "AB", "ALB", "DE", "TE", "XE", "AM", "FN", "AS", "FP")
TP, AL, AB, ALB, DE, TE, XE, AM, FN, AS, FP = range(len(KINDS))
TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
PAIRED = ("AL", "AB", "ALB", "DE", "TE", "XE")
"""Errors of a gold relation that is paired with a system relation."""
IN_ORDER = (TP, AL, DE, TE, AB, ALB, XE)
"""The error types of pairs, in the order of pairing."""
FAULTS = {
    **dict.fromkeys(("AL", "AB", "ALB", "AM", "AS"), "entities"),
    **dict.fromkeys(("DE", "TE", "FN", "FP"), "relation"),
    "XE": "both",
}
"""Whose fault each error is."""
EQUIVALENCE = "same-as"
"""The relation type of eHealth-KD whose closure defines classes of entities."""
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
_STRICT = "evenhand.tasks.relations.measures.count_strict"
"""The definition of strict, boundaries and dygie."""
_COUNTED = {"both": "AB", "entities": "A", "relations": "B"}
"""The units of eHealth-KD: entities (A), relations (B) or both."""


def _fair(name: str, settings: ScoreSettings) -> Formula:
    extra_scores = lazy("evenhand.tasks.relations.measures:with_confusion")
    return count_fair(name, settings, KINDS, ("AM", "FN"), ("AS", "FP"), extra_scores=extra_scores)


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


def _measure(
    name: str,
    count: str,
    formula: Callable[[str, ScoreSettings], Formula],
    summary: str,
    *aliases: str,
    definition: str | None = None,
    is_independent: bool = False,
    **options: Any,
) -> Measure:
    """A measure that a function of this folder counts and, by default, defines in its docstring."""
    address = f"evenhand.tasks.relations.{count}"
    units = lazy(address.replace(":count_", ":") + "_units")
    scorer = Scorer(name, lazy(address), units=units, is_independent=is_independent)
    definition = definition or address.replace(":", ".")
    return Measure(name, "relations", scorer, formula, definition, aliases, summary=summary, **options)


MEASURES = (
    _measure(
        *("strict", "measures:count_strict", count_errors, "Type, bounds and labels of both arguments are equal."),
        *("exact", "with NEC", "rel+"),
        is_independent=True,
    ),
    _measure(
        *("boundaries", "measures:count_boundaries", count_errors),
        "Type and bounds of both arguments are equal, regardless of labels.",
        *("without NEC", "rel"),
        definition=_STRICT,
    ),
    _measure(
        *("dygie", "measures:count_dygie", count_errors),
        "As boundaries, with one type for each head and tail, the last of the file.",
        "DyGIE++",
        definition=_STRICT,
        title="DyGIE++",
    ),
    _measure(
        *("relaxed", "measures:count_relaxed", count_hits),
        *("Type and labels are equal, and both arguments overlap.", "overlap"),
    ),
    _measure(
        "fair", "measures:count_fair", _fair, "Each relation counts once; error types show which part is at fault."
    ),
    _measure(
        *("ehealthkd", "ehealthkd:count_ehealthkd", _ehealthkd),
        "Entities and relations in one number, as eHealth-KD 2020 counts them.",
        "eHealth-KD 2020",
        definition="evenhand.tasks.relations.ehealthkd",
        parameters=(
            spec.choice(
                "ehealthkd_counts",
                ("both", "entities", "relations"),
                "Units to count: both (scenarios 1 and 4), entities (2) or relations (3).",
                effect=Effect(compares=False),
            ),
        ),
        title="eHealth-KD",
    ),
)
PARAMETERS = (
    Parameter(
        "symmetric",
        "names",
        (),
        "Types whose ends are interchangeable, in addition to brat's * lines.",
        conversion=ParameterConversion(
            parse=split_names, stored=tuple[str, ...], spell=lambda types: "+".join(sorted(types)) or "marked"
        ),
        cli=CommandLine(metavar="TYPE,..."),
    ),
    spec.choice(
        "unannotated",
        ("keep", "skip"),
        "Sentences without gold spans: count the output of systems there (keep), or ignore it (skip).",
    ),
    SENTENCES,
    spec.choice(
        "newlines",
        ("two", "one"),
        "Characters per CRLF in brat offsets: two or one.",
        effect=Effect(reads=True),
    ),
    spec.choice(
        "quotes",
        ("error", "note"),
        "brat spans that quote a text that they do not cover: an error, or a note.",
        effect=Effect(reads=True),
    ),
    *spec.CONFIDENCES,
)


def _check(settings: ScoreSettings, content: spec.GoldProfile) -> None:
    if not isinstance(settings["sentences"], str):
        raise SettingError(f"sentences is a table, which is for spans; for relations, choose {TEXT} or {LINES}.")


TASK = spec.Task(
    name="relations",
    title="relations between labeled spans",
    aliases=("re", "relation-extraction"),
    unit="relation",
    example=spec.Example("relations", "gold.jsonl", ("rules.jsonl", "pipeline.jsonl", "joint.jsonl")),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=lambda content: ("strict", "boundaries", "relaxed", "fair"),
        ranked=lambda content: ("strict", "boundaries", "fair"),
        compared=("fair", "strict"),
        reported=("fair", "strict"),
    ),
    parameters=PARAMETERS,
    input=spec.InputSpec(detects=lambda annotation: "relations" in annotation.layers),
    rules=spec.SettingRules(
        signature=(
            *("align", "atoms", "symmetric", "unannotated", "gold", "system", "offsets", "sentences", "newlines"),
            *("quotes", "map", "labels", "exclude", "macro", "beta"),
        ),
        check=_check,
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.relations.evaluation:align"),
        evaluate=lazy("evenhand.tasks.relations.evaluation:evaluate"),
        notes=lazy("evenhand.tasks.relations.tables:notes"),
        is_perfect=partial(lazy("evenhand.tasks.tables:is_perfect"), scorers=("strict", "fair")),
    ),
    error_types=spec.ErrorTypes(all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",)),
    comparison=spec.ComparisonSpec(
        unit_scorers=("fair", "strict"),
        unit_columns=(
            ("side", "string"),
            *((f"{end}_{edge}", "int64") for end in ("head", "tail") for edge in ("start", "end")),
            ("tail_sentence", "int64"),
        ),
        answer_text=partial(lazy("evenhand.tasks.units:answer_text"), kinds=CLASS_KINDS),
        similarity=lazy("evenhand.tasks.relations.evaluation:RelationAgreement"),
        attributes=(*spec.COMMON_ATTRIBUTES, "document-length", "seen", "leaked"),
        page_slices=("length", "sentence-length", "document"),
        labeled_units=lazy("evenhand.tasks.relations.evaluation:labeled_arguments"),
    ),
    display=spec.Display(
        details=lazy("evenhand.tasks.relations.tables:details"),
        errors=lazy("evenhand.tasks.relations.tables:error_bars"),
        confusion=spec.Confusion(
            ("fair",),
            caption="Errors only: wrong arguments and directions on the diagonal, wrong types off it.",
            diagonal="wrong arguments and directions",
            one_sided=("AM, FN", "AS, FP"),
        ),
        remarks={"agreement": "F1 under strict match", "moved": "class, but another relation"},
        label="type",
        shows_error_types=True,
        drawing="links",
    ),
)
