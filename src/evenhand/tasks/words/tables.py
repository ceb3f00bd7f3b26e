"""The tables of tags and trees, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.report.style import PLAIN, TableStyle
from evenhand.report.tables import Cell, Column, Table, confusion, folded, of_labels
from evenhand.result.result import Result, Results
from evenhand.scores.model_score import ModelScore, Row
from evenhand.tasks.trees.models import ATTACHMENT, CONLL18

METRICS = dict(
    zip(
        CONLL18,
        (
            *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
            *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
        ),
        strict=True,
    )
)
"""What the shared task calls its metrics."""
_MOST_COLUMNS = 5
"""With how many systems each has a column; with more, it has a row."""


def word_summary(results: Results) -> Iterator[Table]:
    """All systems side by side."""
    models = results.models
    if "accuracy" in models:
        yield _tag_summary(results)
    attachment = [name for name in ATTACHMENT if name in models]
    if attachment:
        yield _attachment_summary(results, attachment)
    official = [name for name in CONLL18 if name in models]
    if official and len(results) == 1:
        yield _official(next(iter(results.values())), official)
    elif official:
        yield _official_summary(results, official)


def word_tables(result: Result, style: TableStyle = PLAIN) -> Iterator[Table]:
    """All about one system that is not in the summary."""
    if "accuracy" in result.scores:
        score = result["accuracy"]
        yield folded(of_labels(result, score, "tag", style))
        if score.confusion:
            yield confusion(score, "confusion (wrong tags)", ("missing", "extra"))
    attachment = [result[name] for name in ATTACHMENT if name in result.scores]
    if attachment:
        yield folded(_relations(attachment))
        yield _distances(attachment)
    if "ls" in result.scores and result["ls"].confusion:
        yield confusion(result["ls"], "confusion (wrong relations)", ("missing", "extra"))


def official_table(result: Result) -> Table | None:
    """The metrics of CoNLL 2018 of one among several systems."""
    official = [name for name in CONLL18 if name in result.scores]
    return _official(result, official) if official else None


def _tag_summary(results: Results) -> Table:
    columns = [Column("system", "text"), Column("words", "count"), Column("correct", "count")]
    columns += [Column(name, "percent") for name in ("accuracy", "macro F1", "sentences")]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        score = result["accuracy"]
        counts = score.overall.counts
        rows.append([name, counts["gold"], counts["correct"], score.headline, score.macro.f1, _sentences(score)])
    remark = "sentences: those that are fully correct."
    return Table("", columns, rows, remark=remark, rivals=_all_rows(rows))


def _attachment_summary(results: Results, models: Sequence[str]) -> Table:
    columns = [Column("system", "text"), Column("words", "count")]
    columns += [Column(name.upper(), "percent") for name in models]
    columns += [Column(f"sent. {name.upper()}", "percent") for name in models]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        scores = [result[model] for model in models]
        headlines: list[Cell] = [score.headline for score in scores]
        rows.append([name, scores[0].overall.counts["gold"], *headlines, *map(_sentences, scores)])
    return Table("", columns, rows, remark="sent.: sentences that are fully correct.", rivals=_all_rows(rows))


def _all_rows(rows: Sequence[object]) -> Sequence[Sequence[int]]:
    """The rows of systems, where there are several."""
    return [range(len(rows))] if len(rows) > 1 else ()


def _sentences(score: ModelScore) -> Cell:
    return None if score.sentences is None else score.sentences.share


def _official(result: Result, models: Sequence[str]) -> Table:
    columns = [Column("metric", "text")]
    columns += [Column(name, "percent") for name in ("prec.", "recall", "F1", "aligned")]
    rows: list[list[Cell]] = []
    for name in models:
        overall = result[name].overall
        row: list[Cell] = [METRICS[name], overall.precision, overall.recall, overall.f1]
        rows.append([*row, overall.more.get("aligned_accuracy")])
    return Table("CoNLL 2018", columns, rows)


def _official_summary(results: Results, models: Sequence[str]) -> Table:
    """F1 under every metric: a column a system or, where these are many, a row."""
    beside = len(results) <= _MOST_COLUMNS
    if beside:
        columns = [Column("metric", "text"), *(Column(name, "percent") for name in results)]
        rows: list[list[Cell]] = [[METRICS[name], *(result[name].f1 for result in results.values())] for name in models]
    else:
        columns = [Column("system", "text"), *(Column(METRICS[name], "percent") for name in models)]
        rows = [[system, *(result[name].f1 for name in models)] for system, result in results.items()]
    return Table("CoNLL 2018, F1", columns, rows, rivals=() if beside else _all_rows(rows), beside=beside)


def _relations(scores: Sequence[ModelScore]) -> Table:
    """Every relation under every score, the last of them in full."""
    *others, last = scores
    rows: list[list[Cell]] = []
    for label, row in last.labels.items():
        before: list[Cell] = [score.labels[label].f1 for score in others if label in score.labels]
        rows.append([label, *_counts(row), *before, row.precision, row.recall, row.f1])
    columns = [Column("relation", "text"), Column("gold", "count"), Column("found", "count")]
    columns += [Column(f"{score.name.upper()} F1", "percent") for score in others]
    name = last.name.upper()
    columns += [Column(f"{name} {what}", "percent") for what in ("prec.", "recall", "F1")]
    return Table("", columns, rows, weights=[row.counts["gold"] or 0 for row in last.labels.values()])


def _distances(scores: Sequence[ModelScore]) -> Table:
    shown = [score for score in scores if score.name != "ls"] or scores
    columns = [Column("distance to head", "text"), Column("gold", "count"), Column("found", "count")]
    columns += [Column(f"{score.name.upper()} {what}", "percent") for score in shown for what in ("prec.", "recall")]
    rows: list[list[Cell]] = []
    for distance, row in shown[0].distances.items():
        each = [score.distances[distance] for score in shown]
        cells: list[Cell] = [value for found in each for value in (found.precision, found.recall)]
        rows.append([distance, *_counts(row), *cells])
    return Table("", columns, rows)


def _counts(row: Row) -> list[Cell]:
    return [row.counts["gold"], row.counts["system"]]
