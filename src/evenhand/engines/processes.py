"""The engine that runs on several cores of this machine: parts of the work in processes, their runs put together."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from itertools import chain, islice
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from threading import RLock, Thread
from types import ModuleType

from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, SettingError
from evenhand.files import keep_freed_memory
from evenhand.parameters import check_kind
from evenhand.pipeline.partition import SMALLEST, Joining, parts
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.registry import PluginWarning

# == engines/starting.py: What processes must not have of the one that starts them: it


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


# == engines/workers.py: Processes that take parts of the work: started, replaced whe


_NEEDED = ("evenhand.pipeline.run", "evenhand.formats.conll")
"""What most work needs; the rest is loaded with its first part."""
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

    def submit(self, part: Job) -> Future[Run]:
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


# == engines/processes.py (primary)


_AHEAD = 4
"""How many parts wait for each process, or for their turn to be added up."""
_HANDED_OUT = 2
"""How many parts another process has at most: one to work on, and one to go on with."""


def processes(jobs: int = 0, smallest: int = SMALLEST, workers: Workers | None = None) -> Engine:
    """An engine that divides work among processes: file pairs of folders, and parts of large files.

    jobs       how many processes, this one among them; 0 stands for as many as there are cores
    smallest   how many bytes a part has at least
    workers    the other processes, where they are started already

    The run is that of `serial`, to the last bit. What is small or cannot be divided (compressed files, standard input,
    annotations) is done in this process, and so is everything once more if something is wrong with it: the message then
    is the one that a run in one process has.
    """
    check_kind("jobs", jobs)
    if jobs < 0:
        raise SettingError(f"There cannot be {jobs} jobs; give their number, or 0 for as many as there are cores.")

    def engine(work: Job) -> Run:
        count = jobs or cores()
        weighs_tokens = work.has_fractions
        if weighs_tokens and jobs > 1:
            raise SettingError("Sums of token weights depend on the order of additions; leave --jobs out.")
        if count == 1 or weighs_tokens or current_process().daemon:  # such a process may not start others
            return serial(work)
        try:
            return _divided(work, count, smallest, workers)
        except WorkerError:
            raise
        except EvenhandError:
            return serial(work)

    return engine


def _divided(work: Job, jobs: int, smallest: int, workers: Workers | None) -> Run:
    with closing(parts(work, jobs, smallest)) as found:
        first, second = next(found), next(found, None)
        if second is None:
            return serial(work)
        joining = Joining(work)
        with closing(_runs(chain((first, second), found), jobs, workers)) as runs:
            for run in runs:
                joining.add(run)
    return joining.finish()


def _runs(found: Iterator[Job], jobs: int, started: Workers | None) -> Generator[Run, None, None]:
    """The runs over parts in their order; few wait at a time, whether for their turn or for a process."""
    with Workers(jobs - 1) if started is None else nullcontext(started) as workers:
        tasks = _Tasks(workers, _HANDED_OUT * (jobs - 1))
        for part in found:
            tasks.add(part)
            if len(tasks) >= _AHEAD * jobs:
                yield tasks.next_run()
        while len(tasks):
            yield tasks.next_run()


@dataclass
class _Task:
    """A part, and the answer to it from the process that has it, if one has."""

    part: Job
    answer: Future[Run] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the answer comes from the death of a process."""
        if self.answer is None or not self.answer.done():
            return False
        return self.answer.cancelled() or isinstance(self.answer.exception(), BrokenProcessPool)

    @property
    def is_done(self) -> bool:
        """Whether there is an answer, and no such one."""
        return self.answer is not None and self.answer.done() and not self.is_lost


class _Tasks:
    """The parts in their order; some are handed out, and this process takes of the others while it waits.

    It has loaded everything already, so that it need not be idle while the others do.
    """

    def __init__(self, workers: Workers, most: int) -> None:
        self._workers, self._most = workers, most
        self._tasks: deque[_Task] = deque()

    def __len__(self) -> int:
        return len(self._tasks)

    def add(self, part: Job) -> None:
        self._tasks.append(_Task(part))
        self._hand_out()

    def next_run(self) -> Run:
        """The run over the first part, which is then let go. If a process dies, what is missing is done again."""
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
        """Give parts to the other processes, so that each has one to go on with."""
        free = self._most - sum(task.answer is not None and not task.answer.done() for task in self._tasks)
        for task in islice((task for task in self._tasks if task.answer is None), max(free, 0)):
            task.answer = self._workers.submit(task.part)

    def _take_one(self) -> bool:
        """Do a part here that is not handed out, if there is one."""
        task = next((task for task in self._tasks if task.answer is None), None)
        if task is None:
            return False
        task.answer = Future()
        task.answer.set_result(task.part.run())
        return True

    def _replace(self) -> None:
        """Start other processes for those that died, and take back what these had."""
        self._workers.replace()
        for task in self._tasks:
            if not task.is_done:
                task.answer = None
