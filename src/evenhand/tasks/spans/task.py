"""The task `spans`: named entities, chunks and other labeled spans, flat or nested."""

from __future__ import annotations

from evenhand.errors import SettingError
from evenhand.parameters import Allowed, CommandLine, Effect, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.settings import LabelGroup
from evenhand.tasks import task as spec
from evenhand.tasks.spans.measures import (
    CLASS_KINDS,
    CORRECTED,
    ERROR_NAMES,
    KIND,
    LEAK,
    MEASURES,
    STATES,
    check_settings,
    custom_measure,
)

SHAPES = ("json", "xml", "marks", "markdown", "lines")
_LARGEST = 50


def _fuzzy(value: object) -> int:
    """The share of characters that may differ, in percent."""
    text = "0" if str(value).strip().lower() == "off" else str(value).strip()
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST):
        raise SettingError(f"fuzzy is {value!r}; use a share of characters in percent, up to {_LARGEST}, or off.")
    return int(text)


_OF_ANSWERS = Effect(trait="answers")
GROUNDING = (
    Parameter(
        "shape",
        "text",
        None,
        "Layout of the answers of a language model.",
        allowed=Allowed(choices=SHAPES, optional=True),
        conversion=ParameterConversion(key=""),
        effect=Effect(trait="answers", reads=True),
    ),
    spec.choice(
        "occurrences",
        ("in-order", "first", "all"),
        "Which occurrences of a string count: in the order of the answer, the first, or all.",
        effect=_OF_ANSWERS,
    ),
    Parameter(
        "fuzzy",
        "percent",
        15,
        "Maximum share of characters in which a string may differ from the text, in percent, or off [15].",
        conversion=ParameterConversion(_fuzzy, int, lambda value: str(value or "off")),
        cli=CommandLine(metavar="PERCENT|off"),
        effect=_OF_ANSWERS,
    ),
    spec.choice(
        "snap",
        ("expand", "strict"),
        "Strings that start or end inside a token: expand to the token, or leave unplaced (strict).",
        effect=_OF_ANSWERS,
    ),
    spec.choice(
        "unplaced",
        ("fp", "drop"),
        "Strings that are not in the text: count as wrong (fp) or leave out (drop).",
        effect=_OF_ANSWERS,
    ),
    spec.choice(
        "unknown_labels",
        ("keep", "drop"),
        "Items with a label that the gold standard does not have: keep them as wrong, or drop them.",
        effect=_OF_ANSWERS,
    ),
)
OVERRIDES = (
    Parameter(
        "overrides",
        "file",
        None,
        "File of overrides of the gold standard, JSON lines: wrong, missing and unclear spans.",
        allowed=Allowed(optional=True),
        conversion=ParameterConversion(
            parse=lazy("evenhand.formats.overrides:read_overrides"), stored="evenhand.data.overrides:OverrideFile"
        ),
        cli=CommandLine(metavar="FILE"),
        effect=Effect(on="gold"),
    ),
    spec.choice(
        "overrides_as",
        (CORRECTED, KIND),
        "Score the corrected gold standard, or count its errors as an error type, GE.",
        effect=Effect(on="gold"),
    ),
    Parameter(
        "accept_proposed",
        "flag",
        False,
        "Also apply overrides that are unreviewed proposals of suspects.",
        effect=Effect(on="gold"),
    ),
)


def _supertags(groups: str | tuple[str, ...] | list[str]) -> tuple[LabelGroup, ...]:
    tags = tuple(map(LabelGroup.parse, [groups] if isinstance(groups, str) else groups))
    if len({tag.name for tag in tags}) < len(tags):
        raise SettingError("Two supertags have the same name; give them different names.")
    return tags


PARAMETERS = (
    spec.choice(
        "levels",
        ("pooled", "separate"),
        "Match nested spans across levels (pooled) or within their level only (separate).",
    ),
    spec.choice(
        "focus",
        ("target", "system"),
        "Count LE and LBE for the gold label (target) or for the system's (system).",
        effect=Effect(on="labels"),
    ),
    Parameter(
        "supertag",
        "names",
        (),
        "Also report several labels as one: all labels, or the named ones.",
        conversion=ParameterConversion(
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
        conversion=ParameterConversion(key=""),
        effect=Effect(on="rows", compares=False),
    ),
    *GROUNDING,
    *OVERRIDES,
    *spec.CONFIDENCES,
)

TASK = spec.Task(
    name="spans",
    title="labeled spans: named entities, chunks",
    aliases=("ner", "entities", "chunks", "chunking"),
    unit="span",
    example=spec.Example("ner", "gold.conll", ("gazetteer.conll", "crf.conll", "tagger.conll")),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=lambda content: ("exact", "fair"),
        ranked=lambda content: ("exact", "fair", "ts", "t"),
        compared=("fair", "exact", LEAK),
        reported=("fair", "exact", LEAK),
    ),
    custom=custom_measure,
    parameters=PARAMETERS,
    input=spec.InputSpec(
        alignments=("strict", "position", "characters", "overlap"),
        has_encoding=True,
        detects=lambda annotation: "spans" in annotation.layers or annotation.extractions is not None,
        single_file=True,
        rejects_same_layer=True,
    ),
    rules=spec.SettingRules(
        signature=(
            *("align", "atoms", "scope", "levels", "gold", "system", "repair", "offsets", "functions"),
            *("map", "labels", "exclude", "focus", "macro", "beta"),
        ),
        constants={"scope": "sentence"},
        check=check_settings,
        notes=lazy("evenhand.tasks.spans.tables:setting_notes"),
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.spans.evaluation:align"),
        evaluate=lazy("evenhand.tasks.spans.evaluation:evaluate"),
        notes=lazy("evenhand.tasks.spans.tables:notes"),
        check_inputs=lazy("evenhand.tasks.evaluation:check_kinds"),
        is_perfect=lazy("evenhand.tasks.tables:is_perfect"),
    ),
    error_types=spec.ErrorTypes(
        all=CLASS_KINDS,
        correct=lambda by: ("covered",) if by == LEAK else ("TP", "TN"),
        names=ERROR_NAMES,
        absent=("TN",),
        unscored=("GE",),
        others={LEAK: STATES},
    ),
    comparison=spec.ComparisonSpec(
        unit_scorers=("fair", "exact"),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        answer_text=lazy("evenhand.tasks.spans.comparison:answer_text"),
        similarity=lazy("evenhand.tasks.spans.comparison:SpanAgreement"),
        has_suspects=True,
        attributes=(*spec.TEXT_ATTRIBUTES, *spec.STRING_ATTRIBUTES, *spec.SPAN_ATTRIBUTES),
        page_slices=("length", "sentence-length", "document"),
        labeled_units=lazy("evenhand.tasks.spans.evaluation:labeled_spans"),
        has_causes=True,
    ),
    agreement=spec.AgreementSpec(
        ("exact", "fair", "overlap"),
        as_spans=lambda annotation, **settings: annotation,
        is_unitized=True,
        error_types="fair",
    ),
    display=spec.Display(
        summary=lazy("evenhand.tasks.spans.tables:summary"),
        details=lazy("evenhand.tasks.spans.tables:details"),
        listing=lazy("evenhand.tasks.spans.tables:listing"),
        errors=lazy("evenhand.tasks.spans.tables:error_bars"),
        confusion=spec.Confusion(
            ("fair", "weighted"),
            caption="Errors only: boundary errors on the diagonal, wrong labels off it.",
            diagonal="boundary errors",
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
