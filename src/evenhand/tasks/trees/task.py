"""Dependency trees: the head and the relation of every word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.errors import SettingError
from evenhand.parameters import Allowed, CommandLine, Conversion, Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import Breakdown, Formula, Measure, PrecisionRecall, Ratio, Scorer, WeightedCounts
from evenhand.settings import ScoreSettings
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
from evenhand.tasks.words.measures import (
    ABSENT,
    ENHANCED,
    EXTRA,
    MISSING,
    PUNCTUATION,
    RIGHT,
    TREE_ERRORS,
    TREE_KINDS,
    by_label,
)

# == tasks/trees/models.py: Match models of dependency trees: attachment scores, and the


_SUMMARIES = {
    "uas": "The share of words with the right head.",
    "ls": "The share of words with the right relation.",
    "las": "The share of words with the right head and relation.",
}
ATTACHMENT = tuple(_SUMMARIES)
OF_WORDS = ("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las")
OF_CONTENT = ("clas", "mlas", "blex")
_METRICS = ("tokens", "sentences", "words", *OF_WORDS, *OF_CONTENT)
_TITLES = {
    "Tokens": "Tokens that cover the same characters.",
    "Sentences": "Sentences that cover the same characters.",
    "Words": "Words that are aligned.",
    "UPOS": "Words with the same universal tag.",
    "XPOS": "Words with the same language-specific tag.",
    "UFeats": "Words with the same universal features.",
    "AllTags": "Words with the same UPOS, XPOS and UFeats.",
    "Lemmas": "Words with the same lemma.",
    "UAS": "Words with the same head.",
    "LAS": "Words with the same head and relation.",
    "CLAS": "As LAS, for words with a content relation.",
    "MLAS": "As CLAS, and UPOS, UFeats and functional children are the same.",
    "BLEX": "As CLAS, and the lemma is the same.",
}
"""What the shared task calls its metrics, and what they count."""
CONLL18 = tuple(f"conll18-{metric}" for metric in _METRICS)
OFFICIAL = ("conll18-las", "conll18-mlas", "conll18-blex")
"""By which the CoNLL 2018 shared task ranked its systems."""


def _enhanced(name: str, settings: ScoreSettings) -> Formula:
    found = by_label(name, name, TREE_KINDS, ("right",), settings, confuses=True)
    counts = {**found.counts, "pairs": {"pairs": 1.0}}
    extra_scores = lazy("evenhand.tasks.trees.enhanced:with_details")
    return replace(found, headline="overall", counts=counts, extra_scores=extra_scores)


def _attachment(name: str, settings: ScoreSettings) -> Formula:
    return by_label(name, "trees", TREE_KINDS, RIGHT[name], settings, confuses=name == "ls")


def _conll18(name: str, settings: ScoreSettings) -> Formula:
    metric = name.removeprefix("conll18-")
    units = "words" if metric in OF_WORDS else "content" if metric in OF_CONTENT else metric
    correct, gold, system = {f"{metric}.correct": 1.0}, {f"{units}.gold": 1.0}, {f"{units}.system": 1.0}
    aligned: WeightedCounts = {}
    if metric in OF_WORDS or metric in OF_CONTENT:
        aligned = {"words.correct" if units == "words" else "content.aligned": 1.0}
    counts = {"correct": correct, "gold": gold, "system": system} | ({"aligned": aligned} if aligned else {})
    return Formula(
        *(name, "conll18", counts, PrecisionRecall.of_pairs(correct, system, gold)),
        ratios=(Ratio("aligned_accuracy", correct, aligned, _ALIGNED),) if aligned else (),
        beta=settings.beta,
        breakdown=Breakdown("overall"),
    )


_ALIGNED = "The share of aligned words that are right."
_ENHANCED = (
    "Enhanced edges with the right head and label.",
    "Enhanced edges with the right head and label, subtypes aside.",
)
_TREES, _OFFICIAL = Scorer("trees"), Scorer("conll18")
MODELS = (
    *(
        Measure(
            name, "trees", _TREES, _attachment, "evenhand.tasks.trees.attachment", title=name.upper(), summary=summary
        )
        for name, summary in _SUMMARIES.items()
    ),
    *(
        Measure(
            *(name, "trees", _OFFICIAL, _conll18, "evenhand.tasks.trees.conll18"),
            aliases=(name.removeprefix("conll18-"),) if name not in ("conll18-uas", "conll18-las") else (),
            title=title,
            family="conll18",
            summary=f"CoNLL 2018: {summary}",
        )
        for name, (title, summary) in zip(CONLL18, _TITLES.items(), strict=True)
    ),
    *(
        Measure(
            *(name, "trees", Scorer(name), _enhanced, "evenhand.tasks.trees.enhanced"),
            title=name.upper(),
            family="iwpt",
            summary=summary,
        )
        for name, summary in zip(ENHANCED, _ENHANCED, strict=True)
    ),
)


# == tasks/trees/task.py (primary)


def _match(content: GoldProfile) -> tuple[str, ...]:
    """The scores of attachment; the official ones and those of enhanced dependencies where a file has the columns."""
    if "universal" not in content.traits:
        return ATTACHMENT
    return (*ATTACHMENT, *CONLL18, *(ENHANCED if "enhanced" in content.traits else ()))


def _ranked(content: GoldProfile) -> tuple[str, ...]:
    if "universal" not in content.traits:
        return "las", "uas", "ls"
    return (*OFFICIAL, *(ENHANCED if "enhanced" in content.traits else ()))


def _digits(given: str) -> str:
    if not given or set(given) - set("0123456"):
        raise SettingError(f"enhancements is {given!r}; give digits from 0 to 6, such as 156.")
    return "".join(sorted(set(given) - {"0"})) or "0"


def _adjust(values: dict[str, Any], content: GoldProfile) -> None:
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
    measures=MODELS,
    selection=MeasureSelection(
        scored=_match,
        ranked=_ranked,
        compared=("las", "uas", "ls", *ENHANCED),
        reported=("las", "uas", "ls", *ENHANCED),
    ),
    parameters=(
        PUNCTUATION,
        Parameter(
            "subtypes",
            "flag",
            False,
            "Compare relations with their subtypes (nmod:poss).",
            conversion=Conversion(spell=lambda kept: "kept" if kept else "cut"),
        ),
        Parameter(
            "empty_nodes",
            "text",
            "collapse",
            "elas, eulas: collapse empty nodes into paths of labels, or skip their edges.",
            allowed=Allowed(choices=("collapse", "skip")),
        ),
        Parameter(
            "enhancements",
            "text",
            "0",
            "elas, eulas: digits from 1 to 6 of what the treebank lacks, such as 156 (see the definitions).",
            conversion=Conversion(parse=_digits, stored=str),
            cli=CommandLine(metavar="DIGITS"),
        ),
    ),
    input=InputSpec(
        default_alignment=lambda content: "characters" if "universal" in content.traits else "strict",
        traits=lazy("evenhand.tasks.words.measures:traits_of_trees"),
        detects=lambda annotation: "trees" in annotation.layers,
    ),
    rules=SettingRules(
        signature=(
            *(
                "align",
                "gold",
                "system",
                "repair",
                "map",
                "labels",
                "exclude",
                "punctuation",
                "subtypes",
                "macro",
                "beta",
            ),
        ),
        resolve=_adjust,
        notes=_setting_notes,
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.trees.attachment:evaluator"),
        notes=lazy("evenhand.tasks.words.measures:notes"),
        is_perfect=lazy("evenhand.tasks.tables:is_perfect"),
    ),
    error_types=ErrorTypes(
        all=(*TREE_KINDS, MISSING, EXTRA, ABSENT),
        correct=lambda by: RIGHT[by],
        names=TREE_ERRORS,
        absent=(MISSING, ABSENT),
    ),
    comparison=ComparisonSpec(
        unit_scorers=("trees", *ENHANCED),
        unit_columns=(("side", "string"), ("gold_head", "int64"), ("system_head", "int64")),
    ),
    display=Display(
        summary=lazy("evenhand.tasks.trees.tables:summary"),
        details=lazy("evenhand.tasks.trees.tables:details"),
        errors=lazy("evenhand.tasks.trees.tables:error_bars"),
        confusion=Confusion(
            ("ls",), "confusion (wrong relations)", "Errors only: wrong relations, whatever the heads."
        ),
        label="relation",
        drawing="words",
    ),
)
