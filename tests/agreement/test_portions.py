"""Figures and places do not depend on how much text is looked at together."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.agreement import annotators
from evenhand.agreement.annotators import Matched, MatchedDocuments
from peaks import PEAK


def study(chance: random.Random) -> dict[str, eh.Annotation]:
    """Three annotators; in two of six documents their spans may overlap."""
    lengths, sides = {f"d{number}": 6 for number in range(6)}, {}
    for name in "xyz":
        by_name = {
            document: [
                (chance.choice("AB"), *sorted(chance.sample(range(length + 1), 2)))
                for _ in range(3 if document in ("d2", "d3") else chance.randint(0, 1))
            ]
            for document, length in lengths.items()
            if document != "d5" or name != "z"
        }
        sides[name] = eh.spans(by_name, lengths={each: lengths[each] for each in by_name}, name=name)
    return sides


def rounded(figures: Any) -> Any:
    """Figures without their last digits, in which the order of sums is seen."""
    if isinstance(figures, dict):
        return {name: rounded(value) for name, value in figures.items()}
    if isinstance(figures, list):
        return [rounded(value) for value in figures]
    return round(figures, 9) if isinstance(figures, float) else figures


def looked_at(sides: dict[str, eh.Annotation]) -> tuple[object, ...]:
    found = eh.agree(sides, alpha_u=True, gamma=True, samples=5, resamples=20)
    return rounded(found.to_dict()), found.conflicts(), sorted(found.adjudicated.spans().rows())


@pytest.mark.parametrize("seed", range(5))
def test_portions_do_not_matter(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sides, ready = study(random.Random(seed)), MatchedDocuments._ready
    expected = looked_at(sides)

    def one_by_one(self: MatchedDocuments, numbers: list[int]) -> Iterator[Matched]:
        for number in numbers:
            yield from ready(self, [number])

    monkeypatch.setattr(MatchedDocuments, "_ready", one_by_one)
    monkeypatch.setattr(annotators, "_is_full", lambda portion: True)
    assert looked_at(sides) == expected


# Memory of an agreement: that of a portion, however long the files are


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
