"""The metric for Hugging Face's `evaluate`, loaded from its folder by the package itself, without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.integrations.evaluate import PATH

pytest.importorskip("evaluate")
pytestmark = pytest.mark.heavy
CODE = """
import json, socket, sys

def refused(*arguments, **keywords):
    raise AssertionError("somebody asks the network")

socket.socket.connect = refused
import evaluate
from evenhand.integrations.evaluate import PATH

call = json.loads(sys.argv[1])
metric = evaluate.load(PATH)
try:
    print(json.dumps(metric.compute(**call)))
except Exception as error:
    print(json.dumps(f"{type(error).__name__}: {error}"))
"""
TRUE = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
PREDICTED = [["B-PER", "O", "O"], ["B-LOC", "O"]]


def computed(folder: Path, **call: Any) -> Any:
    """What the metric gives in a process of its own, with a cache of its own."""
    environment = {**os.environ, "HF_HOME": str(folder), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", CODE, json.dumps(call)]
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(found.stdout.splitlines()[-1])


def test_the_metric_gives_flat_figures(tmp_path: Path) -> None:
    figures = computed(tmp_path, predictions=PREDICTED, references=TRUE)
    assert figures == eh.score(eh.tags(TRUE), eh.tags(PREDICTED)).metrics()
    assert (figures["f1"], figures["LOC_f1"]) == (0.5, 1.0)
    assert figures["fair_f1"] == pytest.approx(2 / 3)


def test_options_are_those_of_score(tmp_path: Path) -> None:
    found = computed(tmp_path, predictions=PREDICTED, references=TRUE, match="fair", labels=["PER"], encoding="iob2")
    assert found == eh.score(eh.tags(TRUE), eh.tags(PREDICTED), match="fair", labels=["PER"]).metrics()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"predictions": PREDICTED, "references": TRUE[:1]}, "Mismatch"),
        (
            {"predictions": [["O"]], "references": [["O", "O"]]},
            "InputError: predictions: sentence 1 has 2 tags in the",
        ),
        ({"predictions": [[1, 0]], "references": [[1, 2]]}, "ValueError: Predictions and/or references don't match"),
        ({"predictions": TRUE, "references": TRUE, "mach": "fair"}, "SettingError: score has no option 'mach'"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, call: dict[str, Any], message: str) -> None:
    assert message in computed(tmp_path, **call)


def test_the_folder_is_part_of_the_package() -> None:
    assert Path(PATH, "evenhand.py").is_file()
