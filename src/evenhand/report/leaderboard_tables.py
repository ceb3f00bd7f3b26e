"""Reports on leaderboards, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.report.document import ReportDocument, Section
from evenhand.results.leaderboard import Leaderboard, Track
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle


def leaderboard_document(board: Leaderboard, style: TableStyle) -> ReportDocument:
    """The standings of every track."""
    sections = [
        Section(f"track {name}:" if name else "", list(_tables(track, style))) for name, track in board.tracks.items()
    ]
    return ReportDocument(board.title, sections, board.notes, board.signature)


def _tables(track: Track, style: TableStyle) -> Iterator[DisplayTable]:
    has_mean, has_intervals = len(track.measures) > 1, any(each.interval for each in track.standings)
    columns = [Column("system", "text"), Column("rank", "label")]
    columns += [Column("mean", "percent")] if has_mean else []
    columns += [Column("interval", "label")] if has_intervals else []
    columns += [Column(f"{data} ({measure})", "percent") for data, measure in track.measures.items()]
    rows: list[list[Cell]] = []
    for each in track.standings:
        rank = (
            "baseline" if each.is_baseline else UNDEFINED if each.rank is None else f"{each.rank} {each.cluster or ''}"
        )
        row: list[Cell] = [each.system, rank.strip()]
        row += [UNDEFINED if each.mean is None else each.mean] if has_mean else []
        row += [style.interval(each.interval)] if has_intervals else []
        scores = (each.scores.get(data) for data in track.measures)
        row += [UNDEFINED if score is None else score for score in scores]
        rows.append(row)
    yield DisplayTable("", columns, rows, remark=remark(track))


def remark(track: Track) -> str:
    """How ranks, intervals and clusters are formed."""
    of_scores = "the mean over the data sets" if len(track.measures) > 1 else "the score"
    text = f"Ranked by {of_scores}."
    ranking = track.ranking
    if ranking is not None and ranking.resamples:
        text += f" Intervals of {100 * ranking.level:g} % from {ranking.resamples:,} resamples of {ranking.groups}"
        text += " within each data set." if len(track.measures) > 1 else "."
    if ranking is not None and ranking.clusters is not None:
        text += " Systems that share a letter are not significantly worse than the best of them "
        text += f"(alpha {ranking.clusters.alpha:g}, {ranking.clusters.trials:,} trials, Holm)."
    return text


def check_document(checked: Any, style: TableStyle) -> ReportDocument:
    """The table of teams and data sets, and the problems of each file."""
    listed = dict.fromkeys(problem for each in checked.checked for problem in each.problems)
    rows = [[severity, message] for severity, message in listed]
    problems = DisplayTable("", [Column("severity", "text"), Column("problem", "text")], rows)
    sections = [Section("", [checked.table()]), *([Section("Problems:", [problems])] if rows else [])]
    return ReportDocument(f"{checked.task.title}: check of all submissions", sections, checked.notes, checked.signature)
