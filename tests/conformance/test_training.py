"""Slices by training data, leakage and bins: the figures of CoNLL-2003 (with masked words) and WNUT-17."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "causes.json").read_text())
SYSTEMS = [name for name in FIGURES["seen, masked text"] if name != "gold"]
LETTERS = str.maketrans("0123456789", "abcdefghij")


def sentences(path: Path) -> list[list[str]]:
    lines = path.read_text().splitlines()
    return [list(group) for has_words, group in groupby(lines, key=lambda line: bool(line.strip())) if has_words]


@pytest.fixture(scope="module")
def conll(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gold standard and the systems of CoNLL-2003, testb, with masked words."""
    folder = tmp_path_factory.mktemp("conll")
    masked = sentences(data / "gold_errors" / "testb.masked.conll")
    tags = {name: data / "conll2003" / "systems" / f"{name}.testb.tags" for name in SYSTEMS}
    for name, path in {"gold": data / "conll2003" / "gold.testb.tags", **tags}.items():
        pairs = zip(masked, sentences(path), strict=True)
        rows = ([f"{word.split()[0]} {tag}" for word, tag in zip(*pair, strict=True)] for pair in pairs)
        (folder / f"{name}.conll").write_text("\n\n".join("\n".join(row) for row in rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def results(conll: Path, data: Path) -> Any:
    return eh.score(
        conll / "gold.conll",
        {name: conll / f"{name}.conll" for name in SYSTEMS},
        match="exact",
        slices="seen,oov-density=0,q3,density=q4,leaked",
        train=data / "causes" / "train.masked.conll",
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_seen_on_conll_2003(system: str, results: Any) -> None:
    slices = results[system].slices["seen"]
    assert {value: piece.units for value, piece in slices.items()} == FIGURES["seen, masked text"]["gold"]
    for value, figures in FIGURES["seen, masked text"][system].items():
        overall = slices[value]["exact"].overall
        assert {name: overall[name] for name in ("TP", "FP", "FN")} == {
            name: figures[name] for name in ("TP", "FP", "FN")
        }
        assert overall.recall == pytest.approx(figures["recall"], abs=1e-9)


@pytest.mark.parametrize(("key", "slicing"), [("oDen", "oov-density"), ("eDen", "density")])
def test_bins_of_interpreteval(key: str, slicing: str, results: Any) -> None:
    """The buckets of densities of neulab/InterpretEval @fb37289; their scores are those of systems that are not here.

    The first bin also has spans that only systems have, in sentences without gold spans (density 0).
    """
    slices = results["florian"].slices[slicing]
    bins = FIGURES["interpreteval"]["Flair"]["ours"][f"{key}.bins"]
    assert [piece.units for piece in slices.values()] == [units for *_, units in bins]
    expected = [f"{low:g}" if low == high else f"{low:g}-{high:g}" for low, high, _ in bins]
    assert list(slices)[1:] == expected[1:]


def test_leakage_on_conll_2003(conll: Path, data: Path) -> None:
    figures = FIGURES["leakage, masked text"]
    leakage = eh.leakage(data / "causes" / "train.masked.conll", conll / "gold.conll")
    assert (leakage.sentences, leakage.exact.sentences) == (figures["test"], figures["exact"])
    assert (leakage.repeated, leakage.documents) == (figures["repeated inside test"], 231)
    assert leakage.sentence == (
        "45 of 3,453 test sentences (1.3 %) have five words or more and occur in the training data."
    )


def test_loose_comparison_of_masked_words(conll: Path, data: Path, tmp_path: Path) -> None:
    """The digits of masked words are identifiers, so they are replaced by letters; only case is left."""
    paths = []
    for number, path in enumerate((data / "causes" / "train.masked.conll", conll / "gold.conll")):
        rows = ([line.split() for line in sentence] for sentence in sentences(path))
        texts = ["\n".join(f"{row[0].translate(LETTERS)} {row[-1]}" for row in sentence) for sentence in rows]
        paths.append(tmp_path / f"{number}.conll")
        paths[-1].write_text("\n\n".join(texts) + "\n")
    leakage = eh.leakage(*paths)
    assert leakage.exact.sentences == FIGURES["leakage, masked text"]["exact"]
    assert leakage.loose.sentences == FIGURES["leakage, masked text"]["casefolded"]


def test_leaked_sentences_are_left_out(conll: Path, data: Path, results: Any) -> None:
    options: dict[str, Any] = {"match": "exact", "train": data / "causes" / "train.masked.conll"}
    result = eh.score(conll / "gold.conll", conll / "florian.conll", drop_leaked=True, **options)
    kept = results["florian"].slices["leaked"]["no"]
    assert (result.gold.sentences, result.gold.units) == (3453 - 126, kept.units)
    assert dict(result["exact"].overall.counts) == dict(kept["exact"].overall.counts)
    assert result.signature.endswith("|train:train.masked|drop-leaked:exact")


@pytest.mark.parametrize("system", ["arcada", "flytxt", "mic-cis"])
def test_seen_on_wnut_17(system: str, data: Path) -> None:
    figures, folder = FIGURES["wnut17 seen"], data / "wnut17"
    result = eh.score(
        folder / "gold.conll",
        folder / "systems" / f"{system}.conll",
        match="exact",
        align="position",
        slices="seen,oov",
        train=folder / "train.conll",
    )
    slices = result.slices["seen"]
    assert {value: piece.units for value, piece in slices.items() if piece.units} == figures["gold"]
    for value, counts in figures[system].items():
        assert {name: slices[value]["exact"].overall[name] for name in counts} == counts
    unseen = figures["spans with a token not in training"]
    assert result.slices["oov"]["some"].units + result.slices["oov"]["all"].units == unseen
    assert "No test span occurs in training with the same string and label." in result.notes


def test_leakage_on_wnut_17(data: Path) -> None:
    leakage = eh.leakage(data / "wnut17" / "train.conll", data / "wnut17" / "gold.conll")
    assert {
        "test": leakage.sentences,
        "exact": leakage.exact.sentences,
        "loose": leakage.loose.sentences,
        "inside_test_repeated": leakage.repeated,
    } == FIGURES["wnut17 leakage"]
