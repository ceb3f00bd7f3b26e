"""Slices by attributes of the string, the sentence and the document of a unit."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.comparison.attributes import capitals, digits, script


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("EU", "all"),
        ("I", "all"),
        ("Rome", "first"),
        ("New York", "first"),
        ("Bank of England", "first"),
        ("of England", "mixed"),
        ("iPhone", "mixed"),
        ("McDonald", "mixed"),
        ("EU summit", "mixed"),
        ("1st", "none"),
        ("北京", "none"),
        ("Élan", "first"),
    ],
)
def test_capitals(string: str, expected: str) -> None:
    assert capitals(string) == expected


@pytest.mark.parametrize(("string", "expected"), [("1996", "all"), ("12 - 3", "all"), ("F1", "some"), ("Ada", "none")])
def test_digits(string: str, expected: str) -> None:
    assert digits(string) == expected


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("Ada", "Latin"),
        ("Ａｄａ", "Latin"),
        ("Київ", "Cyrillic"),
        ("北京", "Han"),
        ("東京タワー", "mixed"),
        ("서울", "Hangul"),
        ("Ελλάδα", "Greek"),
        ("1996", "none"),
    ],
)
def test_script(string: str, expected: str) -> None:
    assert script(string) == expected


def sliced(gold: eh.Annotation, name: str, system: eh.Annotation | None = None) -> dict[str, int]:
    """The gold units of each slice or, of a system, its spurious units."""
    result = eh.score(gold, gold if system is None else system, match="exact", slices=name)
    pieces = result.slices[name].items()
    if system is not None:
        return {value: int(piece["exact"].overall["FP"]) for value, piece in pieces if piece["exact"].overall["FP"]}
    return {value: piece.units for value, piece in pieces if piece.units}


WORDS = [f"w{number}" for number in range(12)]


def spans(*rows: tuple[int, int], label: str = "A") -> eh.Annotation:
    return eh.spans([[(label, *row) for row in rows]], tokens=[WORDS], end="exclusive")


def test_position() -> None:
    assert sliced(spans((0, 1), (0, 12), (3, 4), (10, 12), (11, 12)), "position") == {
        "first": 2,
        "middle": 1,
        "last": 2,
    }


def test_part_of_the_document_and_its_length() -> None:
    sentences = [WORDS[:6], WORDS[:2]]
    gold = eh.spans([[("A", 0, 1), ("A", 2, 3), ("A", 5, 6)], [("A", 1, 2)]], tokens=sentences, end="exclusive")
    assert sliced(gold, "part") == {"1": 1, "2": 1, "3": 1, "4": 1}
    assert sliced(gold, "document-length") == {"8": 4}


def test_density() -> None:
    assert sliced(spans((0, 2), (1, 3)), "density") == {"0.25": 2}


def test_nested_spans() -> None:
    """The same bounds are neither inside nor around each other."""
    assert sliced(spans((0, 5), (0, 2), (3, 5), (8, 9)), "nested") == {"inside": 2, "around": 1, "neither": 1}
    same = eh.spans([[("A", 0, 2), ("B", 0, 2)]], tokens=[WORDS], end="exclusive")
    assert sliced(same, "nested") == {"neither": 2}
    assert sliced(spans((0, 5), (1, 4), (2, 3)), "nested") == {"inside": 2, "around": 1}


def test_neighbours_have_at_most_two_words_between() -> None:
    assert sliced(spans((0, 1), (3, 4), (7, 8), (11, 12)), "neighbour") == {"no": 2, "yes": 2}
    assert sliced(spans((0, 5), (1, 2)), "neighbour") == {"yes": 2}
    twice = eh.spans([[("A", 10, 12)], [("A", 0, 1)]], tokens=[WORDS, WORDS], end="exclusive")
    assert sliced(twice, "neighbour") == {"no": 2}


def test_spurious_spans_have_the_slices_of_gold_spans_around_them() -> None:
    gold, system = spans((2, 6), (9, 10)), spans((3, 4), (2, 6), (9, 10), (11, 12))
    assert sliced(gold, "nested", system) == {"inside": 1, "neither": 1}
    assert sliced(gold, "neighbour", system) == {"yes": 2}
    with_other_label = spans((2, 6), label="B")
    assert sliced(gold, "nested", with_other_label) == {"neither": 1}
    assert sliced(gold, "neighbour", with_other_label) == {"no": 1}


def test_labels_that_do_not_count_are_not_neighbours() -> None:
    gold = eh.spans([[("A", 0, 1), ("B", 2, 3)]], tokens=[WORDS], end="exclusive")
    result = eh.score(gold, gold, match="exact", labels="A", slices="neighbour,density")
    assert {value: piece.units for value, piece in result.slices["neighbour"].items()} == {"no": 1, "yes": 0}
    assert list(result.slices["density"]) == ["0.0833333"]


def test_files_without_words_have_no_strings() -> None:
    gold = eh.tags([["B-A", "O"]])
    for name in ("capitals", "frequency"):
        with pytest.raises(eh.SettingError, match=r"has no (text|words)"):
            eh.score(gold, gold, slices=name)


def test_files_without_words_have_positions() -> None:
    gold = eh.tags([["B-A", "O", "B-A"], ["O"]])
    names = ("position", "part", "density", "nested", "neighbour", "document-length")
    result = eh.score(gold, gold, match="exact", slices=",".join(names))
    expected = [{"first": 1, "last": 1}, {"1": 1, "3": 1}, {"0-0.666667": 2}, {"neither": 2}, {"yes": 2}, {"4": 2}]
    for name, units in zip(names, expected, strict=True):
        sizes = {value: piece.units for value, piece in result.slices[name].items() if piece.units}
        assert sizes == units, name
