"""What can be read once only: named pipes, process substitution, standard input."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.formats import storage
from peaks import PEAK

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this machine has no named pipes")
GOLD, SYSTEM = EXAMPLE / "gold.conll", EXAMPLE / "crf.conll"
COMMAND = f"'{sys.executable}' -c 'from evenhand.cli import main; main()'"


def shell(command: str, stdin: bytes = b"") -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    run = ["bash", "-c", command.replace("evenhand", COMMAND, 1)]
    done = subprocess.run(run, capture_output=True, input=stdin, env=environment, check=False, timeout=60)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


@contextmanager
def pipe(path: Path, content: bytes) -> Iterator[Path]:
    """A named pipe that somebody writes to, once."""
    os.mkfifo(path)
    writer = Thread(target=lambda: path.write_bytes(content), daemon=True)
    writer.start()
    yield path
    writer.join()


def test_named_pipes_are_files(tmp_path: Path) -> None:
    with pipe(tmp_path / "gold", GOLD.read_bytes()) as gold, pipe(tmp_path / "system", SYSTEM.read_bytes()) as system:
        found = eh.score(gold, system).to_dict()["systems"][0]["scores"]
    assert found == eh.score(GOLD, SYSTEM).to_dict()["systems"][0]["scores"]


def test_a_compressed_pipe(tmp_path: Path) -> None:
    with pipe(tmp_path / "gold", gzip.compress(GOLD.read_bytes())) as gold:
        assert eh.read(gold).corpus.token_count == eh.read(GOLD).corpus.token_count


def test_what_is_written_next_is_read_next(tmp_path: Path) -> None:
    with pipe(tmp_path / "gold", b"a\tB-X\n") as path:
        assert eh.read(path).corpus.token_count == 1
    writer = Thread(target=lambda: path.write_bytes(b"a\tB-X\nb\tO\n"), daemon=True)
    writer.start()
    writer.join()  # the pipe is still open here
    assert eh.read(path).corpus.token_count == 2


@pytest.mark.parametrize(
    "given", ["<(cat {gold}) <(cat {system})", "/dev/stdin {system}", "/dev/fd/0 {system}", "- {system}"]
)
def test_files_from_other_commands(given: str) -> None:
    status, out = shell(
        f"evenhand score {given.format(gold=GOLD, system=SYSTEM)} --match exact --as value 2> /dev/null",
        GOLD.read_bytes(),
    )
    assert (status, out.strip()) == (0, "0.7203219315895373")


def test_an_empty_pipe() -> None:
    assert shell(f"evenhand score <(true) {SYSTEM}")[0] == 2
    status, out = shell(f"evenhand score - {SYSTEM} <&-")
    assert (status, out) == (2, "evenhand: standard input: the file is empty; check how it was written.\n")


@pytest.mark.parametrize("argument", ["-", pytest.param("/dev/stdin", marks=pytest.mark.long)])
def test_memory_does_not_grow_with_what_is_piped(argument: str) -> None:
    """Two million tokens (28 MB) take as much as six million (85 MB)."""
    script = (
        "import sys, evenhand as eh\n"
        "found = eh.score(sys.argv[1], sys.argv[1], column={'gold': 2, 'system': 3})\n"
        "print(found['exact'].overall['TP'])\n"
    ) + PEAK
    peaks = []
    for times in (2, 6):
        piece = ("token\tB-PER\tB-PER\nother\tO\tO\n" * 9 + "third\tI-LOC\tI-LOC\nlast.\tO\tO\n\n") * 5_000
        run = [sys.executable, "-c", script, argument]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for _ in range(10 * times):
                process.stdin.write(piece.encode())
            process.stdin.close()
            right, peak = process.stdout.read().split()
        assert int(right) == 10 * times * 50_000
        peaks.append(float(peak))
    assert peaks[1] < 1.15 * peaks[0]


def test_a_pipe_is_read_once_where_only_sockets_can_be_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`select` refuses pipes on Windows."""

    def refuse(*_: object) -> None:
        raise OSError(10038, "An operation was attempted on something that is not a socket")

    monkeypatch.setattr(storage, "select", refuse)
    with pipe(tmp_path / "gold", GOLD.read_bytes()) as path:
        for _ in range(2):
            assert len(eh.read(path).spans()) == 285
