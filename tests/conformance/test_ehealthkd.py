"""Relations: eHealth-KD 2020 with nine runs in four scenarios, and SpERT's and DyGIE++'s figures of the same runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "relations.json").read_text())
RUNS = list(FIGURES["ehealthkd"])
COUNTED = {"scenario2-taskA": "entities", "scenario3-taskB": "relations"}
SCORES = ("precision", "recall", "f1")
READ_AS: dict[str, Any] = {"sentences": "lines", "newlines": "one", "quotes": "note", "unannotated": "skip"}


@cache
def scored(folder: Path, run: str) -> Any:
    scenario = run.rpartition("/")[2]
    return eh.score(
        folder / "gold" / scenario / "scenario.ann",
        folder / run / "scenario.ann",
        task="relations",
        match=("strict", "boundaries", "relaxed", "fair", "ehealthkd"),
        ehealthkd_counts=COUNTED.get(scenario, "both"),
        **READ_AS,
    )


def types_of(score: Any, kinds: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """The counts by type that are not all 0."""
    found = {name: tuple(row[kind] for kind in kinds) for name, row in score.labels.items()}
    return {name: counts for name, counts in found.items() if any(counts)}


@pytest.mark.parametrize("run", RUNS)
def test_the_published_figures_of_ehealthkd(data: Path, run: str) -> None:
    overall = scored(data / "relations" / "ehealthkd-2020", run)["ehealthkd"].overall
    expected = FIGURES["ehealthkd"][run]
    assert len(expected) == 11
    found = {name: getattr(overall, name) if name in SCORES else overall[name] for name in expected}
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("run", [run for run in RUNS if run.startswith("Talp-UPC/run1/")])
def test_the_published_figures_hold_for_relations_without_numbers(data: Path, tmp_path: Path, run: str) -> None:
    folder = data / "relations" / "ehealthkd-2020"
    bare = re.sub(rb"(?m)^R[0-9]+\t", b"R\t", (folder / run / "scenario.ann").read_bytes())
    path = tmp_path / run / "scenario.ann"
    path.parent.mkdir(parents=True)
    path.write_bytes(bare)
    path.with_suffix(".txt").write_bytes((folder / run / "scenario.txt").read_bytes())
    (tmp_path / "gold").symlink_to(folder / "gold")
    assert scored(tmp_path, run)["ehealthkd"].overall == scored(folder, run)["ehealthkd"].overall


@pytest.mark.parametrize("model", ["strict", "boundaries"])
@pytest.mark.parametrize("run", RUNS)
def test_strict_and_boundaries_as_sincere_counts(data: Path, run: str, model: str) -> None:
    score, expected = scored(data / "relations" / "ehealthkd-2020", run)[model], FIGURES["strict_boundaries"][run]
    assert_exact(score, expected[model])


def assert_exact(score: Any, expected: Mapping[str, Any]) -> None:
    counts = tuple(score.overall[kind] for kind in ("TP", "FP", "FN"))
    assert counts == tuple(expected[kind] for kind in ("tp", "fp", "fn"))
    assert [getattr(score, name) for name in SCORES] == pytest.approx([expected[name] for name in SCORES])
    types = {name: tuple(counts) for name, counts in expected["types"].items() if any(counts)}
    assert types_of(score, ("TP", "FP", "FN")) == types


@pytest.mark.parametrize("run", RUNS)
def test_relaxed(data: Path, run: str) -> None:
    score, expected = scored(data / "relations" / "ehealthkd-2020", run)["relaxed"], FIGURES["relaxed"][run]
    counts = ("gold", "gold_hits", "system", "system_hits")
    assert {name: score.overall[name] for name in counts} == {name: expected[name] for name in counts}
    assert [getattr(score, name) for name in SCORES] == pytest.approx([expected[name] for name in SCORES])


@pytest.mark.parametrize("run", RUNS)
def test_kinds_of_errors(data: Path, run: str) -> None:
    score, expected = scored(data / "relations" / "ehealthkd-2020", run)["fair"], dict(FIGURES["kinds"][run])
    types = expected.pop("types")
    found = {name: getattr(score, name) if name in SCORES else score.overall[name] for name in expected}
    assert found == pytest.approx(expected)
    by_type = {name: {kind: n for kind, n in row.counts.items() if n} for name, row in score.labels.items()}
    assert {name: row for name, row in by_type.items() if row} == types


def test_a_line_for_each_verdict(data: Path) -> None:
    """`examples/kinds`: two relations are right, and each other verdict occurs once."""
    folder, expected = data / "relations" / "examples" / "kinds", FIGURES["examples"]["kinds"]
    gold, system = (folder / side / "example.ann" for side in ("gold", "system"))
    result = eh.score(gold, system, task="relations", sentences="lines")
    by_hand = dict(expected["by hand, a line a verdict"])
    by_name = {
        name: getattr(result["fair"], name) if name in SCORES else result["fair"].overall[name] for name in by_hand
    }
    assert by_name == pytest.approx(by_hand)
    assert_exact(result["strict"], expected["strict"])
    assert_exact(result["boundaries"], expected["boundaries"])
    assert result["relaxed"].overall["gold_hits"] == expected["relaxed"]["gold_hits"]


def test_the_order_of_the_published_table(data: Path) -> None:
    """The best run of each team in scenario 1 by its published F1."""
    folder = data / "relations" / "ehealthkd-2020"

    runs = {
        item.removesuffix("/scenario1-main"): folder / item / "scenario.ann"
        for item in RUNS
        if item.endswith("scenario1-main")
    }
    gold = folder / "gold" / "scenario1-main" / "scenario.ann"
    ranking = eh.rank(gold, runs, task="relations", match="ehealthkd", resamples=20, **READ_AS)
    published = {item: FIGURES["ehealthkd"][f"{item}/scenario1-main"]["f1"] for item in runs}
    assert list(ranking.systems) == sorted(published, key=lambda item: -published[item])


def test_corrections_minus_new_errors_are_the_difference_in_errors(data: Path) -> None:
    """Talp-UPC run 1 has 481 errors under fair, Vicomtech run 3 has 430."""
    folder = data / "relations" / "ehealthkd-2020"
    systems = {team: folder / team / "scenario1-main" / "scenario.ann" for team in ("Talp-UPC/run1", "Vicomtech/run3")}
    gold = folder / "gold" / "scenario1-main" / "scenario.ann"
    comparison = eh.compare(gold, systems, task="relations", trials=0, resamples=0, **READ_AS)
    pair = comparison.pair("Talp-UPC/run1", "Vicomtech/run3")
    assert pair.corrections.count - pair.new_errors.count == 481 - 430


def json_score(folder: Path, run: str, form: str, *models: str) -> Any:
    return eh.score(folder / f"gold.{form}", folder / f"{run}.{form}", task="relations", match=models)


@pytest.mark.parametrize("run", FIGURES["json"])
def test_json_of_spert(data: Path, run: str) -> None:
    result, expected = (
        json_score(data / "relations" / "json", run, "spert.json", "strict", "boundaries"),
        FIGURES["json"][run],
    )
    for model in ("strict", "boundaries"):
        figures = expected[f"spert_{model}"]
        found = [100 * getattr(result[model], name) for name in SCORES]
        assert found == pytest.approx([figures["micro_p"], figures["micro_r"], figures["micro_f1"]])
        rows = result[model].labels.values()  # SpERT's macro average is over the types of either side
        means = [100 * sum(getattr(row, name) for row in rows) / len(rows) for name in SCORES]
        assert means == pytest.approx([figures["macro_p"], figures["macro_r"], figures["macro_f1"]])


@pytest.mark.parametrize("run", FIGURES["json"])
def test_json_of_dygie(data: Path, run: str) -> None:
    score = json_score(data / "relations" / "json", run, "dygie.jsonl", "dygie")["dygie"]
    expected = FIGURES["json"][run]["dygie"]
    tp, fp, fn = (score.overall[kind] for kind in ("TP", "FP", "FN"))
    assert (tp, tp + fp, tp + fn) == tuple(expected[name] for name in ("matched", "predicted", "gold"))
    assert [getattr(score, name) for name in SCORES] == pytest.approx([expected[name] for name in SCORES])


@pytest.mark.parametrize("run", FIGURES["json"])
def test_both_kinds_of_json_have_the_same_counts(data: Path, run: str) -> None:
    models = ("strict", "boundaries", "dygie", "relaxed", "fair")
    spert, dygie = (
        json_score(data / "relations" / "json", run, form, *models) for form in ("spert.json", "dygie.jsonl")
    )
    for model in models:
        assert spert[model].overall.counts == dygie[model].overall.counts
        assert {name: row.counts for name, row in spert[model].labels.items()} == {
            name: row.counts for name, row in dygie[model].labels.items()
        }
