"""Colours on a terminal: the best scores are bold, significant differences green or red; nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import EXAMPLE
from evenhand.cli import main
from terminals import on_a_terminal

GOLD, CRF, TAGGER = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
BOLD, GREEN, RED, NORMAL = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"
COMPARE = ("compare", GOLD, CRF, TAGGER, "-q")


def output(*arguments: object, **environment: str) -> str:
    """What a command prints into a pipe."""
    return CliRunner(env=environment).invoke(main, [*map(str, arguments)], catch_exceptions=False).stdout


def test_the_best_score_is_bold_and_a_significant_gain_green() -> None:
    shown = on_a_terminal(200, *COMPARE)
    assert f"tagger  {BOLD}91.01{NORMAL}\n" in shown
    assert "crf     76.50\n" in shown
    assert f"{GREEN}+14.52**{NORMAL}" in shown
    assert "** p < 0.01" in " ".join(shown.split())


def test_a_significant_loss_is_red() -> None:
    shown = output("compare", GOLD, TAGGER, CRF, "-q", FORCE_COLOR="1")
    assert f"{RED}-14.52**{NORMAL}" in shown


@pytest.mark.parametrize(
    "settings", [{"NO_COLOR": "1"}, {"TERM": "dumb", "FORCE_COLOR": "0"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}]
)
def test_terminals_without_colours(settings: dict[str, str]) -> None:
    shown = on_a_terminal(200, *COMPARE, **settings)
    assert "\x1b" not in shown
    assert "+14.52 " in shown


def test_pipes_and_files_have_none(tmp_path: Path) -> None:
    assert "\x1b" not in output(*COMPARE)
    assert output(*COMPARE, "-o", tmp_path / "out.txt", FORCE_COLOR="1") == ""
    assert "\x1b" not in (tmp_path / "out.txt").read_text()


def test_columns_are_aligned_as_without_colours() -> None:
    coloured = output(*COMPARE, FORCE_COLOR="1")
    for look in (BOLD, GREEN, RED, NORMAL):
        coloured = coloured.replace(look, "")
    table = [line.split() for line in output(*COMPARE).splitlines()[2:6]]
    assert [line.split() for line in coloured.splitlines()[2:6]] == table


def test_commands_in_data_stay_visible(tmp_path: Path) -> None:
    for name, tag in (("gold", "B-\x1b[31mPER"), ("a", "B-\x1b[31mPER"), ("b", "O")):
        (tmp_path / f"{name}.conll").write_text(f"Ada\t{tag}\nran\tO\n")
    files = [tmp_path / f"{name}.conll" for name in ("gold", "a", "b")]
    shown = output("score", *files, "-q", FORCE_COLOR="1")
    assert "\\x1b[31mPER" in shown
    assert f"{BOLD}100.00{NORMAL}" in shown
    assert RED not in shown
