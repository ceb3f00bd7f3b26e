"""Damaged Parquet and Arrow files and datasets: a sentence or a score, never a traceback or the end of the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import evenhand as eh
from arrow_files import FORMS as FILES
from arrow_files import TAGS, TOKENS, error, pyarrow, save
from damaged_tables import CONTENTS, FORMS

SCRIPT = Path(__file__).parent.parent / "damaged_tables.py"


def damage(folder: Path, content: str, form: str, step: int) -> None:
    pyarrow()
    run = [sys.executable, str(SCRIPT), str(folder), content, form, str(step)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("form", [FORMS[0], *(pytest.param(form, marks=pytest.mark.long) for form in FORMS[1:])])
@pytest.mark.parametrize("content", [pytest.param("numbers", marks=pytest.mark.long), "spans"])
def test_some_flipped_bits(tmp_path: Path, content: str, form: str) -> None:
    damage(tmp_path, content, form, 29)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("content", CONTENTS)
def test_every_flipped_bit(tmp_path: Path, content: str, form: str) -> None:
    damage(tmp_path, content, form, 1)


@pytest.mark.parametrize("form", FILES)
def test_one_damaged_file_says_so(tmp_path: Path, form: str) -> None:
    path = save(tmp_path, {"tokens": TOKENS, "tags": TAGS}, form)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    name = "Parquet file" if form == "parquet" else "Arrow file or stream"
    assert error(path) == f": is no {name}, or a broken one; write it again."


def test_a_part_that_is_not_two_numbers(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 3, "label": "PER", "parts": [[0], [2, 3]]}], [], []]
    path = save(tmp_path, {"tokens": TOKENS, "spans": spans})
    with pytest.raises(eh.EvenhandError) as raised:
        eh.read(path)
    sentence = ":1: a part of the span [0, 3] 'PER' is not two numbers; list parts as [start, end]."
    assert str(raised.value) == f"{path}{sentence}"
