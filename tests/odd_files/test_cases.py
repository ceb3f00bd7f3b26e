"""Pairs of odd files: each gets its correct score, or one sentence and exit status 2.

A case is a JSON object in `cases/*.json`, or in the published data (`odd/cases.json`):

name      the oddity
gold      the content of the gold file; system: the content of the system file
goldname  the name of the gold file; sysname: the name of the system file
options   further arguments of `evenhand score`
want      the headline of the first measure, null if the pair must be refused
says      part of the error message, if it is refused, or of the notes
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evenhand.cli import main

HERE = Path(__file__).parent / "cases"
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted(HERE.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]


def check(case: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Score the pair of a case as a user would, and compare the outcome with the expected one."""
    monkeypatch.chdir(folder)
    gold, system = case.get("goldname", "gold.txt"), case.get("sysname", "system.txt")
    for name, content in ((gold, case["gold"]), (system, case["system"])):
        Path(name).write_bytes(content.encode())
    options = case.get("options", [])
    command = ["score", gold, system, "--as", "json", *options]
    measure = [] if {"--match", "--task"} & {*options} else ["--match", "exact"]
    done = CliRunner().invoke(main, [*command, *measure])
    if case["want"] is None:
        assert done.exit_code == 2, f"accepted: {done.stdout}"
        message = done.stderr.strip().splitlines()[-1]
        assert message.startswith("evenhand: ")
        assert case.get("says", "") in message
        return
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    (score, *_) = result["systems"][0]["scores"].values()
    assert score["headline"] == pytest.approx(case["want"], abs=1e-9)
    assert case.get("says", "") in "\n".join([*result["notes"], done.stderr])


@pytest.mark.parametrize("case", CASES)
def test_right_or_refused(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(case, tmp_path, monkeypatch)


def test_names_of_cases_are_unique() -> None:
    names = [case.id for case in CASES]
    assert len(set(names)) == len(names)


def test_samples_of_the_published_data(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = {}
    for case in json.loads((data / "odd" / "cases.json").read_text(encoding="utf-8")):
        if "note" in case:  # another figure than the headline: tests of links have it
            continue
        try:
            check(case, tmp_path, monkeypatch)
        except AssertionError as error:
            failures[case["name"]] = str(error).splitlines()[0]
    assert not failures
