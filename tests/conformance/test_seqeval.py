"""The drop-in for seqeval: what seqeval 1.2.2 returns, or raises, for random and odd inputs, to the last digit."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from evenhand.integrations import seqeval

CASES = json.loads((ROOT / "tests" / "conformance" / "seqeval_cases.json").read_text())["cases"]


def plain(value: Any) -> Any:
    """A value as JSON has it; NaN is null in the file."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else float(value)
    return int(value) if isinstance(value, np.integer) else value


def outcome(case: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    """What a call gives, in the words of the file."""
    options = dict(call["options"])
    if "scheme" in options:
        options["scheme"] = getattr(seqeval, options["scheme"])
    try:
        return {"value": plain(getattr(seqeval, call["call"])(case["y_true"], case["y_pred"], **options))}
    except Exception as error:
        return {"raises": type(error).__name__}


@pytest.mark.filterwarnings("ignore")
def test_every_call_gives_what_seqeval_gives() -> None:
    calls = [(case, call) for case in CASES for call in case["calls"]]
    assert (len(CASES), len(calls)) == (289, 4041)
    for case, call in calls:
        expected = {key: value for key, value in call.items() if key not in ("call", "options")}
        assert outcome(case, call) == expected, (case["y_true"], case["y_pred"], call["call"], call["options"])
