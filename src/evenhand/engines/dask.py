"""The engine that runs on a cluster of Dask: which cluster, and what is said where there is none.

Dask takes a second to load and may be absent, so that it is imported when work begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from evenhand.engines.dask_tasks import Progress, run_tasks
from evenhand.engines.file_pairs import file_pairs
from evenhand.engines.starting import starting_processes
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Engine, Work, serial
from evenhand.problems import SettingError

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

    def engine(work: Work) -> Run:
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
