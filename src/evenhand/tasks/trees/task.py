"""Dependency trees: the head and the relation of every word."""

from __future__ import annotations

from typing import Any

from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.settings import ScoreSettings
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.task import Content, Example, Task
from evenhand.tasks.trees.models import ATTACHMENT, CONLL18, MODELS, OFFICIAL
from evenhand.tasks.words.kinds import ABSENT, ENHANCED, EXTRA, MISSING, RIGHT, TREE_ERRORS, TREE_KINDS
from evenhand.tasks.words.punctuation_policy import PUNCTUATION


def _match(content: Content) -> tuple[str, ...]:
    """The scores of attachment; the official ones and those of enhanced dependencies where a file has the columns."""
    if "universal" not in content.traits:
        return ATTACHMENT
    return (*ATTACHMENT, *CONLL18, *(ENHANCED if "enhanced" in content.traits else ()))


def _ranked(content: Content) -> tuple[str, ...]:
    if "universal" not in content.traits:
        return "las", "uas", "ls"
    return (*OFFICIAL, *(ENHANCED if "enhanced" in content.traits else ()))


def _digits(given: str) -> str:
    if not given or set(given) - set("0123456"):
        raise SettingError(f"enhancements is {given!r}; give digits from 0 to 6, such as 156.")
    return "".join(sorted(set(given) - {"0"})) or "0"


def _adjust(values: dict[str, Any], content: Content) -> None:
    """Relations have subtypes in CoNLL-U only; elsewhere a colon is part of the name."""
    values["subtypes"] = values["subtypes"] or "conllu" not in content.traits


def _setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What settings do not concern the metrics of CoNLL 2018."""
    chooses = settings.labels or settings.exclude or settings["punctuation"].by != "keep" or settings["subtypes"]
    if chooses and any(model in CONLL18 for model in settings.match):
        more = ", nor elas and eulas" if any(model in ENHANCED for model in settings.match) else ""
        return (f"--labels, --exclude, --punctuation and --subtypes do not concern the metrics of CoNLL 2018{more}.",)
    return ()


TASK = Task(
    name="trees",
    title="dependency trees",
    unit="word",
    other_units=dict.fromkeys(ENHANCED, "enhanced edge"),
    example=Example("trees", "gold.conllu", ("rules.conllu", "transition.conllu", "neural.conllu")),
    models=MODELS,
    match=_match,
    ranked=_ranked,
    compared_by=("las", "uas", "ls", *ENHANCED),
    reported_by=("las", "uas", "ls", *ENHANCED),
    parameters=(
        PUNCTUATION,
        Parameter(
            "subtypes",
            "flag",
            False,
            "Compare relations with their subtypes (nmod:poss).",
            spell=lambda kept: "kept" if kept else "cut",
        ),
        Parameter(
            "empty_nodes",
            "text",
            "collapse",
            "elas, eulas: collapse empty nodes into paths of labels, or skip their edges.",
            choices=("collapse", "skip"),
        ),
        Parameter(
            "enhancements",
            "text",
            "0",
            "elas, eulas: digits from 1 to 6 of what the treebank lacks, such as 156 (see the definitions).",
            metavar="DIGITS",
            parse=_digits,
            stored=str,
        ),
    ),
    align=lambda content: "characters" if "universal" in content.traits else "strict",
    signature=(
        *("align", "gold", "system", "repair", "map", "labels", "exclude", "punctuation", "subtypes", "macro", "beta"),
    ),
    adjust=_adjust,
    traits=late("evenhand.tasks.words.traits:traits_of_trees"),
    shows=lambda annotation: "trees" in annotation.layers,
    passage=late("evenhand.tasks.trees.judge:passage"),
    notes=late("evenhand.tasks.words.notes:notes"),
    setting_notes=_setting_notes,
    is_perfect=late("evenhand.tasks.notes:is_perfect"),
    kinds=(*TREE_KINDS, MISSING, EXTRA, ABSENT),
    right=lambda by: RIGHT[by],
    verdict_judges=("trees", *ENHANCED),
    verdict_columns=(("side", "string"), ("gold_head", "int64"), ("system_head", "int64")),
    display=Display(
        summary=late("evenhand.tasks.trees.tables:summary"),
        details=late("evenhand.tasks.trees.tables:details"),
        errors=late("evenhand.tasks.trees.tables:error_bars"),
        confusion=Confusion(
            ("ls",), "confusion (wrong relations)", "Errors only: wrong relations, whatever the heads."
        ),
        label="relation",
        verdict_names=TREE_ERRORS,
        absent=(MISSING, ABSENT),
        drawing="words",
    ),
)
