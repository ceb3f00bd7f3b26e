"""What a process does with memory that it no longer needs."""

from __future__ import annotations

import atexit
import gc

_LARGEST = (1 << 25) - (1 << 13)
_OBJECTS = 1_000_000
"""How many new objects make a search worth it."""


def keep_freed_memory() -> None:
    """Have the C library of Linux keep up to 64 MB of freed memory, for processes that only Evenhand works in.

    Else it gives memory back to the system, to fetch it again for the next block, which takes longer than to work on
    it. How much it keeps follows the largest piece that was ever freed; this one is never touched. Programs that use
    Evenhand as a library are left as they are: it is their memory.
    """
    bytes(_LARGEST)


def search_seldom() -> None:
    """Have Python seldom search for objects that only refer to each other, and not at its end, for the same processes.

    There are next to none: what blocks hold is freed at once. The searches take a tenth of the time of a small command.
    """
    gc.set_threshold(_OBJECTS)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
