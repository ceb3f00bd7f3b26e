"""EVALB: all numbers of 24 summaries, from the same parameter files, at the two decimals that the program prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT

FIGURES = ROOT / "tests" / "conformance" / "shared_tasks.json"
RUNS = 24


@pytest.fixture(scope="module")
def runs() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FIGURES.read_text())["evalb"]
    assert len(found) == RUNS
    return found


def score(data: Path, run: dict[str, Any]) -> eh.Result:
    folder = data / "shared_tasks"
    prm = "none" if run["prm"] is None else str(folder / run["prm"])
    return eh.score(folder / run["gold"], folder / run["test"], task="constituents", prm=prm)


def summary(result: eh.Result, end: str) -> dict[str, float | None]:
    """The numbers of EVALB's summary."""
    labeled = result[f"labeled{end}"].overall
    complete, crossing = result[f"complete{end}"], result[f"crossing{end}"]
    counts = {name: complete.overall[name] for name in ("valid", "error", "skip")}
    return {
        "sentences": sum(counts.values()),
        **counts,
        "recall": 100 * labeled.recall,
        "precision": 100 * labeled.precision,
        "f1": 100 * labeled.f1,
        "complete": 100 * complete.headline,
        "average_crossing": crossing.overall["crossings"] / counts["valid"],
        "no_crossing": 100 * crossing.headline,
        "two_or_less": 100 * crossing.overall["two_or_less"] / counts["valid"],
        "tagging": 100 * result[f"tagging{end}"].headline,
    }


@pytest.mark.parametrize("number", range(RUNS))
def test_all_numbers_of_a_summary(data: Path, runs: list[dict[str, Any]], number: int) -> None:
    run = runs[number]
    result = score(data, run)
    for part, end in (("all", ""), ("cut", "-short")):
        wanted, actual = run["reference"][part], summary(result, end)
        assert len(wanted) == len(actual) == 12
        for name, figure in wanted.items():
            value = actual[name]
            assert value is not None
            assert value == pytest.approx(figure, abs=0.005 + 1e-9), (part, name)


def test_the_sample_of_evalb(data: Path) -> None:
    """R 87.76, P 90.53, F 89.12 in the summary that comes with the program."""
    run = {"gold": "evalb/sample.gld", "test": "evalb/sample.tst", "prm": "evalb/prm/sample.prm"}
    result = score(data, run)
    overall = result["labeled"].overall
    found = [round(100 * each, 2) for each in (overall.recall, overall.precision, overall.f1)]
    assert found == [87.76, 90.53, 89.12]
    left_out = result["complete"].further["left_out"]
    assert len(left_out) == 7
    assert list(left_out.values())[:2] == [
        "skip: the system has no words",
        "error: the system has the word 'was', the gold standard 'is'",
    ]


def test_collins_is_built_in(data: Path) -> None:
    folder = data / "shared_tasks" / "evalb"
    files = (folder / "gum.gld", folder / "gum-2.tst")
    built_in = eh.score(*files, task="constituents")
    read = eh.score(*files, task="constituents", prm=str(folder / "prm" / "COLLINS.prm"))
    assert "|prm:collins|" in built_in.signature
    for name in built_in.scores:
        assert built_in[name].overall == read[name].overall
