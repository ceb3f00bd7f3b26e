"""Completion in shells: what the tab key offers, asked of bash itself and by the protocols of zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import ROOT
from evenhand.cli import main

CODE = "import sys; from evenhand.cli import main; main(prog_name='evenhand')"


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """A command of this name on the path."""
    path = tmp_path / "evenhand"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{CODE}" "$@"\n')
    path.chmod(0o755)
    return path


def environment(command: Path, **further: str) -> dict[str, str]:
    paths = {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    return os.environ | paths | further


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("evenhand sc", ["score"]),
        ("evenhand score --mat", ["--match"]),
        ("evenhand score --match exact,fa", ["exact,fair"]),
        ("evenhand score --match=sem", ["semeval"]),
        ("evenhand score --task chains --match a", ["arcs"]),
        ("evenhand score --format gold:conllu", ["conllu"]),
        ("evenhand score --format con", ["conll2012", "conllu", "conllx", "conll2009", "conll"]),
        ("evenhand demo --task t", ["tags", "trees"]),
        ("evenhand compare --by la", ["labeled", "labeled-all", "las"]),
        ("evenhand plot c", ["calibration", "causes", "comparison", "confusion"]),
        ("evenhand completion z", ["zsh"]),
    ],
)
def test_bash_offers(command: Path, line: str, offered: list[str]) -> None:
    script = (
        'eval "$(evenhand completion bash)"; COMP_LINE=$1; COMP_POINT=${#1}; _evenhand_completion evenhand; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    outcome = subprocess.run(
        ["bash", "-c", script, "bash", line], capture_output=True, text=True, check=True, env=environment(command)
    )
    assert (sorted(outcome.stdout.split()), outcome.stderr) == (sorted(offered), "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_ask_in_their_own_ways(command: Path, shell: str) -> None:
    script = CliRunner().invoke(main, ["completion", shell]).stdout
    assert f"_EVENHAND_COMPLETE={shell}_complete" in script
    words = {"COMP_WORDS": "evenhand score --match fa", "COMP_CWORD": "3" if shell == "zsh" else "fa"}
    asked = environment(command, _EVENHAND_COMPLETE=f"{shell}_complete", **words)
    found = subprocess.run([command], capture_output=True, text=True, check=True, env=asked)
    assert found.stdout.split("\n")[:2] == (["plain", "fair"] if shell == "zsh" else ["plain,fair", ""])


def test_a_shell_that_there_is_not() -> None:
    result = CliRunner().invoke(main, ["completion", "bsh"], prog_name="evenhand")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "evenhand: shell is 'bsh'; did you mean bash? Choose one of bash, zsh, fish.\n"
