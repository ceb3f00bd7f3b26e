"""The units that a page carries, where it may not carry all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.comparison.units import CollectedUnits, Collection
from evenhand.tasks.registry import TASKS
from evenhand.tasks.spans import evaluation as portion

EXAMPLE = TASKS["spans"].example
FOLDER = Path(eh.__file__).parent / "examples" / EXAMPLE.folder


def collected(limit: int) -> Collection:
    systems = [FOLDER / name for name in EXAMPLE.systems]
    return eh.report(FOLDER / EXAMPLE.gold, systems, limit=limit, trials=0, resamples=0).units


def places(collection: Collection, units: CollectedUnits) -> list[tuple[int, ...]]:
    """Sentence, start, end and what systems say of it."""
    number = [collection.sentences[place].number for place in units.sentence.tolist()]
    tables = (*units.answers.tolist(), *units.surplus[None].tolist())
    return list(zip(number, units.start.tolist(), units.end.tolist(), *tables, strict=True))


@pytest.mark.parametrize("room", [0, 1, 25])
def test_units_that_differ_come_before_those_that_all_have_right(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions are small, so that units that all have right are met before others that take their room."""
    monkeypatch.setattr(portion, "PORTION", 10)
    whole = collected(10_000)
    units = whole.units()
    right = [number for (kind, *_), number in whole.classes.items() if TASKS["spans"].kinds[kind] == "TP"]
    is_plain = np.isin(units.classes, right).all(axis=0)
    assert np.count_nonzero(is_plain) > 40
    limit = np.count_nonzero(~is_plain) + room
    first = np.concatenate((np.flatnonzero(~is_plain), np.flatnonzero(is_plain)))[:limit]
    some = collected(limit)
    assert places(some, some.units()) == places(whole, units.take(np.sort(first)))
    assert (some.carried, some.met) == (limit, whole.met)


@pytest.mark.parametrize("limit", [0, 1, 40])
def test_a_page_carries_no_more_than_it_may(limit: int) -> None:
    some = collected(limit)
    assert len(some.units()) == some.carried == limit
    assert some.units().classes.shape == (len(EXAMPLE.systems), limit)
