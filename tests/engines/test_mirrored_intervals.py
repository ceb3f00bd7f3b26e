"""Intervals of a pair do not depend on the order of systems: from b to a they are those from a to b, mirrored."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
FILES = {
    "spans": [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")],
    "tags": [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")],
    "trees": [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")],
    "chains": [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "pairs", "neural")],
}
Interval = tuple[float, float] | None


def intervals(files: list[Path], kind: str, **options: object) -> dict[tuple[str, str, str], Interval]:
    """The interval of every pair under every score."""
    gold, *systems = files
    found = eh.compare(gold, systems, interval=kind, trials=0, resamples=300, seed=3, **options)  # type: ignore[arg-type]
    of_score = {(before, after, found.by): pair.interval for (before, after), pair in found.pairs.items()}
    further = {
        (before, after, score): change.interval
        for (before, after), pair in found.pairs.items()
        for score, change in pair.further.items()
    }
    return of_score | further


def both_ways(found: dict[tuple[str, str, str], Interval]) -> dict[tuple[str, str, str], Interval]:
    """With those of the pairs the other way round."""
    mirrored = {
        (after, before, score): None if each is None else (-each[1], -each[0])
        for (before, after, score), each in found.items()
    }
    return found | mirrored


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("task", list(FILES))
def test_two_systems(task: str, kind: str) -> None:
    gold, one, _, other = FILES[task]
    ahead = intervals([gold, one, other], kind, task=task)
    back = intervals([gold, other, one], kind, task=task)
    assert all(each is not None for each in ahead.values())
    assert both_ways(ahead) == both_ways(back)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("task", list(FILES))
def test_three_systems_in_any_order(task: str, kind: str) -> None:
    gold, *systems = FILES[task]
    first, *others = (
        both_ways(intervals([gold, *order], kind, task=task, of="documents" if task == "chains" else "sentences"))
        for order in permutations(systems)
    )
    assert len(first) >= 6
    assert all(other == first for other in others)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_names_do_not_matter(kind: str) -> None:
    gold, one, other, _ = FILES["spans"]
    ahead = eh.compare(gold, {"a": one, "b": other}, interval=kind, trials=0).pair("a", "b").interval
    back = eh.compare(gold, {"a": other, "b": one}, interval=kind, trials=0).pair("a", "b").interval
    assert ahead is not None
    assert back == (-ahead[1], -ahead[0])


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_equal_systems_have_an_interval_of_zero(kind: str) -> None:
    gold, one, _, _ = FILES["spans"]
    found = eh.compare(gold, {"a": one, "b": one}, interval=kind, trials=0).pair("a", "b")
    assert str(found.interval) == "(0.0, 0.0)"
