"""Macro averages over very many labels are resampled without a table of all groups and labels."""

from __future__ import annotations

import random
from math import isnan
from unittest.mock import patch

import evenhand as eh
from evenhand.comparison import ranking


def annotation(seed: int) -> eh.Annotation:
    chance = random.Random(seed)
    labels = [f"L{number}" for number in range(30)]
    return eh.spans(
        [[(chance.choice(labels), place, place + 2) for place in range(0, 9, 3)] for _ in range(40)],
        end="exclusive",
        lengths=[10] * 40,
    )


def test_the_intervals_are_those_of_the_table() -> None:
    gold, systems = annotation(0), {"a": annotation(1), "b": annotation(2)}
    expected = eh.rank(gold, systems, match="exact,ts,t", resamples=300)
    with patch.object(ranking, "_MOST_CELLS", 0):
        found = eh.rank(gold, systems, match="exact,ts,t", resamples=300)
    assert found.to_dict() == expected.to_dict()


def test_without_gold_labels() -> None:
    empty = eh.spans([[], []], end="exclusive", lengths=[3, 3])
    with patch.object(ranking, "_MOST_CELLS", -1):
        found = eh.rank(empty, {"a": empty}, match="ts", resamples=10)
    assert isnan(found["ts"]["a"].score)
    assert found["ts"]["a"].rank is None
