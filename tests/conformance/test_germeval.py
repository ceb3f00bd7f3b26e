"""GermEval 2014: Stanza's output has the figures that the official script prints (stanza.expected.txt)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evenhand as eh


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "germeval2014"


def prf(result: eh.Result) -> tuple[float, float, float]:
    score = result["exact"]
    return tuple(round(100 * value, 2) for value in (score.precision, score.recall, score.f1))  # type: ignore[return-value]


def test_strict_combined_from_six_columns(folder: Path) -> None:
    result = eh.score(folder / "stanza.sixcol.tsv", levels="separate")
    assert (prf(result), result.units, result.gold.units) == ((74.45, 66.22, 70.09), 5953, 6178 + 515)


def test_strict_combined_from_two_files(folder: Path) -> None:
    result = eh.score(folder / "gold.tsv", folder / "stanza.sixcol.tsv", levels="separate")
    assert prf(result) == (74.45, 66.22, 70.09)
    assert result.notes[0] == "gold gold: skipped empty cells at the ends of lines (1).", "line 19728"


def test_outer_and_inner_level(folder: Path) -> None:
    paths = folder / "gold.tsv", folder / "stanza.sixcol.tsv"
    outer = eh.score(*paths, column={"gold": 3, "system": 5})
    inner = eh.score(*paths, column={"gold": 4, "system": 6})
    assert prf(outer) == (74.45, 71.74, 73.07)
    assert (prf(inner), inner.gold.units) == ((0.0, 0.0, 0.0), 515)


def test_gold_against_a_copy_of_itself(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copy(folder / "gold.tsv", tmp_path / "copy.tsv")
    result = eh.score(folder / "gold.tsv", copy)
    assert result["exact"].f1 == result["fair"].f1 == 1.0


def test_gold_against_itself_is_refused(folder: Path) -> None:
    with pytest.raises(eh.InputError, match="gold standard and system are the same layer of one file"):
        eh.score(folder / "gold.tsv", folder / "gold.tsv")
