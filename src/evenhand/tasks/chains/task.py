"""Coreference chains: mentions of the same thing."""

from __future__ import annotations

from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.settings import ScoreSettings
from evenhand.tasks.agreed import Agreed
from evenhand.tasks.chains.kinds import ARCS, ARCS_KINDS, ERROR_NAMES, HEADS, OF_HEADS
from evenhand.tasks.chains.models import MODELS
from evenhand.tasks.chains.parameters import PARAMETERS, settle
from evenhand.tasks.display import Display
from evenhand.tasks.task import Content, Example, Task


def scorable(names: tuple[str, ...], content: Content) -> tuple[str, ...]:
    """The match models that the gold standard has all for: without POS, there is no arcs_nom."""
    needs = {model.name: model.needs for model in MODELS}
    return tuple(name for name in names if needs[name] <= content.traits)


def _check(settings: ScoreSettings, content: Content) -> None:
    if "arcs_nom" in settings.match and "pos" not in content.traits:
        raise SettingError("arcs_nom takes the POS of words, which the gold standard does not have; leave it out.")
    if HEADS in content.traits:
        return
    asked = [f"{name} {settings[name]}" for name in ("preset", "zeros") if settings[name] is not None]
    asked += [f"mention-match {settings['mention_match']}"] if settings["mention_match"] != "exact" else []
    asked += [name for name in OF_HEADS if name in settings.match]
    if asked:
        raise SettingError(f"{asked[0]} takes the heads of mentions, which only CorefUD has; leave it out.")


def _compared_models(by: str, content: Content) -> tuple[str, ...]:
    names = scorable(tuple(model.name for model in MODELS), content)
    return names if by in names else (*names, by)


TASK = Task(
    name="chains",
    title="coreference chains",
    unit="mention",
    example=Example("chains", "gold.conll", ("rules.conll", "pairs.conll", "neural.conll")),
    models=MODELS,
    match=lambda content: scorable(tuple(model.name for model in MODELS), content),
    ranked=lambda content: scorable(("mela", "lea", "arcs_any", "arcs_nom"), content),
    compared_by=ARCS,
    reported_by=ARCS,
    compared_models=_compared_models,
    parameters=PARAMETERS,
    adjust=settle,
    aligns=("strict", "position"),
    align=lambda content: "strict" if HEADS in content.traits else "position",
    has_labels=False,
    signature=("align", "gold", "system", "singletons", "repeats", "nominal", "beta"),
    check=_check,
    traits=lambda annotation: frozenset({"pos"} & annotation.layers.keys()),
    shows=lambda annotation: "chains" in annotation.layers,
    passage=late("evenhand.tasks.chains.passage:ChainPassage"),
    matches_documents=True,
    by_document=True,
    notes=late("evenhand.tasks.chains.notes:notes"),
    is_perfect=late("evenhand.tasks.chains.notes:is_perfect"),
    kinds=ARCS_KINDS,
    right=lambda by: ("tp", "tn"),
    verdict_judges=ARCS,
    verdict_columns=(("gold_antecedent", "string"), ("system_antecedent", "string")),
    answer=lambda code, labels: ARCS_KINDS[code],
    agreement=late("evenhand.tasks.chains.agreement:ChainAgreement"),
    agreed=Agreed(("mentions", "muc", "b_cubed", "ceaf_e", "lea", "mela")),
    slices={"pronoun": late("evenhand.tasks.chains.slices:by_pronoun")},
    default_slices=lambda content: ("pronoun",) if "pos" in content.traits else (),
    display=Display(
        summary=late("evenhand.tasks.chains.tables:summary"),
        details=late("evenhand.tasks.chains.tables:details"),
        errors=late("evenhand.tasks.chains.tables:error_bars"),
        confusion=None,
        transitions=late("evenhand.tasks.chains.tables:transitions"),
        remarks={
            "moved": "verdict, but another antecedent",
            "oracle": "Units are mentions with an antecedent in the key, and scores are recall.",
            "paired": "the same both ways, but for ARCS nom and repeated spans",
        },
        label="type of mention",
        verdict_names=ERROR_NAMES,
        absent=("tn",),
        drawing="mentions",
    ),
)
