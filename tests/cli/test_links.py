"""Every command on entity links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import ROOT
from evenhand.cli import main

FOLDER = ROOT / "src" / "evenhand" / "examples" / "links"
GOLD, POPULARITY, CONTEXT, RERANKER = (
    str(FOLDER / f"{name}.jsonl") for name in ("gold", "popularity", "context", "reranker")
)
FEW = ("--trials", "50", "--resamples", "50")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def test_score_shows_kinds_ranks_and_means_over_documents() -> None:
    shown = run("score", GOLD, CONTEXT).stdout
    assert "gold standard gold: 39 links in 10 documents" in shown
    assert "LE.missed NIL for an entry" in shown
    for heading in ("means over documents", "kinds of errors (fair)", "ranks"):
        assert heading in shown


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "html"])
def test_every_form_of_output(form: str) -> None:
    found = run("score", GOLD, CONTEXT, RERANKER, "--match", "links,links@2,hipe@3,weak_all,fair", "--as", form)
    assert found.exit_code == 0
    assert "links@2" in found.stdout


def test_one_value() -> None:
    assert run("score", GOLD, CONTEXT, "--match", "links@2", "--as", "value").stdout == "0.8615384615384616\n"


def test_the_json_has_documents_and_ranks() -> None:
    found = json.loads(run("score", GOLD, CONTEXT, "--match", "hipe-fuzzy@3,fair", "--as", "json").stdout)
    scores = found["systems"][0]["scores"]
    assert scores["hipe-fuzzy@3"]["further"]["documents"]["f1"]["documents"] == 10
    assert scores["fair"]["further"]["ranks"] == {"other": {"2": 3, "none": 2}, "missed": {"2": 1, "none": 2}}


def test_rank_has_intervals_under_every_model() -> None:
    shown = run("rank", GOLD, POPULARITY, CONTEXT, RERANKER, *FEW).stdout
    assert shown.index("reranker") < shown.index("context") < shown.index("popularity")
    assert "95% intervals" in shown


def test_compare_and_gate() -> None:
    assert "LE.missed  TP" in run("compare", GOLD, CONTEXT, RERANKER, *FEW).stdout
    worse = run("gate", GOLD, RERANKER, POPULARITY, "--trials", "50")
    assert worse.exit_code == 1
    assert run("gate", GOLD, POPULARITY, RERANKER, "--trials", "50").exit_code == 0


@pytest.mark.parametrize(
    ("criterion", "status"),
    [("links=0.8", 0), ("links@2=0.99", 1), ("hipe-strict@3.recall=0.9", 0), ("PER:links=0.9", 0), ("TP=36", 1)],
)
def test_floors_of_match_models_with_several_answers(criterion: str, status: int) -> None:
    assert run("gate", GOLD, RERANKER, "--floor", criterion, "--trials", "10").exit_code == status


def test_a_ceiling_of_a_kind_of_error() -> None:
    found = run("gate", GOLD, RERANKER, "--ceiling", "LE.other=2", "--ceiling", "fair.LE.missed=0", "--trials", "10")
    assert found.exit_code == 1
    assert "LE.other is 3 (a count); the ceiling is 2" in found.stdout
    assert "fair.LE.missed is 0 (a count); the ceiling is 0" in found.stdout


def test_report_and_plot(tmp_path: Path) -> None:
    assert run("report", GOLD, CONTEXT, RERANKER, "-o", tmp_path / "page.html", *FEW).exit_code == 0
    assert "LE.other" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("plot", "errors", GOLD, CONTEXT, "-o", tmp_path / "errors.svg").exit_code == 0


def test_check_with_and_without_another_text(tmp_path: Path) -> None:
    assert "39 links; no problems" in run("check", GOLD).stdout
    assert run("check", CONTEXT, "--against", GOLD).exit_code == 0
    other = tmp_path / "other.jsonl"
    other.write_text(Path(CONTEXT).read_text(encoding="utf-8").replace("Rotterdam", "Amsterdam"), encoding="utf-8")
    found = run("check", other, "--against", GOLD)
    assert found.exit_code == 1
    assert "other.jsonl:1: error: found 'A' where the gold standard has 'R'" in found.stdout


def test_several_processes_count_the_same() -> None:
    one, two = (run("score", GOLD, POPULARITY, "--as", "json", "--jobs", jobs).stdout for jobs in (1, 2))
    assert one == two


def test_a_link_to_an_unknown_span_is_one_sentence_and_status_2(tmp_path: Path) -> None:
    (tmp_path / "doc.txt").write_text("Paris", encoding="utf-8")
    (tmp_path / "doc.ann").write_text("T1\tLOC 0 5\tParis\nN1\tReference T2 Q90\tParis\n", encoding="utf-8")
    found = run("score", tmp_path / "doc.ann", tmp_path / "doc.ann", "--task", "links")
    assert found.exit_code == 2
    message = "doc.ann:2: no line defines T2; add a line that begins with it, or mend the link.\n"
    assert found.stderr.endswith(message)
