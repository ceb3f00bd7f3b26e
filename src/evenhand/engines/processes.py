"""The engine that runs on several cores of this machine: parts of the work in processes, their runs put together."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import chain
from multiprocessing import current_process

from evenhand.engines.joining import Joining
from evenhand.engines.parts import SMALLEST, parts
from evenhand.engines.run import Run
from evenhand.engines.work import Engine, Work, serial
from evenhand.engines.workers import WorkerError, Workers
from evenhand.problems import EvenhandError, SettingError

_AHEAD = 4
"""How many parts wait for each process, or for their turn to be added up."""


def processes(jobs: int = 0, smallest: int = SMALLEST) -> Engine:
    """An engine that divides work among processes: file pairs of folders, and stretches of large files.

    jobs       how many processes; 0 stands for as many as there are cores
    smallest   how many bytes a part has at least

    The run is that of `serial`, to the last bit. What is small or cannot be divided (compressed files, standard input,
    annotations) is done in this process, and so is everything once more if something is wrong with it: the message then
    is the one that a run in one process has.
    """
    if jobs < 0:
        raise SettingError(f"There cannot be {jobs} jobs; give their number, or 0 for as many as there are cores.")

    def engine(work: Work) -> Run:
        count = jobs or cores()
        weighs_tokens = work.prepared.settings.token_weight is not None
        if weighs_tokens and jobs > 1:
            raise SettingError("Sums of token weights depend on the order of additions; leave --jobs out.")
        if count == 1 or weighs_tokens or current_process().daemon:  # such a process may not start others
            return serial(work)
        try:
            return _divided(work, count, smallest)
        except WorkerError:
            raise
        except EvenhandError:
            return serial(work)

    return engine


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _divided(work: Work, jobs: int, smallest: int) -> Run:
    with closing(parts(work, jobs, smallest)) as found:
        first, second = next(found), next(found, None)
        if second is None:
            return serial(work)
        joining = Joining(work)
        with closing(_runs(chain((first, second), found), jobs)) as runs:
            for run in runs:
                joining.add(run)
    return joining.finish()


def _runs(found: Iterator[Work], jobs: int) -> Generator[Run, None, None]:
    """The runs over parts in their order; few wait at a time, whether for their turn or for a process."""
    tasks: deque[tuple[Work, Future[Run]]] = deque()
    with Workers(jobs) as workers:
        for part in found:
            tasks.append((part, workers.submit(part)))
            if len(tasks) >= _AHEAD * jobs:
                yield _next_run(tasks, workers)
        while tasks:
            yield _next_run(tasks, workers)


def _next_run(tasks: deque[tuple[Work, Future[Run]]], workers: Workers) -> Run:
    """The run over the first part, which is then let go. If a process dies, what is missing is done again."""
    while True:
        try:
            run = tasks[0][1].result()
        except BrokenProcessPool:
            workers.replace()
            again = [(part, task if _is_done(task) else workers.submit(part)) for part, task in tasks]
            tasks.clear()
            tasks.extend(again)
        else:
            tasks.popleft()
            return run


def _is_done(task: Future[Run]) -> bool:
    """Whether there is an answer that does not come from the death of a process."""
    return task.done() and not task.cancelled() and not isinstance(task.exception(), BrokenProcessPool)
