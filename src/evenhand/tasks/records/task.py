"""Records: declaration of the task, its parameters and its measures."""

from __future__ import annotations

from functools import partial
from typing import Any

from evenhand.parameters import Allowed, CommandLine, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.scoring.measure import (
    Breakdown,
    Formula,
    Measure,
    PrecisionRecall,
    Ratio,
    Scorer,
    WeightedCounts,
    plus,
    ratios_only,
)
from evenhand.settings import RECORDS, ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.records.fields import FieldTable, Schema, parse_fields, parse_schema, spell_fields

KINDS = ("TP", "FE", "VE", "HE", "KE", "RE", "FN", "RN", "FP", "RP", "HP")
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
HOW = ("split", "merged", "moved")
TALLY_KINDS = (*KINDS[:5], "KE.system", *(f"RE.{how}" for how in HOW), *KINDS[6:], "text")
"""Count types; `text` counts documents with a text, in which values can be looked up."""
WEIGHTED = "weighted "
"""Before the kinds whose counts are weights of fields."""
SOFT_KINDS = ("similarity", "gold", "system")
RECORD_KINDS = ("right", "gold", "system", "aligned")
DOCUMENT_KINDS = ("right", "wrong", "empty", "scored", "f1")
GROUNDED_KINDS = ("gold", "gold_found", "system", "system_found")
ANSWERS, GROUNDED = "answers", "grounded"
"""The tallies of how answers were read, and of values in the text."""
ERROR_NAMES = {
    "FE": "formatting only",
    "VE": "wrong value",
    "HE": "wrong value, not in the text",
    "KE": "right value, wrong field",
    "RE": "right value, wrong record",
    "FN": "missing",
    "RN": "missing with its record",
    "FP": "spurious",
    "RP": "spurious with its record",
    "HP": "spurious, not in the text",
}
_MEASURES = "evenhand.tasks.records.measures"
_PEERS = "evenhand.tasks.records.peers"
_RE = {f"RE.{how}": 1.0 for how in HOW}
_PAIRED = {"FE": 1.0, "VE": 1.0, "HE": 1.0, **_RE}
_HALF = dict.fromkeys(_PAIRED, 0.5)
_TYPES = {kind: kind.partition(".")[0] for kind in TALLY_KINDS if kind not in ("KE.system", "text")}
_GOLD = plus({"TP": 1.0, "KE": 1.0, "FN": 1.0, "RN": 1.0}, _PAIRED)
_SYSTEM = plus({"TP": 1.0, "KE.system": 1.0, "FP": 1.0, "RP": 1.0, "HP": 1.0}, _PAIRED)

_HALLUCINATED = Ratio(
    "hallucinated", {"HE": 1.0, "HP": 1.0}, _SYSTEM, "values of the system that are not in the text.", is_best_low=True
)


def is_weighted(settings: ScoreSettings) -> bool:
    """Whether a field has a weight."""
    schema = settings["schema"]
    tables = (*settings["fields"], *(schema.fields if schema is not None else ()))
    return any(name == "weight" for _, options in tables for name, _ in options)


def _verdicts(
    name: str, settings: ScoreSettings, extra: str, counts: dict[str, WeightedCounts], *sums: WeightedCounts
) -> Formula:
    """A formula for counts of verdicts; `sums` are the right values, those of the system and those of gold."""
    prefix = WEIGHTED if is_weighted(settings) else ""
    weighted = ({prefix + kind: weight for kind, weight in part.items()} for part in sums)
    return Formula(
        name,
        "verdicts",
        counts,
        PrecisionRecall.of_pairs(*weighted),
        beta=settings.beta,
        ratios=(_HALLUCINATED,),
        breakdown=Breakdown(known={"hallucinated": {"text": 1.0}}),
        extra_scores=lazy(f"{_MEASURES}:{extra}"),
        is_null=True,
        types=_TYPES,
    )


def _leaves(name: str, settings: ScoreSettings, right: tuple[str, ...]) -> Formula:
    counts: dict[str, WeightedCounts] = {"TP": dict.fromkeys(right, 1.0), "gold": _GOLD, "system": _SYSTEM}
    return _verdicts(name, settings, "with_documents", counts, counts["TP"], _SYSTEM, _GOLD)


def _fair(name: str, settings: ScoreSettings) -> Formula:
    counts: dict[str, WeightedCounts] = {**_plain(*KINDS), "RE": _RE, **{how: {f"RE.{how}": 1.0} for how in HOW}}
    predicted = plus({"TP": 1.0, "FP": 1.0, "RP": 1.0, "HP": 1.0, "KE.system": 0.5}, _HALF)
    expected = plus({"TP": 1.0, "FN": 1.0, "RN": 1.0, "KE": 0.5}, _HALF)
    return _verdicts(name, settings, "with_confusion", counts, {"TP": 1.0}, predicted, expected)


def _plain(*kinds: str) -> dict[str, WeightedCounts]:
    return {kind: {kind: 1.0} for kind in kinds}


def _shares(name: str, settings: ScoreSettings, kinds: tuple[str, ...], breakdown: Breakdown) -> Formula:
    """A formula for counts of which the first one is right."""
    divided = PrecisionRecall.of_pairs({kinds[0]: 1.0}, {"system": 1.0}, {"gold": 1.0})
    return Formula(name, name, _plain(*kinds), divided, beta=settings.beta, breakdown=breakdown, is_null=True)


_soft = partial(_shares, kinds=SOFT_KINDS, breakdown=Breakdown())
_records = partial(_shares, kinds=RECORD_KINDS, breakdown=Breakdown("overall"))


def _documents(name: str, settings: ScoreSettings) -> Formula:
    whole = {"right": 1.0, "wrong": 1.0}
    counts = {**_plain("right"), "documents": whole, **_plain("empty")}
    share = Ratio("share", {"right": 1.0}, whole, "documents without an error.", title="right")
    return ratios_only(name, "documents", counts, (share,), Breakdown("overall"))


def _anls_star(name: str, settings: ScoreSettings) -> Formula:
    ratio = Ratio("anls_star", {"score": 1.0}, {"documents": 1.0}, "the mean over documents.", title="ANLS*")
    return ratios_only(name, name, _plain("documents"), (ratio,), Breakdown("overall"))


def _words(name: str, settings: ScoreSettings) -> Formula:
    divided = PrecisionRecall({"right": 1.0}, {"system": 1.0}, {"found": 1.0}, {"gold": 1.0})
    return Formula(name, name, _plain("found", "gold", "right", "system"), divided, beta=settings.beta)


def _text2kg(name: str, settings: ScoreSettings) -> Formula:
    definitions = {
        "f1": "mean F1 over documents.",
        "precision": "mean precision; triples whose relation gold does not have in the document are dropped before.",
        "recall": "mean recall.",
        "conformance": "triples whose relation is in the ontology.",
        "relation_hallucination": "1 - conformance, of the documents with an answer.",
    }
    whole, low = {"documents": 1.0}, "relation_hallucination"
    ratios = tuple(Ratio(key, {key: 1.0}, whole, text, is_best_low=key == low) for key, text in definitions.items())
    return ratios_only(name, name, _plain("documents", "dropped"), ratios, Breakdown("overall"))


def _measure(name: str, formula: Any, scorer: str, summary: str, module: str = _MEASURES) -> Measure:
    """Measures of other tools are defined where they are counted."""
    count = f"count_{scorer.replace('-', '_')}"
    definition = f"{module}.{count.replace('count_anls_star', 'anls_star')}" if module == _PEERS else module
    units = lazy(f"{module}:list_verdicts") if scorer == "verdicts" else None
    instead = "" if units else "choose fair for the errors of values"
    listing = Scorer(scorer, lazy(f"{module}:{count}"), units=units)
    return Measure(name, RECORDS, listing, formula, definition, summary=summary, instead_of_units=instead)


_exact, _relaxed = (partial(_leaves, right=right) for right in (("TP",), ("TP", "FE")))
MEASURES = (
    _measure("exact", _exact, "verdicts", "Leaves with the right value."),
    _measure("relaxed", _relaxed, "verdicts", "Leaves with the right value, formatting aside."),
    _measure("fair", _fair, "verdicts", "Each leaf counts once; errors have types."),
    _measure("soft", _soft, "soft", "The similarity of values in place."),
    _measure("records", _records, RECORDS, "Records whose leaves are all right."),
    _measure("documents", _documents, "documents", "Documents without an error."),
    _measure("anls-star", _anls_star, "anls-star", "ANLS*: similarity of trees of values.", _PEERS),
    _measure("word-set", _words, "word-set", "NERRE: sets of words by document and field.", _PEERS),
    _measure("word-list", _words, "word-list", "NERRE, doping: lists of words by document and field.", _PEERS),
    _measure("text2kg", _text2kg, "text2kg", "Text2KGBench: triples by document.", _PEERS),
)


def _optional(name: str, kind: str, description: str, metavar: str, none: str = "none", **reading: Any) -> Parameter:
    """A parameter that is None by default."""
    conversion = ParameterConversion(spell=lambda value: none if value is None else str(value), **reading)
    cli = CommandLine(metavar=metavar)
    return Parameter(name, kind, None, description, allowed=Allowed(optional=True), conversion=conversion, cli=cli)


PARAMETERS = (
    Parameter(
        "fields",
        "fields",
        (),
        "Options of a field: compare, normalise, tolerance, relative, decimal, first, threshold, key, order, weight, "
        "ignore, ground. Repeatable.",
        conversion=ParameterConversion(parse=parse_fields, stored=FieldTable, spell=spell_fields),
        cli=CommandLine(metavar="FIELD:OPTION=VALUE,...", option="field", repeatable=True),
    ),
    _optional(
        *("schema", "schema", "JSON schema whose fields have their options under x-evenhand.", "FILE"),
        parse=parse_schema,
        stored=Schema,
    ),
    spec.choice(
        *("preset", ("exact", "relaxed", "triples")),
        "Comparator of all fields, or lists of subject, relation and object.",
    ),
    Parameter(
        *("absent", "names", (), "Strings that count as absent values, such as N/A."),
        conversion=ParameterConversion(spell=lambda names: "+".join(names) or "none"),
    ),
    spec.choice(
        *("empty", ("absent", "strict")),
        "null, empty strings, lists and objects: no value, or values that differ from each other and from no value.",
    ),
    _optional(
        "at", "text", "Key of the value in the answers of systems, if it is wrapped: result, or data.items.", "KEY"
    ),
    _optional("tool", "text", "Name of the tool whose calls are the answer, if there are several.", "NAME", "all"),
    spec.choice(
        *("unknown_fields", ("keep", "drop")),
        "Fields that neither the gold standard nor the schema has: count their values as spurious, or drop them.",
    ),
    _optional(
        *("root", "text"),
        *("word-set: the field whose values are linked with the words of the other fields of a record.", "FIELD"),
    ),
    _optional(
        *("ontology", "file"),
        *("text2kg: JSON with the relations of the ontology, as a list or under the key relations.", "FILE"),
        parse=lazy(f"{_PEERS}:parse_ontology"),
        stored=f"{_PEERS}:Ontology",
    ),
)

TASK = spec.Task(
    name=RECORDS,
    title="records: JSON of language models, field by field",
    aliases=("json", "extraction", "information-extraction"),
    unit="value",
    example=spec.Example(
        RECORDS, "gold.jsonl", ("rules.jsonl", "small.jsonl", "large.jsonl"), options="--task records"
    ),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=lambda content: ("exact", "relaxed", "fair", "records", "documents"),
        ranked=lambda content: ("exact", "relaxed", "fair", "records"),
        compared=("fair", "exact"),
        reported=("fair", "exact"),
    ),
    parameters=PARAMETERS,
    input=spec.InputSpec(
        alignments=("strict",),
        detects=lambda annotation: RECORDS in annotation.layers,
        has_labels=False,
        matches_documents=True,
    ),
    rules=spec.SettingRules(
        signature=(
            *("gold", "system", "preset", "fields", "schema", "empty", "absent", "at", "tool", "unknown-fields"),
            *("near", "macro", "beta"),
        ),
        constants={"near": "0.5"},
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.records.evaluation:align"),
        evaluate=lazy("evenhand.tasks.records.evaluation:evaluate"),
        by_document=True,
        notes=lazy("evenhand.tasks.records.tables:notes"),
        facts=lazy("evenhand.tasks.records.evaluation:facts"),
        fact_names=(ANSWERS, GROUNDED),
        is_perfect=lazy("evenhand.tasks.records.tables:is_perfect"),
    ),
    error_types=spec.ErrorTypes(all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",)),
    comparison=spec.ComparisonSpec(
        unit_scorers=("verdicts",),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        slices={"depth": lazy(f"{_MEASURES}:by_depth")},
        page_slices=("document",),
        answer_text=partial(lazy("evenhand.tasks.units:answer_text"), kinds=CLASS_KINDS),
    ),
    display=spec.Display(
        summary=lazy("evenhand.tasks.records.tables:summary"),
        details=lazy("evenhand.tasks.records.tables:details"),
        errors=lazy("evenhand.tasks.records.tables:error_bars"),
        confusion=spec.Confusion(("fair",), title="fields confused (KE)", caption="Right values under other keys."),
        transitions=lazy("evenhand.tasks.tables:error_type_transitions"),
        remarks={"moved": "verdict, but another value"},
        label="field",
        drawing="records",
        shows_error_types=True,
        has_label_answers=False,
    ),
)
