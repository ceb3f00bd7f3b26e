"""The pages of a leaderboard, its data, and the feedback that a team gets.

The pages are static. Their script only sorts and filters tables. The same leaderboard gives the same bytes. Feedback
has scores, counts and labels, but no units: units are the gold standard.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from statistics import median

from markupsafe import Markup

from evenhand import __version__
from evenhand.comparison.ranking import RankInterval
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING
from evenhand.files import RESERVED
from evenhand.report.data import render_json
from evenhand.report.html import read_template, style_sheet, template
from evenhand.report.leaderboard_tables import remark
from evenhand.results.leaderboard import HistoryLine, LabelIntervals, Leaderboard, Standing, Track
from evenhand.results.result import Result
from evenhand.tables import UNDEFINED
from evenhand.tasks.registry import model_title

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class BoardCell:
    """A cell of a sortable table."""

    text: str
    value: float | str | None = None
    """What is sorted by; None sorts last."""
    href: str | None = None
    bar: tuple[float, float, float] | None = None
    """Start, end and score of an interval on a scale from 0 to 100."""
    is_number: bool = True


@dataclass(frozen=True)
class BoardRow:
    cells: Sequence[BoardCell]
    begins_cluster: bool = False
    is_baseline: bool = False


@dataclass(frozen=True)
class BoardTable:
    name: str
    columns: Sequence[str]
    sorted_by: int
    rows: Sequence[BoardRow]
    remark: str = ""


@dataclass(frozen=True)
class BoardSection:
    id: str
    heading: str
    tables: Sequence[BoardTable]


def slugs(names: Iterable[str]) -> dict[str, str]:
    """File names of letters, digits and `-`; a name that is taken, or reserved on Windows, gets the suffix -2."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        slug = base = _NOT_IN_SLUG.sub("-", name).strip("-").lower() or "system"
        number = 2
        while slug in taken or RESERVED.match(slug):
            slug, number = f"{base}-{number}", number + 1
        taken.add(slug)
        made[name] = slug
    return made


def write_board(board: Leaderboard, write: Callable[[str, str], None]) -> None:
    """Write all files of a leaderboard, by their path in its folder."""
    systems = slugs(dict.fromkeys(name for results in board.results.values() for name in results))
    pages = slugs(["index", "about", *board.rankings])
    write("index.html", _page(board, "", _index(board, systems, pages), pages, has_tabs=len(board.tracks) > 1))
    for name in board.rankings:
        sections = _data_set(board, name, systems)
        write(f"{pages[name]}.html", _page(board, name, sections, pages))
    for name, slug in systems.items():
        write(f"systems/{slug}.html", _page(board, name, list(_system(board, name)), pages, up="../"))
    write("about.html", _page(board, "About", [_about(board)], pages, notes=True))
    write("board.json", render_json(board))
    write("board.csv", _csv(_board_rows(board)))
    write("history.csv", _csv(_history_rows(board)))


def _page(
    board: Leaderboard,
    heading: str,
    sections: Sequence[BoardSection],
    pages: Mapping[str, str],
    *,
    up: str = "",
    has_tabs: bool = False,
    notes: bool = False,
) -> str:
    links = [("Standings", f"{up}index.html"), *((name, f"{up}{pages[name]}.html") for name in board.rankings)]
    return template("leaderboard.html").render(
        title=f"{heading} – {board.title}" if heading else board.title,
        heading=heading or board.title,
        links=[*links, ("About", f"{up}about.html")],
        sections=sections,
        has_tabs=has_tabs,
        notes=[] if heading and not notes else board.notes if notes else [_short(note) for note in board.notes[:1]],
        signature=board.signature if notes else "",
        style=style_sheet(("page", "leaderboard")),
        script=Markup(read_template("scripts/leaderboard.js")),
    )


def _short(note: str) -> str:
    return note.removesuffix("See the notes for the reasons.") + "See About." if note.startswith(WARNING) else note


# Tables


def _score(score: float | None, href: str | None = None) -> BoardCell:
    if score is None or isnan(score):
        return BoardCell(UNDEFINED, href=href)
    return BoardCell(f"{100 * score:.2f}", score, href)


def _interval(interval: tuple[float, float] | None, score: float | None) -> BoardCell:
    if interval is None or score is None:
        return BoardCell("")
    low, high = interval
    bar = 100 * low, 100 * max(high - low, 0.0), 100 * score
    return BoardCell(f"{100 * low:.1f}–{100 * high:.1f}", low, bar=bar)


def _scaled(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """The rows with bars from the lowest to the highest end of all intervals."""
    bars = [cell.bar for row in rows for cell in row.cells if cell.bar is not None]
    low = min((start for start, _, _ in bars), default=0.0)
    size = max((start + width for start, width, _ in bars), default=100.0) - low or 1.0

    def scaled(cell: BoardCell) -> BoardCell:
        if cell.bar is None:
            return cell
        start, width, score = cell.bar
        return replace(cell, bar=(99 * (start - low) / size, 99 * width / size, 99 * (score - low) / size))

    return [replace(row, cells=[scaled(cell) for cell in row.cells]) for row in rows]


def _rank(standing: Standing) -> BoardCell:
    if standing.is_baseline:
        return BoardCell("baseline")
    return BoardCell(UNDEFINED if standing.rank is None else f"{standing.rank}.", standing.rank)


def _text(text: str, href: str | None = None) -> BoardCell:
    return BoardCell(text, text.lower(), href, is_number=False)


def _index(board: Leaderboard, systems: Mapping[str, str], pages: Mapping[str, str]) -> list[BoardSection]:
    ids = slugs(board.tracks)
    return [
        BoardSection(f"track-{ids[name]}", name or "Standings", [_standings(board, track, systems)])
        for name, track in board.tracks.items()
    ]


def _standings(board: Leaderboard, track: Track, systems: Mapping[str, str]) -> BoardTable:
    has_clusters = any(each.cluster for each in track.standings)
    has_intervals = any(each.interval for each in track.standings)
    has_runs = any(each.run for each in track.standings)
    data = list(track.measures)
    has_mean = len(data) > 1
    rows, before = [], None
    for each in track.standings:
        cells = [_rank(each)]
        cells += [BoardCell(each.cluster or "", each.cluster, is_number=False)] if has_clusters else []
        cells += [_text(each.team, f"systems/{systems[each.system]}.html")]
        cells += [_text(each.run)] if has_runs else []
        cells += [_score(each.mean)] if has_mean else []
        cells += [_interval(each.interval, each.mean)] if has_intervals else []
        cells += [_score(each.scores[name]) for name in data]
        cells += [BoardCell(str(each.runs), each.runs), BoardCell((each.date or "")[:10], each.date)]
        begins = before is not None and each.cluster is not None and each.cluster != before
        rows.append(BoardRow(cells, begins, each.is_baseline))
        before = each.cluster or before
    columns = ["Rank", *(["Cluster"] if has_clusters else []), "Team", *(["Run"] if has_runs else [])]
    columns += [*(["Mean"] if has_mean else []), *(["Interval"] if has_intervals else [])]
    columns += [f"{name} ({track.measures[name]})" for name in data]
    return BoardTable(track.name, [*columns, "Runs", "Date"], 0, _scaled(rows), remark(track))


def _data_set(board: Leaderboard, name: str, systems: Mapping[str, str]) -> list[BoardSection]:
    """One data set under all measures, and the tests that formed the clusters."""
    ranking, results = board.rankings[name], board.results[name]
    columns = ["Rank", "Cluster", "System"]
    for measure in ranking.models:
        columns += [model_title(ranking.task, measure), "Interval", "Rank"]
    rows, before = [], None
    order = [*ranking.systems, *(each for each in results if each not in ranking.systems)]
    for system in sorted(order, key=lambda each: -_comparable(results[each][ranking.models[0]].headline)):
        is_ranked = system in ranking[ranking.models[0]]
        cluster = ranking.cluster(ranking.models[0], system) if is_ranked else None
        first = ranking[ranking.models[0]][system].rank if is_ranked else None
        cells = [
            BoardCell(f"{first}." if first else "baseline", first),
            BoardCell(cluster or "", cluster, is_number=False),
        ]
        cells.append(_text(system, f"systems/{systems[system]}.html"))
        for measure in ranking.models:
            standing = ranking[measure][system] if is_ranked else None
            score = results[system][measure].headline
            rank = None if standing is None else standing.rank
            cells += [_score(score), _interval(board.intervals.get(name, {}).get(measure, {}).get(system), score)]
            cells += [BoardCell(f"{rank}." if rank else "", rank)]
        rows.append(BoardRow(cells, before is not None and cluster not in (None, before), not is_ranked))
        before = cluster or before
    tables = [BoardTable("scores", columns, 0, _scaled(rows))]
    if ranking.clusters is not None:
        placed = ranking.clusters.systems
        tests = [
            BoardRow(
                [
                    _text(system),
                    _text(placed[system].against or ""),
                    BoardCell(_p(placed[system].p_holm), placed[system].p_holm),
                    BoardCell(placed[system].cluster, placed[system].cluster, is_number=False),
                ]
            )
            for system in ranking.systems
            if placed[system].against is not None
        ]
        about = f"{ranking.clusters.model}, approximate randomization of {ranking.groups}, "
        about += (
            f"{ranking.clusters.trials:,} trials, Holm. Each system is tested against the best one of the open cluster."
        )
        tables.append(BoardTable("tests", ["System", "Tested against", "p", "Cluster"], 3, tests, about))
    return [BoardSection("scores", "Scores", tables[:1]), BoardSection("tests", "Tests", tables[1:])]


def _comparable(score: float) -> float:
    return -1.0 if isnan(score) else score


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def _system(board: Leaderboard, name: str) -> Iterator[BoardSection]:
    """One system: ranks under each measure, error types, labels, and its history."""
    for data, results in board.results.items():
        if name not in results:
            continue
        tables = [_measures(board, data, name), *_labels(results[name], board.label_intervals.get(data, {}))]
        yield BoardSection(f"data-{_NOT_IN_SLUG.sub('-', data)}", data, tables)
    team, run = (board.systems or {}).get(name, (name, ""))
    lines = [line for line in board.history.lines if (line.team, line.run) == (team, run)]
    yield BoardSection("history", "History", [_history(lines)])


def _measures(board: Leaderboard, data: str, name: str) -> BoardTable:
    """Scores, ranks and error types under each measure."""
    result, ranking = board.results[data][name], board.rankings.get(data)
    kinds = list(dict.fromkeys(kind for measure in result for kind in result[measure].overall.counts))
    rows = []
    for measure in result:
        standings: Mapping[str, RankInterval] = ranking[measure] if ranking is not None and measure in ranking else {}
        standing, score = standings.get(result.name), result[measure]
        rank = None if standing is None else standing.rank
        counts = score.overall.counts
        cells = [_text(model_title(result.settings.task, measure)), _score(score.headline)]
        cells += [_interval(board.intervals.get(data, {}).get(measure, {}).get(name), score.headline)]
        cells += [
            BoardCell(f"{rank}." if rank else "", rank),
            _score(score.overall.precision),
            _score(score.overall.recall),
        ]
        cells += [_count(counts.get(kind)) for kind in kinds]
        rows.append(BoardRow(cells))
    columns = ["Measure", "Score", "Interval", "Rank", "Precision", "Recall", *kinds]
    return BoardTable("measures", columns, -1, rows)


def _count(count: float | None) -> BoardCell:
    return (
        BoardCell("")
        if count is None
        else BoardCell(f"{count:,.0f}" if count == int(count) else f"{count:,.2f}", count)
    )


def _labels(result: Result, intervals: LabelIntervals) -> Iterator[BoardTable]:
    """Scores by label under the first measure that has them."""
    measure = next((name for name in result if result[name].labels), None)
    if measure is None:
        return
    kinds = list(next(iter(result[measure].labels.values())).counts)
    rows = []
    for label, row in result[measure].labels.items():
        cells = [_text(label), _score(row.precision), _score(row.recall), _score(row.f1)]
        cells += [_interval(intervals.get(label, {}).get(result.name), row.f1)] if intervals else []
        rows.append(BoardRow([*cells, *(_count(row.counts.get(kind)) for kind in kinds)]))
    about = f"By label under {model_title(result.settings.task, measure)}."
    columns = ["Label", "Precision", "Recall", "F1", *(["Interval"] if intervals else []), *kinds]
    yield BoardTable("labels", columns, -1, rows, about)


def _history(lines: Sequence[HistoryLine]) -> BoardTable:
    rows = [
        BoardRow(
            [
                BoardCell(line.date, line.date, is_number=False),
                _text(line.run),
                _text(line.data),
                _text(line.status),
                _text(
                    ", ".join(
                        f"{name} {UNDEFINED if score is None else f'{100 * score:.2f}'}"
                        for name, score in line.scores.items()
                    )
                ),
            ]
        )
        for line in lines
    ]
    return BoardTable("history", ["Date", "Run", "Data", "Status", "Scores"], 0, rows)


def _about(board: Leaderboard) -> BoardSection:
    golds = {line.data: line.gold for line in board.lines}
    gold = BoardTable(
        "gold",
        ["Data set", "SHA-256 of the gold standard"],
        -1,
        [BoardRow([_text(name), _text(value.removeprefix("sha256:"))]) for name, value in golds.items()],
    )
    inputs = BoardTable(
        "submissions",
        ["File", "Status", "SHA-256"],
        -1,
        [
            BoardRow([_text(line.file), _text(line.status), _text(line.input.removeprefix("sha256:"))])
            for line in board.lines
        ],
    )
    text = (
        "The first system opens cluster A. A system that is significantly worse than the best one of the open cluster "
    )
    text += "opens the next. "
    text += f"Scored with Evenhand {__version__}; run evenhand cite for what to cite."
    return BoardSection("about", "Versions and files", [gold, BoardTable("", (), -1, (), text), inputs])


# Files


def _board_rows(board: Leaderboard) -> Iterator[Sequence[object]]:
    data = list(board.results)
    yield [
        "track",
        "rank",
        "cluster",
        "team",
        "run",
        "mean",
        "low",
        "high",
        *data,
        "baseline",
        "runs",
        "date",
        "signature",
    ]
    for name, track in board.tracks.items():
        for each in track.standings:
            low, high = each.interval or (None, None)
            scores = [each.scores.get(other) for other in data]
            places = [name, each.rank, each.cluster, each.team, each.run, each.mean, low, high]
            yield [*places, *scores, int(each.is_baseline), each.runs, each.date, board.signature]


def _history_rows(board: Leaderboard) -> Iterator[Sequence[object]]:
    lines = board.history.lines
    measures = list(dict.fromkeys(name for line in lines for name in line.scores))
    yield ["date", "team", "run", "data", "track", "status", *measures, "signature", "input", "gold"]
    for line in lines:
        scores = [line.scores.get(name) for name in measures]
        names = [line.date, line.team, line.run, line.data, line.track, line.status]
        yield [*names, *scores, line.signature, line.input, line.gold]


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """CSV; a text that a spreadsheet would run as a formula begins with a single quote."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        cells = ("" if cell is None else cell for cell in row)
        writer.writerow(f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell for cell in cells)
    return file.getvalue()


# Feedback


def feedback(board: Leaderboard, team: str, problems: Sequence[str]) -> str:
    """The page for a team: its own runs, and the best, the median and the baseline scores without names.

    It has no units. `problems` refer to the team's own files and the public text.
    """
    own = [name for name, (each, _) in (board.systems or {}).items() if each == team]
    sections = []
    for data, results in board.results.items():
        tables = [_compared(board, data, own)]
        for name in own:
            if name in results:
                tables += [
                    replace(_measures(board, data, name), remark=f"Run {name}."),
                    *_labels(results[name], board.label_intervals.get(data, {})),
                ]
        sections.append(BoardSection(f"data-{_NOT_IN_SLUG.sub('-', data)}", data, tables))
    return template("leaderboard.html").render(
        title=f"{team} – {board.title}",
        heading=f"{board.title}: feedback for {team}",
        links=[],
        sections=sections,
        has_tabs=False,
        notes=problems,
        signature=board.signature,
        style=style_sheet(("page", "leaderboard")),
        script=Markup(read_template("scripts/leaderboard.js")),
    )


def _compared(board: Leaderboard, data: str, own: Sequence[str]) -> BoardTable:
    """The scores of the team's runs beside the best, the median and those of the baselines."""
    results = board.results[data]
    teams = board.systems or {}
    competing = [name for name in results if teams[name][0] not in board.baselines]
    measures = list(results.models)

    def values(names: Iterable[str], measure: str) -> list[float]:
        return [score for name in names if not isnan(score := results[name][measure].headline)]

    rows = [
        BoardRow([_text(name), *(_score(results[name][measure].headline) for measure in measures)])
        for name in own
        if name in results
    ]
    for title, names, choose in (
        ("best", competing, max),
        ("median", competing, median),
        ("best baseline", [name for name in results if name not in competing], max),
    ):
        if names and {*results} - {*own}:
            found = {measure: values(names, measure) for measure in measures}
            cells = [_score(choose(found[measure]) if found[measure] else None) for measure in measures]
            rows.append(BoardRow([_text(title), *cells], is_baseline=True))
    return BoardTable("compared", ["", *(model_title(results.task, measure) for measure in measures)], -1, rows)
