"""One bad line in an otherwise good file is an error at that line, be it among the first lines or far behind them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evenhand as eh

WORD = "{}\tw\tw\tNOUN\tNN\t_\t{}\t{}\t_\t_"
TEXT = json.dumps({"text": "Ada lives", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
GOOD = {
    "conll": (["Ada\tB-PER", "x\tO", ""], "Ada"),
    "conll with blanks": (["Ada   NNP  B-PER", "x  NN    O", ""], "x NN O O"),
    "conll of tags alone": (["B-PER", "O", ""], "Ada O"),
    "germeval": (["1\tBank\tB-ORG\tO", "2\tTurin\tI-ORG\tB-LOCpart", ""], "2\tTurin\tI-ORG"),
    "spans": (["PER\t1\t2", "LOC\t4\t4", ""], "LOC\t5\t4"),
    "spans with lists of tokens": (["PER\t1\t3\t1, 3", "LOC\t4\t4\t4", ""], "LOC\t5\t6\t5, 7"),
    "spans between blanks": (["PER 1 2", "LOC 4 4", ""], "LOC 4"),
    "jsonl": ([TEXT] * 3, "{"),
    "jsonl with tags": (['{"tokens": ["a", "b"], "tags": ["O", "B-X"]}'] * 3, '{"tokens": ["a", "b"], "tags": ["O"]}'),
    "conllu": (
        [WORD.format(1, 0, "root"), WORD.format(2, 1, "obj"), WORD.format(3, 1, "obj"), ""],
        WORD.format("x", 1, "obj"),
    ),
    "brackets": (["(S (NP (NN a)) (VP (VB b)))"] * 3, "(S (NP a b))"),
}
"""Some good lines of each kind of file, again and again, and a bad one."""


@pytest.mark.parametrize("number", [2, 2000])
@pytest.mark.parametrize("kind", GOOD)
def test_a_bad_line(tmp_path: Path, kind: str, number: int) -> None:
    good, bad = GOOD[kind]
    lines = (good * 3000)[:3000]
    at = number - 1
    lines[at] = bad if lines[at] else bad + "\n"
    path = tmp_path / "file.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(path, path, task="spans" if kind == "brackets" else None)
    assert str(error.value).startswith(f"{path}:{number}: "), error.value


@pytest.mark.parametrize("number", [2, 2000])
def test_a_bad_line_of_brat(tmp_path: Path, number: int) -> None:
    (tmp_path / "d.txt").write_text("Ada " * 3000)
    lines = [f"T{at}\tPER {4 * at} {4 * at + 3}\tAda" for at in range(3000)]
    lines[number - 1] = "T1\tPER 0\tAda"
    (tmp_path / "d.ann").write_text("\n".join(lines) + "\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.read(tmp_path / "d.ann")
    assert str(error.value).startswith(f"{tmp_path / 'd.ann'}:{number}: "), error.value


@pytest.mark.parametrize("number", [2, 2000])
def test_a_bad_record_of_a_list(tmp_path: Path, number: int) -> None:
    records = [TEXT] * 3000
    records[number - 1] = '{"text": 5}'
    path = tmp_path / "list.json"
    path.write_text("[" + ",\n".join(records) + "]\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.read(path)
    assert str(error.value).startswith(f"{path}:{number}: "), error.value
