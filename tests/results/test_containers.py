"""Results and annotations as containers: what they iterate over, what is in them, and whether they can be pickled."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

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


# Everything that users get can be pickled, and shows the same when it comes back


SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "hmm", "neural")]
CHAINS = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural")]
FILES_PICKLE = {"spans": SPANS, "trees": TREES, "tags": TAGS, "chains": CHAINS}
FEW = {"trials": 50, "resamples": 20}


def made(what: str, task: str) -> Any:
    gold, one, other = FILES_PICKLE[task]
    if what == "score":
        return eh.score(gold, [one, other], task=task)
    if what == "one score":
        return eh.score(gold, one, task=task)
    if what == "compare":
        return eh.compare(gold, [one, other], task=task, show="new_error", **FEW)
    if what == "loaded":
        return eh.Comparison.from_json(eh.compare(gold, [one, other], task=task, show="new_error", **FEW).to_json())
    if what == "gate":
        return eh.gate(gold, one, other, task=task, trials=50)
    if what == "rank":
        return eh.rank(gold, [one, other], task=task, resamples=20)
    return eh.report(gold, [one, other], task=task, limit=20, **FEW)


@pytest.mark.parametrize("task", list(FILES_PICKLE))
@pytest.mark.parametrize("what", ["score", "one score", "compare", "loaded", "gate", "rank", "report"])
def test_it_comes_back_as_it_was(what: str, task: str) -> None:
    there = made(what, task)
    back = pickle.loads(pickle.dumps(there))
    assert type(back) is type(there)
    assert str(back) == str(there)
    assert back.to_dict() == there.to_dict()
    assert copy.deepcopy(there).to_json() == there.to_json()
    if what == "report":
        assert back.to_html() == there.to_html()


def test_units_are_read_again_after_it() -> None:
    there = made("compare", "spans")
    back = pickle.loads(pickle.dumps(there))
    units = [pair.units("new_error") for pair in (there.pair("crf", "tagger"), back.pair("crf", "tagger"))]
    assert len(units[0]) == 20
    assert units[0] == units[1]
    assert back.to_html() == there.to_html()


def test_annotations_go_with_it() -> None:
    """A comparison of annotations in memory has them with it, as units come from there."""
    gold, old, new = (eh.tags([tags.split()]) for tags in ("A A A", "A X A", "X A A"))
    there = eh.compare(gold, {"old": old, "new": new}, task="tags")
    back = pickle.loads(pickle.dumps(there))
    assert [unit.start for unit in back.pair("old", "new").units("new_error")] == [0]


def test_another_process_can_load_it(tmp_path: Path) -> None:
    gate = made("gate", "trees")
    (tmp_path / "gate.pickle").write_bytes(pickle.dumps(gate))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).to_json(), end='')"
    arguments = [sys.executable, "-c", code, str(tmp_path / "gate.pickle")]
    assert subprocess.run(arguments, check=True, capture_output=True, text=True).stdout == gate.to_json()


def test_a_result_is_a_mapping_of_measures(example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "crf.conll")
    assert ("fair" in result, "ts" in result, len(result)) == (True, False, 2)
    assert list(result) == list(result.keys()) == ["exact", "fair"]
    assert dict(result)["fair"] is result["fair"] is result.get("fair")
    assert [score.name for score in result.values()] == [name for name, _ in result.items()]
    assert result.predicted == sum(result.predicted_labels.values())


def test_rows_have_the_number_of_gold_units(example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "crf.conll")
    for saved in (result, eh.Result.from_json(result.to_json())):
        assert {label: row.gold for label, row in saved["fair"].labels.items()} == result.gold.labels
        assert saved["exact"].labels["ORG"].support == result.gold.labels["ORG"]
        assert saved["fair"].overall.gold == result.gold.units
    words = eh.score(EXAMPLES / "tags" / "gold.tsv", EXAMPLES / "tags" / "hmm.tsv", task="tags")
    accuracy = words["accuracy"]
    assert (accuracy.labels["NOUN"].support, accuracy.overall.support) == (words.gold.labels["NOUN"], words.gold.units)
