"""Results as JSON: the contract, indented."""

from __future__ import annotations

import msgspec

from evenhand.result.result import Results


def render(results: Results) -> str:
    return msgspec.json.format(msgspec.json.encode(results.to_dict()), indent=2).decode() + "\n"
