"""Findings of `make fuzz`: inputs that once ended in a traceback are refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from fuzz.seeds import saved_results

NINES = "9" * 5000
"""More digits than Python converts to a number."""
WEBANNO = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Entity|value\n\n\n#Text=Ada\n"


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("webanno", f"{WEBANNO}1-1\t0-{NINES}\tAda\tPER\n", "does not begin with the number and the offsets"),
        ("pubtator", f"1|t|Ada\n1\t0\t{NINES}\tAda\tPER\n", "is not a mention"),
        ("spans", "\t\t \t\t \n", "expected 3 or 4 columns, got 5"),
        ("brackets", "   (VP (VB go)) (. !))\n(TOP (S (NP (NN cat))\n   (VP (PP (IN on)", "no tree begins"),
    ],
)
def test_malformed_files_are_refused(format: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    task = "constituents" if format == "brackets" else None
    with pytest.raises(eh.InputError, match=message):
        eh.read(path, format=format, task=task)


def test_a_number_too_large_in_a_field_without_a_role_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chains.jsonl"
    path.write_text(f'{{"sentences": [["Ada"]], "clusters": [[[0, {NINES}]]]}}\n', encoding="utf-8")
    with pytest.raises(eh.InputError, match="integer value out of range"):
        eh.read(path, format="jsonl")


def _without_measure(saved: dict[str, Any]) -> None:
    del saved["pairs"][0]["f1"]["fair"]


def _without_pairs(saved: dict[str, Any]) -> None:
    saved["pairs"] = []


def _without_systems(saved: dict[str, Any]) -> None:
    saved["systems"] = []


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("Agreement", _without_measure, "gold and crf have other figures than all annotators"),
        ("Agreement", _without_pairs, "its pairs are not those of its annotators"),
        ("Causes", _without_systems, "it has neither one nor two systems"),
        ("Confidence", _without_systems, "it has no systems"),
    ],
)
def test_incomplete_results_are_refused(kind: str, change: Callable[[dict[str, Any]], None], message: str) -> None:
    saved = json.loads(saved_results()[kind])
    change(saved)
    with pytest.raises(eh.InputError, match=message):
        getattr(eh, kind).from_json(json.dumps(saved))
