"""137 inputs with the counts of the reference implementation of Ortmann 2022 (rubcompling/FairEval)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from build import pair
from declared import match_model
from evenhand.scoring.scores import score_tally
from evenhand.tasks.spans.fair import exact, fair, tally_spans, with_details

KINDS = ("TP", "FP", "FN", "LE", "BE", "BES", "BEL", "BEO", "LBE")


def _cases() -> list[Any]:
    folder = Path(__file__).parent
    all_cases = [
        case for name in ("fair_cases", "fair_random") for case in json.loads((folder / f"{name}.json").read_text())
    ]
    assert len(all_cases) == 137
    return [pytest.param(case, id=case["name"]) for case in all_cases]


@pytest.mark.parametrize("case", _cases())
def test_counts_labels_and_confusion(case: dict[str, Any]) -> None:
    gold, system = pair(case["target"], case["system"])
    tally = tally_spans(fair(gold, system), gold, system)
    expected = case["reference_output"]
    for focus, labels in (("target", expected["per_label"]), ("system", expected["per_label_focus_system"])):
        score = score_tally(match_model("fair", focus=focus), tally, {})
        score = with_details(score, {"fair": tally})
        assert {kind: score.overall[kind] for kind in KINDS} == {kind: expected[kind] for kind in KINDS}
        found = {label: {kind: row[kind] for kind in KINDS} for label, row in score.labels.items()}
        assert _occurring(found) == _occurring(labels)
        assert score.precision == pytest.approx(expected["Prec"])
        assert score.recall == pytest.approx(expected["Rec"])
        assert score.f1 == pytest.approx(expected["F1"])
    assert score.confusion == _confusion(expected["conf"], {row[0] for row in case["target"] + case["system"]})


@pytest.mark.parametrize("case", _cases())
def test_traditional_counts_where_no_span_is_repeated(case: dict[str, Any]) -> None:
    """The reference tests membership, so its figures differ where a span is repeated, and only there."""
    gold, system = pair(case["target"], case["system"])
    tally = tally_spans(exact(gold, system), gold, system)
    overall = score_tally(match_model("exact"), tally, {}).overall
    expected = {kind: case["reference_output"]["traditional"][kind] for kind in ("TP", "FP", "FN")}
    if _repeats(case["target"]) or _repeats(case["system"]):
        assert overall["TP"] <= expected["TP"]
    else:
        assert {kind: overall[kind] for kind in expected} == expected


def _repeats(rows: list[Any]) -> bool:
    return len({json.dumps(row) for row in rows}) < len(rows)


def _occurring(labels: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Labels with any count: the reference also lists some that it only looked at."""
    return {label: row for label, row in labels.items() if any(row.values())}


def _confusion(cells: dict[str, dict[str, int]], labels: set[str]) -> dict[str, dict[str, int]]:
    """The reference's cells with our name for "no label"; in one case `_` is a label, and the two collide."""

    def name(label: str) -> str:
        return "" if label == "_" and "_" not in labels else label

    return {name(gold): {name(system): n for system, n in row.items()} for gold, row in cells.items()}
