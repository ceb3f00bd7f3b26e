"""Entity links: mentions of entries of a knowledge base."""

from __future__ import annotations

from evenhand.parameters import Parameter
from evenhand.registry import late
from evenhand.tasks.display import Display
from evenhand.tasks.links.kinds import CLASS_KINDS, ERROR_NAMES
from evenhand.tasks.links.models import MODELS
from evenhand.tasks.links.same_ids import SameIds, parse
from evenhand.tasks.task import Example, Task
from evenhand.text.link_names import LAYER, RESPELLED

PARAMETERS = (
    Parameter(
        "same_ids",
        "names",
        (),
        "Table of identifiers and those that they stand for, with a tab between; SIDE is gold or system [both]. "
        "Repeatable.",
        metavar="[SIDE:]FILE",
        parse=parse,
        stored=tuple[SameIds, ...],
        spell=lambda tables: ",".join(map(str, tables)) or "none",
        is_repeated=True,
    ),
    Parameter(
        "nil_labels",
        "names",
        (),
        "Labels of system spans whose links are taken as NIL (TIME, for the relaxed scores of HIPE).",
        spell=lambda names: "+".join(names) or "none",
    ),
)

TASK = Task(
    name="links",
    title="entity links: mentions of entries of a knowledge base",
    unit="link",
    example=Example("links", "gold.jsonl", ("popularity.jsonl", "context.jsonl", "reranker.jsonl")),
    models=MODELS,
    match=lambda content: ("links", "all", "fair"),
    ranked=lambda content: ("links", "nil", "all", "weak_all", "fair"),
    compared_by=("fair",),
    reported_by=("fair",),
    parameters=PARAMETERS,
    align=lambda content: "position" if RESPELLED in content.traits else "strict",
    signature=("align", "atoms", "scope", "gold", "system", "offsets", "map", "labels", "exclude", "macro", "beta"),
    constants={"scope": "document"},
    shows=lambda annotation: LAYER in annotation.layers,
    passage=late("evenhand.tasks.links.passage:LinkPassage"),
    matches_documents=True,
    by_document=True,
    notes=late("evenhand.tasks.links.notes:notes"),
    is_perfect=late("evenhand.tasks.links.notes:is_perfect"),
    kinds=CLASS_KINDS,
    right=lambda by: ("TP", "TN"),
    verdict_judges=("fair",),
    verdict_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
    answer=late("evenhand.tasks.links.answers:answer_in_words"),
    display=Display(
        details=late("evenhand.tasks.links.tables:details"),
        errors=late("evenhand.tasks.links.tables:error_bars"),
        confusion=None,
        transitions=late("evenhand.tasks.links.tables:transitions"),
        remarks={"moved": "answer, but other bounds"},
        has_verdicts=True,
        has_label_answers=False,
        verdict_names=ERROR_NAMES,
        absent=("TN",),
    ),
)
