"""`evenhand cite` and `eh.cite`."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main


def keys(text: str) -> list[str]:
    return [line.partition("{")[2].rstrip(",") for line in text.splitlines() if line.startswith("@")]


def test_the_papers_behind_match_models_are_printed() -> None:
    found = CliRunner().invoke(main, ["cite", "--match", "fair,b3"])
    assert found.exit_code == 0
    assert found.output.startswith("% fair (spans): Ortmann 2022\n% b_cubed (chains): Bagga and Baldwin 1998")
    assert keys(found.output)[:3] == ["evenhand", "ortmann2022", "bagga1998"]


def test_without_match_models_evenhand_itself_is_printed() -> None:
    assert keys(eh.cite()) == ["evenhand"]
    assert f"version = {{{eh.__version__}}}" in eh.cite()


def test_an_entry_is_printed_once() -> None:
    assert keys(eh.cite("semeval-strict, semeval-type")) == ["evenhand", "chinchor1993", "segurabedmar2013"]


def test_the_task_is_chosen() -> None:
    assert "% strict (relations): " in eh.cite("strict", task="relations")
    assert "% exact (spans): " in eh.cite("strict")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--match", "fiar"], "match is 'fiar', which is no match model; did you mean fair? See evenhand models."),
        (
            ["--match", "lea", "--task", "tags"],
            "match is 'lea', which is no match model of tags; it is a model of chains",
        ),
    ],
    ids=["unknown", "of another task"],
)
def test_unknown_names_are_refused(options: list[str], sentence: str) -> None:
    found = CliRunner().invoke(main, ["cite", *options])
    assert (found.exit_code, found.stderr.startswith(f"evenhand: {sentence}")) == (2, True)


def test_the_package_is_a_command() -> None:
    found = subprocess.run([sys.executable, "-m", "evenhand", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"evenhand {eh.__version__}\n"
