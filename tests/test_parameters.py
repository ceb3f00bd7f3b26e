"""What a declared parameter says of itself, and takes."""

from __future__ import annotations

from typing import Any

import pytest

from evenhand.errors import SettingError
from evenhand.parameters import Allowed, Parameter, parameter_values
from evenhand.tasks.registry import all_parameters, help_of, tasks_with

SHARE = Parameter(
    "share",
    "number",
    0.5,
    "A share.",
    former=("part",),
    allowed=Allowed(most=1, above=0),
)


@pytest.mark.parametrize(
    ("kind", "default", "shown"),
    [
        ("number", 1.0, "1"),
        ("number", 0.25, "0.25"),
        ("whole", 3, "3"),
        ("text", "pooled", "pooled"),
        ("flag", True, None),
        ("names", (), None),
        ("column", None, None),
    ],
)
def test_defaults_as_help_shows_them(kind: str, default: Any, shown: str | None) -> None:
    assert Parameter("x", kind, default, "Something.").shown_default == shown


def test_help_names_the_match_models_and_the_default() -> None:
    parameters = all_parameters()
    assert help_of(parameters["iou"]) == "iou: Minimum IoU for two spans to match [0.5]."
    assert help_of(parameters["subtypes"]) == "Compare relations with their subtypes (nmod:poss)."
    assert help_of(parameters["nominal"]).startswith("arcs_nom: POS tags of nouns")


def test_tasks_with_a_parameter() -> None:
    parameters = all_parameters()
    assert tasks_with(parameters["punctuation"]) == ("tags", "trees")
    assert tasks_with(parameters["levels"]) == ("spans",)


def test_names_are_texts_with_commas_or_lists() -> None:
    names = Parameter("names", "names", (), "Names.")
    assert names.value("a, b") == names.value(["a", "b"]) == ("a", "b")


def test_values_outside_the_bounds_are_refused() -> None:
    for wrong in (0, 1.5, float("nan")):
        with pytest.raises(SettingError, match="it must be above 0 and at most 1"):
            SHARE.value(wrong)


def test_former_names_are_taken_but_not_both() -> None:
    assert parameter_values([SHARE], {"part": 0.25}) == {"share": 0.25}
    with pytest.raises(SettingError, match="share and part are the same option"):
        parameter_values([SHARE], {"share": 0.25, "part": 0.25})
