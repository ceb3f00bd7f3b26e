"""Coreference chains: mentions of the same thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evenhand.errors import SettingError
from evenhand.parameters import Allowed, CommandLine, Conversion, Effect, Parameter, split_names
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
from evenhand.tasks.task import (
    AgreementSpec,
    ComparisonSpec,
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

# == tasks/chains/kinds.py: The verdicts on mentions, and which scores there are of what


ARCS = ("arcs_any", "arcs_nom")
ARCS_KINDS = ("tp", "wl", "fn", "fp", "tn")
TP, WL, FN, FP, TN = range(5)
NOUNS = "nouns"
MELA = ("muc", "b_cubed", "ceaf_e")
ZERO_KINDS = ("tp", "wl", "fn", "fp")
"""The verdicts on zero anaphors."""
OF_HEADS = ("mor", "zero")
"""The scores of files that know the heads of mentions."""
HEADS = "heads"
"""The trait of these files."""
ERROR_NAMES = {"wl": "wrong antecedent", "fn": "missing antecedent", "fp": "spurious antecedent"}
"""What errors are called."""


# == tasks/chains/parameters.py: What a user can set of coreference chains, and what the shar


PRESETS: dict[str, dict[str, Any]] = {
    "crac2022": {"mention_match": "partial", "singletons": False, "zeros": "linear"},
    "crac2023": {"mention_match": "head", "singletons": False, "zeros": "linear"},
    "crac2024": {"mention_match": "head", "singletons": False, "zeros": "dependent"},
}
"""What the shared tasks on multilingual coreference resolution used, year by year."""

PARAMETERS = (
    Parameter(
        "mention_match",
        "text",
        None,
        "What counts as the same mention: head: the same head, paired by the words in common; partial: words of the "
        "key's mention with its head; exact: the same words [head for CorefUD, else exact].",
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
        "How zeros of CorefUD are matched: dependent: by the parents and relations of their empty nodes, wherever "
        "these stand; linear: by their place [dependent].",
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
        conversion=Conversion(spell=lambda kept: "kept" if kept else "removed"),
        cli=CommandLine(negatable=True, hints={"-s": "--singletons"}),
    ),
    Parameter(
        "repeats",
        "text",
        None,
        "Which chain has a mention that several have: the first, and no other, as in CoNLL-2012; the last, while all "
        "copies count, as the scorer of CorefUD has it [last for CorefUD, else first].",
        allowed=Allowed(choices=("first", "last"), optional=True),
        conversion=Conversion(spell=lambda chain: f"{chain}-chain"),
        cli=CommandLine(metavar="CHAIN"),
    ),
    Parameter(
        "preset",
        "text",
        None,
        "The settings of a shared task: crac2022 (partial), crac2023 (head) or crac2024 (head, dependent zeros), all "
        "without singletons.",
        allowed=Allowed(choices=tuple(PRESETS), optional=True),
        conversion=Conversion(key=""),
        cli=CommandLine(metavar="NAME"),
    ),
)


def settle(values: dict[str, Any], content: GoldProfile) -> None:
    """Give parameters their values that depend on the format or on a preset."""
    has_heads, preset = HEADS in content.traits, values["preset"]
    for name, value in PRESETS.get(preset, {}).items():
        if values[name] not in (None, value):
            option = name.replace("_", "-")
            raise SettingError(f"preset {preset} has another value for {option}; leave out one of the two.")
        values[name] = value
    defaults = {
        "mention_match": "head" if has_heads else "exact",
        "zeros": "dependent" if has_heads else None,
        "singletons": True,
        "repeats": "last" if has_heads else "first",
    }
    for name, value in defaults.items():
        values[name] = value if values[name] is None else values[name]


# == tasks/chains/models.py: Match models of coreference chains.


Arithmetic = Callable[[str, ScoreSettings], Formula]
_DIVIDED = {
    "mentions": ("mentions.common", "mentions.common", "mentions"),
    "muc": ("muc.common", "muc.common", "muc"),
    "b_cubed": ("b_cubed.key", "b_cubed.response", "mentions"),
    "ceaf_m": ("ceaf_m.common", "ceaf_m.common", "mentions"),
    "ceaf_e": ("ceaf_e.common", "ceaf_e.common", "chains"),
    "lea": ("lea.key", "lea.response", "mentions"),
    "mor": ("mor.common", "mor.common", "mor"),
}
"""For each score what recall divides, what precision divides, and by what of the key and the response."""
_WITH_COPIES = {
    **_DIVIDED,
    "mentions": ("distinct.common", "distinct.common", "distinct"),
    "muc": ("muc.common", "muc.common_response", "muc"),
}
"""The same where a mention may stand in several chains."""
BLANC = ("coreference", "non-coreference")
NOMINAL = ("NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN")
"""The POS of nouns: of the Penn Treebank, of STTS and of Universal Dependencies."""


def chain_model(name: str, settings: ScoreSettings) -> Formula:
    recall, precision, units = (_WITH_COPIES if settings["repeats"] == "last" else _DIVIDED)[name]
    return _model(name, {recall: 1.0}, {precision: 1.0}, units, settings)


def _blanc(name: str, settings: ScoreSettings) -> Formula:
    halves = []
    for half in BLANC:
        common = {f"blanc.{half}.common": 1.0}
        halves.append(_model(half, common, common, f"blanc.{half}", settings))
    left_out: LeftOut = "absent from both" if settings["repeats"] == "last" else "absent from gold"
    return _mean(name, settings, MeanOf(tuple(halves), left_out))


def _mela(name: str, settings: ScoreSettings) -> Formula:
    return _mean(name, settings, MeanOf(tuple(chain_model(part, settings) for part in MELA)))


def _model(name: str, met: WeightedCounts, right: WeightedCounts, units: str, settings: ScoreSettings) -> Formula:
    key, response = {f"{units}.key": 1.0}, {f"{units}.response": 1.0}
    common = {"common": met} if met == right else {"common_key": met, "common_response": right}
    counts = {"key": key, "response": response, **common}
    divided = PrecisionRecall(right, response, met, key)
    return Formula(name, "chains", counts, divided, beta=settings.beta, breakdown=Breakdown("overall"))


def _mean(name: str, settings: ScoreSettings, mean: MeanOf) -> Formula:
    return Formula(name, "chains", {}, mean, beta=settings.beta, breakdown=Breakdown("overall"))


def arcs_model(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {kind: {kind: 1.0} for kind in ARCS_KINDS}
    right = {"tp": 1.0}
    predicted, expected = {"tp": 1.0, "wl": 1.0, "fp": 1.0}, {"tp": 1.0, "wl": 1.0, "fn": 1.0}
    divided = PrecisionRecall.of_pairs(right, predicted, expected)
    return Formula(name, name, counts, divided, beta=settings.beta, breakdown=Breakdown("labels"))


def _zeros(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {kind: {f"zero.{kind}": 1.0} for kind in ZERO_KINDS}
    right = counts["tp"]
    divided = PrecisionRecall.of_pairs(right, *(plus(right, counts["wl"], counts[kind]) for kind in ("fp", "fn")))
    return Formula(name, "chains", counts, divided, beta=settings.beta, breakdown=Breakdown("overall"))


_NOMINAL = Parameter(
    "nominal",
    "names",
    NOMINAL,
    f"POS tags of nouns; a mention of one token is nominal if it has such a tag [{','.join(NOMINAL)}].",
    allowed=Allowed(optional=True),
    conversion=Conversion(parse=split_names, stored=tuple[str, ...], spell="+".join),
)


_SUMMARIES = {
    "mentions": "Mentions that both sides have.",
    "muc": "Links that join the mentions of a chain.",
    "b_cubed": "How much of its own chain each mention finds in the other one.",
    "ceaf_m": "Mentions in common of chains that are matched one to one.",
    "ceaf_e": "Similarity of chains that are matched one to one.",
    "blanc": "The mean of the scores of links within chains and between them.",
    "lea": "Links of each chain that are resolved, weighted by its size.",
    "mela": "The mean of the F1 of muc, b_cubed and ceaf_e: the CoNLL score.",
    "mor": "Words of mentions that are found, whatever their chains.",
    "zero": "Zeros that are resolved to a right antecedent.",
}


def _declared(
    name: str, definition: str, *aliases: str, title: str = "", arithmetic: Arithmetic = chain_model
) -> Measure:
    """A score of chains, which all have one judge."""
    requires = frozenset({HEADS} if name in OF_HEADS else ())
    summary = _SUMMARIES[name]
    return Measure(
        name, "chains", Scorer("chains"), arithmetic, definition, aliases, title, summary=summary, requires=requires
    )


MODELS = (
    _declared("mentions", "evenhand.tasks.chains.measures.count_chains", "mention detection", "md"),
    _declared("muc", "evenhand.tasks.chains.measures.count_muc", title="MUC"),
    _declared("b_cubed", "evenhand.tasks.chains.measures.count_b_cubed", "b3", "bcub", "bcubed", title="B³"),
    _declared(
        "ceaf_m", "evenhand.tasks.chains.measures.count_ceaf_m", "ceafm", "ceaf phi3", "mention ceaf", title="CEAFm"
    ),
    _declared(
        "ceaf_e", "evenhand.tasks.chains.measures.count_ceaf_m", "ceafe", "ceaf phi4", "entity ceaf", title="CEAFe"
    ),
    _declared("blanc", "evenhand.tasks.chains.measures.count_blanc", title="BLANC", arithmetic=_blanc),
    _declared("lea", "evenhand.tasks.chains.measures.count_lea", title="LEA"),
    _declared(
        "mela",
        "evenhand.tasks.chains.measures.count_chains",
        "conll",
        "conll f1",
        "conll score",
        "conll average",
        title="MELA",
        arithmetic=_mela,
    ),
    _declared(
        "mor", "evenhand.tasks.chains.corefud.count_mor", "mention overlap ratio", "mention overlap", title="MOR"
    ),
    _declared(
        "zero",
        "evenhand.tasks.chains.corefud.count_zeros",
        "zeros",
        "zero anaphora",
        "zero anaphors",
        title="zeros",
        arithmetic=_zeros,
    ),
    Measure(
        "arcs_any",
        "chains",
        Scorer("arcs_any"),
        arcs_model,
        "evenhand.tasks.chains.arcs",
        title="ARCS any",
        family="arcs",
        summary="Mentions that are resolved to any right antecedent.",
    ),
    Measure(
        *("arcs_nom", "chains", Scorer("arcs_nom"), arcs_model, "evenhand.tasks.chains.arcs"),
        title="ARCS nom",
        family="arcs",
        parameters=(_NOMINAL,),
        requires=frozenset({"pos"}),
        summary="Mentions that are resolved to a right nominal antecedent.",
    ),
)


# == tasks/chains/task.py (primary)


def scorable(names: tuple[str, ...], content: GoldProfile) -> tuple[str, ...]:
    """The match models that the gold standard has all for: without POS, there is no arcs_nom."""
    requires = {model.name: model.requires for model in MODELS}
    return tuple(name for name in names if requires[name] <= content.traits)


def _check(settings: ScoreSettings, content: GoldProfile) -> None:
    if "arcs_nom" in settings.match and "pos" not in content.traits:
        raise SettingError("arcs_nom takes the POS of words, which the gold standard does not have; leave it out.")
    if HEADS in content.traits:
        return
    asked = [f"{name} {settings[name]}" for name in ("preset", "zeros") if settings[name] is not None]
    asked += [f"mention-match {settings['mention_match']}"] if settings["mention_match"] != "exact" else []
    asked += [name for name in OF_HEADS if name in settings.match]
    if asked:
        raise SettingError(f"{asked[0]} takes the heads of mentions, which only CorefUD has; leave it out.")


def _compared_models(by: str, content: GoldProfile) -> tuple[str, ...]:
    names = scorable(tuple(model.name for model in MODELS), content)
    return names if by in names else (*names, by)


TASK = Task(
    name="chains",
    title="coreference chains",
    unit="mention",
    example=Example("chains", "gold.conll", ("rules.conll", "pairs.conll", "neural.conll")),
    measures=MODELS,
    selection=MeasureSelection(
        scored=lambda content: scorable(tuple(model.name for model in MODELS), content),
        ranked=lambda content: scorable(("mela", "lea", "arcs_any", "arcs_nom"), content),
        compared=ARCS,
        reported=ARCS,
        tested=_compared_models,
    ),
    parameters=PARAMETERS,
    input=InputSpec(
        alignments=("strict", "position"),
        default_alignment=lambda content: "strict" if HEADS in content.traits else "position",
        has_labels=False,
        traits=lambda annotation: frozenset({"pos"} & annotation.layers.keys()),
        detects=lambda annotation: "chains" in annotation.layers,
        matches_documents=True,
    ),
    rules=SettingRules(
        resolve=settle, signature=("align", "gold", "system", "singletons", "repeats", "nominal", "beta"), check=_check
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.chains.evaluation:ChainEvaluator"),
        by_document=True,
        notes=lazy("evenhand.tasks.chains.tables:notes"),
        is_perfect=lazy("evenhand.tasks.chains.tables:is_perfect"),
    ),
    error_types=ErrorTypes(all=ARCS_KINDS, correct=lambda by: ("tp", "tn"), names=ERROR_NAMES, absent=("tn",)),
    comparison=ComparisonSpec(
        unit_scorers=ARCS,
        unit_columns=(("gold_antecedent", "string"), ("system_antecedent", "string")),
        answer_text=lambda code, labels: ARCS_KINDS[code],
        similarity=lazy("evenhand.tasks.chains.comparison:ChainAgreement"),
        slices={"pronoun": lazy("evenhand.tasks.chains.arcs:by_pronoun")},
        default_slices=lambda content: ("pronoun",) if "pos" in content.traits else (),
    ),
    agreement=AgreementSpec(("mentions", "muc", "b_cubed", "ceaf_e", "lea", "mela")),
    display=Display(
        summary=lazy("evenhand.tasks.chains.tables:summary"),
        details=lazy("evenhand.tasks.chains.tables:details"),
        errors=lazy("evenhand.tasks.chains.tables:error_bars"),
        confusion=None,
        transitions=lazy("evenhand.tasks.chains.tables:transitions"),
        remarks={
            "moved": "verdict, but another antecedent",
            "oracle": "Units are mentions with an antecedent in the key, and scores are recall.",
            "paired": "the same both ways, but for ARCS nom and repeated spans",
        },
        label="type of mention",
        drawing="mentions",
    ),
)
