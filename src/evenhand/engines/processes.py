"""The engine for several cores of this machine: run the parts of a job in processes, and merge their runs."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import chain, islice
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from threading import RLock, Thread, active_count
from types import ModuleType

from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, SettingError
from evenhand.files import keep_freed_memory
from evenhand.formats.source import stop_observing
from evenhand.parameters import check_kind
from evenhand.pipeline.partition import SMALLEST, SMALLEST_IF_SPAWNED, WORTH, Joining, parts, size_of
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.registry import PluginWarning

_MAX_DEATHS = 3
"""How often processes that died are replaced before that is an error."""
_MAX_ON_WINDOWS = 61
_AHEAD = 4
"""Number of parts per process that wait to be run or added up."""
_HANDED_OUT = 2
"""Maximum number of parts that another process has: one in progress, and the next one."""
_SCRIPT = RLock()
"""A lock that is held while `__main__` is replaced."""


@contextmanager
def starting_processes() -> Iterator[None]:
    """Start processes without the parent's signal handlers and `__main__`."""
    with _block_interrupts(), _without_script():
        yield


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Leave interrupts to the process that the user started, which ends all others.

    Threads and processes inherit blocked signals. On systems without `pthread_sigmask`, workers also report that they
    were interrupted.
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
    """Hide the script, which processes would otherwise run to import functions from it.

    They need none, and a script may call `score` without `if __name__ == "__main__"`. Only one thread at a time does
    this: another one would take the empty module for the script.
    """
    with _SCRIPT:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerError(EvenhandError):
    """Worker processes died repeatedly."""


class Workers:
    """Worker processes. Each holds one end of a pipe, and exits when the other end is closed.

    So none survives this process, even if it is killed.
    """

    def __init__(self, jobs: int, *, forks: bool = False) -> None:
        """With `forks`, processes are copies of this one, which start at once; it must have no other threads."""
        self._jobs, self._forks, self._deaths = jobs, forks, 0
        self._start()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def submit(self, part: Job) -> Future[Run]:
        """Run a part. The result is a `BrokenProcessPool` error if any of the processes dies."""
        try:
            with starting_processes():
                return self._pool.submit(part.run)
        except BrokenProcessPool as error:
            failed: Future[Run] = Future()
            failed.set_exception(error)
            return failed

    def replace(self) -> None:
        """Start new processes after one died. Raise an error if that happened too often."""
        self._end()
        self._deaths += 1
        if self._deaths > _MAX_DEATHS:
            raise WorkerError(
                f"Processes that score died {self._deaths} times; they were killed, or there is too little memory for "
                f"{self._jobs} of them: choose fewer --jobs."
            )
        self._start()

    def _start(self) -> None:
        context = get_context("fork" if self._forks else "spawn")
        self._held, self._leash = context.Pipe(duplex=False)
        ends = (self._held, self._leash) if self._forks else (self._held,)
        limit = _MAX_ON_WINDOWS if sys.platform == "win32" else self._jobs
        self._pool = ProcessPoolExecutor(min(self._jobs, limit), context, _begin, ends)

    def _end(self) -> None:
        """Kill all processes, and wait until they have exited."""
        self._leash.close()
        self._held.close()
        self._pool.shutdown(cancel_futures=True)


def _begin(held: Connection, leash: Connection | None = None) -> None:
    """Initialise a process: it leaves interrupts to its parent, and exits with it."""
    if leash is not None:  # a copy of the parent has its end of the pipe, too, and its progress bar
        leash.close()
        stop_observing()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    warnings.simplefilter("ignore", PluginWarning)  # the parent shows them
    Thread(target=_end_with, args=(held,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    try:
        leash.recv_bytes()  # nothing is ever sent
    except (EOFError, OSError):
        os._exit(1)


def processes(
    jobs: int = 0, smallest: int | None = None, *, forks: bool = False, report: Callable[[str], None] | None = None
) -> Engine:
    """An engine that divides jobs among processes: file pairs of folders, and parts of large files.

    jobs       number of processes, including this one; 0 for one per core
    smallest   minimum size of a part in bytes
    forks      start processes as copies of this one, which takes no time; only on Linux and without other threads, as
               the command line does
    report     receives a sentence on how the job was divided

    `serial` gives the same run, bit by bit. Small or indivisible jobs (compressed files, standard input,
    annotations) run in this process. On an error, everything is rerun in this process, and that result or error counts.
    """
    check_kind("jobs", jobs)
    if jobs < 0:
        raise SettingError(f"jobs is {jobs}; use 1 or more, or 0 for one per core.")
    size = (SMALLEST if forks else SMALLEST_IF_SPAWNED) if smallest is None else smallest
    tell = report or (lambda sentence: None)

    def engine(job: Job) -> Run:
        count = jobs or cores()
        weighs_tokens = job.has_fractions
        if weighs_tokens and jobs > 1:
            raise SettingError("Sums of token weights depend on the order of additions; remove --jobs.")
        function = _function_of_script(job)
        if function is not None and jobs > 1:
            remedy = "define it in a module that they can import, or remove jobs"
            raise SettingError(f"The function {function} cannot be passed to other processes; {remedy}.")
        if (
            count == 1 or weighs_tokens or function is not None or current_process().daemon
        ):  # a daemon must not start processes
            tell("One process: there is one core." if count == 1 else "One process: this job cannot be divided.")
            return serial(job)
        try:
            return _run_parts(job, count, size, forks, tell)
        except WorkerError:
            raise
        except EvenhandError:
            return serial(job)

    return engine


def _function_of_script(job: Job) -> str | None:
    """The name of a function in `match` that other processes cannot import: they do not run the user's script."""
    for name, function in job.prepared.settings.functions.items():
        try:
            pickle.dumps(function)
        except (pickle.PicklingError, AttributeError, TypeError):
            return name
        if function.__module__ == "__main__":
            return name
    return None


def may_fork() -> bool:
    """Whether this process can be copied safely: on Linux, while it has no other threads."""
    return sys.platform == "linux" and active_count() == 1


def _run_parts(job: Job, jobs: int, smallest: int, forks: bool, tell: Callable[[str], None]) -> Run:
    with closing(parts(job, jobs, smallest)) as all_parts:
        first, second = next(all_parts), next(all_parts, None)
        if second is None:
            tell(f"One process: {_why_whole(job, smallest)}.")
            return serial(job)
        joining = Joining(job)
        with closing(_runs(chain((first, second), all_parts), jobs, forks)) as runs:
            for run in runs:
                joining.add(run)
    tell(f"{jobs} processes: the input was divided into {joining.parts} parts.")
    return joining.finish()


def _why_whole(job: Job, smallest: int) -> str:
    size = size_of(job)
    if size is None or size >= WORTH * smallest:
        return "this job cannot be divided"
    return f"the input has {size / 1e6:,.1f} MB, and dividing it pays off from {WORTH * smallest / 1e6:,.0f} MB"


def _runs(all_parts: Iterator[Job], jobs: int, forks: bool) -> Generator[Run, None, None]:
    """Generate the runs of the parts in order; only a few wait at a time."""
    with Workers(jobs - 1, forks=forks) as workers:
        tasks = _PartQueue(workers, _HANDED_OUT * (jobs - 1))
        for part in all_parts:
            tasks.add(part)
            if len(tasks) >= _AHEAD * jobs:
                yield tasks.next_run()
        while len(tasks):
            yield tasks.next_run()


@dataclass
class _Task:
    """A part, and its result if a process has it."""

    part: Job
    answer: Future[Run] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether a process died without a result."""
        if self.answer is None or not self.answer.done():
            return False
        return self.answer.cancelled() or isinstance(self.answer.exception(), BrokenProcessPool)

    @property
    def is_done(self) -> bool:
        """Whether there is a result."""
        return self.answer is not None and self.answer.done() and not self.is_lost


class _PartQueue:
    """The parts in order. Some are handed out; this process runs others while it waits.

    It has already loaded all modules, so it need not be idle while the others load them.
    """

    def __init__(self, workers: Workers, limit: int) -> None:
        self._workers, self._limit = workers, limit
        self._tasks: deque[_Task] = deque()

    def __len__(self) -> int:
        return len(self._tasks)

    def add(self, part: Job) -> None:
        self._tasks.append(_Task(part))
        self._hand_out()

    def next_run(self) -> Run:
        """Return the run of the first part and drop it. If a process dies, its parts are rerun."""
        first = self._tasks[0]
        while not first.is_done:
            self._hand_out()
            if first.is_lost:
                self._replace()
            elif not self._take_one() and first.answer is not None:
                wait([first.answer])
        assert first.answer is not None
        self._tasks.popleft()
        return first.answer.result()

    def _hand_out(self) -> None:
        """Give parts to the other processes, one more than each is running."""
        free = self._limit - sum(task.answer is not None and not task.answer.done() for task in self._tasks)
        for task in islice((task for task in self._tasks if task.answer is None), max(free, 0)):
            task.answer = self._workers.submit(task.part)

    def _take_one(self) -> bool:
        """Run a part here that is not handed out; return whether there was one."""
        task = next((task for task in self._tasks if task.answer is None), None)
        if task is None:
            return False
        task.answer = Future()
        task.answer.set_result(task.part.run())
        return True

    def _replace(self) -> None:
        """Replace dead processes, and take their parts back."""
        self._workers.replace()
        for task in self._tasks:
            if not task.is_done:
                task.answer = None
