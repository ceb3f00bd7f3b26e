"""Relations between labeled spans."""

from __future__ import annotations

from evenhand.parameters import Parameter, names
from evenhand.registry import late
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.relations.kinds import CLASS_KINDS, ERROR_NAMES
from evenhand.tasks.relations.models import MODELS
from evenhand.tasks.sentences import SENTENCES, refuse_table
from evenhand.tasks.task import Example, Task

PARAMETERS = (
    Parameter(
        "symmetric",
        "names",
        (),
        "Types whose ends are interchangeable, beside those of brat's * lines.",
        metavar="TYPE,...",
        parse=names,
        stored=tuple[str, ...],
        spell=lambda types: "+".join(sorted(types)) or "marked",
    ),
    Parameter(
        "unannotated",
        "text",
        "keep",
        "Sentences without gold spans: count what systems have there (keep), or leave them out (skip).",
        choices=("keep", "skip"),
    ),
    SENTENCES,
    Parameter(
        "newlines",
        "text",
        "two",
        "Characters that CRLF counts in offsets of brat: two, or one.",
        choices=("two", "one"),
        reads=True,
    ),
    Parameter(
        "quotes",
        "text",
        "error",
        "Spans of brat that quote another text than they cover: an error, or a note.",
        choices=("error", "note"),
        reads=True,
    ),
)

TASK = Task(
    name="relations",
    title="relations between labeled spans",
    unit="relation",
    example=Example("relations", "gold.jsonl", ("rules.jsonl", "pipeline.jsonl", "joint.jsonl")),
    models=MODELS,
    match=lambda content: ("strict", "boundaries", "relaxed", "fair"),
    ranked=lambda content: ("strict", "boundaries", "fair"),
    compared_by=("fair", "strict"),
    reported_by=("fair",),
    parameters=PARAMETERS,
    signature=(
        *("align", "atoms", "symmetric", "unannotated", "gold", "system", "offsets", "sentences", "newlines", "quotes"),
        *("map", "labels", "exclude", "macro", "beta"),
    ),
    check=refuse_table,
    shows=lambda annotation: "relations" in annotation.layers,
    passage=late("evenhand.tasks.relations.passage:RelationPassage"),
    notes=late("evenhand.tasks.relations.notes:notes"),
    is_perfect=late("evenhand.tasks.relations.notes:is_perfect"),
    kinds=CLASS_KINDS,
    right=lambda by: ("TP", "TN"),
    verdict_judges=("fair", "strict"),
    verdict_columns=(
        ("side", "string"),
        *((f"{end}_{edge}", "int64") for end in ("head", "tail") for edge in ("start", "end")),
        ("tail_sentence", "int64"),
    ),
    answer=late("evenhand.tasks.relations.answers:answer_in_words"),
    agreement=late("evenhand.tasks.relations.agreement:RelationAgreement"),
    display=Display(
        details=late("evenhand.tasks.relations.tables:details"),
        errors=late("evenhand.tasks.relations.tables:error_bars"),
        confusion=Confusion(
            ("fair",),
            caption="Errors only: wrong arguments and directions on the diagonal, wrong types beside it.",
            one_sided=("AM, FN", "AS, FP"),
        ),
        remarks={"agreement": "F1 under strict match", "moved": "class, but another relation"},
        label="type",
        has_verdicts=True,
        verdict_names=ERROR_NAMES,
        absent=("TN",),
        drawing="links",
    ),
)
