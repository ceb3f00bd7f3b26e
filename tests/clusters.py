"""A Dask cluster on this machine, a scheduler and workers as processes of their own; and files for it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

LOCAL = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--no-dashboard")
LONGEST = 60
"""For how many seconds anything may be waited for: a test that takes longer has failed."""


class Cluster:
    """A scheduler without a page, and as many workers as are asked for; all listen on 127.0.0.1 only."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.folder.mkdir()
        self._environment = {**os.environ, **settings}
        self.workers: list[subprocess.Popen[bytes]] = []
        self._file = folder / "scheduler.json"
        self._scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(self._file))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()

    @property
    def address(self) -> str:
        """Where the scheduler is, as soon as it says so."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            if self._file.exists() and (text := self._file.read_text()).endswith("}"):
                return str(json.loads(text)["address"])
            time.sleep(0.02)
        raise TimeoutError("the scheduler has not started")

    def add_worker(self, environment: Mapping[str, str] | None = None) -> None:
        """Start a worker with one thread, in a folder of its own."""
        options = ("--no-nanny", "--nthreads", "1", "--scheduler-file", str(self._file))
        self.workers.append(self._start("dask_worker", *options, environment=environment))

    def _start(
        self, module: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *LOCAL, *options]
        with (self.folder / f"{module}-{len(self.workers)}.log").open("wb") as log:
            return subprocess.Popen(
                command, cwd=self.folder, env={**self._environment, **(environment or {})}, stdout=log, stderr=log
            )


@contextmanager
def started(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A command that runs meanwhile, and not longer."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


class Blocking:
    """A file that blocks whoever reads it, until it is replaced by its content."""

    def __init__(self, path: Path) -> None:
        self.path, self._content = path, path.read_bytes()
        path.unlink()
        os.mkfifo(path)

    def open_when_read(self) -> int:
        """Open it as soon as somebody reads it, so that its reader waits for what is written; nothing is."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            try:
                return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                time.sleep(0.02)
        raise TimeoutError(f"nobody reads {self.path}")

    def reader(self, processes: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Which of these processes reads it."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            for process in processes:
                links = Path(f"/proc/{process.pid}/fd").iterdir()
                if any(link.exists() and link.samefile(self.path) for link in links):
                    return process
        raise TimeoutError(f"none of the processes reads {self.path}")

    def unblock(self) -> None:
        """Put an ordinary file into its place."""
        copy = self.path.with_name(f".{self.path.name}")
        copy.write_bytes(self._content)
        copy.replace(self.path)


def write_pairs(folder: Path, count: int) -> Path:
    """Write files with names into two folders, and a manifest of them."""
    random = Random(count)
    for side in ("gold", "system"):
        (folder / side).mkdir(parents=True)
    names = [f"{number:03}.conll" for number in range(count)]
    for name in names:
        words = [f"w{random.randrange(99)}" for _ in range(60)]
        tags = [random.choice(["O", "O", "B-PER", "I-PER", "B-LOC"]) for _ in words]
        others = [tag if random.random() < 0.8 else "B-ORG" for tag in tags]
        for side, column in (("gold", tags), ("system", others)):
            lines = [f"{word}\t{tag}\n" for word, tag in zip(words, column, strict=True)]
            sentences = ["".join(lines[at : at + 9]) for at in range(0, len(lines), 9)]
            (folder / side / name).write_text("\n".join(sentences))
    manifest = folder / "pairs.tsv"
    manifest.write_text("gold\tcrf\n" + "".join(f"gold/{name}\tsystem/{name}\n" for name in names))
    return manifest
