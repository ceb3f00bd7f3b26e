"""Results that Evenhand saved before tasks and match models were declared: they load, and their figures still hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES

SAVED = Path(__file__).with_name("saved")
FOLDER = ROOT / "src" / "evenhand" / "examples"
SCORED: dict[str, dict[str, Any]] = {
    "spans": {
        "match": "exact,fair,weighted,ts,constrained,iou",
        "supertag": "ENTITY",
        "baselines": True,
        "weights": "lenient",
        "missing": 2,
    },
    "tags": {"task": "tags", "punctuation": "form"},
    "trees": {"match": "uas,las,conll18-mlas", "subtypes": True},
    "chains": {"singletons": False},
}
"""The options of the saved scores."""
TASKS = list(SCORED)


def saved(command: str, task: str) -> dict[str, Any]:
    return json.loads((SAVED / f"{command}-{task}.json").read_text())


def files(task: str, names: list[str]) -> tuple[Path, list[Path]]:
    folder, gold, systems = EXAMPLES[task]
    found = {Path(name).stem: FOLDER / folder / name for name in systems}
    return FOLDER / folder / gold, [found[name] for name in names]


def forced(before: dict[str, Any]) -> Any:
    """Documents were resampled even if they were too few to decide."""
    return "documents" if before["resampling"]["of"] == "documents" else None


@pytest.mark.parametrize("task", TASKS)
def test_scores_load_and_hold(task: str) -> None:
    before = saved("score", task)
    loaded = eh.Results.from_json(SAVED / f"score-{task}.json").to_dict()
    gold, systems = files(task, [system["name"] for system in before["systems"]])
    now = eh.score(gold, systems, **SCORED[task]).to_dict()
    for other in (loaded, now):
        assert other["signature"] == before["signature"]
        assert other["gold"] == before["gold"]
        assert [each["scores"] for each in other["systems"]] == [each["scores"] for each in before["systems"]]


@pytest.mark.parametrize("task", TASKS)
def test_comparisons_load_and_hold(task: str) -> None:
    before = saved("compare", task)
    loaded = eh.Comparison.from_json(SAVED / f"compare-{task}.json").to_dict()
    gold, systems = files(task, before["systems"])
    options = {"task": task, "trials": 200, "resamples": 50, "show": "new_error", "limit": 3}
    now = eh.compare(gold, systems, of=forced(before), **options).to_dict()
    for other in (loaded, now) if "shared" not in now else (loaded,):
        for key in ("signature", "scores", "pairs", "oracle", "difficulty", "agreement", "labels", "slices"):
            assert other.get(key) == before.get(key), key
    if "shared" in now:  # words that a system lacks were left out; they count as wrong now
        assert now["shared"]["units"] == before["gold"]["units"]
        assert now["shared"]["systems"] == {name: each[before["by"]] for name, each in before["scores"].items()}
    else:
        assert [unit["words"] for unit in now["units"]] == [unit["words"] for unit in before["units"]]


@pytest.mark.parametrize("task", TASKS)
def test_rankings_load_and_hold(task: str) -> None:
    before = saved("rank", task)
    loaded = eh.Ranking.from_json(SAVED / f"rank-{task}.json").to_dict()
    gold, systems = files(task, [system["name"] for system in before["systems"]])
    ordered = sorted(systems, key=lambda path: path.name)
    now = eh.rank(gold, ordered, task=task, resamples=50, of=forced(before)).to_dict()
    for other in (loaded, now):
        assert {each["name"]: each["standings"] for each in other["systems"]} == {
            each["name"]: each["standings"] for each in before["systems"]
        }
