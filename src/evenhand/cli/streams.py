"""Standard streams that a command can rely on, whatever they were when it was started: open, and with every character.

A closed standard input is empty, a closed standard error is silent, and writing to a closed standard output is an error
of the system. Without this, the next file that is opened would take the place of the closed stream.
"""

from __future__ import annotations

import codecs
import os
import sys
from typing import Any

_PLAIN = {"─": "-", "█": "#", "–": "-", "—": "-", "→": ">", "±": "~", "³": "3", "…": ".", "≥": ">", "≤": "<", "−": "-"}
"""What stands for characters of tables where the encoding of a terminal has none; as wide as they are."""
_ESCAPED = "evenhand-plain"


def steady_streams() -> None:
    """Open standard streams that are closed, and let others show what their encodings lack."""
    if sys.stdin is None:
        sys.stdin = _opened(0, os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _opened(1, os.O_RDONLY, "w")  # so that what is written raises
    if sys.stderr is None:
        sys.stderr = _opened(2, os.O_WRONLY, "w")
    codecs.register_error(_ESCAPED, _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not _is_unicode(stream.encoding):
            stream.reconfigure(errors=_ESCAPED)


def _opened(number: int, flags: int, mode: str) -> Any:
    """The stream of a descriptor that is closed, on nothing."""
    nowhere = os.open(os.devnull, flags)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
    return open(number, mode, encoding="utf-8", closefd=False)


def _is_unicode(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith("utf")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Plain characters for those of tables, escapes such as `\\u4eba` for those of data."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each) or ascii(each)[1:-1] for each in lacking), error.end
