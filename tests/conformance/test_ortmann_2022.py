"""Ortmann 2022: Tables 1 and 2, Figure 2, eq. 7, and the shares in the text that follow from its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

WEIGHTS = ("fair", "as-fp", "as-fn")


@pytest.fixture(scope="module")
def ner(data: Path) -> eh.Result:
    return eh.score(
        data / "faireval/target/ner_spans.tsv", data / "faireval/system/ner_spans.tsv", match="exact,fair,weighted"
    )


@pytest.fixture(scope="module")
def chunks(data: Path) -> eh.Result:
    return eh.score(data / "faireval/target/chunk_spans.tsv", data / "faireval/system/chunk_spans.tsv")


def percent(value: float) -> float:
    return round(100 * value, 2)


def prf(row: object) -> tuple[float, float, float]:
    return percent(row.precision), percent(row.recall), percent(row.f1)  # type: ignore[attr-defined]


def test_table_1_ner(ner: eh.Result) -> None:
    assert prf(ner["exact"]) == (86.66, 83.51, 85.05)
    assert prf(ner["fair"]) == (90.42, 87.23, 88.80)


def test_table_1_chunks(chunks: eh.Result) -> None:
    assert prf(chunks["exact"]) == (97.20, 96.39, 96.79)
    assert prf(chunks["fair"]) == (97.86, 97.86, 97.86)


TABLE_2 = {
    #       TP  FP  LE BES BEL BEO  BE LBE  FN  precision recall F1
    "LOC": (2132, 81, 56, 29, 28, 0, 57, 40, 98, 93.12, 92.43, 92.78),
    "ORG": (1002, 87, 76, 16, 27, 0, 43, 48, 167, 85.46, 80.00, 82.64),
    "OTH": (473, 48, 89, 15, 26, 3, 44, 44, 142, 77.60, 67.24, 72.05),
    "PER": (1552, 37, 31, 11, 25, 0, 36, 23, 55, 94.98, 93.95, 94.46),
}
OVERALL = (5159, 253, 252, 71, 106, 3, 180, 155, 462, 90.42, 87.23, 88.80)


def test_table_2(ner: eh.Result) -> None:
    def line(row: object) -> tuple[float, ...]:
        kinds = ("TP", "FP", "LE", "BES", "BEL", "BEO", "BE", "LBE", "FN")
        return (*(row[kind] for kind in kinds), *prf(row))  # type: ignore[index]

    assert {label: line(row) for label, row in ner["fair"].labels.items()} == TABLE_2
    assert line(ner["fair"].overall) == OVERALL


FIGURE_2_NER = {
    "LOC": {"LOC": 57, "ORG": 54, "OTH": 14, "PER": 28, "": 98},
    "ORG": {"LOC": 66, "ORG": 43, "OTH": 32, "PER": 26, "": 167},
    "OTH": {"LOC": 41, "ORG": 59, "OTH": 44, "PER": 33, "": 142},
    "PER": {"LOC": 14, "ORG": 29, "OTH": 11, "PER": 36, "": 55},
    "": {"LOC": 81, "ORG": 87, "OTH": 48, "PER": 37},
}
FIGURE_2_CHUNKS = {
    "ADVX": {"ADVX": 40, "AX": 113, "NX": 128, "PX": 14, "": 0},
    "AX": {"ADVX": 57, "AX": 334, "NX": 403, "PX": 10, "": 0},
    "NX": {"ADVX": 231, "AX": 86, "NX": 1782, "PX": 236, "": 6},
    "PX": {"ADVX": 20, "AX": 11, "NX": 141, "PX": 323, "": 0},
    "": {"ADVX": 3, "AX": 1, "NX": 0, "PX": 0},
}


def test_figure_2_ner(ner: eh.Result) -> None:
    assert ner["fair"].confusion == FIGURE_2_NER


def test_figure_2_chunks_main_labels(chunks: eh.Result) -> None:
    confusion = chunks["fair"].confusion or {}
    by_name = {
        gold: {system: confusion.get(gold, {}).get(system, 0) for system in row}
        for gold, row in FIGURE_2_CHUNKS.items()
    }
    assert by_name == FIGURE_2_CHUNKS


def test_equation_7_is_the_default_of_weighted(ner: eh.Result) -> None:
    assert prf(ner["weighted"]) == (91.14, 88.21, 89.65)


def test_earlier_proposals_give_the_f1_of_fair_section_2_2(data: Path) -> None:
    """Precision and recall differ; F1 depends on the number of errors only (eq. 4)."""
    gold, system = data / "faireval/target/ner_spans.tsv", data / "faireval/system/ner_spans.tsv"
    results = {name: eh.score(gold, system, match="weighted", weights=name)["weighted"] for name in WEIGHTS}
    assert results["as-fp"].f1 == pytest.approx(results["fair"].f1, abs=1e-12)
    assert results["as-fn"].f1 == pytest.approx(results["fair"].f1, abs=1e-12)
    assert results["as-fp"].precision < results["fair"].precision < results["as-fn"].precision


def shares(result: eh.Result, model: str) -> dict[str, int]:
    row = result[model].overall
    kinds = [kind for kind in ("LE", "BE", "LBE", "FP", "FN") if kind in row.counts]
    errors = sum(row[kind] for kind in kinds)
    return {kind: round(100 * row[kind] / errors) for kind in kinds}


def test_shares_in_section_4(ner: eh.Result, chunks: eh.Result) -> None:
    """As the paper's own tables have them: LE of NER is 19 % (the text says 30), FP of chunks 43 % (the text: 44)."""
    assert shares(ner, "exact") == {"FP": 44, "FN": 56}
    assert shares(chunks, "exact")["FP"] == 43
    assert shares(ner, "fair")["BE"] == 14
    assert shares(ner, "fair")["LE"] == 19
    assert shares(chunks, "fair")["BE"] == 59
    assert shares(chunks, "fair")["LBE"] == 34
    row = chunks["fair"].overall
    errors = sum(row[kind] for kind in ("LE", "BE", "LBE", "FP", "FN"))
    assert round(100 * (row["FP"] + row["FN"]) / errors) == 2


def test_sizes_of_section_4(ner: eh.Result, chunks: eh.Result) -> None:
    """6,178 named entities; 101,304 chunks of 16 types."""
    assert ner.gold.units == 6178
    assert (chunks.gold.units, len(chunks.gold.labels)) == (101304, 16)
