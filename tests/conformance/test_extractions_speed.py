"""The speed corpus of extractions: 100,000 strings, and by which steps they are found."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import KnownLabels
from evenhand.grounding.placement import place
from evenhand.grounding.search import AnswerDocument

STEPS = {
    "exact": 87_461,
    "case": 4_498,
    "absent": 3_539,
    "spaces": 1_978,
    "fuzzy": 1_658,
    "punctuation": 803,
    "tokens": 63,
}
LABELS = KnownLabels(["PER", "LOC", "ORG"])


def corpus(data: Path, folder: Path, noise: float) -> tuple[list[str], list[str]]:
    """The texts, and the lines of the system's file."""
    script = data / "extractions" / "make_speed.py"
    if not script.is_file():
        pytest.skip(f"the script that writes the speed corpus is not at {script}")
    subprocess.run([sys.executable, script, data, folder, str(noise)], check=True)
    texts = [json.loads(line)["text"] for line in (folder / "speed.gold.jsonl").read_text("utf-8").split("\n")[:-1]]
    return texts, (folder / "speed.system.jsonl").read_text("utf-8").split("\n")[:-1]


def ground(texts: list[str], lines: list[str]) -> Counter[str]:
    steps = Counter[str]()
    for text, line in zip(texts, lines, strict=True):
        answer = read_answer(json.loads(line)["entities"], "json", LABELS, None, text)
        steps.update([each.status for each in place(AnswerDocument(text), answer.items).placements])
    return steps


@pytest.mark.long
def test_strings_are_found_by_the_same_steps(data: Path, tmp_path: Path) -> None:
    assert ground(*corpus(data, tmp_path, 1.0)) == STEPS
