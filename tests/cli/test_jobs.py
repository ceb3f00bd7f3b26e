"""`--jobs` on the command line: what it prints, and what becomes of processes when it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import EXAMPLE
from evenhand.cli.main import main

EVENHAND = str(Path(sys.executable).with_name("evenhand"))
MATCH = "exact,fair"
pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes through /proc")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files that are large enough to be divided."""
    folder = tmp_path_factory.mktemp("large")
    for name in ("gold", "crf"):
        (folder / f"{name}.conll").write_text((EXAMPLE / f"{name}.conll").read_text() * 1500)
    return [str(folder / "gold.conll"), str(folder / "crf.conll")]


def started(large: list[str]) -> subprocess.Popen[str]:
    """A command that has processes under way: two beside its own."""
    command = [EVENHAND, "score", *large, "-q", "--jobs", "3", "--match", MATCH]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True)
    for _ in range(2000):
        workers = [pid for pid in group(process.pid) if b"spawn_main" in commands(pid)]
        if len(workers) == 2:
            time.sleep(0.3)
            return process
        time.sleep(0.01)
    raise AssertionError("no processes were started")


def stopped(large: list[str], number: signal.Signals, *, to_all: bool) -> subprocess.Popen[str]:
    """A command that a signal has ended. One that was done before the signal came shows nothing, and is run again."""
    for _ in range(10):
        process = started(large)
        with suppress(ProcessLookupError):
            (os.killpg if to_all else os.kill)(process.pid, number)
        if process.wait(60) != 0:
            return process
        process.communicate()
    raise AssertionError("the command was always done before the signal came")


def group(leader: int) -> Iterator[int]:
    """The processes of a command, its own one included."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == leader and fields[0] != "Z":
                yield int(folder.name)


def commands(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def none_is_left(leader: int) -> bool:
    """Whether all processes are gone; the tracker of multiprocessing goes when it sees that the others are."""
    for _ in range(1000):
        if not list(group(leader)):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("number", "to_all", "status", "said"),
    [
        (signal.SIGINT, True, 130, "evenhand: interrupted\n"),
        (signal.SIGINT, False, 130, "evenhand: interrupted\n"),
        (signal.SIGTERM, False, 143, ""),
        (signal.SIGKILL, False, -9, ""),
    ],
)
def test_a_signal_leaves_no_processes(
    large: list[str], number: signal.Signals, to_all: bool, status: int, said: str
) -> None:
    """Ctrl-C goes to all processes of a terminal, `kill` to one."""
    process = stopped(large, number, to_all=to_all)
    output, errors = process.communicate()
    assert (process.returncode, output) == (status, "")
    assert errors == said or number == signal.SIGKILL  # of which Python's tracker has a word to say
    assert none_is_left(process.pid)


def test_a_worker_that_is_killed_is_replaced(large: list[str]) -> None:
    process = started(large)
    for pid in [pid for pid in group(process.pid) if b"spawn_main" in commands(pid)][:1]:
        os.kill(pid, signal.SIGKILL)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors == ""
    plain = [EVENHAND, "score", *large, "-q", "--match", MATCH]
    assert output == subprocess.run(plain, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("command", ["score", "rank"])
def test_small_files_need_no_processes(command: str) -> None:
    arguments = [command, str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll")]
    plain, divided = (CliRunner().invoke(main, [*arguments, *more]) for more in ([], ["--jobs", "auto"]))
    assert divided.exit_code == 0
    assert divided.output == plain.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--jobs", "0"], "'0' is no number of processes; give 1 or more, or auto"),
        (["--jobs", "many"], "'many' is no number of processes"),
        (["--jobs", "2", "--engine", "dask"], "--jobs and --engine both say where the work is done"),
    ],
)
def test_numbers_of_jobs_that_make_no_sense(options: list[str], message: str) -> None:
    files = [str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll")]
    found = CliRunner().invoke(main, ["score", *files, *options])
    assert found.exit_code == 2
    assert message in found.output
