"""The engine that runs on several cores of this machine: parts of the work in processes, their runs put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from itertools import chain, islice
from multiprocessing import current_process

from evenhand.arguments import check_kind
from evenhand.dataclass import dataclass
from evenhand.engines.joining import Joining
from evenhand.engines.parts import SMALLEST, parts
from evenhand.engines.workers import WorkerError, Workers, cores
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Engine, Work, serial
from evenhand.problems import EvenhandError, SettingError

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

    def engine(work: Work) -> Run:
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


def _divided(work: Work, jobs: int, smallest: int, workers: Workers | None) -> Run:
    with closing(parts(work, jobs, smallest)) as found:
        first, second = next(found), next(found, None)
        if second is None:
            return serial(work)
        joining = Joining(work)
        with closing(_runs(chain((first, second), found), jobs, workers)) as runs:
            for run in runs:
                joining.add(run)
    return joining.finish()


def _runs(found: Iterator[Work], jobs: int, started: Workers | None) -> Generator[Run, None, None]:
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

    part: Work
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

    def add(self, part: Work) -> None:
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
