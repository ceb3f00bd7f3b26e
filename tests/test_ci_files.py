"""What other projects name in their configuration: the action for GitHub, and the hook for pre-commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLE, ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
needs_bash = pytest.mark.skipif(
    shutil.which("bash") is None or sys.platform == "win32", reason="the steps of the action take a Unix bash"
)


@pytest.fixture
def act(tmp_path: Path):
    """Runs the last step of the action as GitHub does; Evenhand is the one of this environment."""
    tools = tmp_path / "evenhand" / "bin"
    tools.mkdir(parents=True)
    command = f'#!/bin/sh\nexec "{sys.executable}" -c "from evenhand.cli import main; main()" "$@"\n'
    (tools / "evenhand").write_text(command)
    (tools / "evenhand").chmod(0o755)
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))

    def run(**inputs: str) -> tuple[int, str, str, str]:
        """Exit status, standard output, outputs of the step, and its summary."""
        step = action["runs"]["steps"][-1]
        given = {name: each.get("default", "") for name, each in action["inputs"].items()} | inputs
        own = {name: given[re.fullmatch(r"\$\{\{ inputs\.(\w+) }}", value)[1]] for name, value in step["env"].items()}  # type: ignore[index]
        files = {name: tmp_path / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        environment = {**os.environ, **own, "RUNNER_TEMP": str(tmp_path), **{n: str(f) for n, f in files.items()}}
        bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        outcome: Any = subprocess.run(
            bash, check=False, env=environment, cwd=EXAMPLE, capture_output=True, encoding="utf-8"
        )
        return outcome.returncode, outcome.stdout, *(file.read_text(encoding="utf-8") for file in files.values())

    return run


@needs_bash
def test_the_action_passes_a_candidate_by_its_floor(act) -> None:
    status, log, outputs, summary = act(gold="gold.conll", candidate="crf.conll", arguments="--floor fair=0.7")
    assert (status, outputs) == (0, "passed=true\n")
    assert (
        log == "::notice title=evenhand gate%3A passed (crf)::fair is 0.7650 (76.50 %25); the floor is 0.7 (70 %25).\n"
    )
    assert summary.startswith("passed: crf on the gold standard gold\n\n| criterion |")


@needs_bash
def test_the_action_fails_a_candidate_that_is_worse_than_its_baseline(act) -> None:
    arguments = "--only --max-drop 0.5\n--floor 'PER:recall=0.9'\n--map 'MISC=OTHER THINGS'"
    sides = {"gold": "gold.conll", "baseline": "tagger.conll", "candidate": "crf.conll"}
    status, log, outputs, summary = act(**sides, arguments=arguments)
    assert (status, outputs) == (1, "passed=false\n")
    assert log.count("::error ") == 2
    assert "gold standard: OTHER THINGS" in log
    assert summary.startswith("failed: crf against tagger on the gold standard gold\n")


@needs_bash
def test_the_action_stops_at_what_it_cannot_read(act) -> None:
    assert act(gold="gold.conll", candidate="missing.conll", arguments="--floor f1=0")[::2] == (2, "")
    assert act(gold="gold.conll", candidate="crf.conll", arguments="--floor 'f1=0")[::2] == (1, "")
    status, log, outputs, _ = act(gold="gold.conll", candidate="crf.conll", arguments="--floor f1=$(echo 0)")
    assert (status, log, outputs) == (2, "", "")  # nothing in it is run


def test_the_hook_checks_the_files_that_it_names(tmp_path: Path) -> None:
    """pre-commit hands on the staged files whose names fit `files`."""
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert hook["language"] == "python"
    names = ["gold.conll", "trees.conllu", "notes.txt", "conll.py"]
    assert [name for name in names if re.search(hook["files"], name)] == names[:2]
    program, *arguments = hook["entry"].split()
    assert program == "evenhand"
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments]
    (tmp_path / "broken.conll").write_text("Ada\tB-PER\nwrote\n")
    for file, status in {EXAMPLE / "gold.conll": 0, tmp_path / "broken.conll": 1}.items():
        assert subprocess.run([*command, str(file)], check=False, capture_output=True).returncode == status


# The workflows of this repository

WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
USES = re.compile(r"^ +(?:- )?uses: (\S+?)(?:@(\S+))?(?: # (v[\d.]+))?$", re.MULTILINE)
WRITES = {
    ("release.yml", "publish"): {"id-token"},
    ("release.yml", "release"): {"contents"},
    ("release.yml", "deploy"): {"id-token", "pages"},
}
"""Jobs that may write something, and what; all others only read."""


def test_workflows_pin_each_action_by_one_hash() -> None:
    pins: dict[str, set[tuple[str, str]]] = {}
    for name, text in WORKFLOWS.items():
        uses = USES.findall(text)
        assert len(uses) == text.count("uses:"), name
        for action, pin, version in uses:
            if not action.startswith("./"):
                assert re.fullmatch("[0-9a-f]{40}", pin), f"{name}: {action}@{pin}"
                assert version, f"{name}: {action} lacks a comment with its version"
                pins.setdefault(action, set()).add((pin, version))
    assert pins.keys() > {"actions/checkout", "pypa/gh-action-pypi-publish"}
    assert {action: pinned for action, pinned in pins.items() if len(pinned) > 1} == {}


def test_only_jobs_that_publish_may_write() -> None:
    writes = {}
    for name, text in WORKFLOWS.items():
        workflow = yaml.safe_load(text)
        for job, each in workflow["jobs"].items():
            permissions = each.get("permissions", workflow["permissions"])
            assert set(permissions.values()) <= {"read", "write"}, f"{name}: {job}"
            if written := {scope for scope, access in permissions.items() if access == "write"}:
                writes[name, job] = written
    assert writes == WRITES


def test_workflows_run_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for name, text in WORKFLOWS.items():
        named = set(re.findall(r"run: make ([a-z-]+)", text))
        assert named, name
        assert named <= targets, name


def test_a_release_is_published_after_all_checks() -> None:
    release = yaml.safe_load(WORKFLOWS["release.yml"])
    jobs = release["jobs"]
    assert release[True]["push"].keys() == {"tags"}  # YAML reads the key `on` as true
    assert jobs["test"]["uses"] == "./.github/workflows/ci.yml"
    assert set(jobs["publish"]["needs"]) == {"test", "install", "site"}
    assert jobs["install"]["needs"] == "build"
    assert jobs["install"]["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert [jobs[job]["needs"] for job in ("release", "deploy")] == ["publish", "publish"]
    assert 'make release-check PYTHON=python TAG="$GITHUB_REF_NAME"' in WORKFLOWS["release.yml"]
