"""`evenhand suspects` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import ROOT
from evenhand.cli import main

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
FILES = (NER / "draft.conll", NER / "tagger.conll", NER / "crf.conll")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def test_the_text_has_the_list_the_reasons_and_the_voters(tmp_path: Path) -> None:
    result = run("suspects", *FILES, "--first", 3)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "3 of 119 suspects in draft, by the rule plain from 2 systems"
    assert lines[4] == "1  line 1,505       1.62  nothing        LOC Iceland"
    assert "1  2 of 2 systems predict LOC; the gold standard labels it LOC 1 time elsewhere" in lines
    assert "tagger  84.06   0.681          3" in lines
    assert any(line.startswith("Expect about 2 of 3 among the first 25 to be right") for line in lines)


@pytest.mark.parametrize("suffix", ["json", "csv", "md", "tex", "html", "jsonl"])
def test_every_form(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"suspects.{suffix}"
    result = run("suspects", *FILES, "--first", 4, "-o", path, "-q")
    assert (result.exit_code, result.output) == (0, "")
    text = path.read_text(encoding="utf-8")
    assert "Dunmarrow" in text or suffix == "jsonl"
    if suffix == "jsonl":
        assert [json.loads(line)["status"] for line in text.splitlines()] == ["proposed"] * 4


def test_overrides_of_proposals_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "suspects.jsonl"
    written = run("suspects", *FILES, "--first", 41, "-o", path)
    assert "41 proposals. --overrides refuses them until they are reviewed." in written.stderr
    result = run("score", FILES[0], FILES[1], "--overrides", path)
    assert result.exit_code == 2
    message = "41 overrides are unreviewed proposals. Review them on the suspects page, or use --accept-proposed."
    assert result.stderr.splitlines()[-1] == f"evenhand: {message}"
    assert run("score", FILES[0], FILES[1], "--overrides", path, "--accept-proposed", "-q").exit_code == 0


def test_truth_compares_with_votes() -> None:
    result = run("suspects", *FILES, "--truth", NER / "gold.conll", "--first", 1, "-q")
    assert "votes     20.00       84.05         9        11" in result.stdout
    assert "11 places in total" in result.stdout


def test_one_system_without_scores() -> None:
    result = run("suspects", *FILES[:2])
    assert result.exit_code == 2
    assert "Expected two systems, or one with scores; got one without scores." in result.stderr


def test_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "suspects.svg"
    result = run("plot", "suspects", *FILES, "--truth", NER / "gold.conll", "-o", path, "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert path.read_text(encoding="utf-8").startswith("<?xml")
    assert run("plot", "suspects", *FILES, "-o", path).exit_code == 2
    assert "truth is the gold standard itself" in run("suspects", *FILES, "--truth", FILES[0]).stderr
    (tmp_path / "copy.conll").write_bytes(FILES[0].read_bytes())
    equal = run("plot", "suspects", *FILES, "--truth", tmp_path / "copy.conll", "-o", path, "-q")
    assert "The corrected gold standard has no corrections" in equal.stderr
