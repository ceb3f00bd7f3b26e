"""The spans of a sentence, as a page draws them."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import Row, pairs, rows
from evenhand.tasks.spans import comparison as drawing
from evenhand.tasks.spans.comparison import SpanDrawing


def drawn(row: Row) -> tuple[int, ...]:
    """Label, start and end behind the last token, then the tokens that are left out."""
    label, first, last, *tokens = row
    inside = tokens[0] if tokens else range(first, last + 1)
    return "ABC".index(label), first - 1, last, *(token - 1 for token in range(first, last + 1) if token not in inside)


@pytest.mark.parametrize("room", [drawing._ROOM, 10**6, 0])
@given(st.lists(st.tuples(rows(), rows()), min_size=1, max_size=6))
def test_the_rows_of_every_sentence_and_side(room: int, sentences: list[tuple[list[Row], list[Row]]]) -> None:
    """Whether equal rows are found by a table or not."""
    labels = [[("A", 1, 1), ("B", 1, 1), ("C", 1, 1)]]
    gold, system = pairs(*([*labels, *(each[side] for each in sentences), *labels] for side in (0, 1)))
    with patch.object(drawing, "_ROOM", room):
        found = SpanDrawing([gold, system])
        for number, sides in enumerate(sentences, 1):
            assert found.sides(number) == [tuple(map(drawn, side)) for side in sides]


def test_equal_rows_are_one_object() -> None:
    gold, _ = pairs([[("A", 1, 2), ("B", 4, 4)]] * 40, [[]])
    rows_of = SpanDrawing([gold]).sides
    assert rows_of(0)[0][0] is rows_of(39)[0][0]
