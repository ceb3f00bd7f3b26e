"""Labeled spans: named entities, chunks and the like, flat or nested."""

from __future__ import annotations

from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.relabeling import Supertag
from evenhand.settings import ScoreSettings
from evenhand.tasks.agreed import Agreed
from evenhand.tasks.display import Confusion, Display
from evenhand.tasks.sentences import refuse_lines
from evenhand.tasks.spans.grounding_parameters import GROUNDING
from evenhand.tasks.spans.kinds import CLASS_KINDS, ERROR_NAMES
from evenhand.tasks.spans.models import MODELS
from evenhand.tasks.spans.override_parameters import OVERRIDES, check_overrides
from evenhand.tasks.spans.privacy_models import LEAK, PRIVACY
from evenhand.tasks.task import Content, Example, Task


def _supertags(given: str | tuple[str, ...] | list[str]) -> tuple[Supertag, ...]:
    tags = tuple(map(Supertag.parse, [given] if isinstance(given, str) else given))
    if len({tag.name for tag in tags}) < len(tags):
        raise SettingError("Two supertags have the same name; give them names of their own.")
    return tags


def _check(settings: ScoreSettings, content: Content) -> None:
    refuse_lines(settings, content)
    check_overrides(settings)


PARAMETERS = (
    Parameter(
        "levels",
        "text",
        "pooled",
        "Match nested spans across levels (pooled) or within their level only (separate).",
        choices=("pooled", "separate"),
    ),
    Parameter(
        "focus",
        "text",
        "target",
        "Count LE and LBE for the gold label (target) or for the system's (system).",
        choices=("target", "system"),
        effect="labels",
    ),
    Parameter(
        "supertag",
        "names",
        (),
        "Report several labels as one, beside the others: all labels, or those named.",
        metavar="NAME[=LABEL,...]",
        parse=_supertags,
        stored=tuple[Supertag, ...],
        spell=lambda tags: ",".join(map(str, tags)),
        key="supertags",
        labels=lambda tags: [label for tag in tags for label in tag.labels],
        is_repeated=True,
        compares=False,
        effect="rows",
    ),
    Parameter(
        "baselines",
        "flag",
        False,
        "Report the scores of trivial systems under ts and t.",
        key="",
        compares=False,
        effect="rows",
    ),
    *GROUNDING,
    *OVERRIDES,
)

TASK = Task(
    name="spans",
    title="labeled spans: named entities, chunks",
    unit="span",
    example=Example("ner", "gold.conll", ("gazetteer.conll", "crf.conll", "tagger.conll")),
    models=(*MODELS, *PRIVACY),
    match=lambda content: ("exact", "fair"),
    ranked=lambda content: ("exact", "fair", "ts", "t"),
    compared_by=("fair", "exact", LEAK),
    reported_by=("fair",),
    parameters=PARAMETERS,
    has_encoding=True,
    signature=(
        *("align", "atoms", "scope", "levels", "gold", "system", "repair", "offsets", "functions"),
        *("map", "labels", "exclude", "focus", "macro", "beta"),
    ),
    constants={"scope": "sentence"},
    check=_check,
    shows=lambda annotation: "spans" in annotation.layers or annotation.extractions is not None,
    passage=late("evenhand.tasks.spans.passage:SpanPassage"),
    is_one_file=True,
    notes=late("evenhand.tasks.spans.notes:notes"),
    setting_notes=late("evenhand.tasks.spans.notes:setting_notes"),
    check_sides=late("evenhand.tasks.spans.passage:check_kinds"),
    is_perfect=late("evenhand.tasks.notes:is_perfect"),
    refuses_itself=True,
    kinds=CLASS_KINDS,
    right=lambda by: ("covered",) if by == LEAK else ("TP", "TN"),
    verdict_judges=("fair", "exact"),
    verdict_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
    answer=late("evenhand.tasks.spans.answers:answer_in_words"),
    agreement=late("evenhand.tasks.spans.agreement:SpanAgreement"),
    agreed=Agreed(
        ("exact", "fair", "overlap"),
        as_spans=lambda annotation, **settings: annotation,
        is_unitized=True,
        verdicts="fair",
    ),
    display=Display(
        summary=late("evenhand.tasks.spans.grounding_tables:summary"),
        details=late("evenhand.tasks.spans.tables:details"),
        listing=late("evenhand.tasks.spans.grounding_tables:listing"),
        errors=late("evenhand.tasks.spans.tables:error_bars"),
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
        has_verdicts=True,
        verdict_names=ERROR_NAMES,
        absent=("TN",),
        unscored=("GE",),
        conlleval=("exact", "accuracy"),
    ),
)
