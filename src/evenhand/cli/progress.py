"""How far a command is: a line on a terminal, for work that takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

_PATIENCE = 1.0
"""For how many seconds nothing is shown."""


@contextmanager
def counter(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """What takes the number of things that are done and that of all; None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    begin, width = monotonic(), 0

    def count(done: int, of: int) -> None:
        nonlocal width
        if monotonic() - begin >= _PATIENCE:
            line = f"{done:,} of {of:,} {what}"
            width = max(width, len(line))
            sys.stderr.write(f"\r{line}")
            sys.stderr.flush()

    try:
        yield count
    finally:
        if width:
            sys.stderr.write(f"\r{' ' * width}\r")
            sys.stderr.flush()
