"""Interrupts (Ctrl-C) are for the process that a user started, which ends all others."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started now hear nothing of Ctrl-C.

    Signals that are held back are so in all threads and processes that come of this one. Where a system cannot do that,
    workers say that they were interrupted, too.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    import_module("multiprocessing.resource_tracker").ensure_running()  # would let signals through, if it came later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
