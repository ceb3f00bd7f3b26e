"""Memory does not grow with the files, whatever the task: each is scored at two sizes, in processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from peaks import PEAK

pytestmark = pytest.mark.long

SMALL, LARGE = 16_000_000, 64_000_000
"""Sizes of the files in bytes."""
SCRIPT = f"""
import sys
import evenhand as eh
from evenhand.report.text import render

task, gold, system = sys.argv[1:]
render(eh.score(gold, [system], task=task))
{PEAK}
"""
FILES = {
    "spans": ("ner/gold.conll", "ner/crf.conll"),
    "tags": ("tags/gold.tsv", "tags/hmm.tsv"),
    "trees": ("trees/gold.conllu", "trees/neural.conllu"),
    "chains": ("chains/gold.conll", "chains/neural.conll"),
}


def repeated(source: Path, target: Path, size: int, like: Path) -> Path:
    """The file as often as the gold standard reaches the size; documents with names get new ones."""
    text = source.read_text(encoding="utf-8").rstrip("\n") + "\n\n"
    with target.open("w", encoding="utf-8") as file:
        for number in range(size // like.stat().st_size + 1):
            file.write(re.sub(r"(?m)^#begin document \((.*)\)", rf"#begin document (\g<1>-{number})", text))
    return target


@pytest.mark.parametrize("task", FILES)
def test_memory_is_flat(task: str, example: Path, tmp_path: Path) -> None:
    gold, system = (example.parent / name for name in FILES[task])
    peaks = []
    for size in (SMALL, LARGE):
        files = [repeated(path, tmp_path / f"{path.name}-{size}{path.suffix}", size, gold) for path in (gold, system)]
        command = [sys.executable, "-c", SCRIPT, task, *map(str, files)]
        peaks.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    assert peaks[1] < 400
    assert peaks[1] < peaks[0] * 1.15
