"""GermEval 2014: every figure that the official script prints for Stanza's output (stanza.expected.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "germeval2014"


def said(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("files", [("stanza.sixcol.tsv",), ("gold.tsv", "stanza.sixcol.tsv")])
def test_every_line_of_the_script(folder: Path, files: tuple[str, ...]) -> None:
    expected = said((folder / "stanza.expected.txt").read_text())
    assert len(expected) == 80
    assert said(str(eh.germeval(*(folder / name for name in files))))[:80] == expected


def test_the_four_metrics_and_their_accuracy(folder: Path) -> None:
    result = eh.germeval(folder / "stanza.sixcol.tsv")
    assert {
        name: (round(100 * metric.f1, 2), round(100 * metric.accuracy, 2)) for name, metric in result.metrics.items()
    } == {
        "strict": (70.09, 98.28),
        "loose": (81.59, 98.67),
        "outer": (73.07, 97.16),
        "inner": (0.0, 99.41),
    }
    assert result.repairs.count == 0, "so the differences from the script do not show here"


def test_predictions_on_the_other_level(folder: Path) -> None:
    """Counted by hand in plain Python over the same file."""
    assert eh.germeval(folder / "stanza.sixcol.tsv").other_level == 50


def test_the_official_file_against_itself(folder: Path) -> None:
    """With inner entities that cross or equal their outer one (lines 13919, 64385, 79514), and an empty column."""
    result = eh.germeval(folder / "gold.tsv", folder / "gold.tsv")
    assert (result.outer.correct, result.inner.correct, result.strict.f1, result.loose.accuracy) == (6178, 515, 1, 1)
    assert result.notes == (
        *[f"{folder / 'gold.tsv'}: dropped the empty columns at the end of 1 line."] * 2,
        f"{folder / 'gold.tsv'}: the prediction is equal to the gold standard; is it the right file?",
    )
