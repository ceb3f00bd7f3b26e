"""Dependency trees: the head and the relation of every word."""

from __future__ import annotations

from typing import Any

from evenhand.parameters import Parameter
from evenhand.registry import late
from evenhand.settings import ScoreSettings
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.task import Content, Example, Task
from evenhand.tasks.trees.models import ATTACHMENT, CONLL18, MODELS, OFFICIAL
from evenhand.tasks.words.kinds import EXTRA, MISSING, RIGHT, TREE_KINDS
from evenhand.tasks.words.models import share_of_right
from evenhand.tasks.words.punctuation_policy import PUNCTUATION


def _adjust(values: dict[str, Any], content: Content) -> None:
    """Relations have subtypes in CoNLL-U only; elsewhere a colon is part of the name."""
    values["subtypes"] = values["subtypes"] or "conllu" not in content.traits


def _setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What settings do not concern the metrics of CoNLL 2018."""
    chooses = settings.labels or settings.exclude or settings["punctuation"].by != "keep" or settings["subtypes"]
    if chooses and any(model in CONLL18 for model in settings.match):
        return ("--labels, --exclude, --punctuation and --subtypes do not concern the metrics of CoNLL 2018.",)
    return ()


TASK = Task(
    name="trees",
    title="dependency trees",
    unit="word",
    example=Example("trees", "gold.conllu", ("rules.conllu", "transition.conllu", "neural.conllu")),
    models=MODELS,
    match=lambda content: (*ATTACHMENT, *CONLL18) if "universal" in content.traits else ATTACHMENT,
    ranked=lambda content: OFFICIAL if "universal" in content.traits else ("las", "uas", "ls"),
    compared_by=("las", "uas", "ls"),
    reported_by=("las", "uas", "ls"),
    compared=share_of_right,
    parameters=(
        PUNCTUATION,
        Parameter(
            "subtypes",
            "flag",
            False,
            "Compare relations with their subtypes (nmod:poss).",
            spell=lambda kept: "kept" if kept else "cut",
        ),
    ),
    align=lambda content: "characters" if "universal" in content.traits else "strict",
    signature=(
        *("align", "gold", "system", "repair", "map", "labels", "exclude", "punctuation", "subtypes", "macro", "beta"),
    ),
    adjust=_adjust,
    shows=lambda annotation: "trees" in annotation.layers,
    passage=late("evenhand.tasks.trees.judge:passage"),
    notes=late("evenhand.tasks.words.notes:notes"),
    setting_notes=_setting_notes,
    is_perfect=late("evenhand.tasks.notes:is_perfect"),
    kinds=(*TREE_KINDS, MISSING),
    right=lambda by: RIGHT[by],
    surplus_kinds=(EXTRA,),
    verdict_judges=("trees",),
    verdict_columns=(("side", "string"), ("gold_head", "int64"), ("system_head", "int64")),
    compares_shared=True,
    display=Display(
        summary=late("evenhand.tasks.trees.tables:summary"),
        details=late("evenhand.tasks.trees.tables:details"),
        errors=late("evenhand.tasks.trees.tables:error_bars"),
        confusion=Confusion(
            ("ls",), "confusion (wrong relations)", "Errors only: wrong relations, whatever the heads."
        ),
        label="relation",
        drawing="words",
    ),
)
