"""Marked bytes, against a look at one byte after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand import arrays as bits
from evenhand.formats.parsing.cells import Marks

TEXT = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 150)), min_size=1, max_size=12).map(
    lambda runs: b"".join(bytes([byte]) * size for byte, size in runs)
)


def check(marks: Marks, marked: list[int], size: int) -> None:
    """From every place of the text on, and before it."""
    places = np.arange(size)
    numbers = (0, 1, 3)
    for number, found in marks.following(places, numbers).items():
        for place, mark in enumerate(found.tolist()):
            expected = [each for each in marked if each >= place][number:]
            assert mark == expected[0] if expected else mark >= size
    for place, mark in enumerate(marks.before(places).tolist()):
        expected = [each for each in marked if each < place]
        assert mark == expected[-1] if expected else mark < 0


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that texts have several."""
    monkeypatch.setattr(bits, "_STEP", 64)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT)
def test_marked_bytes(data: bytes) -> None:
    text = np.frombuffer(data, dtype=np.uint8)
    check(Marks.of(text, lambda some: some == 1), [place for place, byte in enumerate(data) if byte], len(data))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT)
def test_changes(data: bytes) -> None:
    text = np.frombuffer(data, dtype=np.uint8)
    changes = [place for place, byte in enumerate(data) if byte != (data[place - 1] if place else 0)]
    check(Marks.of_changes(text, lambda some: some == 1), changes, len(data))
