"""Quantile bins of InterpretEval (Fu et al. 2020) on CoNLL-2003, testb."""

from __future__ import annotations

from pathlib import Path

import evenhand as eh


def test_sentence_lengths_in_four_bins(data: Path) -> None:
    """The buckets `sLen` of neulab/InterpretEval @fb37289: bounds and gold spans."""
    folder = data / "conll2003"
    result = eh.score(
        folder / "gold.testb.tags",
        folder / "systems" / "florian.testb.tags",
        match="exact",
        slices="sentence-length=q4",
    )
    slices = result.slices["sentence-length"]
    assert {name: piece.units for name, piece in slices.items()} == {
        "1-7": 1485,
        "8-16": 1417,
        "17-31": 1457,
        "32-124": 1289,
    }
    assert sum(piece["exact"].overall["TP"] for piece in slices.values()) == result["exact"].overall["TP"]


def test_span_lengths_in_four_bins(data: Path) -> None:
    """The buckets `eLen`; the last one also has longer spans of the system."""
    folder = data / "conll2003"
    result = eh.score(
        folder / "gold.testb.tags", folder / "systems" / "florian.testb.tags", match="exact", slices="length=1,2,3,4+"
    )
    assert [piece.units for piece in result.slices["length"].values()] == [3574, 1776, 236, 62]
