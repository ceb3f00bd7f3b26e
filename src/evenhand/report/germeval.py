"""The metrics of GermEval 2014 as text, with the figures of the official script in their order, and as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.problems import visible
from evenhand.report import latex as booktabs
from evenhand.report.cells import row_texts
from evenhand.report.document import Document, Section
from evenhand.report.latex_text import comment
from evenhand.result.germeval import GermEval
from evenhand.scores.germeval import LEVELS, Score
from evenhand.table import Cell, Column, Table

_TITLES = {
    "strict": "1. Strict, Combined Evaluation (official):",
    "loose": "2. Loose, Combined Evaluation:",
    "outer": "3.1 Per-Level Evaluation (outer chunks):",
    "inner": "3.2 Per-Level Global Evaluation (inner chunks):",
}
_PER_TYPE = "Evaluation per type and mode:"
_COUNTS = ("gold", "found", "correct")
_ROWS = {"strict": "strict, combined", "loose": "loose, combined", "outer": "strict, outer", "inner": "strict, inner"}


def text(result: GermEval, *, verbose: bool = False) -> str:
    """The script's figures, then what it does not say; with `verbose`, the counts behind the figures."""
    lines = [*_metrics(result), "", "", *_per_type(result), ""]
    if verbose:
        lines += [*_aligned(_counts(result)), ""]
    shown = "\n".join([*lines, *remarks(result), result.signature])
    return "\n".join(map(visible, shown.split("\n"))) + "\n"


def latex(result: GermEval, *, verbose: bool = False) -> str:
    """The four metrics as a table with booktabs; with `verbose`, another one with the counts."""
    lines = [comment(result.signature), *booktabs.lines(_metric_table(result))]
    if verbose:
        lines += ["", *booktabs.lines(_counts(result))]
    return "\n".join(lines) + "\n"


def germeval_document(result: GermEval) -> Document:
    """The four metrics, and the counts below, for reports that are made of tables."""
    opening = f"GermEval 2014: {result.name} against the gold standard {result.gold_name}"
    said = "" if result.as_script else "; ".join(line.strip() for line in (_other_level(result), *_repairs(result)))
    sections = [
        Section("", [replace(_metric_table(result), remark=said and f"{said}.")]),
        Section("counts by label and level", [_counts(result)]),
    ]
    return Document(opening, sections, result.notes, result.signature)


def _metric_table(result: GermEval) -> Table:
    columns = [Column("metric", "text"), *(Column(name, "percent") for name in ("accuracy", "P", "R", "F1"))]
    rows: list[list[Cell]] = []
    for name, title in _ROWS.items():
        metric = result.metrics[name]
        scored = result.strict if result.as_script and name == "loose" else metric  # as the script's own table
        rows.append([title, metric.accuracy, scored.precision, scored.recall, scored.f1])
    return Table("", columns, rows)


def remarks(result: GermEval) -> list[str]:
    """What the script does not say: predictions on the wrong level, what was mended, and what is worth a look.

    The first two are about entities as we read them, so that they do not stand below the script's figures.
    """
    ours = [] if result.as_script else [_other_level(result), *_repairs(result)]
    return [*ours, *(f"Note: {note}" for note in result.notes)]


def _other_level(result: GermEval) -> str:
    return f"Predictions right on the other level: {result.other_level:,}"


def _metrics(result: GermEval) -> Iterator[str]:
    outer, inner = result.outer, result.inner
    for mode in ("STRICT", "LOOSE"):
        yield (
            f"{mode}: Found: {outer.found} outer and {inner.found} inner phrases; "
            f"Gold: {outer.gold} (outer) and {inner.gold} (inner)."
        )
    for name, title in _TITLES.items():
        metric = result.metrics[name]
        yield from ("", title, ";\n".join((f"Accuracy: {_accuracy(result, name):6.2f}%", *_figures(metric))))


def _accuracy(result: GermEval, name: str) -> float:
    """In percent, as the script divides counts, so that ties are rounded alike: combined metrics have half tags."""
    accuracy = result.metrics[name].accuracy
    if name in LEVELS or not result.tokens:
        return 100 * accuracy
    return 100 * (round(2 * accuracy * result.tokens) / 2) / result.tokens


def _per_type(result: GermEval) -> Iterator[str]:
    """The strict figures of every label; the loose ones of a class stand with the label that has no suffix.

    The script leaves out what does not occur on either side.
    """
    yield from (_PER_TYPE, "=" * len(_PER_TYPE), "")
    for label, strict in result.labels.items():
        scores = (*strict, *result.classes.get(label, ()))
        if result.as_script and not any(score.gold or score.found for score in scores):
            continue
        yield from (f"==> {label:>10}", "=" * 14)
        for mode, scores in (("strict", strict), ("loose", result.classes.get(label, ()))):
            for level, score in zip(LEVELS, scores, strict=False):
                yield f"{level.title()} {mode}: {'; '.join(_figures(score))}"


def _figures(score: Score) -> tuple[str, str, str]:
    precision, recall, f1 = score.percentages
    return f"Precision: {precision:6.2f}%", f"Recall: {recall:6.2f}%", f"FB1: {f1:6.2f}"


def _counts(result: GermEval) -> Table:
    """Gold, found and correct entities by label and level."""
    names = [f"{level} {count}" for level in LEVELS for count in _COUNTS]
    loose_outer, loose_inner = (sum(each[level].correct for each in result.classes.values()) for level in range(2))
    rows = [
        *((label, *levels) for label, levels in result.labels.items()),
        *((f"{name}, loose", *levels) for name, levels in result.classes.items()),
        ("all", result.outer, result.inner),
        (
            "all, loose",
            Score(result.outer.gold, result.outer.found, loose_outer),
            Score(result.inner.gold, result.inner.found, loose_inner),
        ),
    ]
    cells: list[list[Cell]] = [
        [name, outer.gold, outer.found, outer.correct, inner.gold, inner.found, inner.correct]
        for name, outer, inner in rows
    ]
    return Table("counts", [Column("label", "text"), *(Column(name, "count") for name in names)], cells, summary_rows=2)


def _aligned(table: Table) -> Iterator[str]:
    """Narrow enough for a terminal: the levels stand above the names of their columns."""
    yield f"{table.title:<12}" + "".join(f"{level:>{8 * len(_COUNTS)}}" for level in LEVELS)
    for first, *counts in (("", *_COUNTS * len(LEVELS)), *row_texts(table)):
        yield f"{first:<12}" + "".join(f"{count:>8}" for count in counts)


def _repairs(result: GermEval) -> Iterator[str]:
    """How many spans are ill-formed, and the first ones with their places."""
    repairs = result.repairs
    if not repairs.count:
        yield "Repaired tags: 0"
        return
    done = "left out" if repairs.policy == "discard" else "taken as they stand"
    sides = f"gold {repairs.gold:,}, prediction {repairs.prediction:,}"
    yield f"Repaired tags: {repairs.count:,} ({sides}; spans {done})"
    for problem in repairs.first:
        yield f"  {problem.source}:{problem.line}: {problem.finding}"
    if repairs.count > len(repairs.first):
        yield f"  and {repairs.count - len(repairs.first):,} more"
