"""Shared tasks: submissions, means, clusters, the history, leaderboards, feedback and bundles."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path, PureWindowsPath
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.api import shared_task as tasks
from evenhand.api.shared_task import record, shared_task, submissions_by_name
from evenhand.cli import main
from evenhand.report.html.leaderboard import slugs
from evenhand.results.leaderboard import read_history
from evenhand.statistics.bootstrap import interval

WORDS = ["Ada", "saw", "Bo", "in", "Rome", "and", "Cy", "at", "home"]
LABELS = ["B-PER", "O", "B-PER", "O", "B-LOC", "O", "B-ORG", "O", "O"]
DOCUMENTS = 12


def text(*wrong: int, labels: list[str] = LABELS, unlabelled: bool = False) -> str:
    """Documents of one sentence; in the documents `wrong`, the first label is missing."""
    lines = []
    for number in range(DOCUMENTS):
        lines.append("-DOCSTART- O\n")
        for index, (word, label) in enumerate(zip(WORDS, labels, strict=True)):
            is_missing = unlabelled or (number in wrong and index == 0)
            lines.append(f"{word} {'O' if is_missing else label}")
        lines.append("")
    return "\n".join(lines) + "\n"


GOLD, PUBLIC = text(), text(unlabelled=True)
TASK = """
title = "NER 2027"
submissions = "submissions/{team}/{run}/{data}.conll"
match = ["fair", "exact"]
baselines = ["crf"]
start = 2027-02-01
image = "example.org/evenhand:1"

[[data]]
name = "english"
track = "closed"
gold = "gold/english.conll"
text = "public/english.conll"

[[data]]
name = "german"
track = "closed"
gold = "gold/german.conll"
text = "public/german.conll"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four teams with one run on two data sets, and a baseline."""
    monkeypatch.chdir(tmp_path)
    put("task.toml", TASK)
    for data in ("english", "german"):
        put(f"gold/{data}.conll", GOLD)
        put(f"public/{data}.conll", PUBLIC)
        for team, wrong in {"ann": (1,), "bo": (1, 2), "cy": tuple(range(12)), "crf": (1, 2, 3)}.items():
            put(f"submissions/{team}/run1/{data}.conll", text(*wrong))
    put("submissions/dan/run1/english.conll", text(4))
    return tmp_path


def put(path: str, content: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content)


def edit(old: str, new: str) -> None:
    task = Path("task.toml").read_text()
    assert old in task
    Path("task.toml").write_text(task.replace(old, new))


def board(**options: Any) -> eh.Leaderboard:
    return eh.leaderboard("task.toml", **{"resamples": 0, "trials": 0, **options})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def f1(missing: int) -> float:
    return 2 * (48 - missing) / (48 + 48 - missing)


def test_the_mean_is_that_of_scores_and_not_of_counts(folder: Path) -> None:
    put("gold/german.conll", GOLD * 3)
    for team in ("ann", "bo", "cy", "crf"):
        put(f"submissions/{team}/run1/german.conll", GOLD * 3)
    closed = board().tracks["closed"]
    means = {each.team: each.mean for each in closed.standings}
    assert means == {
        "ann": (f1(1) + 1) / 2,
        "bo": (f1(2) + 1) / 2,
        "crf": (f1(3) + 1) / 2,
        "cy": (f1(12) + 1) / 2,
        "dan": None,
    }


def test_baselines_and_teams_without_a_data_set_have_no_rank(folder: Path) -> None:
    standings = board().tracks["closed"].standings
    assert [(each.team, each.rank) for each in standings] == [
        ("ann", 1),
        ("bo", 2),
        ("crf", None),
        ("cy", 3),
        ("dan", None),
    ]
    assert standings[-1].scores == {"english": f1(1), "german": None}
    assert board().rankings["english"]["fair"]["dan"].rank == 1  # ranked where it took part


def test_a_missing_data_set_scores_0_if_the_rules_say_so(folder: Path) -> None:
    edit('title = "NER 2027"', 'title = "NER 2027"\nmissing = "zero"')
    made = board()
    assert {each.team: each.mean for each in made.tracks["closed"].standings}["dan"] == f1(1) / 2
    assert "|missing:zero|" in made.signature


def test_teams_with_equal_means_share_a_rank(folder: Path) -> None:
    for data in ("english", "german"):
        put(f"submissions/eve/run1/{data}.conll", text(5))
    ranks = {each.team: each.rank for each in board().tracks["closed"].standings}
    assert (ranks["ann"], ranks["eve"], ranks["bo"]) == (1, 1, 3)


def test_documents_are_resampled_within_each_data_set(folder: Path) -> None:
    """The interval of the mean is that of means of independent resamples of both data sets."""
    made = board(resamples=500)
    parts = [
        eh.rank(f"gold/{data}.conll", {"bo": f"submissions/bo/run1/{data}.conll"}, match="fair", resamples=500)
        for data in ("english", "german")
    ]
    standing = next(each for each in made.tracks["closed"].standings if each.team == "bo")
    assert standing.interval is not None
    single = parts[0]["fair"]["bo"].interval
    assert single is not None
    assert made.rankings["english"]["fair"]["bo"].interval == single  # the first data set has the same draws
    assert standing.interval[1] - standing.interval[0] < single[1] - single[0]
    assert interval(np.array([0.1, 0.3]), 0.95)[0] < 0.3


def test_clusters_by_the_mean(folder: Path) -> None:
    made = board(resamples=100, trials=None)
    letters = {each.team: each.cluster for each in made.tracks["closed"].standings}
    assert letters == {"ann": "A", "bo": "A", "crf": None, "cy": "B", "dan": None}


def test_each_track_has_its_own_measures_and_standings(folder: Path) -> None:
    edit(
        'track = "closed"\ngold = "gold/german.conll"', 'track = "open"\nmatch = ["exact"]\ngold = "gold/german.conll"'
    )
    tracks = board().tracks
    assert {name: dict(track.measures) for name, track in tracks.items()} == {
        "closed": {"english": "fair"},
        "open": {"german": "exact"},
    }
    assert [each.team for each in tracks["open"].standings] == ["ann", "bo", "crf", "cy"]


# Runs


@pytest.mark.parametrize(
    ("runs", "shown"), [("all", ["run1", "run2", "run10"]), ("run2", ["run2"]), ("best", ["run1"]), ("last", ["run10"])]
)
def test_which_run_counts(folder: Path, runs: str, shown: list[str]) -> None:
    for data in ("english", "german"):
        put(f"submissions/ann/run2/{data}.conll", text(1, 2, 3))
        put(f"submissions/ann/run10/{data}.conll", text(1, 2, 3, 4))
        for team in ("bo", "cy"):
            put(f"submissions/{team}/run2/{data}.conll", text(1, 2, 3))
    edit('title = "NER 2027"', f'title = "NER 2027"\nruns = "{runs}"')
    made = board()
    assert [each.run for each in made.tracks["closed"].standings if each.team == "ann"] == shown
    warning = "Choosing the best of 3 runs on the test data favours teams with many runs."
    assert (warning in made.notes) == (runs == "best")


def test_the_last_run_is_that_with_the_last_date(folder: Path) -> None:
    edit('title = "NER 2027"', 'title = "NER 2027"\nruns = "last"')
    for data in ("english", "german"):
        put(f"submissions/ann/zero/{data}.conll", text(1, 2, 3))
    record(board(team="ann", date="2027-03-02T00:00:00Z"), "history.jsonl")
    lines = [json.loads(line) for line in Path("history.jsonl").read_text().splitlines()]
    for line in lines:
        line["date"] = "2027-03-01T00:00:00Z" if line["run"] == "zero" else line["date"]
    Path("history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = board(history="history.jsonl")
    assert next(each.run for each in made.tracks["closed"].standings if each.team == "ann") == "run1"


# Files


def test_archives_and_two_candidates(folder: Path) -> None:
    edit("{team}/{run}/{data}.conll", "{team}.zip!/{data}.conll")
    with zipfile.ZipFile("submissions/eve.zip", "w") as archive:
        archive.writestr("out/english.conll", GOLD)
        archive.writestr("out/german.conll", GOLD)
    with zipfile.ZipFile("submissions/team3.zip", "w") as archive:
        archive.writestr("a/english.conll", GOLD)
        archive.writestr("b/english.conll", GOLD)
    edit('baselines = ["crf"]\n', "")
    made = board()
    assert [each.team for each in made.tracks["closed"].standings] == ["eve"]
    problem = "expected one file for 'english', got a/english.conll and b/english.conll. Keep only one."
    assert made.skipped == [
        {"name": "team3", "file": "submissions/team3.zip", "line": None, "problem": problem, "data": "english"}
    ]
    result = run("rank", "--task-file", "task.toml")
    assert result.exit_code == 2
    assert f"submissions/team3.zip: {problem} Use --skip-broken to skip it." in result.stderr
    assert run("rank", "--task-file", "task.toml", "--skip-broken").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{team}/{run}", "*/{run}", "needs {team}"),
        ("{data}.conll", "x.conll", "needs {data} because there are 2 data sets"),
        ("{run}", "{year}", "needs {team}, and may have {run}, {data} and *"),
        ("submissions/", "nothing/", "no file matches the pattern"),
        ('["crf"]', '["crg"]', "Unknown team 'crg'; choose one of ann, bo, crf, cy, dan."),
        ('"german"', '"english"', "two data sets called 'english'"),
        ("start", "begin", "has the unknown key 'begin'"),
        ('["fair", "exact"]', "3", "has the wrong kind of value for match"),
    ],
)
def test_defects_of_a_task_file(folder: Path, old: str, new: str, message: str) -> None:
    edit(old, new)
    with pytest.raises(eh.SettingError) as caught:
        shared_task("task.toml")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--match", "exact"),
        ("rank", "--map", "PER=X"),
        ("check", "--labels", "PER"),
        ("report", "--team", "ann", "--by", "exact", "-o", "page.html"),
    ],
)
def test_options_of_the_task_file_are_refused(folder: Path, arguments: tuple[str, ...]) -> None:
    result = run(arguments[0], "--task-file", "task.toml", *arguments[1:])
    assert result.exit_code == 2
    option = next(word for word in arguments if word in ("--match", "--map", "--labels", "--by"))
    assert f"{option} has no effect with a --task-file; set it in that file" in result.stderr


def test_all_broken_is_exit_status_1(folder: Path) -> None:
    for path in Path("submissions").rglob("*.conll"):
        path.write_text("x O\n")
    result = run("rank", "--task-file", "task.toml", "--skip-broken")
    assert (result.exit_code, result.stdout) == (1, "")


def test_submissions_by_a_pattern(folder: Path) -> None:
    result = run(
        "rank",
        "gold/english.conll",
        "--submissions",
        "submissions/{team}/{run}/english.conll",
        "--as",
        "json",
        "--resamples",
        0,
    )
    assert [each["name"] for each in json.loads(result.stdout)["systems"]] == ["ann", "dan", "bo", "crf", "cy"]
    put("submissions/ann/run2/english.conll", GOLD)
    pattern = f"{folder}/submissions/{{team}}/{{run}}/english.conll"
    result = run("score", "gold/english.conll", "--submissions", pattern, "--as", "json", "-q")
    assert [each["name"] for each in json.loads(result.stdout)["systems"]][:2] == ["ann/run1", "ann/run2"]
    assert run("check", "--submissions", pattern).exit_code == 0
    assert run("rank", "gold/english.conll", "--submissions", "nothing/{team}").exit_code == 2


# Check


def test_check_of_everything(folder: Path) -> None:
    put("submissions/dan/run1/english.conll", GOLD.replace("B-LOC", "B-company").replace("B-ORG", "B-ORGG"))
    put("submissions/eve/run1/english.conll", PUBLIC)
    put("submissions/fay/run1/english.conll", GOLD.replace("-PER", "-X").replace("-LOC", "-Y").replace("-ORG", "-Z"))
    put("submissions/gus/run1/english.conll", text(1))
    put("submissions/ann/run2/english.conll", text(1))
    put(
        "submissions/hal/run1/english.conll",
        "\n".join(
            f"{line.split()[0]} B-PER" if line.strip() and "DOC" not in line else line for line in GOLD.split("\n")
        ),
    )
    put("submissions/readme.txt", "hello")
    result = run("check", "--task-file", "task.toml")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    expected = "expected one of the labels PER, LOC, ORG, got"
    rename = "If it is another name for one of them, rename it with --map system:"
    assert (
        f"submissions/dan/run1/english.conll: warning: {expected} 'company' (12 spans). {rename}company=LOC." in lines
    )
    assert f"submissions/dan/run1/english.conll: warning: {expected} 'ORGG' (12 spans). {rename}ORGG=ORG." in lines
    for start in (
        "submissions/eve/run1/english.conll: warning: has no predictions.",
        "submissions/fay/run1/english.conll: error: expected labels such as PER, LOC, ORG, got only others ('X', 'Y', 'Z').",
        "submissions/gus/run1/english.conll: warning: is identical to a file of the team ann.",
        "submissions/ann/run2/english.conll: warning: is identical to the earlier run run1.",
        "submissions/hal/run1/english.conll: warning: every token has the label 'PER'.",
        "submissions/readme.txt: does not match the pattern of submissions.",
        "submissions/bo/run1/german.conll: ok",
    ):
        assert any(line.startswith(start) for line in lines), start
    table = {line.split()[0]: line.split()[1:] for line in lines[-10:] if line}
    assert table["fay/run1"] == ["errors", "absent"]
    assert table["eve/run1"] == ["warnings", "absent"]
    assert table["bo/run1"] == ["ok", "ok"]


def test_what_a_team_sees_has_no_gold_labels(folder: Path) -> None:
    """The label of the same spans is a suggestion for organisers; teams get the most similar name."""
    put("submissions/dan/run1/english.conll", GOLD.replace("B-LOC", "B-company"))
    own = run("check", "--task-file", "task.toml", "--team", "dan").stdout
    assert "rename it with --map." in own
    assert "company=LOC" not in own
    assert "gold/" not in own


def test_what_a_team_sees_has_no_other_team(folder: Path) -> None:
    """Only organisers learn which files are copies of another team's or of the gold standard."""
    put("submissions/gus/run1/english.conll", text(1))
    put("submissions/hal/run1/english.conll", GOLD)
    everything = run("check", "--task-file", "task.toml").stdout
    assert "gus/run1/english.conll: warning: is identical to a file of the team ann" in everything
    assert "hal/run1/english.conll: warning: is identical to the gold standard" in everything
    for team in ("gus", "hal"):
        own = run("check", "--task-file", "task.toml", "--team", team).stdout
        assert f"submissions/{team}/run1/english.conll: ok" in own


def test_check_of_labels_without_a_task_file(folder: Path) -> None:
    put("lab.conll", GOLD.replace("-PER", "-XYZ").replace("-LOC", "-XYZ").replace("-ORG", "-XYZ"))
    result = run("check", "lab.conll", "--against", "gold/english.conll")
    assert result.exit_code == 1
    assert "error: expected labels such as PER, LOC, ORG, got only others ('XYZ')" in result.stdout
    assert run("check", "gold/english.conll", "--labels", "PER,LOC").exit_code == 0
    assert (
        "warning: expected one of the labels PER, LOC, got 'ORG'"
        in run("check", "gold/english.conll", "--labels", "PER,LOC").stdout
    )


# History


def test_the_history_is_append_only(folder: Path) -> None:
    first = (
        "score",
        "--task-file",
        "task.toml",
        "--history",
        "h.jsonl",
        "--date",
        "2027-03-01T14:02:11Z",
        "--skip-broken",
    )
    assert "h.jsonl: 9 new lines." in run(*first).stderr
    before = Path("h.jsonl").read_bytes()
    assert "h.jsonl: 0 new lines." in run(*first).stderr
    put("submissions/ann/run1/english.conll", text())
    assert "h.jsonl: 1 new line." in run(*first).stderr
    assert Path("h.jsonl").read_bytes().startswith(before)
    line = json.loads(before.splitlines()[0])
    assert list(line) == [
        *(
            "date",
            "team",
            "run",
            "data",
            "track",
            "status",
            "scores",
            "counts",
            "signature",
            "evenhand",
            "input",
            "gold",
        ),
        *("file", "problem"),
    ]
    assert (line["team"], line["status"], line["date"]) == ("ann", "scored", "2027-03-01T14:02:11Z")
    assert line["scores"]["exact"] == f1(1)
    assert line["counts"]["exact"] == [47, 0, 1]
    assert line["file"] == "submissions/ann/run1/english.conll"


def test_broken_submissions_are_recorded(folder: Path) -> None:
    put("submissions/bo/run1/english.conll", "x O\n")
    made = board()
    record(made, "h.jsonl")
    line = next(line for line in read_history("h.jsonl").lines if (line.team, line.data) == ("bo", "english"))
    assert (line.status, line.scores, line.signature) == ("broken", {}, None)
    assert line.problem is not None
    assert (
        line.problem.startswith("submissions/bo/run1/english.conll:1: found the token 'x'")
        or "found the token" in line.problem
    )


def test_an_incomplete_last_line_is_reported_and_ignored(folder: Path) -> None:
    made = board()
    record(made, "h.jsonl")
    whole = Path("h.jsonl").read_bytes()
    Path("h.jsonl").write_bytes(whole[:-40])
    history = read_history("h.jsonl")
    assert len(history.lines) == 8
    assert history.notes == ("h.jsonl:9: the line is incomplete and was ignored.",)
    assert len(record(made, "h.jsonl")) == 1
    assert len(read_history("h.jsonl").lines) == 9
    Path("h.jsonl").write_bytes(b'{"date":3}\n' + whole)
    with pytest.raises(eh.InputError, match=r"h\.jsonl:1: is not a line of a history"):
        read_history("h.jsonl")


def test_a_withdrawn_submission_is_not_on_the_board(folder: Path) -> None:
    made = board()
    record(made, "h.jsonl")
    arguments = ("score", "--task-file", "task.toml", "--history", "h.jsonl", "--skip-broken")
    assert run(*arguments, "--withdraw", "ann").exit_code == 0
    later = board(history="h.jsonl")
    assert "ann" not in {each.team for each in later.tracks["closed"].standings}
    assert "2 submissions are withdrawn." in later.notes
    assert len(read_history("h.jsonl").lines) == 11  # nothing is deleted
    assert run(*arguments, "--withdraw", "zoe").exit_code == 2


def test_another_gold_standard_is_noted_until_rescored(folder: Path) -> None:
    record(board(date="2027-02-20T00:00:00Z"), "h.jsonl")
    put("gold/english.conll", GOLD.replace("Rome B-LOC", "Rome B-ORG"))
    note = "5 submissions were scored with a different gold standard (2027-02-20). Score them again with --rescore."
    made = board(history="h.jsonl")
    assert note in made.notes
    assert record(made, "h.jsonl") == []
    assert len(record(made, "h.jsonl", rescore=True)) == 5
    assert note not in board(history="h.jsonl").notes


def test_another_numbers_version_is_noted(folder: Path) -> None:
    """Figures of different numbers versions are not mixed silently."""
    record(board(date="2027-02-20T00:00:00Z"), "h.jsonl")
    path = Path("h.jsonl")
    path.write_text(path.read_text().replace("|numbers:1|", "|numbers:2|"))
    made = board(history="h.jsonl")
    assert [note for note in made.notes if "2027-02-20" in note] == [
        "9 submissions were scored with different settings (2027-02-20). Score them again with --rescore."
    ]
    assert len(record(made, "h.jsonl")) == 9


def test_processes_that_append_at_once(folder: Path) -> None:
    code = "from evenhand.api.shared_task import *; record(leaderboard('task.toml', resamples=0, trials=0), 'h.jsonl')"
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(read_history("h.jsonl").lines) == 9


# Pages


def files_of(folder: str) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
    }


def test_the_pages_of_a_leaderboard(folder: Path) -> None:
    put("submissions/=cmd|x/run1/english.conll", text(5))
    arguments = ("leaderboard", "--task-file", "task.toml", "--resamples", 100, "-q")
    assert run(*arguments, "-o", "board").exit_code == 0
    first = files_of("board")
    assert {"index.html", "english.html", "german.html", "about.html", "board.json", "board.csv", "history.csv"} <= {
        *first
    }
    assert "systems/cmd-x.html" in first
    index = first["index.html"].decode()
    assert index.index(">ann<") < index.index(">bo<") < index.index(">cy<") < index.index(">dan<")
    assert 'aria-sort="ascending"' in index
    assert "http" not in index.replace("http-equiv", "")
    rows = list(csv.DictReader(first["board.csv"].decode().splitlines()))
    assert [row["team"] for row in rows][:2] == ["ann", "bo"]
    assert "'=cmd|x" in {row["team"] for row in rows}
    data = json.loads(first["board.json"])
    english = eh.rank("gold/english.conll", {"ann": "submissions/ann/run1/english.conll"}, resamples=0).to_dict()
    assert english.keys() - {"evenhand"} <= data["data_sets"]["english"].keys()
    assert data["tracks"]["closed"][0]["mean"] == f1(1)
    assert run(*arguments, "-o", "other").exit_code == 0
    assert files_of("other") == first


def test_intervals_of_baselines_are_on_all_pages(folder: Path) -> None:
    run("leaderboard", "--task-file", "task.toml", "-o", "board", "--resamples", "100", "--trials", "100", "-q")
    for page in ("index.html", "english.html", "systems/crf.html"):
        rows = [row for row in Path("board", page).read_text().split("<tr") if ">96.77<" in row]
        assert rows
        assert all(re.search(r"\d\d\.\d–\d\d", row) for row in rows)


def test_the_same_input_gives_the_same_bytes(folder: Path) -> None:
    record(board(date="2027-03-01T00:00:00Z"), "h.jsonl")
    arguments = ("leaderboard", "--task-file", "task.toml", "--resamples", 100, "--history", "h.jsonl", "-q")
    for name in ("one", "two", "two"):
        assert run(*arguments, "-o", name).exit_code == 0
    assert files_of("one") == files_of("two")
    others = [board(history="h.jsonl", date=f"2027-03-0{day}T00:00:00Z").to_json() for day in (1, 2)]
    assert others[0] == others[1]


def test_a_board_is_replaced_as_a_whole_and_other_folders_are_refused(folder: Path) -> None:
    arguments = ("leaderboard", "--task-file", "task.toml", "--resamples", 0, "-q", "-o")
    assert run(*arguments, "board").exit_code == 0
    put("board/systems/old.html", "gone")
    assert run(*arguments, "board").exit_code == 0
    assert not Path("board/systems/old.html").exists()
    result = run(*arguments, "gold")
    assert result.exit_code == 2
    assert "is a folder with other files (it has no board.json), which would be deleted" in result.stderr
    assert Path("gold/english.conll").read_text() == GOLD
    assert not [path for path in Path().iterdir() if path.name.startswith(".evenhand")]


def test_names_are_escaped(folder: Path) -> None:
    edit('title = "NER 2027"', 'title = "<script>alert(1)</script>"')
    put("submissions/<b>x/run1/english.conll", text(5))
    assert run("leaderboard", "--task-file", "task.toml", "--resamples", 0, "-q", "-o", "board").exit_code == 0
    for page in Path("board").rglob("*.html"):
        assert "<script>alert" not in page.read_text()
        assert "<b>x" not in page.read_text()


def test_feedback_never_shows_gold(folder: Path) -> None:
    """Neither the tags of the gold standard, nor a token beside a label, nor names of other teams."""
    put("submissions/ann/run2/english.conll", text(3, 4).replace("Bo B-PER", "Bo B-LOC"))
    put("submissions/ann/run3/english.conll", GOLD.replace("saw O", "sees O"))
    assert run("report", "--task-file", "task.toml", "--team", "ann", "-o", "ann.html", "-q").exit_code == 0
    page = Path("ann.html").read_text()
    for word in ("B-PER", "B-LOC", "B-ORG", *(word for word in WORDS if word.istitle()), "gold/"):
        assert f">{word}" not in page
        assert f" {word} " not in page
        assert f"'{word}'" not in page
    assert "text/plain" not in page  # the packed units of other pages
    for other in ("bo", "cy", "dan"):
        assert f">{other}<" not in page
        assert f">{other}/run1<" not in page
    assert ">best<" in page
    assert ">median<" in page
    assert ">best baseline<" in page
    assert "public/english.conll" in page  # why run3 is not scored, in terms of the public text


def test_full_feedback_has_units(folder: Path) -> None:
    edit('title = "NER 2027"', 'title = "NER 2027"\nfeedback = "full"')
    arguments = ("report", "--task-file", "task.toml", "--team", "ann", "-o", "ann.html", "-q")
    result = run(*arguments)
    assert result.exit_code == 2
    assert "several data sets (english, german); choose one with --data, or let -o name a folder" in result.stderr
    assert run(*arguments, "--data", "english").exit_code == 0
    assert 'id="data"' in Path("ann.html").read_text()


def test_a_page_for_each_data_set(folder: Path) -> None:
    result = run("report", "--task-file", "task.toml", "-o", "pages")
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in Path("pages").iterdir()) == ["english.html", "german.html"]
    assert "<title>NER 2027: german" in Path("pages/german.html").read_text()
    result = run("report", "--task-file", "task.toml", "--data", "german", "--title", "Test", "-o", "german.html", "-q")
    assert (result.exit_code, "<title>Test" in Path("german.html").read_text()) == (0, True)


def test_a_comparison_for_each_data_set(folder: Path) -> None:
    arguments = ("compare", "--task-file", "task.toml", "--by", "exact", "--trials", "100")
    printed = run(*arguments).stdout
    assert [line for line in printed.splitlines() if line.startswith("# ")] == ["# english", "# german"]
    saved = json.loads(run(*arguments, "--as", "json").stdout)["data_sets"]
    assert {name: (each["by"], len(each["systems"])) for name, each in saved.items()} == {
        "english": ("exact", 5),
        "german": ("exact", 4),
    }
    assert json.loads(run(*arguments, "--data", "german", "--as", "json").stdout) == saved["german"]
    result = run(*arguments, "--as", "csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Several data sets are written as text, markdown or json; choose one of the data sets" in result.stderr


def test_data_sets_with_one_run_of_a_team_are_not_compared(folder: Path) -> None:
    put("submissions/ann/run2/german.conll", text(2))
    result = run("compare", "--task-file", "task.toml", "--team", "ann", "--trials", "100")
    assert result.exit_code == 0
    assert "# " not in result.stdout
    assert "Note: left out: english has 1 system, but 2 are needed." in result.stderr
    result = run("compare", "--task-file", "task.toml", "--team", "bo")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "english has 1 system, but 2 are needed. german has 1 system, but 2 are needed." in result.stderr


# Bundles


def unpacked(platform: str) -> Path:
    result = run("bundle", "--task-file", "task.toml", "--for", platform, "-o", f"{platform}.zip", "-q")
    assert result.exit_code == 0, result.stderr
    with zipfile.ZipFile(f"{platform}.zip") as archive:
        archive.extractall(platform)
    return Path(platform)


def scored(bundle: Path, **files: str) -> subprocess.CompletedProcess[str]:
    """The scoring program of Codabench, run as in its container."""
    for name, content in files.items():
        put(f"app/input/res/{name}", content)
    for path in (bundle / "reference_data").iterdir():
        put(f"app/input/ref/{path.name}", path.read_text())
    program = bundle.resolve() / "scoring_program" / "score.py"
    folder = Path("app").resolve()
    command = [sys.executable, str(program), str(folder / "input"), str(folder / "output")]
    return subprocess.run(command, capture_output=True, text=True, cwd=program.parent, check=False)


def test_the_bundle_of_codabench_scores_a_submission(folder: Path) -> None:
    bundle = unpacked("codabench")
    result = scored(bundle, **{"run/english.conll": text(1), "run/german.conll": text(1, 2)})
    assert (result.returncode, result.stderr) == (0, "")
    scores = json.loads(Path("app/output/scores.json").read_text())
    assert scores == pytest.approx(
        {
            "mean": 50 * (f1(1) + f1(2)),
            "fair_english": 100 * f1(1),
            "exact_english": 100 * f1(1),
            "fair_german": 100 * f1(2),
            "exact_german": 100 * f1(2),
        }
    )
    config = (bundle / "competition.yaml").read_text()
    keys = [line.split('"')[1] for line in config.splitlines() if line.strip().startswith("key:")]
    assert keys == ["main", *["mean", "fair_english", "exact_english", "fair_german", "exact_german"]]
    assert "\nleaderboards:\n" in config
    assert "B-PER" not in Path("app/output/detailed_results.html").read_text()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"english.conll": "x O\n"}, "english.conll:1: found the token 'x'"),
        (
            {"a/english.conll": GOLD, "b/english.conll": GOLD},
            "Expected one file for 'english', got a/english.conll and b/",
        ),
        ({"other.conll": GOLD}, "Expected english.conll, german.conll, got other.conll."),
    ],
)
def test_problems_in_codabench_are_one_line(folder: Path, files: dict[str, str], message: str) -> None:
    result = scored(unpacked("codabench"), **files)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert not Path("app/output/scores.json").exists()


def test_codabench_needs_an_image_and_a_start(folder: Path) -> None:
    edit('image = "example.org/evenhand:1"\n', "")
    result = run("bundle", "--task-file", "task.toml", "-o", "x.zip")
    assert (result.exit_code, "needs a docker image" in result.stderr) == (2, True)


def test_equal_tasks_have_equal_bundles(folder: Path) -> None:
    for name in ("one.zip", "two.zip"):
        assert run("bundle", "--task-file", "task.toml", "-o", name, "-q").exit_code == 0
    assert Path("one.zip").read_bytes() == Path("two.zip").read_bytes()


def test_the_script_of_evalai(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = unpacked("evalai")
    code = "import json, evaluation_script as e; print(json.dumps(e.evaluate('annotations/english.conll', '../system', 'english')))"
    put("system", text(1))
    result = subprocess.run([sys.executable, "-c", code], cwd=bundle, capture_output=True, text=True, check=True)
    (split,) = json.loads(result.stdout)["result"]
    assert split == {"english": pytest.approx({"fair": 100 * f1(1), "exact": 100 * f1(1)})}
    put("system", "x O\n")
    failed = subprocess.run([sys.executable, "-c", code], cwd=bundle, capture_output=True, text=True, check=False)
    assert "InputError" in failed.stderr


def test_the_metric_of_kaggle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    Path("task.toml").write_text(TASK[: TASK.rindex("[[data]]")])
    bundle = unpacked("kaggle")
    monkeypatch.syspath_prepend(str(bundle))
    import metric  # type: ignore[import-not-found]

    solution = pd.read_csv(bundle / "solution.csv")
    assert len(solution) == DOCUMENTS
    assert metric.score(solution, solution, "id") == 1.0
    assert metric.score(solution, pd.read_csv(bundle / "sample_submission.csv"), "id") == 0.0
    half = solution.copy()
    half.loc[0, "spans"] = json.dumps(json.loads(half.loc[0, "spans"])[1:])
    assert metric.score(solution, half, "id") == pytest.approx(f1(1))
    assert metric.score(solution[:6], half, "id") == pytest.approx(2 * 23 / (24 + 23))  # a split of the documents
    for wrong, message in (
        (solution[1:], "The row '1' is missing"),
        (solution.drop(columns="spans"), "The column 'spans' is missing"),
        (solution.assign(spans="nothing"), 'expected JSON such as [["PER", 0, 2]]'),
    ):
        with pytest.raises(metric.ParticipantVisibleError) as caught:
            metric.score(solution, wrong, "id")
        assert message in str(caught.value)


# Windows, simulated


class Msvcrt(ModuleType):
    """The locks of Windows: a locked byte of a file, which is refused after ten seconds."""

    LK_LOCK, LK_UNLCK = 1, 0

    def __init__(self, busy: int) -> None:
        super().__init__("msvcrt")
        self.busy, self.calls = busy, list[tuple[int, int, int]]()

    def locking(self, descriptor: int, mode: int, number: int) -> None:
        self.calls.append((mode, os.lseek(descriptor, 0, os.SEEK_CUR), number))
        if mode == self.LK_LOCK and len(self.calls) <= self.busy:
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")


@pytest.mark.parametrize("busy", [0, 2])
def test_the_history_is_locked_after_its_end_on_windows(
    folder: Path, busy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked bytes cannot be read there, and the history is read under the lock."""
    record(board(date="2027-03-01T00:00:00Z"), "posix.jsonl")
    locks, byte = Msvcrt(busy), 2**31 - 2
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    for date in ("2027-03-01T00:00:00Z", "2027-03-02T00:00:00Z"):
        record(board(date=date), "windows.jsonl")
    assert locks.calls[: busy + 2] == [*[(1, byte, 1)] * (busy + 1), (0, byte, 1)]
    assert locks.calls[busy + 2 :] == [(1, byte, 1), (0, byte, 1)]
    assert Path("windows.jsonl").read_bytes() == Path("posix.jsonl").read_bytes()


def test_a_history_that_cannot_be_locked_on_windows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks = Msvcrt(0)

    def refuse(*_: int) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(locks, "locking", refuse)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    with pytest.raises(eh.InputError, match=r"h\.jsonl: cannot be written \(permission denied\)"):
        record(board(), "h.jsonl")


def test_pages_have_names_that_windows_allows() -> None:
    assert slugs(["CON", "con-2", "nul.x", "Con"]) == {
        "CON": "con-2",
        "con-2": "con-2-2",
        "nul.x": "nul-x",
        "Con": "con-3",
    }


@pytest.mark.parametrize(
    ("pattern", "folder", "below"),
    [
        ("C:\\runs\\{team}\\*.conll", "C:\\", "runs/{team}/*.conll"),
        ("runs\\{team}\\*.conll", ".", "runs/{team}/*.conll"),
    ],
)
def test_patterns_of_submissions_on_windows(
    pattern: str, folder: str, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[tuple[str, str]] = []

    def find(path: PureWindowsPath, pattern: str, data: object) -> tuple[list[object], list[str]]:
        searched.append((str(path.parent), pattern))
        return [], []

    monkeypatch.setattr(os, "sep", "\\")
    monkeypatch.setattr(tasks, "Path", PureWindowsPath)
    monkeypatch.setattr(tasks, "find_submissions", find)
    with pytest.raises(eh.EvenhandError, match="No file matches the pattern"):
        submissions_by_name(pattern)
    assert searched == [(folder, below)]
