"""Names of submissions, as organisers of shared tasks expect them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import ROOT
from evenhand.pipeline.inputs import unique_names

CASES = json.loads((ROOT / "tests" / "conformance" / "submission_names.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case["names"]))
def test_names_of_submissions(case: dict[str, list[str]]) -> None:
    assert unique_names(case["paths"]) == case["names"]
    assert unique_names([Path(path) for path in reversed(case["paths"])]) == case["names"][::-1]
