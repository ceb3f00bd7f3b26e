"""Dask without a cluster: processes that are started and ended, and what is said where something is missing."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from clusters import LONGEST, Blocking, started, write_pairs
from evenhand.engines.dask import UnseenFileError
from evenhand.errors import Problem

EVENHAND = Path(sys.executable).with_name("evenhand")


def test_names_of_engines() -> None:
    from evenhand.engines.dask import dask

    assert eh.engines.dask is dask
    assert callable(eh.engines.serial)
    with pytest.raises(AttributeError, match=r"evenhand\.engines has no 'nothing'"):
        eh.engines.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_nothing_heavy_is_loaded_before_work_begins() -> None:
    code = "import sys, evenhand; evenhand.engines; print({'numpy', 'dask', 'fsspec'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert found == "set()\n"


def test_the_serial_engine(example: Path) -> None:
    sides = example / "gold.conll", example / "tagger.conll"
    assert eh.score(*sides, engine=eh.engines.serial).to_dict() == eh.score(*sides).to_dict()


def test_dask_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = write_pairs(tmp_path / "files", 2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(eh.SettingError, match=r"Dask is not installed; run: pip install evenhand\[dask\]"):
        eh.score(*eh.manifest(manifest), engine=eh.engines.dask())


def test_a_client_or_a_scheduler() -> None:
    with pytest.raises(eh.SettingError, match="but not both"):
        eh.engines.dask(object(), "tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("scheduler", "sentence"),
    [
        ("tcp://127.0.0.1:1", "No scheduler answers at tcp://127.0.0.1:1; start one with 'dask scheduler'"),
        (
            "tls://127.0.0.1:1",
            r"The scheduler 'tls://127.0.0.1:1' needs certificates; specify them in Dask's configuration",
        ),
        ("ucx://127.0.0.1:1", r"The scheduler 'ucx://127.0.0.1:1' cannot be reached from here; write tcp://HOST:PORT"),
        ("inproc://x", r"The scheduler 'inproc://x' cannot be reached from here; write tcp://HOST:PORT"),
        ("http://127.0.0.1:1", r"Invalid scheduler address 'http://127.0.0.1:1' \(unknown address scheme 'http'"),
        ("somewhere", r"Invalid scheduler address 'somewhere' \(missing port number.*\). Expected tcp://HOST:PORT"),
    ],
)
def test_no_scheduler(tmp_path: Path, scheduler: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    manifest = write_pairs(tmp_path / "files", 2)
    monkeypatch.setattr(sys.modules["evenhand.engines.dask"], "_CONNECTING", 0.2)
    with pytest.raises(eh.SettingError, match=sentence):
        eh.score(*eh.manifest(manifest), engine=eh.engines.dask(scheduler=scheduler))


def test_processes_of_its_own(tmp_path: Path) -> None:
    """Also from a script that does not ask whether it is the main one."""
    pytest.importorskip("distributed")
    manifest = write_pairs(tmp_path / "files", 4)
    script = tmp_path / "script.py"
    script.write_text(
        "import evenhand as eh, json\n"
        f"print(json.dumps(eh.score(*eh.manifest({str(manifest)!r}), engine=eh.engines.dask()).to_dict()))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=LONGEST)
    assert json.loads(done.stdout) == eh.score(*eh.manifest(manifest)).to_dict()
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes are those of POSIX")
def test_ctrl_c_leaves_nothing_running(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    psutil = pytest.importorskip("psutil")
    manifest = write_pairs(tmp_path / "files", 4)
    blocking = Blocking(tmp_path / "files" / "system" / "002.conll")
    command = [EVENHAND, "score", "--manifest", manifest, "--engine", "dask"]
    with started(command, start_new_session=True) as running:
        writer = blocking.open_when_read()
        children = psutil.Process(running.pid).children(recursive=True)
        output, message = interrupted(running)
    os.close(writer)
    assert (running.returncode, output) == (130, "")
    assert message.endswith("evenhand: interrupted\n")
    assert len(children) > 1
    end = time.monotonic() + LONGEST
    while left := [each for each in children if is_at_work(each)]:
        assert time.monotonic() < end, left
        time.sleep(0.05)


def interrupted(running: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process writes until it ends; it is interrupted again where Python lost the first one in a destructor."""
    end = time.monotonic() + LONGEST
    while True:
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
        try:
            return running.communicate(timeout=LONGEST / 6)
        except subprocess.TimeoutExpired:
            assert time.monotonic() < end


def is_at_work(process: Any) -> bool:
    """Whether a process still runs: what watches over shared memory ends a moment later than the others."""
    with suppress(import_module("psutil").NoSuchProcess):
        return bool(process.status() != "zombie")
    return False


def test_a_file_that_only_a_worker_cannot_see(tmp_path: Path) -> None:
    """The worker is named if the file is there for the command; else the sentence is that of one process."""
    path = tmp_path / "gold.conll"
    problem = Problem(str(path), None, "there is no such file", "check the path")
    error = pickle.loads(pickle.dumps(UnseenFileError(problem, "tcp://10.0.0.7:9000")))
    assert str(error.with_worker()) == f"{path}: there is no such file; check the path."
    path.write_text("a\tO\n")
    told = "the worker tcp://10.0.0.7:9000 cannot open it (there is no such file)"
    assert str(error.with_worker()) == f"{path}: {told}; make the file available to all workers under the same path."
