"""A command starts no threads that nobody asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from evenhand.files import start_no_threads

NAME = "OPENBLAS_NUM_THREADS"
COUNT = """
import sys
from evenhand.cli import main
try:
    main()
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("Threads:")).split()[1], file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux lists the threads of a process there")
def test_numpy_starts_none(tmp_path: Path) -> None:
    paths = [tmp_path / "gold.conll", tmp_path / "system.conll"]
    for path in paths:
        path.write_text("Ada B-PER\n")
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    command = [sys.executable, "-c", COUNT, "score", "-q", *map(str, paths)]
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert run.stderr.strip() == "1"


def test_a_number_in_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    monkeypatch.setenv(NAME, "3")
    start_no_threads()
    assert os.environ[NAME] == "3"


def test_where_numpy_is_loaded_its_threads_are_those_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", ModuleType("numpy"))
    monkeypatch.delenv(NAME, raising=False)
    start_no_threads()
    assert NAME not in os.environ
