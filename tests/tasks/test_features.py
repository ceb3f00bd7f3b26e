"""`--column feats`: features of words are compared as sets."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

GOLD = ["Case=Nom|Number=Sing", "_", "Case=Acc|PronType=Int,Rel", "Case=Dat"]
SYSTEM = ["Number=Sing|Case=Nom", "_", "PronType=Int,Rel|Case=Acc|Case=Acc", "Case=Nom"]
"""The last word is wrong; the others have the same features in another order, or twice."""


def accuracy(result: eh.Result) -> float:
    return result["accuracy"].headline


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    for name, features in (("gold", GOLD), ("system", SYSTEM)):
        rows = [f"{n}\tw\tw\tNOUN\tN\t{each}\t0\troot\t_\t_\n" for n, each in enumerate(features, 1)]
        (tmp_path / f"{name}.conllu").write_text("".join(rows))
    return tmp_path / "gold.conllu", tmp_path / "system.conllu"


@pytest.mark.parametrize("column", ["feats", "FEATS", 6])
def test_the_order_of_features_does_not_matter(files: tuple[Path, Path], column: str | int) -> None:
    result = eh.score(*files, task="tags", column=column)
    assert (accuracy(result), result.gold.labels) == (
        0.75,
        {"Case=Acc|PronType=Int,Rel": 1, "Case=Dat": 1, "Case=Nom|Number=Sing": 1, "_": 1},
    )


def test_values_are_compared_as_they_stand(tmp_path: Path) -> None:
    for name, features in (("gold", "PronType=Int,Rel"), ("system", "PronType=Rel,Int")):
        (tmp_path / f"{name}.conllu").write_text(f"1\tw\tw\tNOUN\tN\t{features}\t0\troot\t_\t_\n")
    assert accuracy(eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", task="tags", column="feats")) == 0


def test_of_annotations(files: tuple[Path, Path]) -> None:
    gold, system = (eh.read(path, task="tags", column="feats") for path in files)
    assert accuracy(eh.score(gold, system, task="tags")) == 0.75


def test_of_tables_with_a_header(tmp_path: Path) -> None:
    for name, features in (("gold", GOLD), ("system", SYSTEM)):
        rows = [f"w{n}\tNOUN\t{each}\n" for n, each in enumerate(features)]
        (tmp_path / f"{name}.tsv").write_text("form\tupos\tfeats\n" + "".join(rows))
    assert accuracy(eh.score(tmp_path / "gold.tsv", tmp_path / "system.tsv", task="tags", column="feats")) == 0.75


def test_systems_are_compared_by_sets_too(files: tuple[Path, Path]) -> None:
    gold, system = files
    found = eh.compare(gold, {"one": gold, "two": system}, task="tags", column="feats", show="new_error")
    assert [found.scores[name] for name in ("one", "two")] == [1.0, 0.75]
    (unit,) = found.shown_units
    assert (unit.gold, unit.answers) == ("Case=Dat", {"one": "Case=Dat", "two": "Case=Nom"})


def test_labels_are_chosen_in_any_order(files: tuple[Path, Path]) -> None:
    gold, system = files
    chosen = eh.score(gold, system, task="tags", column="feats", labels=["Number=Sing|Case=Nom"])
    assert (chosen.gold.units, accuracy(chosen)) == (1, 1.0)


def test_features_are_mapped_in_any_order(files: tuple[Path, Path]) -> None:
    """The equals signs of features belong to the labels, not to the map."""
    gold, system = files
    mapped = eh.score(gold, system, task="tags", column="feats", map={"Number=Sing|Case=Nom": "Case=Dat"})
    assert (mapped.gold.labels["Case=Dat"], accuracy(mapped)) == (2, 0.75)


def test_other_columns_are_compared_as_they_stand(tmp_path: Path) -> None:
    for name, tag in (("gold", "b|a"), ("system", "a|b")):
        (tmp_path / f"{name}.conllu").write_text(f"1\tw\tw\tNOUN\t{tag}\t_\t0\troot\t_\t_\n")
    assert accuracy(eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", task="tags", column="xpos")) == 0
