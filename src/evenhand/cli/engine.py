"""The options that say where work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evenhand.cli.progress import counter

if TYPE_CHECKING:
    from evenhand.engines.workers import Workers
    from evenhand.formats.addresses import Place
    from evenhand.pipeline.work import Engine

Command = TypeVar("Command", bound=Callable[..., Any])
ENGINES = ("serial", "processes", "dask")
_AUTO = "auto"


class Jobs(click.ParamType[int]):
    """A number of processes; 0 for as many as there are cores."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value == _AUTO:
            return 0
        if not str(value).isdecimal() or int(value) < 1:
            self.fail(f"{value!r} is no number of processes; give 1 or more, or {_AUTO}", param, ctx)
        return int(value)


def engine_options(command: Command) -> Command:
    """--jobs, --engine and --scheduler."""
    with_scheduler = click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster, such as tcp://10.0.0.1:8786 [a cluster of processes on this machine].",
    )
    with_engine = click.option(
        "--engine",
        type=click.Choice(ENGINES),
        help="Where the work is done: in this process, in several, or file by file on a Dask cluster [serial].",
    )
    return click.option(
        "--jobs",
        type=Jobs(),
        metavar=f"N|{_AUTO}",
        help="Divide large files and folders among so many processes, or as many as there are cores [1].",
    )(with_engine(with_scheduler(command)))


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
