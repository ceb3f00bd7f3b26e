"""Dependency trees: declaration of the task, its parameters and its measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.errors import SettingError
from evenhand.parameters import CommandLine, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.scoring.measure import Breakdown, Formula, Measure, PrecisionRecall, Ratio, Scorer
from evenhand.settings import ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.words import measures as words

_ATTACHMENT = {
    "uas": "The share of words with the right head.",
    "ls": "The share of words with the right relation.",
    "las": "The share of words with the right head and relation.",
}
ATTACHMENT = tuple(_ATTACHMENT)
OF_WORDS = ("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las")
OF_CONTENT = ("clas", "mlas", "blex")
_CONLL18 = {
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
_ENHANCED = {
    "elas": "Enhanced edges with the right head and label.",
    "eulas": "Enhanced edges with the right head and label, subtypes aside.",
}
_LAYERS = {
    "UPOS": ("upos",),
    "XPOS": ("xpos",),
    "UFeats": ("feats",),
    "AllTags": ("upos", "xpos", "feats"),
    "Lemmas": ("lemma",),
    "MLAS": ("upos", "feats"),
    "BLEX": ("lemma",),
}
"""The optional layers that metrics compare."""
CONLL18 = tuple(f"conll18-{title.lower()}" for title in _CONLL18)
OFFICIAL = ("conll18-las", "conll18-mlas", "conll18-blex")
"""The ranking scores of the CoNLL 2018 shared task."""


def _attachment(name: str, settings: ScoreSettings) -> Formula:
    formula = words.by_label(name, "trees", words.TREE_KINDS, words.RIGHT[name], settings, confuses=name == "ls")
    if settings.align != "overlap" and settings["punctuation"].by != "spacy":
        return formula
    formula = words.as_sets(formula)
    if name == "uas":
        return formula
    predicted = {words.REPEATED: 1.0}
    counts = {**formula.counts, "system": {**formula.counts["system"], **predicted}}
    divided = formula.divided
    assert isinstance(divided, PrecisionRecall)
    divided = replace(divided, predicted={**divided.predicted, **predicted})
    return replace(formula, counts=counts, divided=divided)


def _conll18(name: str, settings: ScoreSettings) -> Formula:
    metric = name.removeprefix("conll18-")
    units = "words" if metric in OF_WORDS else "content" if metric in OF_CONTENT else metric
    correct, gold, system = {f"{metric}.correct": 1.0}, {f"{units}.gold": 1.0}, {f"{units}.system": 1.0}
    counts, ratios = {"correct": correct, "gold": gold, "system": system}, list[Ratio]()
    if metric in OF_WORDS or metric in OF_CONTENT:
        aligned = counts["aligned"] = {"words.correct" if units == "words" else "content.aligned": 1.0}
        ratios.append(Ratio("aligned_accuracy", correct, aligned, "The share of aligned words that are right."))
    return Formula(
        *(name, "conll18", counts, PrecisionRecall.of_pairs(correct, system, gold)),
        ratios=tuple(ratios),
        beta=settings.beta,
        breakdown=Breakdown("overall"),
        types={kind: kind for kind in (*words.TAG_KINDS, words.MISSING, words.EXTRA)},
    )


def _enhanced(name: str, settings: ScoreSettings) -> Formula:
    formula = words.by_label(name, name, words.TREE_KINDS, ("right",), settings, confuses=True)
    counts = {**formula.counts, "pairs": {"pairs": 1.0}}
    extra_scores = lazy("evenhand.tasks.trees.enhanced:with_details")
    return replace(formula, headline="overall", counts=counts, extra_scores=extra_scores)


MEASURES = (
    *(
        Measure(
            *(name, "trees", Scorer("trees"), _attachment, "evenhand.tasks.trees.attachment"),
            title=name.upper(),
            summary=summary,
        )
        for name, summary in _ATTACHMENT.items()
    ),
    *(
        Measure(
            *(name, "trees", Scorer("conll18"), _conll18, "evenhand.tasks.trees.conll18"),
            aliases=(title.lower(),) if title not in ("UAS", "LAS") else (),
            annotation=_LAYERS.get(title, ()),
            title=title,
            family="conll18",
            summary=f"CoNLL 2018: {summary}",
        )
        for name, (title, summary) in zip(CONLL18, _CONLL18.items(), strict=True)
    ),
    *(
        Measure(
            *(name, "trees", Scorer(name), _enhanced, "evenhand.tasks.trees.enhanced"),
            title=name.upper(),
            annotation=("deps",),
            family="iwpt",
            summary=summary,
        )
        for name, summary in _ENHANCED.items()
    ),
)


def _scored(content: spec.GoldProfile) -> tuple[str, ...]:
    """Attachment scores and, if the file has the columns, metrics of CoNLL 2018 and of enhanced dependencies."""
    if "universal" not in content.traits:
        return ATTACHMENT
    return (*ATTACHMENT, *CONLL18, *(words.ENHANCED if "enhanced" in content.traits else ()))


def _ranked(content: spec.GoldProfile) -> tuple[str, ...]:
    if "universal" not in content.traits:
        return "las", "uas", "ls"
    return (*OFFICIAL, *(words.ENHANCED if "enhanced" in content.traits else ()))


def _digits(text: str) -> str:
    if not text or set(text) - set("0123456"):
        raise SettingError(f"enhancements is {text!r}; use digits from 0 to 6, such as 156.")
    return "".join(sorted(set(text) - {"0"})) or "0"


def _resolve(values: dict[str, Any], content: spec.GoldProfile) -> None:
    """Keep a colon as part of the name unless the file is CoNLL-U, which has subtypes."""
    values["subtypes"] = values["subtypes"] or "conllu" not in content.traits


def _setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    chooses = settings.labels or settings.exclude or settings["punctuation"].by != "keep" or settings["subtypes"]
    if chooses and any(model in CONLL18 for model in settings.match):
        more = ", nor elas and eulas" if any(model in words.ENHANCED for model in settings.match) else ""
        return (f"--labels, --exclude, --punctuation and --subtypes do not affect the metrics of CoNLL 2018{more}.",)
    return ()


TASK = spec.Task(
    name="trees",
    title="dependency trees",
    aliases=("dep", "dependencies", "dependency-parsing", "parsing"),
    unit="word",
    other_units=dict.fromkeys(words.ENHANCED, "enhanced edge"),
    example=spec.Example("trees", "gold.conllu", ("rules.conllu", "transition.conllu", "neural.conllu")),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=_scored,
        ranked=_ranked,
        compared=("las", "uas", "ls", *words.ENHANCED),
        reported=("las", "uas", "ls", *words.ENHANCED),
    ),
    parameters=(
        words.PUNCTUATION,
        Parameter(
            "subtypes",
            "flag",
            False,
            "Compare relations with their subtypes (nmod:poss).",
            conversion=ParameterConversion(spell=lambda kept: "kept" if kept else "cut"),
        ),
        spec.choice(
            "empty_nodes",
            ("collapse", "skip"),
            "elas, eulas: collapse empty nodes into paths of labels, or skip their edges.",
        ),
        Parameter(
            "enhancements",
            "text",
            "0",
            "elas, eulas: enhancement types (1-6) that the treebank lacks, such as 156 (see the definitions).",
            conversion=ParameterConversion(parse=_digits, stored=str),
            cli=CommandLine(metavar="DIGITS"),
        ),
    ),
    input=spec.InputSpec(
        alignments=("strict", "position", "characters", "overlap"),
        default_alignment=lambda content: "characters" if "universal" in content.traits else "strict",
        traits=words.traits_of_trees,
        detects=lambda annotation: "trees" in annotation.layers,
    ),
    rules=spec.SettingRules(
        signature=(
            *("align", "gold", "system", "repair", "map", "labels", "exclude"),
            *("punctuation", "subtypes", "macro", "beta"),
        ),
        resolve=_resolve,
        notes=_setting_notes,
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.trees.attachment:align"),
        evaluate=lazy("evenhand.tasks.trees.attachment:evaluate"),
        notes=words.notes,
        is_perfect=lazy("evenhand.tasks.tables:is_perfect"),
    ),
    error_types=spec.ErrorTypes(
        all=(*words.TREE_KINDS, words.MISSING, words.EXTRA, words.ABSENT),
        correct=lambda by: words.RIGHT[by],
        names=words.TREE_ERRORS,
        absent=(words.MISSING, words.ABSENT),
    ),
    comparison=spec.ComparisonSpec(
        unit_scorers=("trees", *words.ENHANCED),
        unit_columns=(("side", "string"), ("gold_head", "int64"), ("system_head", "int64")),
        attributes=spec.WORD_ATTRIBUTES,
    ),
    display=spec.Display(
        summary=lazy("evenhand.tasks.trees.tables:summary"),
        details=lazy("evenhand.tasks.trees.tables:details"),
        errors=lazy("evenhand.tasks.trees.tables:error_bars"),
        confusion=spec.Confusion(
            ("ls",), "confusion (wrong relations)", "Errors only: wrong relations, regardless of heads."
        ),
        label="relation",
        drawing="words",
    ),
)
