"""The engine for a Dask cluster: each task scores a few file pairs, or a piece of a large one, and returns their run.

Dask takes a second to import and may not be installed, so it is imported when a job starts.
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

from evenhand import __version__
from evenhand.engines.processes import starting_processes
from evenhand.errors import EvenhandError, InputError, Problem, SettingError
from evenhand.formats.paths import FileList
from evenhand.pipeline.partition import CannotPartitionError, Joining, Pair, file_pairs, part_of, pieces_of, together
from evenhand.pipeline.run import Engine, Job, Run, serial

Progress = Callable[[int, int], None]
"""Receives the number of finished file pairs (or pieces) and of all of them."""
_ROUNDS = 8
"""Number of tasks per thread of a worker: enough to balance the load."""
PIECE = 32 << 20
"""Size in bytes of the pieces of a large file pair, all sides together."""
_LARGEST = 32
"""Maximum number of file pairs per task; they are scored again if a worker is lost."""
_THREADS = 8
"""Assumed number of threads of a cluster that has no workers yet."""
_BATCH = 256
"""Number of tasks that are sent to the scheduler at a time."""
_PATIENCE = 60
"""Seconds that a cluster may be without workers."""
_CONNECTING = 5
"""Seconds until a scheduler must answer."""
_UNSEEN = ("there is no such file", "cannot be opened")
"""Beginnings of findings that may hold only on the worker's machine."""
_GONE = "The scheduler no longer answers; check its log, and start again."
_NOT_BY_ADDRESS = ("inproc", "ucx")
"""Schemes of addresses that are local to one process, or need another package."""
_SILENT = 100
"""A logging level above all others."""


def dask(client: Any = None, scheduler: str | None = None, progress: Progress | None = None) -> Engine:
    """An engine that gives file pairs, and pieces of large ones, to the workers of a cluster.

    client     a `distributed.Client`
    scheduler  or the address of a scheduler, such as "tcp://10.0.0.1:8786"; without both, a cluster of processes is
               started on this machine, and closed at the end
    progress   is called with the number of finished file pairs (or pieces) and of all of them

    All workers must have this version of Evenhand, and see the files under the same paths or addresses. Annotations and
    standard input are scored in this process.
    """
    if client is not None and scheduler is not None:
        raise SettingError("Specify a client or the address of a scheduler, but not both.")

    def engine(job: Job) -> Run:
        pairs = file_pairs(job)
        if pairs is None:
            return serial(job)
        pieces = pieces_of(job, pairs, PIECE)
        if len(pieces) == 1 and client is None and scheduler is None:
            return serial(job)
        with _connected(client, scheduler) as connected:
            return run_tasks(connected, job, pairs, pieces, progress)

    return engine


def run_tasks(client: Any, job: Job, pairs: Sequence[Pair], pieces: Sequence[Pair], progress: Progress | None) -> Run:
    """Run a job on a cluster: piece by piece if a file pair was cut, otherwise some file pairs at a time."""
    threads = _check_workers(client) or _THREADS
    if len(pieces) > len(pairs):
        with suppress(EvenhandError):  # on an error, files are scored as wholes, and that result or error counts
            return _join_runs(client, job, pieces, 1, progress)
    size = min(_LARGEST, -(-len(pairs) // (_ROUNDS * threads)))
    if job.has_fractions:  # sums of fractions depend on the order of additions
        size = len(pairs)
    try:
        return _join_runs(client, job, pairs, size, progress)
    except CannotPartitionError:
        return _join_runs(client, job, pairs, len(pairs), progress)


def _join_runs(client: Any, job: Job, pairs: Sequence[Pair], size: int, progress: Progress | None) -> Run:
    joining, done = Joining(job), 0
    with closing(_runs(client, job, pairs, size)) as runs:  # cancels tasks on any error
        for run, count in runs:
            joining.add(run)
            done += count
            if progress is not None:
                progress(done, len(pairs))
    return joining.finish()


def _runs(client: Any, job: Job, pairs: Sequence[Pair], size: int) -> Generator[tuple[Run, int], None, None]:
    """Generate the runs of parts of `size` file pairs in order, and the number of pairs of each.

    After the first error, all remaining pairs are one part. Its error or run equals a single process's, where a text
    may continue in the next file.
    """
    first, ends_apart = 0, False
    parts = [_part(job, pairs[begin : begin + size]) for begin in range(0, len(pairs), size)]
    with _SubmittedParts(client, parts) as tasks:
        for number in range(len(parts)):
            result = tasks.result(number)
            if isinstance(result, EvenhandError) and (ends_apart or number + 1 < len(parts)):
                break
            run = _run_or_raise(result)
            yield run, min(size, len(pairs) - first)
            first, ends_apart = first + size, run.ends_apart
    if ends_apart and first < len(pairs):
        raise CannotPartitionError("a word crosses the end of a part")
    if first < len(pairs):
        with _SubmittedParts(client, [_part(job, pairs[first:])]) as tasks:
            yield _run_or_raise(tasks.result(0)), len(pairs) - first


class _SubmittedParts:
    """Submitted parts; those whose results are not fetched are cancelled at the end."""

    def __init__(self, client: Any, parts: Sequence[Job]) -> None:
        self._client, self._parts = client, parts
        run = uuid4().hex
        keys = [f"evenhand-{run}-{number}" for number in range(len(parts))]
        self._futures = client.map(run_part, parts, key=keys, pure=False, batch_size=_BATCH)

    def __enter__(self) -> _SubmittedParts:
        return self

    def __exit__(self, *_: object) -> None:
        waiting = [future for future in self._futures if future is not None]
        if waiting and self._client.status == "running":
            self._client.cancel(waiting)

    def result(self, number: int) -> Run | EvenhandError:
        """Return the result of a part and drop the part. Errors of the cluster are raised."""
        distributed, future = import_module("distributed"), self._futures[number]
        try:
            result = self._wait_for(future)
        except distributed.KilledWorker as error:
            gold = self._parts[number].gold
            assert isinstance(gold, FileList)
            what = "it" if len(gold.files) == 1 else f"it or the next {len(gold.files) - 1} files"
            workers = f"{error.allowed_failures + 1} workers" if error.allowed_failures else "1 worker"
            finding, remedy = f"{workers} died while scoring {what}", "check their logs; they may need more memory"
            raise InputError(str(gold.files[0]), None, finding, remedy) from None
        except (ImportError, AttributeError) as error:
            raise SettingError(f"A worker has no evenhand {__version__} ({error}); install it there.") from None
        except (OSError, CancelledError):
            raise SettingError(_GONE) from None
        self._futures[number] = None
        return result

    def _wait_for(self, future: Any) -> Run | EvenhandError:
        """Wait for a result as long as there are workers."""
        is_done = Event()
        future.add_done_callback(lambda _: is_done.set())
        while True:
            with suppress(TimeoutError):
                if is_done.wait(_PATIENCE):
                    result: Run | EvenhandError = future.result(timeout=_PATIENCE)  # which may be lost again
                    return result
            if not self._client.nthreads():
                raise SettingError("The cluster has no workers; start one with 'dask worker SCHEDULER'.")


def run_part(part: Job) -> Run | EvenhandError:
    """Run a part on a worker. Errors in files are results because the worker did not fail."""
    try:
        return part.run()
    except InputError as error:
        if not error.problem.finding.startswith(_UNSEEN):
            return error
        return UnseenFileError(error.problem, import_module("distributed").get_worker().address)
    except EvenhandError as error:
        return error


class UnseenFileError(InputError):
    """A file that a worker cannot open; it may exist on the machine of the command."""

    def __init__(self, problem: Problem, worker: str) -> None:
        super().__init__(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)
        self.worker = worker

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.worker)

    def with_worker(self) -> InputError:
        """The same error, with the worker's address if the file exists for this process."""
        problem = self.problem
        if not os.path.exists(problem.source):
            return InputError(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)
        finding = f"the worker {self.worker} cannot open it ({problem.finding})"
        return InputError(
            problem.source, problem.line, finding, "make the file available to all workers under the same path"
        )


def _part(job: Job, pairs: Sequence[Pair]) -> Job:
    """A job on some file pairs, or on a piece of one, which can run in any folder."""
    sides = pairs[0] if len(pairs) == 1 else together(pairs)
    return part_of(job, [replace(side, base=Path.cwd()) for side in sides])


def _run_or_raise(result: Run | EvenhandError) -> Run:
    if isinstance(result, UnseenFileError):
        raise result.with_worker()
    if isinstance(result, EvenhandError):
        raise result
    return result


def _check_workers(client: Any) -> int:
    """Return the number of threads of the workers. Raise an error unless all have this version of Evenhand."""

    def version() -> str | None:
        # Pickled by value because a worker without Evenhand could not import it.
        try:
            from evenhand import __version__ as installed
        except ImportError:
            return None
        return installed

    for worker, installed in client.run(version, on_error="return").items():
        if installed is None or (isinstance(installed, str) and installed != __version__):
            what = f"evenhand {installed}" if installed else "no evenhand"
            raise SettingError(
                f"The worker {worker} has {what}, but this is evenhand {__version__}; install the "
                "same version on all workers."
            )
    return sum(client.nthreads().values())


@contextmanager
def _connected(client: Any, scheduler: str | None) -> Iterator[Any]:
    """The given client, or a new one."""
    if client is not None:
        yield client
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise SettingError("Dask is not installed; run: pip install evenhand[dask].") from None
    # Dask's logging about lost workers is meant for operators of a cluster.
    with distributed.utils.silence_logging_cmgr(_SILENT):
        if scheduler is None:
            with _processes(distributed) as cluster, distributed.Client(cluster, set_as_default=False) as client:
                yield client
        else:
            with _client(distributed, scheduler) as client:
                yield client


def _client(distributed: Any, scheduler: str) -> Any:
    _check_scheme(distributed, scheduler)
    try:
        import_module("distributed.comm").resolve_address(scheduler)
        return distributed.Client(scheduler, timeout=_CONNECTING, set_as_default=False)
    except ValueError as error:
        raise SettingError(f"Invalid scheduler address {scheduler!r} ({error}). Expected tcp://HOST:PORT.") from None
    except OSError:
        raise SettingError(
            f"No scheduler answers at {scheduler}; start one with 'dask scheduler', or check its address."
        ) from None


def _check_scheme(distributed: Any, scheduler: str) -> None:
    """Raise an error unless a client can connect to this kind of address."""
    scheme = scheduler.partition("://")[0]
    if scheme in _NOT_BY_ADDRESS:
        raise SettingError(
            f"The scheduler {scheduler!r} cannot be reached from here; write tcp://HOST:PORT or tls://…."
        )
    if scheme in ("tls", "wss") and not distributed.Security().get_connection_args("client").get("ssl_context"):
        raise SettingError(
            f"The scheduler {scheduler!r} needs certificates; specify them in Dask's configuration "
            "(distributed.comm.tls), or pass a client in Python."
        )


@contextmanager
def _processes(distributed: Any) -> Iterator[Any]:
    """A cluster on this machine: one process per core, on the loopback network."""
    count = import_module("dask.system").CPU_COUNT
    with starting_processes():
        cluster = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port: Dask warns if the usual one is taken
            silence_logs=_SILENT,
        )
    with cluster:
        yield cluster
