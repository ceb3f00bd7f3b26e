"""The shape of answers is seen from the first of them."""

from __future__ import annotations

import pytest

from evenhand.grounding.answers import shape_of

PROSE = "I cannot help with that."


@pytest.mark.parametrize(
    ("answers", "shape"),
    [
        ([[{"text": "Ada"}], {"PER": []}, PROSE], "json"),
        (['["Ada"]', '\n {"PER": []}', "<PER>Ada</PER>"], "json"),
        (["Sure:\n```json\n[]\n```"], "json"),
        (["<think>Is <PER>Ada</PER> one?</think>[]"], "json"),
        (["Here is the list: [['Ada', 'PER']]"], "json"),
        (["Ada <PER>met</PER> Bob", "@@Ada##", "PER: Ada"], "xml"),
        (['<span class="PER">Ada</span>', "[Ada]", "Bob", "Eve"], "xml"),
        (["a <b and b> c", "@@Ada## met", "[Ada](PER)"], "marks"),
        (["[Ada](PER) met Bob", "[Bob](PER) met Ada"], "markdown"),
        (["PER: Ada"], "lines"),
        (["Ada (PER)  \nRome (LOC)"], "lines"),
        ([PROSE, "Ada (PER)"], "lines"),
        (["none", "no entities", None, "", "Ada (PER)"], "lines"),
        ([], "json"),
        (["none", None], "json"),
        ([PROSE], "json"),
    ],
)
def test_shapes(answers: list[object], shape: str) -> None:
    assert shape_of(answers) == shape


def test_twenty_answers_are_looked_at() -> None:
    assert shape_of([PROSE] * 19 + ["PER: Ada"]) == "lines"
    assert shape_of([PROSE] * 20 + ["PER: Ada"]) == "json"
