"""Tables and error distributions of dependency trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.errors import SettingError
from evenhand.scoring.scores import MeasureScore, Row
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.registry import model_title
from evenhand.tasks.trees.task import ATTACHMENT, CONLL18
from evenhand.tasks.words.measures import ENHANCED, EXTRA, MISSING, TREE_KINDS

if TYPE_CHECKING:
    from evenhand.results.result import Result, Results

_OFFICIAL = "CoNLL 2018"
_LIKE = ("", "LE", "LBE", "FN", "FP")
"""The error types of spans that correspond to wrong heads, wrong relations, both, missing and extra units."""


def summary(results: Results) -> Iterator[DisplayTable]:
    """Scores of all systems: attachment, CoNLL 2018, enhanced edges, and measures of plug-ins."""
    attachment = [name for name in ATTACHMENT if name in results.models]
    if attachment:
        yield _attachment(results, attachment)
    official = [name for name in CONLL18 if name in results.models]
    if official and len(results) > 1:
        yield shared.side_by_side(results, f"{_OFFICIAL}, F1", official, lambda score: score.f1)
    elif official:
        yield _official(next(iter(results.values())), official)
    enhanced = [name for name in ENHANCED if name in results.models]
    if enhanced:
        yield _enhanced(results, enhanced)
    other = [name for name in results.models if name not in (*ATTACHMENT, *CONLL18, *ENHANCED)]
    if other:
        yield from shared.summary(results, other)


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """Details of one system: relations, distances, enhanced edges, and the confusion of relations."""
    official = [name for name in CONLL18 if name in result.scores]
    if official and not alone:
        yield _official(result, official)
    attachment = [result[name] for name in ATTACHMENT if name in result.scores]
    if attachment:
        yield _of_words(_relations(result, attachment).folded())
        yield _distances(attachment)
    for score in (result[name] for name in ENHANCED if name in result.scores and result[name].labels):
        yield _edges(result, score, style).folded()
    known = (*ATTACHMENT, *CONLL18, *ENHANCED)
    yield from shared.label_tables(result, style, [name for name in result.scores if name not in known])
    yield from map(_of_words, shared.confusion_table(result))


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """Wrong heads, wrong relations, and words or edges that only one side has; with `by`, the errors of this score."""
    if by in ENHANCED:
        return _wrong_edges(results, str(by))
    bars = []
    for name, result in results.items():
        correct = {model: _score(result, model).overall["correct"] for model in ATTACHMENT}
        lost, extra = shared.one_sided(result["ls"])
        head, relation = correct["ls"] - correct["las"], correct["uas"] - correct["las"]
        both = result["las"].overall["gold"] - correct["las"] - head - relation - lost
        counts = [0 if by == "ls" else head, 0 if by == "uas" else relation, both, lost, 0 if by else extra]
        queries = [*(Query(name, kind=kind) for kind in TREE_KINDS[1:]), shared.missing(results.task, name), None]
        bars.append(shared.Bar(name, "", counts, list(map(_by_words, queries))))
    kinds = _kinds("words")
    return shared.ErrorBars(kinds, bars).without_empty(kinds[3:])


def _wrong_edges(results: Results, by: str) -> shared.ErrorBars:
    kinds = (*TREE_KINDS[1:], MISSING, EXTRA)
    bars = []
    for name, result in results.items():
        if by not in result.scores:
            raise SettingError(f"The kinds of wrong edges come from the score {by}; score with {by} too.")
        tally = result.tallies[result[by].model.scorer]
        total = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
        counts = [total.get(kind, 0) + total.get(f"gold.{kind}", 0) for kind in kinds]
        bars.append(shared.Bar(name, "", counts, [Query(name, kind=kind, by=by) for kind in kinds]))
    return shared.ErrorBars(_kinds("edges"), bars, "Enhanced edges, not words.")


def _kinds(units: str) -> list[shared.ErrorKind]:
    names = ("wrong head", "wrong relation", "both wrong", f"missing {units}", f"extra {units}")
    return [shared.ErrorKind(name, like=like) for name, like in zip(names, _LIKE, strict=True)]


def _by_words(query: Query | None) -> Query | None:
    """Restrict a query to word scores: a page of enhanced edges does not have these units."""
    return None if query is None else replace(query, by=",".join(ATTACHMENT))


def _of_words(table: DisplayTable) -> DisplayTable:
    return replace(table, queries=[list(map(_by_words, row)) for row in table.queries])


def _score(result: Result, model: str) -> MeasureScore:
    if model not in result.scores:
        raise SettingError(f"This figure needs the score {model}; score with {model} too.")
    return result[model]


def _percents(*names: str) -> list[Column]:
    return [Column(name, "percent") for name in names]


def _gold_and_system(title: str) -> list[Column]:
    return [Column(title, "text"), Column("gold", "count"), Column("found", "count")]


def _counts(row: Row) -> list[Cell]:
    return [row.counts["gold"], row.counts["system"]]


def _attachment(results: Results, models: Sequence[str]) -> DisplayTable:
    titles = [model_title(results.task, name) for name in models]
    columns = [Column("system", "text"), Column("words", "count")]
    columns += _percents(*titles, *(f"sent. {name}" for name in titles))
    rows: list[list[Cell]] = []
    for name, result in results.items():
        scores = [result[model] for model in models]
        headlines: list[Cell] = [score.headline for score in scores]
        rows.append([name, scores[0].overall.counts["gold"], *headlines, *map(shared.sentences, scores)])
    remark = "sent.: sentences that are fully correct."
    queries = [[None, Query(name, of="gold", by=",".join(models)), *[None] * (len(columns) - 2)] for name in results]
    return DisplayTable("", columns, rows, remark=remark, rivals=shared.rivals(rows), queries=queries)


def _official(result: Result, models: Sequence[str]) -> DisplayTable:
    rows: list[list[Cell]] = []
    titles = [model_title(result.settings.task, name) for name in models]
    for title, overall in zip(titles, [result[name].overall for name in models], strict=True):
        row: list[Cell] = [title, overall.precision, overall.recall, overall.f1]
        rows.append([*row, overall.more.get("aligned_accuracy")])
    return DisplayTable(_OFFICIAL, [Column("metric", "text"), *_percents("prec.", "recall", "F1", "aligned")], rows)


def _enhanced(results: Results, models: Sequence[str]) -> DisplayTable:
    columns = _gold_and_system("enhanced edges")
    columns += _percents(*(f"{name.upper()} {part}" for name in models for part in ("prec.", "recall", "F1")))
    rows: list[list[Cell]] = []
    for name, result in results.items():
        scores = [result[model].overall for model in models]
        cells: list[Cell] = [value for row in scores for value in (row.precision, row.recall, row.f1)]
        rows.append([name, *_counts(scores[0]), *cells])
    return DisplayTable("enhanced edges", columns, rows, rivals=shared.rivals(rows))


def _edges(result: Result, score: MeasureScore, style: TableStyle) -> DisplayTable:
    """Enhanced edges by label; support is counted in edges, not words."""
    table = shared.label_table(result, score, _edge_query, style, support=shared.gold_units)
    return replace(table, weights=[row["gold"] for row in score.labels.values()])


def _edge_query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    queries = {
        "gold": Query(result.name, of="gold", gold=label, by=model),
        "correct": Query(result.name, kind="right", gold=label, by=model),
        "system": Query(result.name, of="system", predicted=label, by=model),
    }
    return queries.get(count)


def _relations(result: Result, scores: Sequence[MeasureScore]) -> DisplayTable:
    """Every relation under every score; precision, recall and F1 for the last one."""
    *others, last = scores
    rows: list[list[Cell]] = []
    for label, row in last.labels.items():
        before: list[Cell] = [score.labels[label].f1 for score in others if label in score.labels]
        rows.append([label, *_counts(row), *before, row.precision, row.recall, row.f1])
    columns = _gold_and_system("relation")
    columns += _percents(*(f"{score.name.upper()} F1" for score in others))
    columns += _percents(*(f"{last.name.upper()} {part}" for part in ("prec.", "recall", "F1")))
    ask, counts = shared.asking(result, last), ("", "gold", "system", *[""] * (len(columns) - 3))
    queries = [[ask(count, label) for count in counts] for label in last.labels]
    weights = [row.counts["gold"] or 0 for row in last.labels.values()]
    return DisplayTable("", columns, rows, weights=weights, queries=queries)


def _distances(scores: Sequence[MeasureScore]) -> DisplayTable:
    with_heads = [score for score in scores if score.name != "ls"] or scores
    columns = _gold_and_system("distance to head")
    columns += _percents(*(f"{score.name.upper()} {part}" for score in with_heads for part in ("prec.", "recall")))
    rows: list[list[Cell]] = []
    for distance, first in with_heads[0].distances.items():
        scored = [score.distances[distance] for score in with_heads]
        cells: list[Cell] = [value for row in scored for value in (row.precision, row.recall)]
        rows.append([distance, *_counts(first), *cells])
    return DisplayTable("", columns, rows)
