"""HIPE 2022: the published linking scores of 16 runs, and what neleval says of the same runs.

Figures in `hipe_2022.json`: HIPE-2022-eval @d67feff (published), HIPE-scorer @6605770 and neleval 3.1.1 (run).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.results.result import Result
from evenhand.tasks.links.task import MEASURES

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("hipe_2022.json").read_text(encoding="utf-8"))
RUNS = list(FIGURES["hipe"])
HIPE = [f"hipe-{bounds}@{depth}" for bounds in ("strict", "fuzzy") for depth in (1, 3, 5)]
NELEVAL = {alias: model.name for model in MEASURES for alias in model.aliases if alias in FIGURES["neleval"][RUNS[0]]}


def files(data: Path, run: str) -> tuple[Path, Path]:
    """The gold standard and the response of a run."""
    folder = data / "relations" / "hipe-2022"
    _, _, dataset, language, _ = run.split("_")
    return folder / "gold" / f"HIPE-2022-v2.1-{dataset}-test-{language}.tsv", folder / "responses" / f"{run}.tsv"


def relaxed(data: Path, run: str) -> dict[str, Any]:
    """The published figures of ajmc map the gold standard by the table of the other data sets."""
    tables = data / "relations" / "hipe-2022" / "aliases"
    system = "ajmc" if "_ajmc_" in run else "historical"
    names = [f"gold:{tables / 'historical.tsv'}", f"system:{tables / system}.tsv"]
    return {"same_ids": names, "nil_labels": ["TIME"]}


def row(result: Result, name: str) -> list[float | None]:
    """The figures of a published row: `micro-strict-relaxed@3`."""
    kind, _, rest = name.partition("-")
    bounds, _, depth = rest.replace("-relaxed", "").partition("@")
    model = f"hipe-{bounds}" if depth == "1" else f"hipe-{bounds}@{depth}"
    score = result[model]
    if kind == "micro":
        return [score.precision, score.recall, score.f1, *(score.overall[count] for count in ("TP", "FP", "FN"))]
    spreads = [score.further["documents"][measure] for measure in ("precision", "recall", "f1")]
    return [each[name] for name in ("mean", "deviation") for each in spreads]


@pytest.mark.parametrize("run", RUNS)
def test_published_rows(data: Path, run: str) -> None:
    gold, response = files(data, run)
    results = {
        "plain": eh.score(gold, response, match=HIPE),
        "relaxed": eh.score(gold, response, match=HIPE, **relaxed(data, run)),
    }
    published = FIGURES["hipe"][run]
    assert len(published) == 16
    for name, figures in published.items():
        found = row(results["relaxed" if "relaxed" in name else "plain"], name)
        assert [None if each is None else round(each, 3) for each in found] == figures, name
    for name, counts in FIGURES["unpublished"][run].items():
        assert row(results["plain"], name)[3:] == counts, name


@pytest.mark.parametrize("run", list(FIGURES["neleval"]))
def test_measures_of_neleval(data: Path, run: str) -> None:
    assert len(NELEVAL) == 10
    result = eh.score(*files(data, run), match=list(NELEVAL.values()))
    for name, model in NELEVAL.items():
        *counts, precision, recall, f1 = FIGURES["neleval"][run][name]
        score = result[model]
        assert [score.overall[count] for count in ("TP", "FP", "FN")] == counts, name
        means = [score.further["documents"][measure]["mean"] for measure in ("precision", "recall", "f1")]
        assert means == pytest.approx([precision, recall, f1], rel=0, abs=1e-12), name


@pytest.mark.parametrize("run", list(FIGURES["weak"]))
def test_weak_match(data: Path, run: str) -> None:
    result = eh.score(*files(data, run), match=["weak_links", "weak_all"])
    for model, counts in FIGURES["weak"][run].items():
        names = ("gold_hits", "gold", "system_hits", "system")
        assert [result[model].overall[name] for name in names] == counts, model


EXAMPLES = {
    "mentions": (5, 1, 1),
    "typed_mentions": (4, 2, 2),
    "linked_mentions": (2, 2, 2),
    "links": (1, 3, 3),
    "nil": (1, 1, 1),
    "all": (2, 4, 4),
    "typed_links": (0, 4, 4),
    "typed_nil": (1, 1, 1),
    "typed_all": (1, 5, 5),
    "entities": (2, 2, 2),
}
"""TP, FP and FN of neleval 3.1.1 for the example of links."""


def json_lines(path: Path, folder: Path, target: Path) -> Path:
    """A document of brat as a JSON line, written here by hand from its lines."""
    spans: dict[str, dict[str, Any]] = {}
    for line in (path / "example.ann").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0].startswith("T"):
            label, start, end = cells[1].split(" ")
            spans[cells[0]] = {"start": int(start), "end": int(end), "label": label, "links": []}
        else:
            _, span, identifier = cells[1].split(" ")
            spans[span]["links"].append(identifier)
    record = {"text": (path / "example.txt").read_text(encoding="utf-8"), "spans": list(spans.values())}
    (folder / target).write_text(json.dumps(record) + "\n", encoding="utf-8")
    return folder / target


@pytest.mark.parametrize("form", ["brat", "tsv", "json"])
def test_the_example_of_links_in_three_formats(data: Path, tmp_path: Path, form: str) -> None:
    folder = data / "relations" / "examples" / "links"
    sides = {
        "brat": (folder / "gold", folder / "system"),
        "tsv": (folder / "gold.neleval.tsv", folder / "system.neleval.tsv"),
        "json": tuple(json_lines(folder / side, tmp_path, Path(f"{side}.jsonl")) for side in ("gold", "system")),
    }[form]
    result = eh.score(*sides, task="links", match=[*EXAMPLES, "weak_links", "weak_all", "fair"])
    found = {model: tuple(result[model].overall[kind] for kind in ("TP", "FP", "FN")) for model in EXAMPLES}
    assert found == EXAMPLES
    hits = {"weak_links": (2, 4, 2, 4), "weak_all": (3, 6, 3, 6)}
    names = ("gold_hits", "gold", "system_hits", "system")
    assert {model: tuple(result[model].overall[name] for name in names) for model in hits} == hits
    kinds = {kind: number for kind, number in result["fair"].overall.counts.items() if number}
    assert kinds == {"TP": 2, "LE.other": 1, "LE.missed": 1, "LE.over": 1, "BES": 1}
    assert result["fair"].further["ranks"] == {"other": {"2": 1}, "missed": {"2": 1}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bounds", {"strict": (1, 2, 2), "fuzzy": (1, 2, 2), "strict@3": (1, 2, 2), "fuzzy@3": (1, 2, 2)}),
        ("neighbours", {"strict": (0, 3, 3), "fuzzy": (0, 3, 3), "strict@3": (1, 2, 2), "fuzzy@3": (1, 2, 2)}),
    ],
)
def test_issues_28_and_13_of_hipe_scorer(data: Path, name: str, expected: dict[str, tuple[int, int, int]]) -> None:
    folder = data / "relations" / "examples" / "hipe"
    models = [f"hipe-{bounds}" for bounds in expected]
    result = eh.score(folder / f"{name}-gold.tsv", folder / f"{name}-system.tsv", match=models)
    found = {model: tuple(result[model].overall[kind] for kind in ("TP", "FP", "FN")) for model in models}
    assert found == {f"hipe-{bounds}": counts for bounds, counts in expected.items()}
