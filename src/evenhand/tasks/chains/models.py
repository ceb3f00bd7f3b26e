"""Match models of coreference chains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evenhand.parameters import Parameter, names
from evenhand.scores.match_model import LeftOut, MatchModel, Sum, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.chains.kinds import ARCS_KINDS, HEADS, MELA, OF_HEADS, ZERO_KINDS

Arithmetic = Callable[[str, ScoreSettings], MatchModel]
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


def chain_model(name: str, settings: ScoreSettings) -> MatchModel:
    recall, precision, units = (_WITH_COPIES if settings["repeats"] == "last" else _DIVIDED)[name]
    return _model(name, {recall: 1.0}, {precision: 1.0}, units, settings)


def _blanc(name: str, settings: ScoreSettings) -> MatchModel:
    halves = []
    for half in BLANC:
        common = {f"blanc.{half}.common": 1.0}
        halves.append(_model(half, common, common, f"blanc.{half}", settings))
    left_out: LeftOut = "absent from both" if settings["repeats"] == "last" else "absent from gold"
    return replace(_mean(name, settings, tuple(halves)), leaves_out=left_out)


def _mela(name: str, settings: ScoreSettings) -> MatchModel:
    return _mean(name, settings, tuple(chain_model(part, settings) for part in MELA))


def _model(name: str, met: Sum, right: Sum, units: str, settings: ScoreSettings) -> MatchModel:
    key, response = {f"{units}.key": 1.0}, {f"{units}.response": 1.0}
    common = {"common": met} if met == right else {"common_key": met, "common_response": right}
    counts = {"key": key, "response": response, **common}
    return MatchModel(name, "chains", counts, right, response, met, key, beta=settings.beta, details="overall")


def _mean(name: str, settings: ScoreSettings, parts: tuple[MatchModel, ...]) -> MatchModel:
    return MatchModel(name, "chains", {}, {}, {}, {}, {}, beta=settings.beta, parts=parts, details="overall")


def arcs_model(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {kind: {kind: 1.0} for kind in ARCS_KINDS}
    right = {"tp": 1.0}
    found, wanted = {"tp": 1.0, "wl": 1.0, "fp": 1.0}, {"tp": 1.0, "wl": 1.0, "fn": 1.0}
    return MatchModel(name, name, counts, right, found, right, wanted, beta=settings.beta, details="labels")


def _zeros(name: str, settings: ScoreSettings) -> MatchModel:
    counts: dict[str, Sum] = {kind: {f"zero.{kind}": 1.0} for kind in ZERO_KINDS}
    right = counts["tp"]
    found, wanted = (plus(right, counts["wl"], counts[kind]) for kind in ("fp", "fn"))
    return MatchModel(name, "chains", counts, right, found, right, wanted, beta=settings.beta, details="overall")


_HOME = "evenhand.tasks.chains"
_NOMINAL = Parameter(
    "nominal",
    "names",
    NOMINAL,
    f"POS tags of nouns; a mention of one token is nominal if it has such a tag [{','.join(NOMINAL)}].",
    parse=names,
    stored=tuple[str, ...],
    spell="+".join,
    optional=True,
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
) -> Model:
    """A score of chains, which all have one judge."""
    needs = frozenset({HEADS} if name in OF_HEADS else ())
    summary = _SUMMARIES[name]
    return Model(name, "chains", Judge("chains"), arithmetic, definition, aliases, title, summary=summary, needs=needs)


MODELS = (
    _declared("mentions", f"{_HOME}.count", "mention detection", "md"),
    _declared("muc", f"{_HOME}.links", title="MUC"),
    _declared("b_cubed", f"{_HOME}.b_cubed", "b3", "bcub", "bcubed", title="B³"),
    _declared("ceaf_m", f"{_HOME}.ceaf", "ceafm", "ceaf phi3", "mention ceaf", title="CEAFm"),
    _declared("ceaf_e", f"{_HOME}.ceaf", "ceafe", "ceaf phi4", "entity ceaf", title="CEAFe"),
    _declared("blanc", f"{_HOME}.links", title="BLANC", arithmetic=_blanc),
    _declared("lea", f"{_HOME}.links", title="LEA"),
    _declared(
        "mela", f"{_HOME}.count", "conll", "conll f1", "conll score", "conll average", title="MELA", arithmetic=_mela
    ),
    _declared("mor", f"{_HOME}.mention_overlap", "mention overlap ratio", "mention overlap", title="MOR"),
    _declared(
        "zero", f"{_HOME}.zero_anaphors", "zeros", "zero anaphora", "zero anaphors", title="zeros", arithmetic=_zeros
    ),
    Model(
        "arcs_any",
        "chains",
        Judge("arcs_any"),
        arcs_model,
        f"{_HOME}.arcs",
        title="ARCS any",
        family="arcs",
        summary="Mentions that are resolved to any right antecedent.",
    ),
    Model(
        *("arcs_nom", "chains", Judge("arcs_nom"), arcs_model, f"{_HOME}.arcs"),
        title="ARCS nom",
        family="arcs",
        parameters=(_NOMINAL,),
        needs=frozenset({"pos"}),
        summary="Mentions that are resolved to a right nominal antecedent.",
    ),
)
