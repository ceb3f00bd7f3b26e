"""The check of all submissions of a shared task: their files, texts and labels, and copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from evenhand.api.shared_task import (
    SharedTask,
    Submission,
    TaskData,
    hash_of,
    natural_order,
    read_settings_of,
    shared_task,
)
from evenhand.dataclass import dataclass
from evenhand.errors import OTHER_LABELS, UNKNOWN_LABELS, EvenhandError
from evenhand.formats.check import check as check_file
from evenhand.formats.check import label_problems
from evenhand.formats.read import read
from evenhand.formats.storage import AnyPath
from evenhand.pipeline.inputs import by_side
from evenhand.results.display import Displayed, WithTables
from evenhand.tables import Column, DisplayTable
from evenhand.versions import signed


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission with its problems: each is a severity and a message."""

    submission: Submission
    problems: tuple[tuple[str, str], ...]

    @property
    def state(self) -> str:
        severities = {severity for severity, _ in self.problems}
        return "errors" if "error" in severities else "warnings" if severities else "ok"

    def lines(self) -> Iterator[str]:
        """One line for each problem, or one line."""
        for severity, message in self.problems:
            place, _, finding = message.partition(": ")
            yield f"{place}: {severity}: {finding}"
        if not self.problems:
            yield f"{self.submission.file}: ok"


@dataclass(frozen=True)
class CheckedTask(Displayed, WithTables):
    """The check of all submissions of a task, with a table of teams and data sets."""

    task: SharedTask
    checked: tuple[CheckedSubmission, ...]
    signature: str = signed({})

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{file}: does not match the pattern of submissions." for file in self.task.unmatched)

    @property
    def has_errors(self) -> bool:
        return any(each.state == "errors" for each in self.checked)

    def table(self) -> DisplayTable:
        """The state of each run on each data set."""
        states = {
            (each.submission.team, each.submission.run, each.submission.data): each.state for each in self.checked
        }
        data = [each.name for each in self.task.data]
        runs = dict.fromkeys((team, run) for team, run, _ in states)
        rows = [[self.task.names[key], *(states.get((*key, name), "absent") for name in data)] for key in runs]
        return DisplayTable("", [Column("team", "text"), *(Column(name, "text") for name in data)], rows)

    def saved(self) -> dict[str, Any]:
        return {
            "command": "check",
            "notes": self.notes,
            "submissions": [
                {
                    "team": each.submission.team,
                    "run": each.submission.run,
                    "data": each.submission.data,
                    "file": each.submission.file,
                    "state": each.state,
                    "problems": [{"severity": severity, "message": message} for severity, message in each.problems],
                }
                for each in self.checked
            ],
        }


def check_task(
    task_file: str | PathLike[str], *, team: str | None = None, data: str | None = None, track: str | None = None
) -> CheckedTask:
    """Check all submissions of a task file: files, text, labels and copies.

    With `team`, messages refer only to lines of the team's own files and of the public text.
    """
    whole = shared_task(task_file).only(None, data, track)
    task = whole.only(team, data, track)
    hashes: dict[str, list[Submission]] = {}
    for each in whole.submissions:
        hashes.setdefault(f"{each.data}:{hash_of(each.path)}", []).append(each)
    checked = []
    for each in task.submissions:
        of_data = next(one for one in task.data if one.name == each.data)
        problems = [("error", str(each.problem))] if each.problem is not None else []
        if not problems:
            problems = list(_problems(each, of_data, for_team=team is not None))
            alike = hashes[f"{each.data}:{hash_of(each.path)}"]
            problems += _copies(each, of_data, alike, for_team=team is not None)
        checked.append(CheckedSubmission(each, tuple(problems)))
    return CheckedTask(task, tuple(checked))


def _problems(submission: Submission, data: TaskData, *, for_team: bool) -> Iterator[tuple[str, str]]:
    """The problems of a file: of its format and its text, and of its labels."""
    settings = read_settings_of(data)
    report = check_file(
        submission.path, settings, data.text or (None if for_team else data.gold), data.options.get("align")
    )
    for problem in report.problems:
        if problem.kind not in (OTHER_LABELS, UNKNOWN_LABELS):
            shown = replace(problem, source=submission.file)
            yield report.severity(problem), str(shown)
    known = Counter(data.labels)
    if not known:
        known = check_file(data.gold, settings).labels
    suggestions = {} if for_team or data.options.get("map") else _labels_on_same_spans(submission.path, data)
    if not data.options.get("map"):
        for severity, finding in label_problems(report.labels, known, suggestions):
            yield severity, f"{submission.file}: {finding}"
    if report.reading is not None and not report.units and not report.errors:
        yield "warning", f"{submission.file}: has no predictions. Check how it was written."
    elif report.tokens and len(report.labels) == 1 and report.units_cover_all:
        yield (
            "warning",
            f"{submission.file}: every token has the label {next(iter(report.labels))!r}. Check how it was written.",
        )


def _labels_on_same_spans(path: AnyPath, data: TaskData) -> dict[str, str]:
    """For each label, the most frequent gold label of the same spans; only organisers may see it."""
    reading = {key: data.options[key] for key in ("format", "column", "encoding", "task") if key in data.options}
    try:
        gold, system = (
            read(file, **_of_side(reading, side)).spans().rows()
            for file, side in ((data.gold, "gold"), (path, "system"))
        )
    except (EvenhandError, AttributeError, KeyError, TypeError):  # not spans, or reported elsewhere
        return {}
    label_at = {tuple(place): label for label, *place in gold}
    pairs = Counter((label, label_at[tuple(place)]) for label, *place in system if tuple(place) in label_at)
    best: dict[str, str] = {}
    for (label, of_gold), _ in pairs.most_common():
        best.setdefault(label, of_gold)
    return best


def _of_side(options: Mapping[str, Any], side: str) -> dict[str, Any]:
    return {key: by_side(value, side) for key, value in options.items()}


def _copies(
    submission: Submission, data: TaskData, alike: Sequence[Submission], *, for_team: bool
) -> Iterator[tuple[str, str]]:
    """Warnings for files that are identical to an earlier run; for organisers, also to other teams' and to gold."""
    if not for_team and hash_of(submission.path) == hash_of(data.gold):
        yield "warning", f"{submission.file}: is identical to the gold standard. Check which file it is."
    for other in alike:
        if other.team == submission.team and natural_order(other.run) < natural_order(submission.run):
            yield "warning", f"{submission.file}: is identical to the earlier run {other.run}. Check which file it is."
        elif other.team != submission.team and not for_team:
            finding = f"is identical to a file of the team {other.team}"
            yield "warning", f"{submission.file}: {finding}. Check which file it is."
