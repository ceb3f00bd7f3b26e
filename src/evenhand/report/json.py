"""Results as JSON: the contract, indented."""

from __future__ import annotations

import msgspec

from evenhand.result.display import Shown


def render(subject: Shown) -> str:
    return msgspec.json.format(msgspec.json.encode(subject.to_dict()), indent=2).decode() + "\n"
