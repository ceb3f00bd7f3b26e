"""The tables that every task has unless it declares others: a summary, a table by label, a confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.scores.match_model import Measure
from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import Average, Row
from evenhand.table import Cell, Column, LateQueries, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tally import NO_LABEL
from evenhand.tasks.measure_tables import count_title, measure_cells, measure_columns, measure_summary
from evenhand.tasks.registry import TASKS, model_title, models_of
from evenhand.tasks.words.kinds import EXTRA

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

Ask = Callable[[str | None, str], Query | None]
"""The query behind a figure: of a label (None: of all) and a count (empty: of scores, and of the row as a whole)."""
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
    measured = [name for name in models if first[name].model.is_measured]
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


def _measures_beside(results: Results, models: Sequence[str]) -> list[Measure]:
    """The measures that models have beside precision, recall and F, and that some system has."""
    scores = [result[name] for result in results.values() for name in models]
    found = {each.name: each for score in scores for each in score.model.measures}
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


def sentences(score: ModelScore) -> Cell:
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
        if score.model.details in ("all", "labels"):
            yield label_table(result, score, style=style).folded()


def side_by_side(results: Results, title: str, models: Sequence[str], value: Callable[[ModelScore], float]) -> Table:
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
    result: Result, score: ModelScore, ask: Ask | None = None, style: TableStyle = PLAIN, without: Sequence[str] = ()
) -> Table:
    """Counts and scores by label, then overall and, where a model has them, the averages.

    `without` are counts that are left out.
    """
    ask, model = ask or asking(result, score), score.model.of_labels()
    kinds = [kind for kind in model.counts if kind != "gold" and kind not in without]
    more = [name for name in _SHOWN_SCORES if name in score.overall.more]
    columns = [Column("label", "text"), Column("gold", "count")]
    columns += [Column(_COUNT_NAMES.get(kind, count_title(kind)), "count") for kind in kinds]
    columns += measure_columns(model.measures) if model.is_measured else score_columns(result)
    columns += [Column(_SHOWN_SCORES[name], "percent") for name in more]

    def cells(row: Row) -> list[Cell]:
        counts = (row.counts[kind] for kind in kinds)
        scores = measure_cells(model.measures, row) if model.is_measured else score_cells(row, score.beta)
        return [*counts, *scores, *(row.more[name] for name in more)]

    def averaged(name: str, average: Average) -> list[Cell]:
        nothing: list[Cell] = [None] * (len(kinds) + 1)
        return [name, *nothing, *score_cells(average, score.beta), *[None] * len(more)]

    weights = [result.gold.labels.get(label, 0) for label in score.labels]
    rows: list[list[Cell]] = [
        [label, weight, *cells(row)] for (label, row), weight in zip(score.labels.items(), weights, strict=True)
    ]
    rows.append(["overall", result.gold.units, *cells(score.overall)])
    if score.model.details == "all":
        rows += [averaged("macro average", score.macro), averaged("support average", score.support)]
    asked = [*score.labels, *[None] * (len(rows) - len(weights))]
    counts = ["", "gold", *kinds, *[""] * (len(columns) - len(kinds) - 2)]
    rows += [[f"{name} (supertag)", None, *cells(row)] for name, row in score.supertags.items()]

    def queries() -> list[list[Query | None]]:
        nothing: list[Query | None] = [None] * len(columns)
        return [*([ask(label, count) for count in counts] for label in asked), *[nothing] * len(score.supertags)]

    summed, remark = len(rows) - len(weights), _baselines(score, style)
    return Table(score.name, columns, rows, summed, remark, weights=weights, queries=LateQueries(queries))


def asking(result: Result, score: ModelScore) -> Ask:
    """The queries behind a table by label, of a task that does not say.

    A page does not carry what only the system has, where it is compared on units of the gold standard; so it cannot
    list all that the system found.
    """
    task, system, has_extra = TASKS[result.settings.task], result.name, _has_extra(result, score)

    def ask(label: str | None, count: str) -> Query | None:
        if count == "gold":
            return Query(system, of="gold", gold=label)
        if count == "system":
            return None if has_extra else Query(system, of="system", predicted=label)
        if count == "correct":
            return Query(system, kind=",".join(task.right(score.name)), gold=label)
        return Query(system, kind=count, gold=label) if count in task.kinds else Query(system, label=label)

    return ask


def _has_extra(result: Result, score: ModelScore) -> bool:
    """Whether the system has units that the gold standard has not."""
    try:
        tally = result.tallies.get(score.model.judge)
    except SettingError:  # a saved result, of which no page is made
        return False
    return tally is not None and EXTRA in tally.kinds and bool((tally.kind == tally.kinds.index(EXTRA)).any())


def _baselines(score: ModelScore, style: TableStyle) -> str:
    found = {name: "unknown" if value is None else style.score(value) for name, value in score.baselines.items()}
    listed = ", ".join(f"{name} {value}" for name, value in found.items())
    return f"Trivial baselines, macro F: {listed}." if listed else ""


def confusion_score(result: Result) -> ModelScore | None:
    """The score whose confusion of labels is shown, if it was scored."""
    declared = TASKS[result.settings.task].display.confusion
    if declared is None:
        return None
    names = declared.models or [model.name for model in models_of(result.settings.task)]
    scores = (result.scores[name] for name in names if name in result.scores)
    return next((score for score in scores if score.confusion is not None), None)


def confusion_table(result: Result) -> Iterator[Table]:
    """Gold labels as rows, system labels as columns; errors only: spans have boundary errors on the diagonal."""
    score, task = confusion_score(result), TASKS[result.settings.task]
    declared = task.display.confusion
    if score is None or declared is None or not score.confusion:
        return

    def ask(gold: str, predicted: str) -> Query | None:
        if not task.display.has_verdicts:  # only labels count; what only the system has is not a unit
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


def errors_by_label(scores: Sequence[ModelScore]) -> Counter[str]:
    """In how many errors each label is on either side, under all of these scores."""
    found: Counter[str] = Counter()
    for score in scores:
        found.update(dict.fromkeys(score.labels, 0))
        for gold, row in (score.confusion or {}).items():
            for system, count in row.items():
                for label in {gold, system} - {NO_LABEL}:
                    found[label] += int(count)
    return found
