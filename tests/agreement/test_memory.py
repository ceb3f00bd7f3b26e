"""Memory of an agreement: that of a portion, however long the files are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from peaks import PEAK

SENTENCE = "Ada B-PER\nKeller I-PER\nflew O\nto O\nOslo B-LOC\nand O\nto O\nthe O\nHague B-LOC\n. O\n\n"


@pytest.mark.long
def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    peaks = []
    for times in (20_000, 100_000):
        (tmp_path / "ana.conll").write_text(SENTENCE * times)
        (tmp_path / "ben.conll").write_text(SENTENCE.replace("B-LOC\nand", "B-ORG\nand") * times)
        code = f"import evenhand as eh\neh.agree(['ana.conll', 'ben.conll'], resamples=0)\n{PEAK}"
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
        peaks.append(float(done.stdout))
    assert peaks[1] < 1.1 * peaks[0]
    assert peaks[1] < 120
