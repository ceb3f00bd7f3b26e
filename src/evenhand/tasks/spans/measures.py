"""The measures of spans: error types, formulas, parameters and declarations.

The definitions and scorers are in the modules that the declarations name. They need arrays; this module is loaded by
`score --help` and must not import NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.parameters import Allowed, CommandLine, Conversion, Effect, Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import (
    Breakdown,
    Formula,
    Measure,
    Need,
    PrecisionRecall,
    Ratio,
    Scorer,
    WeightedCounts,
    count_errors,
    count_hits,
    plus,
    ratios_only,
)
from evenhand.scoring.weights import ERRORS, GOLD_ERROR, PRESETS, Weights, parse_weights
from evenhand.settings import ScoreSettings
from evenhand.tasks.sentences import SENTENCES

KINDS = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, LE, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN, GE = len(KINDS), len(KINDS) + 1
CLASS_KINDS = (*KINDS, "TN", "GE")
"""In a comparison, surplus of one system is TN for the others. GE is an error of the gold standard."""
STATES = ("covered", "partial", "exposed")
"""States of a gold span under leakage."""
COVERED, PARTIAL, EXPOSED = range(len(STATES))
ANSWER_KINDS = (*CLASS_KINDS, *STATES)
"""Error types and states of a span."""
BOUNDARY_KINDS = ("BES", "BEL", "BEO")

EDGES = ("none", "left", "right")
NO_EDGE, LEFT, RIGHT = range(len(EDGES))
SPAN_KINDS = tuple(kind if edge == "none" else f"{kind}.{edge}" for kind in CLASS_KINDS for edge in EDGES)
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong label and boundaries",
    "FN": "missing",
    "FP": "spurious",
    "GE": "error of the gold standard",
}
"""Error types in words."""

CORRECTED, KIND = "corrected", "kind"
"""The values of --overrides-as."""
LEAK = "leak"
GERMEVAL_LEVELS = ("outer", "inner")
SEMEVAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "strict": {"COR": ("exact_same",), "INC": ("exact_other", "overlap_same", "overlap_other")},
    "exact": {"COR": ("exact_same", "exact_other"), "INC": ("overlap_same", "overlap_other")},
    "partial": {"COR": ("exact_same", "exact_other"), "PAR": ("overlap_same", "overlap_other")},
    "type": {"COR": ("exact_same", "overlap_same"), "INC": ("exact_other", "overlap_other")},
}
"""The pairs that count as COR, INC or PAR under each of the SemEval-2013 measures."""
_PARTS: Mapping[str, WeightedCounts] = {
    kind: {part: 1.0 for part in SPAN_KINDS if part.partition(".")[0] == kind} for kind in (*KINDS, GOLD_ERROR)
}
"""Error types as sums over the boundaries that agree."""
_OF_LABELS = ("values", "values_safe", "sensitive", "leaked")
_OVERALL = ("redacted", "over", "documents", "documents_safe")
"""Additional counts of leakage: those that labels have, and those that only the total has."""


def counts_gold_errors(settings: ScoreSettings) -> bool:
    """Whether errors of the gold standard are an error type."""
    return settings["overrides"] is not None and settings["overrides_as"] == KIND


def _exact(name: str, settings: ScoreSettings) -> Formula:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN", *_gold_errors(settings))}
    return replace(count_errors(name, settings), scorer="exact", counts=counts)


def _fair(name: str, settings: ScoreSettings) -> Formula:
    return _mixed(name, settings, PRESETS["fair"])


def _weighted(name: str, settings: ScoreSettings) -> Formula:
    return _mixed(name, settings, settings["weights"])


def _mixed(name: str, settings: ScoreSettings, weights: Weights) -> Formula:
    """Error types of fair evaluation as mixtures of TP, FP and FN."""
    mixtures = [(part, weights[kind]) for kind, parts in _PARTS.items() for part in parts]
    tp, fp, fn = ({part: mixture[index] for part, mixture in mixtures if mixture[index]} for index in range(3))
    order = ("TP", *ERRORS, "FN", "FP", *_gold_errors(settings))
    shown = {kind: _PARTS[kind] for kind in order} | {"BE": plus(*(_PARTS[kind] for kind in BOUNDARY_KINDS))}
    divided, extra_scores = PrecisionRecall.of_errors(tp, fp, fn), lazy("evenhand.tasks.spans.fair:with_details")
    breakdown = Breakdown(focus=settings["focus"])
    return Formula(name, "fair", shown, divided, beta=settings.beta, breakdown=breakdown, extra_scores=extra_scores)


def _gold_errors(settings: ScoreSettings) -> tuple[str, ...]:
    return (GOLD_ERROR,) if counts_gold_errors(settings) else ()


def _units(name: str, settings: ScoreSettings) -> Formula:
    parts = {"token": 1.0} if name == "t" else {"token": 1.0, "separator": settings["separator_weight"]}

    def sum_of(*kinds: str) -> WeightedCounts:
        return {f"{part}.{kind}": weight for part, weight in parts.items() for kind in kinds}

    present = {kind: sum_of(kind) for kind in ("TP", "FP", "FN")}
    absent = plus(sum_of("units"), *({part: -weight for part, weight in counts.items()} for counts in present.values()))
    tp, fp, fn = (sum_of(kind, f"{kind}+") for kind in ("TP", "FP", "FN"))
    shown = {"TP": tp, "FP": fp, "FN": fn, "TN": absent, "close": {"close": 1.0}, "missed": {"missed": 1.0}}
    return Formula(
        *(name, "units", shown, PrecisionRecall.of_errors(tp, fp, fn)),
        headline="macro",
        beta=settings.beta,
        contingency=present | {"TN": absent},
        text_tally="text",
        also_run="near",
    )


def _semeval(name: str, settings: ScoreSettings) -> Formula:
    pairs = SEMEVAL[name.removeprefix("semeval-")]
    kinds = {kind: dict.fromkeys(pairs.get(kind, ()), 1.0) for kind in ("COR", "INC", "PAR")}
    kinds |= {"MIS": {"missing": 1.0}, "SPU": {"spurious": 1.0}}
    right = plus(kinds["COR"], dict.fromkeys(kinds["PAR"], 0.5))
    paired = plus(kinds["COR"], kinds["INC"], kinds["PAR"])
    actual, possible = plus(paired, kinds["SPU"]), plus(paired, kinds["MIS"])
    return Formula(name, "semeval", kinds, PrecisionRecall.of_pairs(right, actual, possible), beta=settings.beta)


def _accuracy(name: str, settings: ScoreSettings) -> Formula:
    right, tokens = {"correct": 1.0}, {"correct": 1.0, "wrong": 1.0}
    counts = {"correct": right, "tokens": tokens}
    divided = PrecisionRecall.of_pairs(right, tokens, tokens)
    return Formula(name, name, counts, divided, beta=settings.beta, breakdown=Breakdown("accuracy"))


def leakage(name: str, settings: ScoreSettings) -> Formula:
    kinds = {kind: {kind: 1.0} for kind in (*STATES, *_OF_LABELS, *_OVERALL)}
    spans, outside = plus(*(kinds[state] for state in STATES)), {"atoms": 1.0, "sensitive": -1.0}
    counts = {"spans": spans, **kinds}
    worded: WeightedCounts = {"worded": 1.0}
    return ratios_only(
        name,
        name,
        counts,
        (
            Ratio("recall", kinds["covered"], spans, "gold spans that are fully covered."),
            Ratio(
                *("leak_rate", kinds["leaked"], kinds["sensitive"]),
                "atoms of gold spans that are not covered.",
                is_best_low=True,
            ),
            Ratio(
                *("over_rate", kinds["over"], kinds["redacted"]),
                "covered atoms that are not in a gold span.",
                is_best_low=True,
            ),
            Ratio(
                *("over_text", kinds["over"], outside),
                "atoms outside gold spans that are covered.",
                is_best_low=True,
            ),
            Ratio(
                *("values_safe_share", kinds["values_safe"], kinds["values"]),
                "values whose mentions are all covered.",
                title="safe values",
            ),
            Ratio(
                *("documents_safe_share", kinds["documents_safe"], kinds["documents"]),
                "documents without a leaked atom.",
                title="safe documents",
            ),
        ),
        Breakdown(
            "labels",
            overall_only=frozenset((*_OVERALL, "over_rate", "over_text", "values_safe_share", "documents_safe_share")),
            known={
                **dict.fromkeys(("values", "values_safe", "values_safe_share"), worded),
                "over_text": {"atoms": 1.0},
            },
            shares_unlabeled=False,
        ),
    )


def _with_leak(name: str, settings: ScoreSettings) -> Formula:
    """TP, FP and FN, and the missing spans per sentence if the number of sentences is known."""
    sentences: WeightedCounts = {"sentences": 1.0}
    leak = Ratio("leak", {"FN": 1.0}, sentences, "missing spans per sentence.", is_share=False, is_best_low=True)
    breakdown = Breakdown(known={"leak": sentences}, overall_only=frozenset(("leak",)), shares_unlabeled=False)
    return count_errors(name, settings, ratios=(leak,), breakdown=breakdown)


def _bounds(name: str, settings: ScoreSettings) -> Formula:
    return count_errors(name, settings, breakdown=Breakdown("overall"))


def _germeval(name: str, settings: ScoreSettings) -> Formula:
    """Only the strict metric has labels: the labels of the others differ from the gold standard's."""
    metric = name.removeprefix("germeval-")
    levels = (metric,) if metric in GERMEVAL_LEVELS else GERMEVAL_LEVELS
    counts = {kind: {f"{level}.{kind}": 1.0 for level in levels} for kind in ("TP", "FP", "FN")}
    divided = PrecisionRecall.of_errors(*counts.values())
    breakdown = Breakdown("all" if metric == "strict" else "overall")
    return Formula(name, _GERMEVAL[metric][0].name, counts, divided, beta=settings.beta, breakdown=breakdown)


def _scorer(name: str, function: str, *needs: Need, also_run: Scorer | None = None) -> Scorer:
    return Scorer(name, lazy(f"evenhand.tasks.spans.{function}"), frozenset(needs), also_run)


_SEMEVAL_SUMMARIES = {
    "strict": "SemEval-2013: bounds and label of paired spans are equal.",
    "exact": "SemEval-2013: bounds of paired spans are equal, regardless of label.",
    "partial": "SemEval-2013: as semeval-exact, with half a point for overlap.",
    "type": "SemEval-2013: labels of paired spans are equal, if they overlap.",
}
WEIGHTS = Parameter(
    "weights",
    "text",
    PRESETS["boundaries"],
    "Error weights: fair, lenient, boundaries, as-fp, as-fn, a formula such as 'LE = 0.5 FP + 0.5 FN, "
    "BE = 0.5 TP + 0.25 FP + 0.25 FN', or a file with a formula [boundaries]. Implies --match weighted.",
    allowed=Allowed(optional=True),
    conversion=Conversion(parse=parse_weights, stored=Weights),
    cli=CommandLine(metavar="NAME|FORMULA|FILE", file_of="formula of weights"),
    effect=Effect(compares=False, adds_measure=True),
)
SEPARATOR_WEIGHT = Parameter(
    "separator_weight",
    "number",
    1.0,
    "Weight of a separator; a token weighs 1.",
    allowed=Allowed(least=0),
    conversion=Conversion(spell=lambda weight: f"{weight:g}", key="separators"),
    effect=Effect(compares=False),
)
TOKEN_WEIGHT = Parameter(
    "token_weight",
    "column",
    None,
    "Column of GOLD, by number or name, with the weight of each token.",
    allowed=Allowed(optional=True),
    conversion=Conversion(spell=lambda column: "none" if column is None else f"column-{column}", key="token-weights"),
    cli=CommandLine(metavar="COLUMN"),
    effect=Effect(compares=False),
)
SPURIOUS, MISSING = (
    Parameter(
        f"constrained_{kind}",
        "whole",
        1,
        f"Number of {kind} tokens that are allowed.",
        former=(kind,),
        allowed=Allowed(least=0),
        conversion=Conversion(key=kind),
        effect=Effect(compares=False),
    )
    for kind in ("spurious", "missing")
)
IOU = Parameter(
    "iou",
    "number",
    0.5,
    "Minimum IoU for two spans to match.",
    allowed=Allowed(most=1, above=0),
    conversion=Conversion(spell=lambda share: f"{share:g}"),
    effect=Effect(compares=False),
)

_FAIR, _SEMEVAL = _scorer("fair", "fair:count_fair"), _scorer("semeval", "overlap:count_semeval")
_NEAR = _scorer("near", "token_separator:count_near")
_UNITS = _scorer("units", "token_separator:count_units", also_run=_NEAR)
_STRICT = _scorer("germeval", "germeval:count_strict")
_LOOSE = _scorer("germeval-loose", "germeval:count_loose")
_GERMEVAL = {
    "strict": (_STRICT, "GermEval, metric 1: bounds and label are equal on the same level."),
    "loose": (_LOOSE, "GermEval, metric 2: as strict, without the suffixes deriv and part."),
    "outer": (_STRICT, "GermEval, metric 3: as strict, on the first level."),
    "inner": (_STRICT, "GermEval, metric 3: as strict, on the deeper levels."),
}
_DEIDENTIFICATION = {
    "meddocan-ner": ("count_meddocan_ner", _with_leak, "MEDDOCAN, subtask 1: label, start and end are equal."),
    "meddocan-strict": ("count_bounds", _bounds, "MEDDOCAN, subtask 2: start and end are equal."),
    "meddocan-merged": (
        "count_meddocan_merged",
        _bounds,
        "MEDDOCAN, subtask 2: neighbouring spans may be written as one.",
    ),
    "i2b2-strict": ("count_i2b2_strict", count_errors, "i2b2: label, start and end are equal."),
    "i2b2-relaxed": ("count_i2b2_relaxed", count_errors, "i2b2: as strict, with ends up to two characters apart."),
    "i2b2-token": ("count_i2b2_token", count_errors, "i2b2: letters and digits in spans, by label."),
    "i2b2-binary-strict": ("count_bounds", _bounds, "i2b2: as strict, without labels."),
    "i2b2-binary-token": ("count_i2b2_binary_token", _bounds, "i2b2: as token, without labels."),
}
MEASURES = (
    Measure(
        "exact",
        "spans",
        _scorer("exact", "fair:count_exact"),
        _exact,
        "evenhand.tasks.spans.fair.exact",
        ("strict", "conlleval", "seqeval"),
        summary="A span is right if bounds and label are.",
    ),
    Measure(
        "fair",
        "spans",
        _FAIR,
        _fair,
        "evenhand.tasks.spans.fair",
        ("faireval",),
        summary="Each span counts once; errors of label and of bounds have types.",
    ),
    Measure(
        "weighted",
        "spans",
        _FAIR,
        _weighted,
        "evenhand.scoring.weights",
        parameters=(WEIGHTS,),
        summary="Errors of fair evaluation count as TP, FP and FN by --weights.",
    ),
    Measure(
        *("ts", "spans", _UNITS, _units, "evenhand.tasks.spans.token_separator"),
        aliases=("token separator", "token & separator", "tokens and separators"),
        parameters=(SEPARATOR_WEIGHT, TOKEN_WEIGHT),
        summary="Tokens in spans, and separators between tokens of one span.",
    ),
    Measure(
        "t",
        "spans",
        _UNITS,
        _units,
        "evenhand.tasks.spans.token_separator",
        ("token", "tokens"),
        parameters=(TOKEN_WEIGHT,),
        summary="Tokens in spans.",
    ),
    Measure(
        "overlap",
        "spans",
        _scorer("overlap", "overlap:count_overlap"),
        count_hits,
        "evenhand.tasks.spans.overlap",
        summary="A span with the right label shares a token.",
    ),
    Measure(
        "contain",
        "spans",
        _scorer("contain", "overlap:count_contain"),
        count_hits,
        "evenhand.tasks.spans.overlap",
        summary="A span with the right label covers the gold span.",
    ),
    Measure(
        *(
            "constrained",
            "spans",
            _scorer("constrained", "overlap:count_constrained"),
            count_hits,
            "evenhand.tasks.spans.overlap",
        ),
        parameters=(SPURIOUS, MISSING),
        summary="Overlap with at most one extra and one missing token.",
    ),
    Measure(
        "iou",
        "spans",
        _scorer("iou", "overlap:count_iou"),
        count_hits,
        "evenhand.tasks.spans.overlap",
        ("jaccard",),
        parameters=(IOU,),
        summary="As overlap, with an intersection over union of at least 0.5.",
    ),
    *(
        Measure(
            f"semeval-{name}",
            "spans",
            _SEMEVAL,
            _semeval,
            "evenhand.tasks.spans.overlap.semeval",
            family="semeval",
            summary=summary,
        )
        for name, summary in _SEMEVAL_SUMMARIES.items()
    ),
    Measure(
        *(
            "accuracy",
            "spans",
            _scorer("accuracy", "token_separator:count_accuracy", "token_tags"),
            _accuracy,
            "evenhand.tasks.spans.token_separator.equal_tags",
        ),
        aliases=("acc", "token accuracy"),
        summary="The share of tokens with the right tag, prefix and label.",
    ),
    *(
        Measure(
            *(name, "spans", _scorer(name, f"strings:count_{name.replace('-', '_')}", "strings"), count_errors),
            "evenhand.tasks.spans.strings.normalised",
            aliases=aliases,
            family="strings",
            summary=summary,
        )
        for name, aliases, summary in (
            ("string-set", ("universalner",), "Labeled strings, normalised, each once per text; no positions."),
            ("string-multiset", ("uie", "string-ent"), "Labeled strings, unchanged; no positions."),
        )
    ),
    *(
        Measure(
            *(f"germeval-{metric}", "spans", scorer, _germeval, "evenhand.tasks.spans.germeval"),
            family="germeval",
            summary=summary,
        )
        for metric, (scorer, summary) in _GERMEVAL.items()
    ),
    Measure(
        *(LEAK, "spans", _scorer(LEAK, "leakage:count_leakage", "document_order"), leakage),
        "evenhand.tasks.spans.leakage",
        aliases=("leakage", "privacy"),
        summary="Atoms of gold spans that are not covered, regardless of predicted labels.",
    ),
    *(
        Measure(
            *(name, "spans", _scorer(name, f"deidentification:{scorer}", "document_text"), formula),
            "evenhand.tasks.spans.deidentification" + (".count_i2b2_strict" if name.startswith("i2b2") else ""),
            family=name.partition("-")[0],
            parameters=(SENTENCES,) if name == "meddocan-ner" else (),
            summary=summary,
        )
        for name, (scorer, formula, summary) in _DEIDENTIFICATION.items()
    ),
)
