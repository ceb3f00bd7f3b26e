"""The 16 participants of CoNLL 2003, English test set: exact F1 as published, from IOB1 and IOB2 files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import evenhand as eh


@pytest.fixture(scope="module")
def results(data: Path) -> eh.Results:
    folder = data / "conll2003"
    systems = sorted((folder / "systems").glob("*.tags"))
    assert len(systems) == 16
    return eh.score(folder / "gold.testb.tags", systems)


def test_exact_f1_of_all_participants(data: Path, results: eh.Results) -> None:
    with (data / "conll2003" / "expected.tsv").open() as file:
        expected = {row["system"]: float(row["seg_F1_micro"]) for row in csv.DictReader(file, delimiter="\t")}
    assert {name: round(result["exact"].f1, 6) for name, result in results.items()} == expected


def test_sizes(results: eh.Results) -> None:
    gold = results.gold
    assert (gold.tokens, gold.sentences, gold.units) == (46666, 3684, 5648)


def test_encodings_are_recognised_file_by_file(results: eh.Results) -> None:
    assert results.gold.reading.encoding == "iob2"
    iob2 = {name for name, result in results.items() if result.reading.encoding == "iob2"}
    assert iob2 == {"whitelaw", "wu"}
