"""Processes that take parts of the work: started, replaced when they die, and ended whatever happens.

They are started with "spawn", as the one way that is right everywhere. A copy of this process ("fork") begins at once,
but may hang where there are threads, and NumPy's library has some; a server that makes copies ("forkserver") has to
load everything once too, and is shared with whoever else uses it in the same program. A new process takes a third of
a second to load what it needs, all of them at once, and work that is shorter is not divided. This module loads little
itself, so that processes can be started while the one that starts them still loads what it needs.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING

from evenhand.engines.starting import starting_processes
from evenhand.memory import keep_freed_memory
from evenhand.problems import EvenhandError
from evenhand.registry import PluginWarning

if TYPE_CHECKING:
    from evenhand.pipeline.run import Run
    from evenhand.pipeline.work import Work

_NEEDED = ("evenhand.pipeline.work", "evenhand.formats.columns")
"""What most work needs; the rest is loaded with its first part."""
LARGE = 16 << 20
"""How many bytes work must have to be divided: else, processes take longer to start than it takes."""
_MOST_DEATHS = 3
"""How often processes are replaced."""
_MOST_ON_WINDOWS = 61


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerError(EvenhandError):
    """Processes that die again and again."""


class Workers:
    """Some processes. Each holds the end of a pipe, and ends when nobody holds the other one any more.

    So none is left behind, even if this process is killed.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs, self._deaths = jobs, 0
        self._start()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def load(self) -> None:
        """Start the processes now, and have them load what they need."""
        with starting_processes():
            for _ in range(self._jobs):
                self._pool.submit(_load)

    def submit(self, part: Work) -> Future[Run]:
        """Have a part done. The answer is a `BrokenProcessPool` if the process that has it dies, or another one."""
        try:
            with starting_processes():
                return self._pool.submit(part.run)
        except BrokenProcessPool as error:
            failed: Future[Run] = Future()
            failed.set_exception(error)
            return failed

    def replace(self) -> None:
        """Start anew when a process has died; an error if that was too often."""
        self._end()
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise WorkerError(
                f"Processes that score died {self._deaths} times; they were killed, or there is too little memory for "
                f"{self._jobs} of them: choose fewer --jobs."
            )
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self._held, self._leash = context.Pipe(duplex=False)
        most = _MOST_ON_WINDOWS if sys.platform == "win32" else self._jobs
        self._pool = ProcessPoolExecutor(min(self._jobs, most), context, _begin, (self._held,))

    def _end(self) -> None:
        """End all processes at once, whatever they are doing, and wait until they are gone."""
        self._leash.close()
        self._held.close()
        self._pool.shutdown(cancel_futures=True)


def _begin(leash: Connection) -> None:
    """What a process does first: it leaves interrupts to the one that started it, and watches out for its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    warnings.simplefilter("ignore", PluginWarning)  # the one that started it shows them
    Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    try:
        leash.recv_bytes()  # nobody ever sends any
    except (EOFError, OSError):
        os._exit(1)


def _load() -> None:
    for name in _NEEDED:
        import_module(name)
