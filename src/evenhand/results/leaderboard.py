"""The leaderboard of a shared task, and the history of its submissions.

For each track, systems are ranked by the mean of their scores over the data sets: M(s) = (1/D) sum_d S_d(s), where S_d
is the headline of the measure that ranks data set d. Counts are never pooled. A system that lacks a data set has no
mean, unless the rules are that a missing data set scores 0. Intervals and tests resample documents within each data
set; the scores of a resample are then averaged. Clusters are formed as in `rank`, by the mean and on each data set.
Baselines are shown without rank. Systems with equal scores share a rank.

The history has one JSON line for each scored, broken or withdrawn submission. It is append-only.

Source: this project.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any

import msgspec

from evenhand.dataclass import dataclass
from evenhand.errors import InputError, Skipped, counted
from evenhand.files import refusal
from evenhand.results.comparison import Ranking
from evenhand.results.display import Displayed, WithTables
from evenhand.results.result import Results

LabelIntervals = Mapping[str, Mapping[str, tuple[float, float]]]
"""By label and system."""
Intervals = Mapping[str, Mapping[str, tuple[float, float] | None]]
"""By measure and system."""
_LOCKED_BYTE = (1 << 31) - 2
"""The byte that is locked on Windows, after the end of any history: locked bytes cannot be read by other processes."""
SCORED, BROKEN, WITHDRAWN = "scored", "broken", "withdrawn"


class HistoryLine(msgspec.Struct, frozen=True):
    """One line of a history: what became of a submission on a data set."""

    date: str
    team: str
    run: str
    data: str
    track: str
    status: str
    scores: dict[str, float | None]
    """By measure, the headline."""
    counts: dict[str, list[float]]
    """By measure: TP, FP and FN or, if it has none of these, all of its counts."""
    signature: str | None
    evenhand: dict[str, str | None]
    """Version and commit."""
    input: str
    """Hash of the submitted bytes, after unpacking."""
    gold: str
    file: str
    problem: str | None = None

    @property
    def submission(self) -> tuple[str, str, str]:
        return self.team, self.run, self.data

    def same(self, other: HistoryLine) -> bool:
        """Whether this is the same input of a submission, scored in the same way."""
        return (self.submission, self.input, self.signature) == (other.submission, other.input, other.signature)


@dataclass(frozen=True)
class History:
    """The lines of a history, and notes on what was ignored."""

    lines: tuple[HistoryLine, ...] = ()
    notes: tuple[str, ...] = ()

    def withdrawn(self) -> set[tuple[str, str, str, str]]:
        """Team, run, data and input of what was withdrawn and not scored later."""
        last = {(*line.submission, line.input): line.status for line in self.lines}
        return {submission for submission, status in last.items() if status == WITHDRAWN}

    def first_date(self, submission: tuple[str, str, str]) -> str | None:
        return min((line.date for line in self.lines if line.submission == submission), default=None)


_OTHER_GOLD, _OTHER_SETTINGS = "a different gold standard", "different settings"
_DECODER = msgspec.json.Decoder(HistoryLine)


def read_history(path: str | Path) -> History:
    """Read a history. A line that was not written to its end is ignored and reported; other defects are errors."""
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return History()
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(name, None, f"cannot be read ({reason})", "check the path and the permissions") from None
    lines, notes = [], []
    for number, text in enumerate(data.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            lines.append(_DECODER.decode(text))
        except msgspec.MsgspecError as error:
            if text.rstrip().endswith(b"}"):
                finding = f"is not a line of a history ({str(error).rstrip('.')})"
                raise InputError(name, number, finding, "restore the line; lines are only added") from None
            notes.append(f"{name}:{number}: the line is incomplete and was ignored.")
    return History(tuple(lines), tuple(notes))


def append_history(path: str | Path, lines: Iterable[HistoryLine], *, rescore: bool = False) -> list[HistoryLine]:
    """Append the lines that the history lacks, under a lock, and flush them to the disk; return these lines.

    A line is not new if the history has one with the same submission, input and signature, unless that was withdrawn
    later. With `rescore`, the gold standard must be the same, too.
    """
    try:
        with open(path, "a+b") as file, _locked(file):
            known = read_history(path)
            withdrawn = known.withdrawn()
            added: list[HistoryLine] = []
            for line in lines:
                earlier = [old for old in (*known.lines, *added) if old.same(line) and old.status != WITHDRAWN]
                is_known = any(not rescore or old.gold == line.gold for old in earlier)
                if line.status == WITHDRAWN:
                    is_known = (*line.submission, line.input) in withdrawn
                if not is_known:
                    added.append(line)
            file.seek(0, os.SEEK_END)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                separator = b"" if file.read(1) == b"\n" else b"\n"  # after an incomplete line
            else:
                separator = b""
            text = b"".join(msgspec.json.encode(line) + b"\n" for line in added)
            if text:
                file.write(separator + text)
                file.flush()
                os.fsync(file.fileno())
            return added
    except OSError as error:
        raise refusal(str(path), error) from None


@contextmanager
def _locked(file: Any) -> Iterator[None]:
    """Hold the lock of a file, which ends with the process at the latest."""
    try:
        import fcntl
    except ImportError:  # Windows
        with _locked_byte(file):
            yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def _locked_byte(file: Any) -> Iterator[None]:
    import msvcrt

    file.seek(_LOCKED_BYTE)
    while True:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
            break
        except OSError as error:
            if error.errno != errno.EDEADLK:  # another process had the lock for ten seconds
                raise
    try:
        yield
    finally:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]


@dataclass(frozen=True)
class Standing:
    """A system in a track: its mean, and its scores on the data sets."""

    system: str
    team: str
    run: str
    is_baseline: bool
    scores: Mapping[str, float | None]
    """By data set; None if the system lacks it."""
    mean: float | None
    """None if the system lacks a data set."""
    interval: tuple[float, float] | None
    rank: int | None
    cluster: str | None
    runs: int
    """The number of runs of the team in the track."""
    date: str | None
    """When the run was first in the history."""

    def saved(self) -> dict[str, Any]:
        interval = None if self.interval is None else {"low": self.interval[0], "high": self.interval[1]}
        names = ("team", "run", "rank", "cluster", "mean", "scores", "runs", "date")
        values = {name: getattr(self, name) for name in names}
        return {"name": self.system, **values, "interval": interval, "baseline": self.is_baseline}


@dataclass(frozen=True)
class Track:
    """The standings of a track, the best first; systems without a mean and baselines have no rank."""

    name: str
    measures: Mapping[str, str]
    """By data set: the measure that ranks."""
    standings: Sequence[Standing]
    ranking: Ranking | None
    """By the mean, of the systems with all data sets; None if there are none."""


@dataclass(frozen=True, repr=False)
class Leaderboard(Displayed, WithTables):
    """The standings of a shared task: `board.tracks["closed"].standings[0].mean`."""

    title: str
    tracks: Mapping[str, Track]
    rankings: Mapping[str, Ranking]
    """By data set."""
    results: Mapping[str, Results]
    """By data set, with baselines; empty scores are not here."""
    lines: Sequence[HistoryLine]
    """What the history gets: one line for each submission and data set."""
    history: History
    skipped: Sequence[Mapping[str, Any]]
    signature: str
    notes: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    systems: Mapping[str, tuple[str, str]] | None = None
    """Team and run of each system."""
    intervals: Mapping[str, Intervals] = field(default_factory=dict)
    """By data set: of the scores of all systems, baselines too."""
    label_intervals: Mapping[str, LabelIntervals] = field(default_factory=dict)
    """By data set: of the scores by label under the measure that ranks."""

    def saved(self) -> dict[str, Any]:
        """Per data set the figures of `rank --as json`; per track the standings by the mean."""
        return {
            "command": "leaderboard",
            "title": self.title,
            "signature": self.signature,
            "notes": self.notes,
            "tracks": {name: [standing.saved() for standing in track.standings] for name, track in self.tracks.items()},
            "mean": {name: track.ranking.saved() for name, track in self.tracks.items() if track.ranking is not None},
            "data_sets": {name: ranking.saved() for name, ranking in self.rankings.items()},
            "skipped": self.skipped,
            "submissions": [self._saved_line(line) for line in self.lines],
        }

    def _saved_line(self, line: HistoryLine) -> dict[str, Any]:
        """A submission with its date in the history, if it is there: the same input gives the same JSON."""
        date = min((old.date for old in self.history.lines if old.same(line)), default=None)
        saved: dict[str, Any] = {**msgspec.to_builtins(line), "date": date}
        return {name: value for name, value in saved.items() if name != "evenhand"}


def other_gold(history: History, lines: Sequence[HistoryLine]) -> list[str]:
    """Notes on the lines of a history that cannot be compared with the present ones, by what differs."""
    present_lines = {line.data: line for line in lines if line.status == SCORED}
    signatures = {(*line.submission, line.signature) for line in lines}
    by_reason: dict[str, dict[tuple[str, str, str], str]] = {_OTHER_GOLD: {}, _OTHER_SETTINGS: {}}
    current = {line.submission: line for line in history.lines if line.status == SCORED}  # the last one counts
    for submission, line in current.items():
        now = present_lines.get(line.data)
        if now is None:
            continue
        if line.gold != now.gold:
            by_reason[_OTHER_GOLD][submission] = line.date
        elif (*submission, line.signature) not in signatures and submission in {each.submission for each in lines}:
            by_reason[_OTHER_SETTINGS][submission] = line.date
    return [_on_other(what, dates) for what, dates in by_reason.items() if dates]


def _on_other(what: str, dates: Mapping[tuple[str, str, str], str]) -> str:
    verb, object_ = ("was", "it") if len(dates) == 1 else ("were", "them")
    scored = f"{counted(len(dates), 'submission')} {verb} scored with {what} ({max(dates.values())[:10]})."
    return f"{scored} Score {object_} again with --rescore."


def saved_problem(system: str, data: str, problem: Skipped) -> dict[str, Any]:
    return {**problem.saved(system), "data": data}
