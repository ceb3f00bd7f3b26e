"""Tables and notes of spans: scores, error types, overrides of the gold standard, and answers of language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.data.overrides import OverrideFile
from evenhand.errors import WARNING, SettingError, counted, counted_phrase
from evenhand.grounding.grounder import AMBIGUOUS, MAX_LISTED, NOWHERE, STEPS, UNKNOWN, GroundingCounts
from evenhand.grounding.items import READINGS
from evenhand.scoring.scores import MeasureScore
from evenhand.settings import MISSING, ReadSettings, ScoreSettings
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.spans.measures import (
    ERROR_NAMES,
    ERRORS,
    FAIR_KINDS,
    KIND,
    LEAK,
    LEAK_NAMES,
    STATES,
    counts_gold_errors,
)

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results

_AS_KIND = "GE: errors on wrong gold spans, and FP that should be gold spans. --weights defines what they count."
_ALWAYS = ("documents", "items", *NOWHERE, "ambiguous", "malformed", "unparsable")
"""The counts that are shown even if they are 0."""
_NAMES = {
    "several": "several lists",
    "skipped_lines": "skipped lines",
    "unknown_labels": "unknown label",
    "text_differs": "text differs",
}
_WHY = (*NOWHERE, UNKNOWN, AMBIGUOUS)
_LISTED = (
    "absent: not in the text. repeated: named more often than it occurs. ambiguous: occurs more often than named. "
    "unknown label: not a label of the gold standard."
)
_REMARK = (
    "Found by: the first step with a match. absent: not in the text; repeated: named more often than it "
    "occurs; both count as wrong. Upper bound: exact F1 if every string were placed where it scores best, which uses "
    "the gold standard; not a score."
)
_MATCHED = ",".join(ERRORS)
"""Error types with a span on both sides, which exact match counts as FN and FP."""
_EXACT = "fair,exact"
"""The measures of pages with the units of exact match."""


def summary(results: Results) -> Iterator[DisplayTable]:
    """The scores of all systems, the effect of overrides and, of language models, how answers were read and placed."""
    yield from shared.summary(results)
    yield from before_and_after(results)
    grounded = {name: result.grounding for name, result in results.items() if result.grounding is not None}
    if grounded:
        yield _answers(grounded)
        yield _placements(grounded)


def before_and_after(results: Results) -> Iterator[DisplayTable]:
    """The headlines of all systems without and with overrides, if there are any."""
    first = next(iter(results.values()))
    if not first.before:
        return
    columns = [Column("system", "text"), Column("model", "text")]
    columns += [Column(name, "percent") for name in ("before", "after", "change")]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        for index, (model, score) in enumerate(result.scores.items()):
            before, after = result.before[model].headline, score.headline
            rows.append([name if index == 0 else "", model, before, after, after - before])
    remark = _AS_KIND if first.settings["overrides_as"] == KIND else ""
    yield DisplayTable("overrides of the gold standard", columns, rows, remark=remark)


def _answers(grounded: Mapping[str, GroundingCounts]) -> DisplayTable:
    names = ("documents", "missing", *READINGS, "several", "malformed", "skipped_lines", "unclosed_tags")
    return _counts("answers of language models", grounded, (*names, "unopened_tags", "text_differs"))


def _placements(grounded: Mapping[str, GroundingCounts]) -> DisplayTable:
    names = ("items", *STEPS, *NOWHERE, "outside", "ambiguous", "merged", "widened", "respelled", "unknown_labels")
    table = _counts("grounding", grounded, (*names, "capped"))
    bounds = [counts.upper_bound for counts in grounded.values()]
    if all(bound is None for bound in bounds):
        return table
    rows = [[*row, bound] for row, bound in zip(table.rows, bounds, strict=True)]
    return DisplayTable(table.title, [*table.columns, Column("upper bound", "percent")], rows, remark=_REMARK)


def _counts(title: str, grounded: Mapping[str, GroundingCounts], names: Sequence[str]) -> DisplayTable:
    """One row per system, and a column for every count that is not 0 for all systems."""
    shown = [name for name in names if name in _ALWAYS or any(counts[name] for counts in grounded.values())]
    columns = [Column("system", "text"), *(Column(_NAMES.get(name, name.replace("_", " ")), "count") for name in shown)]
    rows: list[list[Cell]] = [[name, *(counts[count] for count in shown)] for name, counts in grounded.items()]
    return DisplayTable(title, columns, rows)


def listing(result: Result) -> Iterator[DisplayTable]:
    """The items of a language model that could not be placed or are ambiguous."""
    grounding = result.grounding
    if grounding is None or not grounding.listed:
        return
    columns = [Column(name, "text") for name in ("string", "label", "why", "document")]
    listed = sorted(grounding.listed, key=lambda item: _WHY.index(item.status))
    rows: list[list[Cell]] = [[item.text, item.label, item.status, item.document] for item in listed]
    left = f"The first {len(rows):,} of them. " if len(rows) >= MAX_LISTED else ""
    yield DisplayTable("strings to look at", columns, rows, remark=f"{left}{_LISTED}")


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """A table by label for every measure, the error types, the confusion matrix."""
    for score in result.scores.values():
        if score.model.breakdown.details in ("all", "labels"):
            yield shared.label_table(result, score, query, style, without=("BE", "spans"))
        if "leaked" in score.further:
            yield _leaked(score.further["leaked"]["spans"])
    fair = shared.confusion_score(result)
    if fair is not None:
        yield _error_types(result, fair)
        yield from shared.confusion_table(result)


def _leaked(spans: Sequence[Mapping[str, Any]]) -> DisplayTable:
    names = ("place", "label", "words", "visible", "state")
    columns = [Column(name, "text") for name in names]
    rows: list[list[Cell]] = [[span[name] for name in names] for span in spans]
    return DisplayTable("leaked", columns, rows, remark="" if rows else "(none)")


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """The error types of fair evaluation, next to exact match; of leakage, the gold spans that are not covered."""
    if by == LEAK:
        return shared.errors_by_kind(results, [LEAK], LEAK_NAMES, query)
    fair = shared.confusion_score(next(iter(results.values())))
    if fair is None:
        raise SettingError("The error types come from the measure fair; score with it too.")
    models = [*(name for name in results.models if name == "exact"), fair.name]
    kinds = {kind: name for kind, name in ERROR_NAMES.items() if kind in fair.overall.counts}
    return shared.errors_by_kind(results, models, kinds, query)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The query for the spans of a count, of one label or of all.

    None if the error types of a page by `fair`, `exact` or `leak` do not determine them.
    """
    system, by_system = result.name, result.settings["focus"] == "system"
    if count == "gold":
        return Query(system, of="gold", gold=label)
    if model in result.settings.functions:
        return None
    if model == LEAK:
        return Query(system, kind=count, gold=label, by=LEAK) if count in STATES else None
    if model == "exact" and count in ("FP", "GE") and counts_gold_errors(result.settings):
        return None
    if model == "exact" and count == "FN":
        return Query(system, of="gold", kind=f"{_MATCHED},FN", gold=label, by=_EXACT)
    if model == "exact" and count == "FP":
        return Query(system, of="system", kind=f"{_MATCHED},FP", predicted=label, by=_EXACT)
    if count == "GE" and label is not None:  # it counts for the gold label or, of an FP, for the system's
        return None
    by = _EXACT if model == "exact" or count == "TP" else "fair"
    if count == "FP" or (by_system and count in ("LE", "LBE")):
        return Query(system, kind=count, predicted=label, by=by)
    return Query(system, kind=count, gold=label, by=by) if count in FAIR_KINDS else None


def _error_types(result: Result, score: MeasureScore) -> DisplayTable:
    """The error distribution, compared with exact match, if scored."""
    names = {kind: name for kind, name in ERROR_NAMES.items() if kind in score.overall.counts}
    title, remark = f"error types ({score.name})", ""
    table = shared.error_type_table(result, score, names, title, "error type", "fair")
    if "exact" in result.scores:
        fp, fn = result["exact"].overall["FP"], result["exact"].overall["FN"]
        if fp + fn:
            shares = f"{fp:,.0f} FP ({fp / (fp + fn):.0%}) and {fn:,.0f} FN ({fn / (fp + fn):.0%})"
            remark = f"Exact match counts {shares} instead."
    return replace(table, remark=remark)


def grounding_notes(name: str, grounding: GroundingCounts) -> list[str]:
    """Notes on answers and items of a language model that could not be used."""
    reasons = {
        "not in it": grounding["absent"],
        "named more often than they occur": grounding["repeated"],
        "not whole tokens": grounding["outside"],
    }
    notes = []
    if unplaced := grounding.unplaced:
        items = f"of {counted(grounding['items'], 'item')} {'has' if unplaced == 1 else 'have'}"
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
        notes.append(f"system {name}: {unplaced:,} {items} no place in the text ({why}); see --unplaced.")
    lists = "several lists, of which the last complete one counts"
    ids = "ids, but the gold standard does not, so they are matched by order"
    sentences = (
        (grounding["unparsable"], "answers that cannot be read", "counts as empty", "count as empty"),
        (grounding["several"], "answers", f"has {lists}", f"have {lists}"),
        (grounding["missing"], "documents without an answer", "counts as empty", "count as empty"),
        (grounding["unused_ids"], "answers", f"has {ids}", f"have {ids}"),
        (grounding["malformed"], "items without a string or a label", "is left out", "are left out"),
        (grounding["capped"], "positions", "may be wrong: a search hit a limit", "may be wrong: searches hit a limit"),
    )
    for count, subject, one, several in sentences:
        notes += [f"system {name}: {counted_phrase(count, subject)} {one if count == 1 else several}."] if count else []
    answered = grounding["documents"] - grounding["missing"]
    hint = "if they have another layout, specify it with --shape"
    if grounding.has_nothing:
        notes.insert(0, f"{WARNING}system {name}: no answer has a readable span; {hint}.")
    elif 2 * grounding["unparsable"] > answered:
        notes.insert(0, f"{WARNING}system {name}: most answers could not be read; {hint}.")
    return notes


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """Notes on the settings."""
    notes = override_notes(settings)
    if settings.functions:
        names = " and ".join(settings.functions)
        notes += (f"{names}: defined by your code, so the signature alone does not reproduce the scores.",)
    if settings["unplaced"] != "drop":
        return notes
    return (*notes, "items without a place in the text are left out (--unplaced drop), which inflates precision.")


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on repairs, alignment and labels."""
    notes = shared.file_notes(gold, name, side, read_as.repair)
    if side.mismatches is not None:
        notes += shared.document_notes(name, side.mismatches)
        if side.mismatches.by_order:
            notes.append(f"system {name}: no id matches the gold standard; documents are matched by order.")
    if side.grounding is not None:
        notes += grounding_notes(name, side.grounding)
    if side.breaks_differ:
        notes.append(f"system {name}: its sentences differ from those of the gold standard, which were used.")
    if touching := side.noted[MISSING]:
        spans = shared.with_verb(touching, "span")
        notes.append(f"system {name}: {spans} left out, on tokens that the gold standard leaves unannotated.")
    notes += shared.unit_notes(name, side.units, "span", identical=identical)
    return (*notes, *shared.label_notes(gold, name, side.labels))


def override_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """The number of overrides by kind."""
    file: OverrideFile | None = settings["overrides"]
    if file is None:
        return ()
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in file.verdicts.items() if count)
    overrides = counted(sum(file.verdicts.values()), "override")
    how = "its errors are the error type GE" if settings["overrides_as"] == KIND else "it is corrected"
    return (f"the gold standard has {overrides} ({file.name}{f': {verdicts}' if verdicts else ''}); {how}.",)
