"""Enhanced dependencies: the counts of udeval in 35 runs, from collapsed files and from files with empty nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
import slow_edges
from conftest import ROOT

FIGURES = ROOT / "tests" / "conformance" / "shared_tasks.json"
RUNS = 35
MODELS = ("elas", "eulas")


@pytest.fixture(scope="module")
def runs() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FIGURES.read_text())["enhanced"]
    assert len(found) == RUNS
    return found


def score(folder: Path, gold: str, system: str, run: dict[str, Any], **options: str) -> eh.Result:
    options = {"enhancements": run["enhancements"], **options}
    return eh.score(folder / gold, folder / system, task="trees", match="iwpt", **options)


def check(result: eh.Result, run: dict[str, Any]) -> None:
    """Counts are those of udeval, which counts pairs; scores are by the definition where words have equal edges."""
    for model in MODELS:
        wanted, actual = run["reference"][model.upper()], result[model].overall
        assert (actual["gold"], actual["system"]) == (wanted["gold"], wanted["system"])
        assert actual["pairs"] == wanted["correct"]
        if actual["correct"] == actual["pairs"]:
            figures = [actual.precision, actual.recall, actual.f1]
            assert figures == pytest.approx([wanted["p"], wanted["r"], wanted["f1"]], abs=1e-9)
        assert actual["correct"] <= min(actual["gold"], actual["system"], actual["pairs"])


@pytest.mark.parametrize("number", range(RUNS))
def test_the_counts_of_a_run(data: Path, runs: list[dict[str, Any]], number: int) -> None:
    run = runs[number]
    skips = {"empty_nodes": "skip"} if run["empty_nodes"].startswith("as they stand") else {}
    check(score(data / "shared_tasks", run["gold"], run["system"], run, **skips), run)


@pytest.mark.parametrize("number", range(RUNS))
def test_files_with_empty_nodes_count_as_collapsed_ones(data: Path, runs: list[dict[str, Any]], number: int) -> None:
    run = runs[number]
    if not run["empty_nodes"].startswith("collapsed"):
        return
    raw = [run[side].replace(".collapsed", "") for side in ("gold", "system")]
    check(score(data / "shared_tasks", *raw, run), run)


def test_most_runs_have_no_equal_edges(data: Path, runs: list[dict[str, Any]]) -> None:
    """Where words have none, correct edges are the pairs of udeval: in all runs without enhancements but two of EULAS."""
    differ = []
    for run in runs:
        if run["enhancements"] == "0":
            skips = {"empty_nodes": "skip"} if run["empty_nodes"].startswith("as they stand") else {}
            result = score(data / "shared_tasks", run["gold"], run["system"], run, **skips)
            differ += [
                (run["system"], name)
                for name in MODELS
                if result[name].overall["correct"] != result[name].overall["pairs"]
            ]
    assert differ == [
        ("ud/cs_pud-sys2.conllu", "eulas"),
        ("ud/cs_pud-sys2.collapsed.conllu", "eulas"),
        ("ud/trap-eulas.conllu", "eulas"),
    ]


@pytest.mark.parametrize(
    ("system", "elas", "eulas"), [("cs_pud-sys1", 88.25, 89.46), ("cs_pud-udpipe-basic", 70.59, 83.82)]
)
def test_scores_from_raw_files(data: Path, system: str, elas: float, eulas: float) -> None:
    folder = data / "shared_tasks" / "ud"
    result = eh.score(folder / "cs_pud-gold.conllu", folder / f"{system}.conllu")
    assert [round(100 * result[name].f1, 2) for name in MODELS] == [elas, eulas]
    assert len(result.scores) == 3 + 13 + 2


def test_equal_edges_do_not_exceed_the_total(data: Path) -> None:
    """udeval prints 166.67 for EULAS."""
    file = data / "shared_tasks" / "ud" / "trap-eulas.conllu"
    result = eh.score(file, file, match="iwpt")
    overall = result["eulas"].overall
    assert (overall["correct"], overall["gold"], overall["system"], overall["pairs"]) == (3, 3, 3, 5)
    assert overall.f1 == 1


@pytest.mark.parametrize("digits", ["0", "1", "2", "3", "4", "5", "6", "12", "156", "123456"])
@pytest.mark.parametrize("name", ["en_gum-sys1", "en_gum-sys2", "trap-chain"])
def test_the_slow_definition(data: Path, name: str, digits: str) -> None:
    """Counts of correct edges as multisets, where both sides have the same words."""
    folder = data / "shared_tasks" / "ud"
    gold = folder / f"{name.partition('-')[0]}-gold.conllu" if name != "trap-chain" else folder / "trap-chain.conllu"
    system = folder / f"{name}.conllu"
    result = eh.score(gold, system, match="iwpt", enhancements=digits)
    wanted = slow_edges.counts(gold.read_text(), system.read_text(), digits)
    for model in MODELS:
        overall = result[model].overall
        assert (overall["correct"], overall["gold"], overall["system"]) == wanted[model]
