"""Default tables of every task (summary, by label, confusion), error distributions, what to fix first, and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evenhand.alignment.documents import AlignmentIssues
from evenhand.arrays import Ints, Values
from evenhand.data.annotation import UNANNOTATED, ReadInfo
from evenhand.data.vocabulary import MAX_LISTED, foreign_labels, list_names
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, SettingError, counted, nearest, plural
from evenhand.scoring.measure import Formula, Ratio
from evenhand.scoring.scores import Average, MeasureScore, Row, divided_table, headlines
from evenhand.scoring.tally import NO_LABEL, Tally
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, LazyQueries, Queries, Query, TableStyle
from evenhand.tasks.registry import TASKS, model_title, models_of
from evenhand.tasks.words.measures import ABSENT, EXTRA

if TYPE_CHECKING:
    from evenhand.results.comparison import Comparison, Differences, Pair, Transition
    from evenhand.results.result import GoldSummary, Result, Results
    from evenhand.tasks.evaluation import SideSummary
    from evenhand.tasks.task import Task

Ask = Callable[..., Query | None]
"""The query for the units of a figure: (result, measure, count, label). The count is empty for scores and whole rows;
the label is optional.
"""
MOST_LABELS = 10
"""Number of labels in a confusion matrix, to fit a terminal."""
MOST_COLUMNS = 5
"""Up to this number of systems, each has a column; more have rows."""
_MOST_SLICED = 3
"""Number of measures in tables of slices."""
_MOST_BAR_LABELS = 6
"""Number of labels with a part of each error bar; the others share one."""
MICRO, MACRO, WEIGHTED = "micro avg", "macro avg", "weighted avg"
"""Rows of tables that the JSON calls `overall`, `macro` and `support`."""
_COUNT_NAMES = {"gold_hits": "gold hit", "system_hits": "system hits", "system": "found"}
_SHOWN_SCORES = {"accuracy": "acc.", "specificity": "spec.", "kappa": "kappa"}
"""The scores of contingency tables that fit next to the others, and their short names."""
_GOLD, _SYSTEM = "gold", "system"
"""Parts of count types that count one unit once for either side."""
_Errors = tuple[str, str, str]
"""The error type, gold label and predicted label that a group of errors has in common."""
_EXPECTED = 2
"""The column of `Formula.columns()` with the gold units."""


def summary(results: Results, models: Sequence[str] = ()) -> Iterator[DisplayTable]:
    """All systems side by side: precision, recall and F; accuracies with their counts; declared ratios."""
    first, models = next(iter(results.values())), models or results.models
    accuracies = [name for name in models if first[name].model.headline == "accuracy"]
    accuracies = [name for name in accuracies if {"gold", "correct"} <= set(first[name].overall.counts)]
    with_ratios = [name for name in models if first[name].model.has_ratios_only]
    others = [name for name in models if name not in (*accuracies, *with_ratios)]
    if others:
        yield _scores(results, others)
    for model in accuracies:
        yield _accuracy(results, model)
    for model in with_ratios:
        yield measure_summary(results, model)


def _scores(results: Results, models: Sequence[str]) -> DisplayTable:
    several = len(results) > 1
    columns = [Column("system", "text")] if several else []
    ratios = _additional_ratios(results, models)
    columns += [Column("model", "text"), *score_columns(results.beta), *measure_columns(ratios)]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        for index, score in enumerate(result[model] for model in models):
            row: list[Cell] = [name if index == 0 else ""] if several else []
            is_macro = score.model.headline == "macro"
            average = score.macro if is_macro else score.overall
            title = score.model.name
            row += [f"{title} (macro)" if is_macro else title, *score_cells(average, score.model.beta)]
            rows.append([*row, *measure_cells(ratios, score.overall)])
    rivals = [range(model, len(rows), len(models)) for model in range(len(models))] if several else ()
    return DisplayTable("", columns, rows, rivals=rivals)


def _additional_ratios(results: Results, models: Sequence[str]) -> list[Ratio]:
    """The ratios in addition to precision, recall and F that are known for at least one system."""
    scores = [result[name] for result in results.values() for name in models]
    ratios = {ratio.name: ratio for score in scores for ratio in score.model.ratios}
    known = {name for score in scores for name, value in score.overall.more.items() if value is not None}
    return [ratio for name, ratio in ratios.items() if name in known]


def _accuracy(results: Results, model: str) -> DisplayTable:
    scores = {name: result[model] for name, result in results.items()}
    has_sentences = any(score.sentences is not None for score in scores.values())
    columns = [Column("system", "text"), Column(f"{results.unit}s", "count"), Column("correct", "count")]
    columns += [Column(name, "percent") for name in (model, "macro F1", *(["sentences"] if has_sentences else []))]
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    right = ",".join(TASKS[results.task].error_types.correct(model))
    for name, score in scores.items():
        counts = score.overall.counts
        row: list[Cell] = [name, counts["gold"], counts["correct"], score.headline, score.macro.f1]
        rows.append([*row, sentences(score)] if has_sentences else row)
        units = [Query(name, of="gold", by=model), Query(name, kind=right, by=model)]
        queries.append([None, *units, *[None] * (len(columns) - len(units) - 1)])
    remark = "sentences: fully correct sentences." if has_sentences else ""
    return DisplayTable("", columns, rows, remark=remark, rivals=rivals(rows), queries=queries)


def sentences(score: MeasureScore) -> Cell:
    """The share of sentences that are fully correct."""
    return None if score.sentences is None else score.sentences.share


def rivals(rows: Sequence[object]) -> Sequence[Sequence[int]]:
    """The rows of systems, if there are several."""
    return [range(len(rows))] if len(rows) > 1 else ()


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """One system: a table by label for every measure with labels, and the confusion of labels."""
    yield from label_tables(result, style, result.scores)
    yield from confusion_table(result)


def label_tables(result: Result, style: TableStyle, models: Iterable[str]) -> Iterator[DisplayTable]:
    """A table by label for each of these measures that has labels."""
    for score in map(result.__getitem__, models):
        if score.model.breakdown.details in ("all", "labels"):
            yield label_table(result, score, style=style).folded()


def side_by_side(
    results: Results, title: str, models: Sequence[str], value: Callable[[MeasureScore], float]
) -> DisplayTable:
    """One score of all systems under several measures: one column per system or, if there are many, one row."""
    names = {model: model_title(results.task, model) for model in models}
    beside = len(results) <= MOST_COLUMNS
    if beside:
        heads: Sequence[str] = list(results)
        rows: list[list[Cell]] = [
            [name, *(value(result[model]) for result in results.values())] for model, name in names.items()
        ]
    else:
        heads = list(names.values())
        rows = [[system, *(value(result[model]) for model in models)] for system, result in results.items()]
    columns = [Column(title, "text"), *(Column(head, "percent") for head in heads)]
    return DisplayTable(title, columns, rows, rivals=() if beside else [range(len(rows))], beside=beside)


def slice_tables(results: Results, by: str | None = None) -> Iterator[DisplayTable]:
    """The scores on slices: of one system with counts, precision and recall; of several systems side by side.

    The other measures have a column or a table, up to `_MOST_SLICED` measures. `by` is the measure of a page, which
    comes first, and has queries.
    """
    first = next(iter(results.values()))
    for name in first.slices:
        models = _sliced_models(first, name, by)
        if len(results) == 1:
            yield slice_table(first, name, by)
        else:
            yield from (_slices_side_by_side(results, name, model) for model in models)


def _sliced_models(result: Result, name: str, by: str | None) -> list[str]:
    """The measures in tables of slices, the one of the page first."""
    measures = next(iter(result.slices[name].values())).scores
    return sorted(measures, key=lambda model: model != by)[:_MOST_SLICED]


def all_gold(task: str, slice_: str | None = None) -> Query | None:
    """The query for all gold units, or those of a slice, on pages that list them."""
    task_of, compared = TASKS[task], TASKS[task].selection.compared
    by = ",".join(name for name in compared if name not in task_of.other_units)
    return Query(of="gold", by=by, slice=slice_) if task_of.display.lists_all_gold else None


def _slice_queries(task: str, model: str, name: str, value: str) -> tuple[Query | None, Callable[[str], Query]]:
    """The queries for the gold units of a slice and, by system, for its errors on pages of a measure."""
    chosen = f"{name}={value}"
    return all_gold(task, chosen), lambda system: Query(system, right=False, slice=chosen, by=model)


def slice_table(result: Result, name: str, by: str | None = None) -> DisplayTable:
    """The scores of one system on slices, with counts; `by` is the measure of a page."""
    models = _sliced_models(result, name, by)
    slices, formula = result.slices[name], result[models[0]].model.of_labels()
    kinds = [kind for kind in formula.counts if kind != "gold"]
    columns = [Column(name, "text"), Column("gold", "count")]
    columns += [Column(_COUNT_NAMES.get(kind, count_title(kind)), "count") for kind in kinds]
    columns += measure_columns(formula.ratios) if formula.has_ratios_only else score_columns(formula.beta)
    columns += [Column(model_title(result.settings.task, model), "percent") for model in models[1:]]
    rows, queries = list[list[Cell]](), list[Queries]()
    types = formula.types_of_counts()
    for value, piece in slices.items():
        score = piece[models[0]]
        average = score.macro if formula.headline == "macro" else score.overall
        scores = (
            measure_cells(formula.ratios, score.overall)
            if formula.has_ratios_only
            else score_cells(average, formula.beta)
        )
        counts = [score.overall.counts[kind] for kind in kinds]
        gold, errors_of = _slice_queries(result.settings.task, models[0], name, value)
        wrong = errors_of(result.name)
        units = [replace(wrong, right=None, kind=",".join(types[kind])) if kind in types else None for kind in kinds]
        queries.append([wrong, gold, *units, *[wrong] * len(scores), *[None] * (len(models) - 1)])
        rows.append([value, piece.units, *counts, *scores, *(piece[model].headline for model in models[1:])])
    remark = f"Counts, precision and recall are those of {models[0]}." if len(models) > 1 else ""
    return DisplayTable(f"slice: {name}", columns, rows, remark=remark, queries=queries)


def _slices_side_by_side(results: Results, name: str, model: str) -> DisplayTable:
    title = model_title(results.task, model)
    columns = [Column(name, "text"), Column("gold", "count"), *(Column(system, "percent") for system in results)]
    first = next(iter(results.values()))
    rows: list[list[Cell]] = [
        [value, piece.units, *(result.slices[name][value][model].headline for result in results.values())]
        for value, piece in first.slices[name].items()
    ]
    queries: list[Queries] = []
    for value in first.slices[name]:
        gold, errors_of = _slice_queries(results.task, model, name, value)
        queries.append([gold, gold, *map(errors_of, results)])
    return DisplayTable(f"slice: {name} ({title})", columns, rows, queries=queries, beside=True)


def score_columns(beta: float) -> list[Column]:
    """The columns of precision, recall and F."""
    names = ["prec.", "recall", "F1"] + ([f"F{beta:g}"] if beta != 1 else [])
    return [Column(name, "percent") for name in names]


def score_cells(average: Average, beta: float) -> list[Cell]:
    cells: list[Cell] = [average.precision, average.recall, average.f1]
    return cells if beta == 1 else [*cells, average.f_beta]


def label_table(
    result: Result,
    score: MeasureScore,
    query: Ask | None = None,
    style: TableStyle = PLAIN,
    without: Sequence[str] = (),
    support: Callable[[Row], float] | None = None,
) -> DisplayTable:
    """Counts and scores by label, then the micro average and, if the measure has them, the other averages.

    `without` are counts that are left out. `support` is the number of gold units of a row, if that differs from the
    label counts of the gold standard.
    """
    name, model = score.model.name, score.model.of_labels()
    beta, has_ratios_only = model.beta, model.has_ratios_only
    ask = asking(result, score) if query is None else partial(query, result, name)
    kinds = [kind for kind in model.counts if kind != "gold" and kind not in without]
    more = [name for name in _SHOWN_SCORES if name in score.overall.more]
    columns = [Column("label", "text"), Column("gold", "count")]
    columns += [Column(_COUNT_NAMES.get(kind, count_title(kind)), "count") for kind in kinds]
    columns += measure_columns(model.ratios) if has_ratios_only else score_columns(beta)
    columns += [Column(_SHOWN_SCORES[shown], "percent") for shown in more]

    def cells(row: Row) -> list[Cell]:
        counts = (row.counts[kind] for kind in kinds)
        scores = measure_cells(model.ratios, row) if has_ratios_only else score_cells(row, beta)
        return [*counts, *scores, *(row.more[name] for name in more)]

    def averaged(name: str, average: Average) -> list[Cell]:
        nothing: list[Cell] = [None] * (len(kinds) + 1)
        return [name, *nothing, *score_cells(average, beta), *[None] * len(more)]

    weights = [result.gold.labels.get(label, 0) for label in score.labels]
    counted = [*zip((*score.labels, MICRO), (*score.labels.values(), score.overall), strict=True)]
    totals = (*weights, result.gold.units) if support is None else [support(row) for _, row in counted]
    rows: list[list[Cell]] = [[name, total, *cells(row)] for (name, row), total in zip(counted, totals, strict=True)]
    if score.model.breakdown.details == "all":
        rows += [averaged(MACRO, score.macro), averaged(WEIGHTED, score.weighted)]
    asked = [*score.labels, *[None] * (len(rows) - len(weights))]
    counts = ["", "gold", *kinds, *[""] * (len(columns) - len(kinds) - 2)]
    rows += [[f"{name} (supertag)", None, *cells(row)] for name, row in score.supertags.items()]

    def queries() -> list[list[Query | None]]:
        nothing: list[Query | None] = [None] * len(columns)
        return [*([ask(count, label) for count in counts] for label in asked), *[nothing] * len(score.supertags)]

    summed, remark = len(rows) - len(weights), _baselines(score, style)
    return DisplayTable(name, columns, rows, summed, remark, weights=weights, queries=LazyQueries(queries))


def gold_units(row: Row) -> float:
    """The number of gold units in a row: its count `gold`, or all counts but FP."""
    return row["gold"] if "gold" in row.counts else sum(row[kind] for kind in row.counts if kind != "FP")


def asking(result: Result, score: MeasureScore) -> Ask:
    """The default queries of a table by label, given a count and a label.

    Pages that compare systems on units of the gold standard lack the units that only a system has, so they cannot list
    all of its predictions.
    """
    task, system, has_extra = TASKS[result.settings.task], result.name, _has_extra(result, score)

    def ask(count: str, label: str | None) -> Query | None:
        if count == "gold":
            return Query(system, of="gold", gold=label)
        if count == "system":
            return None if has_extra else Query(system, of="system", predicted=label)
        if count == "correct":
            return Query(system, kind=",".join(task.error_types.correct(score.name)), gold=label)
        return Query(system, kind=count, gold=label) if count in task.error_types.all else Query(system, label=label)

    return ask


def _has_extra(result: Result, score: MeasureScore) -> bool:
    """Whether the system has units that the gold standard lacks."""
    try:
        tally = result.tallies.get(score.model.scorer)
    except SettingError:  # a saved result, which has no page
        return False
    return tally is not None and EXTRA in tally.kinds and bool((tally.kind == tally.kinds.index(EXTRA)).any())


def _baselines(score: MeasureScore, style: TableStyle) -> str:
    values = {name: "unknown" if value is None else style.score(value) for name, value in score.baselines.items()}
    listed = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"Trivial baselines, macro F: {listed}." if listed else ""


def confusion_score(result: Result) -> MeasureScore | None:
    """The score whose confusion of labels is shown, if it was scored."""
    declared = TASKS[result.settings.task].display.confusion
    if declared is None:
        return None
    names = declared.measures or [model.name for model in models_of(result.settings.task)]
    scores = (result.scores[name] for name in names if name in result.scores)
    return next((score for score in scores if score.confusion is not None), None)


def confusion_table(result: Result) -> Iterator[DisplayTable]:
    """Gold labels as rows, system labels as columns; errors only: spans have boundary errors on the diagonal."""
    score, task = confusion_score(result), TASKS[result.settings.task]
    declared = task.display.confusion
    if score is None or declared is None or not score.confusion:
        return

    by = ",".join(declared.measures) or None

    def ask(gold: str, predicted: str) -> Query | None:
        if not task.display.shows_error_types:  # only labels count; surplus of the system is not a unit
            return None if gold == NO_LABEL else Query(result.name, gold=gold, predicted=predicted)
        return Query(result.name, right=False, gold=gold, predicted=predicted, by=by)

    cells, weight = score.confusion, errors_by_label([score])
    shown = sorted(sorted(weight, key=lambda label: -weight[label])[:MOST_LABELS])
    columns = [Column("gold \\ system", "text"), *(Column(label, "count") for label in (*shown, declared.one_sided[0]))]
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for gold, name in zip((*shown, NO_LABEL), (*shown, declared.one_sided[1]), strict=True):
        others = (*shown, NO_LABEL) if gold != NO_LABEL else shown
        missing: list[None] = [None] * (len(shown) + 1 - len(others))
        rows.append([name, *(cells.get(gold, {}).get(other, 0) for other in others), *missing])
        whole = None if gold == NO_LABEL else Query(result.name, right=False, gold=gold, by=by)
        queries.append([whole, *(ask(gold, other) for other in others), *missing])
    few = f"The {len(shown)} labels with the most errors of {len(weight)}; --as json writes all of them."
    remark = few if len(shown) < len(weight) else ""
    yield DisplayTable(declared.title, columns, rows, remark=remark, queries=queries, shaded=True)


def error_type_table(
    result: Result,
    score: MeasureScore,
    names: Mapping[str, str],
    title: str,
    column: str = "kind of error",
    by: str | None = None,
) -> DisplayTable:
    """The distribution of errors: counts, shares and bars, with a query for the units of each type.

    `by` are the measures of pages that have these types, if not all have.
    """
    errors, width = sum(score.overall[kind] for kind in names), max(map(len, names)) + 1
    columns = [Column(column, "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in names.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<{width}}{name}", score.overall[kind], share, share])
    queries = [[Query(result.name, kind=kind, by=by)] * len(columns) for kind in names]
    return DisplayTable(title, columns, rows, queries=queries)


def transition_table(
    pair: Pair, differences: Differences, key: Callable[[Transition], tuple[str, str]], labels: Sequence[str] = ()
) -> DisplayTable:
    """Transitions of one class of differences, summed by `key` (before and after), with a column for some labels."""
    counts, by_label = Counter[tuple[str, str]](), Counter[tuple[str, str, str]]()
    for transition in differences.transitions:
        counts[key(transition)] += transition.count
        by_label[*key(transition), transition.gold] += transition.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    columns += [Column(label, "count") for label in labels]
    rows: list[list[Cell]] = []
    for (before, after), count in counts.most_common():
        shares: list[Cell] = [count / differences.count, count / pair.different]
        rows.append([before, after, count, *shares, *(by_label[before, after, label] for label in labels)])
    return DisplayTable("", columns, rows)


def error_type_transitions(comparison: Comparison, pair: Pair, differences: Differences) -> DisplayTable:
    """Changes of error types: the first word of an answer, without the identifier or field that follows it."""

    def error_types(change: Transition) -> tuple[str, str]:
        return change.before.partition(" ")[0], change.after.partition(" ")[0]

    return transition_table(pair, differences, error_types)


def errors_by_label(scores: Sequence[MeasureScore]) -> Counter[str]:
    """The number of errors with each label on either side, under all of these scores."""
    errors: Counter[str] = Counter()
    for score in scores:
        errors.update(dict.fromkeys(score.labels, 0))
        for gold, row in (score.confusion or {}).items():
            for system, count in row.items():
                for label in {gold, system} - {NO_LABEL}:
                    errors[label] += int(count)
    return errors


def measure_summary(results: Results, name: str) -> DisplayTable:
    """All systems under one measure: its ratios with their definitions, and the counts that labels do not have."""
    model = next(iter(results.values()))[name].model
    counts = [count for count in model.counts if count in model.breakdown.overall_only]
    columns = [Column("system", "text"), *measure_columns(model.ratios)]
    columns += [Column(count_title(count), "count") for count in counts]
    rows: list[list[Cell]] = []
    for system, result in results.items():
        overall = result[name].overall
        rows.append([system, *measure_cells(model.ratios, overall), *(overall.counts[count] for count in counts)])
    return DisplayTable(name, columns, rows, remark=definitions(model), rivals=rivals(rows))


def definitions(model: Formula) -> str:
    """The definitions of ratios, one sentence each."""
    return " ".join(f"{_title(measure)}: {measure.definition}" for measure in model.ratios)


def measure_columns(measures: Sequence[Ratio]) -> list[Column]:
    return [Column(_title(measure), "percent", measure.is_best_low) for measure in measures]


def measure_cells(measures: Sequence[Ratio], row: Row) -> list[Cell]:
    return [row.more.get(measure.name) for measure in measures]


def count_title(count: str) -> str:
    return count.replace("_", " ")


def _title(measure: Ratio) -> str:
    return measure.title or measure.name.replace("_", " ")


@dataclass(frozen=True)
class Bar:
    """The errors of one system under one measure by type, and the queries for their units."""

    system: str
    model: str
    """The title of the measure; empty if there is only one."""
    counts: Sequence[float]
    queries: Queries

    @property
    def total(self) -> float:
        return sum(self.counts)


@dataclass(frozen=True)
class ErrorKind:
    """A part of an error bar: an error type or a label."""

    name: str
    is_label: bool = False
    """Whether it is a label of the data."""
    like: str = ""
    """Its common error type (`FN` for missing words), if its name does not begin with it."""

    @property
    def type(self) -> str:
        """Its short name, as for spans if these have the same type; empty for labels."""
        code = "" if self.is_label else self.name.partition(":")[0]
        return self.like or (code.upper() if code in ("fn", "fp") else code)


@dataclass(frozen=True)
class ErrorBars:
    """All errors of all systems by type."""

    kinds: Sequence[ErrorKind]
    bars: Sequence[Bar]
    remark: str = ""

    def without_empty(self, optional: Sequence[ErrorKind]) -> ErrorBars:
        """The same without the optional types that no system has."""
        kept = [
            index
            for index, kind in enumerate(self.kinds)
            if kind not in optional or any(bar.counts[index] for bar in self.bars)
        ]
        bars = [
            replace(bar, counts=[bar.counts[index] for index in kept], queries=[bar.queries[index] for index in kept])
            for bar in self.bars
        ]
        return replace(self, kinds=[self.kinds[index] for index in kept], bars=bars)


def errors(results: Results, by: str | None = None) -> ErrorBars:
    """The default error distribution: by gold label if there is a confusion matrix, otherwise by error type.

    Only error types that a scored measure counts are shown. With `by`, only errors under this measure: an accuracy does
    not count surplus of the system.
    """
    first, task = next(iter(results.values())), TASKS[results.task]
    if confusion_score(first) is not None:
        is_accuracy = by is not None and by in first.scores and first[by].model.headline == "accuracy"
        return errors_by_gold_label(results, with_extra=not is_accuracy)
    wrong = [
        kind for kind in task.error_types.of_tables if kind not in task.error_types.correct(task.selection.reported[0])
    ]
    models = [name for name, score in first.scores.items() if set(wrong) & set(score.overall.counts)]
    if not models:
        raise SettingError(f"No scored measure has error types of {results.task}.")
    return errors_by_kind(results, models, dict.fromkeys(wrong, ""), _units)


def _units(result: Result, model: str, kind: str) -> Query | None:
    return Query(result.name, kind=kind) if kind in TASKS[result.settings.task].error_types.all else None


def errors_by_kind(
    results: Results,
    models: Sequence[str],
    kinds: Mapping[str, str],
    ask: Callable[[Result, str, str], Query | None],
) -> ErrorBars:
    """Errors by type under these measures; `kinds` has the names of types, `ask` makes the query for each."""
    bars = [
        Bar(
            name,
            model_title(results.task, model),
            [result[model].overall.counts.get(kind) or 0 for kind in kinds],
            [ask(result, model, kind) for kind in kinds],
        )
        for name, result in results.items()
        for model in models
    ]
    return ErrorBars([ErrorKind(f"{kind}: {name}" if name else kind) for kind, name in kinds.items()], bars)


def errors_by_gold_label(results: Results, *, with_extra: bool = True) -> ErrorBars:
    """Units with a wrong label by their gold label, and units that only one side has."""
    task = TASKS[results.task]
    label, unit = task.display.label, task.unit
    scores = {name: confusion_score(result) for name, result in results.items()}
    wrong = {name: _wrong_by_label(score) for name, score in scores.items() if score is not None}
    total = sum(wrong.values(), Counter[str]())
    shown = sorted(total, key=lambda name: (-total[name], name))[:_MOST_BAR_LABELS]
    right = task.error_types.correct(task.selection.reported[0])
    kinds = ",".join(kind for kind in task.error_types.all if kind not in (*right, *task.error_types.absent))
    bars = []
    for name, by_label in wrong.items():
        others = sum(by_label.values()) - sum(by_label[gold] for gold in shown)
        lost, extra = one_sided(scores[name])
        counts = [*(by_label[gold] for gold in shown), others, lost, extra if with_extra else 0]
        rest = Query(name, kind=kinds, except_gold="\t".join(shown))
        queries = [*(Query(name, kind=kinds, gold=gold) for gold in shown), rest, missing(task.name, name), None]
        bars.append(Bar(name, "", counts, queries))
    one_side = [ErrorKind(f"missing {unit}s", like="FN"), ErrorKind(f"extra {unit}s", like="FP")]
    optional = [ErrorKind(f"other {label}s"), *one_side]
    remark = f"{unit.title()}s with a wrong {label}, by their {label} in the gold standard."
    return ErrorBars([*(ErrorKind(gold, True) for gold in shown), *optional], bars, remark).without_empty(optional)


def missing(task: str, system: str) -> Query | None:
    """The query for gold units that a system lacks."""
    absent = ",".join(kind for kind in TASKS[task].error_types.absent if kind != ABSENT)
    return Query(system, kind=absent) if absent else None


def _wrong_by_label(score: MeasureScore) -> Counter[str]:
    rows = {gold: row for gold, row in (score.confusion or {}).items() if gold != NO_LABEL}
    return Counter({gold: int(sum(row.values()) - row.get(NO_LABEL, 0)) for gold, row in rows.items()})


def one_sided(score: MeasureScore | None) -> tuple[float, float]:
    """The number of units that only the gold standard, and only the system, has."""
    cells = (score.confusion if score is not None else None) or {}
    missing = sum(row.get(NO_LABEL, 0) for row in cells.values())
    return missing, sum(cells.get(NO_LABEL, {}).values())


@dataclass(frozen=True)
class ErrorGroup:
    """What to fix first: groups of errors, and how far the score would rise if a group were corrected.

    - A *group* has all errors with the same error type, gold label and system label: LE from PER to ORG, FN of PER.
    - An error is corrected according to its side: a unit of the gold standard becomes correct (TP), and a unit that
      only the system has is removed.
    - *recoverable* = score if the errors of the group were correct - score, under the headline of the measure; times
      100, in points. If the headline is an accuracy over N units, a group of n errors has n / N.
    - Each group is corrected separately. Two groups together may recover more or less than the sum of both.
    - Groups are ordered by what is recoverable, then by their number of errors.

    Source: Bolya et al. 2020, section 2, who fix one type of error at a time and report how far the score rises.
    """

    verdict: str
    gold: str
    """The gold label; empty if only the system has the units."""
    predicted: str
    """The predicted label, or empty."""
    count: int
    recoverable: float
    """The gain of the score, as a fraction."""

    def query(self, task: Task, system: str) -> Query:
        """The query for these errors of a system."""
        section = task.error_types.sections.get(self.verdict)
        if section is not None:
            return Query(system, kind=self.verdict, section=section)
        if task.display.has_label_answers:
            return Query(system, kind=self.verdict, gold=self.gold, predicted=self.predicted)
        if self.gold:
            return Query(system, kind=self.verdict, gold=self.gold)
        return Query(system, kind=self.verdict, label=self.predicted)

    def title(self, task: Task) -> str:
        """The group in words: `wrong label: PER → ORG`, `missing: PER`."""
        verdict = task.error_types.names.get(self.verdict, self.verdict.replace("_", " "))
        labels = list(dict.fromkeys(filter(None, (self.gold, self.predicted))))
        return f"{verdict}: {' → '.join(labels)}" if labels else verdict


def error_groups(task: Task, model: Formula, tally: Tally) -> list[ErrorGroup]:
    """The groups of errors with a gain; none if the headline is a mean of other scores."""
    if model.parts or model.headline == "macro":
        return []
    weights = {kind: _weights(model, kind) for kind in tally.kinds}
    right, counts, gains = task.error_types.correct(model.name), dict[_Errors, int](), dict[_Errors, Values]()
    total = np.zeros(len(model.columns()))
    for (_, gold, predicted, kind), count in tally.total().cells().items():
        total += count * weights[kind]
        verdict = _verdict(task, model.name, kind)
        if verdict is None or verdict in right:
            continue
        known = predicted if task.display.has_label_answers or gold == NO_LABEL else NO_LABEL
        group = (verdict, gold, known)
        counts[group] = counts.get(group, 0) + int(count)
        gains[group] = gains.get(group, 0.0) + count * _corrected(model, kind, weights, right[0])
    return _ordered(model, total, counts, gains)


def _ordered(
    model: Formula, total: Values, counts: Mapping[_Errors, int], gains: Mapping[_Errors, Values]
) -> list[ErrorGroup]:
    if not counts:
        return []
    sums = total + np.array([gains[group] for group in counts])
    scores = headlines(model, sums[:, None, :]) - headlines(model, total[None, None, :])
    groups = [
        ErrorGroup(*group, count, float(gain))
        for (group, count), gain in zip(counts.items(), scores.tolist(), strict=True)
        if gain > 0
    ]
    return sorted(
        groups, key=lambda group: (-group.recoverable, -group.count, group.verdict, group.gold, group.predicted)
    )


def _weights(model: Formula, kind: str) -> Values:
    """What one count of a kind adds to the sums that a formula divides."""
    return np.array([parts.get(kind, 0.0) for parts in model.columns()])


def _verdict(task: Task, by: str, kind: str) -> str | None:
    """The error type under a measure that a count type counts; None if another one counts the same units."""
    parts = kind.split(".")
    if _SYSTEM in parts:
        return None
    name = ".".join(part for part in parts if part != _GOLD)
    known = task.error_types.of(by)
    error_type = name if name in known else name.partition(".")[0]
    is_scored = error_type in known and error_type not in task.error_types.unscored
    return error_type if is_scored else None


def _corrected(model: Formula, kind: str, weights: Mapping[str, Values], right: str) -> Values:
    """How the sums change if a unit of this kind is corrected, for its gold label and for its predicted one."""
    other = ".".join(_SYSTEM if part == _GOLD else part for part in kind.split("."))
    counted = weights[kind] + (weights[other] if other != kind and other in weights else 0.0)
    return (_weights(model, right) if counted[_EXPECTED] else 0.0) - counted


def recoverable(task: Task, model: Formula, tally: Tally, kinds: Sequence[str], errors: Ints) -> Values | None:
    """How far the score would rise if groups of errors were corrected; see `ErrorGroup`.

    `errors` has the number of errors of each group and kind, (groups, kinds). None if the headline is a mean of other
    scores.
    """
    if model.parts or model.headline == "macro":
        return None
    (right, *_), weights = task.error_types.correct(model.name), {kind: _weights(model, kind) for kind in kinds}
    moved = errors @ np.array([_corrected(model, kind, weights, right) for kind in kinds])
    total = divided_table(model, tally.total(), (), 1)[0]
    gains: Values = headlines(model, total + moved[:, None, :]) - headlines(model, total[None])
    return gains


def label_notes(gold: GoldSummary, name: str, labels: Mapping[str, int], unit: str = "span") -> list[str]:
    """Labels that only one side has; a warning if the sides have no label in common."""
    if not gold.units or not labels or not sum(labels.values()):
        return []
    if foreign := foreign_labels(labels, gold.labels):
        return [f"{WARNING}system {name}: {'; '.join(foreign)}."]
    return [
        *_one_sided(f"gold {gold.name}", "the system", gold.labels, labels, unit),
        *_one_sided(f"system {name}", "the gold standard", labels, gold.labels, unit),
    ]


def with_verb(count: int, noun: str, singular: str = "is", several: str = "are") -> str:
    """A number with its noun and verb: `1 span is`, `2 spans are`."""
    return f"{counted(count, noun)} {singular if count == 1 else several}"


def file_notes(gold: GoldSummary, name: str, side: SideSummary, repair: str) -> list[str]:
    """How the files of both sides were read."""
    system = side.reading or ReadInfo()
    return [*reading_notes("gold", gold.name, gold.reading, repair), *reading_notes("system", name, system, repair)]


def reading_notes(side: str, name: str, reading: ReadInfo, repair: str) -> list[str]:
    """How a file was read, if its readers should know."""
    notes = []
    repair = reading.repair or repair
    if reading.repaired:
        spans, encoding = with_verb(reading.repaired, "span"), (reading.encoding or "").upper()
        policy = (
            "left out" if repair == "discard" else "kept: an I- that continues nothing begins a span, as in conlleval"
        )
        finding = f"{spans} ill-formed in {encoding} and {policy}"
        notes.append(f"{side} {name}: {finding} (repair: {repair}; the first one: {reading.first_repair}).")
    if reading.looks_like is not None:
        notes.append(f"{side} {name}: {_read_as(reading.looks_like, reading.encoding or '')}.")
    if reading.quotes_show:
        notes.append(
            f"{side} {name}: its quotes match its offsets only as {reading.offsets}, so they are "
            f"read that way (--offsets {side}:{reading.offsets} confirms it)."
        )
    if reading.merged:
        spans = "1 span has a label" if reading.merged == 1 else f"{reading.merged:,} spans have labels"
        notes.append(f"{side} {name}: {spans} of tokens, such as B-PER and I-PER, and were merged into entities.")
    if reading.repeated:
        spans = with_verb(reading.repeated, "span")
        notes.append(f"{side} {name}: {spans} listed more than once, and each listing counts.")
    notes += [
        f"{side} {name}: skipped {what} ({count:,})."
        for what, count in reading.skipped.items()
        if count and (side == "gold" or not what.startswith(UNANNOTATED))
    ]
    refused = "--repair error rejects them"
    return notes + [f"{side} {name}: accepted {what} ({count:,}; {refused})." for what, count in reading.kept.items()]


def unit_notes(name: str, units: int, unit: str, compared: str = "", *, identical: bool) -> list[str]:
    """Warnings for systems without units, and for systems identical to the gold standard in what is compared."""
    if not units:
        return [f"system {name}: has no {plural(unit)}."]
    return [identical_note(name, compared or unit)] if identical else []


def identical_note(name: str, unit: str) -> str:
    return f"system {name}: its {plural(unit)} are identical to the gold standard's. Is this the right file?"


def document_notes(name: str, mismatches: AlignmentIssues, unit: str = "documents") -> list[str]:
    """Documents that only one side has."""
    notes = []
    if mismatches.missing:
        notes.append(f"system {name}: lacks {unit} {list_names(mismatches.missing)}; they count as empty.")
    if mismatches.extra:
        notes.append(f"system {name}: has extra {unit}, which are ignored: {list_names(mismatches.extra)}.")
    return notes


def _read_as(looks_like: str, encoding: str) -> str:
    """The encoding of a system whose tags look like another encoding than the gold standard's."""
    if looks_like == encoding:
        return f"its tags are judged as {encoding.upper()}, since the gold standard's encoding has no such tags"
    judged = f"judged as {encoding.upper()}, the gold standard's encoding"
    return f"its tags look like {looks_like.upper()} but are {judged} (--encoding system:{looks_like} overrides)"


def _one_sided(
    side: str, other: str, labels: Mapping[str, int], others: Mapping[str, int], unit: str = "span"
) -> list[str]:
    """Labels that only one side has, with the nearest label of the other side; rare labels of words are omitted."""
    least = sum(labels.values()) / 1000 if unit == "word" else 0
    only = [label for label in labels if label not in others and labels[label] >= least]
    notes = []
    for label in only[:MAX_LISTED]:
        near = nearest(label, [other_label for other_label in others if other_label not in labels] or list(others))
        hint = f"; the nearest one there is {near!r}" if near else ""
        notes.append(f"{side}: the label {label!r} ({counted(labels[label], unit)}) does not occur in {other}{hint}.")
    if len(only) > MAX_LISTED:
        more = counted(len(only) - MAX_LISTED, "more label")
        notes.append(f"{side}: {more} {'does' if len(only) == MAX_LISTED + 1 else 'do'} not occur in {other}.")
    return notes


def is_perfect(
    tallies: Mapping[str, Tally],
    scorers: Sequence[str] = ("exact", "fair", "tags", "trees"),
    correct: Sequence[str] = ("TP", "right"),
) -> bool:
    """Whether all units are correct under these scorers; False if they counted nothing."""
    counted = [tallies[scorer] for scorer in scorers if scorer in tallies and len(tallies[scorer])]
    return bool(counted) and all(tally.kinds_seen <= {*correct} for tally in counted)
