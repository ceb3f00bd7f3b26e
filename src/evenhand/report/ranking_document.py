"""The report on a ranking of systems."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.comparison.clusters import Clusters
from evenhand.problems import counted
from evenhand.report.document import Document, Section
from evenhand.result.notes import why_sentences
from evenhand.result.ranking import Ranking
from evenhand.table import Cell, Column, Table
from evenhand.table_style import TableStyle

_NOTHING = "–"


def ranking_document(ranking: Ranking, style: TableStyle) -> Document:
    sections = [Section("", list(_tables(ranking, style)))]
    sections += [Section(f"{name}:", list(_tables(each, style))) for name, each in (ranking.data_sets or {}).items()]
    return Document(_opening(ranking), sections, ranking.notes, ranking.signature)


def _opening(ranking: Ranking) -> str:
    systems = counted(len(ranking.systems), "system")
    if ranking.data_sets is not None:
        return f"{systems} on {counted(len(ranking.data_sets), 'data set')}, on average and on each"
    return f"{systems} on the gold standard {ranking.name}"


def _tables(ranking: Ranking, style: TableStyle) -> Iterator[Table]:
    """Scores and ranks, the intervals, and the correlations between the models."""
    columns = [Column("system", "text")]
    for model in ranking.shown_models:
        has_clusters = ranking.clusters is not None and ranking.clusters.model == model
        columns += [Column(model, "percent"), Column("rank", "label" if has_clusters else "count")]
        columns += [Column("±", "label")] if model != ranking.models[0] else []
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        row: list[Cell] = [system]
        for model in ranking.shown_models:
            standing = ranking[model][system]
            cluster = ranking.cluster(model, system)
            rank = standing.rank or _NOTHING
            row += [standing.score, rank if cluster is None else f"{rank} {cluster}"]
            row += [f"{standing.change:+d}" if standing.change else ""] if model != ranking.models[0] else []
        rows.append(row)
    remarks = [f"±: places gained or lost against {ranking.models[0]}."] if len(ranking.shown_models) > 1 else []
    remarks += [] if ranking.clusters is None else [_on_clusters(ranking, ranking.clusters)]
    yield Table("", columns, rows, remark=" ".join(remarks), rivals=[range(len(rows))])
    if ranking.before:
        yield _before(ranking)
    if ranking.resamples:
        yield _intervals(ranking, style)
    if ranking.correlations and len(ranking.systems) > 1:
        yield _correlations(ranking)


def _on_clusters(ranking: Ranking, clusters: Clusters) -> str:
    letters = f"Letters: systems of a cluster are not significantly worse than its best under {clusters.model}"
    test = f"approximate randomization of {ranking.groups}, {counted(clusters.trials, 'trial')}, Holm"
    few = "" if ranking.few_documents is None else f" {why_sentences(ranking.few_documents, clusters.alpha)}"
    return f"{letters} (alpha {clusters.alpha:g}; {test}).{few}"


def _before(ranking: Ranking) -> Table:
    columns = [Column("system", "text"), *(Column(model, "percent") for model in ranking.shown_models)]
    rows: list[list[Cell]] = [
        [system, *(ranking.before[model][system] for model in ranking.shown_models)] for system in ranking.systems
    ]
    return Table("before overrides", columns, rows, rivals=[range(len(rows))])


def _intervals(ranking: Ranking, style: TableStyle) -> Table:
    columns = [Column("system", "text"), *(Column(model, "label") for model in ranking.shown_models)]
    rows: list[list[Cell]] = [
        [system, *(style.interval(ranking[model][system].interval) for model in ranking.shown_models)]
        for system in ranking.systems
    ]
    remark = f"From {counted(ranking.resamples, 'resample')} of the {ranking.groups}, seed {ranking.seed}."
    return Table(f"{100 * ranking.level:g}% intervals", columns, rows, remark=remark)


def _correlations(ranking: Ranking) -> Table:
    columns = [Column("models", "text"), Column("Spearman", "label"), Column("Kendall", "label")]
    rows: list[list[Cell]] = [
        [" and ".join(each.models), _coefficient(each.spearman), _coefficient(each.kendall)]
        for each in ranking.correlations
        if {*each.models} <= {*ranking.shown_models}
    ]
    return Table("rank correlation", columns, rows)


def _coefficient(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.3f}"
