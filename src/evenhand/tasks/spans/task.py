"""Labeled spans: named entities, chunks and the like, flat or nested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.errors import SettingError
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
from evenhand.settings import LabelGroup, ScoreSettings
from evenhand.tasks.sentences import SENTENCES, refuse_lines
from evenhand.tasks.task import (
    AgreementSpec,
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

# == tasks/spans/override_parameters.py: What a user can set where single spans of the gold standard


CORRECTED, KIND = "corrected", "kind"
_WITH_KINDS = ("exact", "fair", "weighted")
"""The match models that give every span a verdict."""

OVERRIDES = (
    Parameter(
        "overrides",
        "file",
        None,
        "File of overrides of the gold standard, JSON lines: wrong, missing and unclear spans.",
        allowed=Allowed(optional=True),
        conversion=Conversion(
            parse=lazy("evenhand.formats.jsonl:read_overrides"), stored="evenhand.data.overrides:OverrideFile"
        ),
        cli=CommandLine(metavar="FILE"),
        effect=Effect(on="gold"),
    ),
    Parameter(
        "overrides_as",
        "text",
        CORRECTED,
        "Score the corrected gold standard, or count its errors as a kind of error, GE.",
        allowed=Allowed(choices=(CORRECTED, KIND)),
        effect=Effect(on="gold"),
    ),
)


def as_kind(settings: ScoreSettings) -> bool:
    """Whether errors of the gold standard are a kind of error."""
    return settings["overrides"] is not None and settings["overrides_as"] == KIND


def check_overrides(settings: ScoreSettings) -> None:
    """Refuse settings that do nothing without overrides, and match models that have no kinds of errors."""
    if settings["overrides"] is None and settings["overrides_as"] != CORRECTED:
        raise SettingError("overrides-as does nothing without overrides; name a file of these.")
    if not as_kind(settings):
        if "weighted" in settings.match and settings["weights"].weighs_gold_errors:
            raise SettingError("GE in the weights does nothing unless overrides-as is kind; leave it out.")
        return
    others = [name for name in settings.match if name not in _WITH_KINDS]
    if others:
        names = ", ".join(_WITH_KINDS)
        finding = f"overrides-as is 'kind', but {others[0]} gives spans no verdicts of which GE could be one"
        raise SettingError(f"{finding}; choose match models from {names}, or overrides-as corrected.")


# == tasks/spans/kinds.py: The verdicts on spans, and the kinds of counts that come fro


KINDS = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, LE, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN, GE = len(KINDS), len(KINDS) + 1
CLASS_KINDS = (*KINDS, "TN", "GE")
"""In a comparison, surplus of one system is TN under the others. GE is an error of the gold standard."""
STATES = ("covered", "partial", "exposed")
"""What becomes of a gold span under leakage."""
COVERED, PARTIAL, EXPOSED = range(len(STATES))
ANSWER_KINDS = (*CLASS_KINDS, *STATES)
"""All that a system may have of a span."""
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
"""What errors are called."""


# == tasks/spans/models.py: Match models of spans.


SEMEVAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "strict": {"COR": ("exact_same",), "INC": ("exact_other", "overlap_same", "overlap_other")},
    "exact": {"COR": ("exact_same", "exact_other"), "INC": ("overlap_same", "overlap_other")},
    "partial": {"COR": ("exact_same", "exact_other"), "PAR": ("overlap_same", "overlap_other")},
    "type": {"COR": ("exact_same", "overlap_same"), "INC": ("exact_other", "overlap_other")},
}
"""What pairs count for under each of the SemEval-2013 measures."""
_PARTS: Mapping[str, WeightedCounts] = {
    kind: {part: 1.0 for part in SPAN_KINDS if part.partition(".")[0] == kind} for kind in (*KINDS, GOLD_ERROR)
}
"""The kinds of fair verdicts that are told apart by the boundary that agrees, as sums."""


def _exact(name: str, settings: ScoreSettings) -> Formula:
    counts = {kind: {kind: 1.0} for kind in ("TP", "FP", "FN", *_gold_errors(settings))}
    return replace(count_errors(name, settings), scorer="exact", counts=counts)


def _fair(name: str, settings: ScoreSettings) -> Formula:
    return _mixed(name, settings, PRESETS["fair"])


def _weighted(name: str, settings: ScoreSettings) -> Formula:
    return _mixed(name, settings, settings["weights"])


def _mixed(name: str, settings: ScoreSettings, weights: Weights) -> Formula:
    """Fair verdicts as mixtures of TP, FP and FN."""
    mixtures = [(part, weights[kind]) for kind, parts in _PARTS.items() for part in parts]
    tp, fp, fn = ({part: mixture[place] for part, mixture in mixtures if mixture[place]} for place in range(3))
    order = ("TP", *ERRORS, "FN", "FP", *_gold_errors(settings))
    shown = {kind: _PARTS[kind] for kind in order} | {"BE": plus(*(_PARTS[kind] for kind in BOUNDARY_KINDS))}
    divided, extra_scores = PrecisionRecall.of_errors(tp, fp, fn), lazy("evenhand.tasks.spans.fair:with_details")
    breakdown = Breakdown(focus=settings["focus"])
    return Formula(name, "fair", shown, divided, beta=settings.beta, breakdown=breakdown, extra_scores=extra_scores)


def _gold_errors(settings: ScoreSettings) -> tuple[str, ...]:
    """The kind of errors of the gold standard, where these are one."""
    return (GOLD_ERROR,) if as_kind(settings) else ()


def _units(name: str, settings: ScoreSettings) -> Formula:
    parts = {"token": 1.0} if name == "t" else {"token": 1.0, "separator": settings["separator_weight"]}

    def sum_of(*kinds: str) -> WeightedCounts:
        return {f"{part}.{kind}": weight for part, weight in parts.items() for kind in kinds}

    present = {kind: sum_of(kind) for kind in ("TP", "FP", "FN")}
    absent = plus(sum_of("units"), *({part: -n for part, n in each.items()} for each in present.values()))
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


def _scorer(name: str, *needs: Need, also_run: Scorer | None = None) -> Scorer:
    return Scorer(name, lazy(f"evenhand.tasks.spans.scorers:{name.replace('-', '_')}"), frozenset(needs), also_run)


_FAIR, _UNITS, _SEMEVAL = _scorer("fair"), _scorer("units", also_run=_scorer("near")), _scorer("semeval")
_SEMEVAL_SUMMARIES = {
    "strict": "SemEval-2013: bounds and label of paired spans are equal.",
    "exact": "SemEval-2013: bounds of paired spans are equal, whatever their labels.",
    "partial": "SemEval-2013: as semeval-exact, with half a point for overlap.",
    "type": "SemEval-2013: labels of paired spans are equal, if they overlap.",
}
WEIGHTS = Parameter(
    "weights",
    "text",
    PRESETS["boundaries"],
    "Weights of errors: fair, lenient, boundaries, as-fp, as-fn, a formula such as 'LE = 0.5 FP + 0.5 FN, "
    "BE = 0.5 TP + 0.25 FP + 0.25 FN', or a file with one [boundaries]. Adds the model.",
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
    "Least intersection over union of two spans that match.",
    allowed=Allowed(most=1, above=0),
    conversion=Conversion(spell=lambda share: f"{share:g}"),
    effect=Effect(compares=False),
)
MODELS = (
    Measure(
        "exact",
        "spans",
        _scorer("exact"),
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
        summary="Each span counts once; errors of label and of bounds have kinds.",
    ),
    Measure(
        "weighted",
        "spans",
        _FAIR,
        _weighted,
        "evenhand.scoring.weights",
        parameters=(WEIGHTS,),
        summary="Errors of fair evaluation weigh as TP, FP and FN, as --weights says.",
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
        _scorer("overlap"),
        count_hits,
        "evenhand.tasks.spans.overlap",
        summary="A span with the right label shares a token.",
    ),
    Measure(
        "contain",
        "spans",
        _scorer("contain"),
        count_hits,
        "evenhand.tasks.spans.overlap",
        summary="A span with the right label covers the gold span.",
    ),
    Measure(
        *("constrained", "spans", _scorer("constrained"), count_hits, "evenhand.tasks.spans.overlap"),
        parameters=(SPURIOUS, MISSING),
        summary="As overlap, with at most one spurious and one missing token.",
    ),
    Measure(
        "iou",
        "spans",
        _scorer("iou"),
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
            _scorer("accuracy", "token_tags"),
            _accuracy,
            "evenhand.tasks.spans.token_separator.equal_tags",
        ),
        aliases=("acc", "token accuracy"),
        summary="The share of tokens with the right tag, prefix and label.",
    ),
    *(
        Measure(
            *(name, "spans", _scorer(name, "strings"), count_errors, "evenhand.tasks.spans.strings.normalised"),
            aliases=aliases,
            family="strings",
            summary=summary,
        )
        for name, aliases, summary in (
            ("string-set", ("universalner",), "Strings with labels, each once a text, normalised; no positions."),
            ("string-multiset", ("uie", "string-ent"), "Strings with labels as they stand; no positions."),
        )
    ),
)


# == tasks/spans/grounding_parameters.py: What a user can set where the strings of a language model ar


SHAPES = ("json", "xml", "marks", "markdown", "lines")
_LARGEST = 50


def _fuzzy(given: object) -> int:
    """The share of characters that may differ, in percent; 0 where none may."""
    text = "0" if str(given).strip().lower() == "off" else str(given).strip()
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST):
        raise SettingError(f"fuzzy is {given!r}; give a share of characters in percent, up to {_LARGEST}, or off.")
    return int(text)


_OF_ANSWERS = Effect(trait="answers")
GROUNDING = (
    Parameter(
        "shape",
        "text",
        None,
        "How a language model wrote its answers.",
        allowed=Allowed(choices=SHAPES, optional=True),
        conversion=Conversion(key=""),
        effect=Effect(trait="answers", reads=True),
    ),
    Parameter(
        "occurrences",
        "text",
        "in-order",
        "Which occurrences of a string count: in the order of the answer, the first, or all.",
        allowed=Allowed(choices=("in-order", "first", "all")),
        effect=_OF_ANSWERS,
    ),
    Parameter(
        "fuzzy",
        "percent",
        15,
        "How many characters of a string may differ from the text, in percent, or off [15].",
        conversion=Conversion(_fuzzy, int, lambda value: str(value or "off")),
        cli=CommandLine(metavar="PERCENT|off"),
        effect=_OF_ANSWERS,
    ),
    Parameter(
        "snap",
        "text",
        "expand",
        "A string that begins or ends inside a token: expand to whole tokens, or strict: no place.",
        allowed=Allowed(choices=("expand", "strict")),
        effect=_OF_ANSWERS,
    ),
    Parameter(
        "unplaced",
        "text",
        "fp",
        "Strings without a place in the text: fp counts them as wrong, drop leaves them out.",
        allowed=Allowed(choices=("fp", "drop")),
        effect=_OF_ANSWERS,
    ),
    Parameter(
        "unknown_labels",
        "text",
        "keep",
        "Items with a label that the gold standard does not have: keep them as wrong, or drop them.",
        allowed=Allowed(choices=("keep", "drop")),
        effect=_OF_ANSWERS,
    ),
)


# == tasks/spans/privacy_models.py: Match models of spans for privacy: what leaks, and the score


LEAK = "leak"
_OF_LABELS = ("values", "values_safe", "sensitive", "leaked")
_OVERALL = ("redacted", "over", "documents", "documents_safe")
"""The counts of leakage that labels have beside the states of spans, and those that they do not have."""


def leakage(name: str, settings: ScoreSettings) -> Formula:
    """What leaks, what is covered, and what is covered needlessly."""
    kinds = {kind: {kind: 1.0} for kind in (*STATES, *_OF_LABELS, *_OVERALL)}
    spans, outside = plus(*(kinds[state] for state in STATES)), {"atoms": 1.0, "sensitive": -1.0}
    counts = {"spans": spans, **kinds}
    worded: WeightedCounts = {"worded": 1.0}
    return ratios_only(
        name,
        name,
        counts,
        (
            Ratio("recall", kinds["covered"], spans, "gold spans covered entirely."),
            Ratio(
                *("leak_rate", kinds["leaked"], kinds["sensitive"]),
                "atoms of gold spans that are not covered.",
                is_best_low=True,
            ),
            Ratio(
                *("over_rate", kinds["over"], kinds["redacted"]),
                "covered atoms that are in no gold span.",
                is_best_low=True,
            ),
            Ratio(
                *("over_text", kinds["over"], outside),
                "atoms in no gold span that are covered.",
                is_best_low=True,
            ),
            Ratio(
                *("values_safe_share", kinds["values_safe"], kinds["values"]),
                "values all of whose mentions are covered.",
                title="safe values",
            ),
            Ratio(
                *("documents_safe_share", kinds["documents_safe"], kinds["documents"]),
                "documents of which nothing leaked.",
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
    """Sets of labeled spans, and the missing spans a sentence, where the number of sentences is known."""
    sentences: WeightedCounts = {"sentences": 1.0}
    leak = Ratio("leak", {"FN": 1.0}, sentences, "missing spans a sentence.", is_share=False, is_best_low=True)
    breakdown = Breakdown(known={"leak": sentences}, overall_only=frozenset(("leak",)), shares_unlabeled=False)
    return count_errors(name, settings, ratios=(leak,), breakdown=breakdown)


def _bounds(name: str, settings: ScoreSettings) -> Formula:
    """Sets of spans without labels."""
    return count_errors(name, settings, breakdown=Breakdown("overall"))


_LEAK = Scorer(LEAK, lazy("evenhand.tasks.spans.leakage:leak"), frozenset({"document_order"}))
_TASKS = {
    "meddocan-ner": (
        "evenhand.tasks.spans.deidentification:ner",
        "evenhand.tasks.spans.deidentification",
        _with_leak,
        "MEDDOCAN, subtask 1: label, start and end are equal.",
    ),
    "meddocan-strict": (
        "evenhand.tasks.spans.deidentification:strict",
        "evenhand.tasks.spans.deidentification",
        _bounds,
        "MEDDOCAN, subtask 2: start and end are equal.",
    ),
    "meddocan-merged": (
        "evenhand.tasks.spans.deidentification:merged",
        "evenhand.tasks.spans.deidentification",
        _bounds,
        "MEDDOCAN, subtask 2: neighbouring spans may be written as one.",
    ),
    "i2b2-strict": (
        "evenhand.tasks.spans.deidentification:strict_i2b2",
        "evenhand.tasks.spans.deidentification.strict_i2b2",
        count_errors,
        "i2b2: label, start and end are equal.",
    ),
    "i2b2-relaxed": (
        "evenhand.tasks.spans.deidentification:relaxed",
        "evenhand.tasks.spans.deidentification.strict_i2b2",
        count_errors,
        "i2b2: as strict, with ends up to two characters apart.",
    ),
    "i2b2-token": (
        "evenhand.tasks.spans.deidentification:token",
        "evenhand.tasks.spans.deidentification.strict_i2b2",
        count_errors,
        "i2b2: letters and digits in spans, by label.",
    ),
    "i2b2-binary-strict": (
        "evenhand.tasks.spans.deidentification:binary_strict",
        "evenhand.tasks.spans.deidentification.strict_i2b2",
        _bounds,
        "i2b2: as strict, without labels.",
    ),
    "i2b2-binary-token": (
        "evenhand.tasks.spans.deidentification:binary_token",
        "evenhand.tasks.spans.deidentification.strict_i2b2",
        _bounds,
        "i2b2: as token, without labels.",
    ),
}
PRIVACY = (
    Measure(
        *(LEAK, "spans", _LEAK, leakage, "evenhand.tasks.spans.leakage"),
        aliases=("leakage", "privacy"),
        summary="What of gold spans is not covered, whatever labels systems give.",
    ),
    *(
        Measure(
            *(name, "spans", Scorer(name, lazy(scorer), frozenset({"document_text"})), arithmetic, definition),
            family=name.partition("-")[0],
            parameters=(SENTENCES,) if name == "meddocan-ner" else (),
            summary=summary,
        )
        for name, (scorer, definition, arithmetic, summary) in _TASKS.items()
    ),
)


# == tasks/spans/task.py (primary)


def _supertags(given: str | tuple[str, ...] | list[str]) -> tuple[LabelGroup, ...]:
    tags = tuple(map(LabelGroup.parse, [given] if isinstance(given, str) else given))
    if len({tag.name for tag in tags}) < len(tags):
        raise SettingError("Two supertags have the same name; give them names of their own.")
    return tags


def _check(settings: ScoreSettings, content: GoldProfile) -> None:
    refuse_lines(settings, content)
    check_overrides(settings)


PARAMETERS = (
    Parameter(
        "levels",
        "text",
        "pooled",
        "Match nested spans across levels (pooled) or within their level only (separate).",
        allowed=Allowed(choices=("pooled", "separate")),
    ),
    Parameter(
        "focus",
        "text",
        "target",
        "Count LE and LBE for the gold label (target) or for the system's (system).",
        allowed=Allowed(choices=("target", "system")),
        effect=Effect(on="labels"),
    ),
    Parameter(
        "supertag",
        "names",
        (),
        "Report several labels as one, beside the others: all labels, or those named.",
        conversion=Conversion(
            parse=_supertags,
            stored=tuple[LabelGroup, ...],
            spell=lambda tags: ",".join(map(str, tags)),
            key="supertags",
        ),
        cli=CommandLine(metavar="NAME[=LABEL,...]", repeatable=True),
        effect=Effect(on="rows", compares=False, labels=lambda tags: [label for tag in tags for label in tag.labels]),
    ),
    Parameter(
        "baselines",
        "flag",
        False,
        "Report the scores of trivial systems under ts and t.",
        conversion=Conversion(key=""),
        effect=Effect(on="rows", compares=False),
    ),
    *GROUNDING,
    *OVERRIDES,
)

TASK = Task(
    name="spans",
    title="labeled spans: named entities, chunks",
    unit="span",
    example=Example("ner", "gold.conll", ("gazetteer.conll", "crf.conll", "tagger.conll")),
    measures=(*MODELS, *PRIVACY),
    selection=MeasureSelection(
        scored=lambda content: ("exact", "fair"),
        ranked=lambda content: ("exact", "fair", "ts", "t"),
        compared=("fair", "exact", LEAK),
        reported=("fair",),
    ),
    parameters=PARAMETERS,
    input=InputSpec(
        has_encoding=True,
        detects=lambda annotation: "spans" in annotation.layers or annotation.extractions is not None,
        single_file=True,
        rejects_same_layer=True,
    ),
    rules=SettingRules(
        signature=(
            *("align", "atoms", "scope", "levels", "gold", "system", "repair", "offsets", "functions"),
            *("map", "labels", "exclude", "focus", "macro", "beta"),
        ),
        constants={"scope": "sentence"},
        check=_check,
        notes=lazy("evenhand.tasks.spans.tables:setting_notes"),
    ),
    evaluation=EvaluationSpec(
        evaluator=lazy("evenhand.tasks.spans.evaluation:SpanPassage"),
        notes=lazy("evenhand.tasks.spans.tables:notes"),
        check_inputs=lazy("evenhand.tasks.spans.evaluation:check_kinds"),
        is_perfect=lazy("evenhand.tasks.tables:is_perfect"),
    ),
    error_types=ErrorTypes(
        all=CLASS_KINDS,
        correct=lambda by: ("covered",) if by == LEAK else ("TP", "TN"),
        names=ERROR_NAMES,
        absent=("TN",),
        unscored=("GE",),
    ),
    comparison=ComparisonSpec(
        unit_scorers=("fair", "exact"),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        answer_text=lazy("evenhand.tasks.spans.comparison:answer_in_words"),
        similarity=lazy("evenhand.tasks.spans.comparison:SpanAgreement"),
    ),
    agreement=AgreementSpec(
        ("exact", "fair", "overlap"),
        as_spans=lambda annotation, **settings: annotation,
        is_unitized=True,
        error_types="fair",
    ),
    display=Display(
        summary=lazy("evenhand.tasks.spans.tables:summary"),
        details=lazy("evenhand.tasks.spans.tables:details"),
        listing=lazy("evenhand.tasks.spans.tables:listing"),
        errors=lazy("evenhand.tasks.spans.tables:error_bars"),
        confusion=Confusion(
            ("fair", "weighted"),
            caption="Errors only: boundary errors on the diagonal, wrong labels beside it.",
            one_sided=("FN", "FP"),
        ),
        remarks={
            "agreement": "F1 under exact match",
            "moved": "class, but other bounds",
            "left_out": "some system has a GE there",
        },
        shows_error_types=True,
        conlleval=("exact", "accuracy"),
    ),
)
