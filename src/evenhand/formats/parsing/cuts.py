"""Where a file can be cut into blocks: behind a line, behind a blank line, or before a document or table of one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

Cut = Literal["blank line", "line", "document", "table"]
"""Behind what blocks end."""
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")


def _last_line(data: bytes) -> int:
    """Where the text behind the last line begins; 0 without one."""
    return data.rfind(b"\n") + 1


def _last_blank_line(data: bytes) -> int:
    """Where the text behind the last blank line begins; 0 without one."""
    for ending in (b"\n\n", b"\n\r\n"):
        place = data.rfind(ending)
        if place >= 0:
            return place + len(ending)
    return max((match.end() for match in _BLANK_LINE.finditer(data)), default=0)


def _last_document(data: bytes) -> int:
    """Where the last document begins, in files with coreference chains; 0 where it is the first one."""
    place = data.rfind(b"\n#begin document")
    if place >= 0:
        return place + 1
    place = max(data.rfind(b"\n# newdoc" + behind) for behind in (b" ", b"\n", b"\r"))
    return _last_blank_line(data[: place + 1]) if place >= 0 else 0


def _last_table(data: bytes) -> int:
    """Where the last document of a table of HIPE begins; 0 where it is the first one."""
    return max(data.rfind(b"\n# hipe2022:document_id"), data.rfind(b"\n# document")) + 1


CUTS: dict[Cut, Callable[[bytes], int]] = {
    "blank line": _last_blank_line,
    "line": _last_line,
    "document": _last_document,
    "table": _last_table,
}
ENDS: dict[Cut, str] = {
    "blank line": "a blank line",
    "line": "a line end",
    "document": "a new document",
    "table": "a new document",
}
"""What stands behind a block, in messages."""
