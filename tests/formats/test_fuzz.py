"""Mutated files of every format: a score or one clear sentence, never a traceback, a hang or a flood of memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh

TEXT = "Ada Lovelace lived in London 😀 ."
SEEDS = {
    "conll": "-DOCSTART-\tO\n\nAda\tB-PER\nLovelace\tI-PER\n#x\tO|B-LOC\n\n# a comment\nin\tO\nLondon\tB-LOC\n",
    "germeval": "#\turl\t[2009]\t\n1\tBank\tB-ORG\tO\n2\tTurin\tI-ORG\tB-LOCpart\n\n#\ty\n1\tx\tO\tO\t\n",
    "spans": "PER\t2\t3\t2, 3\nLOC\t1\t3\t1, 3\n\nNONE\t999\t999\t999\n\nORG\t1\t1\n\n",
    "jsonl": "".join(
        json.dumps(record, ensure_ascii=False) + "\n"
        for record in (
            {"text": TEXT, "spans": [{"start": 0, "end": 12, "label": "PER"}], "answer": "accept"},
            {"text": TEXT, "label": [[22, 28, "LOC"]]},
            {"text": TEXT, "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]},
        )
    ),
    "label-studio": json.dumps(
        [
            {
                "data": {"text": TEXT},
                "annotations": [{"result": [{"value": {"start": 0, "end": 3, "labels": ["PER"]}}]}],
            }
        ]
    ),
    "brat": "T1\tPER 0 12\tAda Lovelace\nT2\tLOC 0 3;22 28\tAda London\nR1\tIn Arg1:T1 Arg2:T2\n",
    "conllu": "# newdoc\n# text = ab c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n"
    + "".join(
        f"{id}\t{form}\tx\tX\t_\tCase=Nom|A=B\t{head}\tdep:x\t_\t_\n" for id, form, head in ((1, "a", 2), (2, "b", 0))
    )
    + "2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n3\tc\t_\tX\t_\t_\t2\tpunct\t_\t_\n\n1\td\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    "brackets": "(TOP (S (NP-SBJ (NNP Ada)) (VP (VBD slept)\n (-NONE- *T*)) (. .)))\n( (X (Y y)))\n",
}
SUFFIXES = {"brat": ".ann"}

SIGNS = [
    "\t",
    "\n",
    "\n\n",
    " ",
    "\r\n",
    *"|()#{}[],:O",
    '"',
    "B-",
    "-1",
    "0",
    "999",
    "9" * 20,
    "\0",
    "\ufeff",
    "😀",
    "\u0301",
]
PIECES = st.one_of(st.binary(max_size=3), st.sampled_from([sign.encode() for sign in SIGNS] + [b"\xff", b"\xc3"]))
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), PIECES), min_size=1, max_size=4)


def mutate(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Replace some bytes, at places given as shares of the length, by others."""
    for share, length, piece in edits:
        place = int(share * len(content))
        content = content[:place] + piece + content[place + length :]
    return content


def try_file(folder: Path, kind: str, content: bytes) -> None:
    """Read and score a file, with and without naming its format; only sentences may come out."""
    path = folder / f"mutated{SUFFIXES.get(kind, '.txt')}"
    if kind == "brat":
        path.with_suffix(".txt").write_text(TEXT)
    path.write_bytes(content)
    tracemalloc.start()
    messages = []
    for named in (kind, None):
        try:
            annotation = eh.read(path, format=named)
            check_itself(annotation, eh.score(annotation, annotation))
            if kind == "conllu":
                check_itself(annotation, eh.score(path, annotation, format=named))
        except eh.EvenhandError as error:
            messages.append(str(error))
    assert not any("\n" in message for message in messages)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def check_itself(annotation: eh.Annotation, result: eh.Result) -> None:
    """Scored against itself, everything is right."""
    if "trees" in annotation.layers:
        overall = result["las"].overall
        assert overall["correct"] == overall["gold"] == overall["system"] == annotation.corpus.token_count
    else:
        assert result["exact"].overall["FP"] == 0


def fuzz(kind: str, folder: Path, examples: int) -> None:
    @settings(max_examples=examples, deadline=2000)
    @given(EDITS)
    def run(edits: list[tuple[float, int, bytes]]) -> None:
        try_file(folder, kind, mutate(SEEDS[kind].encode(), edits))

    eh.tags([["O"]])  # loads the arrays, with memory that is freed at once
    run()


@pytest.mark.parametrize("kind", SEEDS)
def test_the_seed_itself_can_be_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"seed{SUFFIXES.get(kind, '.txt')}"
    if kind == "brat":
        path.with_suffix(".txt").write_text(TEXT)
    path.write_text(SEEDS[kind])
    annotation = eh.read(path)
    assert annotation.reading.format == kind
    assert len(annotation["trees" if kind == "conllu" else "spans"])


@pytest.mark.parametrize("kind", SEEDS)
def test_mutated_files(tmp_path: Path, kind: str) -> None:
    fuzz(kind, tmp_path, 100)


@pytest.mark.long
@pytest.mark.parametrize("kind", SEEDS)
def test_two_thousand_mutated_files(tmp_path: Path, kind: str) -> None:
    fuzz(kind, tmp_path, 2000)
