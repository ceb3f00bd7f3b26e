"""All commands on the bundled example of relations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main
from evenhand.report.html import unit_data

FOLDER = ROOT / "src" / "evenhand" / "examples" / "relations"
GOLD, RULES, PIPELINE, JOINT = (str(FOLDER / f"{name}.jsonl") for name in ("gold", "rules", "pipeline", "joint"))


def run(*arguments: object, code: int = 0) -> Result:
    found = CliRunner().invoke(main, [*map(str, arguments)])
    assert found.exit_code == code, found.output
    return found


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex", "json"])
def test_the_task_is_recognised_and_scored(form: str) -> None:
    shown = run("score", GOLD, RULES, JOINT, "--as", form).stdout
    assert ("0.66666" if form in ("csv", "json") else "66.67") in shown
    assert "boundaries" in shown


def test_kinds_of_errors_and_whose_fault_they_are() -> None:
    shown = run("score", GOLD, JOINT, "--match", "fair").stdout
    assert "AM  argument missing                  entities      5  23.81" in shown
    assert "Fault of: entities 62%, relation 38%, both 0%." in shown


def test_one_value() -> None:
    value = run("score", GOLD, JOINT, "--match", "strict", "--as", "value").stdout
    assert float(value) == pytest.approx(2 / 3)


def test_ranks_with_intervals() -> None:
    ranked = json.loads(run("rank", GOLD, RULES, PIPELINE, JOINT, "--resamples", 50, "--as", "json").stdout)
    assert ranked["models"] == ["strict", "boundaries", "fair"]
    assert [system["name"] for system in ranked["systems"]] == ["joint", "pipeline", "rules"]


def test_a_comparison_and_its_units() -> None:
    options = ("--trials", 50, "--resamples", 50, "--show", "new_error")
    found = json.loads(run("compare", GOLD, PIPELINE, JOINT, *options, "--as", "json").stdout)
    (pair,) = found["pairs"]
    wrong = [eh.score(GOLD, each, match="fair")["fair"].overall for each in (PIPELINE, JOINT)]
    errors = [sum(row.counts.values()) - row["TP"] for row in wrong]
    classes = pair["classes"]
    assert classes["correction"]["count"] - classes["new_error"]["count"] == errors[0] - errors[1]
    unit = next(each for each in found["units"] if each["words"].startswith("Bergen lies"))
    assert (unit["gold"], unit["words"]) == ("located_in", "Bergen lies on the west coast of Norway")
    assert unit["answers"] == {"pipeline": "TP located_in", "joint": "DE located_in"}


def test_a_gate() -> None:
    assert "passed" in run("gate", GOLD, RULES, JOINT, "--trials", 50).stdout
    assert "failed" in run("gate", GOLD, JOINT, RULES, "--max-drop", 1, code=1).stdout
    assert "failed" in run("gate", GOLD, "--floor", "works_for:recall=0.9", JOINT, code=1).stdout


@pytest.mark.parametrize("kind", ["errors", "confusion", "ranks", "comparison"])
def test_figures(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = tmp_path / "figure.svg"
    run("plot", kind, GOLD, PIPELINE, JOINT, "-o", figure)
    assert "<svg" in figure.read_text()


def test_a_page_carries_spans_and_links(tmp_path: Path) -> None:
    report = eh.report(GOLD, [PIPELINE, JOINT], trials=0, resamples=0)
    report.to_html(tmp_path / "page.html")
    data = unit_data(report)
    assert (data["drawing"], data["kinds"][:4]) == ("links", ["TP", "AL", "AB", "ALB"])
    first = next(each for each in data["sentences"] if each["n"] == 1)
    labels = data["labels"]
    assert [labels[code] for code, *_ in first["s"][0]] == ["PER", "ORG", "LOC"]
    assert [(labels[code], head, tail) for code, head, tail in first["l"][0]] == [("founded", 0, 1), ("based_in", 1, 2)]
    assert "kinds of errors (fair)" in (tmp_path / "page.html").read_text()


def test_check_and_convert(tmp_path: Path) -> None:
    assert "relation-jsonl; 36 sentences, 43 relations; no problems" in run("check", GOLD).stdout
    for name, target in (("spert", "gold.json"), ("dygie", "gold.jsonlines"), ("brat", "gold")):
        run("convert", GOLD, tmp_path / target, "--to", name)
    for target in ("gold.json", "gold.jsonlines"):
        options = ("--match", "strict", "--symmetric", "married_to", "--as", "value", "-q")
        assert float(run("score", GOLD, tmp_path / target, *options).stdout) == 1


def test_several_processes_give_the_same(tmp_path: Path) -> None:
    sides = []
    for name in ("gold", "joint"):
        run("convert", FOLDER / f"{name}.jsonl", tmp_path / name, "--to", "brat")
        sides.append(tmp_path / name)
    options = ("--task", "relations", "--match", "strict,boundaries,dygie,relaxed,fair,ehealthkd", "--as", "json", "-q")
    one, two = (run("score", *sides, *options, *more).stdout for more in ((), ("--jobs", 2)))
    assert one == two


def test_verdicts_as_a_table(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("score", GOLD, JOINT, "--verdicts", tmp_path / "verdicts.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(tmp_path / "verdicts.parquet").to_pylist()
    assert len(rows) == 43 + 5
    first = rows[0]
    assert (first["gold_label"], first["verdict"], first["text"]) == (
        "founded",
        "TP",
        "Mira Okafor founded Lumen Works",
    )
    assert [first[f"{end}_{edge}"] for end in ("head", "tail") for edge in ("start", "end")] == [0, 2, 3, 5]


def test_settings_that_do_nothing_are_refused() -> None:
    ner = ROOT / "src" / "evenhand" / "examples" / "ner"
    wrong = run("score", ner / "gold.conll", ner / "crf.conll", "--sentences", "lines", code=2)
    assert wrong.stderr == "evenhand: sentences does nothing for spans; leave it out, or choose the task relations.\n"


def test_the_signature_has_what_changes_numbers() -> None:
    result = eh.score(GOLD, JOINT, match="strict", symmetric=("married_to",), unannotated="skip")
    assert "|symmetric:married_to|unannotated:skip|" in result.signature
    assert "|sentences:text|newlines:two|quotes:error|" in result.signature


def test_a_saved_result(tmp_path: Path) -> None:
    result = eh.score(GOLD, JOINT, symmetric=("married_to",))
    result.to_json(tmp_path / "result.json")
    again = eh.Result.from_json(tmp_path / "result.json")
    assert again["fair"].overall.counts == result["fair"].overall.counts
    assert again.settings["symmetric"] == ("married_to",)
