"""Names that there are not, and those that may have been meant."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.errors import SettingError, nearest, unknown


def test_the_most_similar_name_letter_case_aside() -> None:
    assert nearest("Accurracy", ["exact", "ACCURACY"]) == "ACCURACY"
    assert nearest("qqq", ["exact", "fair"]) is None


def test_with_and_without_a_suggestion() -> None:
    names = ["begin", "discard"]
    assert (
        unknown("repair is 'begn'", "begn", names, "choose one") == "repair is 'begn'; did you mean begin? Choose one."
    )
    assert unknown("repair is 'x'", "x", names, "choose one") == "repair is 'x'; choose one."


def test_other_spellings_lead_to_the_name_that_is_shown() -> None:
    assert "did you mean b_cubed?" in unknown("no", "bcubd", {"bcubed": "b_cubed"}, "see")


@pytest.mark.parametrize(
    ("keywords", "meant"),
    [({"format": "conl"}, "conll"), ({"task": "tree"}, "trees"), ({"align": "charactrs"}, "characters")],
)
def test_choices_in_python(keywords: dict[str, str], meant: str) -> None:
    ((name, value),) = keywords.items()
    with pytest.raises(SettingError, match=rf"^{name} is '{value}'; did you mean {meant}\? Choose one of "):
        eh.score("gold.conll", "system.conll", **keywords)  # type: ignore[arg-type]
