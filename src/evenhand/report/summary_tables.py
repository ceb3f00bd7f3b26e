"""The summary of several systems as tables: one row per system and measure, or systems beside each other.

Up to four measures: each system has a row per measure, with precision, recall, the score, its interval, and the scores
of the most frequent labels. More measures: one row per measure and one column per system, or, for more than five
systems, one row per system and one column per measure; and a second table by label under the measure of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from evenhand.errors import WARNING, counted
from evenhand.report.document import ReportDocument, Section, gold_line
from evenhand.report.verdict import Lead, lead_sentences, notes_on_lead, other_leaders, score_name
from evenhand.results.signature import NOTHING_TO_RESAMPLE
from evenhand.results.summary import Estimate, Summary
from evenhand.scoring.measure import Formula
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, Marked, TableStyle, stars
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import MOST_COLUMNS, label_notes, rivals

MAX_MEASURES = 4
"""Maximum number of measures with one row each for every system."""
MAX_WIDTH = 100
"""Characters per line of text."""
MAX_LABELS = 8
"""Maximum number of labels with a column."""
_LABEL_WIDTH = 9
"""Characters of a column of scores with stars and a gap."""


def summary_document(summary: Summary, style: TableStyle) -> ReportDocument:
    """The verdict, the tables, and what they leave out."""
    results, lead = summary.results, Lead.of(summary)
    verdict, opening = [], gold_line(results)
    if lead.names:
        scores = {
            score_name(results, name): {system: estimate.score for system, estimate in by_system.items()}
            for name, by_system in summary.measures.items()
        }
        sentences = [*lead_sentences(lead), *other_leaders(scores, lead.names[0])]
        sentences += notes_on_lead(lead, with_options=False)
        verdict, opening = [" ".join(sentences)], f"points of {score_name(results, summary.by)}; {opening}"
    on_labels = {
        note
        for result in results.values()
        for note in label_notes(result.gold, result.name, result.predicted_labels, results.unit)
        if not note.startswith(WARNING)
    }
    notes = [note for note in summary.notes if note not in on_labels and not note.startswith(NOTHING_TO_RESAMPLE)]
    more = f", {counted(len(on_labels), 'note')} on labels of one side only" if on_labels else ""
    more += ", answers of language models" if any(result.grounding is not None for result in results.values()) else ""
    hint = (
        f"Not shown: counts and error types by {TASKS[results.task].display.label}{more} (--full); "
        "differences (evenhand compare); errors (evenhand errors, evenhand report)."
    )
    tables = list(_tables(summary, style))
    return ReportDocument(opening, [Section("", tables)], notes, summary.signature, verdict, hint)


def _tables(summary: Summary, style: TableStyle) -> Iterator[DisplayTable]:
    measures = shown_measures(summary)
    if len(measures) <= MAX_MEASURES:
        yield _by_system(summary, measures, style)
        return
    yield _beside(summary, measures, style) if len(summary.results) <= MOST_COLUMNS else _many(summary, measures)
    if summary.labels.get(summary.by):
        yield _by_label(summary, style)


def shown_measures(summary: Summary) -> list[Formula]:
    """The measures whose scores are shares that are better if they are higher, and that a system has annotation for."""
    first = next(iter(summary.results.values()))
    formulas = [first[name].model for name in summary.measures]
    return [
        formula
        for formula in formulas
        if not formula.has_ratios_only or (formula.ratios[0].is_share and not formula.ratios[0].is_best_low)
        if formula.name == summary.by
        or not all(isnan(estimate.score) for estimate in summary.measures[formula.name].values())
    ]


# One row per system and measure


def _by_system(summary: Summary, measures: Sequence[Formula], style: TableStyle) -> DisplayTable:
    results, several = summary.results, len(measures) > 1
    has_prf = [_has_prf(formula) for formula in measures]
    columns = [Column("system", "text"), *([Column("model", "text")] if several else [])]
    columns += [Column("prec.", "percent"), Column("recall", "percent")] if any(has_prf) else []
    columns += [Column(_score_title(summary, measures), "percent")]
    columns += [Column(_level(summary), "label")] if summary.resampling["resamples"] else []
    width = sum(len(column.name) + 2 for column in columns[:2]) + max(map(len, results)) + 8 * (len(columns) - 2)
    labels = _columns_of_labels(summary, style, width)
    columns += [Column(label, "percent") for label in labels]
    rows: list[list[Cell]] = []
    for system, result in results.items():
        for number, formula in enumerate(measures):
            score, estimate = result[formula.name], summary.measures[formula.name][system]
            row: list[Cell] = [system if number == 0 else ""]
            row += [_title(summary, formula)] if several else []
            if any(has_prf):
                row += [score.precision, score.recall] if has_prf[number] else [None, None]
            row += [_marked(estimate)]
            row += [interval_text(estimate, style)] if summary.resampling["resamples"] else []
            by_label = summary.labels.get(formula.name, {})
            row += [_marked(by_label[label][system]) if label in by_label else None for label in labels]
            rows.append(row)
    groups = [range(number, len(rows), len(measures)) for number in range(len(measures))]
    return DisplayTable("", columns, rows, remark=_remark(summary, labels), rivals=groups)


def _has_prf(formula: Formula) -> bool:
    return not formula.has_ratios_only and not formula.is_one_share and not formula.is_accuracy


def _title(summary: Summary, formula: Formula) -> str:
    titles = {name: model_title(summary.task, name) for name in summary.measures}
    title = titles[formula.name]
    title = title if formula.name == next(name for name in titles if titles[name] == title) else formula.name
    return f"{title} (macro)" if formula.headline == "macro" else title


def _score_title(summary: Summary, measures: Sequence[Formula]) -> str:
    if len(measures) == 1 and not _has_prf(measures[0]):
        return _title(summary, measures[0])
    return f"F{measures[0].beta:g}" if all(map(_has_prf, measures)) else "score"


def _level(summary: Summary) -> str:
    return f"{100 * summary.resampling['level']:g}% interval"


def _marked(estimate: Estimate) -> Marked:
    return Marked(estimate.score, stars(estimate.p))


def interval_text(estimate: Estimate, style: TableStyle) -> str:
    """The bounds with one decimal less than scores, because resampling is not more precise."""
    if estimate.interval is None:
        return UNDEFINED
    decimals = (2 if style.percent else 4) if style.decimals is None else style.decimals
    low, high = (100 * bound if style.percent else bound for bound in estimate.interval)
    return f"{low:.{max(decimals - 1, 0)}f}–{high:.{max(decimals - 1, 0)}f}"


def _columns_of_labels(summary: Summary, style: TableStyle, width: int) -> list[str]:
    """The most frequent labels that fit beside columns of this width, in the order of the gold standard."""
    by_measure = list(summary.labels.values())
    if not by_measure:
        return []
    labels = max(by_measure, key=len)
    room = min(style.width or MAX_WIDTH, MAX_WIDTH) - width
    kept: list[str] = []
    for label in list(labels)[:MAX_LABELS]:
        room -= max(_LABEL_WIDTH, len(label) + 2)
        if room < 0:
            break
        kept.append(label)
    return [label for label in summary.results.gold.labels if label in kept]


# Systems beside each other


def _beside(summary: Summary, measures: Sequence[Formula], style: TableStyle) -> DisplayTable:
    """One row per measure; each system has a column for scores and, if there is room, one for intervals."""
    systems = list(summary.results)
    has_intervals = bool(summary.resampling["resamples"]) and len(systems) <= MOST_COLUMNS - 2
    columns = [Column("F1" if all(map(_has_prf, measures)) else "score", "text")]
    for system in systems:
        columns += [Column(system, "percent"), *([Column(_level(summary), "label")] if has_intervals else [])]
    rows: list[list[Cell]] = []
    for formula in measures:
        row: list[Cell] = [_title(summary, formula)]
        for estimate in summary.measures[formula.name].values():
            row += [_marked(estimate), *([interval_text(estimate, style)] if has_intervals else [])]
        rows.append(row)
    return DisplayTable("", columns, rows, remark=_remark(summary, []), beside=True)


def _many(summary: Summary, measures: Sequence[Formula]) -> DisplayTable:
    """One row per system, one column per measure."""
    columns = [Column("system", "text"), *(Column(_title(summary, formula), "percent") for formula in measures)]
    rows: list[list[Cell]] = [
        [system, *(_marked(summary.measures[formula.name][system]) for formula in measures)]
        for system in summary.results
    ]
    return DisplayTable("", columns, rows, remark=_remark(summary, []), rivals=rivals(rows))


def _by_label(summary: Summary, style: TableStyle) -> DisplayTable:
    """The most frequent labels under the measure of the verdict."""
    title = score_name(summary.results, summary.by)
    labels = _columns_of_labels(summary, style, max(map(len, (*summary.results, title))))
    by_label = summary.labels[summary.by]
    columns = [Column(title, "text"), *(Column(label, "percent") for label in labels)]
    rows: list[list[Cell]] = [
        [system, *(_marked(by_label[label][system]) for label in labels)] for system in summary.results
    ]
    return DisplayTable("", columns, rows, remark=_on_labels(summary, labels, [summary.by]), rivals=rivals(rows))


# Remarks


def _remark(summary: Summary, labels: Sequence[str]) -> str:
    made, parts = summary.resampling, []
    if made["trials"]:
        pairs = f", corrected for {counted(len(summary.pairs), 'pair')} (Holm)" if len(summary.pairs) > 1 else ""
        test = f"approximate randomization of {made['of']}{pairs}"
        parts.append(f"* p < 0.05, ** p < 0.01: differs from {summary.against} ({test}).")
    if made["resamples"]:
        parts.append(f"Intervals: {counted(made['resamples'], 'resample')} of {made['of']}.")
    return " ".join([*parts, *filter(None, [_on_labels(summary, labels, list(summary.labels))] if labels else [])])


def _on_labels(summary: Summary, labels: Sequence[str], measures: Sequence[str]) -> str:
    """What the scores of labels under these measures are, and how many labels are left out."""
    number, name = len(max(summary.labels.values(), key=len)), TASKS[summary.task].display.label
    few = f"The {len(labels)} most frequent of {counted(number, name)}." if len(labels) < number else ""
    is_accuracy = any(formula.name in measures and formula.is_accuracy for formula in shown_measures(summary))
    meaning = f"By {name}: recall." if is_accuracy else ""
    is_tested = any(estimate.change is not None for name in measures for estimate in _of_labels(summary, name))
    untested = "" if is_tested or not summary.resampling["trials"] else f"Scores by {name} are not tested."
    return " ".join(filter(None, (meaning, few, untested)))


def _of_labels(summary: Summary, measure: str) -> Iterator[Estimate]:
    return (estimate for by_system in summary.labels.get(measure, {}).values() for estimate in by_system.values())
