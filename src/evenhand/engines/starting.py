"""What processes must not have of the one that starts them: its interrupts, and its script."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from types import ModuleType

_SCRIPT = RLock()
"""Who holds it may put another module in place of the script."""


@contextmanager
def starting_processes() -> Iterator[None]:
    """Processes that are started now hear nothing of Ctrl-C, and do not run the script of this one."""
    with _deaf_to_interrupts(), _without_script():
        yield


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Interrupts are for the process that a user started, which ends all others.

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


@contextmanager
def _without_script() -> Iterator[None]:
    """Processes would run the script to take functions from it.

    They need none, and a script may call `score` without asking first whether it is the main one. One thread at a time
    does this: another one would take the empty script for the true one.
    """
    with _SCRIPT:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
