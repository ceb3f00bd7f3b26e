"""Columns that something else than tabs separates."""

from __future__ import annotations

import re

_BLANKS = re.compile(rb"[ \t]+")


def with_tabs(data: bytes, delimiter: str) -> bytes:
    """The text with a tab for every delimiter; a tab that was none becomes a space."""
    if not delimiter.strip(" \t"):
        return _BLANKS.sub(b"\t", data)
    return b"\t".join(part.replace(b"\t", b" ") for part in data.split(delimiter.encode()))
