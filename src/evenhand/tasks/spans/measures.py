"""The measures of spans: error types, weights of errors, formulas, parameters and declarations.

The definitions and scorers are in the modules that the declarations name. They need arrays; this module is loaded by
`score --help` and must not import NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import Allowed, CommandLine, Effect, Parameter, ParameterConversion
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
from evenhand.settings import CUSTOM, ScoreSettings

if TYPE_CHECKING:
    from evenhand.tasks.task import GoldProfile

_WITH_KINDS = ("exact", "fair", "weighted")
"""The measures with an error type for every span."""
KINDS = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, LE, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN, GE, PAR = range(len(KINDS), len(KINDS) + 3)
FAIR_KINDS = (*KINDS, "TN", "GE")
"""In a comparison, surplus of one system is TN for the others. GE is an error of the gold standard."""
CLASS_KINDS = (*FAIR_KINDS, "PAR")
"""PAR is a partial match under a function of the user."""
STATES = ("covered", "partial", "exposed")
"""States of a gold span under leakage."""
COVERED, PARTIAL, EXPOSED = range(len(STATES))
ANSWER_KINDS = (*CLASS_KINDS, *STATES)
"""Error types and states of a span."""
BOUNDARY_KINDS = ("BES", "BEL", "BEO")
ERRORS = ("LE", *BOUNDARY_KINDS, "LBE")
"""Errors with a span on both sides."""
GOLD_ERROR = "GE"

EDGES = ("none", "left", "right")
NO_EDGE, LEFT, RIGHT = range(len(EDGES))
SPAN_KINDS = tuple(kind if edge == "none" else f"{kind}.{edge}" for kind in FAIR_KINDS for edge in EDGES)
LEAK_NAMES = {"partial": "partly legible", "exposed": "legible"}
"""States of gold spans that reveal something, in words."""
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong label and boundaries",
    "FN": "missing",
    "FP": "spurious",
    "GE": "error of the gold standard",
    "PAR": "partial match",
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
TEXT, LINES = "text", "lines"
Sentences = str | Mapping[str, int]
"""The sentences of a text without sentence boundaries: `text`, `lines`, or the number of sentences by document."""
Mixture = tuple[float, float, float]
"""The shares of TP, FP and FN that one unit counts."""
_FIXED: dict[str, Mixture] = {"TP": (1, 0, 0), "FP": (0, 1, 0), "FN": (0, 0, 1)}
_HALF_AND_HALF: Mixture = (0, 0.5, 0.5)
_NOTHING: Mixture = (0, 0, 0)
_FORMULA_EXAMPLE = "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"
_TERM = re.compile(r"\s*+(\d++(?:\.\d*+)?|\.\d++)?+\s*+\*?+\s*+(TP|FP|FN)\s*+")
"""A number and TP, FP or FN. Without backtracking, so the time is linear in the length."""
_MAX_WEIGHT = 1_000_000
"""To keep sums of weighted counts finite."""


@dataclass(frozen=True)
class Weights:
    """Weight tables: error types as mixtures of TP, FP and FN, from which precision and recall follow.

    TP, FP and FN count 1 each. The weights of errors:

    - `fair` (eq. 5; the measure `fair`): LE = BE = LBE = 0.5 FP + 0.5 FN
    - `lenient` (eq. 6): BE = 0.5 TP + 0.25 FP + 0.25 FN
    - `boundaries` (eq. 7; the default of the measure `weighted`):
      BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, BEO = 0.5 TP + 0.25 FP + 0.25 FN
    - `as-fp`: LE = BE = LBE = 1 FP (proposed by Ortmann 2021)
    - `as-fn`: LE = BE = LBE = 1 FN (proposed by Read et al. 2012)
    - a formula, or a file with a formula: `LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.25 FP + 0.25 FN`. Asterisks are
      optional, and `BE` covers BES, BEL and BEO unless they are named. Numbers are at most 1,000,000. With
      `--overrides-as kind`, `GE = 1 TP` is the weight of errors of the gold standard.

    Errors that are not named count by eq. 5, except that GE counts nothing. `fair`, `as-fp` and `as-fn` have the same
    F1, which depends only on the numbers of TP and errors (eq. 4). Exact match cannot be written as a weight table: a
    match of pass 2 or 3 uses up only one new span, while exact match counts two errors for some and one for others.

    Source: Ortmann 2022, section 2.2.
    """

    mixtures: Mapping[str, Mixture]

    def __getitem__(self, kind: str) -> Mixture:
        return _FIXED.get(kind) or self.mixtures.get(kind, _NOTHING if kind == GOLD_ERROR else _HALF_AND_HALF)

    def __str__(self) -> str:
        kinds = (*ERRORS, GOLD_ERROR) if self.weighs_gold_errors else ERRORS
        return ",".join(f"{kind}={_mixture_text(self[kind])}" for kind in kinds)

    @property
    def weighs_gold_errors(self) -> bool:
        """Whether errors of the gold standard are named."""
        return GOLD_ERROR in self.mixtures


def _mixture_text(mixture: Mixture) -> str:
    return "+".join(f"{value:g}{name}" for value, name in zip(mixture, _FIXED, strict=True) if value) or "0TP"


PRESETS = {
    "fair": Weights({}),
    "lenient": Weights(dict.fromkeys(BOUNDARY_KINDS, (0.5, 0.25, 0.25))),
    "boundaries": Weights({"BES": (0.5, 0.0, 0.5), "BEL": (0.5, 0.5, 0.0), "BEO": (0.5, 0.25, 0.25)}),
    "as-fp": Weights(dict.fromkeys(ERRORS, (0.0, 1.0, 0.0))),
    "as-fn": Weights(dict.fromkeys(ERRORS, (0.0, 0.0, 1.0))),
}


def parse_weights(text: str) -> Weights:
    """Parse the name of a preset, or a formula.

    A missing number is 1. Equations are separated by commas, semicolons or line ends; text after a `#` is a comment.
    """
    if text.strip() in PRESETS:
        return PRESETS[text.strip()]
    lines = (line.partition("#")[0] for line in text.splitlines())
    equations = [part for line in lines for part in re.split("[,;]", line) if part.strip()]
    if not equations:
        raise SettingError(
            f"The weights are empty; specify one of {', '.join(PRESETS)}, or write {_FORMULA_EXAMPLE!r}."
        )
    named: dict[str, Mixture] = {}
    for equation in equations:
        kind, equals, mixture = (part.strip() for part in equation.partition("="))
        if not equals or kind not in (*ERRORS, "BE", GOLD_ERROR):
            raise _weights_error(
                equation, f"write one of {', '.join((*ERRORS, 'BE', GOLD_ERROR))} before an equals sign"
            )
        if kind in named:
            raise _weights_error(equation, f"{kind} is set twice")
        named[kind] = _parse_mixture(equation, mixture)
    if "BE" in named:
        both = named.pop("BE")
        named = {**dict.fromkeys(BOUNDARY_KINDS, both), **named}
    return Weights(named)


def _parse_mixture(equation: str, text: str) -> Mixture:
    sums = dict.fromkeys(_FIXED, 0.0)
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if match is None:
            raise _weights_error(equation, "write numbers of TP, FP and FN with plus signs between them")
        sums[match[2]] += float(match[1] or 1)
    if max(sums.values()) > _MAX_WEIGHT:
        raise _weights_error(equation, f"write numbers of at most {_MAX_WEIGHT:,}")
    return sums["TP"], sums["FP"], sums["FN"]


def _weights_error(equation: str, remedy: str) -> SettingError:
    return SettingError(f"{equation.strip()!r} in the weights: {remedy}, as in {_FORMULA_EXAMPLE!r}.")


def counts_gold_errors(settings: ScoreSettings) -> bool:
    """Whether errors of the gold standard are an error type."""
    return settings["overrides"] is not None and settings["overrides_as"] == KIND


def check_settings(settings: ScoreSettings, content: GoldProfile) -> None:
    """Reject settings without effect, and measures without error types."""
    if settings["sentences"] == LINES:
        raise SettingError("sentences has no effect on spans; remove it, or choose the task relations.")
    if settings["overrides"] is None and settings["overrides_as"] != CORRECTED:
        raise SettingError("overrides-as has no effect without overrides; specify a file of overrides.")
    if settings["overrides"] is None and settings["accept_proposed"]:
        raise SettingError("accept-proposed has no effect without overrides; specify a file of overrides.")
    if settings["overrides"] is not None and not settings["accept_proposed"]:
        settings["overrides"].refuse_proposed()
    if not counts_gold_errors(settings):
        if "weighted" in settings.match and settings["weights"].weighs_gold_errors:
            raise SettingError("GE in the weights has no effect unless overrides-as is kind; remove it.")
        return
    others = [name for name in settings.match if name not in _WITH_KINDS]
    if others:
        names = ", ".join(_WITH_KINDS)
        finding = f"overrides-as is 'kind', but {others[0]} has no error types for spans"
        raise SettingError(f"{finding}; choose measures from {names}, or overrides-as corrected.")


def _exact(name: str, settings: ScoreSettings) -> Formula:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN", *_gold_errors(settings))}
    return replace(count_errors(name, settings), scorer="exact", counts=counts)


def _mixed(name: str, settings: ScoreSettings, weights: Weights) -> Formula:
    """Error types of fair evaluation as mixtures of TP, FP and FN."""
    mixtures = [(part, weights[kind]) for kind, parts in _PARTS.items() for part in parts]
    tp, fp, fn = ({part: mixture[index] for part, mixture in mixtures if mixture[index]} for index in range(3))
    order = ("TP", *ERRORS, "FN", "FP", *_gold_errors(settings))
    shown = {kind: _PARTS[kind] for kind in order} | {"BE": plus(*(_PARTS[kind] for kind in BOUNDARY_KINDS))}
    divided, extra_scores = PrecisionRecall.of_errors(tp, fp, fn), lazy("evenhand.tasks.spans.fair:with_details")
    breakdown = Breakdown(focus=settings["focus"])
    return Formula(name, "fair", shown, divided, beta=settings.beta, breakdown=breakdown, extra_scores=extra_scores)


_fair = partial(_mixed, weights=PRESETS["fair"])


def _weighted(name: str, settings: ScoreSettings) -> Formula:
    return _mixed(name, settings, settings["weights"])


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
    types = {kind: kind for kind in tokens}
    return Formula(name, name, counts, divided, beta=settings.beta, breakdown=Breakdown("accuracy"), types=types)


def leakage(name: str, settings: ScoreSettings) -> Formula:
    kinds = {kind: {kind: 1.0} for kind in (*STATES, *_OF_LABELS, *_OVERALL)}
    spans, outside = plus(*(kinds[state] for state in STATES)), {"atoms": 1.0, "sensitive": -1.0}
    worded: WeightedCounts = {"worded": 1.0}
    rate = partial(Ratio, is_best_low=True)
    ratios = (
        Ratio("recall", kinds["covered"], spans, "gold spans that are fully covered."),
        rate("leak_rate", kinds["leaked"], kinds["sensitive"], "atoms of gold spans that are not covered."),
        rate("over_rate", kinds["over"], kinds["redacted"], "covered atoms that are not in a gold span."),
        rate("over_text", kinds["over"], outside, "atoms outside gold spans that are covered."),
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
    )
    breakdown = Breakdown(
        "labels",
        overall_only=frozenset((*_OVERALL, "over_rate", "over_text", "values_safe_share", "documents_safe_share")),
        known={**dict.fromkeys(("values", "values_safe", "values_safe_share"), worded), "over_text": {"atoms": 1.0}},
        shares_unlabeled=False,
    )
    return ratios_only(name, name, {"spans": spans, **kinds}, ratios, breakdown)


def _with_leak(name: str, settings: ScoreSettings) -> Formula:
    """TP, FP and FN, and the missing spans per sentence if the number of sentences is known."""
    sentences: WeightedCounts = {"sentences": 1.0}
    leak = Ratio("leak", {"FN": 1.0}, sentences, "missing spans per sentence.", is_share=False, is_best_low=True)
    breakdown = Breakdown(known={"leak": sentences}, overall_only=frozenset(("leak",)), shares_unlabeled=False)
    return count_errors(name, settings, ratios=(leak,), breakdown=breakdown)


def _germeval(name: str, settings: ScoreSettings) -> Formula:
    """Only the strict metric has labels: the labels of the others differ from the gold standard's."""
    metric = name.removeprefix("germeval-")
    levels = (metric,) if metric in GERMEVAL_LEVELS else GERMEVAL_LEVELS
    counts = {kind: {f"{level}.{kind}": 1.0 for level in levels} for kind in ("TP", "FP", "FN")}
    divided = PrecisionRecall.of_errors(*counts.values())
    breakdown = Breakdown("all" if metric == "strict" else "overall")
    return Formula(name, _GERMEVAL[metric][0].name, counts, divided, beta=settings.beta, breakdown=breakdown)


def _custom(name: str, settings: ScoreSettings) -> Formula:
    kinds = {kind: {kind: 1.0} for kind in ("TP", "PAR", "FP", "FN")}
    credit = {"TP": 1.0, "credit": 1.0}
    paired = plus(kinds["TP"], kinds["PAR"])
    divided = PrecisionRecall.of_pairs(credit, plus(paired, kinds["FP"]), plus(paired, kinds["FN"]))
    return Formula(name, f"{CUSTOM}{name}", {**kinds, "credit": credit}, divided, beta=settings.beta)


def custom_measure(name: str) -> Measure:
    """The measure of a function of the user, which the settings contain under this name."""
    scorer = _scorer(f"{CUSTOM}{name}", "custom:count_custom", "custom_units", measure=name)
    return Measure(name, "spans", scorer, _custom, "evenhand.tasks.spans.custom", summary="A function of the user.")


def _scorer(name: str, count: str, units: str, *needs: Need, also_run: Scorer | None = None, **options: Any) -> Scorer:
    """A scorer that counts by a function of a module of this folder, and lists units by another one."""
    module, _, count = count.partition(":")
    functions = [partial(lazy(f"evenhand.tasks.spans.{module}:{function}"), **options) for function in (count, units)]
    return Scorer(name, functions[0], frozenset(needs), also_run, units=functions[1])


def _hit_scorer(name: str) -> Scorer:
    units = partial(lazy("evenhand.tasks.spans.overlap:hit_units"), measure=name)
    return Scorer(name, lazy(f"evenhand.tasks.spans.overlap:count_{name}"), units=units)


WEIGHTS = Parameter(
    "weights",
    "text",
    PRESETS["boundaries"],
    "Error weights: fair, lenient, boundaries, as-fp, as-fn, a formula such as 'LE = 0.5 FP + 0.5 FN, "
    "BE = 0.5 TP + 0.25 FP + 0.25 FN', or a file with a formula [boundaries]. Implies --match weighted.",
    allowed=Allowed(optional=True),
    conversion=ParameterConversion(parse=parse_weights, stored=Weights),
    cli=CommandLine(metavar="NAME|FORMULA|FILE", file_of="formula of weights"),
    effect=Effect(compares=False, adds_measure=True),
)
SEPARATOR_WEIGHT = Parameter(
    "separator_weight",
    "number",
    1.0,
    "Weight of a separator; a token weighs 1.",
    allowed=Allowed(least=0),
    conversion=ParameterConversion(spell=lambda weight: f"{weight:g}", key="separators"),
    effect=Effect(compares=False),
)
TOKEN_WEIGHT = Parameter(
    "token_weight",
    "column",
    None,
    "Column of GOLD, by number or name, with the weight of each token.",
    allowed=Allowed(optional=True),
    conversion=ParameterConversion(
        spell=lambda column: "none" if column is None else f"column-{column}", key="token-weights"
    ),
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
        conversion=ParameterConversion(key=kind),
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
    conversion=ParameterConversion(spell=lambda share: f"{share:g}"),
    effect=Effect(compares=False),
)


def parse_sentences(value: str) -> Sentences:
    """Parse `text`, `lines`, or a table with a document and a number per line."""
    if value in (TEXT, LINES):
        return value
    sentences: dict[str, int] = {}
    for line in filter(str.strip, value.splitlines()):
        document, tab, number = line.rpartition("\t")
        if not tab or not number.strip().isdecimal():
            remedy = f"choose {TEXT} or {LINES}, or specify a file with a document, a tab and a number in each line"
            raise SettingError(f"sentences is {line[:20]!r}; {remedy}.")
        if document in sentences:
            raise SettingError(f"sentences has the document {document!r} twice; remove one line.")
        sentences[document] = int(number)
    if not sentences:
        raise SettingError(
            f"sentences is empty; choose {TEXT} or {LINES}, or specify a file with documents and numbers."
        )
    return sentences


def _sentences_text(value: Sentences) -> str:
    return value if isinstance(value, str) else f"{sum(value.values())}-in-{len(value)}"


SENTENCES = Parameter(
    "sentences",
    "text",
    TEXT,
    "Sentences of a text: all of it or its lines (relations in brat's files); or a FILE with documents and their "
    "numbers of sentences (spans).",
    conversion=ParameterConversion(parse=parse_sentences, stored=str | dict[str, int], spell=_sentences_text),
    cli=CommandLine(metavar="text|lines|FILE", file_of="table of sentences"),
    effect=Effect(reads=True),
)

_bounds = partial(count_errors, breakdown=Breakdown("overall"))
_EXACT = replace(_scorer("exact", "fair:count_exact", "exact_units"), is_independent=True)
_FAIR = _scorer("fair", "fair:count_fair", "fair_units")
_UNITS = _scorer(
    *("units", "token_separator:count_units", "token_units"),
    also_run=Scorer("near", lazy("evenhand.tasks.spans.token_separator:count_near")),
)
_SEMEVAL = _scorer("semeval", "overlap:count_semeval", "semeval_units")
_STRICT = _scorer("germeval", "germeval:count_strict", "strict_units")
_LOOSE = _scorer("germeval-loose", "germeval:count_loose", "loose_units")
_NERVALUATE = "nervaluate"
"""Its four measures, as an alias of each."""
_SEMEVAL_SUMMARIES = {
    "strict": ("SemEval-2013: bounds and label of paired spans are equal.", "strict", _NERVALUATE),
    "exact": ("SemEval-2013: bounds of paired spans are equal, regardless of label.", _NERVALUATE),
    "partial": ("SemEval-2013: as semeval-exact, with half a point for overlap.", "partial", _NERVALUATE),
    "type": ("SemEval-2013: labels of paired spans are equal, if they overlap.", "type", "ent_type", _NERVALUATE),
}
"""The definition of each measure in one line, and its aliases."""
_GERMEVAL = {
    "strict": (_STRICT, "GermEval, metric 1: bounds and label are equal on the same level."),
    "loose": (_LOOSE, "GermEval, metric 2: as strict, without the suffixes deriv and part."),
    "outer": (_STRICT, "GermEval, metric 3: as strict, on the first level."),
    "inner": (_STRICT, "GermEval, metric 3: as strict, on the deeper levels."),
}
_DEIDENTIFICATION: Mapping[str, tuple[Callable[[str, ScoreSettings], Formula], str]] = {
    "meddocan-ner": (_with_leak, "MEDDOCAN, subtask 1: label, start and end are equal."),
    "meddocan-strict": (_bounds, "MEDDOCAN, subtask 2: start and end are equal."),
    "meddocan-merged": (_bounds, "MEDDOCAN, subtask 2: neighbouring spans may be written as one."),
    "i2b2-strict": (count_errors, "i2b2: label, start and end are equal."),
    "i2b2-relaxed": (count_errors, "i2b2: as strict, with ends up to two characters apart."),
    "i2b2-token": (count_errors, "i2b2: letters and digits in spans, by label."),
    "i2b2-binary-strict": (_bounds, "i2b2: as strict, without labels."),
    "i2b2-binary-token": (_bounds, "i2b2: as token, without labels."),
}


def _measure(
    name: str,
    scorer: Scorer,
    formula: Callable[[str, ScoreSettings], Formula],
    definition: str,
    summary: str,
    *aliases: str,
    **options: Any,
) -> Measure:
    """A measure whose definition is a docstring of this folder."""
    definition = f"evenhand.tasks.spans.{definition}"
    return Measure(name, "spans", scorer, formula, definition, aliases, summary=summary, **options)


MEASURES = (
    _measure(
        *("exact", _EXACT, _exact, "fair.exact"),
        "A span is right if bounds and label are.",
        *("conll", "conlleval", "seqeval"),
    ),
    _measure(
        *("fair", _FAIR, _fair, "fair", "Each span counts once; errors of label and of bounds have types."),
        "faireval",
    ),
    _measure(
        *("weighted", _FAIR, _weighted, "measures.Weights"),
        "Errors of fair evaluation count as TP, FP and FN by --weights.",
        parameters=(WEIGHTS,),
    ),
    _measure(
        *("ts", _UNITS, _units, "token_separator", "Tokens in spans, and separators between tokens of one span."),
        *("token separator", "token & separator", "tokens and separators"),
        parameters=(SEPARATOR_WEIGHT, TOKEN_WEIGHT),
    ),
    _measure(
        *("t", _UNITS, _units, "token_separator", "Tokens in spans.", "token", "tokens"),
        parameters=(TOKEN_WEIGHT,),
    ),
    _measure("overlap", _hit_scorer("overlap"), count_hits, "overlap", "A span with the right label shares a token."),
    _measure(
        "contain", _hit_scorer("contain"), count_hits, "overlap", "A span with the right label covers the gold span."
    ),
    _measure(
        *("constrained", _hit_scorer("constrained"), count_hits, "overlap"),
        "Overlap with at most one extra and one missing token.",
        parameters=(SPURIOUS, MISSING),
    ),
    _measure(
        *("iou", _hit_scorer("iou"), count_hits, "overlap"),
        *("As overlap, with an intersection over union of at least 0.5.", "jaccard"),
        parameters=(IOU,),
    ),
    *(
        _measure(f"semeval-{name}", _SEMEVAL, _semeval, "overlap.semeval", *summary, family="semeval")
        for name, summary in _SEMEVAL_SUMMARIES.items()
    ),
    _measure(
        *("accuracy", _scorer("accuracy", "token_separator:count_accuracy", "tag_units", "token_tags"), _accuracy),
        *("token_separator.equal_tags", "The share of tokens with the right tag, prefix and label."),
        *("acc", "token accuracy"),
    ),
    *(
        _measure(
            *(name, _scorer(name, f"strings:count_{function}", f"{function}_units", "strings"), count_errors),
            *("strings.normalised", summary, *aliases),
            family="strings",
        )
        for name, function, summary, *aliases in (
            (
                "string-set",
                "string_set",
                "Labeled strings, normalised, each once per text; no positions.",
                "universalner",
            ),
            ("string-multiset", "string_multiset", "Labeled strings, unchanged; no positions.", "uie", "string-ent"),
        )
    ),
    *(
        _measure(f"germeval-{metric}", scorer, _germeval, "germeval", summary, family="germeval")
        for metric, (scorer, summary) in _GERMEVAL.items()
    ),
    _measure(
        *(LEAK, _scorer(LEAK, "leakage:count_leakage", "leakage_units", "document_order"), leakage, "leakage"),
        *("Atoms of gold spans that are not covered, regardless of predicted labels.", "leakage", "privacy"),
    ),
    *(
        _measure(
            *(name, _scorer(name, "deidentification:count", "units", "document_text", measure=name), formula),
            "deidentification" + (".i2b2_strict" if name.startswith("i2b2") else ""),
            summary,
            family=name.partition("-")[0],
            parameters=(SENTENCES,) if name == "meddocan-ner" else (),
        )
        for name, (formula, summary) in _DEIDENTIFICATION.items()
    ),
)
