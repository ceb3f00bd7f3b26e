"""Mutated files of every format under every command: a result or one sentence, never a traceback, a signal, a hang over
10 seconds, or more than 500 MB.

`make test` takes some cases, always the same. `make test-long` takes 40,000 with a fresh seed; EVENHAND_FUZZ_SEED repeats
those of another run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from fuzz.seeds import NAMED_TASKS, SEEDS_READ_AS, seeds, write

WORKER = ROOT / "tests" / "fuzz" / "worker.py"
CASES, CHUNKS = 40_000, 20


def findings(seed: int, first: int, last: int, folder: Path) -> list[str]:
    """What goes wrong in these cases, each with the command that shows it; a process that dies is started anew."""
    all_findings = []
    paths = os.pathsep.join(map(str, (ROOT / "tests", ROOT / "src")))
    while first < last:
        command = [sys.executable, str(WORKER), *map(str, (seed, first, last, folder))]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths}
        )
        for line in done.stdout.splitlines():
            row = json.loads(line)
            all_findings.append(_shown(seed, row["number"], row["command"], folder, row["problem"]))
        current = (folder / "current").read_text() if (folder / "current").exists() else ""
        if not current:
            assert done.returncode == 0, done.stderr
            break
        number, _, shown = current.partition(" ")
        problem = f"the process ended with {done.returncode}\n{done.stderr[-3000:]}"
        all_findings.append(_shown(seed, int(number), json.loads(shown), folder, problem))
        first = int(number) + 1
    return all_findings


def _shown(seed: int, number: int, command: object, folder: Path, problem: str) -> str:
    shown = f"{command}.from_json('saved.json')" if isinstance(command, str) else f"evenhand {' '.join(command)}"  # type: ignore[arg-type]
    return f"Case {number} of seed {seed}: cd {folder / str(number)} && {shown}\n{problem}"


def check(seed: int, first: int, last: int, folder: Path) -> None:
    found = findings(seed, first, last, folder)
    assert not found, f"{len(found)} cases:\n\n" + "\n\n".join(found[:5])


@pytest.mark.parametrize("name", SEEDS_READ_AS)
def test_every_seed_is_a_file_of_its_format(name: str, tmp_path: Path) -> None:
    seed = seeds().get(name)
    if seed is None:
        pytest.skip("pyarrow or spaCy is not installed")
    write(tmp_path, seed.files)
    path = tmp_path / name
    named = seed.format if seed.format in ("conllx", "conll2009") else None
    task = seed.task if seed.task in NAMED_TASKS else None
    annotation = eh.read(path.parent if "/" in name else path, format=named, task=task)
    assert annotation.reading.format == SEEDS_READ_AS[name]


def test_mutated_files(tmp_path: Path) -> None:
    check(0, 0, 100, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_forty_thousand_mutated_files(chunk: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("EVENHAND_FUZZ_SEED") or int.from_bytes(os.urandom(4)))
    size = CASES // CHUNKS
    check(seed, chunk * size, (chunk + 1) * size, tmp_path)
