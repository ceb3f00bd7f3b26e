"""The engine that runs on a cluster of Dask: which cluster, and what is said where there is none.

Dask takes a second to load and may be absent, so that it is imported when work begins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

from evenhand.engines.processes import starting_processes
from evenhand.errors import EvenhandError, InputError, Problem, SettingError
from evenhand.formats.paths import FileList
from evenhand.pipeline.partition import CannotPartitionError, Joining, Pair, file_pairs, part_of, together
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.version import __version__

# == engines/dask_tasks.py: The tasks of a cluster: each takes a few file pairs and retu


Progress = Callable[[int, int], None]
"""Takes the number of file pairs that are done, and that of all."""
_ROUNDS = 8
"""How many tasks each thread of a worker gets: enough that none waits long for the last one."""
_LARGEST = 32
"""How many file pairs a task has at most, as they are scored again where a worker is lost."""
_THREADS = 8
"""As many threads a cluster is taken to have that has no workers yet."""
_BATCH = 256
"""How many tasks are sent to the scheduler at a time."""
_PATIENCE = 60
"""For how many seconds a cluster may have no worker."""
_UNSEEN = ("there is no such file", "cannot be opened")
"""How findings begin that another machine may not have."""
_GONE = "The scheduler does not answer any more; see its log, and begin again."


def run_tasks(client: Any, work: Job, pairs: Sequence[Pair], progress: Progress | None) -> Run:
    """The run over all file pairs."""
    threads = _check_workers(client) or _THREADS
    size = min(_LARGEST, -(-len(pairs) // (_ROUNDS * threads)))
    if work.has_fractions:  # sums of fractions depend on the order of additions
        size = len(pairs)
    try:
        return _joined(client, work, pairs, size, progress)
    except CannotPartitionError:
        return _joined(client, work, pairs, len(pairs), progress)


def _joined(client: Any, work: Job, pairs: Sequence[Pair], size: int, progress: Progress | None) -> Run:
    joining, done = Joining(work), 0
    with closing(_runs(client, work, pairs, size)) as runs:  # so that tasks are cancelled whatever happens here
        for run, count in runs:
            joining.add(run)
            done += count
            if progress is not None:
                progress(done, len(pairs))
    return joining.finish()


def _runs(client: Any, work: Job, pairs: Sequence[Pair], size: int) -> Generator[tuple[Run, int], None, None]:
    """The runs over parts of some file pairs in their order, and the number of pairs of each.

    From the first part on that has an error, all is one part: then its error, or its run, is that of a single process,
    for which a text may go on in the next file.
    """
    first, ends_apart = 0, False
    parts = [_part(work, pairs[begin : begin + size]) for begin in range(0, len(pairs), size)]
    with _Tasks(client, parts) as tasks:
        for number in range(len(parts)):
            found = tasks.result(number)
            if isinstance(found, EvenhandError) and (ends_apart or number + 1 < len(parts)):
                break
            yield _run(found), min(size, len(pairs) - first)
            first, ends_apart = first + size, _run(found).ends_apart
    if ends_apart and first < len(pairs):
        raise CannotPartitionError("a word reaches over the end of a part")
    if first < len(pairs):
        with _Tasks(client, [_part(work, pairs[first:])]) as tasks:
            yield _run(tasks.result(0)), len(pairs) - first


class _Tasks:
    """Parts of work that are under way; those that nobody wants any more are cancelled at the end."""

    def __init__(self, client: Any, parts: Sequence[Job]) -> None:
        self._client, self._parts = client, parts
        run = uuid4().hex
        keys = [f"evenhand-{run}-{number}" for number in range(len(parts))]
        self._futures = client.map(run_part, parts, key=keys, pure=False, batch_size=_BATCH)

    def __enter__(self) -> _Tasks:
        return self

    def __exit__(self, *_: object) -> None:
        waiting = [future for future in self._futures if future is not None]
        if waiting and self._client.status == "running":
            self._client.cancel(waiting)

    def result(self, number: int) -> Run | EvenhandError:
        """What came of a part, which is then let go; an error of the cluster is raised."""
        distributed, future = import_module("distributed"), self._futures[number]
        try:
            found = self._awaited(future)
        except distributed.KilledWorker as error:
            gold = self._parts[number].gold
            assert isinstance(gold, FileList)
            what = "it" if len(gold.files) == 1 else f"it or the {len(gold.files) - 1} files behind it"
            workers = f"{error.allowed_failures + 1} workers" if error.allowed_failures else "1 worker"
            finding, remedy = f"{workers} died that scored {what}", "look at their logs, they may need more memory"
            raise InputError(str(gold.files[0]), None, finding, remedy) from None
        except (ImportError, AttributeError) as error:
            raise SettingError(f"A worker has no evenhand {__version__} ({error}); install it there.") from None
        except (OSError, CancelledError):
            raise SettingError(_GONE) from None
        self._futures[number] = None
        return found

    def _awaited(self, future: Any) -> Run | EvenhandError:
        """Wait for a result, as long as there are workers."""
        is_done = Event()
        future.add_done_callback(lambda _: is_done.set())
        while True:
            with suppress(TimeoutError):
                if is_done.wait(_PATIENCE):
                    found: Run | EvenhandError = future.result(timeout=_PATIENCE)  # which may be lost again
                    return found
            if not self._client.nthreads():
                raise SettingError("The cluster has no workers; start one with 'dask worker SCHEDULER'.")


def run_part(part: Job) -> Run | EvenhandError:
    """What a worker does. What is wrong with files is no failure of the worker's, and so a result."""
    try:
        return part.run()
    except InputError as error:
        return UnseenFileError(error.problem, _worker()) if error.problem.finding.startswith(_UNSEEN) else error
    except EvenhandError as error:
        return error


def _worker() -> str:
    """The address of the worker that this is."""
    found: str = import_module("distributed").get_worker().address
    return found


class UnseenFileError(InputError):
    """A file that a worker cannot open; where the command runs, it may be there."""

    def __init__(self, problem: Problem, worker: str) -> None:
        super().__init__(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)
        self.worker = worker

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.worker)

    def told(self) -> InputError:
        """The same, with the worker's name if the file is there for this process."""
        problem = self.problem
        if not os.path.exists(problem.source):
            return InputError(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)
        finding = f"the worker {self.worker} cannot open it ({problem.finding})"
        return InputError(problem.source, problem.line, finding, "let all workers see the file under the same path")


def _part(work: Job, pairs: Sequence[Pair]) -> Job:
    """Some file pairs as one work, which can be done in any folder."""
    return part_of(work, [replace(side, base=Path.cwd()) for side in together(pairs)])


def _run(found: Run | EvenhandError) -> Run:
    if isinstance(found, UnseenFileError):
        raise found.told()
    if isinstance(found, EvenhandError):
        raise found
    return found


def _check_workers(client: Any) -> int:
    """How many threads the workers have. All must have this version, or there is an error."""

    def version() -> str | None:
        """Sent as it stands, as a worker without Evenhand could not look it up."""
        try:
            from evenhand.version import __version__ as found
        except ImportError:
            return None
        return found

    for worker, workers in client.run(version, on_error="return").items():
        if workers is None or (isinstance(workers, str) and workers != __version__):
            what = f"evenhand {workers}" if workers else "no evenhand"
            raise SettingError(
                f"The worker {worker} has {what}, and this is evenhand {__version__}; install the same on all workers."
            )
    return sum(client.nthreads().values())


# == engines/dask.py (primary)


_CONNECTING = 5
"""For how many seconds a scheduler may be silent."""
_NOT_BY_ADDRESS = ("inproc", "ucx")
"""Kinds of addresses that are of one process, or take a package of their own."""
_SILENT = 100
"""A level of logging above all others."""


def dask(client: Any = None, scheduler: str | None = None, progress: Progress | None = None) -> Engine:
    """An engine that gives the file pairs of folders, patterns and manifests to the workers of a cluster.

    client     a `distributed.Client`
    scheduler  or the address of a scheduler, such as "tcp://10.0.0.1:8786"; without both, a cluster of processes is
               started on this machine, and closed at the end
    progress   is called with the number of file pairs that are done, and that of all

    All workers must have this version of Evenhand, and see the files under the same paths or addresses. What is no file
    (annotations, standard input) is scored in this process.
    """
    if client is not None and scheduler is not None:
        raise SettingError("Name a client or the address of a scheduler, but not both.")

    def engine(work: Job) -> Run:
        pairs = file_pairs(work)
        if pairs is None or (len(pairs) == 1 and client is None and scheduler is None):
            return serial(work)
        with _connected(client, scheduler) as connected:
            return run_tasks(connected, work, pairs, progress)

    return engine


@contextmanager
def _connected(client: Any, scheduler: str | None) -> Iterator[Any]:
    """The client that there is, or one of our own."""
    if client is not None:
        yield client
        return
    distributed = _distributed()
    # What Dask says about lost workers and the like is for those who run a cluster.
    with distributed.utils.silence_logging_cmgr(_SILENT):
        if scheduler is None:
            with _processes(distributed) as cluster, distributed.Client(cluster, set_as_default=False) as own:
                yield own
        else:
            with _client(distributed, scheduler) as own:
                yield own


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise SettingError("Dask is not installed; run: pip install evenhand[dask].") from None


def _client(distributed: Any, scheduler: str) -> Any:
    _check_scheme(distributed, scheduler)
    try:
        import_module("distributed.comm").resolve_address(scheduler)
        return distributed.Client(scheduler, timeout=_CONNECTING, set_as_default=False)
    except ValueError as error:
        raise SettingError(f"The scheduler {scheduler!r} is no address ({error}); write tcp://HOST:PORT.") from None
    except OSError:
        raise SettingError(
            f"No scheduler answers at {scheduler}; start one with 'dask scheduler', or check its address."
        ) from None


def _check_scheme(distributed: Any, scheduler: str) -> None:
    """Raise an error unless a client can be made for this kind of address."""
    scheme = scheduler.partition("://")[0]
    if scheme in _NOT_BY_ADDRESS:
        raise SettingError(
            f"The scheduler {scheduler!r} cannot be reached from here; write tcp://HOST:PORT or tls://…."
        )
    if scheme in ("tls", "wss") and not distributed.Security().get_connection_args("client").get("ssl_context"):
        raise SettingError(
            f"The scheduler {scheduler!r} takes certificates; name them in Dask's configuration "
            "(distributed.comm.tls), or give a client of your own in Python."
        )


@contextmanager
def _processes(distributed: Any) -> Iterator[Any]:
    """A cluster on this machine: a process for each core, on no network but its own."""
    count = import_module("dask.system").CPU_COUNT
    with starting_processes():
        cluster = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # the usual port may be taken, which Dask would tell
            silence_logs=_SILENT,
        )
    with cluster:
        yield cluster
