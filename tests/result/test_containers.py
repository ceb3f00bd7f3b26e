"""Results and annotations as containers: what they iterate over, what is in them, and whether they can be pickled."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
GOLD, CRF, TAGGER = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
FILES = sorted(path for path in EXAMPLES.rglob("*") if path.suffix in (".conll", ".conllu", ".jsonl", ".tsv", ".mrg"))


def test_a_result_has_its_match_models() -> None:
    result = eh.score(GOLD, CRF)
    assert list(result) == ["exact", "fair"]
    assert ("exact" in result, "ts" in result, 0 in result) == (True, False, False)


def test_a_row_has_its_counts_and_further_scores() -> None:
    row = eh.score(GOLD, CRF, match="leak")["leak"].overall
    assert ("covered" in row, "leak_rate" in row, "TP" in row) == (True, True, False)
    assert [*row.counts, *row.more] == list(row)


def test_a_ranking_has_its_match_models() -> None:
    ranking = eh.rank(GOLD, [CRF, TAGGER], resamples=0)
    assert list(ranking) == ["exact", "fair", "ts", "t"]
    assert ("fair" in ranking, "iou" in ranking) == (True, False)


def test_an_annotation_has_its_layers() -> None:
    annotation = eh.read(GOLD)
    assert list(annotation) == ["spans", "tags"]
    assert ("spans" in annotation, "trees" in annotation) == (True, False)


@pytest.mark.parametrize("what", ["result", "ranking", "row"])
def test_a_result_is_not_a_list_of_systems(what: str) -> None:
    """Its match models must not be taken for files."""
    result = eh.score(GOLD, CRF)
    given = {"result": result, "ranking": eh.rank(GOLD, [CRF, TAGGER], resamples=0), "row": result["exact"].overall}
    with pytest.raises(eh.EvenhandError, match="is neither a file nor an annotation"):
        eh.score(GOLD, given[what])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_annotations_of_files_can_be_pickled(path: Path) -> None:
    task = {"tags": "tags", "constituents": "constituents"}.get(path.parent.name)
    annotation = eh.read(path, task=task)
    back = pickle.loads(pickle.dumps(annotation))
    assert repr(back) == repr(annotation)
    if annotation.extractions is None:
        scores = [eh.score(each, each, task=task).to_dict()["systems"][0]["scores"] for each in (annotation, back)]
        assert scores[0] == scores[1]


def test_lines_are_the_same_after_pickling() -> None:
    there = eh.read(GOLD)
    back = pickle.loads(pickle.dumps(there))
    sides = [eh.compare(each, [eh.read(CRF), eh.read(TAGGER)], trials=0, resamples=0) for each in (there, back)]
    places = [[unit.place for unit in each.pair("crf", "tagger").units("new_error")] for each in sides]
    assert places[0] == places[1]
    assert pickle.loads(pickle.dumps(sides[0])).to_dict() == sides[0].to_dict()


def test_an_agreement_can_be_pickled_and_reads_again() -> None:
    there = eh.agree([eh.read(GOLD), eh.read(CRF), eh.read(TAGGER)], resamples=20)
    back = pickle.loads(pickle.dumps(there))
    assert back.to_dict() == copy.deepcopy(there).to_dict() == there.to_dict()
    assert [each.to_dict() for each in back.conflicts()] == [each.to_dict() for each in there.conflicts()]
