"""How much freed memory a process keeps for itself."""

from __future__ import annotations

_LARGEST = (1 << 25) - (1 << 13)


def keep_freed_memory() -> None:
    """Have the C library of Linux keep up to 64 MB of freed memory, for processes that only Evenhand works in.

    Else it gives memory back to the system, to fetch it again for the next block, which takes longer than to work on
    it. How much it keeps follows the largest piece that was ever freed; this one is never touched. Programs that use
    Evenhand as a library are left as they are: it is their memory.
    """
    bytes(_LARGEST)
