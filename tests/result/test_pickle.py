"""Everything that users get can be pickled, and shows the same when it comes back."""

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
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "hmm", "neural")]
CHAINS = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural")]
FILES = {"spans": SPANS, "trees": TREES, "tags": TAGS, "chains": CHAINS}
FEW = {"trials": 50, "resamples": 20}


def made(what: str, task: str) -> Any:
    gold, one, other = FILES[task]
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


@pytest.mark.parametrize("task", list(FILES))
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
