"""Results as JSON: the contract, indented."""

from __future__ import annotations

import msgspec

from evenhand.result.ranking import Ranking
from evenhand.result.result import Results


def render(subject: Results | Ranking) -> str:
    return msgspec.json.format(msgspec.json.encode(subject.to_dict()), indent=2).decode() + "\n"
