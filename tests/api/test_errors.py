"""`errors` and `units`: one row per unit, as many as the score counts, under every measure of every task."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS, models_of

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SUMS = {"BE", "spans", "words", "tokens", "valid", "crossings", "two_or_less", "error", "skip", "pairs", "aligned"}
"""Counts that are sums of others, or do not count units."""
MEASURES = [
    (task, measure.name)
    for task in TASKS
    for measure in models_of(task)
    if not measure.instead_of_units and measure.name not in ("zero",)
]


def files(task: str) -> tuple[Path, list[Path]]:
    example = TASKS[task].example
    folder = EXAMPLES / example.folder
    return folder / example.gold, [folder / name for name in example.systems]


def check(score: Any, table: eh.Table) -> None:
    """The rows of each error type are as many as the score counts."""
    counts, types, sides = (
        score.overall.counts,
        Counter(table["type"]),
        Counter(zip(table["side"], table["type"], strict=True)),
    )
    if "gold_hits" in counts:
        assert sides["gold", "hit"] == counts["gold_hits"]
        assert sides["gold", "missed"] == counts["gold"] - counts["gold_hits"]
        assert sides["system", "hit"] == counts["system_hits"]
        assert sides["system", "spurious"] == counts["system"] - counts["system_hits"]
    elif {"correct", "gold", "system"} <= set(counts):
        missing, extra = types["missing"], types["extra"]
        assert len(table) - extra == counts["gold"]
        assert len(table) - missing == counts["system"]
    elif {"common", "key", "response"} <= set(counts):
        assert types == Counter(
            common=counts["common"],
            missing=counts["key"] - counts["common"],
            spurious=counts["response"] - counts["common"],
        )
    elif score.name.startswith(("complete", "crossing")):
        right = "complete" if score.name.startswith("complete") else "no_crossing"
        assert types[right] == counts[right]
        assert len(table) == counts["valid"] + counts.get("failed", 0) * ("-all" in score.name)
    else:
        kinds = {kind: count for kind, count in counts.items() if kind not in SUMS and count}
        kinds.pop("TN", None)
        if score.name in ("ts", "t"):
            kinds = {kind: counts[kind] for kind in ("TP", "FP", "FN")}
        if score.name == "leak":
            kinds = {kind: counts[kind] for kind in ("covered", "partial", "exposed")}
        if score.name == "accuracy" or score.name.startswith("tagging"):
            whole = counts.get("words", counts.get("tokens"))
            right = counts.get("right", counts.get("correct"))
            kinds = {("right" if "right" in counts else "correct"): right, "wrong": whole - right}
        assert types == Counter({kind: count for kind, count in kinds.items() if count})


@pytest.mark.parametrize(("task", "match"), MEASURES)
def test_rows_are_as_many_as_the_score_counts(task: str, match: str) -> None:
    gold, systems = files(task)
    results = eh.score(gold, systems, task=task, match=match)
    for name, result in results.items():
        check(result[match], result.units(match))
        correct = sum(1 for _ in result.units(match)) - len(result.errors(match))
        assert correct >= 0, name
