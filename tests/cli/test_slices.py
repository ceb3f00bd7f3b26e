"""Slices on the command line: tables of metadata, names with bins, limits of a gate, errors of a slice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import EXAMPLE
from evenhand.cli import main

GOLD, CRF, TAGGER = (str(EXAMPLE / f"{name}.conll") for name in ("gold", "crf", "tagger"))


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "meta.csv"
    path.write_text("document,genre\n" + "".join(f"{n},{'news' if n % 2 else 'chat'}\n" for n in range(1, 9)))
    return str(path)


def run(*arguments: str, status: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == status, result.output
    return result.stdout, result.stderr


def test_tables_and_names_with_bins(table: str) -> None:
    out, _ = run("score", GOLD, CRF, "--slices", table, "--slice", "length=1,2,3+,document", "--as", "json")
    slices = json.loads(out)["systems"][0]["slices"]
    assert {name: list(pieces) for name, pieces in slices.items()} == {
        "length": ["1", "2", "3+"],
        "document": [str(number) for number in range(1, 9)],
        "genre": ["chat", "news"],
    }
    assert slices["genre"]["chat"]["units"] == 153
    assert slices["genre"]["chat"]["scores"]["exact"]["overall"]["TP"] == 98


@pytest.mark.parametrize("command", ["compare", "report"])
def test_other_commands(command: str, table: str, tmp_path: Path) -> None:
    output = str(tmp_path / ("x.html" if command == "report" else "x.txt"))
    run(command, GOLD, CRF, TAGGER, "--slices", table, "--trials", "0", "--resamples", "0", "-o", output)
    assert "slice: genre" in Path(output).read_text()


def test_a_gate_ends_with_its_status(table: str) -> None:
    options = ("--slices", table, "--floor")
    run("gate", GOLD, TAGGER, *options, "genre=chat/recall=0.8")
    run("gate", GOLD, CRF, *options, "genre=chat/recall=0.8", status=1)
    run("gate", GOLD, CRF, *options, "PER:genre=chat/exact.recall=90%", "--slice-min", "10", status=1)
    _, message = run("gate", GOLD, CRF, *options, "genre=chat/recall=0.8", "--slice-min", "200", status=2)
    assert message.endswith("evenhand: genre=chat: expected at least 200 units for a floor, got 153.\n")


def test_errors_of_a_slice(table: str) -> None:
    everything, chat, news = (
        run("errors", GOLD, CRF, "--slices", table, *options, "--as", "jsonl")[0].splitlines()
        for options in ((), ("--slice", "genre=chat"), ("--slice", "genre=news"))
    )
    assert len(chat) + len(news) == len(everything)
    assert {json.loads(line)["genre"] for line in chat} == {"chat"}


def test_a_table_about_other_documents(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("document,genre\na17,news\n")
    _, message = run("score", GOLD, CRF, "--slices", str(tmp_path / "other.csv"), status=2)
    assert message.endswith(f"other.csv: no document ('a17', …) is in {GOLD} ('1', …).\n")
