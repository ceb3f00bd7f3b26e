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


SYSTEMS = ("baseline", "disturbed")


def meddocan(data: Path, system: str, match: str, **options: Any) -> eh.Result:
    folder = data / "agreement" / "meddocan"
    return eh.score(folder / "gold", folder / system, match=match, **options)


@pytest.mark.parametrize("system", SYSTEMS)
def test_leakage_of_meddocan(data: Path, system: str) -> None:
    """Four of the eight texts begin with a byte order mark that offsets count."""
    assert_figures(meddocan(data, system, "leak")["leak"], FIGURES[f"meddocan {system}"]["leak"])


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("family", ["meddocan", "i2b2"])
def test_scripts_of_shared_tasks(data: Path, family: str, system: str) -> None:
    """TP, FP, FN, precision, recall and F1 of MEDDOCAN's script and of i2b2's."""
    expected = {name: each for name, each in FIGURES[f"meddocan {system}"][family].items() if name != "leak"}
    found = meddocan(data, system, family).to_dict()["systems"][0]["scores"]
    assert set(found) == {f"{family}-{name}" for name in expected}
    for name, figures in expected.items():
        overall = found[f"{family}-{name}"]["overall"]
        assert {each: overall[each] for each in figures} == pytest.approx(figures, abs=TOLERANCE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_missing_spans_a_sentence(data: Path, system: str) -> None:
    sentences = (data / "agreement" / "meddocan" / "sentences.tsv").read_text()
    found = meddocan(data, system, "meddocan-ner", sentences=sentences)["meddocan-ner"].overall["leak"]
    assert found == pytest.approx(FIGURES[f"meddocan {system}"]["meddocan"]["leak"], abs=TOLERANCE)
    assert meddocan(data, system, "meddocan-ner")["meddocan-ner"].overall.more == {"leak": None}
