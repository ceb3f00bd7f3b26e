"""The tables that every task has unless it declares others: a summary, a table by label, a confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.alignment.documents import AlignmentIssues
from evenhand.arrays import Values
from evenhand.data.annotation import ReadInfo
from evenhand.data.vocabulary import MAX_LISTED, foreign_labels, list_names
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, SettingError, counted, nearest, plural
from evenhand.scoring.measure import Formula, Ratio
from evenhand.scoring.scores import Average, MeasureScore, Row, headlines
from evenhand.scoring.tally import NO_LABEL, Tally
from evenhand.tables import PLAIN, Cell, Column, LazyQueries, Queries, Query, Table, TableStyle
from evenhand.tasks.registry import TASKS, model_title, models_of
from evenhand.tasks.words.measures import ABSENT, EXTRA

if TYPE_CHECKING:
    from evenhand.results.comparison import Differences, Pair, Transition
    from evenhand.results.result import GoldSummary, Result, Results
    from evenhand.tasks.task import Task

# == tasks/measure_tables.py: Tables of models that declare measures in place of precision


def measure_summary(results: Results, name: str) -> Table:
    """All systems under one model: its measures, the counts that labels do not have, and what measures are."""
    model = next(iter(results.values()))[name].model
    counts = [count for count in model.counts if count in model.breakdown.overall_only]
    columns = [Column("system", "text"), *measure_columns(model.ratios)]
    columns += [Column(count_title(count), "count") for count in counts]
    rows: list[list[Cell]] = []
    for system, result in results.items():
        overall = result[name].overall
        rows.append([system, *measure_cells(model.ratios, overall), *(overall.counts[count] for count in counts)])
    return Table(name, columns, rows, remark=definitions(model), rivals=[range(len(rows))] if len(rows) > 1 else ())


def definitions(model: Formula) -> str:
    """What the measures of a model are, in a sentence each."""
    return " ".join(f"{_title(measure)}: {measure.definition}" for measure in model.ratios)


def measure_columns(measures: Sequence[Ratio]) -> list[Column]:
    return [Column(_title(measure), "percent", measure.is_best_low) for measure in measures]


def measure_cells(measures: Sequence[Ratio], row: Row) -> list[Cell]:
    return [row.more.get(measure.name) for measure in measures]


def count_title(count: str) -> str:
    """What tables call a count."""
    return count.replace("_", " ")


def _title(measure: Ratio) -> str:
    return measure.title or measure.name.replace("_", " ")


# == tasks/notes.py: Notes that several tasks share: what a reader of the numbers


def label_notes(gold: GoldSummary, name: str, labels: Mapping[str, int], unit: str = "span") -> list[str]:
    """What labels only one side has; a warning if the two have none in common."""
    if not gold.units or not labels or not sum(labels.values()):
        return []
    if foreign := foreign_labels(labels, gold.labels):
        return [f"{WARNING}system {name}: {'; '.join(foreign)}."]
    return [
        *_one_sided(f"gold {gold.name}", "the system", gold.labels, labels, unit),
        *_one_sided(f"system {name}", "the gold standard", labels, gold.labels, unit),
    ]


def reading_notes(side: str, name: str, reading: ReadInfo, repair: str) -> list[str]:
    found = []
    repair = reading.repair or repair
    if reading.repaired:
        one = reading.repaired == 1
        policy = "left out" if repair == "discard" else f"taken as {'it stands' if one else 'they stand'}"
        spans = f"{counted(reading.repaired, 'span')} {'is' if one else 'are'}"
        encoding = (reading.encoding or "").upper()
        found.append(
            f"{side} {name}: {spans} ill-formed in {encoding} and {policy} "
            f"(repair: {repair}; the first one: {reading.first_repair})."
        )
    if reading.looks_like is not None:
        found.append(f"{side} {name}: {_judged_as(reading.looks_like, reading.encoding or '')}.")
    if reading.quotes_show:
        found.append(
            f"{side} {name}: its quotes match its offsets only as {reading.offsets}, so they are read like this "
            f"(--offsets {side}:{reading.offsets} confirms it)."
        )
    if reading.merged:
        spans = "1 span has a label" if reading.merged == 1 else f"{reading.merged:,} spans have labels"
        found.append(f"{side} {name}: {spans} of tokens, such as B-PER and I-PER, and were merged into entities.")
    if reading.repeated:
        spans = "1 span is" if reading.repeated == 1 else f"{reading.repeated:,} spans are"
        found.append(f"{side} {name}: {spans} listed more than once, and each listing counts.")
    skipped = [f"{side} {name}: skipped {what} ({count:,})." for what, count in reading.skipped.items() if count]
    kept = [
        f"{side} {name}: took {what} as they stand ({count:,}; --repair error refuses them)."
        for what, count in reading.kept.items()
    ]
    return found + skipped + kept


def unit_notes(gold: GoldSummary, name: str, units: int, unit: str, *, identical: bool) -> list[str]:
    """What is suspicious about how many units there are."""
    notes = []
    if not units:
        notes.append(f"system {name}: has no {unit} at all.")
    elif identical:
        notes.append(f"system {name}: its {plural(unit)} are just those of the gold standard; is it the right file?")
    return notes


def document_notes(name: str, mismatches: AlignmentIssues, unit: str = "documents") -> list[str]:
    """Which documents only one side has."""
    notes = []
    if mismatches.missing:
        notes.append(f"system {name}: lacks {unit} {list_names(mismatches.missing)}; they count as empty.")
    if mismatches.extra:
        notes.append(f"system {name}: has more {unit}, which are ignored: {list_names(mismatches.extra)}.")
    return notes


def _judged_as(looks_like: str, encoding: str) -> str:
    """By which encoding a system's tags are judged that look like another one than the gold standard's."""
    if looks_like == encoding:
        return f"its tags are judged as {encoding.upper()}, since the gold standard's encoding has no such tags"
    judged = f"judged as {encoding.upper()}, the gold standard's encoding"
    return f"its tags look like {looks_like.upper()} but are {judged} (--encoding system:{looks_like} overrides)"


def _one_sided(
    side: str, other: str, labels: Mapping[str, int], others: Mapping[str, int], unit: str = "span"
) -> list[str]:
    """The labels that only one side has, with the nearest one of the other side; of words, rare ones go unsaid."""
    least = sum(labels.values()) / 1000 if unit == "word" else 0
    only = [label for label in labels if label not in others and labels[label] >= least]
    found = []
    for label in only[:MAX_LISTED]:
        near = nearest(label, [each for each in others if each not in labels] or list(others))
        hint = f"; the nearest one there is {near!r}" if near else ""
        found.append(f"{side}: the label {label!r} ({counted(labels[label], unit)}) does not occur in {other}{hint}.")
    if len(only) > MAX_LISTED:
        more = counted(len(only) - MAX_LISTED, "more label")
        found.append(f"{side}: {more} {'does' if len(only) == MAX_LISTED + 1 else 'do'} not occur in {other}.")
    return found


def is_perfect(
    tallies: Mapping[str, Tally],
    scorers: Sequence[str] = ("exact", "fair", "tags", "trees"),
    correct: Sequence[str] = ("TP", "right"),
) -> bool:
    """Whether all units are correct under these scorers; False if they counted nothing."""
    counted = [tallies[scorer] for scorer in scorers if scorer in tallies and len(tallies[scorer])]
    return bool(counted) and all(tally.kinds_met <= {*correct} for tally in counted)


# == tasks/tables.py (primary)


Ask = Callable[..., Query | None]
"""The query for the units of a figure, given the result, a model, a count (empty: of scores, and of the row as a whole)
and optionally a label.
"""
MOST_LABELS = 10
"""How many labels a confusion matrix shows: what fits into a terminal."""
MOST_COLUMNS = 5
"""With how many systems each has a column; with more, it has a row."""
_COUNT_NAMES = {"gold_hits": "gold hit", "system_hits": "system hits", "system": "found"}
_SHOWN_SCORES = {"accuracy": "acc.", "specificity": "spec.", "kappa": "kappa"}
"""The scores of contingency tables that fit beside the others, and their short names."""


def summary(results: Results, models: Sequence[str] = ()) -> Iterator[Table]:
    """All systems side by side, under all models or some: precision, recall and F; accuracies with their counts;
    measures that models declare.
    """
    first, models = next(iter(results.values())), models or results.models
    accuracies = [name for name in models if first[name].model.headline == "accuracy"]
    accuracies = [name for name in accuracies if {"gold", "correct"} <= set(first[name].overall.counts)]
    measured = [name for name in models if first[name].model.has_ratios_only]
    others = [name for name in models if name not in (*accuracies, *measured)]
    if others:
        yield _scores(results, others)
    for model in accuracies:
        yield _accuracy(results, model)
    for model in measured:
        yield measure_summary(results, model)


def _scores(results: Results, models: Sequence[str]) -> Table:
    many = len(results) > 1
    columns = [Column("system", "text")] if many else []
    measures = _measures_beside(results, models)
    columns += [Column("model", "text"), *score_columns(results), *measure_columns(measures)]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        for place, score in enumerate(result[model] for model in models):
            shown: list[Cell] = [name if place == 0 else ""] if many else []
            is_macro = score.model.headline == "macro"
            average = score.macro if is_macro else score.overall
            shown += [f"{score.name} (macro)" if is_macro else score.name, *score_cells(average, score.beta)]
            rows.append([*shown, *measure_cells(measures, score.overall)])
    rivals = [range(model, len(rows), len(models)) for model in range(len(models))] if many else ()
    return Table("", columns, rows, rivals=rivals)


def _measures_beside(results: Results, models: Sequence[str]) -> list[Ratio]:
    """The measures that models have beside precision, recall and F, and that some system has."""
    scores = [result[name] for result in results.values() for name in models]
    found = {measure.name: measure for score in scores for measure in score.model.ratios}
    return [each for each in found.values() if any(score.overall.more.get(each.name) is not None for score in scores)]


def _accuracy(results: Results, model: str) -> Table:
    scores = {name: result[model] for name, result in results.items()}
    has_sentences = any(score.sentences is not None for score in scores.values())
    columns = [Column("system", "text"), Column(f"{results.unit}s", "count"), Column("correct", "count")]
    columns += [Column(name, "percent") for name in (model, "macro F1", *(["sentences"] if has_sentences else []))]
    rows: list[list[Cell]] = []
    for name, score in scores.items():
        counts = score.overall.counts
        row: list[Cell] = [name, counts["gold"], counts["correct"], score.headline, score.macro.f1]
        rows.append([*row, sentences(score)] if has_sentences else row)
    remark = "sentences: those that are fully correct." if has_sentences else ""
    return Table("", columns, rows, remark=remark, rivals=rivals(rows))


def sentences(score: MeasureScore) -> Cell:
    """The share of sentences that are fully correct."""
    return None if score.sentences is None else score.sentences.share


def rivals(rows: Sequence[object]) -> Sequence[Sequence[int]]:
    """The rows of systems, where there are several."""
    return [range(len(rows))] if len(rows) > 1 else ()


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """Everything about one system: a table by label for every model that has labels, and the confusion of labels."""
    yield from label_tables(result, style, result.scores)
    yield from confusion_table(result)


def label_tables(result: Result, style: TableStyle, models: Iterable[str]) -> Iterator[Table]:
    """A table by label for each of these models that has labels."""
    for score in map(result.__getitem__, models):
        if score.model.breakdown.details in ("all", "labels"):
            yield label_table(result, score, style=style).folded()


def side_by_side(results: Results, title: str, models: Sequence[str], value: Callable[[MeasureScore], float]) -> Table:
    """One figure of all systems under several models: a column a system or, where these are many, a row."""
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
    return Table(title, columns, rows, rivals=() if beside else [range(len(rows))], beside=beside)


def score_columns(results: Results | Result) -> list[Column]:
    """The columns of precision, recall and F."""
    beta = results.beta
    names = ["prec.", "recall", "F1"] + ([f"F{beta:g}"] if beta != 1 else [])
    return [Column(name, "percent") for name in names]


def score_cells(average: Average, beta: float) -> list[Cell]:
    found: list[Cell] = [average.precision, average.recall, average.f1]
    return found if beta == 1 else [*found, average.f_beta]


def label_table(
    result: Result,
    score: MeasureScore,
    query: Ask | None = None,
    style: TableStyle = PLAIN,
    without: Sequence[str] = (),
    support: Callable[[Row], float] | None = None,
) -> Table:
    """Counts and scores by label, then overall and, where a model has them, the averages.

    `without` are counts that are left out. `support` is the number of gold units of a row, if that differs from the
    label counts of the gold standard.
    """
    ask = asking(result, score) if query is None else partial(query, result, score.name)
    model = score.model.of_labels()
    kinds = [kind for kind in model.counts if kind != "gold" and kind not in without]
    more = [name for name in _SHOWN_SCORES if name in score.overall.more]
    columns = [Column("label", "text"), Column("gold", "count")]
    columns += [Column(_COUNT_NAMES.get(kind, count_title(kind)), "count") for kind in kinds]
    columns += measure_columns(model.ratios) if model.has_ratios_only else score_columns(result)
    columns += [Column(_SHOWN_SCORES[name], "percent") for name in more]

    def cells(row: Row) -> list[Cell]:
        counts = (row.counts[kind] for kind in kinds)
        scores = measure_cells(model.ratios, row) if model.has_ratios_only else score_cells(row, score.beta)
        return [*counts, *scores, *(row.more[name] for name in more)]

    def averaged(name: str, average: Average) -> list[Cell]:
        nothing: list[Cell] = [None] * (len(kinds) + 1)
        return [name, *nothing, *score_cells(average, score.beta), *[None] * len(more)]

    weights = [result.gold.labels.get(label, 0) for label in score.labels]
    counted = [*zip((*score.labels, "overall"), (*score.labels.values(), score.overall), strict=True)]
    totals = (*weights, result.gold.units) if support is None else [support(row) for _, row in counted]
    rows: list[list[Cell]] = [[name, total, *cells(row)] for (name, row), total in zip(counted, totals, strict=True)]
    if score.model.breakdown.details == "all":
        rows += [averaged("macro average", score.macro), averaged("support average", score.support)]
    asked = [*score.labels, *[None] * (len(rows) - len(weights))]
    counts = ["", "gold", *kinds, *[""] * (len(columns) - len(kinds) - 2)]
    rows += [[f"{name} (supertag)", None, *cells(row)] for name, row in score.supertags.items()]

    def queries() -> list[list[Query | None]]:
        nothing: list[Query | None] = [None] * len(columns)
        return [*([ask(count, label) for count in counts] for label in asked), *[nothing] * len(score.supertags)]

    summed, remark = len(rows) - len(weights), _baselines(score, style)
    return Table(score.name, columns, rows, summed, remark, weights=weights, queries=LazyQueries(queries))


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
    """Whether the system has units that the gold standard has not."""
    try:
        tally = result.tallies.get(score.model.scorer)
    except SettingError:  # a saved result, of which no page is made
        return False
    return tally is not None and EXTRA in tally.kinds and bool((tally.kind == tally.kinds.index(EXTRA)).any())


def _baselines(score: MeasureScore, style: TableStyle) -> str:
    found = {name: "unknown" if value is None else style.score(value) for name, value in score.baselines.items()}
    listed = ", ".join(f"{name} {value}" for name, value in found.items())
    return f"Trivial baselines, macro F: {listed}." if listed else ""


def confusion_score(result: Result) -> MeasureScore | None:
    """The score whose confusion of labels is shown, if it was scored."""
    declared = TASKS[result.settings.task].display.confusion
    if declared is None:
        return None
    names = declared.measures or [model.name for model in models_of(result.settings.task)]
    scores = (result.scores[name] for name in names if name in result.scores)
    return next((score for score in scores if score.confusion is not None), None)


def confusion_table(result: Result) -> Iterator[Table]:
    """Gold labels as rows, system labels as columns; errors only: spans have boundary errors on the diagonal."""
    score, task = confusion_score(result), TASKS[result.settings.task]
    declared = task.display.confusion
    if score is None or declared is None or not score.confusion:
        return

    def ask(gold: str, predicted: str) -> Query | None:
        if not task.display.shows_error_types:  # only labels count; what only the system has is not a unit
            return None if gold == NO_LABEL else Query(result.name, gold=gold, predicted=predicted)
        return Query(result.name, right=False, gold=gold, predicted=predicted)

    cells, weight = score.confusion, errors_by_label([score])
    shown = sorted(sorted(weight, key=lambda label: -weight[label])[:MOST_LABELS])
    columns = [Column("gold \\ system", "text"), *(Column(label, "count") for label in (*shown, declared.one_sided[0]))]
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for gold, name in zip((*shown, NO_LABEL), (*shown, declared.one_sided[1]), strict=True):
        others = (*shown, NO_LABEL) if gold != NO_LABEL else shown
        missing: list[None] = [None] * (len(shown) + 1 - len(others))
        rows.append([name, *(cells.get(gold, {}).get(other, 0) for other in others), *missing])
        whole = None if gold == NO_LABEL else Query(result.name, right=False, gold=gold)
        queries.append([whole, *(ask(gold, other) for other in others), *missing])
    few = f"The {len(shown)} labels with the most errors of {len(weight)}; --as json has them all."
    remark = few if len(shown) < len(weight) else ""
    yield Table(declared.title, columns, rows, remark=remark, queries=queries, shaded=True)


def error_type_table(
    result: Result, score: MeasureScore, names: Mapping[str, str], title: str, column: str = "kind of error"
) -> Table:
    """The distribution of errors: counts, shares and bars, with a query for the units of each type."""
    errors, width = sum(score.overall[kind] for kind in names), max(map(len, names)) + 1
    columns = [Column(column, "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in names.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<{width}}{name}", score.overall[kind], share, share])
    return Table(title, columns, rows, queries=[[Query(result.name, kind=kind)] * len(columns) for kind in names])


def transition_table(
    pair: Pair, differences: Differences, key: Callable[[Transition], tuple[str, str]], labels: Sequence[str] = ()
) -> Table:
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
    return Table("", columns, rows)


def errors_by_label(scores: Sequence[MeasureScore]) -> Counter[str]:
    """In how many errors each label is on either side, under all of these scores."""
    errors: Counter[str] = Counter()
    for score in scores:
        errors.update(dict.fromkeys(score.labels, 0))
        for gold, row in (score.confusion or {}).items():
            for system, count in row.items():
                for label in {gold, system} - {NO_LABEL}:
                    errors[label] += int(count)
    return errors


# == tasks/error_bars.py: How the errors of systems divide, as data for figures and pa


_MOST_LABELS = 6
"""How many labels have a part of each bar; the others share one."""


@dataclass(frozen=True)
class Bar:
    """The errors of one system under one match model, in the order of the kinds, and the queries for their units."""

    system: str
    model: str
    """What the literature calls it; empty where there is only one."""
    counts: Sequence[float]
    queries: Queries

    @property
    def total(self) -> float:
        return sum(self.counts)


@dataclass(frozen=True)
class ErrorKind:
    """What a part of a bar stands for, as readers call it."""

    name: str
    is_label: bool = False
    """Whether it is a label of the data, not a word of ours."""
    like: str = ""
    """The common error type that it is (`FN` of missing words), where its name does not begin with it."""

    @property
    def type(self) -> str:
        """What it is called for short, in the words of spans where these have it, too; nothing for labels."""
        code = "" if self.is_label else self.name.partition(":")[0]
        return self.like or (code.upper() if code in ("fn", "fp") else code)


@dataclass(frozen=True)
class ErrorBars:
    """All errors of all systems, by kind."""

    kinds: Sequence[ErrorKind]
    bars: Sequence[Bar]
    remark: str = ""

    def without_empty(self, optional: Sequence[ErrorKind]) -> ErrorBars:
        """The same without these kinds, where no system has any."""
        places = enumerate(self.kinds)
        kept = [place for place, kind in places if kind not in optional or any(bar.counts[place] for bar in self.bars)]
        bars = [
            replace(bar, counts=[bar.counts[place] for place in kept], queries=[bar.queries[place] for place in kept])
            for bar in self.bars
        ]
        return replace(self, kinds=[self.kinds[place] for place in kept], bars=bars)


def errors(results: Results, by: str | None = None) -> ErrorBars:
    """The errors of a task that does not say how they divide: by gold label, where labels are confused, or by verdict.

    The verdicts are those that some match model counts under their own names. With `by`, only what is wrong under this
    score: an accuracy does not count units that only the system has.
    """
    first, task = next(iter(results.values())), TASKS[results.task]
    if confusion_score(first) is not None:
        is_accuracy = by is not None and by in first.scores and first[by].model.headline == "accuracy"
        return errors_by_label_error_bars(results, with_extra=not is_accuracy)
    wrong = [
        kind for kind in task.error_types.of_tables if kind not in task.error_types.correct(task.selection.reported[0])
    ]
    models = [name for name, score in first.scores.items() if set(wrong) & set(score.overall.counts)]
    if not models:
        raise SettingError(f"No match model that was scored tells the kinds of errors of {results.task}.")
    return errors_by_kind(results, models, dict.fromkeys(wrong, ""), _units)


def _units(result: Result, model: str, kind: str) -> Query | None:
    return Query(result.name, kind=kind) if kind in TASKS[result.settings.task].error_types.all else None


def errors_by_kind(
    results: Results,
    models: Sequence[str],
    kinds: Mapping[str, str],
    ask: Callable[[Result, str, str], Query | None],
) -> ErrorBars:
    """Verdicts, with what they are called, as these match models count them; `ask` has the query for each."""
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


def errors_by_label_error_bars(results: Results, *, with_extra: bool = True) -> ErrorBars:
    """Units with a wrong label by their gold label, and units that only one side has."""
    task = TASKS[results.task]
    label, unit = task.display.label, task.unit
    scores = {name: confusion_score(result) for name, result in results.items()}
    wrong = {name: _wrong_by_label(score) for name, score in scores.items() if score is not None}
    together = sum(wrong.values(), Counter[str]())
    shown = sorted(together, key=lambda each: (-together[each], each))[:_MOST_LABELS]
    right = task.error_types.correct(task.selection.reported[0])
    kinds = ",".join(kind for kind in task.error_types.all if kind not in (*right, *task.error_types.absent))
    bars = []
    for name, mine in wrong.items():
        others = sum(mine.values()) - sum(mine[each] for each in shown)
        lost, extra = one_sided(scores[name])
        counts = [*(mine[each] for each in shown), others, lost, extra if with_extra else 0]
        asked = [*(Query(name, kind=kinds, gold=each) for each in shown), None, missing(task.name, name), None]
        bars.append(Bar(name, "", counts, asked))
    one_side = [ErrorKind(f"missing {unit}s", like="FN"), ErrorKind(f"extra {unit}s", like="FP")]
    optional = [ErrorKind(f"other {label}s"), *one_side]
    remark = f"{unit.title()}s with a wrong {label}, by their {label} in the gold standard."
    return ErrorBars([*(ErrorKind(each, True) for each in shown), *optional], bars, remark).without_empty(optional)


def missing(task: str, system: str) -> Query | None:
    """The units of the gold standard that a system lacks."""
    absent = ",".join(kind for kind in TASKS[task].error_types.absent if kind != ABSENT)
    return Query(system, kind=absent) if absent else None


def _wrong_by_label(score: MeasureScore) -> Counter[str]:
    cells = score.confusion or {}
    return Counter(
        {
            gold: int(sum(count for system, count in row.items() if system != NO_LABEL))
            for gold, row in cells.items()
            if gold != NO_LABEL
        }
    )


def one_sided(score: MeasureScore | None) -> tuple[float, float]:
    """How many units only the gold standard has, and how many only the system."""
    cells = (score.confusion if score is not None else None) or {}
    missing = sum(row.get(NO_LABEL, 0) for row in cells.values())
    return missing, sum(cells.get(NO_LABEL, {}).values())


# == tasks/recoverable.py: What to fix first: groups of errors, and how far the score w


_GOLD, _SYSTEM = "gold", "system"
"""Parts of kinds that count one unit once for either side."""
_WANTED = 2
"""Where the sums that a model divides have what the gold standard has."""


class Errors(NamedTuple):
    """What to fix first: groups of errors, and how far the score would rise if a group were right.

    - A *group* is all errors with the same verdict, gold label and system label: LE from PER to ORG, FN of PER.
    - An error is put right as its side demands: a unit of the gold standard becomes right (TP), and a unit that only
      the system has is gone.
    - *recoverable* = score if the errors of the group were right - score, under the headline of the match model; 100
      times that are points. Where the headline is an accuracy over N units, a group of n errors has n / N.
    - Each group is put right for itself. Two groups together may recover more or less than the sum of both.
    - Groups are ordered by what is recoverable, then by their number of errors.

    Source: Bolya et al. 2020, section 2, who fix one type of error at a time and report how far the score rises.
    """

    verdict: str
    gold: str
    predicted: str


@dataclass(frozen=True)
class ErrorGroup:
    """Errors of one kind, how many there are, and what the score would gain without them."""

    verdict: str
    gold: str
    """The gold label; empty where only the system has the units."""
    predicted: str
    """The system's label; empty where it has none."""
    count: int
    recoverable: float
    """How much higher the score would be, as a fraction."""

    def query(self, task: Task, system: str) -> Query:
        """The query for these errors of a system."""
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
    """The groups of errors from which something can be gained; none where the headline is a mean of others."""
    if model.parts or model.headline == "macro":
        return []
    weights = {kind: _weights(model, kind) for kind in tally.kinds}
    right, counts, gains = task.error_types.correct(model.name), dict[Errors, int](), dict[Errors, Values]()
    total = np.zeros(len(model.columns()))
    for (_, gold, predicted, kind), count in tally.total().cells().items():
        total += count * weights[kind]
        verdict = _verdict(task, kind)
        if verdict is None or verdict in right:
            continue
        known = predicted if task.display.has_label_answers or gold == NO_LABEL else NO_LABEL
        group = Errors(verdict, gold, known)
        counts[group] = counts.get(group, 0) + int(count)
        gains[group] = gains.get(group, 0.0) + count * _corrected(model, kind, weights, right[0])
    return _ordered(model, total, counts, gains)


def _ordered(
    model: Formula, total: Values, counts: Mapping[Errors, int], gains: Mapping[Errors, Values]
) -> list[ErrorGroup]:
    if not counts:
        return []
    sums = total + np.array([gains[group] for group in counts])
    scores = headlines(model, sums[:, None, :]) - headlines(model, total[None, None, :])
    found = [
        ErrorGroup(*group, count, float(gain))
        for (group, count), gain in zip(counts.items(), scores.tolist(), strict=True)
    ]
    gainful = [each for each in found if each.recoverable > 0]
    return sorted(gainful, key=lambda each: (-each.recoverable, -each.count, each.verdict, each.gold, each.predicted))


def _weights(model: Formula, kind: str) -> Values:
    """What one count of a kind adds to the sums that a model divides."""
    return np.array([parts.get(kind, 0.0) for parts in model.columns()])


def _verdict(task: Task, kind: str) -> str | None:
    """The verdict that a kind of a tally counts; None where another kind counts the same units."""
    parts = kind.split(".")
    if _SYSTEM in parts:
        return None
    name = ".".join(part for part in parts if part != _GOLD)
    found = name if name in task.error_types.all else name.partition(".")[0]
    return found if found in task.error_types.all and found not in task.error_types.unscored else None


def _corrected(model: Formula, kind: str, weights: Mapping[str, Values], right: str) -> Values:
    """How the sums change if a unit is right that a kind counts, for its gold label and for the system's alike."""
    other = ".".join(_SYSTEM if part == _GOLD else part for part in kind.split("."))
    counted = weights[kind] + (weights[other] if other != kind and other in weights else 0.0)
    return (_weights(model, right) if counted[_WANTED] else 0.0) - counted
