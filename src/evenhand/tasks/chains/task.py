"""Coreference chains: declaration of the task, its parameters and its measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, product
from typing import Any

from evenhand.errors import SettingError
from evenhand.parameters import Allowed, CommandLine, Effect, Parameter, ParameterConversion, split_names
from evenhand.registry import lazy
from evenhand.scoring.measure import (
    Breakdown,
    Formula,
    LeftOut,
    MeanOf,
    Measure,
    PrecisionRecall,
    Scorer,
    WeightedCounts,
    plus,
)
from evenhand.settings import ScoreSettings
from evenhand.tasks import task as spec

ARCS = ("arcs_any", "arcs_nom")
ARCS_KINDS = ("tp", "wl", "fn", "fp", "tn")
TP, WL, FN, FP, TN = range(5)
ERROR_NAMES = {"wl": "wrong antecedent", "fn": "missing antecedent", "fp": "spurious antecedent"}
NOUNS = "nouns"
"""The type of nominal mentions."""
NOMINAL = ("NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN")
"""The POS of nouns in the Penn Treebank, STTS and Universal Dependencies."""
MELA = ("muc", "b_cubed", "ceaf_e")
ENTITY_MEASURES = ("mela", "lea", "ceaf_e", "b_cubed", "muc")
"""The measures of whole chains that systems can be compared by."""
ENTITY_ERRORS = (
    *("span", "conflated", "extra_mention", "extra_entity"),
    *("divided", "missing_mention", "missing_entity"),
)
"""The types of errors by entity, in the order in which they are repaired."""
LINK_MEASURES = ("muc",)
"""The measures that count the links of chains: their errors are missing and wrong links."""
LINK_ERRORS = ("missing_link", "wrong_link")
_FAULTS = ("divided", "conflated", "extra", "incomplete", "span")
ENTITY_VERDICTS = (
    *("exact", "none", "missing", "invented"),
    *("+".join(compress(_FAULTS, chosen)) for chosen in product((True, False), repeat=len(_FAULTS)) if any(chosen)),
)
"""The verdicts on entities."""
ENTITIES = "entities"
"""The fact with the report on entities."""
BLANC = ("coreference", "non-coreference")
ZERO_KINDS = ("tp", "wl", "fn", "fp")
LISTED = ("mentions", "zero")
"""The measures whose units are listed by matching mentions."""
MENTION_KINDS = {units: (f"{units}.common", f"{units}.key", f"{units}.response") for units in ("mentions", "distinct")}
"""The count types of mentions that both sides have, only the key, or only the response."""
HEADS = "heads"
"""The trait of files with the heads of mentions."""
COPIES = "copies"
"""The count of repeated mentions, if all of them count."""
OF_HEADS = ("mor", "zero")
PRESETS: dict[str, dict[str, Any]] = {
    "crac2022": {"mention_match": "partial", "singletons": False, "zeros": "linear"},
    "crac2023": {"mention_match": "head", "singletons": False, "zeros": "linear"},
    "crac2024": {"mention_match": "head", "singletons": False, "zeros": "dependent"},
}
"""The settings of the shared tasks on multilingual coreference resolution."""

PARAMETERS = (
    Parameter(
        "mention_match",
        "text",
        None,
        "Mentions are the same if they have: head: the same head, paired by shared words; partial: words of the key's "
        "mention with its head; exact: the same words [head for CorefUD, else exact].",
        allowed=Allowed(choices=("head", "partial", "exact"), optional=True),
        cli=CommandLine(
            metavar="HOW",
            hints={"-x": "--mention-match exact", "--exact-match": "--mention-match exact", "-m": "--match"},
        ),
        effect=Effect(trait=HEADS),
    ),
    Parameter(
        "zeros",
        "text",
        None,
        "Zeros of CorefUD: dependent: match them by the parents and relations of their empty nodes; linear: by "
        "position [dependent].",
        former=("zero_match_method",),
        allowed=Allowed(choices=("dependent", "linear"), optional=True),
        cli=CommandLine(metavar="HOW"),
        effect=Effect(trait=HEADS),
    ),
    Parameter(
        "singletons",
        "flag",
        None,
        "Keep chains of one mention [kept].",
        former=("keep_singletons",),
        conversion=ParameterConversion(spell=lambda kept: "kept" if kept else "removed"),
        cli=CommandLine(negatable=True, hints={"-s": "--singletons"}),
    ),
    Parameter(
        "repeats",
        "text",
        None,
        "Mentions of several chains: first: only the first chain keeps them (CoNLL-2012); last: the last one owns "
        "them, and all copies count (CorefUD) [last for CorefUD, else first].",
        allowed=Allowed(choices=("first", "last"), optional=True),
        conversion=ParameterConversion(spell=lambda chain: f"{chain}-chain"),
        cli=CommandLine(metavar="CHAIN"),
    ),
    Parameter(
        "antecedents",
        "text",
        "accessibility",
        "Antecedents of missing and wrong links (score --entities, errors by muc): accessibility: the closest earlier "
        "name, else nominal, but of a pronoun the closest mention; closest: always the closest mention.",
        allowed=Allowed(choices=("accessibility", "closest")),
        cli=CommandLine(metavar="RULE"),
        effect=Effect(on="errors", compares=False),
    ),
    Parameter(
        "preset",
        "text",
        None,
        "The settings of a shared task: crac2022 (partial), crac2023 (head) or crac2024 (head, dependent zeros), all "
        "without singletons.",
        allowed=Allowed(choices=tuple(PRESETS), optional=True),
        conversion=ParameterConversion(key=""),
        cli=CommandLine(metavar="NAME"),
    ),
)


def _resolve(values: dict[str, Any], content: spec.GoldProfile) -> None:
    has_heads, preset = HEADS in content.traits, values["preset"]
    for name, value in PRESETS.get(preset, {}).items():
        if values[name] not in (None, value):
            option = name.replace("_", "-")
            raise SettingError(f"preset {preset} sets another value for {option}; remove one of the two.")
        values[name] = value
    defaults = {
        "mention_match": "head" if has_heads else "exact",
        "zeros": "dependent" if has_heads else None,
        "singletons": True,
        "repeats": "last" if has_heads else "first",
    }
    for name, value in defaults.items():
        values[name] = value if values[name] is None else values[name]


_DIVIDED = {
    "mentions": ("mentions.common", "mentions.common", "mentions"),
    "muc": ("muc.common", "muc.common", "muc"),
    "b_cubed": ("b_cubed.key", "b_cubed.response", "mentions"),
    "ceaf_m": ("ceaf_m.common", "ceaf_m.common", "mentions"),
    "ceaf_e": ("ceaf_e.common", "ceaf_e.common", "chains"),
    "lea": ("lea.key", "lea.response", "mentions"),
    "mor": ("mor.common", "mor.common", "mor"),
}
"""The numerators of recall and precision, and the unit of both denominators."""
_WITH_COPIES = {
    **_DIVIDED,
    "mentions": ("distinct.common", "distinct.common", "distinct"),
    "muc": ("muc.common", "muc.common_response", "muc"),
}
"""The same if a mention may be in several chains."""


def _by_entity(formula: Formula) -> Formula:
    """The same, whose errors are listed by entity or by link."""
    if formula.name not in ENTITY_MEASURES:
        return formula
    names = LINK_ERRORS if formula.name in LINK_MEASURES else ENTITY_ERRORS
    return replace(formula, types={name: name for name in names})


def chain_formula(name: str, settings: ScoreSettings) -> Formula:
    recall, precision, units = (_WITH_COPIES if settings["repeats"] == "last" else _DIVIDED)[name]
    formula = _formula(name, {recall: 1.0}, {precision: 1.0}, units, settings)
    if name not in LISTED:
        return _by_entity(formula)
    return replace(formula, types=dict(zip(MENTION_KINDS[units], ("common", "missing", "spurious"), strict=True)))


def _formula(
    name: str, matched: WeightedCounts, correct: WeightedCounts, units: str, settings: ScoreSettings
) -> Formula:
    key, response = {f"{units}.key": 1.0}, {f"{units}.response": 1.0}
    common = {"common": matched} if matched == correct else {"common_key": matched, "common_response": correct}
    counts = {"key": key, "response": response, **common}
    divided = PrecisionRecall(correct, response, matched, key)
    return Formula(name, "chains", counts, divided, beta=settings.beta, breakdown=Breakdown("overall"))


def _blanc(name: str, settings: ScoreSettings) -> Formula:
    counts = {half: {f"blanc.{half}.common": 1.0} for half in BLANC}
    halves = (_formula(half, common, common, f"blanc.{half}", settings) for half, common in counts.items())
    left_out: LeftOut = "absent from both" if settings["repeats"] == "last" else "absent from gold"
    return _mean(name, settings, MeanOf(tuple(halves), left_out))


def _mela(name: str, settings: ScoreSettings) -> Formula:
    return _by_entity(_mean(name, settings, MeanOf(tuple(chain_formula(part, settings) for part in MELA))))


def _mean(name: str, settings: ScoreSettings, mean: MeanOf) -> Formula:
    return Formula(name, "chains", {}, mean, beta=settings.beta, breakdown=Breakdown("overall"))


def _arcs(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in ARCS_KINDS}
    return Formula(name, name, counts, _antecedents(counts), beta=settings.beta, breakdown=Breakdown("labels"))


def _zeros(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {kind: {f"zero.{kind}": 1.0} for kind in ZERO_KINDS}
    return Formula(name, "chains", counts, _antecedents(counts), beta=settings.beta, breakdown=Breakdown("overall"))


def _antecedents(counts: Mapping[str, WeightedCounts]) -> PrecisionRecall:
    """Precision = tp / (tp + wl + fp), recall = tp / (tp + wl + fn)."""
    resolved = plus(counts["tp"], counts["wl"])
    return PrecisionRecall.of_pairs(counts["tp"], plus(resolved, counts["fp"]), plus(resolved, counts["fn"]))


_NOMINAL = Parameter(
    "nominal",
    "names",
    NOMINAL,
    f"POS tags of nouns; a mention of one token is nominal if it has such a tag [{','.join(NOMINAL)}].",
    allowed=Allowed(optional=True),
    conversion=ParameterConversion(parse=split_names, stored=tuple[str, ...], spell="+".join),
)


def _measure(
    name: str,
    function: str,
    summary: str,
    *aliases: str,
    title: str = "",
    formula: Callable[[str, ScoreSettings], Formula] = chain_formula,
) -> Measure:
    """A measure of chains; all of them have one scorer. The function's docstring is the definition."""
    definition = f"evenhand.tasks.chains.{'corefud' if name in OF_HEADS else 'measures'}.{function}"
    return Measure(
        *(name, "chains", Scorer("chains"), formula, definition, aliases, title),
        summary=summary,
        requires=frozenset({HEADS} if name in OF_HEADS else ()),
        instead_of_units=""
        if name in LISTED
        else "choose mela for errors by entity, muc for links, arcs_any or mentions",
        lists_errors=name in ENTITY_MEASURES,
    )


MEASURES = (
    _measure("mentions", "count_chains", "Mentions that both sides have.", "mention detection", "md"),
    _measure("muc", "count_muc", "Links that join the mentions of a chain.", title="MUC"),
    _measure(
        *("b_cubed", "count_b_cubed", "How much of each mention's chain is in its chain on the other side."),
        *("b3", "bcub", "bcubed"),
        title="B³",
    ),
    _measure(
        *("ceaf_m", "count_ceaf_m", "Mentions in common of chains that are matched one to one."),
        *("ceafm", "ceaf phi3", "mention ceaf"),
        title="CEAFm",
    ),
    _measure(
        *("ceaf_e", "count_ceaf_m", "Similarity of chains that are matched one to one."),
        *("ceafe", "ceaf phi4", "entity ceaf"),
        title="CEAFe",
    ),
    _measure(
        *("blanc", "count_blanc", "The mean of the scores of links within chains and between them."),
        title="BLANC",
        formula=_blanc,
    ),
    _measure("lea", "count_lea", "Links of each chain that are resolved, weighted by its size.", title="LEA"),
    _measure(
        *("mela", "count_chains", "The mean of the F1 of muc, b_cubed and ceaf_e: the CoNLL score."),
        *("conll", "conll f1", "conll score", "conll average"),
        title="MELA",
        formula=_mela,
    ),
    _measure(
        *("mor", "count_mor", "Words of mentions that are found, regardless of chains."),
        *("mention overlap ratio", "mention overlap"),
        title="MOR",
    ),
    _measure(
        *("zero", "count_zeros", "Zeros that are resolved to a right antecedent."),
        *("zeros", "zero anaphora", "zero anaphors"),
        title="zeros",
        formula=_zeros,
    ),
    Measure(
        *("arcs_any", "chains", Scorer("arcs_any"), _arcs, "evenhand.tasks.chains.arcs"),
        title="ARCS any",
        family="arcs",
        summary="Mentions that are resolved to any right antecedent.",
    ),
    Measure(
        *("arcs_nom", "chains", Scorer("arcs_nom"), _arcs, "evenhand.tasks.chains.arcs"),
        title="ARCS nom",
        family="arcs",
        parameters=(_NOMINAL,),
        requires=frozenset({"pos"}),
        summary="Mentions that are resolved to a right nominal antecedent.",
    ),
)


def _scorable(content: spec.GoldProfile, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The measures, of some or of all, whose requirements the gold standard meets: arcs_nom needs POS."""
    requires = {measure.name: measure.requires for measure in MEASURES}
    return tuple(name for name in names or requires if requires[name] <= content.traits)


def _check(settings: ScoreSettings, content: spec.GoldProfile) -> None:
    if "arcs_nom" in settings.match and "pos" not in content.traits:
        raise SettingError("arcs_nom needs the POS of words, which the gold standard does not have; remove it.")
    if HEADS in content.traits:
        return
    options = [f"{name} {settings[name]}" for name in ("preset", "zeros") if settings[name] is not None]
    options += [f"mention-match {settings['mention_match']}"] if settings["mention_match"] != "exact" else []
    options += [name for name in OF_HEADS if name in settings.match]
    if options:
        raise SettingError(f"{options[0]} needs the heads of mentions, which only CorefUD files have; remove it.")


TASK = spec.Task(
    name="chains",
    title="coreference chains",
    aliases=("coref", "coreference"),
    unit="mention",
    example=spec.Example("chains", "gold.conll", ("rules.conll", "pairs.conll", "neural.conll")),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=_scorable,
        ranked=lambda content: _scorable(content, ("mela", "lea", *ARCS)),
        compared=(*ENTITY_MEASURES, *ARCS),
        reported=(*ENTITY_MEASURES, *ARCS),
        tested=lambda by, content: tuple(dict.fromkeys((*_scorable(content), by))),
    ),
    parameters=PARAMETERS,
    input=spec.InputSpec(
        alignments=("strict", "position"),
        default_alignment=lambda content: "strict" if HEADS in content.traits else "position",
        has_labels=False,
        traits=lambda annotation: frozenset({"pos"} & annotation.layers.keys()),
        detects=lambda annotation: "chains" in annotation.layers,
        matches_documents=True,
        unit_columns=("parse", "feats", "head"),
    ),
    rules=spec.SettingRules(
        resolve=_resolve,
        signature=("align", "gold", "system", "singletons", "repeats", "nominal", "beta"),
        check=_check,
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.chains.evaluation:align"),
        evaluate=lazy("evenhand.tasks.chains.evaluation:evaluate"),
        by_document=True,
        notes=lazy("evenhand.tasks.chains.tables:notes"),
        is_perfect=lazy("evenhand.tasks.chains.tables:is_perfect"),
        entities=lazy("evenhand.tasks.chains.entity_report:EntityObserver"),
        fact_names=(ENTITIES,),
    ),
    compared_units=dict.fromkeys(ENTITY_MEASURES, "entity"),
    error_types=spec.ErrorTypes(
        all=ARCS_KINDS,
        correct=lambda by: ("exact", "none") if by in ENTITY_MEASURES else ("tp", "tn"),
        names=ERROR_NAMES,
        absent=("tn", "none", "missing"),
        sections=dict.fromkeys(ENTITY_ERRORS, "entities"),
        others=dict.fromkeys(ENTITY_MEASURES, ENTITY_VERDICTS),
    ),
    comparison=spec.ComparisonSpec(
        unit_scorers=ARCS,
        unit_columns=(("gold_antecedent", "string"), ("system_antecedent", "string")),
        answer_text=lambda code, labels: (*ARCS_KINDS, *ENTITY_VERDICTS)[code],
        similarity=lazy("evenhand.tasks.chains.evaluation:ChainAgreement"),
        slices={"pronoun": lazy("evenhand.tasks.chains.arcs:by_pronoun")},
        attributes=spec.WORD_ATTRIBUTES,
        page_slices=("document",),
        default_slices=lambda by, content: ("pronoun",) if by in ARCS and "pos" in content.traits else (),
        parts=lazy("evenhand.tasks.chains.entity_scores:parts_of_differences"),
        groups=lazy("evenhand.tasks.chains.entity_scores:swappable_groups"),
    ),
    agreement=spec.AgreementSpec(("mentions", "muc", "b_cubed", "ceaf_e", "lea", "mela")),
    display=spec.Display(
        lists_all_gold=False,  # mentions without an antecedent are not in comparisons
        summary=lazy("evenhand.tasks.chains.tables:summary"),
        details=lazy("evenhand.tasks.chains.tables:details"),
        errors=lazy("evenhand.tasks.chains.tables:error_bars"),
        error_groups=lazy("evenhand.tasks.chains.tables:entity_groups"),
        contrast=lazy("evenhand.tasks.chains.tables:contrast"),
        beside=("mela", *MELA, "lea"),
        confusion=None,
        transitions=lazy("evenhand.tasks.chains.tables:transitions"),
        remarks={
            "moved": "verdict, but another antecedent",
            "oracle": "Units are mentions with an antecedent in the key, and scores are recall.",
            "oracle by entity": "Units are entities of the key, and figures are shares that are found exactly.",
            "paired": "the same both ways, but for ARCS nom and repeated spans",
        },
        label="type of mention",
        drawing="mentions",
    ),
)
