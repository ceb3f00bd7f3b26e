"""Constituents: the brackets of phrase structure trees."""

from __future__ import annotations

from typing import Any

from evenhand.parameters import Parameter
from evenhand.registry import late
from evenhand.tasks.constituents.kinds import CLASS_KINDS, ERROR_NAMES
from evenhand.tasks.constituents.models import (
    EVALB,
    EVALB_SHORT,
    MODELS,
    SKIP,
    WRONG,
    decided_by,
    leaves_out,
    with_errors,
    without_errors,
)
from evenhand.tasks.constituents.rules import COLLINS, Rules, parse
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.task import Content, Example, Task
from evenhand.text.constituent_names import LAYER


def _adjust(values: dict[str, Any], content: Content) -> None:
    """The length of short sentences is that of the parameter file unless it is given."""
    if values["cutoff"] is None:
        values["cutoff"] = values["prm"].cutoff


PARAMETERS = (
    Parameter(
        "prm",
        "text",
        COLLINS,
        "Parameters of EVALB: collins, none, or a .prm file, which is read as it is [collins].",
        metavar="collins|none|FILE",
        parse=parse,
        stored=Rules,
        spell=str,
    ),
    Parameter(
        "cutoff",
        "whole",
        None,
        "Words up to which a sentence is short [CUTOFF_LEN of --prm, 40].",
        least=0,
        optional=True,
    ),
    Parameter(
        "errors",
        "text",
        WRONG,
        "Sentences with errors in rank, compare, gate and report: count them as wrong, or skip them as EVALB does.",
        choices=(WRONG, SKIP),
        metavar="wrong|skip",
    ),
)

TASK = Task(
    name=LAYER,
    title="constituents: phrase structure trees",
    unit="bracket",
    example=Example(
        "constituents", "gold.mrg", ("chunks.mrg", "pcfg.mrg", "neural.mrg"), options="--task constituents"
    ),
    models=MODELS,
    match=lambda content: (*EVALB, *EVALB_SHORT, *map(with_errors, (*EVALB, *EVALB_SHORT))),
    ranked=lambda content: EVALB,
    compared_by=("labeled", with_errors("labeled")),
    reported_by=("labeled", with_errors("labeled")),
    compared_models=lambda by, content: tuple(dict.fromkeys((by, without_errors(by)))),
    decided_by=decided_by,
    leaves_out=leaves_out,
    parameters=PARAMETERS,
    aligns=("strict",),
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
    adjust=_adjust,
    shows=lambda annotation: LAYER in annotation.layers,
    passage=late("evenhand.tasks.constituents.passage:ConstituentPassage"),
    notes=late("evenhand.tasks.constituents.notes:notes"),
    setting_notes=late("evenhand.tasks.constituents.notes:setting_notes"),
    is_perfect=late("evenhand.tasks.constituents.notes:is_perfect"),
    kinds=CLASS_KINDS,
    right=lambda by: ("TP", "TN"),
    verdict_judges=("brackets", "brackets-all"),
    verdict_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
    answer=late("evenhand.tasks.constituents.answers:answer_in_words"),
    display=Display(
        summary=late("evenhand.tasks.constituents.tables:summary"),
        details=late("evenhand.tasks.constituents.tables:details"),
        listing=late("evenhand.tasks.constituents.tables:listing"),
        errors=late("evenhand.tasks.constituents.tables:error_bars"),
        confusion=Confusion(
            (with_errors("labeled"), "labeled"),
            caption="Errors only: wrong bounds on the diagonal, wrong labels beside it.",
            one_sided=("FN", "FP"),
        ),
        remarks={"moved": "verdict, but other bounds"},
        has_verdicts=True,
        verdict_names=ERROR_NAMES,
        absent=("TN",),
        unscored=("unscored",),
        drawing="brackets",
    ),
)
