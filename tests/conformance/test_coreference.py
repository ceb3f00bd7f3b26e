"""Coreference scores: the test cases of the official CoNLL scorer, and a large document that public scorers agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

HERE = Path(__file__).parent
MODELS = {"muc": "muc", "bcub": "b_cubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
"""The names of the official scorer, and ours."""
TYPES = ("precision", "recall", "f1")


def _cases() -> list[Any]:
    rows = json.loads((HERE / "coref_testcases.json").read_text())
    assert len(rows) == 91
    return [pytest.param(row, id=f"{row['id']}-{row['metric']}") for row in rows]


def _large() -> list[Any]:
    figures = json.loads((HERE / "coref_ecbp.json").read_text())
    return [
        pytest.param(name, kind == "with_singletons", figures[kind][name], id=f"{name}-{kind}")
        for kind in ("with_singletons", "without_singletons")
        for name in figures[kind]
    ]


@pytest.mark.parametrize("row", _cases())
def test_cases_of_the_official_scorer(data: Path, row: dict[str, Any]) -> None:
    folder, model = data / "coref_official", MODELS[row["metric"]]
    found = eh.score(folder / row["key"], folder / row["response"])[model]
    expected = [row[each] for each in TYPES]
    assert [getattr(found, each) for each in TYPES] == pytest.approx(expected, rel=0, abs=1e-4)


@pytest.mark.parametrize(("name", "singletons", "figures"), _large())
def test_one_document_of_805_chains(
    data: Path, name: str, singletons: bool, figures: dict[str, dict[str, float]]
) -> None:
    folder = data / "coref_ecbp"
    result = eh.score(folder / "key.conll", folder / f"{name}.conll", singletons=singletons)
    figures = dict(figures)
    matched = figures.pop("ceaf_m", None)
    if matched is not None:
        overall = result["ceaf_m"].overall
        expected = (matched["correct"], matched["key"], matched["response"])
        assert (overall["common"], overall["key"], overall["response"]) == expected
    found = {model: {each: round(getattr(result[model], each), 6) for each in row} for model, row in figures.items()}
    assert found == figures
    assert {"muc", "b_cubed", "ceaf_e", "lea"} <= set(found)
    assert ("blanc" in found, matched is not None) == (singletons, singletons)


def test_the_document_has_what_it_should(data: Path) -> None:
    key = data / "coref_ecbp" / "key.conll"
    result = eh.score(key, key)
    assert (result.gold.documents, result.gold.chains, result.gold.units) == (1, 805, 1780)
    assert {result[model].f1 for model in result.scores} == {1.0}
