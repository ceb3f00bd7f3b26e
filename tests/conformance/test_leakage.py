"""Leakage of WNUT-17's systems and of de-identified texts of MEDDOCAN, by brute force over sets of atoms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "agreement.json").read_text())["leak"]
TOLERANCE = 1e-9


def assert_figures(score: eh.ModelScore, expected: dict[str, Any]) -> None:
    """All figures, overall and by label, and no other label."""
    assert set(score.labels) == set(expected["labels"])
    rows = {label: (score.labels[label], figures) for label, figures in expected["labels"].items()}
    for row, figures in (*rows.values(), (score.overall, expected)):
        found = {**row.counts, **row.more}
        assert found == pytest.approx(
            {name: found for name, found in figures.items() if name != "labels"}, abs=TOLERANCE
        )


@pytest.mark.parametrize("system", FIGURES["wnut17"])
def test_wnut_17(data: Path, system: str) -> None:
    result = eh.score(data / "wnut17" / "gold.conll", data / "wnut17" / "systems" / f"{system}.conll", match="leak")
    assert_figures(result["leak"], FIGURES["wnut17"][system])
    assert result["leak"].headline == result["leak"].overall.recall
