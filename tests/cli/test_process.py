"""How commands end: interrupts, closed pipes and full disks, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

import evenhand as eh
from conftest import EXAMPLE, has_full_device, posix
from evenhand.files import start_no_threads

EVENHAND = str(Path(sys.executable).with_name("evenhand"))
SCORE = (EVENHAND, "score", str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll"), "-q")
FULL = "cannot be written because the disk is full; free some space or choose another place.\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose conversion takes seconds."""
    path = tmp_path_factory.mktemp("large") / "large.conll"
    path.write_text((EXAMPLE / "crf.conll").read_text() * 2000)
    return path


def wait_for_hidden_file(folder: Path) -> None:
    for _ in range(2000):
        if any(each.name.startswith(".evenhand") for each in folder.rglob("*")):
            return
        time.sleep(0.01)
    raise AssertionError("nothing was written")


@posix
@pytest.mark.parametrize("target", ["new.jsonl", "folder/new", "old.jsonl"])
@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("SIGINT", 130, "evenhand: interrupted\n"),
        ("SIGTERM", 143, ""),
        ("SIGHUP", 129, ""),
    ],
)
def test_a_signal_in_the_midst_of_writing(
    large: Path, tmp_path: Path, target: str, name: str, status: int, said: str
) -> None:
    number = signal.Signals[name]
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup")
    (tmp_path / "old.jsonl").write_text("old")
    form = ["--to", "jsonl" if target.endswith("jsonl") else "brat"]
    command = [EVENHAND, "convert", str(large), str(tmp_path / target), *form, "--lossy"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_for_hidden_file(tmp_path)
        process.send_signal(number)
        assert (process.communicate()[1], process.returncode) == (said, status)
    assert [each.name for each in tmp_path.iterdir()] == ["old.jsonl"]
    assert (tmp_path / "old.jsonl").read_text() == "old"


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what a process has loaded is not known here")
def test_ctrl_c_while_input_is_awaited(tmp_path: Path) -> None:
    command = [EVENHAND, "score", "-", SCORE[3], "-o", str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "numpy" not in Path(f"/proc/{process.pid}/maps").read_text():  # then the command has begun
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.wait() == 130
        assert process.stderr.read() in ("", "evenhand: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        (*SCORE,),
        (*SCORE, "--as", "json"),
        (*SCORE, "-o", "/dev/stdout"),
        (EVENHAND, "--help"),
        (EVENHAND, "score", "--help"),
        (EVENHAND, "demo"),
        (EVENHAND, "check", SCORE[2]),
    ],
    ids=lambda command: " ".join(command[1:2] + command[4:]),
)
def test_a_reader_that_leaves_ends_it_quietly(command: tuple[str, ...]) -> None:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 141)


@has_full_device
@pytest.mark.parametrize(
    "command",
    [(*SCORE,), (*SCORE, "--as", "json"), (EVENHAND, "--help"), (EVENHAND, "rank", "--help"), (EVENHAND, "--version")],
    ids=lambda command: " ".join(command[1:2] + command[4:]),
)
def test_a_full_device_as_standard_output(command: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.stderr, done.returncode) == (f"evenhand: standard output: {FULL}", 2)


@has_full_device
def test_notes_that_nobody_hears_do_no_harm() -> None:
    with open("/dev/full", "w") as full:
        loud = [argument for argument in SCORE if argument != "-q"]
        done = subprocess.run(loud, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    quiet = subprocess.run(SCORE, stdout=subprocess.PIPE, text=True, check=True)
    assert (done.stdout, done.returncode) == (quiet.stdout, 0)


COMMANDS = {
    "score": SCORE[1:],
    "check": ("check", SCORE[2]),
    "convert": ("convert", SCORE[3], "-", "--to", "jsonl", "-q"),
    "help": ("score", "--help"),
}


def shell(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a shell, in which `$@` is Evenhand with these arguments."""
    return subprocess.run(
        ["sh", "-c", command, "sh", EVENHAND, *arguments], capture_output=True, text=True, check=False
    )


@posix
@pytest.mark.parametrize("command", COMMANDS)
def test_closed_standard_output(command: str) -> None:
    done = shell('"$@" >&-', *COMMANDS[command])
    place = "/dev/stdout" if command == "convert" else "standard output"
    sentence = f"{place}: cannot be written (bad file descriptor); choose another place."
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"evenhand: {sentence}\n")


@posix
@pytest.mark.parametrize("command", COMMANDS)
def test_other_streams_that_are_closed_do_no_harm(command: str) -> None:
    usual = shell('"$@"', *COMMANDS[command])
    closed = shell('"$@" <&- 2>&-', *COMMANDS[command])
    assert (closed.returncode, closed.stdout) == (usual.returncode, usual.stdout)
    assert usual.stdout
    assert shell('"$@" <&- 2>&- >&-', *COMMANDS[command]).returncode == 2


def test_a_result_in_a_file_takes_no_standard_streams(tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    done = shell('"$@" <&- >&- 2>&-', *SCORE[1:], "--as", "json", "-o", str(file))
    usual = shell('"$@"', *SCORE[1:], "--as", "json")
    assert (done.returncode, file.read_text()) == (0, usual.stdout)


def test_closed_standard_input_is_empty() -> None:
    done = shell('"$@" <&-', "score", "-", SCORE[3])
    sentence = "standard input: the file is empty; check how it was written."
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"evenhand: {sentence}\n")


@posix
def test_a_pipe_that_reads_one_line() -> None:
    done = shell('{ "$@"; echo $? >&2; } | head -1', *SCORE[1:], "--as", "json")
    assert (done.stdout, done.stderr) in (("{\n", "141\n"), ("{\n", "0\n"))  # as fast as head is


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp437"])
def test_terminals_of_other_encodings(encoding: str, tmp_path: Path) -> None:
    """Lines of tables become plain, labels that the encoding lacks are escaped, and columns stay in line."""
    files = [tmp_path / "gold.conll", tmp_path / "system.conll"]
    for file in files:
        file.write_text("Ada\tB-人\nslept\tO\nhere\tB-LOC\n", encoding="utf-8")
    command = [EVENHAND, "score", *map(str, files), "-q", "--match", "exact"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode(encoding).splitlines()
    assert any(set(line.strip()) == {"-" if encoding != "cp437" else "─"} for line in lines)
    assert any("\\u4eba" in line for line in lines)


def limit() -> None:
    import resource  # Windows has none

    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@posix
@pytest.mark.parametrize("target", ["out.jsonl", "folder"])
def test_a_disk_that_takes_no_more(tmp_path: Path, target: str) -> None:
    form = ["--to", "jsonl" if target.endswith("jsonl") else "brat"]
    one = tmp_path / "one.jsonl"
    one.write_text('{"text": "' + "word " * 4000 + '", "spans": []}\n')
    folder = tmp_path / "place"
    folder.mkdir()
    command = [EVENHAND, "convert", str(one), str(folder / target), *form]
    # The limit would also cut off modules that Python caches, and break every later process.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=limit, env=environment)
    assert done.stderr.startswith(f"evenhand: {folder / target}")
    assert done.stderr.endswith(": cannot be written (file too large); choose another place.\n")
    assert (done.returncode, list(folder.iterdir())) == (2, [])


@has_full_device
def test_results_and_pages_say_the_same() -> None:
    gold, system = EXAMPLE / "gold.conll", EXAMPLE / "crf.conll"
    with pytest.raises(eh.InputError, match="disk is full"):
        eh.score(gold, system).to_json("/dev/full")
    with pytest.raises(eh.InputError, match="disk is full"):
        eh.report(gold, system, trials=0, resamples=0).to_html("/dev/full")


_MAKES_A_CLASS = """
import os, signal
from evenhand.cli.process import orderly

class Attribute:
    def __set_name__(self, owner, name):
        {}

with orderly():
    type("Made", (), {{"attribute": Attribute()}})
"""


@posix
def test_a_signal_while_a_class_is_made() -> None:
    """Python up to 3.11 turns what is raised in `__set_name__` into a RuntimeError; the status is the signal's."""
    code = _MAKES_A_CLASS.format("os.kill(os.getpid(), signal.SIGTERM)")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (143, "")


def test_an_error_without_a_signal_stays_an_error() -> None:
    code = _MAKES_A_CLASS.format("raise ValueError('of our own')")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "ValueError: of our own" in found.stderr


# A command starts no threads that nobody asked for


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


# Windows and macOS, simulated


def run_here(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=kept | environment)


CLOSED = """
import errno, sys
from evenhand.cli.process import orderly
sys.platform = {system!r}
with orderly():
    raise OSError(errno.EINVAL, "Invalid argument")
"""


def test_a_closed_pipe_on_windows() -> None:
    done = run_here(CLOSED.format(system="win32"))
    assert (done.returncode, done.stdout, done.stderr) == (141, b"", b"")
    assert b"OSError: [Errno 22] Invalid argument" in run_here(CLOSED.format(system="linux")).stderr


REDIRECTED = """
import sys
from evenhand.cli.process import steady_streams
sys.platform = {system!r}
sys.stdout.reconfigure(encoding="cp1252", newline="\\r\\n")
steady_streams()
print("Zoë 人 ─")
"""


@pytest.mark.parametrize(
    ("system", "environment", "written"),
    [
        ("win32", {}, "Zoë 人 ─\n".encode()),
        ("win32", {"PYTHONIOENCODING": "cp1252"}, "Zoë \\u4eba -\r\n".encode("cp1252")),
        ("linux", {}, "Zoë \\u4eba -\r\n".encode("cp1252")),
    ],
)
def test_redirected_output_is_utf8_on_windows(system: str, environment: dict[str, str], written: bytes) -> None:
    done = run_here(REDIRECTED.format(system=system), **environment)
    assert (done.stdout, done.stderr) == (written, b"")


BREAK = """
import os, signal, sys
signal.SIGBREAK = signal.SIGUSR1  # Ctrl-Break of Windows
from evenhand.cli.process import orderly
from evenhand.files import whole_file
with orderly(), whole_file("scores.json") as file:
    os.kill(os.getpid(), signal.SIGBREAK)
"""


@posix
def test_ctrl_break_removes_temporary_files(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", BREAK], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (128 + signal.SIGUSR1, b"", [])
