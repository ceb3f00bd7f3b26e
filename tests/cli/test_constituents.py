"""Commands on constituents: score, rank, compare, gate, report, plot, check, convert, verdicts, processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import ROOT, Golden
from divided import check_same, write
from evenhand.cli import main

FOLDER = ROOT / "src" / "evenhand" / "examples" / "constituents"
FILES = ("gold.mrg", "chunks.mrg", "pcfg.mrg", "neural.mrg")
TASK = ("--task", "constituents")
FAST = ("--trials", 200, "--resamples", 50)
GATE = ("--trials", 200)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_score_in_all_forms(form: str, golden: Golden) -> None:
    result = run("score", *FILES[:3], *TASK, "--as", form, "-q")
    assert result.exit_code == 0, result.output
    golden(result.stdout, f"constituents.score.{form}")


def test_short_sentences_are_cut_off() -> None:
    found = json.loads(run("score", *FILES[:2], *TASK, "--cutoff", 8, "--as", "json", "-q").stdout)
    scores = found["systems"][0]["scores"]
    assert (scores["complete"]["overall"]["valid"], scores["complete-short"]["overall"]["valid"]) == (22, 4)
    assert "|cutoff:8|" in found["signature"]


def test_rank_compare_and_gate(golden: Golden) -> None:
    ranked = run("rank", *FILES, *TASK, *FAST, "-q")
    assert ranked.exit_code == 0, ranked.output
    golden(ranked.stdout, "constituents.rank.txt")
    compared = run("compare", "gold.mrg", "pcfg.mrg", "neural.mrg", *TASK, *FAST, "-q")
    assert compared.exit_code == 0, compared.output
    golden(compared.stdout, "constituents.compare.txt")
    assert run("gate", "gold.mrg", "pcfg.mrg", "neural.mrg", *TASK, *GATE).exit_code == 0
    assert run("gate", "gold.mrg", "neural.mrg", "chunks.mrg", *TASK, *GATE).exit_code == 1


def test_a_page_and_a_figure(tmp_path: Path) -> None:
    assert run("report", *FILES, *TASK, *FAST, "-o", tmp_path / "page.html").exit_code == 0
    assert "sentences left out" in (tmp_path / "page.html").read_text()
    assert run("plot", "errors", *FILES, *TASK, "-o", tmp_path / "errors.svg").exit_code == 0
    assert "too narrow" in (tmp_path / "errors.svg").read_text()


def test_check_lists_trees_and_sentences_that_are_left_out() -> None:
    found = run("check", "chunks.mrg", "--against", "gold.mrg", *TASK)
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert lines[0].startswith("chunks.mrg:22: error: not all brackets are closed; mend the tree")
    assert lines[1].startswith("chunks.mrg:24: warning: the sentence has the word 'cafe', and the other file 'café'")


def test_check_refuses_another_number_of_sentences(tmp_path: Path) -> None:
    file = tmp_path / "short.mrg"
    file.write_text("(S (N x))\n")
    found = run("check", file, "--against", "gold.mrg", *TASK)
    assert found.exit_code == 1
    assert "the file has fewer sentences" in found.stdout


def test_convert_writes_a_tree_a_line(tmp_path: Path) -> None:
    spread, flat = tmp_path / "spread.mrg", tmp_path / "flat.mrg"
    spread.write_text(Path("gold.mrg").read_text().replace(" (VP", "\n   (VP"))
    assert run("convert", spread, flat, *TASK, "--functions").exit_code == 0
    assert flat.read_text() == Path("gold.mrg").read_text()


def test_verdicts_are_written(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("score", "gold.mrg", "pcfg.mrg", *TASK, "--verdicts", tmp_path / "verdicts.parquet").exit_code == 0
    rows = parquet.read_table(tmp_path / "verdicts.parquet").to_pylist()
    kinds = [row["verdict"] for row in rows]
    assert {kind: kinds.count(kind) for kind in ("TP", "LE", "BES", "BEL", "FN", "FP")} == {
        "TP": 167,
        "LE": 2,
        "BES": 2,
        "BEL": 3,
        "FN": 10,
        "FP": 7,
    }


def test_parts_of_files_count_the_same(tmp_path: Path) -> None:
    """Files of lines are divided; a tree over several lines keeps its file whole."""
    lines = [Path(name).read_text().splitlines() * 3 for name in FILES[:3]]
    gold, *systems = (write(tmp_path, name, each) for name, each in zip(FILES, lines, strict=False))
    engine = check_same(gold, systems, 4, task="constituents")
    assert engine.parts > 2
    assert not engine.whole
    spread = tmp_path / "spread.mrg"
    spread.write_text(gold.read_text().replace(" (VP", "\n   (VP"))
    assert check_same(spread, systems, 4, task="constituents").parts < 2


def test_models_and_parameters_are_listed() -> None:
    assert "labeled-short" in run("models", *TASK).output
    wrong = run("score", *FILES[:2], *TASK, "--match", "labelled")
    assert wrong.exit_code == 2
    assert "labeled" in wrong.output
    missing = run("score", *FILES[:2], *TASK, "--prm", "none.prm")
    assert missing.exit_code == 2
    assert missing.output.count("\n") == 1
