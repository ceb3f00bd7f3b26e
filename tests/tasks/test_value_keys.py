"""Values are told apart by a table as they are one by one, and their words are those of the text in lower case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.arrays import ints
from evenhand.data.tokens import Tokens
from evenhand.tasks.spans import values as value_keys
from evenhand.tasks.spans.leakage import words_in_lower_case
from evenhand.tasks.spans.values import Keys

KEYS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(-1, 2),
        st.sampled_from(
            ["", "a", "b", "ab", "ada", "ada l", "12345678", "123456789", "12345678a", "é", "x" * 300, "x" * 301]
        ),
    ),
    max_size=30,
)
Row = tuple[int, int, str]


def keys(rows: list[Row]) -> Keys:
    documents, labels, words = ([row[at] for row in rows] for at in range(3))
    return Keys.of(ints(documents), ints(labels), Tokens.of([str(word) for word in words]))


def check(rows: list[Row]) -> None:
    """Equal keys have equal numbers, first come first."""
    distinct = list(dict.fromkeys(rows))
    for number, first in (keys(rows).numbered(), keys(rows).numbered_one_by_one()):
        assert number.tolist() == [distinct.index(row) for row in rows]
        assert first.tolist() == [rows.index(row) for row in distinct]


@pytest.mark.property
@given(KEYS)
def test_keys_are_numbered_as_they_come(rows: list[Row]) -> None:
    check(rows)


@pytest.mark.property
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(KEYS)
@pytest.mark.parametrize("kept", [0, 1 << 63, 3 << 62])
def test_keys_that_want_the_same_place_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, kept: int, rows: list[Row]
) -> None:
    mixed = value_keys._mixed
    monkeypatch.setattr(value_keys, "_mixed", lambda numbers: mixed(numbers) & np.uint64(kept))
    check(rows)


@given(KEYS, KEYS)
def test_some_of_more_keys(rows: list[Row], more: list[Row]) -> None:
    """What is remembered of them is what they were."""
    joined = rows + more
    some = np.arange(0, len(joined), 3)
    found = keys(rows).plus(keys(more)).take(some)
    expected = [joined[row] for row in some.tolist()]
    words = found.words.texts(0, len(found))
    assert list(zip(found.document.tolist(), found.label.tolist(), words, strict=True)) == expected
    assert found.mixed.tolist() == keys(expected).mixed.tolist()


WORD = st.sampled_from(
    ["Ada", "É", "ΣΑΣ", "ΑΣ", "Σ", "İ", "ß", "ẞ", "x y", "Ǆ", "Ö", "o'Σ", "Z[@`{", "字", "𐐀", "É\0a"]
)


@pytest.mark.property
@given(st.lists(st.lists(WORD, min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_words_are_those_of_the_text_in_lower_case(sentences: list[list[str]], data: st.DataObject) -> None:
    rows: list[list[Any]] = []
    for words in sentences:
        place = st.integers(0, len(words) - 1)
        pairs = data.draw(st.lists(st.tuples(place, place), max_size=4))
        rows.append([("X", min(pair), max(pair)) for pair in pairs])
    annotation = eh.spans(rows, tokens=sentences, end="inclusive")
    found = words_in_lower_case([annotation], annotation.spans(), None)  # type: ignore[arg-type]
    assert found is not None
    spans = [(words, *span) for words, row in zip(sentences, rows, strict=True) for span in row]
    assert found.texts(0, len(found)) == [" ".join(words[first : last + 1]).lower() for words, _, first, last in spans]
