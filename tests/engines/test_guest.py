"""Evenhand within another program: its memory and its script stay as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from conftest import EXAMPLE, ROOT
from evenhand.engines.processes import starting_processes

HOST = """
import sys
import numpy as np
import evenhand as eh

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

eh.score(*sys.argv[1:])
before = held()
array = np.ones(30_000_000, dtype=np.uint8)
del array
print(held() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this machine does not tell what a process holds")
def test_a_host_gives_freed_memory_back() -> None:
    run = [sys.executable, "-c", HOST, str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll")]
    environment = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, check=True)
    assert int(done.stdout) < 5_000_000


def test_two_threads_leave_the_script_in_its_place() -> None:
    script, is_in = sys.modules["__main__"], Event()
    may_leave = Event()

    def enter_first() -> None:
        with starting_processes():
            is_in.set()
            may_leave.wait(0.2)

    def enter_second() -> None:
        is_in.wait()
        with starting_processes():
            may_leave.set()
            first.join(2)

    first, second = Thread(target=enter_first), Thread(target=enter_second)
    first.start()
    second.start()
    second.join()
    assert sys.modules["__main__"] is script
