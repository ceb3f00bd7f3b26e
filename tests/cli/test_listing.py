"""`evenhand formats` and `evenhand models`: everything that is declared, plug-ins too."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import main
from evenhand.formats.registry import FORMATS
from evenhand.tasks.registry import TASKS, models_of


def shown(*arguments: str, columns: int = 80) -> str:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, arguments, prog_name="evenhand")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_all_formats_and_what_they_are_for() -> None:
    rows = {row["name"]: row for row in json.loads(shown("formats", "--as", "json"))}
    assert list(rows) == list(FORMATS)
    assert rows["parquet"] == {
        "name": "parquet",
        "help": FORMATS["parquet"].summary,
        "reads": ["spans", "tags"],
        "writes": ["spans", "tags"],
        "suffixes": [".parquet", ".pq"],
    }
    text = " ".join(shown("formats").split())
    assert "spacy spaCy's DocBin; read and written for spans; .spacy" in text
    assert "head and relation; read for trees, tags; not written spans label," in text


def test_all_models_with_definitions_and_other_names() -> None:
    rows = json.loads(shown("models", "--as", "json"))
    assert [(row["task"], row["name"]) for row in rows] == [
        (task, each.name) for task in TASKS for each in models_of(task)
    ]
    assert all(row["summary"].endswith(".") and len(row["summary"]) <= 75 for row in rows)
    assert len({row["summary"] for row in rows}) == len(rows)
    text = " ".join(shown("models").split())
    assert "exact A span is right if bounds and label are. Also: strict, conlleval, seqeval." in text
    assert "Match models of tags: accuracy The share of words with the right tag. Also: acc." in text


def test_models_of_one_task() -> None:
    assert shown("models", "--task", "tags").startswith("Match models of tags:\n  accuracy  ")
    assert {row["task"] for row in json.loads(shown("models", "--task", "trees", "--as", "json"))} == {"trees"}


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_fit_the_terminal(columns: int) -> None:
    for command in ("formats", "models"):
        assert max(map(len, shown(command, columns=columns).splitlines())) <= columns
