"""The tables of constituents, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from evenhand.errors import WARNING, SettingError, counted
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tables import PLAIN, Cell, Column, Query, Table, TableStyle
from evenhand.tasks.constituents.evaluation import MENDED
from evenhand.tasks.constituents.task import ALL, ERROR_NAMES, ERRORS, SHORT, counts_errors
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.tables import (
    ErrorBars,
    confusion_table,
    errors_by_kind,
    label_notes,
    label_table,
    rivals,
    score_cells,
)

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results

# == tasks/constituents/notes.py: What a reader of scores of constituents should know about th


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Sentences that are left out, and files that are odd."""
    errors, skipped = side.noted["error"], side.noted["skip"]
    found = []
    if errors + skipped == gold.sentences:
        found.append(
            f"{WARNING}system {name}: no sentence can be scored ({errors:,} with errors, "
            f"{skipped:,} skipped), so precision, recall and F1 of labeled and the like are undefined."
        )
    elif errors or skipped:
        left = f"{errors:,} with errors and {skipped:,} skipped"
        found.append(
            f"system {name}: of {_sentences(gold.sentences)}, {left} are left out of labeled and the other scores of "
            "EVALB, which may gain by that; labeled-all and the like count them as wrong."
        )
    if mended := side.noted[MENDED]:
        found.append(f"system {name}: in {_sentences(mended)}, quotes were mended (QUOTE_LABEL).")
    if identical:
        found.append(f"system {name}: its brackets are just those of the gold standard; is it the right file?")
    return (*found, *label_notes(gold, name, side.labels, "bracket"))


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What a parameter file changes in names of scores."""
    if settings["prm"].labeled:
        return ()
    return (f"{settings['prm'].name} says LABELED 0: labels do not count in labeled, nor in complete.",)


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all brackets are right."""
    tally = next((tallies[name] for name in ("brackets", "brackets-all") if name in tallies), None)
    return tally is not None and bool(len(tally)) and tally.kinds_met <= {"TP"} and not len(tallies["left out"])


def _sentences(count: int) -> str:
    return counted(count, "sentence")


# == tasks/constituents/tables.py (primary)


UNDEFINED = "–"
_MOST_LISTED = 10
"""How many sentences that are left out a terminal shows."""


def summary(results: Results) -> Iterator[Table]:
    """The figures of EVALB's summary: all sentences, then the short ones; with errors as wrong if that differs."""
    cutoff = next(iter(results.values())).settings["cutoff"]
    titles = {"": "all sentences", SHORT: f"up to {cutoff:,} words"}
    for end, title in titles.items():
        short = [name for name in results.models if name.endswith(SHORT) == bool(end)]
        models = [name.removesuffix(SHORT) for name in short if not counts_errors(name)]
        counted = [name for name in short if counts_errors(name)]
        if models:
            yield _summary(results, title, models, end)
        if counted and (not models or _differ(results, counted)):
            names = [name.removesuffix(SHORT).removesuffix(ALL) for name in counted]
            remark = _COUNTED if not end else ""
            yield replace(_summary(results, f"{title}, errors wrong", names, ALL + end), remark=remark)


_COUNTED = (
    "errors wrong: labeled-all and so on, which count sentences with errors as wrong. rank, compare, gate and report "
    "use these unless --errors skip; EVALB leaves such sentences out."
)


def _differ(results: Results, counted: Sequence[str]) -> bool:
    """Whether a score depends on what sentences with errors count as."""
    return any(differs(result, name) for result in results.values() for name in counted)


def differs(result: Result, model: str) -> bool:
    """Whether a score differs from that of EVALB, which leaves sentences with errors out."""
    other = model.replace(ALL, "", 1)
    return other in result.scores and result[model].headline != result[other].headline


def _summary(results: Results, title: str, models: Sequence[str], end: str) -> Table:
    columns, rows = [Column("system", "text")], list[list[Cell]]()
    for name, result in results.items():
        columns, row = [Column("system", "text")], list[Cell]([name])
        for model in models:
            heads, cells = _FIGURES[model](result[model + end])
            columns += heads
            row += cells
        rows.append(row)
    return Table(title, columns, rows, rivals=rivals(rows))


def _brackets(score: MeasureScore) -> tuple[list[Column], list[Cell]]:
    row, names = score.overall, ["prec.", "recall", "F1"]
    cells = [row.precision, row.recall, row.f1]
    if score.beta != 1:
        names, cells = [*names, f"F{score.beta:g}"], [*cells, row.f_beta]
    return [Column(name, "percent") for name in names], [_defined(cell) for cell in cells]


def _unlabeled(score: MeasureScore) -> tuple[list[Column], list[Cell]]:
    return [Column("unlabeled", "percent")], [_defined(score.headline)]


def _complete(score: MeasureScore) -> tuple[list[Column], list[Cell]]:
    counts = score.overall.counts
    shown = ("failed",) if counts_errors(score.name) else ("valid", "error", "skip")
    columns = [Column(name, "count") for name in shown]
    return [*columns, Column("complete", "percent")], [*(counts[name] for name in shown), _defined(score.headline)]


def _crossing(score: MeasureScore) -> tuple[list[Column], list[Cell]]:
    counts = score.overall
    valid = counts["valid"]
    columns, cells = [Column("none", "percent"), Column("≤ 2", "percent")], list[Cell]([_defined(score.headline)])
    cells.append(UNDEFINED if isnan(score.headline) else counts["two_or_less_share"])
    if counts_errors(score.name):  # crossing brackets are those of valid sentences
        return columns, cells
    mean = f"{counts['crossings'] / valid:.2f}" if valid else UNDEFINED
    return [Column("crossing", "label"), *columns], [mean, *cells]


def _tagging(score: MeasureScore) -> tuple[list[Column], list[Cell]]:
    return [Column("tags", "percent")], [_defined(score.headline)]


_FIGURES = {
    "labeled": _brackets,
    "unlabeled": _unlabeled,
    "complete": _complete,
    "crossing": _crossing,
    "tagging": _tagging,
}


def _defined(value: float) -> Cell:
    return UNDEFINED if isnan(value) else value


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """Sentences that are left out, labels, kinds of errors, confused labels."""
    left_out = _left_out(result)
    if left_out is not None:
        rows, remark = left_out.rows, ""
        if len(rows) > _MOST_LISTED:
            rows, remark = rows[:_MOST_LISTED], f"The first {_MOST_LISTED} of {len(rows):,}; --as json has them all."
        yield Table(left_out.title, left_out.columns, rows, remark=remark)
    for name in ("labeled", _LABELED_ALL):
        if name in result.scores and (name == _detailed(result) or differs(result, _LABELED_ALL)):
            yield _by_label(result, result[name], style).folded()
    if _detailed(result) in result.scores:
        yield _kinds(result, result[_detailed(result)])
    yield from confusion_table(result)


_LABELED_ALL = "labeled" + ALL


def _detailed(result: Result) -> str:
    """The model whose errors are listed: that of comparisons, or that of EVALB where both are the same."""
    has_all = _LABELED_ALL in result.scores
    return _LABELED_ALL if has_all and ("labeled" not in result.scores or differs(result, _LABELED_ALL)) else "labeled"


def listing(result: Result) -> Iterator[Table]:
    """All sentences that are left out, where the details have some of them."""
    found = _left_out(result)
    if found is not None and len(found.rows) > _MOST_LISTED:
        yield found


def _left_out(result: Result) -> Table | None:
    names = [name for name in result.scores if name.startswith("complete")]
    name = next(iter(sorted(names, key=lambda name: name.endswith(SHORT))), None)
    left_out = {} if name is None else result[name].further.get("left_out", {})
    if not left_out:
        return None
    rows: list[list[Cell]] = [[place, *reason.split(": ", 1)] for place, reason in left_out.items()]
    columns = [Column("sentences left out", "text"), Column("status", "text"), Column("reason", "text")]
    return Table("sentences left out", columns, rows)


def _by_label(result: Result, score: MeasureScore, style: TableStyle) -> Table:
    """Counts and scores by label; of the gold standard, the brackets of valid sentences."""
    table = label_table(result, score, query, style)
    rows = [list(row) for row in table.rows]
    for cells, row in zip(rows, (*score.labels.values(), score.overall), strict=False):
        cells[1] = sum(row[kind] for kind in row.counts if kind != "FP")
        if isnan(row.f1):
            cells[-len(score_cells(row, score.beta)) :] = [UNDEFINED] * len(score_cells(row, score.beta))
    return replace(table, rows=rows)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The brackets of a count; a page has those of the model that systems are compared by."""
    if model != _detailed(result) or count not in ("TP", *ERROR_NAMES):
        return None
    if count == "FP":
        return Query(result.name, kind=count, predicted=label)
    return Query(result.name, kind=count, gold=label)


def _kinds(result: Result, score: MeasureScore) -> Table:
    """How the errors divide."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("kind of error", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{name}", score.overall[kind], share, share])
    matched = sum(score.overall[kind] for kind in ERRORS)
    remark = (
        f"Precision and recall each count {matched:,.0f} brackets that were matched with a wrong one."
        if matched
        else ""
    )
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    title = "kinds of errors" if score.name == "labeled" else f"kinds of errors ({score.name})"
    return Table(title, columns, rows, remark=remark, queries=queries)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The kinds of errors of labeled brackets, under the model that systems are compared by."""
    models = (by, _LABELED_ALL, "labeled")
    name = next((model for model in models if model in results.models), None)
    if name is None:
        raise SettingError("The kinds of errors come from the match model labeled; score with it too.")
    return errors_by_kind(results, [name], ERROR_NAMES, query)
