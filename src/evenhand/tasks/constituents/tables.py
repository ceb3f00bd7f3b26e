"""Tables, notes and error distributions of constituents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from evenhand.errors import WARNING, SettingError, counted
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.constituents.task import ALL, ERROR_NAMES, ERRORS, LEFT_OUT, MENDED, SHORT, counts_errors
from evenhand.tasks.evaluation import SideSummary

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results

Figures = tuple[list[Column], list[Cell]]
"""Columns of the summary, and the cells of one system."""
UNDEFINED = "–"
_LABELED_ALL = "labeled" + ALL
_MAX_LISTED = 10
"""The number of left-out sentences that a terminal lists."""
_ERRORS_WRONG = (
    "errors wrong: labeled-all and so on, which count sentences with errors as wrong. rank, compare, gate and report "
    "use these unless --errors skip; EVALB leaves such sentences out."
)


def summary(results: Results) -> Iterator[DisplayTable]:
    """The figures of EVALB's summary: all sentences, then short ones; with errors as wrong if that differs."""
    cutoff = next(iter(results.values())).settings["cutoff"]
    for ending, title in {"": "all sentences", SHORT: f"up to {cutoff:,} words"}.items():
        names = [name for name in results.models if name.endswith(SHORT) == bool(ending)]
        models = [name.removesuffix(SHORT) for name in names if not counts_errors(name)]
        with_errors = [name for name in names if counts_errors(name)]
        if models:
            yield _summary(results, title, models, ending)
        if with_errors and (
            not models or any(_differs(results[system], name) for system in results for name in with_errors)
        ):
            bases = [name.removesuffix(SHORT).removesuffix(ALL) for name in with_errors]
            remark = _ERRORS_WRONG if not ending else ""
            yield replace(_summary(results, f"{title}, errors wrong", bases, ALL + ending), remark=remark)


def _differs(result: Result, model: str) -> bool:
    """Whether a score differs from EVALB's, which leaves sentences with errors out."""
    other = model.replace(ALL, "", 1)
    return other in result.scores and result[model].headline != result[other].headline


def _summary(results: Results, title: str, models: Sequence[str], ending: str) -> DisplayTable:
    columns, rows = [Column("system", "text")], list[list[Cell]]()
    for name, result in results.items():
        columns, row = [Column("system", "text")], list[Cell]([name])
        for model in models:
            heads, cells = _FIGURES[model](result[model + ending])
            columns += heads
            row += cells
        rows.append(row)
    return DisplayTable(title, columns, rows, rivals=shared.rivals(rows))


def _brackets(score: MeasureScore) -> Figures:
    row, names = score.overall, ["prec.", "recall", "F1"]
    cells = [row.precision, row.recall, row.f1]
    if score.beta != 1:
        names, cells = [*names, f"F{score.beta:g}"], [*cells, row.f_beta]
    return [Column(name, "percent") for name in names], [_defined(cell) for cell in cells]


def _complete(score: MeasureScore) -> Figures:
    names = ("failed",) if counts_errors(score.name) else ("valid", "error", "skip")
    columns = [*(Column(name, "count") for name in names), Column("complete", "percent")]
    return columns, [*(score.overall.counts[name] for name in names), _defined(score.headline)]


def _crossing(score: MeasureScore) -> Figures:
    counts, headline = score.overall, score.headline
    columns = [Column("none", "percent"), Column("≤ 2", "percent")]
    cells: list[Cell] = [_defined(headline), UNDEFINED if isnan(headline) else counts["two_or_less_share"]]
    if counts_errors(score.name):  # only valid sentences have crossing brackets
        return columns, cells
    valid = counts["valid"]
    mean = f"{counts['crossings'] / valid:.2f}" if valid else UNDEFINED
    return [Column("crossing", "label"), *columns], [mean, *cells]


_FIGURES: dict[str, Callable[[MeasureScore], Figures]] = {
    "labeled": _brackets,
    "unlabeled": lambda score: ([Column("unlabeled", "percent")], [_defined(score.headline)]),
    "complete": _complete,
    "crossing": _crossing,
    "tagging": lambda score: ([Column("tags", "percent")], [_defined(score.headline)]),
}


def _defined(value: float) -> Cell:
    return UNDEFINED if isnan(value) else value


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """Left-out sentences, scores by label, error types, and the confusion of labels."""
    left_out, detailed = _left_out(result), _detailed(result)
    if left_out is not None:
        rows, remark = left_out.rows, ""
        if len(rows) > _MAX_LISTED:
            rows, remark = (
                rows[:_MAX_LISTED],
                f"The first {_MAX_LISTED} of {len(rows):,}; --as json writes all of them.",
            )
        yield DisplayTable(left_out.title, left_out.columns, rows, remark=remark)
    for name in ("labeled", _LABELED_ALL):
        if name in result.scores and (name == detailed or _differs(result, _LABELED_ALL)):
            yield _by_label(result, result[name], style).folded()
    if detailed in result.scores:
        yield _error_types(result, result[detailed])
    yield from shared.confusion_table(result)


def _detailed(result: Result) -> str:
    """The model whose errors are listed: the model of comparisons, or EVALB's if both are equal."""
    if _LABELED_ALL in result.scores and ("labeled" not in result.scores or _differs(result, _LABELED_ALL)):
        return _LABELED_ALL
    return "labeled"


def listing(result: Result) -> Iterator[DisplayTable]:
    """All sentences that are left out, if the details list only some of them."""
    left_out = _left_out(result)
    if left_out is not None and len(left_out.rows) > _MAX_LISTED:
        yield left_out


def _left_out(result: Result) -> DisplayTable | None:
    names = [name for name in result.scores if name.startswith("complete")]
    name = next(iter(sorted(names, key=lambda name: name.endswith(SHORT))), None)
    left_out = {} if name is None else result[name].further.get("left_out", {})
    if not left_out:
        return None
    rows: list[list[Cell]] = [[location, *reason.split(": ", 1)] for location, reason in left_out.items()]
    columns = [Column("sentences left out", "text"), Column("status", "text"), Column("reason", "text")]
    return DisplayTable("sentences left out", columns, rows)


def _by_label(result: Result, score: MeasureScore, style: TableStyle) -> DisplayTable:
    """Counts and scores by label; support is the number of gold brackets in scored sentences."""
    table = shared.label_table(result, score, query, style, support=shared.gold_units)
    rows = [list(row) for row in table.rows]
    width = len(shared.score_cells(score.overall, score.beta))
    for cells, row in zip(rows, (*score.labels.values(), score.overall), strict=False):
        if isnan(row.f1):
            cells[-width:] = [UNDEFINED] * width
    return replace(table, rows=rows)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The brackets of a count; a page has brackets of the model that systems are compared by."""
    if model == _detailed(result) and count == "gold":
        return Query(result.name, of="gold", gold=label)
    if model != _detailed(result) or count not in ("TP", *ERROR_NAMES):
        return None
    if count == "FP":
        return Query(result.name, kind=count, predicted=label)
    return Query(result.name, kind=count, gold=label)


def _error_types(result: Result, score: MeasureScore) -> DisplayTable:
    title = "kinds of errors" if score.name == "labeled" else f"kinds of errors ({score.name})"
    matched = sum(score.overall[kind] for kind in ERRORS)
    remark = f"Precision and recall each count {matched:,.0f} brackets that were matched with a wrong one."
    return replace(shared.error_type_table(result, score, ERROR_NAMES, title), remark=remark if matched else "")


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """Error types of labeled brackets, under the model that systems are compared by."""
    name = next((model for model in (by, _LABELED_ALL, "labeled") if model in results.models), None)
    if name is None:
        raise SettingError("The kinds of errors come from the measure labeled; score with it too.")
    return shared.errors_by_kind(results, [name], ERROR_NAMES, query)


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on sentences that are left out, mended quotes, and labels."""
    errors, skipped, notes = side.noted["error"], side.noted["skip"], list[str]()
    if errors + skipped == gold.sentences:
        notes.append(
            f"{WARNING}system {name}: no sentence can be scored ({errors:,} with errors, "
            f"{skipped:,} skipped), so precision, recall and F1 of labeled and the like are undefined."
        )
    elif errors or skipped:
        left_out = f"{errors:,} with errors and {skipped:,} skipped"
        notes.append(
            f"system {name}: of {counted(gold.sentences, 'sentence')}, {left_out} are left out of labeled and the "
            "other scores of EVALB, which may gain by that; labeled-all and the like count them as wrong."
        )
    if mended := side.noted[MENDED]:
        notes.append(f"system {name}: in {counted(mended, 'sentence')}, quotes were repaired (QUOTE_LABEL).")
    if identical:
        notes.append(shared.identical_note(name, "bracket"))
    return (*notes, *shared.label_notes(gold, name, side.labels, "bracket"))


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """A note on parameter files that ignore labels."""
    if settings["prm"].labeled:
        return ()
    return (f"{settings['prm'].name} has LABELED 0: labels do not count in labeled and complete.",)


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all brackets are right, and no sentence is left out."""
    scorer = next((name for name in ("brackets", "brackets-all") if name in tallies), "")
    return shared.is_perfect(tallies, (scorer,)) and not len(tallies[LEFT_OUT])
