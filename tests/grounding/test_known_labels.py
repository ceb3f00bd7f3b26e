"""Labels are found however a model spells them, as long as only one fits."""

from __future__ import annotations

import pytest

from evenhand.grounding.items import KnownLabels

LABELS = KnownLabels(["PER", "CLIMATE-GREENHOUSE-GASES", "creative_work", "Straße", "B-2", "+"])


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("PER", "PER"),
        ("per", "PER"),
        ("Climate Greenhouse Gases", "CLIMATE-GREENHOUSE-GASES"),
        ("creative-work", "creative_work"),
        ("STRASSE", "Straße"),
        ("B-PER", "PER"),
        ("M-per", "PER"),
        ("B-2", "B-2"),
        ("+", "+"),
        ("-", None),
        ("b-per", None),
        ("PERSON", None),
        ("", None),
    ],
)
def test_labels_are_equal_or_have_equal_letters_and_digits(written: str, found: str | None) -> None:
    assert LABELS.find(written) == found


def test_no_label_is_found_if_several_fit() -> None:
    labels = KnownLabels(["Per", "PER", "LOC"])
    assert [labels.find(each) for each in ("Per", "PER", "per", "B-per", "B-PER")] == ["Per", "PER", None, None, "PER"]
