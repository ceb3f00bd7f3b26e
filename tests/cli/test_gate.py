"""`evenhand gate`: exit status 0, 1 or 2, one criterion or several, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.cli import main
from evenhand.cli.gate import GATE_OUTPUTS

TREES = ROOT / "src" / "evenhand" / "examples" / "trees"
GOLD, WORSE, BETTER = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["gate", *map(str, arguments)], prog_name="evenhand")


def criteria(*arguments: object) -> dict[str, tuple[float, float, bool]]:
    """Limit, value and verdict of every criterion."""
    result = run(*arguments, "--as", "json")
    assert result.exit_code in (0, 1), result.output
    found = json.loads(result.stdout)
    assert found["passed"] == (result.exit_code == 0)
    return {each["name"]: (each["limit"], each["value"], each["passed"]) for each in found["criteria"]}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Eight sentences of two words: the old system has two words wrong, the new one one other."""
    sides = {"gold": "AA " * 8, "old": "AX XA " + "AA " * 6, "new": "AA AA AA XA " + "AA " * 4}
    for name, sentences in sides.items():
        body = "\n".join("".join(f"w\t{tag}\n" for tag in sentence) for sentence in sentences.split())
        (tmp_path / f"{name}.conll").write_text(body)
    return [tmp_path / f"{name}.conll" for name in sides]


def test_a_better_candidate_passes() -> None:
    result = run(GOLD, WORSE, BETTER)
    assert result.exit_code == 0
    assert result.stdout.startswith("passed: tagger against crf on the gold standard gold\n")


def test_a_worse_candidate_fails() -> None:
    result = run(GOLD, BETTER, WORSE)
    assert result.exit_code == 1
    assert result.stdout.startswith("failed: crf against tagger on the gold standard gold\n")
    assert result.stderr == ""


def test_without_a_criterion_it_must_not_be_significantly_worse() -> None:
    """In all of eight documents it is worse: p = 2 / 2⁸."""
    assert criteria(GOLD, BETTER, WORSE) == {"alpha": (0.05, 2 / 2**8, False)}
    assert criteria(GOLD, WORSE, BETTER) == {"alpha": (0.05, 2 / 2**8, True)}


def test_alpha_alone() -> None:
    assert criteria(GOLD, BETTER, WORSE, "--alpha", 0.01) == {"alpha": (0.01, 2 / 2**8, False)}
    assert criteria(GOLD, WORSE, BETTER, "--alpha", 0.01) == {"alpha": (0.01, 2 / 2**8, True)}


def test_eight_documents_are_too_few_for_a_thousandth() -> None:
    """Sentences are resampled; none of 10,000 trials is as extreme."""
    assert criteria(GOLD, BETTER, WORSE, "--alpha", 0.001) == {"alpha": (0.001, 1 / 10_001, False)}
    assert criteria(GOLD, BETTER, WORSE, "--alpha", 0.001, "--of", "documents") == {"alpha": (0.001, 2 / 2**8, False)}


def test_the_score_may_fall_by_some_points(files: list[Path]) -> None:
    """From 15/16 to 14/16: 6.25 points."""
    gold, old, new = files
    options = ("--task", "tags", "--only", "--max-drop")
    assert criteria(gold, new, old, *options, 6.25) == {"max-drop": (6.25, pytest.approx(6.25), True)}
    assert criteria(gold, new, old, *options, 6.2) == {"max-drop": (6.2, pytest.approx(6.25), False)}
    assert criteria(gold, old, new, *options, 0) == {"max-drop": (0, pytest.approx(-6.25), True)}


def test_so_many_new_errors_are_allowed(files: list[Path]) -> None:
    """A better system too makes one: the word that only the old one had right."""
    gold, old, new = files
    options = ("--task", "tags", "--only", "--max-new-errors")
    assert criteria(gold, old, new, *options, 0) == {"max-new-errors": (0, 1, False)}
    assert criteria(gold, old, new, *options, 1) == {"max-new-errors": (1, 1, True)}
    assert criteria(gold, new, old, *options, 1) == {"max-new-errors": (1, 2, False)}


def test_every_criterion_that_is_named_must_hold(files: list[Path]) -> None:
    gold, old, new = files
    every = ("--task", "tags", "--max-drop", 0, "--alpha", 0.05, "--max-new-errors")
    assert criteria(gold, old, new, *every, 1) == {
        "max-drop": (0, pytest.approx(-6.25), True),
        "max-new-errors": (1, 1, True),
        "alpha": (0.05, 1.0, True),
    }
    assert run(gold, old, new, *every, 1).exit_code == 0
    assert run(gold, old, new, *every, 0).exit_code == 1


def test_the_same_file_passes_every_criterion() -> None:
    result = run(GOLD, WORSE, WORSE, "--max-drop", 0, "--max-new-errors", 0, "--alpha", 0.99)
    assert result.exit_code == 0
    assert "The score does not fall (+0.00 points); the limit is 0 points." in result.stdout
    assert "The candidate is not worse (p = 1.0000, alpha = 0.99)." in result.stdout
    assert "no difference at all: crf and crf (2)." in result.stdout


def test_what_it_says() -> None:
    text = run(GOLD, BETTER, WORSE, "--max-drop", 1, "--max-new-errors", 10, "--alpha", 0.01).stdout
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith(("max-", "alpha"))}
    assert rows["max-drop"].endswith("FAILED  The score falls by 14.52 points; the limit is 1 point.")
    assert rows["max-new-errors"].endswith("FAILED  82 new errors; the limit is 10.")
    assert rows["alpha"].endswith("FAILED  The candidate is worse by 14.52 points (p = 0.0078, alpha = 0.01).")
    assert "new errors: 82 of 117 (70.09 %)" in text
    assert "tagger  91.01" in text


def test_it_names_no_option_that_it_does_not_have() -> None:
    assert "--top" not in run(GOLD, BETTER, WORSE).stdout


def test_json() -> None:
    result = run(GOLD, WORSE, BETTER, "--as", "json", "--max-drop", 0, "--only")
    data = json.loads(result.stdout)
    assert (data["command"], data["task"], data["by"], data["passed"]) == ("gate", "spans", "fair", True)
    assert data["baseline"] == {"name": "crf", "fair": pytest.approx(0.76496, abs=1e-5)}
    assert data["candidate"] == {"name": "tagger", "fair": pytest.approx(0.91011, abs=1e-5)}
    assert data["delta"] == pytest.approx(data["candidate"]["fair"] - data["baseline"]["fair"])
    assert (data["new_errors"], data["corrections"]) == (20, 82)
    assert data["p"] is None  # nobody asked for a test
    assert {"evenhand", "signature", "notes", "criteria"} <= set(data)


@pytest.mark.parametrize("form", GATE_OUTPUTS)
def test_every_form_of_output(form: str, tmp_path: Path) -> None:
    """The exit status is the same, whatever is written where."""
    shown = run(GOLD, BETTER, WORSE, "--as", form)
    written = run(GOLD, BETTER, WORSE, "--as", form, "-o", tmp_path / "gate")
    assert (shown.exit_code, written.exit_code, written.stdout) == (1, 1, "")
    assert (tmp_path / "gate").read_text(encoding="utf-8") == shown.stdout
    assert "alpha" in shown.stdout


def test_parsers_by_another_score() -> None:
    files = (TREES / "gold.conllu", TREES / "neural.conllu", TREES / "rules.conllu")
    las, uas = (json.loads(run(*files, "--by", by, "--as", "json").stdout) for by in ("las", "uas"))
    assert (las["by"], uas["by"]) == ("las", "uas")
    assert uas["candidate"]["uas"] > las["candidate"]["las"]
    assert (las["passed"], las["p"]) == (False, 1 / 10_001)
    assert las["test"]["of"] == "sentences"  # five documents cannot say more than 2 / 2⁵


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GOLD, WORSE), "Missing argument 'CANDIDATE'"),
        ((GOLD, WORSE, "--max-drop", 1), "Missing argument 'CANDIDATE'; only --floor and --ceiling need no BASELINE"),
        ((GOLD, "--floor", "f1=0"), "Missing argument 'CANDIDATE'; see evenhand gate --help."),
        ((GOLD, WORSE, BETTER, WORSE), "Expected a baseline and a candidate, got 3 systems"),
        ((GOLD, WORSE, "--floor", "fair"), "'fair' is not SCORE=NUMBER, such as PER:recall=0.9 or PER:recall=90%"),
        ((GOLD, WORSE, "--floor", "fair=x"), "'fair=x' is not SCORE=NUMBER, such as PER:recall=0.9 or PER:recall=90%"),
        ((GOLD, WORSE, BETTER, "--max-drop", "x"), "'x' is not SCORE=NUMBER, such as PER:recall=0.9 or PER:recall=90%"),
        ((GOLD, WORSE, BETTER, "--alpha", "x"), "'x' is not a number, such as 0.85, 85% or 1pp;"),
        ((GOLD, WORSE, BETTER, "--only"), "only skips the default criterion, but no other is specified"),
        ((GOLD, WORSE, "--floor", "leak.documents_safe=1"), "for a share, use leak.documents_safe_share"),
        ((GOLD, WORSE, "missing.conll"), "missing.conll: there is no such file; check the path."),
        ((GOLD, WORSE, BETTER, "--max-drop", -1), "max-drop is -1.0; it must be a number of points from 0 to 100."),
        ((GOLD, WORSE, BETTER, "--max-new-errors", -1), "max-new-errors is -1; it must be a whole number, 0 or more."),
        ((GOLD, WORSE, BETTER, "--alpha", 2), "alpha is 2.0; it must be a number below 1, and at least 0.000001."),
        ((GOLD, WORSE, BETTER, "--trials", 0), "trials is 0; for p-values below 0.05 the test needs at least 20."),
        ((GOLD, WORSE, BETTER, "--by", "las"), "by is 'las'; choose one of fair, exact, leak for spans."),
    ],
)
def test_bad_usage_is_status_2(arguments: tuple, message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_candidate_alone() -> None:
    """Floors and ceilings need no baseline."""
    assert criteria(GOLD, WORSE, "--floor", "fair=0.7", "--ceiling", "FP=4") == {
        "floor": (0.7, pytest.approx(0.76496, abs=1e-5), True),
        "ceiling": (4, 4, True),
    }
    assert run(GOLD, WORSE, "--floor", "fair=0.7", "--floor", "PER:recall=0.9").exit_code == 1
    assert run(GOLD, WORSE, "--floor", "fair=0.9", "--floor", "fair=0.7").exit_code == 0  # the last word counts


def test_criteria_add_up() -> None:
    """A floor that holds does not replace the test; --only does, and the output says so."""
    assert run(GOLD, BETTER, WORSE, "--floor", "PER:recall=50%").exit_code == 1
    result = run(GOLD, BETTER, WORSE, "--floor", "PER:recall=50%", "--only")
    assert result.exit_code == 0
    (row,) = [line for line in result.stdout.splitlines() if line.startswith("alpha")]
    assert " not checked  The score must not fall with a p-value below 0.05: skipped because only " in row


def test_drops_of_the_score_and_of_others() -> None:
    result = run(
        GOLD, BETTER, WORSE, "--max-drop", 15, "--max-drop", "PER:recall=9pp", "--max-label-drop", 25, "--only"
    )
    assert result.exit_code == 1
    rows = [line.split("  ")[0] for line in result.stdout.splitlines() if line.startswith("max-")]
    assert rows == ["max-drop", "max-drop PER:recall", "max-label-drop"]
    failed = [line for line in result.stdout.splitlines() if "FAILED" in line]
    assert len(failed) == 1
    assert failed[0].endswith("PER:recall falls by 9.43 points; the limit is 9 points.")


def test_the_summary_of_a_step_gets_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other steps wrote there stays; other forms of output write nothing there."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    markdown = run(GOLD, BETTER, WORSE, "--max-drop", 1, "--as", "markdown").stdout
    assert summary.read_text() == "before\n\n"
    result = run(GOLD, BETTER, WORSE, "--max-drop", 1, "--as", "github", "-o", tmp_path / "log")
    assert (result.exit_code, result.stdout) == (1, "")
    assert summary.read_text(encoding="utf-8") == f"before\n\n{markdown}\n"
    assert (tmp_path / "log").read_text(encoding="utf-8").startswith("::error title=evenhand gate%3A max-drop")


def test_a_summary_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "missing" / "summary.md"))
    result = run(GOLD, WORSE, "--floor", "f1=0", "--as", "github")
    assert result.exit_code == 2
    assert "cannot be written (no such file or directory); check the folder." in result.stderr


def test_without_a_test_no_trial_is_needed() -> None:
    assert run(GOLD, WORSE, BETTER, "--trials", 0, "--max-drop", 0, "--only").exit_code == 0


def test_from_python() -> None:
    gate = eh.gate(GOLD, BETTER, WORSE, max_drop=20, max_new_errors=100, only=True)
    assert gate.passed
    assert [(each.name, each.passed) for each in gate.criteria] == [("max-drop", True), ("max-new-errors", True)]
    assert gate.pair is gate.comparison.pair("tagger", "crf")
    assert (gate.pair.significance, gate.pair.interval) == (None, None)
    assert str(gate).startswith("passed: crf against tagger")
