"""The options that say where work is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.help import RUNNING, option, with_options
from evenhand.cli.progress import counter

if TYPE_CHECKING:
    from evenhand.engines.workers import Workers
    from evenhand.formats.addresses import Place
    from evenhand.pipeline.work import Engine

ENGINES = ("serial", "processes", "dask")
_AUTO = "auto"


def number_of_jobs(given: str) -> int:
    """A number of processes; 0 for as many as there are cores."""
    if given == _AUTO:
        return 0
    if not given.isdecimal() or int(given) < 1:
        raise click.BadParameter(f"{given!r} is no number of processes; give 1 or more, or {_AUTO}")
    return int(given)


engine_options = with_options(
    option(
        RUNNING,
        "--jobs",
        type=number_of_jobs,
        metavar=f"NUMBER|{_AUTO}",
        help=f"Divide large files and folders among processes; {_AUTO}: one for each core [1].",
    ),
    option(
        RUNNING,
        "--engine",
        type=Choice(ENGINES),
        metavar="NAME",
        help="Run in this process (serial), in several (processes), or file by file on a Dask cluster (dask) [serial].",
        rare=True,
    ),
    option(
        RUNNING,
        "--scheduler",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster, such as tcp://10.0.0.1:8786 [a local cluster].",
        rare=True,
    ),
)


@contextmanager
def chosen_engine(options: Mapping[str, Any], files: Sequence[Place | None] = ()) -> Iterator[Engine | None]:
    """The engine that the options name, with a line on the terminal that says how far it is.

    Where `files` are large, processes are started at once: they load what they need while this one does.
    """
    name, scheduler = options["engine"], options["scheduler"]
    if scheduler is not None and name != "dask":
        raise click.UsageError("--scheduler is for --engine dask")
    jobs = options["jobs"]
    if jobs is not None and name not in (None, "processes"):
        raise click.UsageError("--jobs and --engine both say where the work is done; name one of them")
    if name == "processes" or (jobs is not None and jobs != 1):
        with _started(jobs or 0, files) as workers:
            from evenhand.engines.processes import processes

            yield processes(jobs or 0, workers=workers)
        return
    if name != "dask":
        yield None
        return
    from evenhand.engines.dask import dask

    with counter("file pairs", quiet=options["quiet"]) as progress:
        yield dask(scheduler=scheduler, progress=progress)


@contextmanager
def _started(jobs: int, files: Sequence[Place | None]) -> Iterator[Workers | None]:
    """Other processes for so many jobs, if files are so large that their work will be divided."""
    from evenhand.engines.workers import LARGE, Workers, cores

    sizes = [file.stat().st_size for file in files if isinstance(file, Path) and file.is_file()]
    others = (jobs or cores()) - 1
    if sum(sizes) < LARGE or not others:
        yield None
        return
    with Workers(others) as workers:
        workers.load()
        yield workers
