"""Shared tasks: a TOML file with data sets, tracks and submissions; their check, scores, history and leaderboard."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from datetime import date as day
from functools import cache, cached_property
from hashlib import sha256
from math import comb, isnan
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenhand import __version__
from evenhand.api.compare import ResamplingSettings, default_trials
from evenhand.api.rank import GROUPS, Ranked, ranked, ranked_models, with_clusters
from evenhand.api.score import score_inputs, skipping_broken
from evenhand.api.suites import READING_KEYS, TEXT, TEXTS, check_keys, read_toml
from evenhand.api.summary import label_intervals, label_tables
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.ranking import rank_intervals
from evenhand.dataclass import dataclass
from evenhand.errors import (
    EvenhandError,
    InputError,
    NoSystemLeftError,
    SettingError,
    Skipped,
    counted,
    unknown,
)
from evenhand.formats.archives import Member
from evenhand.formats.check import check as check_file
from evenhand.formats.paths import files_of
from evenhand.formats.source import Source
from evenhand.formats.storage import AnyPath, beside, to_path
from evenhand.parameters import Kind
from evenhand.pipeline.inputs import by_side, content_for, prepare
from evenhand.results.comparison import Ranking
from evenhand.results.leaderboard import (
    BROKEN,
    SCORED,
    WITHDRAWN,
    History,
    HistoryLine,
    Intervals,
    LabelIntervals,
    Leaderboard,
    Standing,
    Track,
    append_history,
    other_gold,
    read_history,
    saved_problem,
)
from evenhand.results.result import Result, Results
from evenhand.results.signature import joint_signature
from evenhand.settings import ReadSettings, columns_of_side, encoding_named
from evenhand.statistics.bootstrap import interval
from evenhand.tasks.registry import TASKS, task_named

ALL_RUNS, LAST_RUN, BEST_RUN = "all", "last", "best"
_FIELDS = ("team", "run", "data")
_PLACEHOLDER = re.compile(r"\{(\w+)\}|(\*)")
_COUNTS = ("TP", "FP", "FN")
_BLOCK = 1 << 20
FEEDBACK = ("scores", "full")
"""What teams see of their own runs: scores only, or units too, which show the gold standard."""
MISSING = ("none", "zero")
"""The mean of a system that lacks a data set: there is none, or the data set scores 0."""
_DAY = Kind("a date such as 2027-02-01", lambda value: isinstance(value, str | day))
_TASK_KEYS = {
    "title": TEXT,
    "submissions": replace(TEXT, expected='a pattern such as "submissions/{team}/{run}/{data}.conll"'),
    "baselines": TEXTS,
    "runs": replace(TEXT, expected='"all", "last", "best" or the name of a run'),
    "rank_by": TEXT,
    "match": TEXTS | TEXT,
    "feedback": Kind('"scores" or "full"', lambda value: value in FEEDBACK),
    "missing": Kind('"none" or "zero"', lambda value: value in MISSING),
    "image": TEXT,
    "start": _DAY,
    "end": _DAY,
    "data": Kind("tables [[data]]", lambda value: isinstance(value, list) and len(value) > 0),
}
_DATA_KEYS = {
    "name": TEXT,
    "track": TEXT,
    "gold": replace(TEXT, expected="the path of a file"),
    "text": replace(TEXT, expected="the path of a file"),
    "labels": TEXTS,
    "match": TEXTS | TEXT,
    "rank_by": TEXT,
    **READING_KEYS,
}


@dataclass(frozen=True)
class TaskData:
    """A data set of a shared task."""

    name: str
    track: str
    gold: AnyPath
    text: AnyPath | None
    """The text given to the teams."""
    labels: tuple[str, ...]
    match: tuple[str, ...]
    """The measures, that which ranks first; empty for the default of the task."""
    options: Mapping[str, Any]
    """How its files are read."""


@dataclass(frozen=True)
class Submission:
    """What a team submitted for a data set, as one run."""

    team: str
    run: str
    data: str
    path: AnyPath
    file: str
    """The path relative to the task file."""
    problem: Skipped | None = None
    """Why there is no file to score, such as a broken archive."""


@dataclass(frozen=True)
class SharedTask:
    """A task file and the submissions that were found."""

    path: AnyPath
    title: str
    data: tuple[TaskData, ...]
    submissions: tuple[Submission, ...]
    pattern: str
    """The pattern of the files of submissions."""
    unmatched: tuple[str, ...] = ()
    """Files among the submissions that the pattern does not cover."""
    baselines: tuple[str, ...] = ()
    runs: str = ALL_RUNS
    feedback: Literal["scores", "full"] = "scores"
    missing: Literal["none", "zero"] = "none"
    image: str | None = None
    """The docker image in which Codabench runs the scoring program."""
    start: object = None
    end: object = None
    """First and last day of the task on a platform."""

    @property
    def tracks(self) -> dict[str, list[TaskData]]:
        tracks: dict[str, list[TaskData]] = {}
        for data in self.data:
            tracks.setdefault(data.track, []).append(data)
        return tracks

    @cached_property
    def names(self) -> dict[tuple[str, str], str]:
        """The name of each run: its team, with the run if a team has several."""
        runs = dict.fromkeys((each.team, each.run) for each in self.submissions)
        has_runs = len(runs) > len({team for team, _ in runs})
        return {(team, run): f"{team}/{run}" if has_runs and run else team for team, run in runs}

    def only(self, team: str | None = None, data: str | None = None, track: str | None = None) -> SharedTask:
        """The part of the task that options name; unknown names are errors."""
        check_name("team", team, {each.team for each in self.submissions})
        check_name("data", data, [each.name for each in self.data])
        check_name("track", track, self.tracks)
        kept = tuple(each for each in self.data if data in (None, each.name) and track in (None, each.track))
        if not kept:
            raise SettingError(f"The data set {data!r} is not in the track {track!r}.")
        names = {each.name for each in kept}
        submissions = tuple(each for each in self.submissions if each.data in names and team in (None, each.team))
        return replace(self, data=kept, submissions=submissions)


def check_name(what: str, name: str | None, known: Any) -> None:
    if name is not None and name not in known:
        names = sorted(known)
        remedy = f"choose one of {', '.join(names)}" if names else f"the task file names no {what}"
        raise SettingError(unknown(f"Unknown {what} {name!r}", name, names, remedy))


# The task file


def shared_task(task_file: str | PathLike[str]) -> SharedTask:
    """Read a task file and find the submissions that it describes."""
    path = to_path(task_file)
    document = read_toml(path, "task file")
    check_keys(str(path), document, _TASK_KEYS)
    for key in ("submissions", "data"):
        if key not in document:
            raise SettingError(f"{path} has no {key}; write {_TASK_KEYS[key].expected}.")
    data = tuple(_data(path, number, entry, document) for number, entry in enumerate(document["data"], 1))
    repeated = next((name for name, times in Counter(each.name for each in data).items() if times > 1), None)
    if repeated is not None:
        raise SettingError(f"{path} has two data sets called {repeated!r}; give them different names.")
    found, unmatched = find_submissions(path, document["submissions"], data)
    task = SharedTask(
        path=path,
        title=document.get("title", path.stem),
        data=data,
        submissions=tuple(found),
        pattern=document["submissions"],
        unmatched=tuple(unmatched),
        baselines=tuple(document.get("baselines", ())),
        runs=document.get("runs", ALL_RUNS),
        feedback=document.get("feedback", "scores"),
        missing=document.get("missing", "none"),
        image=document.get("image"),
        start=document.get("start"),
        end=document.get("end"),
    )
    if not found:
        raise SettingError(f"{path}: no file matches the pattern {document['submissions']!r}; check the pattern.")
    for name in task.baselines:
        check_name("team", name, {each.team for each in found})
    return task


def _data(path: AnyPath, number: int, entry: object, document: Mapping[str, Any]) -> TaskData:
    title = f"data set {number} of {path}"
    if not isinstance(entry, Mapping) or not {"name", "gold"} <= entry.keys():
        raise SettingError(f"{title} needs a name and a gold file; write both below [[data]].")
    check_keys(title, entry, _DATA_KEYS)
    named = entry.get("match", document.get("match", ()))
    match = (named,) if isinstance(named, str) else tuple(named)
    rank_by = entry.get("rank_by", document.get("rank_by") if "match" not in entry else None)
    return TaskData(
        name=entry["name"],
        track=entry.get("track", ""),
        gold=beside(path, entry["gold"]),
        text=beside(path, entry["text"]) if "text" in entry else None,
        labels=tuple(entry.get("labels", ())),
        match=tuple(dict.fromkeys(filter(None, (rank_by, *match)))),
        options={key: entry[key] for key in READING_KEYS if key in entry},
    )


def find_submissions(path: AnyPath, pattern: str, data: Sequence[TaskData]) -> tuple[list[Submission], list[str]]:
    """The submissions that fit a pattern, and the files among them that do not.

    `{team}`, `{run}` and `{data}` match a path component or a part of one, `*` anything but a slash. After `!/` is the
    path in an archive.
    """
    names = [each.name for each in data]
    outer, bang, inner = pattern.partition("!/")
    unknown_name = next((name for name in re.findall(r"\{(\w*)\}", pattern) if name not in _FIELDS), None)
    if unknown_name is not None or "{team}" not in pattern:
        raise SettingError(f"The pattern {pattern!r} needs {{team}}, and may have {{run}}, {{data}} and *.")
    if "{data}" not in pattern and len(names) > 1:
        raise SettingError(f"The pattern {pattern!r} needs {{data}} because there are {len(names)} data sets.")
    folder = path.parent
    regex = _regex(outer, names)
    base = outer[: min((outer.find(sign) for sign in "{*" if sign in outer), default=len(outer))].rpartition("/")[0]
    if not isinstance(folder, Path):
        raise SettingError(f"{path}: submissions must be local files; copy them.")
    files = sorted(file.relative_to(folder).as_posix() for file in (folder / base).rglob("*") if file.is_file())
    visible = [file for file in files if not any(part.startswith(".") for part in file.split("/"))]
    found: dict[tuple[str, str, str], Submission] = {}
    unmatched = []
    for file in visible:
        match = regex.fullmatch(file)
        if match is None:
            unmatched.append(file)
            continue
        for submission in _in_file(folder / file, file, match.groupdict(), inner if bang else None, names):
            key = (submission.team, submission.run, submission.data)
            if key in found:
                one, other = found[key].file, submission.file
                finding = f"expected one file for {submission.data!r}, got {one} and {other}"
                submission = replace(submission, problem=Skipped(submission.file, None, f"{finding}. Keep only one."))
            found[key] = submission
    order = sorted(found.values(), key=lambda each: (each.team, each.run, names.index(each.data)))
    return order, unmatched


def submissions_by_name(pattern: str) -> dict[str, AnyPath]:
    """The submissions that fit a pattern without a task file, by team or by team and run."""
    if "{data}" in pattern:
        raise SettingError(f"The pattern {pattern!r} has {{data}}, which needs a task file.")
    pattern = pattern.replace(os.sep, "/")
    root = Path(pattern).anchor  # on Windows with the drive
    only = TaskData("submission", "", Path(), None, (), (), {})
    found, _ = find_submissions(Path(root, "task"), pattern[len(root) :].lstrip("/"), [only])
    if not found:
        raise SettingError(f"No file matches the pattern {pattern!r}; check the pattern.")
    double = next((each.problem for each in found if each.problem is not None and not _is_unreadable(each.path)), None)
    if double is not None:
        raise SettingError(str(double))
    has_runs = len(found) > len({each.team for each in found})
    return {f"{each.team}/{each.run}" if has_runs and each.run else each.team: each.path for each in found}


def _is_unreadable(path: AnyPath) -> bool:
    """Whether reading the path reports its problem, as for a broken archive."""
    try:
        return isinstance(path, Member) and not path.files()
    except EvenhandError:
        return True


def _regex(pattern: str, names: Sequence[str]) -> re.Pattern[str]:
    parts, end, seen = [], 0, set[str]()
    for match in _PLACEHOLDER.finditer(pattern):
        parts.append(re.escape(pattern[end : match.start()]))
        field, end = match[1], match.end()
        inside = "|".join(map(re.escape, names)) if field == "data" else "[^/]+?"
        parts.append("[^/]*" if field is None else f"(?P={field})" if field in seen else f"(?P<{field}>{inside})")
        seen.add(field or "*")
    return re.compile("".join((*parts, re.escape(pattern[end:]))))


def _in_file(
    path: Path, file: str, fields: Mapping[str, str], inner: str | None, names: Sequence[str]
) -> Iterator[Submission]:
    """The submission of a file, or those of an archive."""
    team, run, data = fields.get("team", ""), fields.get("run", ""), fields.get("data", names[0])
    if inner is None:
        yield Submission(team, run, data, to_path(path), file)
        return
    try:
        archive = Member(path.as_posix())
        members = archive.files()
        regex, found = _regex(inner, names), dict[tuple[str, str, str], list[str]]()
        # A single top-level folder is ignored, unless the pattern names it.
        below = {member.inner: member for member in members if isinstance(member, Member)}
        whole = {member.whole_name: member for member in below.values()}
        fits = next((each for each in (below, whole) if any(map(regex.fullmatch, each))), None)
        if fits is None:
            fits, regex = below, re.compile(f"(?:.*/)?{regex.pattern}")
        for name in fits:
            if match := regex.fullmatch(name):
                values = {**fields, **match.groupdict()}
                key = values.get("team", ""), values.get("run", ""), values.get("data", names[0])
                found.setdefault(key, []).append(name)
    except EvenhandError as error:
        problem = Skipped.of(error)
        for name in [fields["data"]] if "data" in fields else names:
            yield Submission(team, run, name, Member(path.as_posix()), file, replace(problem, file=file))
        return
    if not found:
        problem = Skipped(file, None, f"expected a file {inner}, got {', '.join(list(below)[:3])}.")
        yield from (Submission(team, run, name, archive, file, problem) for name in names)
    for (team, run, data), candidates in found.items():
        name = candidates[0]
        double: Skipped | None = None
        if len(candidates) > 1:
            both = " and ".join(candidates[:2])
            double = Skipped(file, None, f"expected one file for {data!r}, got {both}. Keep only one.")
        yield Submission(team, run, data, fits[name], f"{file}!/{name}", double)


# Scores


def leaderboard(
    task_file: str | PathLike[str],
    *,
    history: str | PathLike[str] | None = None,
    team: str | None = None,
    data: str | None = None,
    track: str | None = None,
    resamples: int = 1000,
    trials: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    skip_broken: bool = True,
    date: str | None = None,
) -> Leaderboard:
    """Score and rank the submissions of a shared task, by data set and by the mean over the data sets of each track.

    history    the history of the submissions, for dates, withdrawn submissions and the last run
    team, data, track
               only these
    resamples, trials, level, seed
               of intervals and clusters, as in `rank`
    skip_broken
               leave out the submissions that cannot be scored; they are listed in `board.skipped`
    date       of the new lines of a history, such as "2027-03-01T14:02:11Z" [now]
    """
    task = shared_task(task_file).only(team, data, track)
    known = History() if history is None else read_history(str(history))
    resampling = ResamplingSettings(trials or 0, resamples, level=level, seed=seed).checked()
    return board_of(task, known, resampling, has_trials=trials is not None, skip_broken=skip_broken, date=date)


@dataclass(frozen=True)
class _Scored:
    """A scored data set: all systems, and the ranking of those that are not baselines."""

    data: TaskData
    results: Results | None
    ranked: Ranked | None
    everyone: Ranked | None
    lines: list[HistoryLine]
    skipped: list[dict[str, Any]]

    @property
    def measure(self) -> str:
        assert self.everyone is not None
        return self.everyone.ranking.models[0]


def board_of(
    task: SharedTask,
    history: History,
    resampling: ResamplingSettings,
    *,
    has_trials: bool = False,
    skip_broken: bool = True,
    date: str | None = None,
) -> Leaderboard:
    """The leaderboard of a task."""
    date = date or f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date):
        raise SettingError(f"date is {date!r}; write it like 2027-03-01T14:02:11Z.")
    withdrawn = history.withdrawn()
    notes = list(history.notes)
    submissions = [each for each in task.submissions if not _is_withdrawn(each, withdrawn)]
    number = len(task.submissions) - len(submissions)
    notes += [f"{counted(number, 'submission')} {'is' if number == 1 else 'are'} withdrawn."] if number else []
    task = replace(task, submissions=tuple(submissions))
    scored = [
        _score_data(task, index, each, resampling, date, skip_broken=skip_broken, has_trials=has_trials)
        for index, each in enumerate(task.data)
    ]
    if not any(each.everyone for each in scored):
        listed = " ".join(f"{each['name']}: {each['problem']}" for part in scored for each in part.skipped)
        raise NoSystemLeftError(f"No submission can be scored. {listed}")
    chosen = _chosen_runs(task, history, scored)
    if task.runs == BEST_RUN:
        most = max(Counter(team for team, _ in {(each.team, each.run) for each in task.submissions}).values())
        notes.append(f"Choosing the best of {most} runs on the test data favours teams with many runs.")
    if len(chosen) < len(task.names):
        scored = [_restricted(task, each, chosen, resampling, index, has_trials) for index, each in enumerate(scored)]
    lines = [line for each in scored for line in each.lines]
    notes += other_gold(history, lines)
    tracks = {
        name: _track(task, name, [each for each in scored if each.data.track == name], history, resampling, has_trials)
        for name in task.tracks
    }
    skipped = [problem for each in scored for problem in each.skipped]
    if skipped:
        verb = "was" if len(skipped) == 1 else "were"
        notes.insert(
            0,
            f"Warning: {len(skipped):,} of {counted(len(lines), 'submission')} {verb} not scored. "
            "See the notes for the reasons.",
        )
        for each in skipped:
            problem = Skipped(each["file"], each["line"], each["problem"])
            notes.append(f"not scored: {each['name']} on {each['data']}: {problem}")
    rankings = {each.data.name: each.ranked.ranking for each in scored if each.ranked is not None}
    names = "+".join(each.name for each in task.data)
    signatures = joint_signature(ranking.signature for ranking in rankings.values()) if rankings else ""
    return Leaderboard(
        title=task.title,
        tracks=tracks,
        rankings=rankings,
        results={each.data.name: each.results for each in scored if each.results is not None},
        lines=lines,
        history=history,
        skipped=skipped,
        signature=f"{signatures}|runs:{task.runs}|missing:{task.missing}|data:{names}",
        notes=tuple(notes),
        baselines=task.baselines,
        systems={name: key for key, name in task.names.items()},
        intervals={each.data.name: _intervals(each.everyone.ranking) for each in scored if each.everyone},
        label_intervals={each.data.name: _label_intervals(each, resampling) for each in scored if each.everyone},
    )


def _intervals(ranking: Ranking) -> Intervals:
    return {
        measure: {system: standing.interval for system, standing in standings.items()}
        for measure, standings in ranking.standings.items()
    }


def _label_intervals(scored: _Scored, resampling: ResamplingSettings) -> LabelIntervals:
    """The intervals of the scores by label under the measure that ranks."""
    results = scored.results
    if results is None or not resampling.resamples:
        return {}
    first = next(iter(results.values()))
    formula = next(each for each in first.models if each.name == scored.measure)
    _, number = resampling.groups(TASKS[results.task], results.gold.documents, results.gold.sentences)
    labels = [label for label in first[scored.measure].labels if label in results.gold.labels]
    if formula.parts or not labels or number < 2:
        return {}
    of_labels = formula.of_labels()
    return label_intervals(label_tables(of_labels, results, number, labels), resampling)


def _is_withdrawn(submission: Submission, withdrawn: set[tuple[str, str, str, str]]) -> bool:
    key = submission.team, submission.run, submission.data
    return any(each[:3] == key for each in withdrawn) and (*key, hash_of(submission.path)) in withdrawn


def _score_data(
    task: SharedTask,
    number: int,
    data: TaskData,
    resampling: ResamplingSettings,
    date: str,
    *,
    skip_broken: bool,
    has_trials: bool,
) -> _Scored:
    named = {task.names[each.team, each.run]: each for each in task.submissions if each.data == data.name}
    broken = {name: each.problem for name, each in named.items() if each.problem is not None}
    if broken and not skip_broken:
        raise _first_broken(next(iter(broken.values())))
    systems = {name: each.path for name, each in named.items() if each.problem is None}
    options: dict[str, Any] = {**data.options, **({"match": data.match} if data.match else {})}
    content = content_for(data.gold, options)
    match = ranked_models(TASKS[content.task], content, options)
    prepared = prepare(data.gold, systems, {**options, "match": match}, content)
    groups = GROUPS[resampling.of] if resampling.is_requested or not has_trials else "total"

    def compute(valid: Mapping[str, AnyPath]) -> Results:
        return score_inputs(data.gold, valid, prepared, groups)

    results: Results | None = None
    try:
        if systems and skip_broken:
            results, skipped = skipping_broken(data.gold, systems, prepared, compute)  # type: ignore[arg-type]
            broken |= skipped
        elif systems:
            results = compute(systems)
    except NoSystemLeftError:
        broken |= {name: _problem_of(data, path, prepared) for name, path in systems.items()}
    except InputError as error:
        if not skip_broken and len(systems) > 1 and error.problem.source != str(data.gold):
            raise _first_broken(Skipped.of(error)) from None
        raise
    for name, problem in broken.items():
        if problem is not None and problem is not named[name].problem and problem.file is not None:
            # Readers leave a single top-level folder of an archive out of the path; `check` does not.
            broken[name] = replace(problem, file=named[name].file)
    lines = [
        _line(data, each, None if results is None else results.get(name), broken.get(name), date)
        for name, each in named.items()
    ]
    listed = [saved_problem(name, data.name, problem) for name, problem in broken.items()]
    scored = _Scored(data, results, None, None, lines, listed)
    return scored if results is None else _ranked_again(task, scored, results, resampling, number, has_trials)


def _first_broken(problem: Skipped | None) -> EvenhandError:
    return SettingError(f"{problem} Use --skip-broken to skip it.")


def _problem_of(data: TaskData, path: AnyPath, prepared: Any) -> Skipped:
    try:
        score_inputs(data.gold, {"system": path}, prepared, "total")
    except EvenhandError as error:
        return Skipped.of(error)
    return Skipped(None, None, "cannot be scored together with the others.")


def _ranked_again(
    task: SharedTask, scored: _Scored, results: Results, resampling: ResamplingSettings, number: int, has_trials: bool
) -> _Scored:
    teams = {name: team for (team, _), name in task.names.items()}
    competing = {name: result for name, result in results.items() if teams[name] not in task.baselines}
    everyone = ranked(results, replace(resampling, trials=0), number)
    by_rank = None
    if competing:
        by_rank = ranked(Results(competing), _with_trials(resampling, len(competing), has_trials), number)
    return replace(scored, results=results, everyone=everyone, ranked=by_rank)


def _with_trials(resampling: ResamplingSettings, systems: int, has_trials: bool) -> ResamplingSettings:
    if has_trials or not resampling.resamples or systems < 2:
        return resampling
    return replace(resampling, trials=default_trials(comb(systems, 2)))


def _restricted(
    task: SharedTask,
    scored: _Scored,
    chosen: set[str],
    resampling: ResamplingSettings,
    number: int,
    has_trials: bool,
) -> _Scored:
    """The scores of the runs that count."""
    if scored.results is None:
        return scored
    kept = {name: result for name, result in scored.results.items() if name in chosen}
    if not kept:
        return replace(scored, results=None, ranked=None, everyone=None)
    return _ranked_again(task, scored, Results(kept), resampling, number, has_trials)


def _chosen_runs(task: SharedTask, history: History, scored: Sequence[_Scored]) -> set[str]:
    """The systems whose runs count; for `last`, by the date in the history, then by name."""
    by_team: dict[str, dict[str, str]] = {}
    for (team, run), name in task.names.items():
        if any(each.team == team and each.run == run for each in task.submissions):
            by_team.setdefault(team, {})[run] = name
    chosen = set()
    for team, runs in by_team.items():
        if task.runs == ALL_RUNS or team in task.baselines:
            chosen |= set(runs.values())
        elif task.runs == LAST_RUN:

            def when(run: str, team: str = team) -> tuple[str, list[Any]]:
                dates = [history.first_date((team, run, data.name)) for data in task.data]
                # A run that is not in the history yet is the last.
                return max(filter(None, dates), default="~"), natural_order(run)

            chosen.add(runs[max(runs, key=when)])
        elif task.runs == BEST_RUN:
            chosen.add(max(runs.values(), key=lambda name: _mean_of(scored, name)))
        elif task.runs in runs:
            chosen.add(runs[task.runs])
    if not chosen:
        raise SettingError(f"No team has a run {task.runs!r}; set runs to all, last, best or the name of a run.")
    return chosen


def natural_order(name: str) -> list[Any]:
    """Runs with numbers in their order: run2 before run10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]


def _mean_of(scored: Sequence[_Scored], name: str) -> float:
    scores = [_score_on(each, name) for each in scored]
    return float(np.mean([0.0 if score is None else score for score in scores]))


def _score_on(scored: _Scored, name: str) -> float | None:
    if scored.everyone is None or name not in scored.everyone.ranking[scored.measure]:
        return None
    score = scored.everyone.ranking[scored.measure][name].score
    return None if isnan(score) else score


def _track(
    task: SharedTask,
    name: str,
    scored: Sequence[_Scored],
    history: History,
    resampling: ResamplingSettings,
    has_trials: bool,
) -> Track:
    """The standings of a track."""
    systems = {
        system: key
        for key, system in task.names.items()
        if any(each.results is not None and system in each.results for each in scored)
    }
    scores = {system: {each.data.name: _score_on(each, system) for each in scored} for system in systems}
    zero = task.missing == MISSING[1]
    means = {
        system: float(np.mean([score or 0.0 for score in by_data.values()]))
        for system, by_data in scores.items()
        if zero or None not in by_data.values()
    }
    samples = {system: _mean_samples(scored, system) for system in means}
    has_samples = resampling.resamples and all(sample is not None for sample in samples.values())
    ranking = _mean_ranking(task, name, scored, means, samples if has_samples else {}, resampling, has_trials)
    standings = []
    for system, (team, run) in systems.items():
        is_ranked = ranking is not None and system in ranking.systems
        first = ranking.models[0] if ranking is not None else ""
        sample = samples.get(system)
        dates = [history.first_date((team, run, each.data.name)) for each in scored]
        standings.append(
            Standing(
                system=system,
                team=team,
                run=run,
                is_baseline=team in task.baselines,
                scores=scores[system],
                mean=means.get(system),
                interval=interval(sample, resampling.level) if has_samples and sample is not None else None,
                rank=ranking[first][system].rank if ranking is not None and is_ranked else None,
                cluster=ranking.cluster(first, system) if ranking is not None and is_ranked else None,
                runs=len({each.run for each in task.submissions if each.team == team}),
                date=max(filter(None, dates), default=None),
            )
        )
    standings.sort(key=lambda each: (each.mean is None, -(each.mean or 0.0), each.rank or 0, each.system))
    measures = {each.data.name: each.measure for each in scored if each.everyone is not None}
    return Track(name, measures, standings, ranking)


def _mean_samples(scored: Sequence[_Scored], system: str) -> Any:
    """The mean of a system in each resample; data sets are resampled independently."""
    parts = []
    for each in scored:
        sample = None if each.everyone is None else each.everyone.samples.get(each.measure, {}).get(system)
        if sample is None and _score_on(each, system) is not None:
            return None  # nothing to resample
        parts.append(0.0 if sample is None else sample)
    mean = np.mean(np.broadcast_arrays(*parts), axis=0)
    return None if np.ndim(mean) == 0 else mean


def _mean_ranking(
    task: SharedTask,
    name: str,
    scored: Sequence[_Scored],
    means: Mapping[str, float],
    samples: Mapping[str, Any],
    resampling: ResamplingSettings,
    has_trials: bool,
) -> Ranking | None:
    """The ranking by the mean, with clusters, of the systems that are not baselines."""
    teams = {system: team for (team, _), system in task.names.items()}
    kept = {system: mean for system, mean in means.items() if teams[system] not in task.baselines}
    usable = [each for each in scored if each.everyone is not None and each.ranked is not None]
    if not kept or not usable:
        return None
    measure, rankings = usable[0].measure, [each.ranked.ranking for each in usable if each.ranked is not None]
    of_kept = {measure: {system: samples[system] for system in kept if system in samples}}
    ranked_by = ",".join(f"{each.data.name}-{each.measure}" for each in usable)
    ranking = Ranking(
        f"mean of {name}" if name else "mean",
        rank_intervals({measure: kept}, of_kept, resampling.level),
        [],
        resampling.level,
        resampling.resamples if samples else 0,
        resampling.seed,
        "+".join(dict.fromkeys(filter(None, (each.groups for each in rankings)))) or None,
        joint_signature(each.signature for each in rankings) + f"|mean:{ranked_by}|missing:{task.missing}",
        (),
        rankings[0].task,
    )
    counted_parts = [each.ranked.counted for each in usable if each.ranked is not None]
    parts = [_with_zeros(part, list(kept)) for part in counted_parts if part is not None]
    if len(parts) < len(scored) or len(kept) < 2:
        return ranking
    return with_clusters(ranking, GroupTables.joined(parts), _with_trials(resampling, len(kept), has_trials))


def _with_zeros(part: GroupTables, systems: Sequence[str]) -> GroupTables:
    """The counts of these systems; a system that lacks the data set has none, and scores 0."""
    empty = np.zeros_like(next(iter(part.tables.values())))
    return replace(part, tables={system: part.tables.get(system, empty) for system in systems})


# History


@cache
def _commit() -> str | None:
    """The commit of a source checkout; None for an installed package."""
    git = Path(__file__).parents[3] / ".git"
    try:
        head = (git / "HEAD").read_text("utf-8").strip()
        target = git / head.removeprefix("ref: ")
        return (target.read_text("utf-8") if head.startswith("ref: ") else head).strip()[:7] or None
    except OSError:
        return None


def hash_of(path: AnyPath) -> str:
    """The hash of the bytes of a file after unpacking, or of all files of a folder."""
    digest = sha256()
    try:
        for file in files_of(path) or [path]:
            with Source(file).open() as opened:
                while block := opened.read(_BLOCK):
                    digest.update(block)
    except EvenhandError:  # a broken archive, whose packed bytes are hashed
        local = Path(str(path).partition("!/")[0])
        digest = sha256(local.read_bytes() if local.is_file() else b"")
    return f"sha256:{digest.hexdigest()}"


def _line(
    data: TaskData, submission: Submission, result: Result | None, problem: Skipped | None, date: str
) -> HistoryLine:
    scores: dict[str, float | None] = {}
    counts: dict[str, list[float]] = {}
    if result is not None:
        for measure in result:
            headline, row = result[measure].headline, result[measure].overall.counts
            scores[measure] = None if isnan(headline) else headline
            kinds = _COUNTS if {*_COUNTS} <= row.keys() else tuple(row)
            counts[measure] = [_whole(row[kind]) for kind in kinds if row[kind] is not None]
    return HistoryLine(
        date=date,
        team=submission.team,
        run=submission.run,
        data=data.name,
        track=data.track,
        status=BROKEN if result is None else SCORED,
        scores=scores,
        counts=counts,
        signature=None if result is None else result.signature,
        evenhand={"version": __version__, "commit": _commit()},
        input=hash_of(submission.path),
        gold=hash_of(data.gold),
        file=submission.file,
        problem=None if problem is None else str(problem),
    )


def _whole(value: float | None) -> float:
    value = value or 0.0
    return int(value) if float(value).is_integer() else value


def record(
    board: Leaderboard, history: str | PathLike[str], *, rescore: bool = False, withdraw: str | None = None
) -> list[HistoryLine]:
    """Append the submissions of a board to a history; return the new lines.

    With `withdraw`, the name of a team or of one of its runs (`ann/run2`), only a line that withdraws it is added.
    """
    if withdraw is None:
        return append_history(str(history), board.lines, rescore=rescore)
    team, _, run = withdraw.partition("/")
    lines = [line for line in board.lines if line.team == team and run in ("", line.run)]
    if not lines:
        raise SettingError(f"There is no submission {withdraw!r} to withdraw; write TEAM or TEAM/RUN.")
    import msgspec

    return append_history(str(history), [msgspec.structs.replace(line, status=WITHDRAWN) for line in lines])


# Other commands


@dataclass(frozen=True)
class DataSides:
    """Gold standard and systems of a data set, and how they are read and scored."""

    title: str
    gold: AnyPath
    systems: Mapping[str, AnyPath]
    match: tuple[str, ...]
    options: Mapping[str, Any]


def sides_by_data(
    task_file: str | PathLike[str],
    team: str | None,
    data: str | None,
    track: str | None,
    *,
    least: int,
    skip_broken: bool = False,
) -> tuple[dict[str, DataSides], list[str]]:
    """The data sets that have at least this number of systems, by name, and notes on what is left out."""
    task = shared_task(task_file).only(team, data, track)
    broken = [each for each in task.submissions if each.problem is not None]
    if broken and not skip_broken:
        raise _first_broken(broken[0].problem)
    notes = [f"not scored: {task.names[each.team, each.run]}: {each.problem}" for each in broken]
    sides, few = dict[str, DataSides](), list[str]()
    for each in task.data:
        own = [one for one in task.submissions if one.data == each.name and one.problem is None]
        if len(own) < least:
            few.append(f"{each.name} has {counted(len(own), 'system')}, but {least} are needed.")
            continue
        systems = {task.names[one.team, one.run]: one.path for one in own}
        sides[each.name] = DataSides(f"{task.title}: {each.name}", each.gold, systems, each.match, each.options)
    if not sides:
        raise SettingError(f"{task_file}: {' '.join(few)}")
    return sides, [*dict.fromkeys(notes), *(f"left out: {line}" for line in few)]


def feedback_page(
    task_file: str | PathLike[str], team: str, data: str | None = None, track: str | None = None
) -> tuple[str, str] | None:
    """The page with the scores of a team, and a summary line; None if the task file has `feedback = "full"`."""
    from evenhand.report.html.leaderboard import feedback

    task = shared_task(task_file).only(None, data, track)
    check_name("team", team, {each.team for each in task.submissions})
    if task.feedback == FEEDBACK[1]:
        return None
    own = [each for each in task.submissions if each.team == team]
    # All runs are shown, whichever counts.
    made = board_of(replace(task, runs=ALL_RUNS), History(), ResamplingSettings(0, 1000).checked(), has_trials=True)
    broken = {(problem["name"], problem["data"]) for problem in made.skipped}
    problems = []
    for each in own:
        name = task.names[each.team, each.run]
        if (name, each.data) in broken:
            problems += [f"not scored: {line}" for line in _public_problems(task, each)]
    shown = replace(made, skipped=(), notes=())
    return feedback(shown, team, problems), f"{counted(len(own), 'file')} of {team}."


def _public_problems(task: SharedTask, submission: Submission) -> list[str]:
    """Why a submission cannot be scored, in terms of its own file and of the public text."""
    if submission.problem is not None:
        return [str(submission.problem)]
    data = next(each for each in task.data if each.name == submission.data)
    report = check_file(submission.path, read_settings_of(data), data.text, data.options.get("align"))
    errors = [str(problem) for problem in report.errors]
    return errors or [f"{submission.file}: differs from the text of {data.name}; ask the organisers."]


def read_settings_of(data: TaskData) -> ReadSettings:
    """How the files of a data set are read, one at a time."""
    options = data.options
    return ReadSettings(
        by_side(options.get("format"), "system"),
        columns_of_side(options.get("column"), "system"),
        encoding_named(by_side(options.get("encoding"), "system")),
        task=None if "task" not in options else task_named(options["task"]),
    )
