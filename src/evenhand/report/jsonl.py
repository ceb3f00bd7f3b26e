"""The units of a comparison as JSON lines."""

from __future__ import annotations

import json

from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison


def render(comparison: Comparison) -> str:
    if comparison.show is None:
        raise SettingError("JSON lines hold units; ask for them with --show.")
    return "".join(json.dumps(unit.to_dict(), ensure_ascii=False) + "\n" for unit in comparison.shown_units)
